/** The processes that make pictures: their limits, their queue, and the memory of what failed. */
// Not quick: processes are started.

import assert from "node:assert/strict";
import { imageKind, type StoredImage } from "../../../lib/events/pictures/image_kind.ts";
import type { Job, SharingFacts } from "../../../lib/events/pictures/job.ts";
import {
  BusyError,
  createPictures,
  FailedError,
  type PicturesOptions,
} from "../../../lib/events/pictures/picture_process.ts";
import { cardLook } from "../../../lib/events/theme/theme.ts";
import { bulkyWebp, movingGif } from "../../support/hostile_pictures.ts";
import { ringsPng } from "../../support/png.ts";
import { NOON, openSite, row, THEME_CELLS } from "../../site/site.ts";

const DAY = 86_400_000;
const STUCK = new URL("stuck_pictures.ts", import.meta.url);
const SIZING = { width: 800, quality: 90 } as const;
const PNG = ringsPng(256, 256);

function open(options: Partial<PicturesOptions> = {}) {
  const clock = { now: NOON };
  const logged: string[] = [];
  const log = { warn: (...parts: unknown[]) => void logged.push(Deno.inspect(parts)) };
  return { ...createPictures({ now: () => clock.now, log, ...options }), clock, logged };
}

function image(word: string | Uint8Array<ArrayBuffer>, version = String(word)): StoredImage {
  const bytes = typeof word === "string" ? new TextEncoder().encode(word) : word;
  return { type: imageKind(bytes)?.type ?? "image/png", bytes, version };
}

function factsOf(name: string): SharingFacts {
  const look = cardLook({ name, theme: null, background: null });
  const site = { name: "Foyer", ground: look.ground, ink: look.text, door: null };
  return { kind: "card", name, when: "3 May 2026", place: null, look, site };
}

const give = (files: Job["files"]) => () => Promise.resolve(files);
const textOf = (bytes: Uint8Array | null | undefined) =>
  new TextDecoder().decode(bytes ?? undefined);

Deno.test("a picture that never ends is given up, and is not tried again for a day, in no width", async () => {
  const { resize, clock, logged } = open({ program: STUCK, maxMilliseconds: 3_000 });
  const stuck = image("stuck");
  await assert.rejects(resize(stuck, SIZING), FailedError);
  assert.match(logged[0] ?? "", /takes longer than 3000 ms/);
  clock.now += DAY - 1;
  await assert.rejects(resize(stuck, { ...SIZING, width: 1_600 }), FailedError);
  assert.equal(logged.length, 1);
  clock.now += 2;
  await assert.rejects(resize(stuck, SIZING), FailedError);
  assert.equal(logged.length, 2);
});

Deno.test("of several waiting pictures only the faulty ones fail; one without a picture is no failure", async () => {
  const { resize, logged } = open({ program: STUCK });
  const words = ["good", "crash", "endless", "nothing", "crash", "best"];
  const all = await Promise.allSettled(words.map((word) => resize(image(word), SIZING)));
  const made = all.map((each) =>
    each.status === "fulfilled" ? each.value && textOf(each.value) : ""
  );
  assert.deepEqual(made, ["good", "", "", null, "", "best"]);
  // The second crash was known when its turn came.
  assert.equal(logged.length, 2);
});

Deno.test("one picture is made at a time, 24 wait, and the next one is refused at once", async () => {
  const { paint } = open({ program: STUCK });
  const { promise: files, resolve } = Promise.withResolvers<Job["files"]>();
  let prepared = 0;
  const paintOne = (at: number) =>
    paint(`card ${at}`, factsOf("crash"), () => {
      prepared++;
      return files;
    });
  const waiting = Array.from({ length: 25 }, (_, at) => assert.rejects(paintOne(at), Error));
  await assert.rejects(paintOne(25), BusyError);
  assert.equal(prepared, 1);
  resolve({ logo: PNG });
  await Promise.all(waiting);
  assert.equal(prepared, 25);
});

