import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { row, startFoyer } from "../support/foyer.ts";
await using foyer = await startFoyer({ records: [row({ "Name": "Jam" })] });
const { key } = await foyer.createMember();
for (const k of [null, key]) {
  const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode: k === null ? "legacy" : "auto" } } as never);
  const transport = new StreamableHTTPClientTransport(new URL(foyer.origin + "/mcp"), {
    requestInit: { headers: k ? { authorization: `Bearer ${k}` } : {} },
  });
  await client.connect(transport);
  console.log(client.getServerVersion(), client.getServerCapabilities());
  const { tools } = await client.listTools();
  console.log(tools.map((t) => t.name));
  if (k === null) console.log(JSON.stringify(tools[0], null, 1).slice(0, 1500));
  const calls = { list_events: { limit: 1 }, get_event: { idOrSlug: "jam" }, search_documents: { query: "key" }, web_search: { query: "tides" }, usage: {}, answer: { query: "why tides" } };
  for (const [name, args] of Object.entries(calls)) {
    let p = 0;
    const r = await client.callTool({ name, arguments: args }, name === "answer" ? { onprogress: () => { p++; } } as never : undefined).catch((e) => String(e));
    console.log(name, p, JSON.stringify(r).slice(0, 500));
  }
  console.log((await client.listResources()).resources.length);
  console.log((await client.readResource({ uri: "https://foyer.example/events/jam.md" })).contents);
  await client.close();
}
console.log(foyer.lines.map((l) => JSON.stringify(l.properties)).join("\n"));
