/**
 * The process that reads pictures: its limits, its end after a picture that exceeds them, and the memory of such
 * pictures.
 */
// Not quick: the picture process is started.

import assert from "node:assert/strict";
import { imageKind, type StoredImage } from "../../../lib/events/pictures/image_kind.ts";
import {
  type Contents,
  createPictures,
  NotStartedError,
  type PicturesOptions,
  UnpaintableError,
} from "../../../lib/events/pictures/picture_process.ts";
import { cardLook } from "../../../lib/events/theme/theme.ts";
import { logoPicture, renderPicture } from "../../../lib/sandbox/artwork.ts";
import { bulkyWebp, movingGif } from "../../support/hostile_pictures.ts";
import { NOON, openSite, row, THEME_CELLS } from "../../site/site.ts";

const DAY = 86_400_000;
const STUCK = new URL("stuck_pictures.ts", import.meta.url);
/** A program that does not start. */
const MISSING = new URL("no_such_program.ts", import.meta.url);
/** Longer than all other work takes. */
const PATIENCE = { maxMilliseconds: 1_000 };
const SIZING = { width: 400, quality: 90 } as const;
const PNG = renderPicture(logoPicture("mark", "paper"));

/** Makers of pictures over one database, as isolates are. */
function isolatesOver(kv: Deno.Kv) {
  const clock = { now: NOON };
  const logged: string[] = [];
  const log = { warn: (...parts: unknown[]) => void logged.push(Deno.inspect(parts)) };
  const open = (options: Partial<PicturesOptions> = {}) =>
    createPictures({ kv, now: () => clock.now, log, ...options });
  return { open, clock, logged };
}

function image(word: string | Uint8Array<ArrayBuffer>, version = String(word)): StoredImage {
  const bytes = typeof word === "string" ? new TextEncoder().encode(word) : word;
  return { type: imageKind(bytes)?.type ?? "image/png", bytes, version };
}

function cardOf(files: Contents["files"], name = "Jam"): Contents {
  const background = {
    type: "image",
    color: "#14362a",
    imageUrl: "https://files.example/a.png",
  } as const;
  const look = cardLook({ name, theme: null, background });
  const facts = { name, when: "3 May 2026", place: null, look };
  return { version: `card of ${name}`, drawing: { kind: "card", facts }, files };
}

const textOf = (bytes: Uint8Array | null | undefined) =>
  new TextDecoder().decode(bytes ?? undefined);

Deno.test("a picture that never ends is given up, and no isolate, no width and no card tries it again for a day", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, clock, logged } = isolatesOver(kv);
  const stuck = image("stuck");
  await assert.rejects(
    open({ program: STUCK, ...PATIENCE }).resize(stuck, SIZING),
    UnpaintableError,
  );
  assert.equal(logged.length, 1);
  // An attempt would have to start a program that does not exist.
  const other = open({ program: MISSING });
  clock.now += DAY - 1;
  await assert.rejects(other.resize(stuck, { ...SIZING, width: 800 }), UnpaintableError);
  const good = image("good");
  const third = open({ program: STUCK, ...PATIENCE });
  const { bytes, lacksImage } = await third.paint(cardOf({ logo: good, background: stuck }));
  assert.deepEqual([textOf(bytes), lacksImage], ["good", true]);
  clock.now += 1;
  await assert.rejects(other.resize(stuck, SIZING), NotStartedError);
});

Deno.test("only the faulty one of several waiting pictures is skipped, and the others are made", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = isolatesOver(kv);
  const { resize } = open({ program: STUCK, ...PATIENCE });
  const words = ["good", "stuck", "better", "crash", "best"];
  const all = await Promise.allSettled(words.map((word) => resize(image(word), SIZING)));
  const made = all.map((each) => each.status === "fulfilled" ? textOf(each.value) : null);
  assert.deepEqual(made, ["good", null, "better", null, "best"]);
  const remembered = await Array.fromAsync(kv.list({ prefix: ["unpaintable"] }));
  assert.deepEqual(remembered.map(({ key }) => key[1]), ["crash", "stuck"]);
});

Deno.test("a picture that waits in several sizes is given up in all of them with the first", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, logged } = isolatesOver(kv);
  const { resize } = open({ program: STUCK, ...PATIENCE });
  const stuck = image("stuck");
  const all = await Promise.allSettled(
    [400, 800, 1600].map((width) => resize(stuck, { ...SIZING, width })),
  );
  for (const each of all) {
    assert.ok(each.status === "rejected" && each.reason instanceof UnpaintableError);
  }
  assert.equal(logged.length, 1);
});

Deno.test("a process that has ended by itself is not blamed on a picture", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open, logged } = isolatesOver(kv);
  const { resize } = open({ program: STUCK });
  for (const word of ["last", "good"]) {
    assert.equal(textOf(await resize(image(word), SIZING)), word);
  }
  const quitter = open({ program: new URL("quitting_pictures.ts", import.meta.url) });
  await assert.rejects(quitter.resize(image("good"), SIZING), NotStartedError);
  assert.deepEqual(logged, []);
});

