/** The AI proxy and the healthcheck in the reference (proxy contract, section 4). */

import { exampleOf } from "./examples.ts";
import { headerRefs } from "./headers.ts";
import {
  IF_NONE_MATCH,
  json,
  NOT_MODIFIED,
  operation,
  type OperationObject,
  type PathItem,
  queryParameter,
  type Special,
} from "./operation.ts";
import type { BodyName } from "./schemas.ts";

const CALLED = headerRefs("X-Request-Id", "RateLimit", "RateLimit-Policy", "X-Spending-Warning");
const LISTED = headerRefs("X-Request-Id", "ETag", "Cache-Control", "Age");
const STANDING = headerRefs("X-Request-Id", "RateLimit", "RateLimit-Policy");
const CALL_ERRORS: Special["errors"] = [
  "bad_request",
  "spending_limit_reached",
  "request_timeout",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "server_misconfigured",
  "upstream_error",
  "upstream_timeout",
  "upstream_overloaded",
];
const STREAM = exampleOf("answerFromWeb stream").answer;

/** The addresses of the AI proxy, and `/up`. */
export function proxyPaths(): Record<string, PathItem> {
  return { ...websearchPaths(), ...decisionPaths(), ...modelPaths(), ...standingPaths() };
}

function websearchPaths(): Record<string, PathItem> {
  const search = (operationId: string, request: BodyName, summary: string, description: string) =>
    call({ operationId, request, response: "WebsearchResponse", tag: "Web search" }, {
      summary,
      description: `${description} Fields that are not named here are passed on as well.`,
    });
  const answer = search(
    "answerFromWeb",
    "AnswerRequest",
    "Answer from the web",
    "Answers a question from what the web says; with stream as server-sent events, as they come.",
  );
  const stream = { "text/event-stream": { schema: { type: "string" }, example: STREAM } };
  const { 200: ok } = answer.responses;
  return {
    "/proxy/v1/websearch/search": {
      post: search("searchWeb", "SearchRequest", "Search the web", "Searches the web."),
    },
    "/proxy/v1/websearch/findSimilar": {
      post: search(
        "findSimilarPages",
        "FindSimilarRequest",
        "Find similar pages",
        "Finds pages that are similar to a page.",
      ),
    },
    "/proxy/v1/websearch/contents": {
      post: search(
        "extractPages",
        "ContentsRequest",
        "Extract pages",
        "Extracts what is on some pages.",
      ),
    },
    "/proxy/v1/websearch/answer": {
      post: {
        ...answer,
        responses: {
          ...answer.responses,
          200: { description: "The answer.", ...ok, content: { ...ok?.content, ...stream } },
        },
      },
    },
  };
}

function decisionPaths(): Record<string, PathItem> {
  const decide = (operationId: string, note: string) =>
    call(
      {
        operationId,
        request: "DecisionRequest",
        response: "DecisionResponse",
        tag: "Decisions",
      },
      {
        summary: `Decide${note}`,
        description:
          "Answers each question about a state with a probability, an option or a score.",
      },
    );
  const models = (operationId: string, note: string) =>
    operation({
      half: "proxy",
      tags: ["Decisions"],
      operationId,
      summary: `Models for decisions${note}`,
      description: "The names and aliases that the field model of a decision takes.",
      needsKey: true,
      parameters: [IF_NONE_MATCH],
      errors: ["bad_request", "server_misconfigured", "upstream_error"],
      responses: {
        200: {
          description: "The models.",
          headers: { ...LISTED, ...STANDING },
          content: json("DecisionModels", exampleOf("listDecisionModels").answer),
        },
        304: NOT_MODIFIED,
      },
    });
  const alternate = ", at the path that clients call";
  return {
    "/proxy/v1/decision/systemone": { post: decide("decide", "") },
    "/proxy/v1/decision/v1/systemone": { post: decide("decideAtClientPath", alternate) },
    "/proxy/v1/decision/models": { get: models("listDecisionModels", "") },
    "/proxy/v1/decision/v1/models": { get: models("listDecisionModelsAtClientPath", alternate) },
  };
}

