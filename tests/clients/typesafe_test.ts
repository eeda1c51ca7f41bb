/** @typesafe-ai/sdk 0.6.0, pointed at `<origin>/proxy/v1/decision`. */

import assert from "node:assert/strict";
import {
  APIError,
  APITimeoutError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  choice,
  InternalServerError,
  noul,
  PermissionDeniedError,
  RateLimitError,
  score,
  TypeSafeClient,
  TypeSafeError,
  UnprocessableEntityError,
} from "@typesafe-ai/sdk";
import { PROVIDER_KEYS, startFoyer } from "../support/foyer.ts";
import { until } from "../support/until.ts";
import { booksOf } from "../proxy/proxy.ts";
import {
  assertExact,
  charged,
  FOYER_LIMIT,
  passWaits,
  replayLast,
  settledBooks,
  silence,
  testRefusals,
  thrownBy,
} from "./support.ts";

type Options = NonNullable<ConstructorParameters<typeof TypeSafeClient>[0]>;

const ONCE = { retry: { maxRetries: 0 } };
const QUESTION = {
  state: "I was charged twice. Please help.",
  questions: { billing: noul("Is this about being charged?") },
};

function createClient({ origin }: { readonly origin: string }, key: string, options?: Options) {
  return new TypeSafeClient({
    apiKey: key,
    baseURL: `${origin}/proxy/v1/decision`,
    // The client's own ten seconds are the subject of one test; elsewhere a busy machine may need them.
    timeout: 600_000,
    ...options,
  });
}

/** A `fetch` whose first request is aborted at a given moment. */
function givenUp(moment: () => Promise<void>): typeof fetch {
  let isFirst = true;
  return async function fetchOrLeave(input, init) {
    if (!isFirst) return await fetch(input, init);
    isFirst = false;
    const leaving = new AbortController();
    const attempt = fetch(input, { ...init, signal: leaving.signal });
    await moment();
    leaving.abort();
    return await attempt;
  };
}

Deno.test("every kind of question, by helper or as a plain object, gets its answer, charged exactly", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const client = createClient(foyer, member.key);
  const { model, answers, usage } = await client.systemOne({
    state: { subject: "Charged twice", messages: ["Please help", { tone: "angry" }] },
    questions: {
      billing: noul("Is it about billing?", { true: "charged", false: null }),
      bare: noul(),
      plain: { type: "noul", instructions: { ask: ["Is it urgent?"] } },
      team: choice("Who answers?", { billing: "was charged", sales: "wants to buy", other: null }),
      mood: score("How is the mood?", ["calm", "annoyed", "angry"]),
      plainMood: { type: "score", criteria: ["calm", "angry"] },
    },
  });
  assert.equal(model, "decision-1.13.0");
  assert.deepEqual(Object.keys(answers), ["billing", "bare", "plain", "team", "mood", "plainMood"]);
  assert.ok(answers.billing.noul > 0.5 && answers.bare.noul <= 1 && answers.plain.noul <= 1);
  assert.equal(answers.team.choice, "billing");
  assert.deepEqual(Object.keys(answers.team.probabilities), ["billing", "sales", "other"]);
  assert.ok(answers.mood.score > 1);
  assert.deepEqual(answers.mood.legend, { 0: "calm", 1: "annoyed", 2: "angry" });
  assert.equal(answers.plainMood.type, "score");
  assert.equal(charged(foyer), 42n * BigInt(usage.input_tokens));
  await assertExact(foyer, member);
  const straight = await (await replayLast(foyer.decision)).json();
  assert.deepEqual({ ...straight, model }, { model, answers, usage });
});

Deno.test("a state may be a string, an object or an array; the provider's request id is the client's", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const client = createClient(foyer, member.key);
  for (const state of ["charged", { what: "charged" }, ["charged", 2, null]]) {
    const { data, requestId } = await client.systemOne({ ...QUESTION, state }).withResponse();
    assert.ok(data.answers.billing.noul <= 1);
    assert.match(requestId ?? "", /^sandbox-/);
  }
  await assertExact(foyer, member);
  const [request] = foyer.decision.requests;
  assert.equal(request?.headers["authorization"], `Bearer ${PROVIDER_KEYS.decision}`);
  assert.deepEqual(Object.keys(request.headers).filter((name) => name.startsWith("x-")), [
    "x-request-id",
  ]);
});

Deno.test("the model of the answer is a decision version, by whatever name it was requested", async (t) => {
  const stable = "decision-1.13.0";
  const table: [asked: string | undefined, upstream: string, answered: string][] = [
    // The client fills in its own default, a name of the provider's, which the provider knows.
    [undefined, "jev-latest", stable],
    ["decision-latest", "jev-latest", stable],
    ["decision-preview", "jev-preview", "decision-1.14.0-preview"],
    ["decision-1.14.0-preview", "jev-1.14.0-preview", "decision-1.14.0-preview"],
    [stable, "jev-1.13.0", stable],
  ];
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  const client = createClient(foyer, key);
  for (const [asked, upstream, answered] of table) {
    await t.step(String(asked), async () => {
      const model = asked === undefined ? {} : { model: asked };
      const result = await client.systemOne({ ...QUESTION, ...model });
      assert.equal(result.model, answered);
      const sent = foyer.decision.requests.at(-1)?.body;
      assert.equal(JSON.parse(new TextDecoder().decode(sent)).model, upstream);
    });
  }
  const pinned = createClient(foyer, key, { defaultModel: stable });
  assert.equal((await pinned.systemOne(QUESTION)).model, stable);
});

const CLASSES: Record<number, typeof APIError> = {
  401: AuthenticationError,
  402: APIError,
  403: PermissionDeniedError,
  429: RateLimitError,
  502: InternalServerError,
};

