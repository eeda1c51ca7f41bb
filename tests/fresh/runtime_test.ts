/** `fresh`: how the runtime answers; each name says which section of upstream's facts it shows. */

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { parse } from "devalue";
import { Builder } from "fresh/dev";
import { app } from "./fixture/main.ts";

const root = new URL("fixture", import.meta.url).pathname;
await (await new Builder({ root }).build({ snapshot: "memory" }))(app);
const handle = app.handler();

async function get(path: string, init?: RequestInit): Promise<Response & { body_: string }> {
  const response = await handle(new Request(`http://fixture.example${path}`, init));
  return Object.assign(response, { body_: await response.clone().text() });
}

/** Runs with the console's errors collected: what is unexpected is logged, and a test shows it. */
async function logged<T>(run: () => Promise<T>): Promise<[T, number]> {
  const log = globalThis["console"];
  const { error } = log;
  let count = 0;
  log.error = () => void count++;
  try {
    return [await run(), count];
  } finally {
    log.error = error;
  }
}

Deno.test("section 2: middleware acts from root to leaf, on unmatched paths the root's alone", async () => {
  assert.equal((await get("/deep/a")).headers.get("x-seen"), "root first second");
  assert.equal((await get("/plain")).headers.get("x-seen"), "root");
});

Deno.test("section 2: an exact path beats a pattern, and slash runs collapse before matching", async () => {
  assert.equal((await get("/api/exact")).body_, "exact");
  assert.equal((await get("//api///exact")).body_, "exact");
  assert.deepEqual(JSON.parse((await get("/api//7")).body_), {
    id: "7",
    route: "/api/:id",
    path: "/api/7",
  });
});

Deno.test("section 3: redirect keeps a local address local", async () => {
  const response = await get("/deep/away");
  assert.equal(response.status, 302);
  assert.equal(response.headers.get("location"), "/evil.example/x?y=//z");
});

Deno.test("section 4: file names become addresses", async () => {
  const table = [
    ["/api/openapi.json", 200, '{"file":"openapi"}'],
    ["/images/image-7.png", 200, "image 7"],
    ["/grouped", 200, "in group"],
    ["/api/exact/", 200, "exact"],
    ["/api/7/", 404, null],
    ["/API/exact", 404, null],
    ["/api", 404, null],
  ] as const;
  for (const [path, status, body] of table) {
    const response = await get(path);
    assert.equal(response.status, status, path);
    if (body !== null) assert.equal(response.body_, body, path);
  }
});

Deno.test("section 4: a rest parameter is one joined string, and empty for its folder", async () => {
  assert.match((await get("/deep/a/b/c")).body_, /<section><p>a\/b\/c<\/p><\/section>/);
  assert.match((await get("/deep")).body_, /<section><p><\/p><\/section>/);
  assert.equal((await get("/deep/")).status, 404);
});

Deno.test("section 4: parameters are decoded but for an encoded slash, and never fail", async () => {
  const table = [
    ["a%20b", "a b"],
    ["%C3%A9", "é"],
    ["a%2Fb", "a%2Fb"],
    ["%ff", "%ff"],
    ["%", "%"],
    ["%00", "\0"],
  ] as const;
  for (const [sent, id] of table) {
    assert.equal(JSON.parse((await get(`/api/${sent}`)).body_).id, id);
  }
});

Deno.test("section 5: HEAD is GET without its body", async () => {
  const response = await get("/methods", { method: "HEAD" });
  assert.deepEqual([response.status, response.headers.get("x-got"), response.body_], [
    200,
    "1",
    "",
  ]);
});

Deno.test("section 5, mended: a method that an object lacks is 405, and OPTIONS lists the others", async () => {
  assert.equal((await get("/methods", { method: "POST", body: "x" })).body_, "posted x");
  const [refused] = await logged(() => get("/methods", { method: "DELETE" }));
  assert.equal(refused.status, 405);
  const options = await get("/methods", { method: "OPTIONS" });
  assert.deepEqual([options.status, options.headers.get("allow")], [
    204,
    "GET, HEAD, POST, OPTIONS",
  ]);
});

Deno.test("section 5: a function handles every method", async () => {
  for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PURGE"]) {
    assert.equal((await get("/every", { method })).body_, method);
  }
});

Deno.test("section 5: a page has the status and headers of its handler", async () => {
  const response = await get("/plain");
  assert.equal(response.status, 201);
  assert.equal(response.headers.get("x-page"), "yes");
  assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(
    response.body_,
    /^<!DOCTYPE html><html lang="en"><head>.*<p>plain at \/plain<\/p><\/body><\/html>$/,
  );
});

Deno.test("section 5: an async component is awaited", async () => {
  assert.match((await get("/async")).body_, /<body><p>later<\/p><\/body>/);
});

Deno.test("section 6: the error page has the status of the error, and says nothing of others", async () => {
  const [teapot] = await logged(() => get("/deep/teapot"));
  assert.deepEqual([teapot.status, /status 418/.test(teapot.body_)], [418, true]);
  const [boom, errors] = await logged(() => get("/deep/boom"));
  assert.equal(boom.status, 500);
  assert.equal(errors, 1);
  assert.ok(!boom.body_.includes("secret"));
  const missing = await get("/nothing");
  assert.deepEqual([missing.status, /status 404/.test(missing.body_)], [404, true]);
});

