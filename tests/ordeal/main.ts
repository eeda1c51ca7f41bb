/**
 * `deno task ordeal [--seed N] [--minutes M] [--kv URL]`: the whole service under load and faults, and a check of its
 * promises. The seed reproduces the plan of faults; `--plan` only prints it. `--kv` is the address of an empty KV
 * Connect server, whose lock and disk are left alone.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { parseArgs } from "node:util";
import { runOrdeal } from "./ordeal.ts";
import { makePlan } from "./plan.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "1" },
    plan: { type: "boolean", default: false },
    kv: { type: "string", default: "" },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0 && minutes <= 24 * 60)) {
  console.error(`--minutes ${values.minutes}: expected a number of minutes up to 1440`);
  Deno.exit(2);
}
const plan = makePlan(values.seed, minutes);
if (values.plan) {
  for (const { at, ...step } of plan) {
    console.log(`${(at / 1000).toFixed(1)} s`, JSON.stringify(step));
  }
  Deno.exit(0);
}
const { faults, figures } = await runOrdeal({
  seed: values.seed,
  plan,
  minutes,
  kv: values.kv,
  callers: { readers: 4, members: 8 },
  tell: (line) => console.log(line),
});
console.table(figures);
for (const fault of faults.slice(0, 50)) console.error(`FAULT ${fault}`);
console.log(faults.length === 0 ? "Clean." : `${faults.length} faults; seed ${values.seed}.`);
Deno.exit(faults.length === 0 ? 0 : 1);
