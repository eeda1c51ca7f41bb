/** The rules of a decision request (AI proxy contract, section 2), with every fault named. */

import { PublicError } from "../http/mod.ts";
import { isObject, type JsonObject, memberOf } from "../json.ts";

/** Further faults are not listed. */
const MAX_FAULTS = 50;
/** Longer names are shortened in paths. */
const MAX_NAME_LENGTH = 60;
const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

/** What is wrong with one field. */
interface Fault {
  readonly field: string;
  readonly message: string;
  readonly hint: string;
}

type Report = (field: string, message: string, hint: string) => void;

/**
 * Checks a decision request. What the contract does not forbid passes, since the provider may know
 * it: unknown fields, unknown types of questions (whose `criteria` are then the provider's to judge),
 * counts above the provider's own limits.
 *
 * Null in an optional field is an absent field, as client libraries write it: `model`,
 * `instructions`, `criteria` of a `noul` question and its two descriptions, descriptions of options.
 * `state` is required, so null is refused. `instructions` that are an object or array pass, because
 * the provider documents them; numbers and booleans, which nobody documents, are refused.
 *
 * @throws {PublicError} `validation_failed`: the first fault is its message and `field`, and all of
 *   them, at most 50, are its `errors`; missing fields first, then in the order of the body.
 */
export function validateDecision(body: JsonObject): void {
  const faults: Fault[] = [];
  checkBody(body, (field, message, hint) => {
    if (faults.length < MAX_FAULTS) faults.push({ field, message, hint });
  });
  const [first] = faults;
  if (first === undefined) return;
  throw new PublicError("validation_failed", `${first.field}: ${first.message}`, {
    hint: first.hint,
    field: first.field,
    errors: faults.map(({ field, message }) => ({ field, message })),
  });
}

const STATE_HINT = "state is the content to evaluate: a string, an object or an array.";
const QUESTIONS_HINT = "questions maps each question's id to the question, at least one.";
const MODEL_HINT = "Leave model out for the default, decision-latest.";

function checkBody(body: JsonObject, report: Report): void {
  if (!Object.hasOwn(body, "state")) report("state", "missing", STATE_HINT);
  if (!Object.hasOwn(body, "questions")) report("questions", "missing", QUESTIONS_HINT);
  for (const [name, value] of Object.entries(body)) {
    if (name === "state" && typeof value !== "string" && !isContainer(value)) {
      report(name, expected("a string, an object or an array", value), STATE_HINT);
    } else if (name === "model" && value !== null && (typeof value !== "string" || value === "")) {
      report(name, expected("the name of a model", value), MODEL_HINT);
    } else if (name === "questions") checkQuestions(value, report);
  }
}

function checkQuestions(questions: unknown, report: Report): void {
  if (!isObject(questions)) {
    report("questions", expected("an object", questions), QUESTIONS_HINT);
    return;
  }
  const entries = Object.entries(questions);
  if (entries.length === 0) report("questions", "expected at least one question", QUESTIONS_HINT);
  for (const [id, question] of entries) {
    const path = pathTo("questions", id);
    if (id === "") report(path, "expected an id that is not empty", QUESTIONS_HINT);
    checkQuestion(path, question, report);
  }
}

function checkQuestion(path: string, question: unknown, report: Report): void {
  const hint = "A question is an object with type, instructions and criteria.";
  if (!isObject(question)) return report(path, expected("an object", question), hint);
  const type = memberOf(question, "type");
  const needsCriteria = type === "choice" || type === "score";
  const typeHint = "type is noul, choice or score.";
  if (!Object.hasOwn(question, "type")) report(`${path}.type`, "missing", typeHint);
  if (needsCriteria && !Object.hasOwn(question, "criteria")) {
    report(`${path}.criteria`, "missing", CRITERIA_HINTS[type]);
  }
  for (const [name, value] of Object.entries(question)) {
    const field = `${path}.${name}`;
    if (name === "type" && typeof value !== "string") {
      report(field, expected("a string", value), typeHint);
    } else if (name === "type" && value === "") {
      report(field, "expected the name of a type", typeHint);
    } else if (name === "instructions" && ["number", "boolean"].includes(typeof value)) {
      report(field, expected("a string", value), "instructions is the question's text.");
    } else if (name === "criteria") checkCriteria(type, field, value, report);
  }
}

const CRITERIA_HINTS = {
  noul: "criteria of a noul question is an object with the descriptions true and false, or absent.",
  choice: "criteria of a choice question maps each option to its description, at least one.",
  score: "criteria of a score question is an array of descriptions of levels, at least two.",
} as const;

function checkCriteria(type: unknown, path: string, criteria: unknown, report: Report): void {
  if (type === "noul") checkNoul(path, criteria, report);
  if (type === "choice") checkChoice(path, criteria, report);
  if (type === "score") checkScore(path, criteria, report);
}

function checkNoul(path: string, criteria: unknown, report: Report): void {
  if (criteria === null) return;
  if (!isObject(criteria)) {
    return report(path, expected("an object", criteria), CRITERIA_HINTS.noul);
  }
  const names = Object.keys(criteria);
  if (names.length > 0 && !names.includes("true") && !names.includes("false")) {
    report(path, "expected a description true, false or both", CRITERIA_HINTS.noul);
  }
  for (const [name, value] of Object.entries(criteria)) {
    if ((name === "true" || name === "false") && value !== null && typeof value !== "string") {
      report(`${path}.${name}`, expected("a string", value), CRITERIA_HINTS.noul);
    }
  }
}

function checkChoice(path: string, criteria: unknown, report: Report): void {
  if (!isObject(criteria)) {
    return report(path, expected("an object", criteria), CRITERIA_HINTS.choice);
  }
  const options = Object.entries(criteria);
  if (options.length === 0) report(path, "expected at least one option", CRITERIA_HINTS.choice);
  for (const [name, value] of options) {
    if (value !== null && typeof value !== "string") {
      report(pathTo(path, name), expected("a string", value), CRITERIA_HINTS.choice);
    }
  }
}

function checkScore(path: string, criteria: unknown, report: Report): void {
  if (!Array.isArray(criteria)) {
    return report(path, expected("an array", criteria), CRITERIA_HINTS.score);
  }
  if (criteria.length < 2) {
    report(path, `expected at least two levels, got ${criteria.length}`, CRITERIA_HINTS.score);
  }
  criteria.forEach((level: unknown, index) => {
    if (typeof level === "string") return;
    report(`${path}[${index}]`, expected("a string", level), CRITERIA_HINTS.score);
  });
}

function expected(what: string, value: unknown): string {
  return `expected ${what}, got ${kindOf(value)}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === "") return "an empty string";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The path of a member: `a.b`, or `a["b c"]` where the name is no identifier. */
function pathTo(path: string, name: string): string {
  const characters = [...name.slice(0, 2 * MAX_NAME_LENGTH)];
  const isLong = characters.length > MAX_NAME_LENGTH || name.length > 2 * MAX_NAME_LENGTH;
  const shown = isLong ? `${characters.slice(0, MAX_NAME_LENGTH).join("")}…` : name;
  return IDENTIFIER.test(shown) ? `${path}.${shown}` : `${path}[${JSON.stringify(shown)}]`;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