Deno.test("section 7: a static file has a type, an entity tag and a 304", async () => {
  const file = await get("/a.css");
  assert.equal(file.headers.get("content-type"), "text/css; charset=UTF-8");
  const etag = file.headers.get("etag") ?? "";
  assert.match(etag, /^W\/"[0-9a-f]{64}"$/);
  assert.equal((await get("/a.css", { headers: { "if-none-match": etag } })).status, 304);
  const head = await get("/a.css", { method: "HEAD" });
  assert.equal(head.headers.get("content-length"), String(file.body_.length));
  const [refused] = await logged(() => get("/a.css", { method: "POST" }));
  assert.equal(refused.status, 405);
});

Deno.test("section 7: dot files are not served but for .well-known, and nothing outside static is", async () => {
  assert.equal((await get("/.hidden")).status, 404);
  assert.equal((await get("/.well-known/security.txt")).status, 200);
  for (
    const path of ["/../main.ts", "/..%2fmain.ts", "/%2e%2e/main.ts", "/main.ts", "/static/a.css"]
  ) {
    assert.equal((await get(path)).status, 404, path);
  }
});

Deno.test("section 7: a script's address is immutable, one of another build leads to the plain one", async () => {
  const [script = ""] = /\/_fresh\/js\/[^"]+/.exec((await get("/")).body_) ?? [];
  const response = await get(script);
  assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
  const other = await get("/a.css?__frsh_c=another");
  assert.deepEqual([other.status, other.headers.get("location")], [307, "/a.css"]);
});

Deno.test("section 8: a page with an island has one nonced module script, another page none", async () => {
  const { body_: html } = await get("/");
  const scripts = [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
  assert.equal(scripts.length, 1);
  assert.match(scripts[0] ?? "", /^<script type="module" nonce="[0-9a-f]{32}">$/);
  assert.match(html, /<!--frsh:island:Counter:0:--><button[^]*?>3<\/button><!--\/frsh:island-->/);
  assert.ok(!(await get("/plain")).body_.includes("<script"));
});

Deno.test("section 8: an island's props arrive, and cannot end their script", async () => {
  const { body_: html } = await get("/");
  const [, text = '""'] = /boot\(\{Counter\},(".*?")\)<\/script>/s.exec(html) ?? [];
  assert.ok(!/[<>]/.test(text));
  assert.deepEqual(parse(JSON.parse(text)), [
    { start: 3, label: "</script><!-- \u2028", since: new Date(0) },
  ]);
});

Deno.test("section 8: the scripts of a page with one island are under 15 KB compressed", async () => {
  const seen = new Set<string>();
  const fetchAll = async (path: string): Promise<number> => {
    if (seen.has(path)) return 0;
    seen.add(path);
    const { body_: code } = await get(path);
    let size = gzipSync(code).length;
    for (const [, name = ""] of code.matchAll(/from"\.\/([\w.-]+)"/g)) {
      size += await fetchAll(path.replace(/[^/]+$/, name));
    }
    return size;
  };
  let size = 0;
  for (const [, path = ""] of (await get("/")).body_.matchAll(/"(\/_fresh\/js\/[^"]+)"/g)) {
    size += await fetchAll(path);
  }
  assert.ok(size > 1_000 && size < 15_000, `${size} bytes`);
});

Deno.test("section 9: Head replaces the wrapper's title and keeps one of equal elements", async () => {
  const { body_: html } = await get("/");
  assert.match(
    html,
    /<head><meta charset="utf-8"\/><title>Home<\/title><meta name="description" content="two"\/><\/head>/,
  );
});

Deno.test("section 9: a style without a nonce gets the page's", async () => {
  const { body_: html } = await get("/");
  const [, style] = /<style nonce="(\w+)">/.exec(html) ?? [];
  assert.ok(style !== undefined && html.includes(`<script type="module" nonce="${style}">`));
});

Deno.test("section 9: a page may do without layouts and the wrapper", async () => {
  assert.equal(
    (await get("/deep/bare")).body_,
    '<!DOCTYPE html><html><head><meta charset="utf-8"/></head><body><p>bare</p></body></html>',
  );
});

Deno.test("any path is answered, and only by what is there", async () => {
  const segment = fc.oneof(
    fc.constantFrom("api", "deep", "..", ".", "%2e", "exact", "%ff", ""),
    fc.string({ maxLength: 8 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { maxLength: 6 }), async (segments) => {
      const path = `/${segments.join("/")}`;
      if (!URL.canParse(`http://fixture.example${path}`)) return;
      const [{ status }] = await logged(() => get(path));
      assert.ok([200, 201, 302, 307, 404, 418, 500].includes(status), `${status} ${path}`);
      if (status === 500) assert.match(path, /boom/);
    }),
    { numRuns: 300 },
  );
});
