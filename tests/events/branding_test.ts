/** When the files of a branding are read, which lines are logged, and how pages look meanwhile. */

import assert from "node:assert/strict";
import type { Context } from "fresh";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { createBranding } from "../../lib/events/site/branding.ts";
import type { Services } from "../../lib/operate/services.ts";
import type { State } from "../../lib/operate/state.ts";
import { attachState } from "../../middleware/state.ts";
import { openFolder } from "../support/folder.ts";
import { plainPng } from "../support/png.ts";
import { until } from "../support/until.ts";

const SVG = `<svg viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>`;
const ADDRESS = "https://harbour.example/brand/logo";

/** A branding over a network of one function. */
function open(
  env: Record<string, string>,
  answer: () => Response | Promise<Response> = missing,
) {
  const logged: string[] = [];
  const clock = { now: 1_000 };
  const asked: string[] = [];
  const late: (() => void)[] = [];
  const branding = createBranding(parseConfig(env), {
    fetch: (input) => {
      asked.push(String(input));
      return Promise.resolve(answer());
    },
    resolveName: () => Promise.resolve(null),
    now: () => clock.now,
    startLimit: (work) => {
      late.push(work);
      return () => {};
    },
    log: { warn: (message) => void logged.push(message) },
  });
  return { branding, logged, clock, asked, late };
}

function missing(): Response {
  return new Response(null, { status: 404 });
}

Deno.test("pages wait for the files, and requests of programs do not", () => {
  const { branding } = open({ SITE_LOGO: `${ADDRESS}.svg` }, () => new Promise(() => {}));
  const attach = attachState(
    { branding } as unknown as Services,
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

Deno.test("a file that cannot be used is named once with the reason, and the site works without it", async () => {
  await using folder = await openFolder();
  const pathOf = (name: string) => `${folder.path}/${name}`;
  await Deno.writeTextFile(pathOf("empty.woff2"), "");
  await Deno.writeTextFile(pathOf("text.svg"), "Harbour");
  await Deno.writeFile(pathOf("small.png"), plainPng(511, 511));
  await Deno.writeFile(pathOf("wide.png"), plainPng(600, 512));
  await Deno.writeTextFile(pathOf("svg.png"), SVG);
  await Deno.writeFile(pathOf("large.png"), new Uint8Array(200_000));
  await Deno.mkdir(pathOf("folder.svg"));
  const cases: readonly [env: Record<string, string>, message: RegExp][] = [
    [
      { SITE_LOGO: "./no-such-logo.svg" },
      /^SITE_LOGO .*pages show the name instead: there is no such/,
    ],
    [{ SITE_LOGO: pathOf("text.svg") }, /^SITE_LOGO .*: it is neither SVG nor PNG/],
    [
      { SITE_LOGO_DARK: pathOf("text.svg") },
      /^SITE_LOGO_DARK .*dark pages show SITE_LOGO: it is neither/,
    ],
    [
      { SITE_ICON: pathOf("small.png") },
      /^SITE_ICON .*a letter: it must be square, and at least/,
    ],
    [{ SITE_ICON: pathOf("wide.png") }, /^SITE_ICON .*: it must be square/],
    [{ SITE_ICON: pathOf("svg.png") }, /^SITE_ICON .*: it is not a PNG file/],
    [{ SITE_FONT: pathOf("empty.woff2") }, /^SITE_FONT .*: it is not a font in WOFF2/],
    [{ SITE_LOGO: pathOf("large.png") }, /^SITE_LOGO .*: it is larger than 102400 bytes/],
    [{ SITE_LOGO: pathOf("folder.svg") }, /^SITE_LOGO .*: the file cannot be read/],
    [
      { SITE_FONT: "./no-such-font.woff2" },
      /^SITE_FONT .*pages use the usual font: there is/,
    ],
  ];
  for (const [env, message] of cases) {
    const { branding, logged, clock } = open(env);
    await branding.ready();
    assert.match(logged[0] ?? "", message);
    clock.now += 3_600_000;
    assert.equal(branding.ready(), null);
    assert.equal(logged.length, 1);
    const { logo, logoDark, icon, font } = branding.site();
    assert.deepEqual([logo, logoDark, icon, font], [null, null, null, null]);
  }
});

Deno.test("a file at an address is requested again after a failure, without a second line in the log and without a wait", async () => {
  const answers = [missing(), missing(), new Response(SVG)];
  const { branding, logged, clock, asked } = open(
    { SITE_LOGO: ADDRESS },
    () => answers.shift() ?? missing(),
  );
  await branding.ready();
  assert.match(logged[0] ?? "", /^SITE_LOGO .*its server answered 404 \("https:\/\/harbour/);
  assert.equal(branding.ready(), null);
  for (const calls of [2, 3]) {
    assert.equal(branding.site().logo, null);
    clock.now += 600_000;
    await until(() => {
      assert.equal(branding.ready(), null);
      return asked.length === calls;
    });
  }
  await until(() => branding.site().logo !== null);
  assert.deepEqual(asked, [ADDRESS, ADDRESS, ADDRESS]);
  assert.equal(logged.length, 1);
});

Deno.test("pages do not wait for a server that does not answer", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { branding, late, logged } = open({ SITE_LOGO: ADDRESS }, () => promise);
  const waiting = branding.ready();
  late[0]?.();
  await waiting;
  assert.equal(branding.ready(), null);
  assert.equal(branding.site().logo, null);
  resolve(new Response(SVG));
  await until(() => branding.site().logo !== null);
  assert.deepEqual(logged, []);
});

Deno.test("a logo that is wider than twice its height is known by its file", async () => {
  await using folder = await openFolder();
  const cases: readonly [name: string, file: string | Uint8Array, isWide: boolean][] = [
    ["a.svg", SVG, false],
    ["b.svg", `<?xml version="1.0"?><svg\n viewBox='0,0 41 20'><path/></svg>`, true],
    ["c.svg", `<svg viewBox="-10 -10 40 20"/>`, false],
    ["d.svg", `<svg width="300" height="20"/>`, false],
    ["e.png", plainPng(41, 20), true],
    ["f.png", plainPng(40, 20), false],
  ];
  for (const [name, file, isWide] of cases) {
    const path = `${folder.path}/${name}`;
    await (typeof file === "string" ? Deno.writeTextFile(path, file) : Deno.writeFile(path, file));
    const { branding } = open({ SITE_LOGO: path });
    await branding.ready();
    assert.equal(branding.site().logo?.isWide, isWide, name);
  }
});
