/** The contract's rules of a decision request, as truth tables. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { PublicError } from "../../lib/http/errors.ts";
import { validateDecision } from "../../lib/proxy/decision_rules.ts";
import type { JsonObject } from "../../lib/json.ts";

function refusalOf(body: JsonObject): PublicError | null {
  try {
    validateDecision(body);
    return null;
  } catch (error) {
    assert.ok(error instanceof PublicError);
    assert.equal(error.code, "validation_failed");
    assert.equal(error.status, 422);
    return error;
  }
}

/** The first fault of a body; "" if it passes. */
function faultOf(body: JsonObject): string {
  return refusalOf(body)?.message ?? "";
}

/** The first fault of a question `q`, with the path as seen from the question. */
function questionFault(question: unknown): string {
  return faultOf({ state: "x", questions: { q: question } }).replace(/^questions\.q\.?/, "");
}

const NOUL = { type: "noul", instructions: "Is it urgent?" };

Deno.test("a request as the contract shows it passes", () => {
  validateDecision({
    model: "decision-latest",
    state: { text: "Help!" },
    questions: {
      urgent: { ...NOUL, criteria: { true: "now", false: "later" } },
      team: { type: "choice", instructions: "Who?", criteria: { sales: "Buys", support: "Asks" } },
      mood: { type: "score", instructions: "How?", criteria: ["bad", "good"] },
    },
  });
});

Deno.test("state is a string, an object or an array, and required", () => {
  for (const state of ["", "x", {}, { a: null }, [], [1]]) {
    assert.equal(faultOf({ state, questions: { q: NOUL } }), "");
  }
  const expected = "state: expected a string, an object or an array, got";
  assert.equal(faultOf({ state: null, questions: { q: NOUL } }), `${expected} null`);
  assert.equal(faultOf({ state: 7, questions: { q: NOUL } }), `${expected} a number`);
  assert.equal(faultOf({ state: false, questions: { q: NOUL } }), `${expected} a boolean`);
  assert.equal(faultOf({ questions: { q: NOUL } }), "state: missing");
});

Deno.test("questions is an object with at least one entry, and required", () => {
  const table: readonly (readonly [questions: unknown, fault: string])[] = [
    [{ q: NOUL }, ""],
    [{}, "questions: expected at least one question"],
    [[NOUL], "questions: expected an object, got an array"],
    [null, "questions: expected an object, got null"],
    ["q", "questions: expected an object, got a string"],
    [{ "": NOUL }, 'questions[""]: expected an id that is not empty'],
    [{ __proto__: NOUL }, "questions: expected at least one question"],
    [JSON.parse('{"__proto__":{"type":"noul"},"constructor":{"type":"noul"}}'), ""],
    [JSON.parse('{"__proto__":1}'), "questions.__proto__: expected an object, got a number"],
    [{ " ": NOUL, "1": NOUL, "ü 😀": NOUL }, ""],
  ];
  for (const [questions, fault] of table) assert.equal(faultOf({ state: "x", questions }), fault);
  assert.equal(faultOf({ state: "x" }), "questions: missing");
});

Deno.test("model is the name of a model, if it is given", () => {
  const body = { state: "x", questions: { q: NOUL } };
  for (const model of ["decision-latest", "jev-1", null]) {
    assert.equal(faultOf({ ...body, model }), "");
  }
  const expected = "model: expected the name of a model, got";
  assert.equal(faultOf({ ...body, model: "" }), `${expected} an empty string`);
  assert.equal(faultOf({ ...body, model: 1 }), `${expected} a number`);
  assert.equal(faultOf({ ...body, model: ["a"] }), `${expected} an array`);
});

Deno.test("a question is an object with a type, and instructions that are a text", () => {
  const table: readonly (readonly [question: unknown, fault: string])[] = [
    [NOUL, ""],
    [null, ": expected an object, got null"],
    ["noul", ": expected an object, got a string"],
    [[NOUL], ": expected an object, got an array"],
    [{}, "type: missing"],
    [{ type: 1 }, "type: expected a string, got a number"],
    [{ type: null }, "type: expected a string, got null"],
    [{ type: ["noul"] }, "type: expected a string, got an array"],
    [{ type: "" }, "type: expected the name of a type"],
    // What the provider takes beyond the contract.
    [{ type: "noul" }, ""],
    [{ type: "noul", instructions: null }, ""],
    [{ type: "noul", instructions: "" }, ""],
    [{ type: "noul", instructions: { ask: "x" } }, ""],
    [{ type: "noul", instructions: ["x"] }, ""],
    [{ type: "noul", instructions: 5 }, "instructions: expected a string, got a number"],
    [{ type: "noul", instructions: true }, "instructions: expected a string, got a boolean"],
    [{ type: "box", instructions: "Where?", criteria: 9, margin: 1 }, ""],
    [{ type: "constructor", criteria: 9 }, ""],
    [{ type: "box", instructions: 9 }, "instructions: expected a string, got a number"],
    [{ ...NOUL, further: { a: 1 } }, ""],
  ];
  for (const [question, fault] of table) assert.equal(questionFault(question), fault);
});

