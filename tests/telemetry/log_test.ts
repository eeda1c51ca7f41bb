/** The log as a process writes it: one record is one line, whatever its values hold. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("write_log.ts", import.meta.url));

/** The lines of both streams. */
async function write() {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", PROGRAM],
    env: { NO_COLOR: "1" },
  }).output();
  assert.equal(code, 0);
  const linesOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trimEnd().split("\n");
  return { out: linesOf(stdout), err: linesOf(stderr) };
}

Deno.test("JSON lines: each record is one, with its properties, and errors without what is not known of them", async () => {
  const { out, err } = await write();
  const forged = '\n{"level":"ERROR"}\r\u001b[2J\u0085';
  const records = [...out, ...err].map((line) => JSON.parse(line));
  for (const { "@timestamp": at, logger } of records) {
    assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(logger, "foyer");
  }
  const [braces, end, warning, error] = records;
  assert.deepEqual(
    [braces.level, braces.message, braces.properties],
    ["INFO", `braces {name} %s ${forged}`, { name: `a ${forged}`, amount: "7" }],
  );
  assert.equal(end.message, "the end");
  const { stack, ...cause } = warning.properties.cause;
  assert.equal(warning.level, "WARN");
  assert.deepEqual(cause, {
    name: "Error",
    message: "outside",
    cause: { name: "TypeError", message: `refused ${forged}`, code: "ECONNREFUSED" },
  });
  assert.match(stack[0], /^at .*write_log\.ts:\d+:\d+/);
  assert.equal(error.level, "ERROR");
  assert.equal(error.properties.cause.name, "SyntaxError");
  assert.ok(![...out, ...err].join().includes("a body"));
});
