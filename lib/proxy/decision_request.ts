/** The body of a decision request: one schema checks and describes it. */

import { z } from "zod";
import { PublicError } from "../platform/http/errors.ts";
import {
  isObject,
  type JsonObject,
  type JsonType,
  jsonTypeOf,
  memberOf,
  nameOfType,
} from "../platform/json.ts";

/** The largest number of faults that are listed: a body of a megabyte can have half a million. */
const MAX_FAULTS = 50;
/** Longer names are shortened in paths. */
const MAX_NAME_LENGTH = 60;
const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

/** The text of a fault after the field's path. */
function wrongType(types: readonly JsonType[], value: unknown): string {
  if (value === undefined) return "is required";
  // Made here, not on import: the platform then reads its tables of languages, which takes a start 15 ms.
  const either = new Intl.ListFormat("en-GB", { type: "disjunction" });
  return `must be ${either.format(types.map(nameOfType))}, not ${nameOfType(jsonTypeOf(value))}`;
}

/** Ends a fault with the description of its field. */
function explain(problem: string, { schema }: z.core.$ZodRawIssue): string {
  const description = schema && z.globalRegistry.get(schema)?.description || "";
  return `${problem}: ${description.charAt(0).toLowerCase()}${description.slice(1)}`;
}

function because(problem: string) {
  return { error: (issue: z.core.$ZodRawIssue) => explain(problem, issue) };
}

/** A value of one of these types; the provider judges its content. */
function oneOf(types: readonly JsonType[], description: string) {
  return z.unknown().refine((value) => types.includes(jsonTypeOf(value)), {
    abort: true,
    error: (issue) => explain(wrongType(types, issue.input), issue),
  }).meta({ type: types, ...types.includes("array") && { items: {} }, description });
}

/** Members of these types, described here and checked by {@linkcode eachIs}: zod lists faults without a bound. */
function members(types: readonly JsonType[]) {
  return z.unknown().meta({ type: types });
}

/** Checks the members of a map or list, up to the number of faults that are listed. */
function eachIs(types: readonly JsonType[], whatItIs: string) {
  return (all: object, context: z.RefinementCtx) => {
    let faults = 0;
    for (const name in all) {
      const key = Array.isArray(all) ? Number(name) : name;
      const value: unknown = Reflect.get(all, key);
      if (types.includes(jsonTypeOf(value))) continue;
      const message = `${wrongType(types, value)}: ${whatItIs}`;
      context.addIssue({ code: "custom", path: [key], message });
      if (++faults === MAX_FAULTS) return;
    }
  };
}

const isEmpty = (value: unknown) =>
  value === "" || isObject(value) && Object.keys(value).length === 0;
const notEmpty = [(value: unknown) => !isEmpty(value), because("must not be empty")] as const;

const OPTION = ["string", "null"] as const;
const LEVEL = ["string"] as const;
const instructions = oneOf(["string", "object", "array", "null"], "The text of the question.")
  .optional();
const meaning = oneOf(OPTION, "What this answer means.").optional();

const noul = z.looseObject({
  type: z.literal("noul"),
  instructions,
  criteria: z.looseObject({ true: meaning, false: meaning })
    .refine(
      (criteria) => isEmpty(criteria) || "true" in criteria || "false" in criteria,
      because("must have true, false or both"),
    )
    .describe("A noul question may describe what true and false mean.").nullish(),
});
const choice = z.looseObject({
  type: z.literal("choice"),
  instructions,
  criteria: z.record(z.string(), members(OPTION)).refine(...notEmpty).meta({ minProperties: 1 })
    .superRefine(eachIs(OPTION, "the description of an option."))
    .describe("A choice question maps each option to its description."),
});
const score = z.looseObject({
  type: z.literal("score"),
  instructions,
  criteria: z.array(members(LEVEL))
    .min(2, because("must have at least two levels"))
    .superRefine(eachIs(LEVEL, "the description of a level."))
    .describe("A score question lists the descriptions of its levels, lowest first."),
});
/** A question of another type, which the provider may know: it judges the criteria. */
const anyQuestion = z.looseObject({
  type: oneOf(["string"], "One of noul, choice and score.").refine(...notEmpty),
  instructions,
}).describe("A question has a type, instructions and criteria.");
const questionSchemas = new Map<unknown, z.ZodType>(
  Object.entries({ noul, choice, score }),
);