Deno.test("criteria fit the type of the question", () => {
  const table: readonly (readonly [type: string, criteria: unknown, fault: string])[] = [
    ["noul", undefined, ""],
    ["noul", null, ""],
    ["noul", {}, ""],
    ["noul", { true: "yes" }, ""],
    ["noul", { false: "no", maybe: 7 }, ""],
    ["noul", { true: null, false: null }, ""],
    ["noul", { true: 1 }, "criteria.true: expected a string, got a number"],
    ["noul", { true: "", false: [] }, "criteria.false: expected a string, got an array"],
    ["noul", { yes: "now" }, "criteria: expected a description true, false or both"],
    ["noul", { false: "later", perhaps: "soon" }, ""],
    ["noul", [], "criteria: expected an object, got an array"],
    ["noul", "yes", "criteria: expected an object, got a string"],
    ["noul", false, "criteria: expected an object, got a boolean"],
    ["choice", undefined, "criteria: missing"],
    ["choice", null, "criteria: expected an object, got null"],
    ["choice", {}, "criteria: expected at least one option"],
    ["choice", { a: "" }, ""],
    ["choice", { a: null, "": "x" }, ""],
    ["choice", { a: "x", "b c": 3 }, 'criteria["b c"]: expected a string, got a number'],
    ["choice", { a: {} }, "criteria.a: expected a string, got an object"],
    ["choice", ["a", "b"], "criteria: expected an object, got an array"],
    ["choice", "a", "criteria: expected an object, got a string"],
    ["score", undefined, "criteria: missing"],
    ["score", null, "criteria: expected an array, got null"],
    ["score", [], "criteria: expected at least two levels, got 0"],
    ["score", ["low"], "criteria: expected at least two levels, got 1"],
    ["score", ["low", "high"], ""],
    ["score", ["", ""], ""],
    ["score", Array(40).fill("x"), ""],
    ["score", ["low", null], "criteria[1]: expected a string, got null"],
    ["score", ["low", "high", 3], "criteria[2]: expected a string, got a number"],
    ["score", { low: "x", high: "y" }, "criteria: expected an array, got an object"],
    ["score", "low", "criteria: expected an array, got a string"],
  ];
  for (const [type, criteria, fault] of table) {
    const question = criteria === undefined ? { type } : { type, criteria };
    assert.equal(questionFault(question), fault, JSON.stringify(question));
  }
});

Deno.test("all faults are listed, missing fields first and then in the order of the body", () => {
  const error = refusalOf({
    questions: {
      urgency: { criteria: ["a"], type: "score" },
      "a b": { instructions: 1 },
      x: { criteria: { true: 1, false: 2 }, type: "noul" },
    },
    model: "",
  });
  assert.deepEqual(error?.details.errors, [
    { field: "state", message: "missing" },
    { field: "questions.urgency.criteria", message: "expected at least two levels, got 1" },
    { field: 'questions["a b"].type', message: "missing" },
    { field: 'questions["a b"].instructions', message: "expected a string, got a number" },
    { field: "questions.x.criteria.true", message: "expected a string, got a number" },
    { field: "questions.x.criteria.false", message: "expected a string, got a number" },
    { field: "model", message: "expected the name of a model, got an empty string" },
  ]);
  assert.equal(error?.details.field, "state");
  assert.match(error?.hint ?? "", /string, an object or an array/);
});

Deno.test("the message, the field and the hint are those of the first fault", () => {
  const error = refusalOf({
    state: "x",
    questions: { urgency: { type: "score", criteria: ["a"] } },
  });
  assert.equal(error?.message, "questions.urgency.criteria: expected at least two levels, got 1");
  assert.equal(error?.details.field, "questions.urgency.criteria");
  assert.match(error?.hint ?? "", /array of descriptions of levels, at least two/);
});

Deno.test("at most fifty faults are listed", () => {
  const questions = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`q${at}`, 1]));
  const error = refusalOf({ state: "x", questions });
  assert.equal(error?.details.errors?.length, 50);
  assert.equal(error?.details.errors?.at(-1)?.field, "questions.q49");
});

Deno.test("long and strange names are shown short and in one line", () => {
  const fieldOf = (id: string) => refusalOf({ state: "", questions: { [id]: 1 } })?.details.field;
  assert.equal(fieldOf("größe$1"), "questions.größe$1");
  assert.equal(fieldOf("1a"), 'questions["1a"]');
  assert.equal(fieldOf("a.b"), 'questions["a.b"]');
  assert.equal(fieldOf('a"\n'), 'questions["a\\"\\n"]');
  assert.equal(fieldOf("a".repeat(60)), `questions.${"a".repeat(60)}`);
  assert.equal(fieldOf("a".repeat(61)), `questions["${"a".repeat(60)}…"]`);
  assert.equal(fieldOf("😀".repeat(60)), `questions["${"😀".repeat(60)}"]`);
  assert.equal(fieldOf("😀".repeat(1_000)), `questions["${"😀".repeat(60)}…"]`);
  assert.equal(fieldOf("\ud83d"), 'questions["\\ud83d"]');
});

Deno.test("whatever the body, it passes or is refused with paths of bounded length", () => {
  const value = fc.oneof(
    fc.constantFrom("noul", "choice", "score", null, 1, true, [], ["x"], {}),
    fc.dictionary(fc.string(), fc.constantFrom("x", null, 1), { maxKeys: 3 }),
  );
  const question = fc.record(
    { type: value, criteria: value, instructions: value },
    { requiredKeys: [] },
  );
  const ids = fc.oneof(
    fc.string(),
    fc.constantFrom("\n".repeat(200), "\ud800\u0000", "é".repeat(99)),
  );
  const body = fc.record({
    state: value,
    questions: fc.oneof(value, fc.dictionary(ids, fc.oneof(value, question), { maxKeys: 4 })),
    model: value,
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(body, (body) => {
      const error = refusalOf(body);
      for (const { field, message } of error?.details.errors ?? []) {
        assert.match(field, /^(state|questions|model)/);
        // Sixty characters, each escaped, for an id and an option, and the names around them.
        assert.ok(field.length < 900 && message.length < 80);
        assert.ok(!field.includes("\n"));
      }
    }),
    { numRuns: 300 },
  );
});
