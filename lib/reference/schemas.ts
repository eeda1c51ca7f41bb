/** The bodies of both halves of the service as JSON schemas; those of the events are `lib/events/model.ts`. */

import { z } from "zod";
import {
  dateSchema,
  dateTimeSchema,
  eventBackgroundSchema,
  eventInPersonSchema,
  eventItemSchema,
  eventListSchema,
  eventSchema,
  eventThemeSchema,
} from "../events/model.ts";
import { ERROR_CODES, type ErrorCode } from "../http/errors.ts";

/** A JSON schema, draft 2020-12, as far as this document uses it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
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
const probability = z.number().min(0).max(1);
const usd = z.number().describe("USD.");
const codeSchema = z.enum(ERROR_CODES);
/** Those that the events API knows (events contract, section 7). */
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

const faultSchema = z.object({ field: text, message: text });
const spendingSchema = z.object({
  limitUsd: usd,
  spentUsd: usd,
  reservedUsd: usd.describe("Set aside for requests on their way."),
  resetsAt: dateTimeSchema,
});
const errorSchema = z.object({
  error: text.describe("The same text as message."),
  code: z.enum(EVENTS_CODES).describe("Stable identifier."),
  message: text.describe("Human-readable."),
  hint: text.optional().describe("What the caller can change to make the request succeed."),
  status: z.int().describe("The HTTP status."),
  documentation_url: z.url(),
});
const proxyErrorSchema = errorSchema.omit({ error: true }).extend({
  code: codeSchema.describe("Stable identifier."),
  error: z.object({
    message: text.describe("Message and hint in one."),
    type: codeSchema,
    code: z.int().describe("The HTTP status."),
  }).describe("As the providers' clients read it."),
  field: text.optional().describe("Where the body is wrong."),
  errors: z.array(faultSchema).optional().describe("Every fault of the body."),
  spending: spendingSchema.optional().describe("Given with spending_limit_reached."),
  requestId: z.uuid(),
});
const providerErrorSchema = z.looseObject({}).describe(
  "The provider's own error, as it came; X-Refused-By is then upstream.",
);

const healthSchema = z.object({
  status: z.enum(["up", "down"]).describe("up if every check passed."),
  database: z.boolean().describe("Database reachable."),
  analytics: z.boolean().describe("Analytics database reachable."),
  router: z.boolean().describe("Chat, embeddings and image provider reachable."),
  ocr: z.boolean().describe("OCR provider reachable."),
  websearch: z.boolean().describe("Web search provider reachable."),
  balanceRemaining: usd.optional().describe("Credit left with the chat provider, USD."),
  dailyKeyUsageRemaining: usd.optional().describe("Spend left on the provider's key, USD."),
  keyLimitRemaining: usd.optional().describe("The same as dailyKeyUsageRemaining."),
  keyUsage: usd.optional().describe("Total spend on the provider's key, USD."),
  mediaUnusedCredit: usd.optional().describe("Credit left with the media provider, USD."),
  timestamp: z.int().describe("When the checks began, in milliseconds since the Unix epoch."),
});

const searchSchema = z.looseObject({
  query: text.describe("What to search for."),
  numResults: z.int().optional().describe("How many results are wanted."),
});
const findSimilarSchema = z.looseObject({
  url: text.describe("The page to find similar pages for."),
  numResults: z.int().optional().describe("How many results are wanted."),
});
const contentsSchema = z.looseObject({ urls: z.array(text).describe("Pages to extract.") });
const answerSchema = z.looseObject({
  query: text.describe("The question."),
  stream: z.boolean().optional().describe("true asks for server-sent events."),
});
const websearchSchema = z.looseObject({
  costDollars: z.looseObject({ total: usd.describe("What is charged, USD.") }),
}).describe("The provider's answer, as it came.");

