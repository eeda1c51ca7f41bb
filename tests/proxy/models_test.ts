/** The model lists, through the public door. */

import assert from "node:assert/strict";
import OpenAI from "openai";
import { OpenRouter } from "@openrouter/sdk";
import { readDecisionModels, readModels } from "../../lib/proxy/internal/model_source.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import { createGate } from "./proxy.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function list(foyer: Foyer, path = "/proxy/v1/models", init?: RequestInit) {
  const response = await foyer.get(path, init);
  return { response, body: await response.json() };
}

/** The router's own list at a path. */
async function original(foyer: Foyer, path: string) {
  const response = await foyer.router.fetch(new Request(`http://router.test${path}`));
  return (await response.json()).data as { id: string }[];
}

Deno.test("the list holds every chat and every embedding model once, exactly as the router says, and pages cut it", async () => {
  await using foyer = await startFoyer();
  const chat = await original(foyer, "/v1/models");
  const embeddings = await original(foyer, "/v1/embeddings/models");
  const { response, body } = await list(foyer);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.ok(embeddings.length > 0);
  assert.deepEqual(body.data, [...chat, ...embeddings]);
  assert.equal(new Set(body.data.map(({ id }: { id: string }) => id)).size, body.data.length);
  assert.equal(body.object, "list");
  assert.deepEqual(body.links, { next: null });
  assert.equal(body.total_count, body.data.length);
  assert.deepEqual((await list(foyer, "/proxy/v1/embeddings/models")).body.data, embeddings);
  const { body: page } = await list(foyer, "/proxy/v1/models?offset=10&limit=5");
  assert.deepEqual(page.data, body.data.slice(10, 15));
  assert.match(page.links.next, /^https:\/\/foyer\.example\/proxy\/v1\/models\?offset=15&limit=5$/);
  const { body: end } = await list(foyer, `/proxy/v1/models?offset=${body.total_count}`);
  assert.deepEqual([end.data, end.links.next], [[], null]);
});

Deno.test("a model that is in both lists of the router is listed once, and an entry without an id is left out", async () => {
  await using foyer = await startFoyer();
  const [embedding] = await original(foyer, "/v1/embeddings/models");
  const [first] = await original(foyer, "/v1/models");
  const both = { ...embedding, architecture: { output_modalities: ["text", "embeddings"] } };
  foyer.router.setModels([null, 7, { name: "nameless" }, { id: "" }, first, both, both, embedding]);
  const { body } = await list(foyer);
  assert.deepEqual(body.data, [first, both]);
});

/** What each query means, told by the fields of a model. */
const QUERIES: Readonly<Record<string, (model: Described) => boolean>> = {
  "supported_parameters=tools": (model) => model.supported_parameters.includes("tools"),
  "supported_parameters=tools,%20Reasoning": ({ supported_parameters: given }) =>
    given.includes("tools") && given.includes("reasoning"),
  "supported_parameters=tools&supported_parameters=reasoning": ({ supported_parameters: given }) =>
    given.includes("tools") && given.includes("reasoning"),
  "supported_parameters=telepathy": () => false,
  "input_modalities=image": ({ architecture }) => architecture.input_modalities.includes("image"),
  "input_modalities=text,image": ({ architecture: { input_modalities: inputs } }) =>
    inputs.includes("text") && inputs.includes("image"),
  "output_modalities=embeddings": ({ architecture }) =>
    architecture.output_modalities.includes("embeddings"),
  "output_modalities=text,image": ({ architecture: { output_modalities: outputs } }) =>
    outputs.includes("text") || outputs.includes("image"),
  "output_modalities=all": () => true,
  "output_modalities=all&supported_parameters=seed": (model) =>
    model.supported_parameters.includes("seed"),
};

/** The members of a model that filters look at. */
interface Described {
  readonly id: string;
  readonly supported_parameters: readonly string[];
  readonly architecture: Record<"input_modalities" | "output_modalities", readonly string[]>;
}

