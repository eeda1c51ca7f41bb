/**
 * Watches the event loop of a server, before which `--preload` loads it. A request to LOOP_HOLD_PORT is answered with the
 * longest time, in milliseconds, for which the loop was held since the request before. Another caller's wait would also
 * contain what the client and other processes compute.
 */

let turnedAt = performance.now();
let longest = 0;

// Deno waits for a preloaded module until nothing is referenced.
Deno.unrefTimer(setInterval(() => {
  const at = performance.now();
  longest = Math.max(longest, at - turnedAt);
  turnedAt = at;
}, 1));

Deno.serve(
  { port: Number(Deno.env.get("LOOP_HOLD_PORT")), hostname: "127.0.0.1", onListen() {} },
  () => {
    const answer = Response.json(longest);
    longest = 0;
    return answer;
  },
).unref();
