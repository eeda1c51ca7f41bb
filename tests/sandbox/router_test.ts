import { OpenRouter } from "@openrouter/sdk";
import assert from "node:assert/strict";
import OpenAI from "openai";
import type { ProviderFault, ProviderOptions } from "../../lib/sandbox/provider.ts";
import { createRouterStandIn, type RouterOptions } from "../../lib/sandbox/router.ts";
import type { RouterModel } from "../../lib/sandbox/router_model.ts";
import { sandboxModels } from "../../lib/sandbox/router_models.ts";
import { KEY, serve } from "./provider_stand_in.ts";

const MANAGEMENT_KEY = "management.test";

interface Listing {
  readonly data: readonly RouterModel[];
  readonly links: { readonly next: string | null };
  readonly total_count: number;
}

function setUp(options: Partial<RouterOptions> = {}, ...faults: ProviderFault[]) {
  const create = (given: ProviderOptions) =>
    createRouterStandIn({ ...given, managementKey: MANAGEMENT_KEY, ...options });
  const served = serve(create, ...faults);
  const get = (path: string, key?: string) =>
    fetch(
      served.origin + path,
      key === undefined ? {} : {
        headers: { Authorization: `Bearer ${key}` },
      },
    );
  return {
    ...served,
    get,
    async list(path: string): Promise<Listing> {
      const response = await get(path);
      assert.equal(response.status, 200);
      return await response.json();
    },
    sdk: (apiKey: string) => new OpenRouter({ apiKey, serverURL: `${served.origin}/v1` }),
  };
}

function idsOf({ data }: { readonly data: readonly { readonly id: string }[] }): string[] {
  return data.map(({ id }) => id);
}

Deno.test("both clients list every model of the default list", async () => {
  await using served = setUp();
  const { data, links, total_count } = await served.list("/v1/models");
  assert.equal(data.length, 2000);
  assert.equal(total_count, 2000);
  assert.equal(links.next, null);
  const ids = idsOf({ data });
  assert.equal(new Set(ids).size, ids.length);

  const listed = [];
  for await (const page of await served.sdk(KEY).models.list()) listed.push(...idsOf(page.result));
  assert.deepEqual(listed, ids);

  const openai = new OpenAI({ apiKey: KEY, baseURL: `${served.origin}/v1` });
  assert.deepEqual(idsOf(await openai.models.list()), ids);
});

Deno.test("the router's client lists the models for embeddings", async () => {
  await using served = setUp({ models: 5 });
  const listed = [];
  for await (const page of await served.sdk(KEY).embeddings.listModels()) {
    listed.push(...idsOf(page.result));
  }
  assert.equal(listed.length, 12);
  assert.deepEqual(listed, idsOf(await served.list("/v1/embeddings/models")));
  assert.deepEqual(listed, idsOf(await served.list("/v1/models?output_modalities=embeddings")));
});

Deno.test("models are requested by their output, which is text by default", async () => {
  await using served = setUp({ models: 100 });
  const count = async (query: string) => (await served.list(`/v1/models${query}`)).data.length;
  assert.equal(await count(""), 100);
  assert.equal(await count("?output_modalities=all"), 124);
  assert.equal(await count("?output_modalities=rerank,speech"), 4);
  assert.equal(await count("?output_modalities=decisions"), 2);
  assert.equal(await count("?output_modalities=smells"), 0);
  const { data } = await served.list("/v1/models?output_modalities=image");
  assert.equal(
    data.filter(({ architecture: { output_modalities } }) => output_modalities.includes("text"))
      .length,
    3,
  );
});

Deno.test("a list has pages as long as the next one is requested", async () => {
  await using served = setUp({ models: 1100 });
  const ids = idsOf(await served.list("/v1/models"));
  const paged: string[] = [];
  let next: string | null = "/v1/models?output_modalities=text&limit=400";
  while (next !== null) {
    const page: Listing = await served.list(next);
    assert.equal(page.total_count, 1100);
    paged.push(...idsOf(page));
    next = page.links.next;
  }
  assert.deepEqual(paged, ids);
  assert.equal((await served.list("/v1/models?offset=100")).data.length, 500);
  assert.deepEqual(await served.list("/v1/models?offset=1100"), {
    data: [],
    links: { next: null },
    total_count: 1100,
  });
});

Deno.test("a page that cannot be meant is refused", async () => {
  await using served = setUp({ models: 1 });
  const queries = ["offset=-1", "offset=", "offset=x", "limit=0", "limit=1001", "limit=1.5"];
  for (const query of queries) {
    const response = await served.get(`/v1/models?${query}`);
    assert.equal(response.status, 400, query);
    const { error } = await response.json();
    assert.equal(error.code, 400);
    assert.ok(error.message.startsWith(query.slice(0, 5)));
  }
});

