/** The requirements of HTTP for every address, through a listening server. */

import assert from "node:assert/strict";
import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Foyer, row, startFoyer } from "../support/foyer.ts";

const LIST = "/api/v1/events";
const records = () => Array.from({ length: 40 }, (_, at) => row({ "Name": `Event ${at}` }));

/**
 * A raw response: `fetch` would hide some of it (encodings, HEAD's length) or refuse to send the request. The status
 * is 0 if the server closed the connection without a response, as it does in the middle of an address that is too
 * long.
 */
async function raw(
  foyer: Foyer,
  head: string,
): Promise<{ status: number; text: string; body: Buffer }> {
  const socket = connect(Number(new URL(foyer.origin).port), "127.0.0.1");
  socket.write(`${head}\r\nConnection: close\r\n\r\n`, "latin1");
  const parts: Uint8Array[] = [];
  try {
    for await (const part of socket) parts.push(part);
  } catch (error) {
    assert.match(String(error), /ECONNRESET|EPIPE/);
  }
  const all = Buffer.concat(parts);
  const end = all.indexOf("\r\n\r\n");
  const text = all.subarray(0, end).toString("latin1").toLowerCase();
  return { status: Number(text.split(" ")[1] ?? 0), text, body: all.subarray(end + 4) };
}

Deno.test("HEAD responds as GET does, with its length and without its body", async () => {
  await using foyer = await startFoyer({ records: records() });
  const found = [LIST, `${LIST}/rss`, `${LIST}/event-1`, "/", "/docs/errors", "/favicon.svg"];
  const others = ["/up", `${LIST}/none`, `${LIST}?limit=0`, "/proxy/v1/usage", "/api/v1/none"];
  for (const path of [...found, ...others]) {
    const get = await raw(foyer, `GET ${path} HTTP/1.1\r\nHost: x`);
    const head = await raw(foyer, `HEAD ${path} HTTP/1.1\r\nHost: x`);
    if (found.includes(path)) assert.equal(get.status, 200, path);
    assert.equal(head.status, get.status, path);
    assert.equal(head.body.length, 0);
    assert.match(head.text, new RegExp(`content-length: ${get.body.length}\\b`), path);
  }
});

Deno.test("no browser guesses what an answer is: every answer says nosniff, whatever it is", async () => {
  await using foyer = await startFoyer({ records: records() });
  const { key } = await foyer.createMember();
  const answers: Record<string, () => Promise<Response>> = {};
  const pages = ["/up", "/", "/index.md", "/status", "/docs/errors", "/docs/errors.md"];
  const feeds = [`${LIST}/rss`, "/feed.atom", "/feed.json", "/calendar.ics", "/events/event-1.ics"];
  const files = [
    "/favicon.svg",
    "/llms.txt",
    "/robots.txt",
    "/sitemap.xml",
    "/events/event-1/card",
  ];
  const described = ["/api/v1/openapi.json", "/.well-known/api-catalog", "/api/v1/docs"];
  const refused = [`${LIST}/none`, `${LIST}?limit=0`, "/api/v1/none", "/proxy/v1/usage", "/none"];
  for (
    const path of [LIST, `${LIST}/event-1`, ...pages, ...feeds, ...files, ...described, ...refused]
  ) {
    answers[`GET ${path}`] = () => foyer.get(path);
    answers[`HEAD ${path}`] = () => foyer.get(path, { method: "HEAD" });
    answers[`OPTIONS ${path}`] = () => foyer.get(path, { method: "OPTIONS" });
    answers[`POST ${path}`] = () => foyer.get(path, { method: "POST" });
    answers[`GET ${path} for JSON`] = () =>
      foyer.get(path, { headers: { accept: "application/json" } });
    answers[`GET ${path} again`] = async () => {
      const first = await foyer.get(path);
      const etag = first.headers.get("etag") ?? "none";
      return await foyer.get(path, { headers: { "if-none-match": etag } });
    };
  }
  answers["a search"] = () => foyer.post("/proxy/v1/websearch/search", key, { query: "x" });
  answers["a search that is refused"] = () => foyer.post("/proxy/v1/websearch/search", key, "{");
  answers["a stream"] = () =>
    foyer.post("/proxy/v1/websearch/answer", key, { query: "x", stream: true });
  answers["usage"] = () =>
    foyer.get("/proxy/v1/usage", { headers: { authorization: `Bearer ${key}` } });
  answers["a list of models"] = () => foyer.get("/proxy/v1/models");
  const statuses = new Set<number>();
  for (const [what, ask] of Object.entries(answers)) {
    const { status, headers } = await ask();
    statuses.add(status);
    assert.equal(headers.get("x-content-type-options"), "nosniff", `${what}: ${status}`);
  }
  for (const status of [200, 204, 304, 400, 401, 404, 405]) assert.ok(statuses.has(status));
});

