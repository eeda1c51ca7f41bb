// `deno task sandbox`: the stand-ins alone, until Ctrl-C.
// deno-lint-ignore-file no-console -- printing is the purpose of this command

import { startSandbox } from "./start.ts";

/** A line for `.env` that a shell can source too: what a shell would not take as it is stands in single quotes. */
export function environmentLine(name: string, value: string): string {
  return `${name}=${/^[\w./:@,=+-]*$/.test(value) ? value : `'${value}'`}`;
}

if (import.meta.main) {
  const sandbox = startSandbox();
  for (const [name, address] of Object.entries(sandbox.addresses)) {
    console.log(`# ${name} stand-in on ${address}; faults: POST ${address}/sandbox/faults`);
  }
  for (const [name, value] of sandbox.env.flatMap(Object.entries)) {
    console.log(environmentLine(name, value));
  }
}