/** The body without the content of its questions. */
const bodySchema = z.looseObject({
  state: oneOf(["string", "object", "array"], "The content to evaluate."),
  questions: oneOf(["object"], "Each question by an id of your own.").refine(...notEmpty)
    .refine((questions) => !Object.hasOwn(questions as object, ""), {
      path: [""],
      ...because("must have an id"),
    }),
  model: oneOf(["string", "null"], "The name or alias of a model; decision-latest by default.")
    .refine(...notEmpty).meta({ minLength: 1 }).optional(),
});

/** A decision request, as the reference describes it. */
export const decisionRequestSchema = bodySchema.extend({
  questions: z.record(z.string(), z.union([noul, choice, score]).meta({ id: "Question" }))
    .meta({ minProperties: 1, description: "Each question by an id of your own." }),
}).meta({ id: "DecisionRequest" });

/**
 * Checks a decision request. What the documents do not forbid passes, because the provider may know
 * it: unknown fields and types of questions, counts above the provider's limits, null in an optional
 * field (client libraries write it), `instructions` that are an object or array, and any option `__proto__`,
 * which zod ignores.
 *
 * @throws {PublicError} `validation_failed`: its message and `field` are those of the first fault;
 *   `errors` lists at most 50 faults, those of the questions last.
 */
export function validateDecision(body: JsonObject): void {
  const errors = faultsOf(bodySchema, body, []);
  const questions = memberOf(body, "questions");
  for (const [id, question] of isObject(questions) ? Object.entries(questions) : []) {
    if (errors.length >= MAX_FAULTS) break;
    const type = isObject(question) ? memberOf(question, "type") : undefined;
    const schema = questionSchemas.get(type) ?? anyQuestion;
    errors.push(...faultsOf(schema, question, ["questions", id]));
  }
  const [first] = errors;
  if (first === undefined) return;
  throw new PublicError("validation_failed", first.message, {
    field: first.field,
    errors: errors.slice(0, MAX_FAULTS),
  });
}

/** The error of an object, record or array that is something else. */
function ofContainer(issue: z.core.$ZodRawIssue): string {
  const isArray = issue.code === "invalid_type" && issue.expected === "array";
  return explain(wrongType([isArray ? "array" : "object"], issue.input), issue);
}

function faultsOf(schema: z.ZodType, value: unknown, place: readonly PropertyKey[]) {
  const { error } = schema.safeParse(value, { error: ofContainer });
  return (error?.issues ?? []).map(({ path, message }) => {
    const field = fieldOf([...place, ...path]);
    return { field, message: `${field} ${message}` };
  });
}

/** A path as JavaScript writes it: `a.b[0]`, or `a["b c"]` where the name is not an identifier. */
function fieldOf([first, ...others]: readonly PropertyKey[]): string {
  return others.reduce<string>((path, part) => {
    if (typeof part === "number") return `${path}[${part}]`;
    const name = String(part);
    const characters = [...name.slice(0, 2 * MAX_NAME_LENGTH)];
    const isLong = characters.length > MAX_NAME_LENGTH || name.length > 2 * MAX_NAME_LENGTH;
    const shown = isLong ? `${characters.slice(0, MAX_NAME_LENGTH).join("")}…` : name;
    return IDENTIFIER.test(shown) ? `${path}.${shown}` : `${path}[${JSON.stringify(shown)}]`;
  }, String(first));
}

const OWN_NAME = String.raw`(?:\.[^.[]+|\["(?:[^"\\]|\\.)*"\])`;
const OF_QUESTION = new RegExp(`^questions${OWN_NAME}`);
const OF_OPTION = new RegExp(`^(questions\\.\\*\\.criteria)${OWN_NAME}`);

/** A field's path without the names that the caller chose, which are a part of the body: `questions.*.criteria.*`. */
export function withoutOwnNames(field: string): string {
  return field.replace(OF_QUESTION, "questions.*").replace(OF_OPTION, "$1.*");
}
