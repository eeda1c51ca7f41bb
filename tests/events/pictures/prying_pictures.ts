/** A process that reads no pictures, but attempts everything that a compromised one might, and reports the results. */

import { encodeMessage, readMessages } from "../../../lib/events/pictures/messages.ts";

const nameOf = (error: unknown) => error instanceof Error ? error.name : String(error);

async function attempt(what: () => unknown): Promise<string> {
  try {
    await what();
    return "done";
  } catch (error) {
    return nameOf(error);
  }
}

const report = (...message: Parameters<typeof encodeMessage>) => {
  for (const part of encodeMessage(...message)) Deno.stdout.writeSync(part);
};

report({ kind: "ready" });
for await (const _ of readMessages(Deno.stdin.readable)) {
  const tried = {
    network: await attempt(() => Deno.connect({ port: 9 })),
    environment: await attempt(() => Deno.env.toObject()),
    reading: await attempt(() => Deno.readTextFile(new URL("../../../deno.json", import.meta.url))),
    writing: await attempt(() => Deno.writeTextFile("/tmp/pictures", "")),
    running: await attempt(() => new Deno.Command(Deno.execPath()).spawn()),
  };
  const file = new TextEncoder().encode(JSON.stringify(tried));
  report({ kind: "done", isOvergrown: false }, [file]);
}
