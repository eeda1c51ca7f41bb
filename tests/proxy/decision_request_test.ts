/** The check of a decision request, as truth tables. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { PublicError } from "../../lib/platform/http/errors.ts";
import { decisionRequestSchema, validateDecision } from "../../lib/proxy/decision_request.ts";
import type { JsonObject } from "../../lib/platform/json.ts";

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

/** The field of a body's first fault; null if the body passes. */
function fieldOf(body: JsonObject): string | null {
  return refusalOf(body)?.details.field ?? null;
}

/** The field of a question's first fault, relative to the question. */
function questionField(question: unknown): string | null {
  const field = fieldOf({ state: "x", questions: { q: question } });
  return field?.replace(/^questions\.q\.?/, "") ?? null;
}

const NOUL = { type: "noul", instructions: "Is it urgent?" };

Deno.test("state and questions are required, and a model is a name; each is of its types", () => {
  const table:
    readonly (readonly [name: string, field: string | null, values: readonly unknown[]])[] = [
      ["state", null, ["", "x", {}, { a: null }, [], [1]]],
      ["state", "state", [null, 7, false, undefined]],
      ["model", null, ["decision-latest", "jev-1", null]],
      ["model", "model", ["", 1, ["a"], {}]],
      ["questions", null, [{ q: NOUL }, { " ": NOUL, "1": NOUL, "ü 😀": NOUL }]],
      ["questions", "questions", [undefined, {}, [NOUL], null, "q", { __proto__: NOUL }]],
      ["questions", 'questions[""]', [{ "": NOUL }]],
      ["questions", null, [
        JSON.parse('{"__proto__":{"type":"noul"},"constructor":{"type":"noul"}}'),
        JSON.parse('{"__proto__":{"type":"noul"}}'),
      ]],
      ["questions", "questions.__proto__", [JSON.parse('{"__proto__":1}')]],
    ];
  for (const [name, field, values] of table) {
    for (const value of values) {
      const { [name]: _, ...body } = { state: "x", questions: { q: NOUL } } as JsonObject;
      const given = value === undefined ? body : { ...body, [name]: value };
      assert.equal(fieldOf(given), field, `${name}: ${JSON.stringify(value)}`);
    }
  }
});

Deno.test("a question is an object with a type, and instructions that are a text", () => {
  const table: readonly (readonly [question: unknown, field: string | null])[] = [
    [NOUL, null],
    [null, ""],
    ["noul", ""],
    [[NOUL], ""],
    [{}, "type"],
    [{ type: 1 }, "type"],
    [{ type: null }, "type"],
    [{ type: ["noul"] }, "type"],
    [{ type: "" }, "type"],
    // The provider accepts more than Foyer.
    [{ type: "noul" }, null],
    [{ type: "noul", instructions: null }, null],
    [{ type: "noul", instructions: "" }, null],
    [{ type: "noul", instructions: { ask: "x" } }, null],
    [{ type: "noul", instructions: ["x"] }, null],
    [{ type: "noul", instructions: 5 }, "instructions"],
    [{ type: "noul", instructions: true }, "instructions"],
    [{ type: "box", instructions: "Where?", criteria: 9, margin: 1 }, null],
    [{ type: "constructor", criteria: 9 }, null],
    [{ type: "box", instructions: 9 }, "instructions"],
    [{ ...NOUL, further: { a: 1 } }, null],
  ];
  for (const [question, field] of table) {
    assert.equal(questionField(question), field, JSON.stringify(question));
  }
});

Deno.test("criteria fit the type of the question", () => {
  const table: readonly (readonly [type: string, criteria: unknown, field: string | null])[] = [
    ["noul", undefined, null],
    ["noul", null, null],
    ["noul", {}, null],
    ["noul", { true: "yes" }, null],
    ["noul", { false: "no", maybe: 7 }, null],
    ["noul", { true: null, false: null }, null],
    ["noul", { true: 1 }, "criteria.true"],
    ["noul", { true: "", false: [] }, "criteria.false"],
    ["noul", { yes: "now" }, "criteria"],
    ["noul", { false: "later", perhaps: "soon" }, null],
    ["noul", [], "criteria"],
    ["noul", "yes", "criteria"],
    ["noul", false, "criteria"],
    ["choice", undefined, "criteria"],
    ["choice", null, "criteria"],
    ["choice", {}, "criteria"],
    ["choice", { a: "" }, null],
    ["choice", { a: null, "": "x" }, null],
    ["choice", { a: "x", "b c": 3 }, 'criteria["b c"]'],
    ["choice", { a: "x", "0": 3 }, 'criteria["0"]'],
    ["choice", { a: {} }, "criteria.a"],
    // The schema ignores this name; the provider does not.
    ["choice", JSON.parse('{"a":"x","__proto__":1}'), null],
    ["choice", ["a", "b"], "criteria"],
    ["choice", "a", "criteria"],
    ["score", undefined, "criteria"],
    ["score", null, "criteria"],
    ["score", [], "criteria"],
    ["score", ["low"], "criteria"],
    ["score", ["low", "high"], null],
    ["score", ["", ""], null],
    ["score", Array(40).fill("x"), null],
    ["score", ["low", null], "criteria[1]"],
    ["score", ["low", "high", 3], "criteria[2]"],
    ["score", { low: "x", high: "y" }, "criteria"],
    ["score", "low", "criteria"],
  ];
  for (const [type, criteria, field] of table) {
    const question = criteria === undefined ? { type } : { type, criteria };
    assert.equal(questionField(question), field, JSON.stringify(question));
  }
});

