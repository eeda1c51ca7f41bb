/** Hostile bytes on a connection: where a request ends, which path and which host it has. */

import assert from "node:assert/strict";
import { type Foyer, row, startFoyer } from "../../support/foyer.ts";
import { connect, head, PATHS, SEARCH } from "../../proxy/proxy.ts";

/** The path that only a smuggled request asks for; its answer is a 404. */
const SMUGGLED = head("GET", "/smuggled", "Connection: close");
const BODY = JSON.stringify(SEARCH);

/** The statuses of all answers to some bytes, until the server closes the connection. */
async function statuses(foyer: Foyer, ...parts: string[]): Promise<number[]> {
  using connection = await connect(foyer.origin);
  await connection.send(...parts);
  const text = await connection.read();
  return [...text.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status]) => Number(status));
}

Deno.test("a request whose end is in doubt ends the connection: what follows it is never a request", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  const length = BODY.length;
  const chunked = `${length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
  const table: [fields: string[], body: string][] = [
    [[`Content-Length: ${length}`, "Transfer-Encoding: chunked"], "0\r\n\r\n"],
    [["Transfer-Encoding: chunked", "Content-Length: 4"], "0\r\n\r\n"],
    [[`Content-Length: ${length}`, "Content-Length: 3"], BODY],
    ...["+5", "-1", "0x5", "5,5", "5 5", "1e3", "5;", "", "18446744073709551616"]
      .map((value): [string[], string] => [[`Content-Length: ${value}`], BODY]),
    ...["xchunked", "identity", "chunked, identity", '"chunked"', "chunked, chunked"]
      .map((value): [string[], string] => [[`Transfer-Encoding: ${value}`], chunked]),
    [["Transfer-Encoding : chunked", `Content-Length: ${length}`], BODY],
    [["X-Folded: a", " b: c", `Content-Length: ${length}`], BODY],
    [["X-Return: a\rContent-Length: 0", `Content-Length: ${length}`], BODY],
    [["X-Nul: a\0b", `Content-Length: ${length}`], BODY],
    [["No colon", `Content-Length: ${length}`], BODY],
  ];
  for (const [fields, body] of table) {
    const lines = ["Content-Type: application/json", `Authorization: Bearer ${key}`, ...fields];
    const answers = await statuses(foyer, head("POST", PATHS.search, ...lines) + body, SMUGGLED);
    assert.deepEqual(answers, [400], JSON.stringify(fields));
  }
  assert.equal(foyer.websearch.requests.length, 0);
});

Deno.test("an unread body does not count as a request", async () => {
  await using foyer = await startFoyer();
  const hidden = head("GET", "/hidden");
  const fields = ["Content-Type: application/json", `Content-Length: ${hidden.length}`];
  const table = [["POST", PATHS.search, 401], ["GET", "/nope", 404]] as const;
  for (const [method, path, status] of table) {
    const bytes = head(method, path, ...fields) + hidden + head("GET", "/up", "Connection: close");
    const [first, ...others] = await statuses(foyer, bytes);
    assert.equal(first, status, path);
    // The server may close the connection instead of reading the unwanted bytes.
    assert.ok(others.length === 0 || others.join() === "200", `${path}: ${others}`);
  }
});

Deno.test("a host that HTTP does not allow is 400 at every address, and moves no path", async () => {
  await using foyer = await startFoyer({ records: [row({})] });
  const hosts = ["a b", "a/proxy/v1", "a/", "a?", "a?b", "a#", "a#b", "user@a", "a^b", "[::1"]
    .concat("a:99999", "1.2.3.4.5");
  const paths = ["/", "/api/v1/events", "/docs", "/up", "/favicon.svg", PATHS.search, "/nope"]
    .concat("/events/%ff");
  const good = head("GET", "/up", "Connection: close").replace("foyer.example", "a");
  assert.deepEqual(await statuses(foyer, good), [200]);
  for (const host of hosts) {
    for (const path of paths) {
      for (const method of ["GET", "FOO"]) {
        const request = head(method, path, "Connection: close").replace("foyer.example", host);
        assert.deepEqual(await statuses(foyer, request), [400], `${method} ${path} ${host}`);
      }
    }
  }
  assert.deepEqual(foyer.logged.filter((line) => line.includes("internal_error")), []);
});

Deno.test("a query never chooses the route: an address without a path is the home page's", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  const fields = [
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${BODY.length}`,
    "Connection: close",
  ];
  const table = [
    ["POST", `?${PATHS.search}`, 405],
    ["POST", `?a=b:/${PATHS.search}`, 405],
    ["POST", `#${PATHS.search}`, 405],
    ["GET", `?${PATHS.usage}`, 200],
    ["GET", "?x=/events/%ff", 200],
    ["GET", "?x=/events/%", 200],
  ] as const;
  for (const [method, rest, status] of table) {
    const request = head(method, `http://foyer.example${rest}`, ...fields) + BODY;
    assert.deepEqual(await statuses(foyer, request), [status], `${method} ${rest}`);
  }
  assert.equal(foyer.websearch.requests.length, 0);
  assert.deepEqual(foyer.logged.filter((line) => line.includes("internal_error")), []);
});

Deno.test("links name the service's own address, for any Host header", async () => {
  await using foyer = await startFoyer({ records: [row({ "Name": "Forged" })] });
  const paths = ["/", "/index.md", "/events/forged", "/api/v1/events", "/api/v1/events/rss"]
    .concat("/feed.atom", "/feed.json", "/calendar.ics", "/llms.txt", "/docs", "/sitemap.xml")
    .concat("/api/v1/openapi.json", "/api/v1/events/nope", "/proxy/v1/nope", "/nope");
  const forged = ["Host", "X-Forwarded-Host", "X-Forwarded-Server", "X-Original-URL"]
    .map((name) => `${name}: evil.example`);
  const fields = [...forged.slice(1), "Forwarded: host=evil.example", "X-Forwarded-Proto: gopher"];
  for (const path of paths) {
    for (const target of [path, `http://evil.example${path}`]) {
      using connection = await connect(foyer.origin);
      const request = head("GET", target, ...fields, "Connection: close");
      await connection.send(request.replace("Host: foyer.example", "Host: evil.example"));
      const text = await connection.read();
      assert.match(text, /^HTTP\/1\.1 [24]\d\d /, target);
      assert.doesNotMatch(text, /evil\.example|gopher/, target);
    }
  }
});
