/**
 * The behaviour of the web runtime that the app relies on. These tests hold for every runtime that the names `fresh`,
 * `fresh/runtime` and `fresh/dev` may stand for.
 */
// Alone: the runtime knows the id of one build.

import assert from "node:assert/strict";
import { App } from "fresh";
import { Builder } from "fresh/dev";
import { asset } from "fresh/runtime";
import { app } from "./fixture/main.ts";

const root = new URL("fixture", import.meta.url).pathname;
await (await new Builder({ root }).build({ snapshot: "memory" }))(app);
const handle = app.handler();

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function get(path: string, init?: RequestInit): Promise<Got> {
  const response = await handle(new Request(`http://fixture.example${path}`, init));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

Deno.test("file names become addresses, and an exact path beats a pattern", async () => {
  const table = [
    ["/api/openapi.json", '{"file":"openapi"}'],
    ["/images/image-7.png", "image 7"],
    ["/api/exact", "exact"],
    ["/api/exact/", "exact"],
    ["//api///exact", "exact"],
    ["/api/x/../exact", "exact"],
    ["/images/image-7.png/", null],
    ["/API/exact", null],
    ["/api", null],
    ["/_app", null],
    ["/islands/Counter", null],
  ] as const;
  for (const [path, text] of table) {
    const got = await get(path);
    assert.equal(got.status, text === null ? 404 : 200, path);
    assert.equal(got.text, text ?? "caught HttpError", path);
  }
});

Deno.test("a handler sees the parameters, the pattern and the request", async () => {
  assert.deepEqual(JSON.parse((await get("/api//7?x=/y")).text), {
    id: "7",
    route: "/api/:id",
    url: "http://fixture.example/api//7?x=/y",
    mode: "production",
  });
});

Deno.test("parameters are decoded but for an encoded slash", async () => {
  const table = [["a%20b", "a b"], ["%C3%A9", "é"], ["a%2Fb", "a%2Fb"], ["%00", "\0"]] as const;
  for (const [sent, id] of table) {
    assert.equal(JSON.parse((await get(`/api/${sent}`)).text).id, id);
  }
});

Deno.test("a rest parameter is one joined string, and empty for its folder", async () => {
  assert.equal((await get("/deep/a/b%20/c")).text, "rest a/b /c");
  assert.equal((await get("/deep")).text, "rest ");
  for (const path of ["/deep/", "/deep/a/", "/deep/a/b/"]) {
    assert.equal((await get(path)).status, 404, path);
  }
});

Deno.test("a function handles every method, HEAD too", async () => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    assert.equal((await get("/every", { method })).text, method);
  }
  assert.equal((await get("/every", { method: "HEAD" })).headers.get("x-got"), "/every");
});

Deno.test("middleware acts in its order on every path, and the route gets its state", async () => {
  for (const path of ["/every", "/", "/a.css"]) {
    assert.equal((await get(path)).headers.get("x-seen"), "outer inner", path);
  }
  const { text } = await get("/api/7", { headers: { "x-other": "" } });
  assert.deepEqual(JSON.parse(text).url, "http://other.example/other");
});

Deno.test("middleware may answer an error of the inside, which a path without a route is too", async () => {
  const table = [
    ["/deep/teapot", 418, "caught HttpError: short and stout"],
    ["/deep/boom", 500, "caught Error: secret"],
    ["/nothing", 404, "caught HttpError"],
  ] as const;
  for (const [path, status, text] of table) {
    const got = await get(path);
    assert.deepEqual([got.status, got.text], [status, text]);
  }
});

Deno.test("the error that a middleware throws at once reaches those around it", async () => {
  const throwing = new App()
    .use(async (ctx) => {
      try {
        return await ctx.next();
      } catch (error) {
        return new Response(`caught ${error}`);
      }
    })
    .use(() => {
      throw new Error("at once");
    });
  const response = await throwing.handler()(new Request("http://fixture.example/"));
  assert.equal(await response.text(), "caught Error: at once");
});

Deno.test("redirect keeps a local address local", async () => {
  const table = [
    ["/deep/away", 302, "/evil.example/x?y=//z"],
    ["/deep/moved", 307, "/here"],
  ] as const;
  for (const [path, status, location] of table) {
    const { status: is, headers } = await get(path);
    assert.deepEqual([is, headers.get("location")], [status, location]);
  }
});

Deno.test("a page is in the app wrapper, which knows its address, or in a bare document, without a script if it has no island", async () => {
  const { text: wrapped, headers } = await get("/plain");
  assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(
    wrapped,
    /^<!DOCTYPE html><html lang="en" data-path="\/plain"><head>.*<p>plain<\/p><\/body><\/html>$/,
  );
  assert.ok(!wrapped.includes("<script"));
  assert.equal(
    (await get("/plain?bare")).text,
    '<!DOCTYPE html><html><head><meta charset="utf-8"/></head><body><p>plain</p></body></html>',
  );
});

Deno.test("an element of Head replaces the wrapper's with its key, and the title is one of them", async () => {
  const head = /<head>(.*)<\/head>/s.exec((await get("/")).text)?.[1] ?? "";
  assert.match(head, /<title>Home<\/title>.*<meta name="description" content="A fixture"\/>$/s);
  assert.match(head, /<style[^>]*>main\{color:red\}<\/style>/);
  assert.ok(!/Fixture|blue/.test(head));
});

Deno.test("the title of a picture is its own if it has a key", async () => {
  assert.match((await get("/")).text, /<svg><title[^>]*>A dot<\/title><\/svg>/);
});

Deno.test("a page with islands ends with one module script that boots them, and their props cannot end it", async () => {
  const { text: html } = await get("/");
  const scripts = [...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
  assert.equal(scripts.length, 1);
  const [, script = ""] =
    /<script type="module"[^>]*>([^]*?)<\/script><\/body><\/html>$/.exec(html) ?? [];
  assert.match(script, /\bboot\(\{Counter\},/);
  assert.doesNotMatch(script, /<\/script|<!--/);
  assert.match(
    html,
    /<!--frsh:island:Counter:0:--><button[^]*?>3<\/button><!--\/frsh:island--><!--frsh:island:Counter:1:-->/,
  );
  const modules = [...script.matchAll(/"(\/_fresh\/js\/[^"]+)"/g)].map(([, path = ""]) => path);
  assert.equal(modules.length, 2);
  for (const path of modules) {
    const { status, headers, text } = await get(path);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/javascript; charset=UTF-8");
    assert.match(text, /\bexport\b/);
  }
});

Deno.test("an asset's address names the build", async () => {
  const [, build = ""] = /^\/a\.css\?__frsh_c=(\w{32,40})$/.exec(asset("/a.css")) ?? [];
  assert.ok((await get("/")).text.includes(`href="/a.css?__frsh_c=${build}"`));
});

Deno.test("a static file has its bytes and its type, and nothing outside of its folder is one", async () => {
  for (const path of ["/a.css", asset("/a.css")]) {
    const file = await get(path);
    assert.equal(file.text, await Deno.readTextFile(`${root}/static/a.css`));
    assert.equal(file.headers.get("content-type"), "text/css; charset=UTF-8");
  }
  for (const path of ["/../main.ts", "/%2e%2e/main.ts", "/main.ts", "/static/a.css"]) {
    assert.equal((await get(path)).status, 404, path);
  }
});
