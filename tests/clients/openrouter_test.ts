/** @openrouter/sdk 1.3.19: its `systemOne`, pointed at `<origin>/proxy/v1/decision`. */

import assert from "node:assert/strict";
import { HTTPClient, OpenRouter } from "@openrouter/sdk";
import {
  BadGatewayResponseError,
  ForbiddenResponseError,
  OpenRouterDefaultError,
  OpenRouterError,
  PaymentRequiredResponseError,
  ResponseValidationError,
  TooManyRequestsResponseError,
  UnauthorizedResponseError,
} from "@openrouter/sdk/models/errors";
import { startFoyer } from "../support/foyer.ts";
import { until } from "../support/until.ts";
import { assertExact, FOYER_LIMIT, passWaits, silence, testRefusals, thrownBy } from "./support.ts";

type Options = ConstructorParameters<typeof OpenRouter>[0];

const REQUEST = {
  decisionsRequest: {
    model: "decision-latest",
    state: { text: "I was charged twice" },
    questions: {
      billing: { type: "noul", instructions: "Is this about being charged?" },
      team: {
        type: "choice",
        instructions: "Who answers?",
        criteria: { billing: "was charged", sales: "wants to buy" },
      },
      mood: { type: "score", instructions: "How is the mood?", criteria: ["calm", "angry"] },
    },
  },
} as const;

function createClient({ origin }: { readonly origin: string }, key: string, options?: Options) {
  const serverURL = `${origin}/proxy/v1/decision`;
  return new OpenRouter({ apiKey: key, serverURL, retryConfig: { strategy: "none" }, ...options });
}

function decide(client: OpenRouter) {
  const { decisionsRequest: { questions: { mood, ...questions }, ...rest } } = REQUEST;
  const criteria = [...mood.criteria];
  const decisionsRequest = { ...rest, questions: { ...questions, mood: { ...mood, criteria } } };
  return client.systemOne.create({ decisionsRequest });
}

Deno.test("systemOne.create gets its answers, which pass the client's own checks, and is charged exactly", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const { model, answers, usage } = await decide(createClient(foyer, member.key));
  assert.equal(model, "decision-1.13.0");
  assert.deepEqual(
    Object.entries(answers).map(([id, { type }]) => [id, type]),
    [["billing", "noul"], ["team", "choice"], ["mood", "score"]],
  );
  assert.ok(usage.inputTokens > 0);
  await assertExact(foyer, member);
});

const CLASSES: Record<number, new (...args: never[]) => Error> = {
  401: UnauthorizedResponseError,
  402: PaymentRequiredResponseError,
  403: ForbiddenResponseError,
  429: TooManyRequestsResponseError,
  502: BadGatewayResponseError,
};

testRefusals(
  "a refusal of Foyer is a typed error with our message, hint and a code that is a number",
  OpenRouterError,
  (origin, key) => decide(createClient({ origin }, key)),
  (error, { status }) => {
    assert.deepEqual([error.constructor, error.statusCode], [CLASSES[status], status]);
    assert.equal((error as UnauthorizedResponseError).error.code, status);
    assert.match(error.headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/);
  },
);

Deno.test("a 422 and a 504, of which the client knows nothing, show our whole body", async () => {
  await using foyer = await startFoyer();
  const client = createClient(foyer, (await foyer.createMember()).key);
  const decisionsRequest = { ...REQUEST.decisionsRequest, questions: {} };
  const call = client.systemOne.create({ decisionsRequest });
  const error = await thrownBy(OpenRouterDefaultError, call);
  assert.equal(error.statusCode, 422);
  assert.match(error.message, /"message":"questions .*"code":422/);
  assert.equal(JSON.parse(error.body).field, "questions");

  using _silent = silence(foyer.decision, "delay");
  const slow = thrownBy(OpenRouterDefaultError, decide(client));
  await until(() => foyer.decision.requests.length === 1);
  await foyer.limits.expire(FOYER_LIMIT);
  assert.equal((await slow).statusCode, 504);
  assert.equal(JSON.parse((await slow).body).code, "upstream_timeout");
});

Deno.test("the provider's own errors lack fields that the client needs: the words are in the body only", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const client = createClient(foyer, member.key);
  for (const [status, words] of [[400, /Invalid request/], [529, /overloaded/]] as const) {
    foyer.decision.faults.push({ kind: "status", status });
    const error = await thrownBy(ResponseValidationError, decide(client));
    assert.equal(error.statusCode, status);
    assert.match(error.body, words);
  }
  await assertExact(foyer, member);
});

Deno.test("5xx are tried again when Retry-After says, as the client comes; 429 and 402 are not", async () => {
  const env = { RATE_LIMIT_REQUESTS: "2" };
  await using foyer = await startFoyer({ env });
  const member = await foyer.createMember();
  const backoff = { initialInterval: 500, maxInterval: 60_000, exponent: 1.5 };
  const { waits, fetch } = passWaits(foyer);
  const usual: Options = {
    retryConfig: { strategy: "backoff", backoff: { ...backoff, maxElapsedTime: 3_600_000 } },
    httpClient: new HTTPClient({ fetcher: fetch }),
  };
  const client = createClient(foyer, member.key, usual);
  // Tries less than a slot of the rate limit's window apart could count at the time of the second.
  foyer.decision.faults.push({ kind: "status", status: 503, retryAfterSeconds: 20 });
  assert.equal((await decide(client)).model, "decision-1.13.0");
  await thrownBy(TooManyRequestsResponseError, decide(client));
  assert.deepEqual(waits, ["20", "1780"]);
  await assertExact(foyer, member);
  const poor = createClient(foyer, (await foyer.createMember(0n)).key, usual);
  await thrownBy(PaymentRequiredResponseError, decide(poor));
});