Deno.test("the lists take the router's own filters, pages keep them, and the count is that of the list", async () => {
  await using foyer = await startFoyer();
  const all = await original(foyer, "/v1/models?output_modalities=all") as unknown as Described[];
  const both = (await list(foyer)).body.data as Described[];
  for (const [query, isMeant] of Object.entries(QUERIES)) {
    const { body } = await list(foyer, `/proxy/v1/models?${query}`);
    const from = query.includes("output_modalities") ? all : both;
    const ids = from.filter(isMeant).map(({ id }) => id);
    assert.deepEqual(body.data.map(({ id }: Described) => id).sort(), ids.sort(), query);
    const count = await list(foyer, `/proxy/v1/models/count?${query}`);
    assert.deepEqual(count.body, { data: { count: ids.length } }, query);
    const found = [];
    for (let next = `/proxy/v1/models?limit=7&${query}`; next !== "";) {
      const { body: page } = await list(foyer, next);
      found.push(...page.data);
      next = page.links.next?.replace("https://foyer.example", "") ?? "";
    }
    assert.deepEqual(found, body.data, query);
  }
});

Deno.test("the router says which models are in a category and how they are ordered, once in five minutes for each", async () => {
  await using foyer = await startFoyer();
  const rest = (await list(foyer)).body.data.map(({ id }: Described) => id) as string[];
  for (const query of ["category=marketing%2Fseo", "sort=newest", "sort=pricing-low-to-high"]) {
    const known = await original(foyer, `/v1/models?output_modalities=all&${query}`);
    const expected = known.map(({ id }) => id).filter((id) => rest.includes(id));
    for (let times = 0; times < 2; times++) {
      const { body } = await list(foyer, `/proxy/v1/models?${query}`);
      assert.deepEqual(
        query.startsWith("sort") ? ids(body) : ids(body).sort(),
        query.startsWith("sort") ? expected : expected.sort(),
        query,
      );
    }
  }
  const asked = foyer.router.requests.filter(({ path }) => path.startsWith("/v1/models?"));
  assert.equal(asked.length, 3 + 3, "each by the service and by this test");
});

const ids = ({ data }: { data: readonly Described[] }) => data.map(({ id }) => id);

Deno.test("parameters that the lists do not know are ignored as by the router; impossible values are refused", async () => {
  await using foyer = await startFoyer();
  const { body: whole } = await list(foyer);
  for (
    const query of ["?limt=5", "?use_rss=true", "?category=", "?zdr=true&arch=GPT&max_price=3"]
  ) {
    assert.deepEqual((await list(foyer, `/proxy/v1/models${query}`)).body, whole, query);
  }
  const wrong = ["?limit=0", "?limit=1001", "?offset=-1", "?offset=1&offset=2", "?sort=best"];
  for (const query of wrong) {
    const { response, body } = await list(foyer, `/proxy/v1/models${query}`);
    assert.equal(response.status, 400, query);
    assert.equal(body.code, "bad_request");
    assert.ok(body.hint, query);
  }
});

Deno.test("one model is found by its id, with a slash that is not encoded, and an unknown one is 404", async () => {
  await using foyer = await startFoyer();
  const [model] = await original(foyer, "/v1/models");
  assert.deepEqual((await list(foyer, `/proxy/v1/models/${model?.id}`)).body, model);
  for (const id of ["nobody/nothing", "%zz", "a%2Fb%2Fc"]) {
    assert.equal((await list(foyer, `/proxy/v1/models/${id}`)).response.status, 404, id);
  }
});

Deno.test("one model's endpoints come from the router, for the models that are listed", async () => {
  await using foyer = await startFoyer();
  const { body } = await list(foyer, "/proxy/v1/models/~northfield/wren-latest/endpoints");
  assert.equal(body.data.id, "~northfield/wren-latest");
  assert.equal(body.data.endpoints.length, 1);
  await list(foyer, "/proxy/v1/models/~northfield%2Fwren-latest/endpoints");
  await list(foyer, "/proxy/v1/models/~northfield/wren-latest/endpoints");
  for (const id of ["nobody/nothing", "..%2F..%2Fv1/key", "sandbox/%zz"]) {
    const { response } = await list(foyer, `/proxy/v1/models/${id}/endpoints`);
    assert.equal(response.status, 404, id);
  }
  const asked = foyer.router.requests.filter(({ path }) => path.endsWith("/endpoints"));
  assert.equal(asked.length, 1);
});

