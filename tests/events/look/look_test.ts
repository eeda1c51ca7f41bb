/** When the logo and the font are read, which lines are logged, and how pages look meanwhile. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Context } from "fresh";
import { parseConfig } from "../../../lib/platform/config/config.ts";
import { createLook } from "../../../lib/events/look/look.ts";
import type { Services } from "../../../lib/operate/services.ts";
import type { State } from "../../../lib/operate/state.ts";
import { attachState } from "../../../middleware/state.ts";
import { until } from "../../support/until.ts";

const HARBOUR = new URL("../../../lib/sandbox/data/harbour/", import.meta.url);
const pathOf = (name: string) => fileURLToPath(new URL(name, HARBOUR));
const SVG = `<svg viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>`;
const ADDRESS = "https://harbour.example/brand/logo";

/** A look over a network of one function, and over a part of the interface of a cache. */
function open(
  env: Record<string, string>,
  answer: () => Response | Promise<Response> = missing,
  cache: object | null = null,
) {
  const logged: string[] = [];
  const clock = { now: 1_000 };
  const asked: string[] = [];
  const late: (() => void)[] = [];
  const look = createLook(parseConfig(env), {
    fetch: (input) => {
      asked.push(String(input));
      return Promise.resolve(answer());
    },
    openCache: cache && (() => Promise.resolve(cache as Cache)),
    pictures: null,
    now: () => clock.now,
    startLimit: (work) => {
      late.push(work);
      return () => {};
    },
    log: { warn: (message) => void logged.push(message) },
  });
  return { look, logged, clock, asked, late };
}

function missing(): Response {
  return new Response(null, { status: 404 });
}

Deno.test("a site without a logo and a font of its own waits for nothing", () => {
  const { look } = open({});
  assert.equal(look.ready(), null);
  assert.equal(look.site().logo, null);
});

Deno.test("pages wait for the files, and requests of programs do not", () => {
  const { look } = open({ SITE_LOGO: `${ADDRESS}.svg` }, () => new Promise(() => {}));
  const attach = attachState(
    { look } as unknown as Services,
    () => () => Promise.resolve(""),
  );
  const isServedAtOnce = (path: string) => {
    let isServed = false;
    const next = () => {
      isServed = true;
      return Promise.resolve(new Response());
    };
    const req = new Request(`https://foyer.example${path}`);
    void attach({ req, state: {}, next } as unknown as Context<State>);
    return isServed;
  };
  const programs = [
    "/up",
    "/api/v1/events",
    "/api/v1/events/rss",
    "/proxy/v1/usage",
    "/hooks/airtable",
  ];
  for (const path of programs) assert.ok(isServedAtOnce(path), path);
  const pages = ["/", "/upstairs", "/api/v1/docs", "/api/v1/eventsx", "/events/up", "/status"];
  for (const path of pages) assert.ok(!isServedAtOnce(path), path);
});

Deno.test("files are read once, before the first page", async () => {
  const env = { SITE_LOGO: pathOf("logo.svg"), SITE_FONT: pathOf("fraunces.woff2") };
  const { look, logged } = open(env);
  assert.ok(look.ready() !== null);
  assert.equal(look.ready(), look.ready());
  await look.ready();
  const site = look.site();
  assert.equal(site.logo?.type, "image/svg+xml");
  assert.equal(site.font?.maxWeight, 900);
  assert.equal(look.ready(), null);
  assert.equal(look.site(), site);
  assert.deepEqual(logged, []);
});

Deno.test("a file that cannot be used is named once with the reason, and the site works without it", async () => {
  const text = await Deno.makeTempFile({ suffix: ".svg" });
  await Deno.writeTextFile(text, `<svg viewBox="0 0 9 9"><text>Harbour</text></svg>`);
  const large = await Deno.makeTempFile({ suffix: ".png" });
  await Deno.writeFile(large, new Uint8Array(200_000));
  const folder = await Deno.makeTempDir({ suffix: ".svg" });
  const cases: readonly [env: Record<string, string>, message: RegExp][] = [
    [
      { SITE_LOGO: "./no-such-logo.svg" },
      /^SITE_LOGO .*pages show the name instead: there is no such/,
    ],
    [{ SITE_LOGO: text }, /^SITE_LOGO .*: it has a <text>; turn it into paths/],
    [{ SITE_LOGO: large }, /^SITE_LOGO .*: it is larger than 102400 bytes/],
    [{ SITE_LOGO: folder }, /^SITE_LOGO .*: the file cannot be read/],
    [
      { SITE_FONT: "./no-such-font.woff2" },
      /^SITE_FONT .*pages use the usual font: there is/,
    ],
  ];
  for (const [env, message] of cases) {
    const { look, logged, clock } = open(env);
    await look.ready();
    assert.match(logged[0] ?? "", message);
    clock.now += 3_600_000;
    assert.equal(look.ready(), null);
    assert.equal(logged.length, 1);
    assert.deepEqual([look.site().logo, look.site().font], [null, null]);
  }
  for (const path of [text, large, folder]) await Deno.remove(path);
});

