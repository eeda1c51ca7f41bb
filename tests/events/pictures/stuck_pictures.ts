/**
 * A program that fails as that of a picture may; the first bytes of its input say how. It returns its input
 * unchanged.
 */

const input = await new Response(Deno.stdin.readable).bytes();
const word = new TextDecoder().decode(input);
// Nothing from outside reaches it any more.
while (word.includes("stuck"));
if (word.includes("crash") || Deno.args[0]?.includes("crash")) Deno.exit(1);
if (word.includes("endless")) {
  for (;;) Deno.stdout.writeSync(new Uint8Array(1024 * 1024));
}
await new Blob([word.includes("nothing") ? "" : input]).stream().pipeTo(Deno.stdout.writable);