Deno.test("OPTIONS lists the methods, to scripts of other origins too", async () => {
  await using foyer = await startFoyer({ records: [] });
  for (const path of [LIST, `${LIST}/rss`, `${LIST}/event-1`, "/"]) {
    const response = await foyer.get(path, { method: "OPTIONS" });
    assert.equal(response.status, 204, path);
    assert.equal(response.headers.get("allow"), "GET, HEAD, OPTIONS");
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    assert.equal(response.headers.get("access-control-allow-methods"), "GET, HEAD, OPTIONS");
  }
  assert.equal((await foyer.get("/api/v1/nothing", { method: "OPTIONS" })).status, 404);
});

Deno.test("another method is 405 with Allow, and 404 where nothing is", async () => {
  await using foyer = await startFoyer({ records: records() });
  const reads = "get, head, options";
  const table = [
    [LIST, 405, reads],
    ["/", 405, reads],
    ["/events/event-1", 405, reads],
    ["/proxy/v1/websearch/search", 405, "post, options"],
    ["/favicon.svg", 405, "get, head"],
    ["/api/v1/nothing", 404, undefined],
    ["/nothing", 404, undefined],
  ] as const;
  for (const method of "POST PUT PATCH DELETE PURGE PROPFIND BREW M-SEARCH".split(" ")) {
    for (const [path, status, allow] of table) {
      if (method === "POST" && allow?.startsWith("post")) continue;
      const response = await raw(foyer, `${method} ${path} HTTP/1.1\r\nHost: x`);
      const allowed = /\r\nallow: (.*)\r\n/.exec(response.text)?.[1];
      assert.deepEqual([response.status, allowed], [status, allow], `${method} ${path}`);
      if (path !== LIST) continue;
      assert.equal(JSON.parse(response.body.toString()).code, "method_not_allowed");
    }
  }
});

Deno.test("an Accept that rules the answer out is 406, any other is answered", async () => {
  await using foyer = await startFoyer({ records: records() });
  const table = [
    [LIST, "application/json", 200],
    [LIST, "text/html,application/xhtml+xml,*/*;q=0.8", 200],
    [LIST, "application/*", 200],
    [LIST, "", 200],
    [LIST, "nonsense", 200],
    [LIST, "text/html", 406],
    [LIST, "application/json;q=0, */*", 406],
    [LIST, "*/*;q=0", 406],
    [`${LIST}/rss`, "application/rss+xml", 200],
    [`${LIST}/rss`, "application/atom+xml, application/xml;q=0.5", 200],
    [`${LIST}/rss`, "application/json", 200],
  ] as const;
  for (const [path, accept, status] of table) {
    const response = await raw(foyer, `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: ${accept}`);
    assert.equal(response.status, status, `${path} ${accept}`);
    assert.match(response.text, /content-type: application\/(json|rss\+xml)/);
  }
});

Deno.test("errors under /api are JSON for any Accept header, and pages elsewhere", async () => {
  await using foyer = await startFoyer({ records: [] });
  for (const path of ["/api", "/api/", "/api/v2", "/api/v1/events/x/y", "//api//v1//nothing"]) {
    const response = await foyer.get(path, { headers: { accept: "text/html" } });
    assert.equal(response.status, 404, path);
    assert.equal((await response.json()).code, "not_found");
  }
  const page = await foyer.get("/nothing", { headers: { accept: "text/html" } });
  assert.equal(page.status, 404);
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  assert.ok((await page.text()).includes(page.headers.get("x-request-id") ?? "no id"));
  const json = await foyer.get("/nothing", { headers: { accept: "application/json" } });
  assert.equal((await json.json()).status, 404);
});