/** A request that is forwarded to a provider and charged. */
function call(
  { operationId, request, response, tag }: {
    readonly operationId: string;
    readonly request: BodyName;
    readonly response: BodyName;
    readonly tag: string;
  },
  texts: Pick<Special, "summary" | "description">,
): OperationObject {
  const { body, answer } = exampleOf(operationId.replace(/AtClientPath$/, ""));
  return operation({
    ...texts,
    operationId,
    tags: [tag],
    half: "proxy",
    needsKey: true,
    passesErrors: true,
    body: { name: request, example: body },
    errors: [...CALL_ERRORS, "not_found", "validation_failed"],
    responses: {
      200: {
        description: "The provider's answer, byte for byte.",
        headers: CALLED,
        content: json(response, answer),
      },
    },
  });
}

function modelPaths(): Record<string, PathItem> {
  const list = (operationId: string, summary: string, description: string) =>
    operation({
      half: "proxy",
      tags: ["Models"],
      operationId,
      summary,
      description,
      parameters: [
        queryParameter("offset", { kind: "integer", min: 0, max: 1_000_000 }, {
          description: "Models to leave out at the start.",
          default: 0,
        }),
        queryParameter("limit", { kind: "integer", min: 1, max: 1_000 }, {
          description: "Maximum models returned; all of them without it.",
          example: 1,
        }),
        IF_NONE_MATCH,
      ],
      errors: ["bad_request", "upstream_error"],
      responses: {
        200: {
          description: "The models.",
          headers: LISTED,
          content: json("ModelList", exampleOf(operationId).answer),
        },
        304: NOT_MODIFIED,
      },
    });
  return {
    "/proxy/v1/models": {
      get: list("listModels", "Every model", "Every chat and embedding model."),
    },
    "/proxy/v1/embeddings/models": {
      get: list("listEmbeddingModels", "Embedding models", "Only the embedding models."),
    },
    "/proxy/v1/models/{id}": {
      get: operation({
        half: "proxy",
        tags: ["Models"],
        operationId: "getModel",
        summary: "One model",
        description: "One model of the lists.",
        parameters: [
          {
            name: "id",
            in: "path",
            required: true,
            description: "The model's id; its slash may be encoded or not.",
            schema: { type: "string" },
            example: "sandbox/auto",
          },
          IF_NONE_MATCH,
        ],
        errors: ["bad_request", "not_found", "upstream_error"],
        responses: {
          200: {
            description: "The model.",
            headers: LISTED,
            content: json("Model", exampleOf("getModel").answer),
          },
          304: NOT_MODIFIED,
        },
      }),
    },
  };
}

function standingPaths(): Record<string, PathItem> {
  const health = json("Health", exampleOf("getHealth").answer);
  const down = { ...exampleOf("getHealth").answer as object, status: "down", websearch: false };
  return {
    "/proxy/v1/usage": {
      get: operation({
        half: "proxy",
        tags: ["Account and health"],
        operationId: "getUsage",
        summary: "What was spent",
        description: "What the caller has spent today, what is left, and where the rate stands.",
        needsKey: true,
        parameters: [
          queryParameter("days", { kind: "integer", min: 1, max: 90 }, {
            description: "Days to tell of, today included.",
            default: 1,
            example: 2,
          }),
        ],
        errors: ["bad_request"],
        responses: {
          200: {
            description: "Where the caller stands.",
            headers: STANDING,
            content: json("Usage", exampleOf("getUsage").answer),
          },
        },
      }),
    },
    "/up": {
      get: operation({
        half: "proxy",
        tags: ["Account and health"],
        operationId: "getHealth",
        summary: "Healthcheck",
        description:
          "Whether every dependency can be reached, and what credit is left; at most 30 seconds old. " +
          "A dependency that this installation does not use counts as reachable.",
        errors: [],
        responses: {
          200: {
            description: "Everything is up.",
            headers: headerRefs("X-Request-Id"),
            content: health,
          },
          503: {
            description: "Something is down, or this process is about to end.",
            headers: headerRefs("X-Request-Id"),
            content: json("Health", down),
          },
        },
      }),
    },
  };
}
