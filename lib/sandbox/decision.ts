// A stand-in for the decision provider: the part of TypeSafe's System One API that clients use, with answers computed
// from the words of the question.

import { answerQuestion } from "./decision_answers.ts";
import {
  type DecisionRequest,
  type Detail,
  MODELS,
  parseDecisionRequest,
  Refused,
} from "./decision_request.ts";
import { readDecimal } from "./money.ts";
import { createProviderStandIn, type ProviderOptions, type ProviderStandIn } from "./provider.ts";
import {
  type CostFault,
  ERROR_TEXTS,
  type FaultStatus,
  FIGURE,
  jsonAnswer,
  type ProviderAnswer,
  type ProviderRequest,
} from "./provider_answer.ts";

/** The price of an input token: 0.042 dollars per million. */
const NANO_USD_PER_TOKEN = 42n;
const CHARACTERS_PER_TOKEN = 4;
/** All of a request, and its state with the longest of its questions. */
const MAX_TOKENS = 64_000;
const MAX_QUESTION_TOKENS = 32_000;

/**
 * Creates a stand-in. It opens no port: serve `fetch`.
 *
 * @example
 * ```ts
 * const decision = createDecisionStandIn({ apiKey: "key", now: () => 0 });
 * const response = await decision.fetch(
 *   new Request("http://decision.test/v1/systemone", {
 *     method: "POST",
 *     headers: { Authorization: "Bearer key" },
 *     body: JSON.stringify({ state: "A parcel is lost", questions: { lost: { type: "noul" } } }),
 *   }),
 * );
 * if ((await response.json()).answers.lost.type !== "noul") throw new Error("unexpected");
 * ```
 */
export function createDecisionStandIn(options: ProviderOptions): ProviderStandIn {
  const { apiKey } = options;

  function answer(request: ProviderRequest, fault: CostFault | undefined): ProviderAnswer {
    const { id, method, path, headers } = request;
    const refuse = (status: number, detail: Detail) => refusal(status, detail, id);
    if (headers.get("Authorization") !== `Bearer ${apiKey}`) {
      return refuse(401, statusDetail(401));
    }
    if (path === "/v1/models") {
      if (method !== "GET") return refuse(405, "Method Not Allowed");
      return jsonAnswer({ models: listModels() }, { headers: { "x-typesafe-request-id": id } });
    }
    if (path !== "/v1/systemone") return refuse(404, "Not Found");
    if (method !== "POST") return refuse(405, "Method Not Allowed");
    try {
      return decide(request, fault);
    } catch (error) {
      if (error instanceof Refused) return refuse(error.status, error.detail);
      throw error;
    }
  }

  return createProviderStandIn({
    answer,
    refuse: (status, { id }) => refusal(status, statusDetail(status), id),
  }, options);
}

/** The versions, then the aliases. */
function listModels() {
  return Array.from(MODELS, ([name, version]) => {
    const isPreview = version.includes("preview");
    const kind = isPreview ? "preview, with boxes" : "stable";
    return {
      name,
      description: `Sandbox: ${name === version ? kind : `now ${version}`}`,
      release_date: isPreview ? "2026-10-15" : "2026-09-01",
    };
  });
}

function refusal(status: number, detail: Detail, id: string): ProviderAnswer {
  return jsonAnswer({ detail }, { status, headers: { "x-typesafe-request-id": id } });
}

/** The body of a status fault. The layouts of 402, 429, 529 and 5xx are not known; an object is the likeliest. */
function statusDetail(status: FaultStatus): Detail {
  const message = ERROR_TEXTS[status];
  if (status === 404) return message;
  if (status === 422) return [{ type: "missing", loc: ["body", "state"], msg: message }];
  return { error_type: ERROR_TYPES[status] ?? "unknown", message };
}

const ERROR_TYPES: Readonly<Partial<Record<FaultStatus, string>>> = {
  400: "api_usage_error",
  401: "authentication_error",
  402: "payment_required",
  403: "permission_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function decide({ id, headers, body }: ProviderRequest, fault?: CostFault): ProviderAnswer {
  const isAllowed = (name: string) => headers.get(`TypeSafe-Danger-Zone-${name}`) === "true";
  const request = parseDecisionRequest(body, { images: isAllowed("Images") });
  const tokens = inputTokens(request);
  if (!isAllowed("Long-Context")) {
    limitTokens("The request", tokens, MAX_TOKENS);
    for (const question of request.questions) {
      const ofQuestion = inputTokens({ ...request, questions: [question] });
      limitTokens(`The state with ${question.name}`, ofQuestion, MAX_QUESTION_TOKENS);
    }
  }

  const answered = request.questions.map(({ name, question }) =>
    [name, answerQuestion(request.state, question)] as const
  );
  const outputTokens = answered.reduce((total, [, { outputTokens }]) => total + outputTokens, 0);
  const figure = fault?.kind === "cost" ? fault.text : String(tokens);
  const usage = { input_tokens: FIGURE, output_tokens: outputTokens };
  return jsonAnswer({
    model: MODELS.get(request.model),
    answers: Object.fromEntries(answered.map(([name, { answer }]) => [name, answer])),
    ...(fault?.kind === "missing-cost" ? {} : { usage }),
  }, {
    headers: { "x-typesafe-request-id": id },
    figure,
    chargeNanoUsd: readDecimal(figure, NANO_USD_PER_TOKEN) ?? BigInt(tokens) * NANO_USD_PER_TOKEN,
  });
}

function limitTokens(what: string, tokens: number, max: number): void {
  if (tokens <= max) return;
  throw new Refused(400, {
    error_type: "max_tokens_exceeded",
    message: `${what} has ${tokens} tokens; at most ${max} are allowed.`,
  });
}

/** About four characters a token over everything that is text, and each image by its size; never none. */
function inputTokens({ state, imageTokens, questions }: DecisionRequest): number {
  const texts = [state, ...questions.flatMap(({ name, question }) => [name, ...question.texts])];
  const characters = texts.reduce((total, { length }) => total + length, 0);
  const images = imageTokens.reduce((total, tokens) => total + tokens, 0);
  return Math.max(1, Math.ceil(characters / CHARACTERS_PER_TOKEN) + images);
}
