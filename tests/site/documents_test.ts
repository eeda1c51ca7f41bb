/** The documents through the public door: pages, anchors, links, the search, and the index for machines. */

import assert from "node:assert/strict";
import { ERROR_CODES, ERRORS } from "../../lib/platform/http/errors.ts";
import { assertStylesAllowed, find, type HtmlElement, withoutScripts } from "./html.ts";
import { adviceFor, BASE_URL, eventOn, openSite, type Seen } from "./site.ts";

const idsOf = (all: readonly HtmlElement[]) =>
  new Set(all.map(({ attributes }) => attributes["id"] ?? ""));
const libraryOf = ({ all }: Seen) =>
  find(all, "a").filter(({ inside }) => inside.includes("nav") && inside.includes("main"))
    .map(({ attributes }) => attributes["href"] ?? "").filter((href) => href.startsWith("/"));

Deno.test("each document is a page in the frame of the site, with nothing inside that a strict policy forbids", async () => {
  await using site = await openSite([]);
  const addresses = libraryOf(await site.see("/docs"));
  const some = ["/docs/events", "/docs/proxy", "/docs/limits", "/docs/errors", "/api/versioning"];
  for (const path of some) assert.ok(addresses.includes(path), path);
  // *Follow* is for visitors of the events, and stands outside the frame of the documents.
  for (const path of addresses.filter((each) => each !== "/follow")) {
    const { status, headers, html, all } = await site.see(path);
    assert.equal(status, 200, path);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /script-src ('none'|'self'( 'sha256-[^']+'){1,2});/, path);
    await assertStylesAllowed(all, policy, path);
    assert.ok(!/ style="| on[a-z]+="|<script|\{\{/.test(withoutScripts(html)), path);
    assert.equal(find(all, "h1").length, 1);
    assert.equal(
      idsOf(all).size - 1,
      all.filter(({ attributes }) => attributes["id"]).length,
      path,
    );
    const current = find(all, "a").filter(({ attributes }) => attributes["aria-current"] === "page")
      .filter(({ inside }) => inside.includes("main"));
    assert.deepEqual(current.map(({ attributes }) => attributes["href"]), [path]);
  }
});

Deno.test("every code has its place among the errors, with status, cause and remedy", async () => {
  await using site = await openSite([]);
  const { all } = await site.see("/docs/errors");
  const text = find(all, "article")[0]?.text ?? "";
  for (const code of ERROR_CODES) {
    assert.ok(idsOf(all).has(code), code);
    const { status, cause, remedy } = ERRORS[code];
    for (
      const part of [
        `Status ${status}. ${cause}`,
        remedy.replace("{{operator}}", "the operator of this service"),
      ]
    ) {
      assert.ok(text.includes(part.replaceAll("`", "")), `${code}: ${part}`);
    }
  }
});

Deno.test("the search is a form that the server answers, with deep links", async () => {
  await using site = await openSite([]);
  const found = await site.see("/docs?q=Retry-After%20%20seconds");
  const links = find(found.all, "a").filter(({ inside }) => inside.at(-1) === "h2");
  assert.ok(links.some(({ attributes }) => attributes["href"] === "/docs/errors#rate_limited"));
  const [input] = find(found.all, "input");
  assert.equal(input?.attributes["value"], "Retry-After seconds");
  const reference = await site.see("/docs?q=getReference");
  assert.ok(
    find(reference.all, "a").some(({ attributes }) =>
      attributes["href"]?.startsWith("/api/v1/docs#")
    ),
  );
  // In a document's first lines, whose only heading is its title.
  const lead = await (await site.get("/docs.md?q=operating%20month")).text();
  assert.match(lead, /^- \[Operating Foyer\]\(/m);
  const nothing = await site.see("/docs?q=%3Cscript%3E%F0%9F%98%80xyzzy");
  assert.match(nothing.html, /No section contains all of these words/);
  const short = await site.see("/docs?q=ke");
  assert.match(short.html, /No section contains/, "the beginning of many words");
  // The script that starts the islands contains it as a string, which a runtime may escape differently.
  assert.ok(!nothing.html.replaceAll(/<script[^]*?<\/script>/g, "").includes("<script>"));
  const hidden = await site.see("/docs?q=retry%00%07%C2%85-%EF%BF%BFafter%F4%8F%BF%BF");
  assert.equal(find(hidden.all, "input")[0]?.attributes["value"], "retry-after");
});

Deno.test("members who ask for a key, or how to sign in, find their page first, also without a script", async () => {
  await using site = await openSite([], {
    SIGN_IN_ISSUER: "https://id.example",
    SIGN_IN_CLIENT_ID: "foyer",
    SIGN_IN_CLIENT_SECRET: "identity-test-no-secret",
  });
  for (const question of ["how do I get a key", "sign in", "Log in", "login", "get an API key"]) {
    const { all } = await site.see(`/docs?${new URLSearchParams({ q: question })}`);
    const [first] = find(all, "a").filter(({ inside }) => inside.at(-1) === "h2");
    assert.equal(first?.attributes["href"], "/account", question);
  }
});

Deno.test("a reader who looks for one answer finds it first", async () => {
  await using site = await openSite([]);
  const table = {
    "how do I get a key": "/docs/proxy#get-a-key",
    "what does an error cost": "/docs/limits#what-is-charged",
    "why was I refused": "/docs/operate#why-requests-are-refused",
    "how do I restore": "/docs/operate#restore",
    "upgrade": "/docs/operate#start-stop-and-update",
    "event not showing": "/docs/operate#what-to-do-when",
    "install": "/docs/install",
    "docker": "/docs/install#in-a-container",
    "SITE_LOGO": "/docs/configuration#name-and-look",
    "several machines": "/docs/scale#several-machines",
    "python": "/docs/proxy#web-search-with-exa-s-client",
    "rate_lim": "/docs/errors#rate_limited",
    "subscribe reader": "/follow#in-a-feed-reader",
  };
  for (const [question, answer] of Object.entries(table)) {
    const { all } = await site.see(`/docs?${new URLSearchParams({ q: question })}`);
    const [first] = find(all, "a").filter(({ inside }) => inside.at(-1) === "h2");
    assert.equal(first?.attributes["href"], answer, question);
  }
});

Deno.test("an organisation's site lists and finds no document about operating the software, and has them all", async () => {
  await using site = await openSite([], { SITE_NAME: "Harbour Arts" });
  const operators = ["install", "operate", "configuration", "scale", "security"].map((each) =>
    `/docs/${each}`
  );
  const lists = ["/docs", "/docs/proxy", "/docs?q=backup", "/llms.txt", "/llms-full.txt"];
  for (const path of [...lists, "/sitemap.xml"]) {
    const text = await (await site.get(path, { headers: { accept: "*/*" } })).text();
    for (const address of operators) {
      assert.ok(
        !text.includes(`${address}"`) && !text.includes(`${address}.md`),
        `${path}: ${address}`,
      );
      assert.ok(!text.includes(`<${BASE_URL}${address}>`), `${path}: ${address}`);
    }
  }
  for (const address of operators) assert.equal((await site.see(address)).status, 200);
});

Deno.test("the overview, its markdown, the index beside the text and llms.txt have the same groups", async () => {
  await using site = await openSite([]);
  const titles = ["Show events", "Use the proxy", "Look it up", "Run it"];
  const { all } = await site.see("/docs");
  const index = await (await site.get("/llms.txt")).text();
  const [, name] = /^## More\n+.*?([\w-]+)\.md\)/m.exec(index) ?? [];
  const hint = `add "${name}" to a group of GROUPS in lib/operate/documents/library.ts`;
  assert.equal(name, undefined, hint);
  assert.deepEqual(find(all, "h2").map(({ text }) => text), titles);
  const lists = all.filter(({ tag, inside }) => tag === "ul" && inside.at(-1) === "details")
    .map(({ attributes }) => attributes["aria-label"]);
  assert.deepEqual(lists.filter((label) => label !== undefined), titles);
  for (const path of ["/docs.md", "/llms.txt"]) {
    const text = await (await site.get(path)).text();
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    assert.deepEqual(headings.slice(0, titles.length), titles, path);
  }
});

Deno.test("the index for machines leads only to markdown and to data, all of which are there", async () => {
  await using site = await openSite([]);
  for (const path of ["/llms.txt", "/llms-full.txt"]) {
    const response = await site.get(path);
    assert.equal(response.headers.get("content-type"), "text/markdown; charset=utf-8");
    assert.ok((response.headers.get("etag") ?? "").startsWith("W/"));
    const text = await response.text();
    assert.ok(text.startsWith("# Foyer"));
    if (path !== "/llms.txt") continue;
    assert.ok(text.length < 50_000);
    for (const [, href = ""] of text.matchAll(/\]\(([^)]+)\)/g)) {
      const linked = await site.get(href.slice(BASE_URL.length));
      assert.equal(linked.status, 200, href + adviceFor(href));
      if (/\.(md|txt)$/.test(href)) {
        assert.match(linked.headers.get("content-type") ?? "", /^text\/markdown/);
        assert.ok(
          (await linked.text()).includes(`${BASE_URL}/llms.txt`) || href.endsWith("full.txt"),
        );
      }
    }
  }
});

Deno.test("samples and frames name an event that is here", async () => {
  await using site = await openSite([
    eventOn("Over", "2026-01-01/2026-01-02", { "id": "recOver0000000001" }),
    eventOn("Next", "2026-12-24", { "id": "recNext0000000001" }),
  ]);
  await site.see("/");
  for (const path of ["/docs/embed", "/api/v1/docs"]) {
    const samples = find((await site.see(path)).all, "pre").map(({ text }) => text)
      .filter((text) => /^(?:curl|<iframe)/.test(text));
    const named = samples.flatMap((
      text,
    ) => [...text.matchAll(/"https:[^"]*?(\/(?:api\/v1\/events|events|embed)\/rec[^"?]*)/g)]);
    assert.ok(named.length > 0, path);
    for (const [, address = ""] of named) {
      assert.match(address, /\/recNext0000000001\b/);
      if (/logo|background|card/.test(address)) continue;
      assert.equal((await site.get(address)).status, 200, address);
    }
    assert.ok(!samples.join().includes("solder-night"), path);
  }
});

Deno.test("a document lives at one address", async () => {
  await using site = await openSite([]);
  const moved = { versioning: "/api/versioning", reference: "/api/v1/docs" };
  for (const [name, address] of Object.entries(moved)) {
    for (const twin of ["", ".md"]) {
      const response = await site.get(`/docs/${name}${twin}`);
      assert.equal(response.status, 302);
      assert.equal(response.headers.get("location"), `${address}${twin}`);
    }
  }
});
