import assert from "node:assert/strict";
import { createDecisionStandIn } from "../../lib/sandbox/decision.ts";
import { serve } from "./provider_stand_in.ts";

const PATH = "/v1/systemone";
const NOUL = { q: { type: "noul", instructions: "Is it late?" } };

function setUp() {
  return serve(createDecisionStandIn);
}

Deno.test("about four characters are a token, and 42 nano-dollars each are charged", async () => {
  await using served = setUp();
  const headers = { "x-request-id": "a" };
  const questions = { q: { type: "noul" } };
  const response = await served.ask(PATH, { state: "x".repeat(399), questions }, { headers });
  assert.equal((await response.json()).usage.input_tokens, 100);
  assert.equal(served.standIn.charges.get("a"), 4200n);
  const empty = await served.ask(PATH, { state: null, questions: { "": { type: "noul" } } });
  assert.equal((await empty.json()).usage.input_tokens, 1);
});

Deno.test("a box is drawn by the preview model for callers that ask for images", async () => {
  await using served = setUp();
  const headers = { "TypeSafe-Danger-Zone-Images": "true" };
  const body = { model: "jev-preview", state: "a cat", questions: { q: { type: "box" } } };
  const response = await served.ask(PATH, body, { headers });
  const { model, answers: { q } } = await response.json();
  assert.equal(model, "jev-1.14.0-preview");
  assert.ok(0 <= q.top && q.top < q.bottom && q.bottom <= 1);
  assert.ok(0 <= q.left && q.left < q.right && q.right <= 1);
  const refused = await served.ask(PATH, body);
  assert.equal(refused.status, 400);
  assert.equal((await refused.json()).detail.error_type, "api_usage_error");
});

Deno.test("errors come in the provider's three layouts, and cost nothing", async (t) => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);
  const state = "a";
  const choice = (criteria: unknown) => ({ state, questions: { q: { type: "choice", criteria } } });
  const score = (criteria: unknown) => ({ state, questions: { q: { type: "score", criteria } } });
  const cases: [body: unknown, status: number, detail: RegExp][] = [
    [
      { model: "gpt", state, questions: NOUL },
      400,
      /^\{"error_type":"api_usage_error","message":"Unknown model: gpt"/,
    ],
    [{ state, questions: { q: { type: "poem" } } }, 400, /^\{"error_type":"api_usage_error"/],
    [{ state: "x".repeat(300_000), questions: NOUL }, 400, /^\{"error_type":"max_tokens_exceeded"/],
    [
      { state: "x".repeat(140_000), questions: NOUL },
      400,
      /^\{"error_type":"max_tokens_exceeded","message":"The state with /,
    ],
    [
      { state, questions: long(4) },
      400,
      /^\{"error_type":"max_tokens_exceeded","message":"The request has /,
    ],
    [{ state, questions: {} }, 400, /^"At least one question/],
    [choice({}), 400, /^"A choice needs/],
    [choice(Object.fromEntries(many(256).map((name) => [name, null]))), 400, /^"Too many choices/],
    [score([]), 400, /^"A score needs/],
    [score(many(11)), 400, /^"Too many levels/],
    [{ questions: NOUL }, 422, /^\[\{"type":"missing","loc":\["body","state"\]/],
    [{ state }, 422, /^\[\{"type":"missing","loc":\["body","questions"\]/],
    [{ model: 7, state, questions: NOUL }, 422, /"loc":\["body","model"\]/],
    [{ state: 7, questions: NOUL }, 422, /"loc":\["body","state"\]/],
    [{ state, questions: [] }, 422, /^\[\{"type":"dict_type","loc":\["body","questions"\]/],
    [{ state, questions: { q: {} } }, 422, /"loc":\["body","questions","q","type"\]/],
    [choice([]), 422, /^\[\{"type":"dict_type"/],
    [score({}), 422, /^\[\{"type":"list_type"/],
    [[], 422, /"loc":\["body"\]/],
  ];
  await using served = setUp();
  for (const [body, status, detail] of cases) {
    await t.step(JSON.stringify(body).slice(0, 80), async () => {
      const response = await served.ask(PATH, body);
      assert.equal(response.status, status);
      assert.match(JSON.stringify((await response.json()).detail), detail);
    });
  }
  await t.step("a wrong key", async () => {
    const headers = { Authorization: "Bearer other" };
    const response = await served.ask(PATH, { state, questions: NOUL }, { headers });
    assert.equal(response.status, 401);
    assert.equal((await response.json()).detail.error_type, "authentication_error");
  });
  assert.equal(served.standIn.charges.size, 0);
});

Deno.test("long questions are answered while each is short enough with the state", async () => {
  await using served = setUp();
  const response = await served.ask(PATH, { state: "Wet", questions: long(3) });
  assert.ok((await response.json()).usage.input_tokens > 48_000);
});

/** Questions of 20,000 tokens each. */
function long(count: number) {
  const instructions = "x".repeat(80_000);
  const names = Array.from({ length: count }, (_, index) => `q${index}`);
  return Object.fromEntries(names.map((name) => [name, { type: "noul", instructions }]));
}
