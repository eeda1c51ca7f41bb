/** The processes that make pictures: their limits, their queue, and the memory of what failed. */
// Not quick: processes are started.

import assert from "node:assert/strict";
import { imageKind } from "../../../lib/events/pictures/image_kind.ts";
import type { SharingFacts } from "../../../lib/events/pictures/internal/job.ts";
import {
  createPictures,
  type MakePicture,
  type PicturesOptions,
} from "../../../lib/events/pictures/picture_process.ts";
import { cardTheme } from "../../../lib/events/theme/theme.ts";
import { bulkyWebp } from "../../support/hostile_pictures.ts";
import { ringsPng } from "../../support/png.ts";
import { fileCell } from "./images.ts";
import { NOON, openSite, row } from "../../site/site.ts";

const DAY = 86_400_000;
const STUCK = new URL("stuck_pictures.ts", import.meta.url);
const PNG = ringsPng(256, 256);
const RECORDS = [row({ "id": "recA", "Name": "Jam", "Logo Url": fileCell("att1", PNG) })];

function open(options: Partial<PicturesOptions> = {}) {
  const clock = { now: NOON };
  const logged: string[] = [];
  const log = { warn: (...parts: unknown[]) => void logged.push(Deno.inspect(parts)) };
  const make = createPictures({ now: () => clock.now, log, ...options });
  /** The image, or the text of a file that is none, in another size; by default its text is its version. */
  const resize = (
    image: string | Uint8Array<ArrayBuffer>,
    width = 800,
    version = String(image),
  ) => {
    const file = typeof image === "string" ? new TextEncoder().encode(image) : image;
    return make(version, { facts: { kind: "image", width, quality: 90 }, files: { image: file } });
  };
  return { make, resize, clock, logged };
}

function factsOf(name: string): SharingFacts {
  const theme = cardTheme({ name, theme: null, background: null });
  const site = { name: "Foyer", ground: theme.ground, ink: theme.text };
  return { kind: "card", name, when: "3 May 2026", place: null, theme, site };
}

const textOf = (bytes: Uint8Array | null) => bytes && new TextDecoder().decode(bytes);

Deno.test("a picture that never ends is given up, and is not tried again for a day, in no width", async () => {
  const { resize, clock, logged } = open({ program: STUCK, maxMilliseconds: 3_000 });
  assert.equal(await resize("stuck"), null);
  assert.match(logged[0] ?? "", /takes longer than 3000 ms/);
  clock.now += DAY - 1;
  assert.equal(await resize("stuck", 1_600), null);
  assert.equal(logged.length, 1);
  clock.now += 2;
  assert.equal(await resize("stuck"), null);
  assert.equal(logged.length, 2);
});

Deno.test("of several waiting pictures only the faulty ones fail; one without a picture is no failure", async () => {
  const { resize, logged } = open({ program: STUCK });
  const words = ["good", "crash", "endless", "nothing", "crash", "best"];
  const made = await Promise.all(words.map((word) => resize(word)));
  assert.deepEqual(made.map(textOf), ["good", null, null, "", null, "best"]);
  // The second crash was known when its turn came.
  assert.equal(logged.length, 2);
});

Deno.test("one picture is made at a time, 24 wait, and the next one is refused at once", async () => {
  const { resize } = open({ program: STUCK });
  const waiting = Array.from({ length: 25 }, () => resize("crash"));
  await assert.rejects(resize("crash"), { code: "service_unavailable" });
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([null]));
});

Deno.test("a picture for which memory does not suffice fails, and the next one is made", async () => {
  const { make, resize, logged } = open();
  const logo = bulkyWebp();
  assert.equal(await resize(logo, 800, "bulky"), null);
  assert.equal(await make("card", { facts: factsOf("Jam"), files: { logo } }), null);
  assert.equal(logged.length, 2);
  assert.equal(imageKind(await resize(PNG, 64, "png") ?? new Uint8Array())?.width, 64);
});