Deno.test("an error that nobody foresaw is 500, and only the log has its details", async () => {
  await using foyer = await startFoyer();
  const message = "the secret inside";
  for (
    const thrown of [new Error(message), { message, status: 400, code: "bad_request" }, message]
  ) {
    Object.assign(foyer.services.health, { get: () => Promise.reject(thrown) });
    for (const accept of ["application/json", "text/html"]) {
      const response = await foyer.get("/up", { headers: { accept } });
      const body = await response.text();
      assert.deepEqual([response.status, body.includes("internal_error")], [500, true], body);
      assert.match(body, /X-Request-Id/);
      assert.doesNotMatch(body, /secret/);
    }
    assert.match(foyer.logged.splice(0).join(), /secret/);
  }
});

Deno.test("If-None-Match is answered by 304 with the headers of the 200", async () => {
  await using foyer = await startFoyer({ records: records() });
  for (const path of [LIST, `${LIST}?status=upcoming`, `${LIST}/event-1`, `${LIST}/rss`]) {
    const first = await foyer.get(path);
    const etag = first.headers.get("etag") ?? "";
    assert.match(etag, /^W\/"[\w-]+"$/);
    for (const field of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
      const again = await foyer.get(path, { headers: { "if-none-match": field } });
      assert.equal(again.status, 304, field);
      assert.equal(await again.text(), "");
      for (const name of ["etag", "cache-control", "vary"]) {
        assert.equal(again.headers.get(name), first.headers.get(name), name);
      }
    }
    assert.equal((await foyer.get(path, { headers: { "if-none-match": '"other"' } })).status, 200);
  }
});

Deno.test("the body has the requested encoding, and the same content in each", async () => {
  await using foyer = await startFoyer({ records: records() });
  const plain = (await raw(foyer, `GET ${LIST} HTTP/1.1\r\nHost: x`)).body;
  const table = [
    ["gzip", gunzipSync, "gzip"],
    ["gzip, deflate, br, zstd", brotliDecompressSync, "br"],
    ["br;q=0.1, gzip", gunzipSync, "gzip"],
    ["deflate", (bytes: Buffer) => bytes, null],
    ["identity;q=0", (bytes: Buffer) => bytes, null],
    ["gzip;q=0, br;q=0", (bytes: Buffer) => bytes, null],
  ] as const;
  for (const [accepted, decode, encoding] of table) {
    const response = await raw(
      foyer,
      `GET ${LIST} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${accepted}`,
    );
    const named = /content-encoding: (\w+)/.exec(response.text)?.[1] ?? null;
    assert.equal(named, encoding, accepted);
    assert.deepEqual(Buffer.from(decode(response.body)), plain, accepted);
    assert.match(response.text, /vary: accept-encoding/);
  }
});

Deno.test("odd paths reach their address or nothing, never a fault", async () => {
  await using foyer = await startFoyer({ records: records() });
  const table = [
    ["//api///v1//events", 200],
    ["/api/v1/events/", 200],
    ["/api/v1/../v1/events", 200],
    ["/api/v1/./events", 200],
    ["/api/v1/%2e%2e/v1/events", 200],
    ["/api/v1/events/%ff", 404],
    ["/api/v1/events/%00", 404],
    ["/api/v1/events/%", 404],
    ["/api/v1/events/rs%73", 404],
    ["/api/v1/events/..%2f..%2fmain.ts", 404],
    ["/..%2fmain.ts", 404],
    ["/../main.ts", 404],
    ["/.env", 404],
    ["/%2e%2e/main.ts", 404],
  ] as const;
  for (const [path, status] of table) {
    const response = await raw(foyer, `GET ${path} HTTP/1.1\r\nHost: x`);
    assert.equal(response.status, status, path);
  }
});

Deno.test("a query string or header of 100 KB is answered, not with a fault", async () => {
  await using foyer = await startFoyer({ records: records() });
  const long = "x".repeat(100_000);
  for (
    const head of [
      `GET ${LIST}?status=${long} HTTP/1.1\r\nHost: x`,
      `GET ${LIST}?${"limit=1&".repeat(12_000)} HTTP/1.1\r\nHost: x`,
      `GET ${LIST} HTTP/1.1\r\nHost: x\r\nAccept: ${long}`,
      `GET ${LIST} HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${long}`,
      `GET ${LIST} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${"gzip,".repeat(20_000)}`,
    ]
  ) {
    const { status } = await raw(foyer, head);
    assert.ok(status < 500, `${status} ${head.slice(0, 80)}`);
  }
});
