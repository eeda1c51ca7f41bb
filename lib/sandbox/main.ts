// `deno task sandbox`: the stand-ins alone, until Ctrl-C.
// deno-lint-ignore-file no-console -- printing is the purpose of this command

import { startSandbox } from "./start.ts";

if (import.meta.main) {
  const sandbox = startSandbox();
  for (const [name, address] of Object.entries(sandbox.addresses)) {
    console.log(`# ${name} stand-in on ${address}; faults: POST ${address}/sandbox/faults`);
  }
  for (const [name, value] of sandbox.env.flatMap(Object.entries)) console.log(`${name}=${value}`);
}