Deno.test("a picture for which memory does not suffice fails, and the next one is made", async () => {
  const { paint, resize, logged } = open();
  const bulky = image(bulkyWebp(), "bulky");
  await assert.rejects(resize(bulky, SIZING), FailedError);
  await assert.rejects(paint("card", factsOf("Jam"), give({ logo: bulky.bytes })), FailedError);
  assert.equal(logged.length, 2);
  const smaller = await resize(image(PNG, "png"), { ...SIZING, width: 64 });
  assert.equal(imageKind(smaller ?? new Uint8Array())?.width, 64);
});

Deno.test("the process of a picture has no network, no environment and no files of the service", async () => {
  const { resize } = open({ program: new URL("prying_pictures.ts", import.meta.url) });
  const tried = JSON.parse(textOf(await resize(image("anything"), SIZING)));
  assert.deepEqual(tried, {
    network: "NotCapable",
    environment: "NotCapable",
    reading: "NotCapable",
    writing: "NotCapable",
    running: "NotCapable",
  });
});

Deno.test("a font that Skia cannot read is left out of a picture", async () => {
  const { paint } = open();
  const font = new TextEncoder().encode("wOF2 and nothing else");
  const [damaged, usual] = await Promise.all([
    paint("damaged", factsOf("Jam"), give({ font })),
    paint("usual", factsOf("Jam"), give({})),
  ]);
  assert.deepEqual(damaged, usual);
});

Deno.test("where no picture can be made, images are shown as they are and a card is 503", async () => {
  const file = { type: "image/png", bytes: PNG };
  const logo = [{ id: "att1", filename: "logo.png", source: file }];
  const records = [row({ id: "recA", "Name": "Jam", "Logo Url": logo })];
  const missing = new URL("no_such_program.ts", import.meta.url);
  for (const pictures of [open({ program: missing }), null]) {
    await using site = await openSite(records, {}, { pictures });
    const { html } = await site.see("/events/jam");
    assert.equal(html.includes("og:image"), pictures !== null);
    const image = await site.get("/events/recA/logo?w=400");
    assert.deepEqual([image.status, (await image.bytes()).length], [200, PNG.length]);
    const card = await site.get("/events/recA/card");
    assert.equal(card.status, 503);
    assert.equal(card.headers.get("retry-after"), "3600");
    await card.body?.cancel();
  }
});

Deno.test("a card whose image is at fault is painted without it, and meanwhile every other request is answered", async () => {
  const bytes = new TextEncoder().encode("stuck");
  const held = Promise.withResolvers<void>();
  const { paint, resize } = open({ program: STUCK, maxMilliseconds: 3_000 });
  const pictures = {
    resize,
    paint: (version: string, facts: SharingFacts, prepare: () => Promise<Job["files"]>) => {
      held.resolve();
      return paint(version, facts, async () => {
        const { logo } = await prepare();
        return { font: new TextEncoder().encode("painted"), ...logo && { logo: bytes } };
      });
    },
  };
  const file = { type: "image/png", bytes: PNG };
  const logo = [{ id: "att1", filename: "logo.png", source: file }];
  const records = [row({ id: "recA", "Name": "Jam", ...THEME_CELLS, "Logo Url": logo })];
  await using site = await openSite(records, {}, { pictures });
  let isOver = false;
  const card = site.get("/events/recA/card").finally(() => isOver = true);
  await held.promise;
  for (let count = 0; count < 50; count++) {
    for (const path of ["/api/v1/events?limit=100", "/"]) {
      const response = await site.get(path);
      assert.equal(response.status, 200);
      await response.body?.cancel();
    }
  }
  assert.equal(isOver, false);
  const painted = await card;
  assert.equal(painted.status, 200);
  assert.equal(painted.headers.get("cache-control"), "max-age=60");
  assert.equal(await painted.text(), "painted");
});

Deno.test("a GIF of 220,000 frames is not a picture, and its event's card is painted without it", async () => {
  const file = { type: "image/gif", bytes: movingGif(220_000) };
  const logo = [{ id: "att1", filename: "logo.gif", source: file }];
  await using site = await openSite([row({ id: "recA", "Name": "Jam", "Logo Url": logo })]);
  const image = await site.get("/events/recA/logo");
  assert.equal(image.status, 502);
  await image.body?.cancel();
  const card = await site.get("/events/recA/card");
  assert.deepEqual([card.status, card.headers.get("cache-control")], [200, "max-age=60"]);
  await card.body?.cancel();
});
