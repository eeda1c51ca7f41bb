// Reads a System One request, and refuses the same requests as the real service, in the same layout.

import { Buffer } from "node:buffer";

/** The model behind each name that a request may have. */
export const MODELS = new Map([
  ["jev-1.13.0", "jev-1.13.0"],
  ["jev-1.14.0-preview", "jev-1.14.0-preview"],
  ["jev-latest", "jev-1.13.0"],
  ["jev-preview", "jev-1.14.0-preview"],
]);

/** A plain sentence for a limit, an object for a kind of error, a list for fields that are missing or of a wrong type. */
export type Detail =
  | string
  | { readonly error_type: string; readonly message: string }
  | readonly {
    readonly type: string;
    /** The path to the field, `body` first. */
    readonly loc: readonly (string | number)[];
    readonly msg: string;
  }[];

/** Thrown for a request that is refused. */
export class Refused extends Error {
  override readonly name = "Refused";
  constructor(readonly status: number, readonly detail: Detail) {
    super(JSON.stringify(detail));
  }
}

/** A question, its parts as text. */
export type Question =
  & {
    readonly instructions: string;
    /** Every text that is billed. */
    readonly texts: readonly string[];
  }
  & (
    | { readonly type: "noul"; readonly whenTrue: string; readonly whenFalse: string }
    | { readonly type: "choice"; readonly options: readonly (readonly [string, string])[] }
    | { readonly type: "score"; readonly levels: readonly string[]; readonly legend: unknown[] }
    | { readonly type: "box" }
  );

/** A request that can be answered. */
export interface DecisionRequest {
  readonly model: string;
  readonly state: string;
  /** The charge for each image, in tokens. */
  readonly imageTokens: readonly number[];
  readonly questions: readonly { readonly name: string; readonly question: Question }[];
}

const MAX_OPTIONS = 255;
const MAX_LEVELS = 10;

/**
 * Reads a body; `images` says whether the caller asked for the experimental part.
 * @throws {Refused} with the status and the detail.
 */
export function parseDecisionRequest(
  bytes: Uint8Array,
  { images }: { images: boolean },
): DecisionRequest {
  const { model = "jev-latest", state, questions, assets } = dictionaryAt([], parseJson(bytes));
  if (typeof model !== "string") {
    throw wrongType("string_type", ["model"], "Input should be a valid string");
  }
  if (state === undefined) throw wrongType("missing", ["state"], "Field required");
  if (state !== null && typeof state !== "object" && typeof state !== "string") {
    throw wrongType("union_type", ["state"], "Input should be a string, an object or a list");
  }
  const entries = Object.entries(dictionaryAt(["questions"], questions));
  if (!MODELS.has(model)) throw misuse(`Unknown model: ${model}`);
  if (entries.length === 0) throw new Refused(400, "At least one question is required.");
  if (isObject(assets) && Object.keys(assets).length > 0) {
    if (!images) throw misuse("Images need the header TypeSafe-Danger-Zone-Images.");
    const used = JSON.stringify([state, questions]);
    const unused = Object.keys(assets).find((ref) => !used.includes(ref));
    if (unused !== undefined) throw new Refused(400, `Asset ${unused} is not referred to.`);
  }
  const canBox = images && model.includes("preview");
  return {
    model,
    state: asText(state),
    imageTokens: isObject(assets) ? Object.values(assets).map(imageTokens) : [],
    questions: entries.map(([name, question]) => ({
      name,
      question: parseQuestion(question, ["questions", name], canBox),
    })),
  };
}

const SQUARE = 28;
const LARGEST_SIDE = 1_568;
/** Where a PNG's header has its width and height. */
const PNG_SIDES = [16, 20] as const;

/** Two tokens for each square of 28 by 28; any file but a PNG counts as the largest image. */
function imageTokens(asset: unknown): number {
  const data = isObject(asset) ? asset["data_base64"] : undefined;
  const bytes = Buffer.from(typeof data === "string" ? data : "", "base64");
  const isPng = bytes.length >= 24 && bytes.toString("latin1", 1, 4) === "PNG";
  const [width, height] = PNG_SIDES.map((at) =>
    Math.ceil(Math.min(LARGEST_SIDE, isPng ? bytes.readUInt32BE(at) : LARGEST_SIDE) / SQUARE)
  );
  return 2 * (width ?? 0) * (height ?? 0);
}

function parseQuestion(value: unknown, loc: readonly string[], canBox: boolean): Question {
  const { type, criteria, instructions: asked } = dictionaryAt(loc, value);
  if (type === undefined) throw wrongType("missing", [...loc, "type"], "Field required");
  const instructions = asText(asked);
  const place = [...loc, "criteria"];
  switch (type) {
    case "noul": {
      const meanings = dictionaryAt(place, criteria ?? {});
      const [whenTrue, whenFalse] = [asText(meanings["true"]), asText(meanings["false"])];
      return {
        type: "noul",
        instructions,
        whenTrue,
        whenFalse,
        texts: [instructions, whenTrue, whenFalse],
      };
    }
    case "choice": {
      const options = Object.entries(dictionaryAt(place, criteria))
        .map(([name, is]) => [name, asText(is)] as const);
      if (options.length === 0) throw new Refused(400, "A choice needs at least one option.");
      if (options.length > MAX_OPTIONS) {
        throw new Refused(400, `Too many choices: at most ${MAX_OPTIONS} are allowed.`);
      }
      return { type: "choice", instructions, options, texts: [instructions, ...options.flat()] };
    }
    case "score": {
      if (criteria === undefined) throw wrongType("missing", place, "Field required");
      if (!Array.isArray(criteria)) {
        throw wrongType("list_type", place, "Input should be a valid list");
      }
      if (criteria.length === 0) throw new Refused(400, "A score needs at least one level.");
      if (criteria.length > MAX_LEVELS) {
        throw new Refused(400, `Too many levels: at most ${MAX_LEVELS} are allowed.`);
      }
      const levels = criteria.map(asText);
      return {
        type: "score",
        instructions,
        levels,
        legend: criteria,
        texts: [instructions, ...levels],
      };
    }
    case "box":
      if (canBox) return { type: "box", instructions, texts: [instructions] };
      throw misuse("Invalid request.");
    default:
      throw misuse("Invalid request.");
  }
}

function dictionaryAt(loc: readonly string[], value: unknown): Record<string, unknown> {
  if (value === undefined) throw wrongType("missing", loc, "Field required");
  if (isObject(value)) return value;
  throw wrongType("dict_type", loc, "Input should be a valid dictionary");
}

function wrongType(type: string, loc: readonly string[], msg: string): Refused {
  return new Refused(422, [{ type, loc: ["body", ...loc], msg }]);
}

function misuse(message: string): Refused {
  return new Refused(400, { error_type: "api_usage_error", message });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw wrongType("json_invalid", [], "JSON decode error");
  }
}

/** A string unchanged, any other value as JSON, an absent one as "". */
function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
