/** Writes to a log; a test reads what comes out. */

import { openLog } from "../../lib/telemetry/log.ts";

const log = openLog();
const forged = '\n{"level":"ERROR"}\r\u001b[2J\u0085';

log.info(`braces {name} %s ${forged}`, { name: `a ${forged}`, amount: 7n, nothing: undefined });
const inner = Object.assign(new TypeError(`refused ${forged}`), {
  code: "ECONNREFUSED",
  body: "a body",
});
log.warn("an error", { cause: new Error("outside", { cause: inner }) });
try {
  JSON.parse("a body");
} catch (cause) {
  log.error("a syntax error", { cause });
}
log.info("the end");
// What is waiting in a batch is written when the process ends, whoever ends it.
Deno.exit(0);
