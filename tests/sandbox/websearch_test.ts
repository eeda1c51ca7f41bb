import assert from "node:assert/strict";
import { createWebsearchStandIn } from "../../lib/sandbox/websearch.ts";
import { eventsOf, KEY, serve } from "./provider_stand_in.ts";

const TIDES = "https://sandbox.example/science/tides";
const BREAD = "https://sandbox.example/cooking/sourdough";

function setUp() {
  return serve(createWebsearchStandIn);
}

Deno.test("a search returns the requested number of pages, the best first, and states that it is a sandbox", async () => {
  await using served = setUp();
  const response = await served.ask("/search", { query: "two tides of the moon", numResults: 3 });
  assert.equal(response.headers.get("X-Sandbox"), "foyer");
  const { requestId, sandbox, results } = await response.json();
  assert.match(requestId, /^sandbox-/);
  assert.equal(sandbox, true);
  assert.equal(results.length, 3);
  assert.equal(results[0].url, TIDES);
  assert.equal(results[0].text, undefined);
});

Deno.test("contents are returned as requested", async () => {
  await using served = setUp();
  const contents = { text: { maxCharacters: 20 }, highlights: true, summary: { query: "steam" } };
  const response = await served.ask("/search", { query: "sourdough", numResults: 1, contents });
  const { results: [result] } = await response.json();
  assert.equal(result.url, BREAD);
  assert.equal(result.text.length, 20);
  assert.equal(result.highlights.length, 2);
  assert.match(result.summary, /steam/);
});