Deno.test("a file at an address is requested again after a failure, without a second line in the log and without a wait", async () => {
  const answers = [missing(), missing(), new Response(SVG)];
  const { look, logged, clock, asked } = open(
    { SITE_LOGO: ADDRESS },
    () => answers.shift() ?? missing(),
  );
  await look.ready();
  assert.match(logged[0] ?? "", /^SITE_LOGO .*its server answered 404 \("https:\/\/harbour/);
  assert.equal(look.ready(), null);
  for (const calls of [2, 3]) {
    assert.equal(look.site().logo, null);
    clock.now += 600_000;
    await until(() => {
      assert.equal(look.ready(), null);
      return asked.length === calls;
    });
  }
  await until(() => look.site().logo !== null);
  assert.deepEqual(asked, [ADDRESS, ADDRESS, ADDRESS]);
  assert.equal(logged.length, 1);
});

Deno.test("pages do not wait for a server that does not answer", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { look, late, logged } = open({ SITE_LOGO: ADDRESS }, () => promise);
  const waiting = look.ready();
  late[0]?.();
  await waiting;
  assert.equal(look.ready(), null);
  assert.equal(look.site().logo, null);
  resolve(new Response(SVG));
  await until(() => look.site().logo !== null);
  assert.deepEqual(logged, []);
});

Deno.test("an isolate uses a file of the platform's cache for a day, and for longer if its server fails", async () => {
  const stored = new Map<string, Response>();
  const cache = {
    match: (key: string) => Promise.resolve(stored.get(key)?.clone()),
    put: (key: string, response: Response) => Promise.resolve(void stored.set(key, response)),
  };
  const clock = { now: 1_000 };
  const logged: string[] = [];
  let asked = 0;
  let answer = () => new Response(SVG);
  const start = async () => {
    const look = createLook(parseConfig({ SITE_LOGO: ADDRESS }), {
      fetch: () => {
        asked++;
        return Promise.resolve(answer());
      },
      // A part of the interface of a Cache.
      openCache: () => Promise.resolve(cache as unknown as Cache),
      pictures: null,
      now: () => clock.now,
      startLimit: () => () => {},
      log: { warn: (message) => void logged.push(message) },
    });
    await look.ready();
    assert.equal(look.site().logo?.width, 9);
  };
  await start();
  await start();
  assert.equal(asked, 1);
  clock.now += 86_400_000;
  await start();
  assert.equal(asked, 2);
  clock.now += 86_400_000;
  answer = missing;
  await start();
  assert.equal(asked, 3);
  assert.match(logged.join(), /^SITE_LOGO .*keep the file read before: its server answered 404/);
});

Deno.test("a damaged file of the platform's cache, or one from the future, is fetched again", async () => {
  const cases: readonly [body: string, readAt: number][] = [
    ["damaged", 1_000],
    [SVG.replace("0 0 9 9", "0 0 12 9"), 1_000 + 86_400_000],
    [SVG.replace("0 0 9 9", "0 0 12 9"), NaN],
  ];
  for (const [body, readAt] of cases) {
    const headers = { "x-read-at": String(readAt) };
    const stored: string[] = [];
    const cache = {
      match: () => Promise.resolve(new Response(body, { headers })),
      put: async (_key: string, response: Response) => void stored.push(await response.text()),
    };
    const { look, logged } = open({ SITE_LOGO: ADDRESS }, () => new Response(SVG), cache);
    await look.ready();
    assert.equal(look.site().logo?.width, 9, body);
    assert.deepEqual([stored, logged], [[SVG], []]);
  }
});

Deno.test("a process reads a file at an address again after a day, and keeps it if that fails", async () => {
  const wider = SVG.replace("0 0 9 9", "0 0 12 9");
  const answers = [
    () => new Response(SVG),
    () => new Response(SVG),
    () => new Response("broken"),
    () => new Response(wider),
  ];
  const { look, logged, clock, asked } = open(
    { SITE_LOGO: ADDRESS },
    () => (answers.shift() ?? missing)(),
  );
  await look.ready();
  const first = look.site();
  const read = async (pause: number, calls: number) => {
    clock.now += pause - 1;
    assert.equal(look.ready(), null);
    assert.equal(asked.length, calls - 1);
    clock.now += 1;
    await until(() => {
      assert.equal(look.ready(), null);
      return asked.length === calls;
    });
  };
  await read(86_400_000, 2);
  assert.equal(look.site(), first);
  await read(86_400_000, 3);
  await until(() => logged.length === 1);
  assert.match(
    logged[0] ?? "",
    /^SITE_LOGO .*keep the file read before: it is neither SVG nor PNG/,
  );
  assert.equal(look.site(), first);
  await read(600_000, 4);
  await until(() => look.site().logo?.width === 12);
  assert.equal(logged.length, 1);
});