testRefusals(
  "a refusal of Foyer is an error of its status's class, with our message and hint",
  APIError,
  (origin, key) => createClient({ origin }, key, ONCE).systemOne(QUESTION),
  (error, { status, code }) => {
    assert.deepEqual([error.constructor, error.status], [CLASSES[status], status]);
    const body = error.body as Record<"requestId" | "code" | "message" | "hint", string>;
    assert.equal(error.message, [status, body.message, body.hint].join(" ").trim());
    assert.equal(body.code, code);
    assert.equal(body.requestId, error.headers.get("x-request-id"));
  },
);

Deno.test("a body that is not as it should be is a 422 that names the field, and nothing is sent on", async (t) => {
  const good = QUESTION.questions.billing;
  const table: [body: Record<string, unknown>, field: string][] = [
    [{ state: null }, "state"],
    [{ questions: { team: choice("Who?", {}) } }, "questions.team.criteria"],
    [{ questions: { good, "a b": { ...good, type: 1 } } }, 'questions["a b"].type'],
    [{ model: 7 }, "model"],
  ];
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const client = createClient(foyer, member.key);
  for (const [change, field] of table) {
    await t.step(field, async () => {
      // JavaScript can send values that the client's types forbid.
      const body = { ...QUESTION, ...change } as typeof QUESTION;
      const error = await thrownBy(UnprocessableEntityError, client.systemOne(body));
      assert.ok(error.message.startsWith(`422 ${field} `), error.message);
      assert.equal((error.body as { field: string }).field, field);
    });
  }
  // The client itself refuses these.
  assert.throws(() => client.systemOne({ ...QUESTION, questions: {} }), TypeSafeError);
  const questions = { mood: { type: "score", criteria: ["one"] } };
  // deno-lint-ignore no-explicit-any -- the client's types forbid it, too.
  assert.throws(() => client.systemOne({ ...QUESTION, questions } as any), TypeSafeError);
  assert.equal(foyer.decision.requests.length, 0);
  assert.equal((await booksOf(foyer, member)).spent, 0n);
});

Deno.test("a 400 is a BadRequestError: ours for JSON too deep, the provider's for an unknown model", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const client = createClient(foyer, member.key);
  const state = JSON.parse("[".repeat(300) + "]".repeat(300));
  const ours = await thrownBy(BadRequestError, client.systemOne({ ...QUESTION, state }));
  assert.equal((ours.body as { code: string }).code, "bad_request");
  const unknown = { ...QUESTION, model: "decision-0.1" };
  const theirs = await thrownBy(BadRequestError, client.systemOne(unknown));
  assert.match(theirs.message, /^400 Unknown model: \w+-0\.1$/);
  assert.match(theirs.requestId ?? "", /^sandbox-/);
  await assertExact(foyer, member);
});

Deno.test("a 429 tells the client how long to wait; it waits as long, and its second try succeeds", async () => {
  const env = { RATE_LIMIT_REQUESTS: "1" };
  await using foyer = await startFoyer({ env });
  const member = await foyer.createMember();
  await createClient(foyer, member.key).systemOne(QUESTION);
  foyer.clock.now += 1_758_000;
  const once = createClient(foyer, member.key, ONCE).systemOne(QUESTION);
  assert.equal((await thrownBy(RateLimitError, once)).retryAfterMs, 42_000);
  const { waits, fetch } = passWaits(foyer);
  const patient = createClient(foyer, member.key, { fetch });
  assert.equal((await patient.systemOne(QUESTION).asResponse()).status, 200);
  assert.deepEqual(waits, ["42"]);
});

Deno.test("a provider that is overloaded or slows down is tried again; only the answer is charged", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const { waits, fetch } = passWaits(foyer);
  const client = createClient(foyer, member.key, { fetch });
  foyer.decision.faults.push(
    { kind: "status", status: 529, retryAfterSeconds: 3 },
    { kind: "status", status: 429, retryAfterSeconds: 7 },
  );
  assert.equal((await client.systemOne(QUESTION)).model, "decision-1.13.0");
  assert.deepEqual(waits, ["3", "7"]);
  assert.equal(foyer.decision.charges.size, 1);
  await assertExact(foyer, member);
  foyer.decision.faults.push({ kind: "status", status: 529 });
  const once = client.systemOne(QUESTION, ONCE);
  const error = await thrownBy(InternalServerError, once);
  assert.deepEqual([error.status, error.message], [529, "529 The service is overloaded."]);
});

Deno.test("the client's own limit, the caller's abort and Foyer's limit are distinguished", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const client = createClient(foyer, member.key, ONCE);
  using _silent = silence(foyer.decision, "delay", { sticky: true });
  const arrived = (count: number) => until(() => foyer.decision.requests.length === count);
  const options = { ...ONCE, timeout: 1, fetch: givenUp(() => arrived(1)) };
  const impatient = createClient(foyer, member.key, options).systemOne(QUESTION);
  assert.equal((await thrownBy(APITimeoutError, impatient)).timeoutMs, 1);

  const controller = new AbortController();
  const { signal } = controller;
  const left = thrownBy(APIUserAbortError, client.systemOne(QUESTION, { signal }));
  await arrived(2);
  controller.abort();
  await left;

  const slow = thrownBy(InternalServerError, client.systemOne(QUESTION));
  await arrived(3);
  await foyer.limits.expire(FOYER_LIMIT);
  assert.equal((await slow).status, 504);
  assert.equal(((await slow).body as { code: string }).code, "upstream_timeout");
  assert.ok((await settledBooks(foyer, member)).spent >= charged(foyer));
});