const instructions = text.optional().describe("The question's text.");
const questionSchema = z.union([
  z.looseObject({
    type: z.literal("noul"),
    instructions,
    criteria: z.object({ true: text.optional(), false: text.optional() }).optional(),
  }),
  z.looseObject({
    type: z.literal("choice"),
    instructions,
    criteria: z.record(text, text).describe("Each option and its description."),
  }),
  z.looseObject({
    type: z.literal("score"),
    instructions,
    criteria: z.array(text).min(2).describe("The levels, lowest first."),
  }),
]);
const decisionAnswerSchema = z.union([
  z.looseObject({ type: z.literal("noul"), noul: probability }),
  z.looseObject({
    type: z.literal("choice"),
    choice: text.describe("The chosen option."),
    probabilities: z.record(text, probability),
    confidence: probability,
  }),
  z.looseObject({
    type: z.literal("score"),
    score: z.number().describe("May lie between two levels."),
    legend: z.record(text, text).describe("Each level's text, by its index."),
    probabilities: z.record(text, probability),
    confidence: probability,
  }),
]);
const decisionRequestSchema = z.looseObject({
  state: z.union([text, z.looseObject({}), z.array(z.unknown())]).describe("What is evaluated."),
  questions: z.record(text, questionSchema).describe("Each question by an id of your own."),
  model: text.optional().describe("decision-latest unless given."),
});
const decisionResponseSchema = z.looseObject({
  model: text.describe("The versioned id of the model that answered."),
  answers: z.record(text, decisionAnswerSchema).describe("One answer to each question, by its id."),
  usage: z.looseObject({
    input_tokens: z.int().describe("What is charged."),
    output_tokens: z.int(),
  }),
});
const decisionModelsSchema = z.looseObject({
  models: z.array(z.looseObject({ name: text.describe("What the field model takes.") })),
});

const modelSchema = z.looseObject({
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
});
const modelListSchema = z.object({
  object: z.literal("list"),
  data: z.array(modelSchema),
  links: z.object({ next: z.url().nullable().describe("The next page, if limit cut the list.") }),
  total_count: z.int(),
});

const dayUsageSchema = z.object({
  day: dateSchema.describe("In UTC."),
  spentUsd: usd,
  reservedUsd: usd.describe("Set aside for requests on their way, USD."),
  requests: z.int(),
  byEndpoint: z.record(text, z.object({ requests: z.int(), spentUsd: usd })),
});
const usageSchema = z.object({
  data: dayUsageSchema.extend({
    limitUsd: usd,
    remainingUsd: usd,
    resetsAt: dateTimeSchema,
    rateLimit: z.object({
      limit: z.int(),
      remaining: z.int(),
      windowSeconds: z.int(),
      resetsAt: dateTimeSchema,
    }),
    warning: text.optional().describe("Given when less than a fifth of the limit is left."),
    days: z.array(dayUsageSchema).optional().describe("The days before, the latest first."),
  }),
});

const BODIES = {
  EventList: eventListSchema,
  EventItem: eventItemSchema,
  Event: eventSchema,
  EventInPerson: eventInPersonSchema,
  EventBackground: eventBackgroundSchema,
  EventTheme: eventThemeSchema,
  Error: errorSchema,
  SearchRequest: searchSchema,
  FindSimilarRequest: findSimilarSchema,
  ContentsRequest: contentsSchema,
  AnswerRequest: answerSchema,
  WebsearchResponse: websearchSchema,
  DecisionRequest: decisionRequestSchema,
  Question: questionSchema,
  DecisionResponse: decisionResponseSchema,
  DecisionAnswer: decisionAnswerSchema,
  DecisionModels: decisionModelsSchema,
  ModelList: modelListSchema,
  Model: modelSchema,
  Usage: usageSchema,
  DayUsage: dayUsageSchema,
  Health: healthSchema,
  ProxyError: proxyErrorSchema,
  ProviderError: providerErrorSchema,
  FieldError: faultSchema,
  Spending: spendingSchema,
} as const;

/** The name of a body. */
export type BodyName = keyof typeof BODIES;

/** A reference to a body. */
export function bodyRef(name: BodyName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Every body by its name. A field that is not named may come: adding one breaks nobody. */
export function bodySchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(BODIES)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    // Of an object's output zod says that nothing else may be in it.
    io: "input",
    override({ jsonSchema }) {
      // Two hundred characters that say what `format` does, and a limit that is JSON's own.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _draft, $id: _id, ...schema }]) =>
      [name, schema as JsonSchema] as const
    ),
  );
}
