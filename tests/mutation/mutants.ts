/** Faults that a programmer may make: one token replaced by another, or one call omitted. */

/** A file with one fault. */
export interface Mutant {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
  /** The whole file with the fault. */
  readonly text: string;
}

/** The replacements. Their spaces exclude types, whose brackets have none. */
const SWAPS: readonly (readonly [RegExp, string])[] = [
  [/ === /g, " !== "],
  [/ !== /g, " === "],
  [/ <= /g, " < "],
  [/ >= /g, " > "],
  [/ < /g, " <= "],
  [/ > /g, " >= "],
  [/ && /g, " || "],
  [/ \|\| /g, " && "],
  [/ \?\? /g, " && "],
  [/ \+ /g, " - "],
  [/ - /g, " + "],
  [/ \* /g, " / "],
  [/ \+= /g, " -= "],
  [/\btrue\b/g, "false"],
  [/\bfalse\b/g, "true"],
  [/(?<=[ (])!(?=[\w(])/g, ""],
  [/\bMath\.max\b/g, "Math.min"],
  [/\bMath\.min\b/g, "Math.max"],
  // Not in a type such as `0 | 1 | 2`, which is gone when the code runs.
  [/(?<![\w."#-]|\| )[1-9]\d*(?![\w."]| \|)/g, "0"],
  // Not of `false`, for which null would pass.
  [/(?<=return )(?!null|new |undefined|false;)[^;]+(?=;$)/g, "null"],
];
/** A statement that is one call. */
const CALL = /^\s+(?:void |await )?[\w.#]+\([^{]*\);$/;
const TYPE_START = /^(?:export )?(?:interface|type) /;

/** Every fault that can be put into a file. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const lines = text.split("\n");
  const mutants: Mutant[] = [];
  let isType = false;
  let isComment = false;
  lines.forEach((line, at) => {
    if (TYPE_START.test(line)) isType = true;
    if (/^\s*\/\*/.test(line)) isComment = true;
    const isCode = !isType && !isComment && !/^\s*\/\/|^import |^} from |^export \{/.test(line);
    if (isType && /^}|;$/.test(line) && !/^\s/.test(line)) isType = false;
    if (line.includes("*/")) isComment = false;
    if (!isCode) return;
    const add = (after: string) => {
      const changed = lines.with(at, after).join("\n");
      mutants.push({ path, line: at + 1, before: line.trim(), after: after.trim(), text: changed });
    };
    for (const [pattern, replacement] of SWAPS) {
      for (const { index, 0: found } of line.matchAll(pattern)) {
        if (isInText(line, index)) continue;
        add(line.slice(0, index) + replacement + line.slice(index + found.length));
      }
    }
    if (CALL.test(line)) add("");
  });
  return mutants;
}

/** Whether a place lies within quotes or after a comment's beginning. */
function isInText(line: string, index: number): boolean {
  const before = line.slice(0, index).replaceAll(/\\./g, "");
  const quotes = (before.match(/"/g) ?? []).length + (before.match(/`/g) ?? []).length;
  return quotes % 2 === 1 || before.includes("// ");
}