Deno.test("the process of a picture has no network, no environment and no files of the service", async () => {
  const { resize } = open({ program: new URL("prying_pictures.ts", import.meta.url) });
  const tried = JSON.parse(textOf(await resize("anything")) ?? "");
  assert.deepEqual(tried, {
    network: "NotCapable",
    environment: "NotCapable",
    reading: "NotCapable",
    writing: "NotCapable",
    running: "NotCapable",
  });
});

Deno.test("a font that Skia cannot read is left out of a picture", async () => {
  const { make } = open();
  const font = new TextEncoder().encode("wOF2 and nothing else");
  const facts = factsOf("Jam");
  const [damaged, usual] = await Promise.all([
    make("damaged", { facts, files: { font } }),
    make("usual", { facts, files: {} }),
  ]);
  assert.deepEqual(damaged, usual);
});

Deno.test("where no picture can be made, images are shown as they are and a card is 503", async () => {
  const missing = new URL("no_such_program.ts", import.meta.url);
  for (const pictures of [open({ program: missing }).make, null]) {
    await using site = await openSite(RECORDS, {}, { pictures });
    const { html } = await site.see("/events/jam");
    assert.equal(html.includes("og:image"), pictures !== null);
    const image = await site.get("/events/recA/logo?w=400");
    assert.deepEqual([image.status, (await image.bytes()).length], [200, PNG.length]);
    const card = await site.get("/events/recA/card");
    assert.equal(card.status, 503);
    assert.equal(card.headers.get("retry-after"), "3600");
  }
});

Deno.test("a card whose image is at fault is painted without it, and meanwhile every other request is answered", async () => {
  const held = Promise.withResolvers<void>();
  const { make } = open({ program: STUCK, maxMilliseconds: 3_000 });
  const pictures: MakePicture = (version, { facts, files: { logo } }) => {
    held.resolve();
    const word = new TextEncoder().encode(logo ? "stuck" : "painted");
    return make(version, { facts, files: { logo: word } });
  };
  await using site = await openSite(RECORDS, {}, { pictures });
  let isOver = false;
  const card = site.get("/events/recA/card").finally(() => isOver = true);
  await held.promise;
  for (let count = 0; count < 50; count++) {
    for (const path of ["/api/v1/events?limit=100", "/"]) {
      assert.equal((await site.get(path)).status, 200);
    }
  }
  assert.equal(isOver, false);
  const painted = await card;
  assert.equal(painted.status, 200);
  assert.equal(painted.headers.get("cache-control"), "max-age=60");
  assert.equal(await painted.text(), "painted");
});

Deno.test("of forty cards that are asked for at once, the queue has room for 25, and the others are told when to ask again", async () => {
  const { make } = open({ program: STUCK });
  const first = Promise.withResolvers<void>();
  // Each takes a quarter of the memory for cards, and the first is the last to be done.
  const pictures: MakePicture = async (version, { facts }) => {
    const isFirst = facts.kind === "card" && facts.name === "Card 0";
    const made = await make(version, { facts, files: { logo: PNG } });
    if (isFirst) await first.promise;
    return made && new Uint8Array(16 * 1024 * 1024);
  };
  const records = Array.from(
    { length: 40 },
    (_, at) => row({ id: `rec${at}`, "Name": `Card ${at}` }),
  );
  await using site = await openSite(records, {}, { pictures });
  const cards = records.map(async ({ id }) => {
    const { status, headers } = await site.get(`/events/${id}/card`);
    return [status, headers.get("retry-after")];
  });
  const [waiting, ...others] = cards;
  const answers = Map.groupBy(await Promise.all(others), String);
  assert.deepEqual([...answers].map(([answer, { length }]) => [answer, length]).toSorted(), [
    ["200,", 24],
    ["503,10", 15],
  ]);
  first.resolve();
  assert.deepEqual(await waiting, [200, null]);
});
