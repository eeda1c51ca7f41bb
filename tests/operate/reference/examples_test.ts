/** The reference and the guides have every route, and its examples are the responses of the service. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import answers from "../../../lib/operate/reference/answers.json" with { type: "json" };
import { ERROR_CODES } from "../../../lib/platform/http/errors.ts";
import { sampleRecords } from "../../../lib/sandbox/sample.ts";
import { OPERATIONS } from "../../../routes/api/v1/openapi.json.ts";
import { startFoyer } from "../../support/foyer.ts";
import {
  ask,
  exampleRequests,
  openApi,
  operations,
  OTHER_REQUESTS,
  readAnswer,
  RECORD,
  startReferenceFoyer,
} from "./world.ts";

const FILE = new URL("../../../lib/operate/reference/answers.json", import.meta.url);
const ROUTES = new URL("../../../routes/", import.meta.url);
/** The routes of the APIs, and the other representations of events; not the paths that official clients call. */
const DESCRIBED =
  /^(?:(?:api|proxy)\/(?!v1\/decision\/v1\/).*|up|feed\.\w+|calendar\.ics|events\/(?:\[idOrSlug\].*))\.tsx?$/;

Deno.test("every route of the APIs is described by itself, and nothing else is", async () => {
  const described = await Promise.all(
    readdirSync(ROUTES, { recursive: true, encoding: "utf8" })
      .filter((file) => DESCRIBED.test(file))
      .map(async (file) => {
        const path = `/${file}`.replace(/\.tsx?$/, "").replace(/\/index$/, "")
          .replace(/\[(?:\.\.\.)?(\w+)\]/g, "{$1}");
        const { operation } = await import(`../../../routes/${file}`);
        const listed = OPERATIONS[path];
        return [path, operation ?? (listed?.group === "Documents" ? listed : undefined)] as const;
      }),
  );
  const silent = described.filter(([, operation]) => operation === undefined).map(([path]) => path);
  assert.deepEqual(silent, [], "routes that do not export their `operation`");
  const paths = described.map(([path]) => path).toSorted();
  assert.deepEqual(Object.keys(OPERATIONS).toSorted(), paths, "openapi.json.ts lists each route");
  assert.deepEqual(OPERATIONS, Object.fromEntries(described));
});

Deno.test("each operation has a row in a table of the guides", async () => {
  const guides = await Promise.all(
    ["events", "proxy"].map((name) =>
      Deno.readTextFile(new URL(`../../../static/docs/${name}.md`, import.meta.url))
    ),
  );
  const rows = guides.join("\n").split("\n").filter((line) => line.startsWith("| `"));
  const missing = operations.filter(({ operation }) => operation.tags[0] !== "Documents")
    .map(({ path }) => path.replace(/^\/(?:api|proxy)\/v1/, ""))
    .filter((path) => !rows.some((row) => row.includes(`${path}\``)));
  assert.deepEqual(missing, [], "addresses in no table of static/docs/events.md and proxy.md");
});

Deno.test("every error code belongs to some operation", () => {
  const text = JSON.stringify(openApi.paths);
  for (const code of ERROR_CODES) {
    // No operation has the first, and pages alone the second.
    if (code === "method_not_allowed" || code === "gone") continue;
    assert.ok(text.includes(`\`${code}\`: `), code);
  }
});

Deno.test("each example is the response of a served Foyer to its request", async () => {
  await using foyer = await startReferenceFoyer();
  const member = await foyer.createMember();
  const heard: Record<string, unknown> = {};
  for (const [name, request] of Object.entries(exampleRequests)) {
    // Charges are booked in the background, and the usage of the next example shows them.
    await foyer.services.ledger.flush();
    const response = await ask(foyer, member, request);
    heard[name] = await readAnswer(response, member);
    if (name in OTHER_REQUESTS) continue;
    const found = `${name} answers ${response.status}: ${JSON.stringify(heard[name])}`;
    assert.equal(response.status, 200, found);
  }
  if (Deno.env.get("FOYER_RECORD_EXAMPLES")) {
    await Deno.writeTextFile(FILE, `${JSON.stringify(heard, null, 2)}\n`);
    return;
  }
  const advice =
    `the examples are old: if you meant this change, run ${RECORD} and check the difference`;
  assert.deepEqual(heard, answers, advice);
});

Deno.test("on the sample, every address that the reference gives as an example answers", async () => {
  await using foyer = await startFoyer({ records: sampleRecords() });
  const failed = [];
  for (const { path, method, operation: { parameters = [], security } } of operations) {
    if (method !== "get" || security !== undefined) continue;
    const values = new Map(parameters.map(({ name, example }) => [name, String(example)]));
    const address = path.replace(/\{(\w+)\}/g, (_, name) => values.get(name) ?? "");
    const response = await foyer.get(address);
    // Cards are drawn in a process of their own, which this world lacks.
    if (response.status === 200 || address.endsWith("/card")) continue;
    failed.push(`${response.status} ${address}`);
  }
  assert.deepEqual(failed, []);
});
