/** HTTP/2 without TLS, as the server accepts it from any client: one connection with many streams. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { type Foyer, row, startFoyer } from "../../support/foyer.ts";
import { booksOf, PATHS, SEARCH, SEARCH_PRICE } from "../../proxy/proxy.ts";

/** A session, closed at the end of its scope. */
async function open(foyer: Foyer): Promise<ClientHttp2Session & AsyncDisposable> {
  const session = connect(foyer.origin);
  // Only some tests examine the server's message about a connection that it ends.
  session.on("error", () => {});
  await once(session, "connect");
  return Object.assign(session, {
    async [Symbol.asyncDispose]() {
      if (session.closed || session.destroyed) return;
      const closed = once(session, "close");
      session.destroy();
      await closed;
    },
  });
}

/** The status of an answer; null if the stream was refused. */
async function ask(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string | string[]>>,
  body?: string,
): Promise<number | null> {
  const stream = session.request(headers);
  stream.end(body);
  try {
    const [answered] = await once(stream, "response");
    stream.close();
    return answered[":status"];
  } catch {
    return null;
  }
}

Deno.test("over HTTP/2 as well, a host that HTTP does not allow is refused", async () => {
  await using foyer = await startFoyer({ records: [row({})] });
  for (const path of ["/api/v1/events", "/docs", "/nope"]) {
    for (const authority of ["user@a", "a:99999", "1.2.3.4.5"]) {
      await using session = await open(foyer);
      const status = await ask(session, { ":path": path, ":authority": authority });
      assert.equal(status, 400, `${authority} ${path}`);
    }
  }
  await using session = await open(foyer);
  assert.equal(await ask(session, { ":path": "/docs", ":authority": "foyer.example:8000" }), 200);
});

Deno.test("over HTTP/2, where a request has no Host, a page may call assistants' address by its own name alone", async () => {
  await using foyer = await startFoyer();
  await using session = await open(foyer);
  for (const [authority, status] of [["foyer.example", 200], ["evil.example", 403]] as const) {
    const headers = {
      ":method": "POST",
      ":path": "/mcp",
      ":authority": authority,
      "content-type": "application/json",
      "origin": `https://${authority}`,
    };
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    assert.equal(await ask(session, headers, ping), status, authority);
  }
});

Deno.test("over HTTP/2, requests that are reset at once end their connection and leave nothing reserved", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  await using session = await open(foyer);
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  session.on("goaway", (code) => resolve(code));
  const headers = {
    ":method": "POST",
    ":path": PATHS.search,
    "authorization": `Bearer ${member.key}`,
    "content-type": "application/json",
  };
  for (let asked = 0; asked < 500 && !session.closed; asked++) {
    const stream = session.request(headers);
    stream.on("error", () => {});
    stream.end(JSON.stringify(SEARCH));
    stream.close(constants.NGHTTP2_CANCEL);
  }
  // The server's error code for too many of these (RFC 9113, section 7).
  session.on("close", () => resolve(-1));
  assert.equal(await ended, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  const { reserved, spent } = await booksOf(foyer, member);
  assert.equal(reserved, 0n);
  assert.equal(spent, SEARCH_PRICE * BigInt(foyer.websearch.requests.length));
});

Deno.test("over HTTP/2, headers of more than 16 KB are refused, sent whole or packed", async () => {
  await using foyer = await startFoyer();
  const table: [what: string, values: string[]][] = [
    ["whole", Array.from({ length: 20 }, (_, at) => String(at).padEnd(1_000, "a"))],
    // A repeated field is sent as an index (HPACK; RFC 7541, section 6.1).
    ["packed", Array(20).fill("a".repeat(1_000))],
  ];
  for (const [what, values] of table) {
    await using session = await open(foyer);
    assert.equal(await ask(session, { ":path": "/docs", "x-many": values }), 431, what);
  }
  await using session = await open(foyer);
  assert.equal(await ask(session, { ":path": "/docs", "x-many": ["a".repeat(1_000)] }), 200);
});