Deno.test("a caller who has the list gets 304 until it changes", async () => {
  await using foyer = await startFoyer();
  const { response } = await list(foyer);
  const etag = response.headers.get("etag") ?? "";
  const again = await foyer.get("/proxy/v1/models", { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get("etag"), etag);
  foyer.router.setModels((await original(foyer, "/v1/models")).slice(1));
  foyer.clock.now += 5 * MINUTE;
  const changed = await foyer.get("/proxy/v1/models", { headers: { "if-none-match": etag } });
  assert.equal(changed.status, 200);
});

Deno.test("the router is asked once in five minutes, however many callers there are", async () => {
  await using foyer = await startFoyer();
  await Promise.all(Array.from({ length: 50 }, () => list(foyer)));
  foyer.clock.now += 5 * MINUTE - 1;
  await list(foyer);
  const asked = () =>
    foyer.router.requests.filter(({ path }) => path.startsWith("/v1/models"))
      .length;
  assert.equal(asked(), 1);
  foyer.clock.now += 1;
  await Promise.all(Array.from({ length: 50 }, () => list(foyer)));
  assert.equal(asked(), 2);
});

Deno.test("while the router is down the last list is served for a day with its age, then 502", async () => {
  await using foyer = await startFoyer();
  const { body: good } = await list(foyer);
  foyer.router.faults.push({ kind: "status", status: 503, sticky: true });
  foyer.clock.now += 24 * HOUR - 1000;
  const { response, body } = await list(foyer);
  assert.deepEqual(body, good);
  assert.equal(response.headers.get("age"), String(24 * 3600 - 1));
  const errors = () => foyer.lines.filter(({ level }) => level === "error");
  assert.deepEqual(errors().map(({ message }) => message), ["A copy cannot be renewed."]);
  foyer.clock.now += 60_000;
  const late = await list(foyer);
  assert.equal(late.response.status, 502);
  assert.equal(late.body.error.type, "upstream_error");
  assert.equal(late.response.headers.get("x-refused-by"), "upstream");
  assert.equal(errors().length, 2, "each failure is logged once");
  foyer.router.faults.clear();
  foyer.clock.now += 60_000;
  assert.equal((await list(foyer)).response.status, 200);
});

Deno.test("a router that hangs delays no caller for long while there is a list of today", async () => {
  const patience = 2_000;
  const waits: number[] = [];
  await using foyer = await startFoyer({
    sleep(milliseconds) {
      waits.push(milliseconds);
      return milliseconds > patience ? new Promise(() => {}) : Promise.resolve();
    },
  });
  const { body: good } = await list(foyer);
  using rest = createGate();
  foyer.router.faults.push({ kind: "delay", until: rest.opened, sticky: true });
  foyer.clock.now += HOUR;
  const { response, body } = await list(foyer);
  assert.equal(waits.at(-1), patience);
  assert.deepEqual(body, good);
  assert.equal(response.headers.get("age"), "3600");
  rest.open();
});

Deno.test("a router that answers with a fault is a 502, and nothing is kept of it", async () => {
  for (const kind of ["garbage", "html", "reset", "truncated"] as const) {
    await using foyer = await startFoyer();
    foyer.router.faults.push({ kind, sticky: true });
    assert.equal((await list(foyer)).response.status, 502, kind);
    foyer.router.faults.clear();
    foyer.clock.now += MINUTE;
    assert.equal((await list(foyer)).response.status, 200, kind);
  }
});

Deno.test("the decision models have our names, both aliases among them, for callers with a key and their own caches alone", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  for (const path of ["/proxy/v1/decision/models", "/proxy/v1/decision/v1/models"]) {
    const headers = { authorization: `Bearer ${key}` };
    const { response, body } = await list(foyer, path, { headers });
    assert.equal(response.status, 200);
    assert.ok(response.headers.get("ratelimit"));
    assert.match(response.headers.get("cache-control") ?? "", /^private, max-age=\d+$/);
    const names = body.models.map(({ name }: { name: string }) => name);
    for (const alias of ["decision-latest", "decision-preview"]) assert.ok(names.includes(alias));
    assert.ok(names.every((name: string) => name.startsWith("decision-")), names.join());
    assert.equal(new Set(names).size, names.length);
    assert.equal((await list(foyer, path)).response.status, 401);
  }
});

