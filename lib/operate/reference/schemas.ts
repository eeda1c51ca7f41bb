/** The bodies that operations share, and every named body as a JSON schema. */

import { z } from "zod";
import { dateTimeSchema } from "../../events/model.ts";
import { ERROR_CODES, type ErrorCode } from "../../platform/http/errors.ts";

/** The part of a JSON schema (draft 2020-12) that the OpenAPI document uses. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
  readonly $ref?: string;
}

const text = z.string();
const usd = z.number().describe("USD.");
const codeSchema = z.enum(ERROR_CODES);
const EVENTS_CODES = [
  "bad_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "not_acceptable",
  "unsupported_media_type",
  "payload_too_large",
  "server_misconfigured",
  "internal_error",
  "upstream_error",
] as const satisfies readonly ErrorCode[];

const faultSchema = z.object({ field: text, message: text }).meta({ id: "FieldError" });
const spendingSchema = z.object({
  scope: z.enum(["account", "key", "service"]).describe(
    "Whose limit is reached: the account's, the key's own, or that of all accounts together. " +
      "The amounts are the key's for key, otherwise the account's.",
  ),
  limitUsd: usd,
  spentUsd: usd,
  reservedUsd: usd.describe("Reserved for requests in progress."),
  resetsAt: dateTimeSchema,
}).meta({ id: "Spending" });
/** An error of the events API, pages and documents. */
export const errorSchema = z.object({
  error: text.describe("The same text as message."),
  code: z.enum(EVENTS_CODES).describe("Stable identifier."),
  message: text.describe("Human-readable."),
  hint: text.optional().describe("What the caller can change to make the request succeed."),
  status: z.int().describe("The HTTP status."),
  documentation_url: z.url(),
}).meta({ id: "Error" });
/** An error of the proxy and of `/up`. */
export const proxyErrorSchema = errorSchema.omit({ error: true }).extend({
  code: codeSchema.describe("Stable identifier."),
  error: z.object({
    message: text.describe("The message and the hint."),
    type: codeSchema,
    code: z.int().describe("The HTTP status."),
  }).describe("The error in the shape that the providers' clients read."),
  field: text.optional().describe("The path of the first invalid field."),
  errors: z.array(faultSchema).optional().describe("Every error in the body."),
  spending: spendingSchema.optional().describe("Present with spending_limit_reached."),
  requestId: z.uuid(),
}).meta({ id: "ProxyError" });
/** An error of a provider. */
export const providerErrorSchema = z.looseObject({}).describe(
  "The provider's own error, passed on unchanged; X-Refused-By is then upstream.",
).meta({ id: "ProviderError" });

/** The response of the web search provider. */
export const websearchSchema = z.looseObject({
  costDollars: z.looseObject({ total: usd.describe("The charge in USD.") }),
}).describe("The provider's response, passed on unchanged.").meta({ id: "WebsearchResponse" });

/** A model of the router. */
export const modelSchema = z.looseObject({
  id: text,
  name: text,
  created: z.int().describe("Unix time."),
  description: text,
  context_length: z.int().nullable(),
  architecture: z.looseObject({
    modality: text.nullable(),
    input_modalities: z.array(text),
    output_modalities: z.array(text),
  }),
  pricing: z.looseObject({ prompt: text, completion: text }).describe("USD per token."),
  top_provider: z.looseObject({
    context_length: z.int().nullable(),
    max_completion_tokens: z.int().nullable(),
  }),
  supported_parameters: z.array(text),
}).meta({ id: "Model" });
/** A list of models. */
export const modelListSchema = z.object({
  object: z.literal("list"),
  data: z.array(modelSchema),
  links: z.object({ next: z.url().nullable().describe("The next page, if limit cut the list.") }),
  total_count: z.int(),
}).meta({ id: "ModelList" });

/**
 * A reference to a named body.
 *
 * @throws {Error} if the schema has no `id`.
 */
export function bodyRef(schema: z.ZodType): JsonSchema {
  const id = schema.meta()?.id;
  if (id === undefined) throw new Error("A body's schema has no name: give it `.meta({ id })`.");
  return { $ref: `#/components/schemas/${id}` };
}

/** Every named body. The schemas allow unknown fields, so that adding a field is no breaking change. */
export function bodySchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    uri: (id) => `#/components/schemas/${id}`,
    // zod's output schemas forbid unknown fields.
    io: "input",
    override({ jsonSchema }) {
      // The pattern only repeats `format`; the two limits are those of JavaScript numbers.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  const byName = Object.entries(schemas).toSorted(([one], [other]) => one < other ? -1 : 1);
  return Object.fromEntries(
    byName.map(([name, { $schema: _draft, $id: _id, ...schema }]) =>
      [name, schema as JsonSchema] as const
    ),
  );
}
