/** The OpenAPI document: valid, and correct about its service. `examples_test.ts` sees that it is complete. */
// Not quick: it checks the whole document against the schemas of OpenAPI.

import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { ERRORS } from "../../../lib/platform/http/errors.ts";
import { parseConfig } from "../../../lib/platform/config/config.ts";
import { buildOpenApi } from "../../../lib/operate/reference/openapi.ts";
import type { OperationObject } from "../../../lib/operate/reference/operation.ts";
import { OPERATIONS } from "../../../routes/api/v1/openapi.json.ts";
import { BASE_URL } from "../../support/foyer.ts";
import {
  ask,
  type ExampleRequest,
  exampleRequest,
  exampleRequests,
  openApi,
  operations,
  OTHER_REQUESTS,
  startReferenceFoyer,
} from "./world.ts";

const ajv = new Ajv2020({ strict: false, allErrors: true });
// The package is CommonJS: its types name the module, not its default export.
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema({ $id: "reference", ...openApi });

function conform(schema: object, value: unknown, what: string): void {
  const text = JSON.stringify(schema).replaceAll(`"#/`, `"reference#/`);
  const validate = ajv.compile(JSON.parse(text));
  assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
}

function find(method: string, address: string): OperationObject | undefined {
  const [path = ""] = address.split("?");
  const matches = operations.filter((each) =>
    each.method === method &&
    RegExp(`^${each.path.replaceAll(".", "\\.").replace(/\{\w+\}/g, ".+")}$`).test(path)
  );
  return (matches.find((each) => each.path === path) ?? matches.at(-1))?.operation;
}

async function checkAnswer(
  example: ExampleRequest,
  response: Response,
  what: string,
): Promise<void> {
  const operation = find(example.body === undefined ? "get" : "post", example.path);
  const described = operation?.responses[String(response.status)];
  assert.ok(described, `${what} answers ${response.status}`);
  for (const name of Object.keys(described.headers ?? {})) {
    const isFew = /^(X-Spending-Warning|X-Cost-Usd|Retry-After|RateLimit.*)$/.test(name);
    assert.ok(isFew || response.headers.has(name), `${what} ${response.status} lacks ${name}`);
  }
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  const content = described.content?.[type];
  const text = await response.text();
  if (text === "") return;
  assert.ok(content, `${what} ${response.status} is ${type}`);
  const body = /json$/.test(type) ? JSON.parse(text) : text;
  conform(content.schema, body, what);
  if (response.status < 400) return;
  const isOurs = response.headers.get("x-refused-by") !== "upstream";
  const name = example.path.startsWith("/api") ? "Error" : "ProxyError";
  if (isOurs && typeof body !== "string") {
    conform({ $ref: `#/components/schemas/${name}` }, body, what);
  }
}

Deno.test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(openApi) });
  assert.ok(valid, JSON.stringify(errors));
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
});

Deno.test("the document names the licence of the software, and the contact that is configured", async () => {
  const licence = await Deno.readTextFile(new URL("../../../LICENSE", import.meta.url));
  const { license, contact } = openApi.info;
  assert.deepEqual(license, { name: licence.split("\n")[0], identifier: "MIT" });
  assert.deepEqual(contact, { name: "Foyer", url: "https://foyer.example" });
  const name = "Foyer";
  const email = { name, email: "security@foyer.example" };
  const urls = [
    "mailto:a@foyer.example?subject=Foyer",
    "https://a.example/b",
    "tel:+1-201-555-0123",
  ];
  const table: [SITE_CONTACT: string, expected: object][] = [
    ["security@foyer.example", email],
    ["mailto:security@foyer.example", email],
    ...urls.map((url): [string, object] => [url, { name, url }]),
  ];
  for (const [SITE_CONTACT, expected] of table) {
    const built = buildOpenApi(parseConfig({ BASE_URL, SITE_CONTACT }), OPERATIONS);
    assert.deepEqual(built.info.contact, expected);
    const { valid, errors } = await new Validator().validate(structuredClone(built));
    assert.ok(valid, JSON.stringify(errors));
  }
});

Deno.test("every schema that allows an array says what may be in it, and each that has a name is used", () => {
  const silent: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    if ("type" in value && [value.type].flat().includes("array") && !("items" in value)) {
      silent.push(path);
    }
    for (const [name, member] of Object.entries(value)) {
      // Examples are values, not schemas.
      if (!/^examples?$/.test(name)) look(member, `${path}/${name}`);
    }
  };
  look(openApi, "");
  assert.deepEqual(silent, []);
  const text = JSON.stringify(openApi);
  for (const name of Object.keys(openApi.components.schemas)) {
    assert.ok(text.includes(`"#/components/schemas/${name}"`), name);
  }
});