Deno.test("both aliases are there with the newest date, whether the provider lists them or not", async () => {
  const versions = [
    { name: "jev-1.13.0", release_date: "2026-08-01" },
    { name: "jev-1.14.0", release_date: "2026-10-01" },
  ];
  const preview = { name: "jev-preview", description: "its own", release_date: "2026-10-01" };
  for (const models of [versions, [...versions, preview]]) {
    const fetch = () => Promise.resolve(Response.json({ models }));
    const address = { fetch, url: "http://provider.example/v1/models", name: "it" };
    const listed = await readDecisionModels({ ...address, apiKey: undefined }, "jev");
    const byName = new Map(listed.map((model) => [model.name, model]));
    assert.deepEqual([...byName.keys()].sort(), [
      "decision-1.13.0",
      "decision-1.14.0",
      "decision-latest",
      "decision-preview",
    ]);
    assert.equal(listed.length, 4);
    for (const alias of ["decision-latest", "decision-preview"]) {
      assert.equal(byName.get(alias)?.["release_date"], "2026-10-01");
    }
    if (models.length === 3) {
      assert.equal(byName.get("decision-preview")?.["description"], "its own");
    }
  }
});

Deno.test("openai and the OpenRouter client list 1,100 models to the end, and find one by its id", async () => {
  await using foyer = await startFoyer({ models: 1_100 });
  const given = ["/v1/models", "/v1/embeddings/models"].map((path) => original(foyer, path));
  const data = (await Promise.all(given)).flat();
  assert.ok(data.length > 1_100);
  const openai = new OpenAI({ baseURL: `${foyer.origin}/proxy/v1`, apiKey: "none" });
  const listed = [];
  for await (const model of openai.models.list()) listed.push(model);
  assert.deepEqual(listed, data);
  const some = data.filter((_, at) => at % 20 === 0);
  const retrieved = await Promise.all(some.map(({ id }) => openai.models.retrieve(id)));
  assert.deepEqual(retrieved, some);
  await assert.rejects(
    openai.models.retrieve("nobody/nothing", { maxRetries: 0 }),
    (error) => error instanceof OpenAI.NotFoundError && /no such model/.test(error.message),
  );
  const router = new OpenRouter({ serverURL: `${foyer.origin}/proxy/v1`, apiKey: "none" });
  const ids: string[] = [];
  for await (const page of await router.models.list()) {
    ids.push(...page.result.data.map(({ id }) => id));
  }
  assert.deepEqual(ids, data.map(({ id }) => id));
  const filters = {
    supportedParameters: "tools",
    inputModalities: "image",
    sort: "newest",
  } as const;
  const [page] = await Array.fromAsync(await router.models.list(filters));
  assert.ok(page !== undefined && page.result.data.length > 0);
  const isMeant = ({ supportedParameters, architecture }: typeof page.result.data[number]) =>
    supportedParameters.includes("tools") && architecture.inputModalities.includes("image");
  assert.ok(page.result.data.every(isMeant));
  assert.equal((await router.models.count()).data.count, data.length);
  const [author = "", slug = ""] = data[0]?.id.split("/") ?? [];
  const { data: { endpoints } } = await router.endpoints.list({ author, slug });
  assert.equal(endpoints[0]?.modelId, data[0]?.id);
});

Deno.test("an endless list is given up before it fills the memory", async () => {
  let sent = 0;
  let isCancelled = false;
  const endless = new ReadableStream({
    pull(controller) {
      sent++;
      controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20));
    },
    cancel() {
      isCancelled = true;
    },
  });
  const address = { url: "http://router.test", apiKey: undefined, name: "the router" };
  const fetch = () => Promise.resolve(new Response(endless));
  await assert.rejects(readModels({ ...address, fetch }), /endless/);
  assert.ok(isCancelled && sent < 40, `${sent} MiB`);
});
