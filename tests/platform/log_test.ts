/** The log as a process writes it: one entry is one line, whatever its values contain. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type LogFormat, openLog } from "../../lib/platform/log.ts";
import { until } from "../support/until.ts";

const PROGRAM = fileURLToPath(new URL("write_log.ts", import.meta.url));

/** The lines of both streams. */
async function write(format: LogFormat, times = 1, end = "exit") {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", PROGRAM, format, String(times), end],
    env: { NO_COLOR: "1" },
  }).output();
  assert.equal(code, end === "exit" ? 0 : 1);
  const linesOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trimEnd().split("\n");
  return { out: linesOf(stdout), err: linesOf(stderr) };
}

Deno.test("JSON lines: each entry is one, with its properties, and errors without unknown properties", async () => {
  // So many that some share a millisecond.
  const { out, err } = await write("json", 100);
  const forged = '\n{"level":"ERROR"}\r\u001b[2J\u0085';
  const records = [...out, ...err].map((line) => JSON.parse(line));
  for (const { "@timestamp": at, logger } of records) {
    assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(logger, "foyer");
  }
  const [braces, end] = records;
  const [warning, error, ...unwritable] = records.slice(101);
  assert.deepEqual(
    [braces.level, braces.message, braces.properties],
    ["INFO", `braces {name} %s ${forged}`, { name: `a ${forged}`, amount: "7" }],
  );
  assert.equal(end.message, "the end");
  const { stack, cause: { stack: _inner, ...inner }, ...outside } = warning.properties.cause;
  assert.equal(warning.level, "WARN");
  assert.deepEqual(outside, { name: "Error", message: "outside" });
  assert.deepEqual(inner, {
    name: "TypeError",
    message: `refused ${forged}`,
    code: "ECONNREFUSED",
  });
  assert.match(stack[0], /^at .*write_log\.ts:\d+:\d+/);
  assert.equal(error.level, "ERROR");
  assert.equal(error.properties.cause.name, "SyntaxError");
  assert.deepEqual(unwritable.map(({ message, properties }) => [message, properties]), [
    ["circular", { unwritable: ["circular", "name"] }],
    ["a big number inside", { value: { amount: "7" } }],
    ["a getter", { unwritable: ["failing"] }],
  ]);
  assert.ok(![...out, ...err].join().includes("a body"));
});

Deno.test("text: each record is one line but for the frames of a stack, and controls nothing", async () => {
  const { out, err } = await write("text");
  assert.equal(out.length, 2);
  assert.match(
    out[0] ?? "",
    /^\d\d:\d\d:\d\d\.\d{3} INFO {2}braces \{name\} %s \\u\{a\}.* \{"name":"a .*"amount":"7"\}$/,
  );
  assert.match(out[1] ?? "", /INFO {2}the end$/);
  const heads = err.filter((line) => !/^ {4}at /.test(line));
  assert.equal(heads.length, 5);
  assert.match(heads[0] ?? "", /WARN {2}an error \{"cause":\{"name":"Error","message":"outside"/);
  assert.match(heads[2] ?? "", /WARN {2}circular \{"unwritable":\["circular","name"\]\}$/);
  // deno-lint-ignore no-control-regex -- that there are none is the point
  assert.ok(!/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test([...out, ...err].join("")));
  assert.ok(![...out, ...err].join().includes("a body"));
});

for (const end of ["error", "rejection"]) {
  Deno.test(`the lines before a crash are written: ${end}`, async () => {
    const { out } = await write("text", 3, end);
    assert.match(out.at(-1) ?? "", /INFO +the end$/);
    assert.equal(out.length, 4);
  });
}

Deno.test("lines wait for each other until a warning comes, the batch is full or time is up", async () => {
  const written: string[] = [];
  const { info, warn } = console;
  const write = (text: string) => void written.push(text);
  Object.assign(console, { info: write, warn: write });
  try {
    const log = openLog("text");
    const messages = () => written.map((text) => text.split("\n").map((line) => line.slice(19)));
    log.info("one");
    log.info("two");
    assert.deepEqual(written, []);
    log.warn("three");
    assert.deepEqual(messages(), [["one", "two"], ["three"]]);
    for (let line = 0; line < 500; line++) log.info("more");
    assert.deepEqual(messages().slice(2).map(({ length }) => length), [500]);
    log.info("rest");
    await until(() => written.length > 3);
    assert.deepEqual(messages().at(-1), ["rest"]);
  } finally {
    Object.assign(console, { info, warn });
  }
});
