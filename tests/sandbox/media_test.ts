import assert from "node:assert/strict";
import { createMediaStandIn } from "../../lib/sandbox/media.ts";
import type { ProviderFault } from "../../lib/sandbox/provider.ts";
import { KEY, serve } from "./provider_stand_in.ts";

const CREDIT = "/api/users/sandbox/unused-credit";

function setUp(...faults: ProviderFault[]) {
  const served = serve(createMediaStandIn, ...faults);
  return {
    ...served,
    get: (path: string, headers: HeadersInit = { Authorization: `Bearer ${KEY}` }) =>
      fetch(served.origin + path, { headers }),
  };
}

Deno.test("the account leads to its unused credit, a decimal text", async () => {
  await using served = setUp();
  const { username, ...account } = await (await served.get("/v1/account")).json();
  assert.deepEqual(Object.keys(account), ["type", "name", "github_url"]);
  const credit = await served.get(`/api/users/${username}/unused-credit`);
  assert.deepEqual(await credit.json(), { unused_credit: "12.34" });
});

Deno.test("a browser's session sees the credit, but not the account", async () => {
  await using served = setUp();
  const headers = { Cookie: `theme=dark; sessionid=${KEY}` };
  assert.deepEqual(await (await served.get(CREDIT, headers)).json(), { unused_credit: "12.34" });
  const account = await served.get("/v1/account", headers);
  assert.equal(account.status, 401);
  await account.body?.cancel();
});

Deno.test("a test sets an account's name and credit", async () => {
  await using served = setUp();
  Object.assign(served.standIn.account, { username: "ä b", unusedCredit: "-0.10" });
  const credit = await served.get(`/api/users/${encodeURIComponent("ä b")}/unused-credit`);
  assert.deepEqual(await credit.json(), { unused_credit: "-0.10" });
  const former = await served.get(CREDIT);
  assert.equal(former.status, 404);
  await former.body?.cancel();
});

Deno.test("the media provider's refusals are problems", async () => {
  await using served = setUp();
  const cases: [path: string, headers: HeadersInit | undefined, status: number][] = [
    ["/v1/account", {}, 401],
    ["/v1/account", { Authorization: "Bearer other" }, 401],
    [CREDIT, {}, 401],
    [CREDIT, { Cookie: "sessionid=other" }, 401],
    ["/api/users/other/unused-credit", undefined, 404],
    ["/v1/elsewhere", undefined, 404],
  ];
  for (const [path, headers, status] of cases) {
    const response = await served.get(path, headers);
    assert.equal(response.status, status, path);
    assert.equal(response.headers.get("Content-Type"), "application/problem+json");
    const problem = await response.json();
    assert.deepEqual(Object.keys(problem), ["title", "detail", "status"]);
    assert.equal(problem.status, status);
  }
});

Deno.test("the media provider's faults come in its own layout, and in its own figure", async () => {
  await using served = setUp(
    { kind: "status", status: 402, retryAfterSeconds: 3 },
    { kind: "cost", text: "12.34" },
    { kind: "missing-cost" },
    { kind: "truncated" },
  );
  const refused = await served.get(CREDIT);
  assert.equal(refused.status, 402);
  assert.equal(refused.headers.get("Retry-After"), "3");
  assert.equal((await refused.json()).status, 402);
  assert.deepEqual(await (await served.get(CREDIT)).json(), { unused_credit: 12.34 });
  assert.deepEqual(await (await served.get(CREDIT)).json(), {});
  await assert.rejects((await served.get(CREDIT)).json(), SyntaxError);
});