Deno.test("all faults are listed, each as one sentence with its remedy", () => {
  const error = refusalOf({
    questions: {
      urgency: { criteria: ["a"], type: "score" },
      "a b": { instructions: 1 },
      b: { type: "choice" },
      x: { criteria: { true: 1, false: 2 }, type: "noul" },
      y: { criteria: "low", type: "score" },
    },
    model: "",
  });
  assert.deepEqual(error?.details.errors?.map(({ field }) => field), [
    "state",
    "model",
    "questions.urgency.criteria",
    'questions["a b"].type',
    'questions["a b"].instructions',
    "questions.b.criteria",
    "questions.x.criteria.true",
    "questions.x.criteria.false",
    "questions.y.criteria",
  ]);
  const [state, , , , instructions, criteria, , , list] = error?.details.errors ?? [];
  assert.deepEqual([state, instructions, criteria, list].map((fault) => fault?.message), [
    "state is required: the content to evaluate.",
    'questions["a b"].instructions must be a string, an object, an array or null, not a number: ' +
    "the text of the question.",
    "questions.b.criteria is required: a choice question maps each option to its description.",
    "questions.y.criteria must be an array, not a string: " +
    "a score question lists the descriptions of its levels, lowest first.",
  ]);
  assert.equal(error?.details.field, "state");
  assert.equal(error?.message, state?.message);
});

Deno.test("at most fifty faults are listed, wherever a body has its half a million", () => {
  const many = Array(500_000).fill(1);
  const named = Object.fromEntries(Array.from({ length: 130_000 }, (_, at) => [`q${at}`, 1]));
  for (
    const [questions, last] of [
      [named, "questions.q49"],
      [{ a: { type: "score", criteria: many } }, "questions.a.criteria[49]"],
      [{ a: { type: "choice", criteria: named } }, "questions.a.criteria.q49"],
    ] as const
  ) {
    const error = refusalOf({ state: "x", questions });
    assert.equal(error?.details.errors?.length, 50);
    assert.equal(error?.details.errors?.at(-1)?.field, last);
  }
});

Deno.test("long and strange names are shown short and in one line", () => {
  const shown = (id: string) => fieldOf({ state: "", questions: { [id]: 1 } });
  assert.equal(shown("größe$1"), "questions.größe$1");
  assert.equal(shown("1a"), 'questions["1a"]');
  assert.equal(shown("a.b"), 'questions["a.b"]');
  assert.equal(shown('a"\n'), 'questions["a\\"\\n"]');
  assert.equal(shown("a".repeat(60)), `questions.${"a".repeat(60)}`);
  assert.equal(shown("a".repeat(61)), `questions["${"a".repeat(60)}…"]`);
  assert.equal(shown("😀".repeat(60)), `questions["${"😀".repeat(60)}"]`);
  assert.equal(shown("😀".repeat(1_000)), `questions["${"😀".repeat(60)}…"]`);
  assert.equal(shown("\ud83d"), 'questions["\\ud83d"]');
});

Deno.test("any body matches the reference or is refused with paths of bounded length", () => {
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
      const types = Object.values(Object(body.questions)).map((question) => Object(question).type);
      if (error === null && types.every((type) => ["noul", "choice", "score"].includes(type))) {
        assert.ok(decisionRequestSchema.safeParse(body).success);
      }
      for (const { field, message } of error?.details.errors ?? []) {
        assert.match(field, /^(state|questions|model)/);
        // Sixty characters, each escaped, for an id and an option, and the names around them.
        assert.ok(field.length < 900 && message.length < field.length + 140);
        assert.ok(!field.includes("\n"));
      }
    }),
    { numRuns: 300 },
  );
});
