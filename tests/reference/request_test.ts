/** The requests that the reference shows and sends. */

import assert from "node:assert/strict";
import {
  curlCommand,
  fillPath,
  NO_RESPONSE,
  type Reply,
  sendRequest,
} from "../../lib/reference/request.ts";

Deno.test("an empty part of the path keeps its name, and an empty query parameter is left out", () => {
  const parameters = [{ name: "id", in: "path" }, { name: "a", in: "query" }, {
    name: "b",
    in: "query",
  }, { name: "If-None-Match", in: "header" }];
  const table: [Record<string, string>, string][] = [
    [{}, "/things/{id}"],
    [{ id: "x", a: "1" }, "/things/x?a=1"],
    [{ a: "1", b: "2", "If-None-Match": "y" }, "/things/{id}?a=1&b=2"],
  ];
  for (const [values, expected] of table) {
    assert.equal(fillPath("/things/{id}", parameters, (name) => values[name] ?? ""), expected);
  }
});

Deno.test("the command names the key's variable and quotes the body for a shell", () => {
  const url = "https://foyer.example/x";
  assert.equal(curlCommand({ url, needsKey: false, body: null }), `curl "${url}"`);
  assert.equal(
    curlCommand({ url, needsKey: true, body: `{"a":"it's"}` }),
    `curl "${url}" \\\n  -H "Authorization: Bearer $FOYER_KEY" \\\n` +
      `  -H "Content-Type: application/json" \\\n  -d '{"a":"it'\\''s"}'`,
  );
});

/** Sends a request to a server that sends `response`; returns the received request and the shown text. */
async function send(response: Response, key = "", body: string | null = null) {
  let received: { method: string; key: string | null; type: string | null; text: string } | null =
    null;
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (it) => {
    const { method, headers } = it;
    const [key, type] = [headers.get("authorization"), headers.get("content-type")];
    received = { method, key, type, text: await it.text() };
    return response;
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const reply: Reply = await sendRequest({ url, needsKey: true, body }, key);
  return { received, reply };
}

Deno.test("a request without a body is a GET, and carries a key only if one is typed", async () => {
  const bare = await send(new Response(null));
  assert.deepEqual(bare.received, { method: "GET", key: null, type: null, text: "" });
  const keyed = await send(new Response(null), "foyer_ä");
  assert.deepEqual(keyed.received, { method: "GET", key: "Bearer foyer_?", type: null, text: "" });
  const posted = await send(new Response(null), "k", "{}");
  const type = "application/json";
  assert.deepEqual(posted.received, { method: "POST", key: "Bearer k", type, text: "{}" });
});

Deno.test("a reply shows status, size, chosen headers and the body, JSON indented", async () => {
  const headers = { "content-type": "application/json", "etag": `"a"`, "x-other": "b" };
  const { reply } = await send(new Response(`{"a":1}`, { status: 404, headers }));
  assert.match(reply.summary, /^404 Not Found, \d+ ms, 7 characters$/);
  assert.deepEqual(reply.headers, [["content-type", "application/json"], ["etag", `"a"`]]);
  assert.equal(reply.body, `{\n  "a": 1\n}`);
});

Deno.test("malformed JSON and other text are shown as they came, and a long one is cut", async () => {
  const json = { headers: { "content-type": "application/json" } };
  assert.equal((await send(new Response("{", json))).reply.body, "{");
  assert.equal((await send(new Response(`{"a":1}`))).reply.body, `{"a":1}`);
  const { body } = (await send(new Response("x".repeat(20_001)))).reply;
  assert.equal(body, `${"x".repeat(20_000)}\n…`);
  assert.equal((await send(new Response("x".repeat(20_000)))).reply.body?.length, 20_000);
});

Deno.test("a redirect and a refused connection count as no response", async () => {
  const none = { summary: NO_RESPONSE, headers: [], body: null };
  const redirect = new Response(null, { status: 302, headers: { location: "/elsewhere" } });
  assert.deepEqual((await send(redirect)).reply, none);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => redirect);
  const url = `http://127.0.0.1:${server.addr.port}/`;
  await server.shutdown();
  assert.deepEqual(await sendRequest({ url, needsKey: false, body: null }, ""), none);
});
