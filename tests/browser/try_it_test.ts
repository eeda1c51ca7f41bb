/** The forms of the API reference: generated from its operations, and sent, with the key, to this service only. */

import assert from "node:assert/strict";
import type { Locator, Page, Route } from "playwright-core";
import { type OpenApi, operationsOf } from "../../lib/reference/openapi.ts";
import type { ParameterObject } from "../../lib/reference/operation.ts";
import { booksOf, SEARCH_PRICE, untilBooked } from "../proxy/door.ts";
import { BASE_URL } from "../support/foyer.ts";
import {
  assertNotTooWide,
  browserTest,
  findings,
  startVisit,
  tabTo,
  visit,
  watchPage,
} from "./visit.ts";

const { foyer, browser } = await startVisit();
const REFERENCE = `${foyer.origin}/api/v1/docs`;

/** Chromium's own messages about a refusal and about a missing response. */
const REPORTED = /^error: Failed to load resource: /;

browserTest(
  "each operation has a form: a field for each parameter, filled in from its sample",
  async () => {
    await using context = await browser.newContext();
    const { page, complaints } = await watchPage(context, foyer);
    await visit(page, REFERENCE);
    await page.locator(".try").first().waitFor();
    const openApi: OpenApi = await (await foyer.get("/api/v1/openapi.json")).json();
    const operations = operationsOf(openApi);
    assert.equal(await page.locator(".try").count(), operations.length);
    for (const { path, method, operation } of operations) {
      const { parameters = [], security, requestBody } = operation;
      const form = formOf(page, `${method.toUpperCase()} ${path}`);
      const asked = parameters.filter((parameter) => parameter.in !== "header");
      assert.deepEqual(await fieldsOf(form), asked.map(fieldFor), path);
      const keys = await form.locator("[type=password]").count();
      assert.equal(keys, security === undefined ? 0 : 1, path);
      const bodies = await form.locator("textarea").evaluateAll((all) =>
        all.map((each) => (each as HTMLTextAreaElement).value)
      );
      const example = requestBody?.content["application/json"]?.example;
      const expected = example === undefined ? [] : [JSON.stringify(example, null, 2)];
      assert.deepEqual(bodies, expected, path);
    }
    assert.deepEqual(complaints, []);
  },
);

browserTest("a form is made of the operation, not of the text around it", async () => {
  await using context = await browser.newContext();
  const { page, complaints } = await watchPage(context, foyer);
  await page.route(REFERENCE, async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    const body = html.replace(/<table>[^]*?<\/table>/g, "")
      .replace(/(<div class="sample">.*?<code>)[^]*?(?=<\/code>)/g, "$1");
    await route.fulfill({ response, body });
  });
  await visit(page, REFERENCE);
  const list = await open(page, "GET /api/v1/events");
  assert.equal(
    await requestOf(list),
    `curl "${foyer.origin}/api/v1/events?status=upcoming,ongoing&limit=1"`,
  );
  const search = await open(page, "POST /proxy/v1/websearch/search");
  assert.match(await search.getByLabel("Body").inputValue(), /"query": "how tides work"/);
  assert.deepEqual(complaints, []);
});

browserTest("an untouched form shows the request of its sample", async () => {
  await using context = await browser.newContext();
  const { page } = await watchPage(context, foyer);
  await visit(page, REFERENCE);
  await page.locator(".try").first().waitFor();
  const samples = await page.locator(".sample code").allTextContents();
  const commands = samples.map((text) => text.trim()).filter((text) => text.startsWith("curl "));
  const own = commands.filter((text) => text.includes(foyer.origin))
    .map((text) => text.replace(foyer.origin, BASE_URL).replace("%2F", "/"));
  assert.deepEqual(own, commands.filter((text) => text.includes(BASE_URL)));
});

