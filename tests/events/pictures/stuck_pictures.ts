/**
 * A process that fails as the real picture process may; an image's first bytes say how. It returns the image
 * unchanged, or the last of several.
 */

import {
  encodeMessage,
  type Job,
  readMessages,
  type Report,
} from "../../../lib/events/pictures/messages.ts";

function report(value: Report, files: readonly Uint8Array[] = []): void {
  for (const part of encodeMessage(value, files)) Deno.stdout.writeSync(part);
}

report({ kind: "ready" });
for await (const { value: job, files } of readMessages<Job>(Deno.stdin.readable)) {
  report({ kind: "reading", file: null });
  for (const [file, bytes] of files.entries()) {
    report({ kind: "reading", file });
    const word = new TextDecoder().decode(bytes);
    // Nothing from outside reaches it any more.
    while (word.startsWith("stuck"));
    if (word.startsWith("crash")) Deno.exit(1);
  }
  if (job.kind === "card" && job.facts.name === "crash") Deno.exit(1);
  const bytes = files.at(-1) ?? new TextEncoder().encode("nothing");
  report({ kind: "done", isOvergrown: false }, [bytes]);
  if (new TextDecoder().decode(bytes).startsWith("last")) Deno.exit(0);
}
