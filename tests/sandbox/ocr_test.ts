import assert from "node:assert/strict";
import { createOcrStandIn } from "../../lib/sandbox/ocr.ts";
import { KEY, serve } from "./provider_stand_in.ts";

const DOCUMENT = { type: "document_url", document_url: "https://example.org/a.pdf" };
const REQUEST = { model: "mistral-ocr-latest", document: DOCUMENT };

Deno.test("the list of OCR models is for those who have the key", async () => {
  await using served = serve(createOcrStandIn);
  const list = (key: string) =>
    fetch(`${served.origin}/v1/models`, { headers: { Authorization: `Bearer ${key}` } });
  const { object, data } = await (await list(KEY)).json();
  assert.equal(object, "list");
  const [{ id, object: kind, created, owned_by, capabilities, aliases }] = data;
  assert.deepEqual([id, kind, owned_by, capabilities.ocr], [
    "sandbox-ocr-4",
    "model",
    "sandbox",
    true,
  ]);
  assert.ok(Number.isInteger(created));
  assert.ok(aliases.includes("mistral-ocr-latest"));
  const refused = await list("other");
  assert.equal(refused.status, 401);
  assert.deepEqual(await refused.json(), { detail: "Unauthorized" });
});

Deno.test("a document is one page, charged at 4 dollars per thousand", async () => {
  await using served = serve(createOcrStandIn);
  const headers = { "x-request-id": "a" };
  const response = await served.ask("/v1/ocr", REQUEST, { headers });
  const { pages: [page], model, usage_info } = await response.json();
  assert.equal(page.index, 0);
  assert.match(page.markdown, /https:\/\/example\.org\/a\.pdf/);
  assert.equal(model, "mistral-ocr-latest");
  assert.equal(usage_info.pages_processed, 1);
  assert.equal(served.standIn.charges.get("a"), 4_000_000n);
});

Deno.test("a request for text that cannot be read is refused, and costs nothing", async () => {
  await using served = serve(createOcrStandIn);
  const cases: [body: unknown, status: number][] = [
    [{ document: DOCUMENT }, 422],
    [{ model: "mistral-ocr-latest" }, 422],
    [{ model: "sandbox-chat-1", document: DOCUMENT }, 400],
    [null, 400],
  ];
  for (const [body, status] of cases) {
    const response = await served.ask("/v1/ocr", body);
    assert.equal(response.status, status);
    const keys = status === 422 ? ["detail"] : ["object", "message", "type", "param", "code"];
    assert.deepEqual(Object.keys(await response.json()), keys);
  }
  assert.equal((await served.ask("/v1/ocr", undefined, { body: "{" })).status, 400);
  assert.equal((await served.ask("/v1/elsewhere", REQUEST)).status, 404);
  assert.equal(served.standIn.charges.size, 0);
});

Deno.test("the OCR provider's faults come in its own layouts, and in the number of pages", async () => {
  for (const status of [400, 401, 402, 403, 404, 422, 429, 500, 502, 503, 529] as const) {
    await using served = serve(createOcrStandIn, { kind: "status", status });
    const response = await served.ask("/v1/ocr", REQUEST);
    assert.equal(response.status, status);
    const [first] = Object.keys(await response.json());
    assert.equal(first, status === 401 || status === 422 ? "detail" : "object");
  }
  await using served = serve(
    createOcrStandIn,
    { kind: "cost", text: "3" },
    { kind: "missing-cost" },
  );
  const headers = { "x-request-id": "a" };
  const counted = await served.ask("/v1/ocr", REQUEST, { headers });
  assert.equal((await counted.json()).usage_info.pages_processed, 3);
  assert.equal(served.standIn.charges.get("a"), 12_000_000n);
  const uncounted = await served.ask("/v1/ocr", REQUEST);
  assert.equal((await uncounted.json()).usage_info, undefined);
});
