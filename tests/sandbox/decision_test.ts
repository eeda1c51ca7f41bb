import assert from "node:assert/strict";
import { createDecisionStandIn } from "../../lib/sandbox/decision.ts";
import { serve } from "./provider_stand_in.ts";

const PATH = "/v1/systemone";
const NOUL = { q: { type: "noul", instructions: "Is it late?" } };

function setUp() {
  return serve(createDecisionStandIn);
}

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

/** Questions of 20,000 tokens each. */
function long(count: number) {
  const instructions = "x".repeat(80_000);
  const names = Array.from({ length: count }, (_, index) => `q${index}`);
  return Object.fromEntries(names.map((name) => [name, { type: "noul", instructions }]));
}
