import { startFoyer } from "../support/foyer.ts";
import { sampleRecords } from "../../lib/sandbox/sample.ts";
await using foyer = await startFoyer({ records: sampleRecords() });
const V = "2026-07-28";
const meta = { "io.modelcontextprotocol/protocolVersion": V, "io.modelcontextprotocol/clientInfo": { name: "b", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} };
let id = 0;
const post = (args: object, modern: boolean) => foyer.answer("/mcp", {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-protocol-version": modern ? V : "2025-06-18", ...modern && { "mcp-method": "tools/call", "mcp-name": "list_events" } },
  body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method: "tools/call", params: { name: "list_events", arguments: args, ...modern && { _meta: meta } } }),
});
const cases: [string, () => Promise<Response>][] = [
  ["api 20", () => foyer.answer("/api/v1/events?limit=20&order=asc")],
  ["mcp modern 20", () => post({ limit: 20, order: "asc" }, true)],
  ["mcp legacy 20", () => post({ limit: 20, order: "asc" }, false)],
  ["api 100", () => foyer.answer("/api/v1/events?limit=100&order=asc")],
  ["mcp modern 100", () => post({ limit: 100, order: "asc" }, true)],
  ["mcp legacy 100", () => post({ limit: 100, order: "asc" }, false)],
  ["api all", () => foyer.answer("/api/v1/events")],
  ["mcp modern all", () => post({}, true)],
];
for (let round = 0; round < 3; round++) {
  for (const [name, run] of cases) {
    for (let i = 0; i < 100; i++) await (await run()).text();
    const t = performance.now(); let n = 0;
    while (performance.now() - t < 600) { const r = await run(); const b = await r.text(); if (r.status !== 200) throw b; n++; }
    console.log(round, name, ((performance.now() - t) / n * 1000).toFixed(0) + " µs");
  }
}
