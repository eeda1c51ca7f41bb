import assert from "node:assert/strict";
import { createDecisionStandIn } from "../../lib/sandbox/decision.ts";
import { KEY, serve } from "./provider_stand_in.ts";

const PATH = "/v1/systemone";
const NOUL = { q: { type: "noul", instructions: "Is it late?" } };

function setUp() {
  return serve(createDecisionStandIn);
}

Deno.test("every type of question gets an answer of its own layout", async () => {
  await using served = setUp();
  const response = await served.ask(PATH, {
    state: { message: "My parcel never arrived and I am very angry" },
    questions: {
      lost: {
        type: "noul",
        instructions: "Is it lost?",
        criteria: { true: "the parcel never arrived", false: "the bill is wrong" },
      },
      team: {
        type: "choice",
        criteria: { delivery: "a parcel that never arrived", billing: null },
      },
      anger: { type: "score", criteria: ["calm and friendly", "annoyed", "very angry"] },
    },
  });
  assert.equal(response.headers.get("X-Sandbox"), "foyer");
  assert.match(response.headers.get("x-typesafe-request-id") ?? "", /^sandbox-/);
  const { model, answers, usage } = await response.json();
  assert.equal(model, "jev-1.13.0");
  assert.deepEqual(Object.keys(answers), ["lost", "team", "anger"]);

  const { lost, team, anger } = answers;
  assert.deepEqual(Object.keys(lost), ["type", "noul"]);
  assert.ok(lost.noul > 0.8 && lost.noul <= 1);
  assert.equal(team.choice, "delivery");
  assert.equal(team.confidence, team.probabilities.delivery);
  assert.deepEqual(anger.legend, { 0: "calm and friendly", 1: "annoyed", 2: "very angry" });
  assert.deepEqual(Object.keys(anger.probabilities), ["0", "1", "2"]);
  assert.ok(anger.score > 1 && anger.score <= 2);
  assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0);
});

Deno.test("probabilities are hundredths that sum to one, for any number of options", async () => {
  await using served = setUp();
  for (const count of [1, 3, 7, 255]) {
    const labels = Array.from({ length: count }, (_, i) => [`option ${i}`, i % 2 ? "rain" : "sun"]);
    const criteria = Object.fromEntries(labels);
    const response = await served.ask(PATH, {
      state: "rain again",
      questions: { q: { type: "choice", criteria } },
    });
    const { answers: { q } } = await response.json();
    const hundredths = Object.values<number>(q.probabilities).map((p) => Math.round(p * 100));
    assert.equal(hundredths.reduce((sum, part) => sum + part, 0), 100);
    for (const p of Object.values<number>(q.probabilities)) assert.ok(`${p}`.length <= 4);
  }
});

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

Deno.test("the list of models names versions and aliases, each of which can be asked", async () => {
  await using served = setUp();
  const response = await fetch(`${served.origin}/v1/models`, {
    headers: { Authorization: `Bearer ${KEY}` },
  });
  const { models } = await response.json();
  assert.deepEqual(Object.keys(models[0]), ["name", "description", "release_date"]);
  const names = models.map(({ name }: { name: string }) => name);
  assert.deepEqual(names, ["jev-1.13.0", "jev-1.14.0-preview", "jev-latest", "jev-preview"]);
  for (const model of names) {
    const answered = await served.ask(PATH, { model, state: "", questions: NOUL });
    assert.match((await answered.json()).model, /^jev-\d/);
  }
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

Deno.test("a long text is answered for callers that ask for long context", async () => {
  await using served = setUp();
  const headers = { "TypeSafe-Danger-Zone-Long-Context": "true" };
  const body = { state: "x".repeat(300_000), questions: NOUL };
  const response = await served.ask(PATH, body, { headers });
  assert.ok((await response.json()).usage.input_tokens > 64_000);
});

Deno.test("the same decision gives the same bytes", async () => {
  await using served = setUp();
  const ask = async () => await (await served.ask(PATH, { state: "late", questions: NOUL })).text();
  assert.equal(await ask(), await ask());
});
