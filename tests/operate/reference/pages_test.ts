/** The reference through the public door: page, markdown, description and catalog. */

import assert from "node:assert/strict";
import { ERROR_CODES } from "../../../lib/platform/http/errors.ts";
import type { OpenApi } from "../../../lib/operate/reference/openapi.ts";
import { find, withoutScripts } from "../../site/html.ts";
import { BASE_URL, openSite } from "../../site/site.ts";

const DESCRIPTION = "/api/v1/openapi.json";
const PAGE = "/api/v1/docs";
const CATALOG = "/.well-known/api-catalog";

/** A site, its description, and the markdown of its reference. */
async function openReference() {
  const site = await openSite([]);
  const openApi: OpenApi = await (await site.get(DESCRIPTION)).json();
  const markdown = await (await site.get(`${PAGE}.md`)).text();
  return { ...site, openApi, markdown };
}

Deno.test("page and markdown name every operation, parameter, header, body, field and code", async () => {
  await using site = await openReference();
  const { openApi, markdown } = site;
  const page = await site.see(PAGE);
  const html = find(page.all, "article")[0]?.text ?? "";
  const { headers, schemas } = openApi.components;
  const operations = Object.entries(openApi.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId, parameters = [], responses }]) => [
      `${method.toUpperCase()} ${path}`,
      operationId,
      ...parameters.map(({ name }) => name),
      ...Object.keys(responses),
    ])
  );
  const fields = Object.values(schemas).flatMap((schema) => Object.keys(schema.properties ?? {}));
  const parts = [...Object.keys(headers), ...Object.keys(schemas), ...fields];
  for (const name of [...operations, ...parts, ...ERROR_CODES]) {
    assert.ok(html.includes(name), `the page says nothing of ${name}`);
    assert.ok(markdown.includes(name), `the markdown says nothing of ${name}`);
  }
  const named = [...markdown.matchAll(/\| \[(\w+)\]\(#(\w+)\)/g)];
  assert.ok(named.length > 0, "bodies are named");
  for (const [, name = "", anchor] of named) {
    assert.ok(markdown.includes(`\n### ${name}\n`), name);
    assert.equal(anchor, name.toLowerCase());
  }
});

Deno.test("every link within the page leads to something and needs no third party, and the reference is kept by its entity tags", async () => {
  await using site = await openSite([]);
  const { all, html, headers } = await site.see(PAGE);
  const ids = all.map(({ attributes }) => attributes["id"]).filter((id) => id !== undefined);
  assert.equal(new Set(ids).size, ids.length);
  const errors = await site.see("/docs/errors");
  for (const { attributes } of find(all, "a")) {
    const { origin, pathname, hash } = new URL(attributes["href"] ?? "", `${BASE_URL}${PAGE}`);
    assert.equal(origin, BASE_URL);
    const there = pathname === PAGE ? all : pathname === "/docs/errors" ? errors.all : [];
    if (there.length === 0 || hash === "") continue;
    const id = decodeURIComponent(hash.slice(1));
    assert.ok(there.some((each) => each.attributes["id"] === id), `${pathname}${hash}`);
  }
  assert.ok(!/<script|<iframe| style=/.test(withoutScripts(html)));
  assert.match(headers.get("link") ?? "", /<\/api\/v1\/openapi\.json>; rel="service-desc"/);
  for (const path of [PAGE, `${PAGE}.md`, DESCRIPTION, CATALOG]) {
    const etag = (await site.get(path)).headers.get("etag") ?? "";
    assert.match(etag, /^W\/"/, path);
    assert.equal((await site.get(path, { headers: { "if-none-match": etag } })).status, 304, path);
  }
  const markdown = await site.get(PAGE, { headers: { accept: "text/markdown" } });
  assert.equal(markdown.headers.get("content-type"), "text/markdown; charset=utf-8");
});

Deno.test("the catalog links to the descriptions of the APIs, also on HEAD", async () => {
  await using site = await openSite([]);
  const head = await site.get(CATALOG, { method: "HEAD" });
  assert.match(head.headers.get("link") ?? "", /rel="api-catalog"/);
  const response = await site.get(CATALOG);
  assert.match(response.headers.get("content-type") ?? "", /^application\/linkset\+json; profile=/);
  const { linkset } = await response.json();
  for (const links of linkset) {
    for (const rel of ["service-desc", "service-doc"]) {
      const [{ href, type }] = links[rel];
      const linked = await site.get(href.slice(BASE_URL.length));
      assert.equal(linked.status, 200, href);
      assert.ok(linked.headers.get("content-type")?.startsWith(type));
    }
  }
});

Deno.test("the description says which headers a refusal has, and the markdown how to ask", async () => {
  await using site = await openReference();
  const { openApi, markdown } = site;
  // Each operation has a row for its answer; its refusals stand below, by their codes.
  assert.equal(
    markdown.match(/^\| 200 +\|/gm)?.length,
    Object.values(openApi.paths).flatMap(Object.keys).length,
  );
  assert.doesNotMatch(markdown, /^\| 4\d\d +\|/m);
  const path = "/proxy/v1/websearch/search";
  const { responses } = openApi.paths[path]?.post ?? assert.fail();
  const statusesWith = (header: string) =>
    Object.keys(responses).filter((status) => header in (responses[status]?.headers ?? {}));
  const LIMITED = ["200", "402", "403", "422", "429"];
  const expected = {
    "RateLimit": LIMITED,
    "RateLimit-Policy": LIMITED,
    "Retry-After": ["402", "429", "502", "503", "529"],
    "WWW-Authenticate": ["401"],
  };
  for (const [header, statuses] of Object.entries(expected)) {
    const described = Object.keys(responses).filter((status) => statuses.includes(status));
    assert.deepEqual(statusesWith(header), described, header);
  }
  const passedOn = Object.keys(responses).filter((status) =>
    JSON.stringify(responses[status]?.content).includes('"anyOf"')
  );
  const upstream = Object.keys(responses).filter((each) => /^(400|404|422|429|529)$/.test(each));
  assert.deepEqual(passedOn, upstream);
  assert.ok(passedOn.includes("429"));
  // These requests are never forwarded, so all their errors are the service's own.
  for (const own of ["/proxy/v1/models", "/proxy/v1/usage", "/api/v1/events/{idOrSlug}"]) {
    const { responses } = openApi.paths[own]?.get ?? assert.fail(own);
    assert.ok(!/anyOf|passed on/.test(JSON.stringify(Object.values(responses).slice(1))), own);
  }
  const samples = [...markdown.matchAll(/^```sh\n(curl [^]*?)^```$/gm)].map(([, text]) => text);
  assert.ok(samples.some((text) => text?.includes(`${BASE_URL}${path}`)), samples.join());
});

Deno.test("an operation names its errors, which one table explains; a number has its limits", async () => {
  await using site = await openReference();
  const { openApi, markdown } = site;
  const [section = ""] = /^### GET \/api\/v1\/events\n[^]*?(?=\n###? )/m.exec(markdown) ?? [];
  assert.match(section, /^\[Errors\]\(#errors\): `bad_request`, /m);
  assert.doesNotMatch(section, /^\| 400 |Needs a/m);
  assert.match(markdown, /^\*\*Search the web\*\*.* Needs a \[key\]\(#keys\)\./m);
  assert.match(markdown, /^\| `bad_request` \| 400 \| Something in the request is invalid/m);
  // The example, a line for each member.
  assert.match(section, /^```json\n\{\n {2}"data": \[\n {4}\{\n {6}"id": /m);
  assert.match(section, /^\| 304 \| The cached response is still current\. \|/m);
  // The limits of JavaScript's numbers are not worth a note.
  const description = JSON.stringify(openApi);
  for (const limit of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
    assert.ok(!description.includes(`:${limit}`), `${limit}`);
  }
  assert.match(description, /"minimum":0\b/);
});

Deno.test("an operation that needs no key, body or name has a link to its response", async () => {
  await using site = await openReference();
  const { all } = await site.see(PAGE);
  const links = find(all, "a").filter(({ attributes }) => attributes["target"] === "_blank")
    .map(({ attributes }) => (attributes["href"] ?? "").slice(BASE_URL.length));
  const expected = Object.entries(site.openApi.paths)
    .filter(([path, { get }]) => get && get.security === undefined && !path.includes("{"))
    .map(([path]) => path);
  assert.deepEqual(links.map((link) => link.replace(/[?].*/, "")).toSorted(), expected.toSorted());
  for (const link of links) {
    const response = await site.get(link);
    assert.ok(response.status !== 400 && response.status !== 404, `${link}: ${response.status}`);
  }
});