Deno.test("each page has its subpages, with the requested contents", async () => {
  await using served = setUp();
  const contents = { text: { maxCharacters: 20 }, subpages: 2 };
  const response = await served.ask("/search", { query: "sourdough", numResults: 1, contents });
  const { results: [{ url, subpages }] } = await response.json();
  assert.equal(subpages.length, 2);
  for (const page of subpages) {
    assert.match(page.url, /^https:\/\/sandbox\.example\/cooking\//);
    assert.notEqual(page.url, url);
    assert.equal(page.text.length, 20);
  }
});

Deno.test("searches and contents cost the prices of the provider's list, to the digit", async (t) => {
  const one = { numResults: 1 };
  const cases: [path: string, body: Record<string, unknown>, totalUsd: string][] = [
    ["/search", one, "0.007"],
    ["/search", { ...one, contents: { text: true, highlights: true } }, "0.007"],
    ["/search", { ...one, type: "lite" }, "0.004"],
    ["/search", { ...one, type: "instant" }, "0.004"],
    ["/search", { ...one, type: "deep" }, "0.012"],
    ["/search", { ...one, type: "deep-reasoning" }, "0.015"],
    ["/search", { numResults: 13 }, "0.01"],
    ["/search", { numResults: 2, contents: { summary: true } }, "0.009"],
    ["/search", { ...one, contents: { summary: null } }, "0.007"],
    ["/search", { ...one, stream: true }, "0.007"],
    ["/findSimilar", { url: TIDES }, "0.007"],
    ["/contents", { urls: [TIDES] }, "0.001"],
    ["/contents", { ids: [TIDES, BREAD], text: true, summary: true }, "0.004"],
    ["/contents", { urls: ["https://sandbox.example/none"] }, "0"],
    ["/contents", { urls: [TIDES], subpages: 2 }, "0.003"],
    ["/search", { ...one, contents: { text: true, subpages: 2 } }, "0.009"],
    ["/search", { ...one, contents: { summary: true, subpages: 2 } }, "0.01"],
    ["/answer", { stream: false }, "0.005"],
    ["/answer", { stream: true }, "0.005"],
  ];
  await using served = setUp();
  for (const [path, body, totalUsd] of cases) {
    await t.step(`${path} ${JSON.stringify(body)}`, async () => {
      const headers = { "x-request-id": crypto.randomUUID() };
      const response = await served.ask(path, { query: "tides", ...body }, { headers });
      assert.ok((await response.text()).includes(`"costDollars":{"total":${totalUsd}`));
      const charged = served.standIn.charges.get(headers["x-request-id"]) ?? 0n;
      assert.equal(charged, BigInt(Math.round(Number(totalUsd) * 1e9)));
    });
  }
});

Deno.test("the inside of a cost adds up", async () => {
  await using served = setUp();
  const body = { query: "tides", numResults: 12, contents: { summary: true } };
  const { costDollars } = await (await served.ask("/search", body)).json();
  assert.deepEqual(costDollars, {
    total: 0.021,
    search: { neural: 0.009 },
    contents: { summary: 0.012 },
  });
});

Deno.test("filters exclude their pages", async (t) => {
  await using served = setUp();
  const urls = async (filter: Record<string, unknown>) => {
    const body = { query: "tomatoes", numResults: 100, ...filter };
    const { results } = await (await served.ask("/search", body)).json();
    return results.map(({ url }: { url: string }) => url);
  };
  const all = (await urls({})).length;
  const cooking = (url: string) => url.includes("/cooking/");
  await t.step("includeDomains with a path", async () => {
    const found = await urls({ includeDomains: ["sandbox.example/cooking"] });
    assert.ok(found.length > 1 && found.every(cooking));
  });
  await t.step("excludeDomains with a path", async () => {
    const found = await urls({ excludeDomains: ["sandbox.example/cooking"] });
    assert.ok(found.length < all && !found.some(cooking));
  });
  await t.step("domains whole", async () => {
    assert.equal((await urls({ includeDomains: ["example"] })).length, all);
    assert.deepEqual(await urls({ includeDomains: ["example.com", "box.example"] }), []);
    assert.deepEqual(await urls({ excludeDomains: ["sandbox.example"] }), []);
  });
  await t.step("dates and texts", async () => {
    assert.ok((await urls({ startPublishedDate: "2026-01-01" })).length < all);
    assert.deepEqual(await urls({ endPublishedDate: "2001-01-01" }), []);
    assert.deepEqual(await urls({ includeText: ["whetstone"] }), [
      "https://sandbox.example/cooking/knives",
    ]);
    assert.equal((await urls({ excludeText: ["whetstone"] })).length, all - 1);
  });
});

Deno.test("findSimilar finds pages on the same subject, and not the page itself", async () => {
  await using served = setUp();
  const url = "https://sandbox.example/cooking/tomato-sauce";
  const { results } = await (await served.ask("/findSimilar", { url, numResults: 100 })).json();
  assert.equal(results[0].url, "https://sandbox.example/garden/tomatoes");
  assert.ok(!results.some((result: { url: string }) => result.url === url));
});

Deno.test("contents reports an unknown address in statuses, with HTTP 200", async () => {
  await using served = setUp();
  const response = await served.ask("/contents", { urls: [BREAD, "https://nowhere.example/"] });
  assert.equal(response.status, 200);
  const { results, statuses } = await response.json();
  assert.deepEqual(results.map(({ id }: { id: string }) => id), [BREAD]);
  assert.match(results[0].text, /^Sourdough bread rises/);
  assert.deepEqual(statuses, [
    { id: BREAD, status: "success", source: "cached" },
    {
      id: "https://nowhere.example/",
      status: "error",
      error: { tag: "CRAWL_NOT_FOUND", httpStatusCode: 404 },
    },
  ]);
});

Deno.test("an answer quotes the pages that it cites, or fills the schema it is given", async () => {
  await using served = setUp();
  const query = "How does sourdough bread rise?";
  const plain = await (await served.ask("/answer", { query, text: true })).json();
  assert.match(plain.answer, /Sourdough bread rises by wild yeast/);
  assert.equal(plain.citations[0].url, BREAD);
  assert.match(plain.citations[0].text, /yeast/);
  const outputSchema = {
    type: "object",
    properties: { how: { type: "string" }, tags: { type: "array", items: { enum: ["a"] } } },
  };
  const filled = await (await served.ask("/answer", { query, outputSchema })).json();
  assert.deepEqual(filled.answer, { how: plain.answer, tags: ["a"] });
});

Deno.test("a stream has a delta per word, then citations, then the cost and the request's id", async () => {
  await using served = setUp();
  for (const path of ["/answer", "/search"]) {
    const response = await served.ask(path, { query: "sourdough bread", stream: true });
    assert.match(response.headers.get("Content-Type") ?? "", /^text\/event-stream/);
    const events = eventsOf(await response.text());
    const words = events.slice(0, -2);
    assert.ok(words.every(({ object }) => object === "chat.completion.chunk"));
    const said = words.map(({ choices }) => choices[0].delta.content).join("");
    assert.match(said, /^From the sandbox: Sourdough bread rises/);
    assert.ok(words.length > 10);
    assert.equal(events.at(-2).citations[0].url, BREAD);
    assert.match(events.at(-1).requestId, /^sandbox-/);
    assert.equal(events.at(-1).costDollars.total, path === "/answer" ? 0.005 : 0.007);
  }
});

Deno.test("the same question gives the same bytes, apart from the request's id", async () => {
  await using served = setUp();
  for (const [path, body] of [["/search", {}], ["/answer", { stream: true }]] as const) {
    const ask = async () => {
      const text = await (await served.ask(path, { query: "compost", ...body })).text();
      return text.replaceAll(/sandbox-\d+/g, "");
    };
    assert.equal(await ask(), await ask());
  }
});

Deno.test("a request without an answer is refused in the flat layout, and costs nothing", async (t) => {
  await using served = setUp();
  const cases: [path: string, body: unknown, status: number, tag: string][] = [
    ["/search", {}, 400, "INVALID_REQUEST_BODY"],
    ["/search", { query: null }, 400, "INVALID_REQUEST_BODY"],
    ["/search", [], 400, "INVALID_REQUEST_BODY"],
    ["/search", { query: "a", numResults: 0 }, 400, "INVALID_NUM_RESULTS"],
    ["/search", { query: "a", numResults: 101 }, 400, "NUM_RESULTS_EXCEEDED"],
    ["/search", { query: "a", includeDomains: "b" }, 400, "INVALID_REQUEST"],
    ["/findSimilar", {}, 400, "INVALID_REQUEST_BODY"],
    ["/contents", {}, 400, "INVALID_REQUEST_BODY"],
    ["/contents", { urls: ["a"], ids: ["a"] }, 400, "INVALID_REQUEST_BODY"],
    ["/contents", { urls: [] }, 400, "INVALID_URLS"],
    ["/answer", { query: "" }, 400, "INVALID_REQUEST_BODY"],
    ["/findsimilar", { url: "a" }, 404, "NOT_FOUND"],
    ["/toString", {}, 404, "NOT_FOUND"],
  ];
  for (const [path, body, status, tag] of cases) {
    await t.step(`${path} ${JSON.stringify(body)}`, async () => {
      const response = await served.ask(path, body);
      assert.equal(response.status, status);
      const refusal = await response.json();
      assert.deepEqual(Object.keys(refusal), ["requestId", "error", "tag"]);
      assert.equal(refusal.tag, tag);
    });
  }
  assert.equal(served.standIn.charges.size, 0);
});

Deno.test("the key comes as x-api-key or as Bearer; another is refused", async () => {
  await using served = setUp();
  const status = async (headers: Record<string, string>) => {
    const response = await served.ask("/answer", { query: "a" }, { headers });
    const { tag } = await response.json();
    return [response.status, tag];
  };
  assert.deepEqual(await status({ Authorization: "", "x-api-key": KEY }), [200, undefined]);
  assert.deepEqual(await status({}), [200, undefined]);
  assert.deepEqual(await status({ Authorization: "Bearer other" }), [401, "INVALID_API_KEY"]);
});