Deno.test("models have decimal prices, and there are aliases, free ones and one that chooses", () => {
  const models = sandboxModels(2000);
  assert.equal(models[0]?.pricing.prompt, "-1");
  for (const { id, name, pricing, description } of models.slice(1)) {
    assert.match(id, /^~?[a-z-]+\/[a-z0-9-]+(:free)?$/);
    assert.match(pricing.prompt, /^(0|0\.\d*[1-9])$/, id);
    assert.match(pricing.completion, /^(0|0\.\d*[1-9])$/, id);
    assert.match(description, /sandbox/);
    assert.ok(name.length > 0);
  }
  const byId = new Map(models.map((model) => [model.id, model]));
  const aliases = models.filter(({ id }) => id.startsWith("~"));
  assert.equal(aliases.length, 40);
  for (const { alias_target, pricing } of aliases) {
    const target = byId.get(alias_target?.slug ?? "");
    assert.equal(target?.name, alias_target?.name);
    assert.equal(target?.pricing, pricing);
  }
  assert.ok(models.filter(({ id }) => id.endsWith(":free")).length > 100);
  assert.deepEqual(sandboxModels(2000), models);
});

Deno.test("any number of models can be made, none twice", () => {
  for (const count of [0, 1, 2, 10, 21, 10_000]) {
    const ids = idsOf({ data: sandboxModels(count) });
    assert.equal(ids.length, count + 24);
    assert.equal(new Set(ids).size, ids.length);
  }
});

Deno.test("the models can be replaced, also by damaged ones", async () => {
  await using served = setUp();
  const [model] = sandboxModels(2).slice(1);
  served.standIn.setModels([model, { id: "thin" }, null]);
  const { data, total_count } = await served.list("/v1/models");
  assert.deepEqual(data, [model, { id: "thin" }, null]);
  assert.equal(total_count, 3);
  assert.deepEqual((await served.list("/v1/embeddings/models")).data, []);
});

Deno.test("the router's client reads the state of a key and of the account, as tests set it", async () => {
  await using served = setUp({ models: 0 });
  Object.assign(served.standIn.account, { credits: 10, usage: 9.25, limitRemaining: 0.5 });
  const { data } = await served.sdk(KEY).apiKeys.getCurrentKeyMetadata();
  assert.equal(data.limitRemaining, 0.5);
  assert.equal(data.usageDaily, 2.25);
  assert.equal(data.isManagementKey, false);
  const credits = await served.sdk(MANAGEMENT_KEY).credits.getCredits();
  assert.deepEqual(credits.data, { totalCredits: 10, totalUsage: 9.25 });

  Object.assign(served.standIn.account, { limit: null, limitRemaining: null, limitReset: null });
  const unlimited = await served.sdk(MANAGEMENT_KEY).apiKeys.getCurrentKeyMetadata();
  assert.equal(unlimited.data.limitRemaining, null);
  assert.equal(unlimited.data.isManagementKey, true);
});

Deno.test("lists need no key, a key's state needs one, the credits need the management key", async () => {
  await using served = setUp({ models: 1 });
  const cases: [path: string, key: string | undefined, status: number][] = [
    ["/v1/models", undefined, 200],
    ["/v1/models", "other", 200],
    ["/v1/embeddings/models", undefined, 200],
    ["/v1/key", undefined, 401],
    ["/v1/key", "other", 401],
    ["/v1/key", KEY, 200],
    ["/v1/credits", undefined, 401],
    ["/v1/credits", "other", 401],
    ["/v1/credits", KEY, 403],
    ["/v1/credits", MANAGEMENT_KEY, 200],
    ["/v1/elsewhere", KEY, 404],
  ];
  for (const [path, key, status] of cases) {
    const response = await served.get(path, key);
    assert.equal(response.status, status, `${path} with ${key}`);
    const { error } = await response.json();
    assert.equal(error?.code, status === 200 ? undefined : status);
  }
});

Deno.test("the router's faults come in its own layout, and in its own figures", async () => {
  for (const status of [400, 401, 402, 403, 404, 422, 429, 500, 502, 503, 529] as const) {
    await using served = setUp({ models: 1 }, { kind: "status", status, retryAfterSeconds: 7 });
    const response = await served.get("/v1/models");
    assert.equal(response.status, status);
    assert.equal(response.headers.get("Retry-After"), "7");
    assert.equal((await response.json()).error.code, status);
  }
  await using served = setUp(
    { models: 1 },
    { kind: "cost", text: "1e400" },
    { kind: "missing-cost" },
    { kind: "cost", text: '"12"' },
    { kind: "missing-cost" },
    { kind: "truncated" },
    { kind: "cost", text: "7" },
  );
  assert.match(await (await served.get("/v1/key", KEY)).text(), /"limit_remaining":1e400\}/);
  assert.ok(!(await (await served.get("/v1/key", KEY)).text()).includes("limit_remaining"));
  const credits = async () => await (await served.get("/v1/credits", MANAGEMENT_KEY)).json();
  assert.deepEqual(await credits(), { data: { total_credits: "12", total_usage: 87.6543 } });
  assert.deepEqual(await credits(), { data: { total_usage: 87.6543 } });
  await assert.rejects(credits(), SyntaxError);
  assert.equal((await served.list("/v1/models")).data.length, 1);
  assert.equal(served.standIn.charges.size, 0);
});
