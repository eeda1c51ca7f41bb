/**
 * Writes to a log in the format of the first argument, repeats its last line by the second, and ends as the third
 * demands; a test reads the output.
 */

import { type LogFormat, openLog } from "../../lib/platform/log.ts";

const [format, times, end] = Deno.args;
// The test that starts this program passes one of the two.
const log = openLog(format as LogFormat);
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
const circular: { self?: object } = {};
circular.self = circular;
log.warn("circular", { circular, name: "a" });
log.warn("a big number inside", { value: { amount: 7n } });
log.warn("a getter", {
  get failing() {
    throw new Error("a body");
  },
});
for (let time = 0; time < Number(times); time++) log.info("the end");
// Lines that wait in a batch are written when the process ends, however it ends.
if (end === "exit") Deno.exit(0);
else if (end === "error") setTimeout(() => JSON.parse(""));
else void Promise.reject(new Error("unhandled"));