Deno.test("the responses of a served Foyer conform: examples, addresses and errors", async () => {
  await using foyer = await startReferenceFoyer();
  const member = await foyer.createMember();
  for (const request of operations.map(exampleRequest)) {
    const response = await ask(foyer, member, request);
    // Where no pictures can be made, one for sharing is refused with 503.
    assert.ok([200, 503].includes(response.status), `${request.path} answers ${response.status}`);
    await checkAnswer(request, response, request.path);
  }
  for (const request of Object.values(OTHER_REQUESTS)) {
    await checkAnswer(request, await ask(foyer, member, request), request.path);
  }
  const poor = await foyer.createMember(0n);
  for (const { path, method, operation } of operations) {
    const address = path.replace("{idOrSlug}", "none").replace("{id}", "none");
    const asked = { path: address, ...(method === "post" ? { body: {} } : {}) };
    const what = operation.operationId;
    if (operation.security !== undefined) {
      const refused = await ask(foyer, member, { ...asked, keyless: true });
      assert.equal(refused.status, 401);
      await checkAnswer(asked, refused, what);
    }
    if (method !== "post") continue;
    const body = Object.values(operation.requestBody?.content ?? {})[0]?.example;
    const headers = { "content-type": "text/plain" };
    const all = [
      [400, await foyer.post(path, member.key, "{")],
      [402, await foyer.post(path, poor.key, body)],
      [415, await foyer.post(path, member.key, "{}", { headers })],
    ] as const;
    for (const [status, response] of all) {
      assert.equal(response.status, status, what);
      await checkAnswer(asked, response, what);
    }
  }
});

Deno.test("a service that is not set up, or whose rate is used up, refuses as described", async () => {
  await using foyer = await startReferenceFoyer({
    AIRTABLE_TOKEN: undefined,
    DECISION_API_KEY: undefined,
    WEBSEARCH_API_KEY: undefined,
    RATE_LIMIT_REQUESTS: "1",
  });
  const member = await foyer.createMember();
  for (const name of ["listEvents", "searchWeb", "decide", "listDecisionModels"]) {
    const example = exampleRequests[name];
    assert.ok(example);
    const response = await ask(foyer, member, example);
    assert.equal(response.status, ERRORS.server_misconfigured.status, name);
    await checkAnswer(example, response, name);
  }
  await using hasty = await startReferenceFoyer({ RATE_LIMIT_REQUESTS: "1" });
  const one = await hasty.createMember();
  const example = exampleRequests["searchWeb"];
  assert.ok(example);
  for (const status of [200, 429]) {
    const response = await ask(hasty, one, example);
    assert.equal(response.status, status);
    await checkAnswer(example, response, "searchWeb");
  }
});

Deno.test("no body with an empty or negative value that is refused fits the document", async () => {
  await using foyer = await startReferenceFoyer();
  const { key } = await foyer.createMember();
  for (const { path, method, operation } of operations) {
    if (method !== "post") continue;
    const { schema, example } = Object.values(operation.requestBody?.content ?? {})[0] ?? {};
    assert.ok(schema);
    for (const name of ["query", "url", "urls", "numResults", "state", "questions", "model"]) {
      for (const value of ["", [], {}, null, 0, -1]) {
        const body = { ...example as object, [name]: value };
        const { status } = await foyer.post(path, key, body);
        if (status < 400) continue;
        const what = `${path} answers ${status} to ${JSON.stringify(body)}`;
        assert.throws(() => conform(schema, body, what), assert.AssertionError, what);
      }
    }
  }
});

Deno.test("a list says how many events it has without a limit", () => {
  const limits = operations.flatMap(({ operation: { parameters = [] } }) =>
    parameters.filter(({ name }) => name === "limit")
  );
  assert.ok(limits.length > 4);
  for (const { schema, description } of limits) {
    assert.equal(/Without it, every/.test(description ?? ""), schema.default === undefined);
  }
});

Deno.test("the values that parameters take are those of the document", async () => {
  await using foyer = await startReferenceFoyer();
  const { key } = await foyer.createMember();
  const headers = { authorization: `Bearer ${key}` };
  for (const { path, operation } of operations) {
    for (const { name, in: place, schema } of operation.parameters ?? []) {
      // A picture needs an event that has one.
      if (place !== "query" || operation.tags[0] === "Pictures") continue;
      const { minimum = 0, maximum = 0 } = schema;
      const values: [unknown, number][] = schema.type === "integer"
        ? [[minimum, 200], [maximum, 200], [minimum - 1, 400], [maximum + 1, 400]]
        : [...schema.enum ?? schema.items?.enum ?? []].map((value) => [value, 200]);
      for (const [value, status] of values) {
        const response = await foyer.get(`${path}?${name}=${value}`, { headers });
        assert.equal(response.status, status, `${path}?${name}=${value}`);
      }
    }
  }
});