Deno.test("a card is painted without the image at fault; without one the card itself is", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = isolatesOver(kv);
  const { paint } = open({ program: STUCK, ...PATIENCE });
  const [good, crash] = [image("good"), image("crash")];
  const cases = [
    { logo: good, background: crash },
    { logo: crash, background: good },
    { background: good, siteLogo: crash },
    { siteLogo: good, font: image("crash", "another") },
  ];
  for (const images of cases) {
    const { bytes, lacksImage } = await paint(cardOf(images));
    assert.deepEqual([textOf(bytes), lacksImage], ["good", true]);
  }
  const whole = await paint(cardOf({ logo: good }));
  assert.equal(whole.lacksImage, false);
  // The site's icon too: the logo and the font are foreign files.
  const facts = { side: 1, ground: "#000000", ink: "#000000", letter: "A" };
  const iconFacts = { ...facts, logo: null, isMaskable: false };
  const painted = await paint({
    version: "icon",
    drawing: { kind: "icon", facts: iconFacts },
    files: { logo: good, font: image("crash", "third") },
  });
  assert.deepEqual([textOf(painted.bytes), painted.lacksImage], ["good", true]);
  await assert.rejects(paint(cardOf({}, "crash")), { version: "card of crash" });
});

Deno.test("a picture for which memory does not suffice is left out of the card, and the next one is painted", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = isolatesOver(kv);
  const { paint, resize } = open();
  const bulky = image(bulkyWebp(), "bulky");
  const { bytes, lacksImage } = await paint(cardOf({ logo: image(PNG, "png"), background: bulky }));
  assert.equal(lacksImage, true);
  assert.deepEqual(imageKind(bytes), { type: "image/png", width: 1200, height: 630 });
  await assert.rejects(open({ program: MISSING }).resize(bulky, SIZING), UnpaintableError);
  const smaller = await resize(image(PNG, "png"), { ...SIZING, width: 64 });
  assert.equal(imageKind(smaller ?? new Uint8Array())?.width, 64);
});

Deno.test("a picture for which memory does not suffice once it is drawn is blamed itself, not its image", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = isolatesOver(kv);
  const { paint } = open({ program: new URL("unencoded_pictures.ts", import.meta.url) });
  const card = cardOf({ logo: image(PNG, "png") });
  const facts = { side: 9, ground: "#000000", ink: "#000000", letter: "A", isMaskable: false };
  const logo = { width: 9, height: 9, drawing: null, isWordmark: false };
  const drawing = { kind: "icon", facts: { ...facts, logo } } as const;
  const icon = { ...card, version: "icon", drawing };
  for (const picture of [card, icon]) {
    await assert.rejects(paint(picture), UnpaintableError);
  }
  const remembered = await Array.fromAsync(kv.list({ prefix: ["unpaintable"] }));
  assert.deepEqual(remembered.map(({ key }) => key[1]), ["card of Jam", "icon"]);
});

Deno.test("the process that reads pictures has no network, no environment and no files of the service", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = isolatesOver(kv);
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

Deno.test("where no process starts, images are shown as they are and a card is 503; no picture is to blame", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = isolatesOver(kv);
  const file = { kind: "file", type: "image/png", bytes: PNG } as const;
  const logo = [{ id: "att1", filename: "logo.png", source: file }];
  const records = [row({ id: "recA", "Name": "Jam", "Logo Url": logo })];
  for (const pictures of [open({ program: MISSING }), null]) {
    await using site = await openSite(records, {}, { pictures });
    const { html } = await site.see("/events/jam");
    assert.equal(html.includes("og:image"), pictures !== null);
    const image = await site.get("/events/recA/logo?w=400");
    assert.deepEqual([image.status, (await image.bytes()).length], [200, PNG.length]);
    const card = await site.get("/events/recA/card");
    assert.equal(card.status, 503);
    await card.body?.cancel();
  }
  assert.deepEqual(await Array.fromAsync(kv.list({ prefix: ["unpaintable"] })), []);
});

Deno.test("while a picture is read, every other request is answered", async () => {
  using kv = await Deno.openKv(":memory:");
  const { open } = isolatesOver(kv);
  const bytes = new TextEncoder().encode("stuck");
  const held = Promise.withResolvers<void>();
  const { paint, ...others } = open({ program: STUCK, maxMilliseconds: 3_000 });
  const pictures = {
    ...others,
    paint: (contents: Contents) => {
      held.resolve();
      const { logo = null } = contents.files;
      return paint({ ...contents, files: { logo: logo && { ...logo, bytes } } });
    },
  };
  const file = { kind: "file", type: "image/png", bytes: PNG } as const;
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
  await painted.body?.cancel();
});

Deno.test("a GIF of 220,000 frames is not a picture, and its event's card is painted without it", async () => {
  const file = { kind: "file", type: "image/gif", bytes: movingGif(220_000) } as const;
  const logo = [{ id: "att1", filename: "logo.gif", source: file }];
  await using site = await openSite([row({ id: "recA", "Name": "Jam", "Logo Url": logo })]);
  const image = await site.get("/events/recA/logo");
  assert.equal(image.status, 502);
  await image.body?.cancel();
  const card = await site.get("/events/recA/card");
  assert.deepEqual([card.status, card.headers.get("cache-control")], [200, "max-age=60"]);
  await card.body?.cancel();
});