browserTest(
  "by keyboard alone: typing in a field changes the address, and the response is announced",
  async () => {
    await using context = await browser.newContext();
    const { page, complaints } = await watchPage(context, foyer);
    await visit(page, REFERENCE);
    await page.locator("#get-api-v1-events .anchor").focus();
    await tabTo(page, ".try > summary");
    await page.keyboard.press("Enter");
    const form = formOf(page, "GET /api/v1/events");
    await tabTo(page, "[value=upcoming]");
    await page.keyboard.press("Space");
    await tabTo(page, "select[name=sort]");
    await page.keyboard.type("name");
    await tabTo(page, "select[name=order]");
    await page.keyboard.type("asc");
    await tabTo(page, "input[name=limit]");
    await page.keyboard.type("2");
    const address = "/api/v1/events?status=ongoing&sort=name&order=asc&limit=2";
    assert.equal(await requestOf(form), `curl "${foyer.origin}${address}"`);
    await page.keyboard.press("Enter");
    await untilStatus(form, /^200 OK, \d+ ms, [\d,]+ characters$/);
    const expected = await (await foyer.get(address)).json();
    const shown = JSON.parse(await answerOf(form));
    assert.deepEqual(shown.data, expected.data);
    assert.equal(shown.data.length, 2);
    const headers = await form.locator("dl").innerText();
    assert.match(headers, /content-type\s+application\/json\s/);
    assert.match(headers, /cache-control\s+max-age=\d+\s/);
    assert.match(headers, /etag\s+W\/"/);
    assert.deepEqual(complaints, []);
  },
);

browserTest(
  "an empty field is not sent, and typed text is encoded in every part of an address",
  async () => {
    await using context = await browser.newContext();
    const { page } = await watchPage(context, foyer);
    await visit(page, REFERENCE);
    const list = await open(page, "GET /api/v1/events");
    await list.getByLabel("upcoming").uncheck();
    await list.getByLabel("ongoing").uncheck();
    await list.getByLabel("limit").fill("");
    assert.equal(await requestOf(list), `curl "${foyer.origin}/api/v1/events"`);
    const event = await open(page, "GET /api/v1/events/{idOrSlug}");
    const part = event.getByLabel("idOrSlug");
    await part.fill("");
    assert.equal(await requestOf(event), `curl "${foyer.origin}/api/v1/events/{idOrSlug}"`);
    await part.fill('a/b?c=d&"é');
    const quoted = "a%2Fb%3Fc%3Dd%26%22%C3%A9";
    assert.equal(await requestOf(event), `curl "${foyer.origin}/api/v1/events/${quoted}"`);
    await part.fill("a-day-of-soldering");
    await part.press("Enter");
    await untilStatus(event, /^200 /);
    assert.match(await answerOf(event), /"name": "A day of soldering"/);
  },
);

browserTest("the service rejects a wrong value, and the form shows its message", async () => {
  await using context = await browser.newContext();
  const { page, complaints } = await watchPage(context, foyer);
  await visit(page, REFERENCE);
  const list = await open(page, "GET /api/v1/events");
  await list.getByLabel("limit").fill("0");
  await list.getByLabel("limit").press("Enter");
  await untilStatus(list, /^400 /);
  assert.match(await answerOf(list), /limit is a whole number from 1 to/);
  const model = await open(page, "GET /proxy/v1/models/{id}");
  await model.getByLabel("id").fill("nobody/nothing");
  await model.getByLabel("id").press("Enter");
  await untilStatus(model, /^404 /);
  const usage = await open(page, "GET /proxy/v1/usage");
  for (const key of ["", "foyer_mistyped", "ключ"]) {
    await usage.getByLabel("API key").fill(key);
    const answered = page.waitForResponse("**/proxy/v1/usage*");
    await usage.getByRole("button", { name: "Send" }).click();
    await (await answered).finished();
    await untilStatus(usage, /^401 /);
    assert.match(await answerOf(usage), /"unauthorized"/);
  }
  assert.deepEqual(complaints.filter((each) => !REPORTED.test(each)), []);
});

browserTest(
  "a key is good for every form, and in no address, no attribute, no text, no storage",
  async () => {
    const member = await foyer.createMember();
    await using context = await browser.newContext();
    const { page, complaints } = await watchPage(context, foyer);
    const keyed: string[] = [];
    page.on("request", (request) => {
      if (request.headers()["authorization"]?.includes(member.key)) keyed.push(request.url());
      assert.ok(!`${request.url()}${request.postData()}`.includes(member.key));
    });
    await visit(page, REFERENCE);
    const usage = await open(page, "GET /proxy/v1/usage");
    await usage.getByLabel("API key").fill(member.key);
    await usage.getByLabel("API key").press("Enter");
    await untilStatus(usage, /^200 /);
    assert.match(await answerOf(usage), /"remainingUsd"/);
    const models = await open(page, "GET /proxy/v1/decision/models");
    await models.getByRole("button", { name: "Send" }).click();
    await untilStatus(models, /^200 /);
    const health = await open(page, "GET /up");
    await health.getByRole("button", { name: "Send" }).click();
    await untilStatus(health, /^200 /);
    assert.deepEqual(keyed, [
      `${foyer.origin}/proxy/v1/usage?days=2`,
      `${foyer.origin}/proxy/v1/decision/models`,
    ]);
    assert.ok(!(await page.content()).includes(member.key));
    const kept = await page.evaluate(() =>
      JSON.stringify([localStorage, sessionStorage, document.cookie, history.state, location.href])
    );
    assert.ok(!kept.includes(member.key));
    await page.reload();
    const again = await open(page, "GET /proxy/v1/usage");
    assert.equal(await again.getByLabel("API key").inputValue(), "");
    assert.deepEqual(complaints, []);
  },
);

browserTest("only its button sends a charged request, once and as typed", async () => {
  const member = await foyer.createMember(2n * SEARCH_PRICE);
  await using context = await browser.newContext();
  const { page, complaints } = await watchPage(context, foyer);
  await visit(page, REFERENCE);
  const search = await open(page, "POST /proxy/v1/websearch/search");
  await search.getByText("This request costs money").waitFor();
  const body = `{"query": "the captain's table"}`;
  await search.getByLabel("Body").fill(body);
  const command = await requestOf(search);
  assert.ok(command.endsWith(`-d '{"query": "the captain'\\''s table"}'`), command);
  await search.getByLabel("API key").fill(member.key);
  await search.getByLabel("API key").press("Enter");
  assert.equal(await search.getByRole("status").textContent(), "");
  const posted: Route[] = [];
  await page.route("**/search", (route) => void posted.push(route));
  await search.getByRole("button", { name: "Send and pay" }).dblclick();
  await untilStatus(search, /^Sending…$/);
  assert.deepEqual(posted.map((route) => route.request().postData()), [body]);
  await posted[0]?.continue();
  await untilStatus(search, /^200 /);
  assert.match(await answerOf(search), /"costDollars"/);
  await untilBooked(foyer, member);
  assert.equal((await booksOf(foyer, member)).spent, SEARCH_PRICE);
  assert.deepEqual(complaints, []);
});

browserTest("an answer that would lead elsewhere is not followed", async () => {
  await using context = await browser.newContext();
  const { page, complaints } = await watchPage(context, foyer);
  await visit(page, REFERENCE);
  await page.route(
    "**/up",
    (route) => route.fulfill({ status: 302, headers: { location: "http://elsewhere.example/" } }),
  );
  const form = await open(page, "GET /up");
  await form.getByRole("button", { name: "Send" }).click();
  await untilStatus(form, /^No response/);
  assert.equal(page.url(), REFERENCE);
  assert.deepEqual(complaints.filter((each) => !REPORTED.test(each)), []);
});

browserTest(
  "a response without a status text, or with malformed JSON, is shown",
  async () => {
    await using context = await browser.newContext();
    const { page } = await watchPage(context, foyer);
    await visit(page, REFERENCE);
    const form = await open(page, "GET /up");
    await page.evaluate(() => {
      const headers = { "content-type": "application/json" };
      globalThis.fetch = () => Promise.resolve(new Response("{not json", { headers }));
    });
    await form.getByRole("button", { name: "Send" }).click();
    await untilStatus(form, /^200, \d+ ms, 9 characters$/);
    assert.equal(await answerOf(form), "{not json");
  },
);

browserTest("the request of a form is copied as it is now", async () => {
  await using context = await browser.newContext();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { page } = await watchPage(context, foyer);
  await visit(page, REFERENCE);
  const form = await open(page, "GET /api/v1/events/rss");
  await form.getByLabel("limit").fill("7");
  await form.getByRole("button", { name: "Copy the code" }).click();
  await page.getByRole("status").filter({ hasText: "The code is copied." }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, `curl "${foyer.origin}/api/v1/events/rss?limit=7"`);
});

for (const [colorScheme, width] of [["light", 1920], ["dark", 320]] as const) {
  browserTest(
    `open forms: nothing to complain of, every id once, in ${colorScheme} at ${width} px`,
    async () => {
      const viewport = { width, height: 900 };
      await using context = await browser.newContext({ viewport, colorScheme });
      const { page, complaints } = await watchPage(context, foyer);
      await visit(page, REFERENCE);
      const list = await open(page, "GET /api/v1/events");
      await list.getByRole("button", { name: "Send" }).click();
      await untilStatus(list, /^200 /);
      await page.locator(".try").evaluateAll((all) => {
        for (const each of all) (each as HTMLDetailsElement).open = true;
      });
      await assertNotTooWide(page, REFERENCE);
      assert.deepEqual(await findings(page), []);
      const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
      assert.equal(new Set(ids).size, ids.length);
      assert.deepEqual(complaints, []);
    },
  );
}

browserTest("without script there is no form", async () => {
  await using context = await browser.newContext({ javaScriptEnabled: false });
  const { page } = await watchPage(context, foyer);
  await page.goto(REFERENCE);
  assert.equal(await page.locator("article :is(form, button, summary)").count(), 0);
});

/** A field: as the page has it, and as the description of its parameter would have it. */
interface FieldFacts {
  readonly name: string;
  readonly kind: string;
  /** The choices; "" sends nothing. */
  readonly choices: readonly string[];
  readonly least: string;
  readonly greatest: string;
  readonly placeholder: string;
  readonly given: readonly string[];
}

function fieldFor({ name, schema, example }: ParameterObject): FieldFacts {
  const { type, format, enum: allowed, items, minimum, maximum, default: byDefault } = schema;
  const text = (value: unknown) => value === undefined ? "" : String(value);
  const field = { name, least: text(minimum), greatest: text(maximum), given: [text(example)] };
  if (items !== undefined) {
    const choices = items.enum?.map(text) ?? [];
    return {
      ...field,
      kind: "checkbox",
      choices,
      placeholder: "",
      given: [example ?? []].flat().map(text),
    };
  }
  if (allowed !== undefined) {
    return { ...field, kind: "select-one", choices: ["", ...allowed.map(text)], placeholder: "" };
  }
  const isNumber = type === "integer";
  const range = isNumber ? `, ${minimum} to ${maximum}` : "";
  const placeholder = text(byDefault ?? `${type}${format ? ` (${format})` : ""}${range}`);
  return { ...field, kind: isNumber ? "number" : "text", choices: [], placeholder };
}

/** The fields of parameters; each must have a label, and words about it. */
async function fieldsOf(form: Locator): Promise<FieldFacts[]> {
  return await form.locator(".field:has([name])").evaluateAll((fields) =>
    fields.map((field) => {
      const controls = [...field.querySelectorAll<HTMLInputElement>("[name]")];
      const [first] = controls;
      const label = field.querySelector("legend") ?? first?.labels?.[0];
      if (first === undefined || label?.textContent !== first.name) {
        throw new Error(`No label: ${field.outerHTML}`);
      }
      const described = field.querySelector("[aria-describedby]") ?? field;
      const help = document.getElementById(described.getAttribute("aria-describedby") ?? "");
      if (!help?.textContent) throw new Error(`No help: ${field.outerHTML}`);
      const isList = first.type === "checkbox";
      const options = isList ? controls : [...field.querySelectorAll("option")];
      return {
        name: first.name,
        kind: first.type,
        choices: options.map(({ value }) => value),
        // A choice has none of these.
        least: first.min ?? "",
        greatest: first.max ?? "",
        placeholder: first.placeholder ?? "",
        given: controls.filter(({ checked }) => checked || !isList).map(({ value }) => value),
      };
    })
  );
}

/** The form of an operation, such as "GET /up". */
function formOf(page: Page, operation: string): Locator {
  const summary = page.getByText(`Try it: ${operation}`, { exact: true });
  return page.locator(".try").filter({ has: summary }).locator("form");
}

/** The same, opened. By keyboard, since the late display face may move what a pointer is about to press. */
async function open(page: Page, operation: string): Promise<Locator> {
  await page.locator(".try > summary").getByText(`: ${operation}`, { exact: true }).locator("..")
    .press("Enter");
  return formOf(page, operation);
}

/** The request as a form shows it. */
async function requestOf(form: Locator): Promise<string> {
  return await form.getByRole("group", { name: "Request" }).innerText();
}

/** The body of the response as a form shows it. */
async function answerOf(form: Locator): Promise<string> {
  return await form.getByRole("group", { name: "Response" }).innerText();
}

/** Resolves when a form says this about its response. */
async function untilStatus(form: Locator, words: RegExp): Promise<void> {
  await form.getByRole("status").filter({ hasText: words }).waitFor();
}
