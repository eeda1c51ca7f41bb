import assert from "node:assert/strict";
import { parseEnv } from "node:util";
import { environmentLine } from "../../lib/sandbox/main.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { startSandbox } from "../../lib/sandbox/start.ts";

function eventsOf([env = {}]: readonly Readonly<Record<string, string>>[]): Request {
  return new Request(`${env["AIRTABLE_API_URL"]}/v0/${env["AIRTABLE_BASE_ID"]}/Events?pageSize=3`, {
    headers: { Authorization: `Bearer ${env["AIRTABLE_TOKEN"]}` },
  });
}

Deno.test("the settings of a sandbox lead to its sample events", async () => {
  const sandbox = startSandbox({ port: 0 });
  assert.deepEqual(Object.keys(sandbox.env[0] ?? {}), [
    "AIRTABLE_API_URL",
    "AIRTABLE_TOKEN",
    "AIRTABLE_BASE_ID",
  ]);
  const { records } = await (await fetch(eventsOf(sandbox.env))).json();
  assert.equal(records.length, 3);

  const cells = records.map((record: StandInRecord) => record.fields["Logo Url"])
    .find(Array.isArray);
  const image = await fetch(cells[0].url);
  assert.equal(image.headers.get("Content-Type"), "image/png");
  assert.equal((await image.bytes()).length, cells[0].size);
  await sandbox.shutdown();
});

Deno.test("the settings of a sandbox lead to its providers", async () => {
  const sandbox = startSandbox({ port: 0 });
  const env: Record<string, string> = Object.assign({}, ...sandbox.env);
  const search = await fetch(`${env["WEBSEARCH_API_URL"]}/search`, {
    method: "POST",
    headers: { "x-api-key": env["WEBSEARCH_API_KEY"] ?? "" },
    body: JSON.stringify({ query: "bread" }),
  });
  assert.equal(search.headers.get("X-Sandbox"), "foyer");
  assert.equal((await search.json()).results.length, 10);

  const models = await fetch(`${env["DECISION_API_URL"]}/v1/models`, {
    headers: { Authorization: `Bearer ${env["DECISION_API_KEY"]}` },
  });
  const { models: [first] } = await models.json();
  assert.ok(first.name.startsWith(`${env["DECISION_MODEL_PREFIX"]}-`));

  const statusOf = async (path: string, key?: string) => {
    const headers: HeadersInit = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    const response = await fetch(path, { headers });
    await response.body?.cancel();
    return response.status;
  };
  const router = env["ROUTER_API_URL"];
  assert.equal(await statusOf(`${router}/v1/models`), 200);
  assert.equal(await statusOf(`${router}/v1/key`, env["ROUTER_API_KEY"]), 200);
  assert.equal(await statusOf(`${router}/v1/credits`, env["ROUTER_MANAGEMENT_KEY"]), 200);
  assert.equal(await statusOf(`${env["OCR_API_URL"]}/v1/models`, env["OCR_API_KEY"]), 200);
  assert.equal(await statusOf(`${env["MEDIA_API_URL"]}/v1/account`, env["MEDIA_API_KEY"]), 200);
  await sandbox.shutdown();
});

Deno.test("a line that the sandbox prints means the same in a shell and in .env", async () => {
  const values = [
    "http://127.0.0.1:8787",
    "groups=members|staff, email_verified",
    'hd="a b" $HOME',
  ];
  for (const value of values) {
    const line = environmentLine("FOYER_TEST", value);
    assert.equal(parseEnv(line)["FOYER_TEST"], value);
    const { stdout } = await new Deno.Command("sh", {
      args: ["-c", `${line}\nprintf %s "$FOYER_TEST"`],
    }).output();
    assert.equal(new TextDecoder().decode(stdout), value);
  }
});
