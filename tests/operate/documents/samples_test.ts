/** Every sample of every document, run against a served Foyer with stand-ins. */
// deno-lint-ignore-file no-console -- the test compares the output of samples

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { BASE_URL, row, startFoyer } from "../../support/foyer.ts";

/** A fenced block: its language, the rest of its fence's line, and its text. */
interface Sample {
  readonly line: number;
  readonly language: string;
  readonly info: string;
  readonly text: string;
}

/** The output of a sample, and the JSON that it received, if it is JSON. */
interface Outcome {
  readonly output: string;
  readonly json?: unknown;
}

const FENCE = /^```(\w*) ?(.*)\n([^]*?)^```$/gm;
const HEADING = /^#+ /gm;
/** Calls curl with `-f`, and prints the status below the body. */
const CURL = `curl() { command curl -sS --fail-with-body -w '\\n%{http_code}' "$@"; }\n`;

const names = readdirSync(new URL("../../../static/docs/", import.meta.url))
  .map((name) => name.replace(/\.md$/, ""));
const hasCurl = await exists("curl");
const hasPython = await exists("python3");

async function exists(program: string): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(program, { args: ["--version"] }).output();
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function samplesOf(markdown: string): Sample[] {
  return [...markdown.matchAll(FENCE)].map((
    { index, 1: language = "", 2: info = "", 3: text = "" },
  ) => ({ line: lineAt(markdown, index), language, info, text }));
}

const lineAt = (text: string, index: number) => text.slice(0, index).split("\n").length;

async function run(program: string, args: string[], input: string, key: string) {
  const env = { PATH: Deno.env.get("PATH") || "", FOYER_KEY: key, NO_PROXY: "*" };
  const streams = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  const child = new Deno.Command(program, { args, env, clearEnv: true, ...streams }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  const [output, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { success, output: output ?? "", errors: errors ?? "" };
}

async function runShell({ text, info }: Sample, key: string): Promise<Outcome> {
  const { output, errors } = await run("sh", [], `${CURL}${text}`, key);
  const [, body = "", status] = /^([^]*)\n(\d{3})$/.exec(output) ?? [];
  assert.equal(status, /fails with (\d+)/.exec(info)?.[1] ?? "200", `${output}${errors}`);
  return /^[[{]/.test(body) ? { output: body, json: JSON.parse(body) } : { output: body };
}

/** Runs a module with the import map of the tests; its output is compared with its own comments. */
async function runTypeScript({ text }: Sample): Promise<Outcome> {
  const printed: string[] = [];
  const { log } = console;
  console.log = (...values: unknown[]) => void printed.push(values.join(" "));
  try {
    // A module of data lies outside `tests/`, where the clients' names resolve.
    const resolved = text.replaceAll(
      / from "([^"]+)"/g,
      (_, name) => ` from "${import.meta.resolve(name)}"`,
    );
    await import(`data:application/typescript,${encodeURIComponent(resolved)}`);
  } finally {
    console.log = log;
  }
  if (text.includes("console.log")) assert.notEqual(printed.join(""), "", "it printed nothing");
  for (const [, said] of text.matchAll(/console\.log\(.*\); \/\/ (.*)/g)) {
    assert.ok(printed.includes(said ?? ""), `it printed ${printed}, not ${said}`);
  }
  return { output: printed.join("\n") };
}

/** Runs a program, unless it imports a client that is not installed: then it is only compiled. */
async function runPython({ text }: Sample, key: string): Promise<Outcome> {
  const { success, output, errors } = await run("python3", ["-"], text, key);
  if (/^ModuleNotFoundError: No module named '(exa_py|typesafe_sdk|openai)'$/m.test(errors)) {
    return { output };
  }
  assert.ok(success, errors);
  assert.notEqual(output.trim(), "", "it printed nothing");
  return { output };
}

/** The values of a refusal, whose words never vary; only the request's id does. */
function wordsOf(answer: unknown): unknown {
  return Object.entries(answer ?? {}).filter(([name]) => name !== "requestId").toSorted();
}

/** A sample response has no member that the real one lacks, and each has the right type. */
function assertShape(sample: unknown, real: unknown, path = "$"): void {
  if (Array.isArray(sample)) {
    assert.ok(Array.isArray(real), `${path} is not a list`);
    if (sample.length === 0) return;
    assert.ok(real.length > 0, `${path} is empty`);
    assertShape(sample[0], real[0], `${path}[0]`);
  } else if (sample !== null && typeof sample === "object") {
    assert.ok(real !== null && typeof real === "object", `${path} is not an object`);
    for (const [name, value] of Object.entries(sample)) {
      assert.ok(name in real, `the real answer has no ${path}.${name}`);
      assertShape(value, Reflect.get(real, name), `${path}.${name}`);
    }
  } else if (real !== null) {
    assert.equal(typeof sample, typeof real, path);
  }
}

Deno.test("every sample of the documents works as described", async (t) => {
  const place = { "Format": "in-person", "In Person Location": "Ghent" };
  const fields = { "Project Types": ["Electronics"], ...place };
  const records = ["Solder night", "Game jam"].map((name) => row({ "Name": name, ...fields }));
  await using foyer = await startFoyer({ records, models: 5 });
  const { key } = await foyer.createMember();
  Deno.env.set("FOYER_KEY", key);
  for (const name of names.toSorted()) {
    // Some documents are elsewhere, and their addresses here redirect.
    const response = await foyer.get(`/docs/${name}.md`, { redirect: "follow" });
    const markdown = (await response.text()).replaceAll(BASE_URL, foyer.origin);
    const headings = [...markdown.matchAll(HEADING)].map(({ index }) => lineAt(markdown, index));
    let last: { readonly json: unknown; readonly line: number } | null = null;
    for (const sample of samplesOf(markdown)) {
      const isCurl = /^curl /.test(sample.text);
      const ignore = sample.language === "sh"
        ? isCurl && !hasCurl
        : sample.language === "python" && !hasPython;
      await t.step({
        name: `${name}.md:${sample.line} ${sample.language} ${sample.info}`,
        ignore,
        async fn() {
          if (sample.language === "sh" && isCurl) {
            const { json } = await runShell(sample, key);
            last = json === undefined ? null : { json, line: sample.line };
          } else if (sample.language === "sh") await assertTasks(sample);
          else if (sample.language === "ts") await runTypeScript(sample);
          else if (sample.language === "python") await runPython(sample, key);
          else if (sample.language === "json") {
            const answer: unknown = JSON.parse(sample.text.replaceAll(foyer.origin, BASE_URL));
            // It is the response to the request above it, unless a heading separates them.
            const isOf = last !== null &&
              !headings.some((line) => line > (last?.line ?? 0) && line < sample.line);
            if (isOf) assertShape(answer, last?.json);
            const isRefusal = /"documentation_url"/.test(sample.text);
            if (isOf && isRefusal) assert.deepEqual(wordsOf(last?.json), wordsOf(answer));
          }
        },
      });
    }
  }
});

/** The operator's samples name tasks of this repository. */
async function assertTasks({ text }: Sample): Promise<void> {
  const configuration = new URL("../../../deno.json", import.meta.url);
  const { tasks } = JSON.parse(await Deno.readTextFile(configuration));
  for (const [, task = ""] of text.matchAll(/\bdeno(?:@[\d.]+)? task (\w+)/g)) {
    assert.ok(task in tasks, `there is no task ${task}`);
  }
}
