/** A process that ends when it gets work. */

import { encodeMessage, readMessages } from "../../../lib/events/pictures/messages.ts";

for (const part of encodeMessage({ kind: "ready" })) Deno.stdout.writeSync(part);
await readMessages(Deno.stdin.readable).next();
Deno.exit(0);
