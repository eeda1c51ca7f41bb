/** openai 7.55.0, pointed at `<origin>/proxy/v1`: its own way to post, and its errors. */

import assert from "node:assert/strict";
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  PermissionDeniedError,
  RateLimitError,
} from "openai";
import { startFoyer } from "../support/foyer.ts";
import { assertExact, passWaits, testRefusals, thrownBy } from "./support.ts";

const SEARCH = { body: { query: "why are there two tides a day", numResults: 2 } };
const DECISION = {
  body: { state: "I was charged twice", questions: { billing: { type: "noul" } } },
};

function createClient({ origin }: { readonly origin: string }, key: string, options = {}) {
  return new OpenAI({ apiKey: key, baseURL: `${origin}/proxy/v1`, maxRetries: 0, ...options });
}

Deno.test("openai posts searches and decisions, which are charged exactly", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const client = createClient(foyer, member.key);
  const found = await client.post<{ results: { url: string }[] }>("/websearch/search", SEARCH);
  assert.equal(found.results[0]?.url, "https://sandbox.example/science/tides");
  const decided = await client.post<{ model: string }>("/decision/systemone", DECISION);
  assert.equal(decided.model, "decision-1.13.0");
  await assertExact(foyer, member);
});

const CLASSES: Record<number, new (...args: never[]) => Error> = {
  401: AuthenticationError,
  402: APIError,
  403: PermissionDeniedError,
  429: RateLimitError,
  502: InternalServerError,
};

testRefusals(
  "a refusal of Foyer is an error of its status's class, with message, hint, type, code and request id",
  APIError,
  (origin, key) => createClient({ origin }, key).post("/websearch/search", SEARCH),
  (error, { status, code }) => {
    assert.equal(error.constructor, CLASSES[status]);
    // The client's types say that a code is a string.
    assert.deepEqual([error.status, error.type, Number(error.code)], [status, code, status]);
    const { message } = error.error as { message: string };
    assert.equal(error.message, `${status} ${message}`);
    assert.match(error.requestID ?? "", /^[\da-f-]{36}$/);
  },
);

Deno.test("a provider's refusal is an error of the same class, with the provider's words", async () => {
  await using foyer = await startFoyer();
  const client = createClient(foyer, (await foyer.createMember()).key);
  const search = client.post("/websearch/search", { body: { query: "x", numResults: 1_000 } });
  const refused = await thrownBy(BadRequestError, search);
  assert.match(refused.message, /^400 .*numResults is at most 100/);
  foyer.decision.faults.push({ kind: "status", status: 529 });
  const overloaded = client.post("/decision/systemone", DECISION);
  const error = await thrownBy(InternalServerError, overloaded);
  assert.equal(error.status, 529);
  assert.match(error.message, /The service is overloaded/);
  assert.match(error.requestID ?? "", /^[\da-f-]{36}$/);
});

Deno.test("a 429 of ours and a 529 of the provider are tried again when Retry-After says, and charged once", async () => {
  const env = { RATE_LIMIT_REQUESTS: "3" };
  await using foyer = await startFoyer({ env });
  const member = await foyer.createMember();
  const { waits, fetch } = passWaits(foyer);
  const client = createClient(foyer, member.key, { maxRetries: 1, fetch });
  foyer.websearch.faults.push({ kind: "status", status: 529, retryAfterSeconds: 20 });
  await client.post("/websearch/search", SEARCH);
  // So that the oldest try, which counts apart from its second, leaves the window of half an hour soon.
  foyer.clock.now += 1_758_000;
  for (let call = 0; call < 2; call++) await client.post("/websearch/search", SEARCH);
  assert.deepEqual(waits, ["20", "22"]);
  assert.equal(foyer.websearch.charges.size, 3);
  await assertExact(foyer, member);
});

Deno.test("what lasts longer than a minute is not tried again", async () => {
  await using foyer = await startFoyer({ env: { RATE_LIMIT_REQUESTS: "1" } });
  const { key } = await foyer.createMember();
  const { waits, fetch } = passWaits(foyer);
  const client = createClient(foyer, key, { maxRetries: 3, fetch });
  await client.post("/websearch/search", SEARCH);
  await thrownBy(RateLimitError, client.post("/websearch/search", SEARCH));
  foyer.websearch.faults.push({ kind: "status", status: 503, retryAfterSeconds: 3_600 });
  await thrownBy(InternalServerError, client.post("/websearch/search", SEARCH));
  assert.deepEqual(waits, ["1800", "3600"]);
});
