const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const mode = Deno.args[0];
let seen = 0, gone = 0;
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
  if (mode === "late") { await sleep(20); }
  if (mode === "early-signal") { request.signal; }
  await request.arrayBuffer();
  if (mode === "late-after") { await sleep(20); }
  seen++;
  await new Promise<void>((r) => request.signal.addEventListener("abort", () => { gone++; r(); }));
  return new Response("late");
});
const origin = `http://127.0.0.1:${server.addr.port}`;
const results: Record<string, number> = {};
for (let size = 60; size < 400; size += 4) {
  const c = new AbortController(); const n = seen, g = gone;
  const body = JSON.stringify({ x: "x".repeat(size) });
  const p = fetch(origin + "/v1/systemone", { method: "POST", body, headers: { "content-type": "application/json", "authorization": "Bearer foyer_0123456789012345678901234567890123456789012345678901" }, signal: c.signal }).then(() => "ok", String);
  while (seen === n) await sleep(1);
  await sleep(10); c.abort(); await p;
  for (let j = 0; j < 100 && gone === g; j++) await sleep(4);
  if (gone === g) results[size] = 1;
}
console.log(mode, "lost at sizes", Object.keys(results).join(" ") || "none");
Deno.exit();
