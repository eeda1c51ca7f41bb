/** The pictures with which pages of events are shared: their contents, their addresses, their cache times. */
// Not quick: it draws pictures of every script.

import assert from "node:assert/strict";
import canvasKit from "canvaskit-wasm/full";
import { createCatalog } from "../../../lib/events/catalog.ts";
import { digestOf } from "../../../lib/platform/digest.ts";
import type { ImageOutcome, ImageRole } from "../../../lib/events/pictures/images.ts";
import { imageKind } from "../../../lib/events/pictures/image_kind.ts";
import { createSharingPictures } from "../../../lib/events/pictures/sharing_pictures.ts";
import { drawable, setHeadline } from "../../../lib/events/pictures/internal/draw_text.ts";
import { loadFace, paintPicture, SHARING_SIZE } from "../../../lib/events/pictures/painter.ts";
import { snapshotOf } from "../build.ts";
import type { SharingFacts } from "../../../lib/events/pictures/internal/job.ts";
import { PATTERNS } from "../../../lib/events/theme/patterns.ts";
import { type CardTheme, cardTheme } from "../../../lib/events/theme/theme.ts";
import { encodePng, ringsPng } from "../../support/png.ts";
import { find } from "../../site/html.ts";
import { fileCell } from "./images.ts";
import { BASE_URL, NOON, openSite, PICTURES, row, THEME_CELLS } from "../../site/site.ts";

/** A fixed theme, so that pictures differ only by their text. */
const STYLED = { ...THEME_CELLS, "Background Type": "color", "Background Color": "#2b0a5e" };
const IMAGE = { ...STYLED, "Background Type": "image" };
const LOGO = ringsPng(256, 256);
const BACKGROUND = ringsPng(768, 512);

const ROOM = { width: 544, height: 150 };

const face = canvasKit.default().then((skia) => loadFace(skia));

/** Paints in this process, because the start of a process takes longer than a picture. */
const HERE: typeof PICTURES = async (_version, { facts, files }) => {
  assert.equal(facts.kind, "card");
  return paintPicture(await face, facts, files).slice();
};

/** The picture of an event without images. */
async function pictureOf(cells: Record<string, unknown>): Promise<Uint8Array<ArrayBuffer>> {
  const absent = () => Promise.resolve("absent" as const);
  const { get } = await picturesOver(absent, { ...STYLED, ...cells });
  return (await get()).bytes;
}

/** A store of pictures whose images are `answer`. */
async function picturesOver(
  answer: (role: ImageRole) => Promise<ImageOutcome>,
  cells = {},
  pictures = HERE,
) {
  const attachment = [{ id: "att1", url: "https://files.example/a.png" }];
  const record = row({
    id: "recA",
    ...IMAGE,
    "Logo Url": attachment,
    "Background Image Url": attachment,
    ...cells,
  });
  const snapshot = await snapshotOf([record], null, NOON);
  const catalog = createCatalog(snapshot, {
    timeZone: "UTC",
    baseUrl: BASE_URL,
    origin: "appTest",
    now: () => NOON,
  });
  const event = catalog.event("recA");
  assert.ok(event);
  const images = { get: (_catalog: unknown, _id: string, role: ImageRole) => answer(role) };
  const sharing = createSharingPictures(images, { pictures });
  return { version: sharing.version(catalog, event), get: () => sharing.get(catalog, event) };
}

/** The facts of a picture of the usual site. */
function factsOf(
  { theme, ...facts }: Pick<SharingFacts, "name" | "when" | "place"> & { theme: CardTheme },
): SharingFacts {
  const site = { name: "Foyer", ground: theme.ground, ink: theme.text };
  return { kind: "card", ...facts, theme, site };
}

/** The pixels of a part of a picture, four bytes each; by default of the whole. */
async function pixelsOf(
  bytes: Uint8Array<ArrayBuffer>,
  { x, y, ...size }: Record<"x" | "y" | "width" | "height", number> = {
    x: 0,
    y: 0,
    ...SHARING_SIZE,
  },
): Promise<Uint8Array> {
  const { skia } = await face;
  const picture = skia.MakeImageFromEncoded(bytes);
  const { Unpremul: alphaType } = skia.AlphaType;
  const { RGBA_8888: colorType } = skia.ColorType;
  const colorSpace = skia.ColorSpace.SRGB;
  const pixels: unknown = picture?.readPixels(x, y, { ...size, alphaType, colorType, colorSpace });
  picture?.delete();
  assert.ok(pixels instanceof Uint8Array);
  return pixels;
}

function stored(bytes: Uint8Array<ArrayBuffer>): () => Promise<ImageOutcome> {
  const { type = "image/png" } = imageKind(bytes) ?? {};
  return () => Promise.resolve({ type, bytes, version: "1" });
}

Deno.test("an event's page names its picture, which exists for ever in the stated size", async () => {
  await using site = await openSite([
    row({ id: "recA", "Name": "Jam & <b>", "Format": "in-person", "In Person Location": "Porto" }),
  ]);
  const { all } = await site.see("/events/jam-b");
  const said = new Map(
    find(all, "meta").map(({ attributes }) => [
      attributes["property"] ?? attributes["name"],
      attributes["content"] ?? "",
    ]),
  );
  assert.equal(said.get("og:image:type"), "image/png");
  assert.equal(said.get("og:image:width"), "1200");
  assert.equal(said.get("og:image:height"), "630");
  assert.equal(said.get("og:image:alt"), "Jam & <b>: 1–2 December 2026, Porto");
  assert.equal(said.get("twitter:card"), "summary_large_image");
  const address = said.get("og:image") ?? "";
  assert.match(address, /^https:\/\/foyer\.example\/events\/recA\/card\?v=[\w-]{10}$/);

  const path = address.slice(BASE_URL.length);
  const picture = await site.get(path);
  assert.equal(picture.status, 200);
  assert.equal(picture.headers.get("content-type"), "image/png");
  assert.equal(picture.headers.get("cache-control"), "max-age=31536000, immutable");
  assert.equal(picture.headers.get("x-content-type-options"), "nosniff");
  assert.equal(picture.headers.get("cross-origin-resource-policy"), "cross-origin");
  const bytes = await picture.bytes();
  assert.deepEqual(imageKind(bytes), { type: "image/png", width: 1200, height: 630 });

  const head = await site.get(path, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get("content-length"), String(bytes.length));
  assert.equal((await head.bytes()).length, 0);
  const etag = picture.headers.get("etag") ?? "";
  const again = await site.get(path, { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get("etag"), etag);
});

Deno.test("nothing of a query steers what is painted, and an old version is not kept for long", async () => {
  await using site = await openSite([row({ id: "recA", "Name": "Jam" })]);
  const plain = await site.get("/events/recA/card");
  assert.equal(plain.headers.get("cache-control"), "max-age=295");
  const bytes = await plain.bytes();
  const queries = ["?v=0123456789", "?name=Other&logo=https://files.example/a.png", "?v=&v="];
  for (const query of queries) {
    const response = await site.get(`/events/jam/card${query}`);
    assert.equal(response.headers.get("cache-control"), "max-age=295", query);
    assert.deepEqual(await response.bytes(), bytes, query);
  }
});

Deno.test("an image that the picture does not show is not waited for, and changes nothing", async () => {
  const asked: ImageRole[] = [];
  const broken = (role: ImageRole) => {
    asked.push(role);
    return Promise.resolve(role === "logo" ? "absent" as const : "failed" as const);
  };
  const { get, version } = await picturesOver(broken, STYLED);
  assert.equal((await get()).lacksImage, false);
  assert.ok(!asked.includes("background"));
  const other = [{ id: "att2", url: "https://files.example/b.png" }];
  const changed = await picturesOver(broken, { ...STYLED, "Background Image Url": other });
  assert.equal(changed.version, version);
});

Deno.test("a picture's address changes with its content, and with nothing else", async () => {
  const attachment = { id: "att2", url: "https://files.example/b.png" };
  const versionWith = async (cells: Record<string, unknown>) =>
    (await picturesOver(stored(LOGO), cells)).version;
  const version = await versionWith({ "Name": "Jam" });
  const same = { "Name": "Jam", "Description": "New.", "Url": "https://jam.example/" };
  assert.equal(await versionWith(same), version);
  const changes: Record<string, unknown>[] = [
    { "Name": "Jam 2" },
    { "Name": "Jam", "End Date": "2026-12-03" },
    { "Name": "Jam", "Format": "online" },
    { "Name": "Jam", "Theme Text": "#fff0f0" },
    { "Name": "Jam", "Logo Url": [attachment] },
    { "Name": "Jam", "Background Image Url": [attachment] },
  ];
  for (const cells of changes) {
    assert.notEqual(await versionWith(cells), version, JSON.stringify(cells));
  }
});

Deno.test("a name is drawn without the signs that no font has; if no letter is left, the date is the headline", async () => {
  const face = await loadFace(await canvasKit.default());
  const whole = ["Łódź", "Žižkov", "İstanbul", "Malmö", "Đà Nẵng", "Nguyễn Huệ", "2026", "C++ & C#"]
    .concat("Хакатон Київ", "Ґанок, Їжак, Ѣ", "Χάκαθον", "ἀρχαῖος λόγος", "π Day", "Ночь – Night");
  const cases: [typed: string, drawn: string | null][] = [
    ...whole.flatMap((name): [string, string][] => [[name, name], [name.normalize("NFD"), name]]),
    ...[
      "東京ハッカソン",
      "مؤتمر",
      "האקתון",
      "한국",
      "🎉🎉",
      "第3回",
      "「」東京",
      "\u2060",
    ]
      .map((name): [string, null] => [name, null]),
    ["Tokyo 東京 Hack", "Tokyo Hack"],
    ["東京, Japan", "Japan"],
    ["Hack (東京)", "Hack"],
    ["Hack – 東京", "Hack"],
    ["Hack 🎉, now", "Hack, now"],
    ["Idea→Product", "Idea Product"],
    ["第3回 Python", "3 Python"],
    ["Jam x\u030c", "Jam x"],
    ["ok \u{e000}文", "ok"],
    ["Jam 🎉👩‍👩‍👧", "Jam"],
    ["Day 1️⃣", "Day 1"],
    ...["\u202eJam\u202c 1", "J\u00adam\u200b 1", "Jam\u0007 1", "Jam\u2009\n1"]
      .map((name): [string, string] => [name, "Jam 1"]),
  ];
  for (const [typed, drawn] of cases) {
    assert.equal(drawable(face, typed), drawn, JSON.stringify(typed));
  }
  const nameless = await pictureOf({ "Name": "日本語" });
  assert.deepEqual(await pictureOf({ "Name": "🎉" }), nameless);
  assert.notDeepEqual(await pictureOf({ "Name": "Jam" }), nameless);
});

Deno.test("a range of days is on one line, also as the headline", async () => {
  const face = await loadFace(await canvasKit.default());
  const range = "30 November 2026 – 31 December 2027";
  assert.equal(setHeadline(face, range, "#000000", ROOM, 1).getNumberOfLines(), 1);
  assert.ok(setHeadline(face, range, "#000000", ROOM).getNumberOfLines() > 1);
});

Deno.test("a picture has at most 300 KB: a JPEG file with a photograph, however noisy, else a PNG file", async () => {
  // A generator with a fixed seed: nothing compresses its noise.
  let seed = 1;
  const indexes = Uint8Array.from({ length: 1_600 * 1_000 }, () => {
    seed = Math.imul(seed, 1_664_525) + 1_013_904_223 | 0;
    return seed >>> 24;
  });
  const palette = Uint8Array.from({ length: 768 }, (_, at) => at * 73);
  const noise = encodePng({ width: 1_600, height: 1_000, indexes, palette });
  const types = { "image/jpeg": { background: noise }, "image/png": { logo: LOGO } } as const;
  for (const [type, files] of Object.entries(types)) {
    const background = type === "image/jpeg"
      ? { type: "image", color: "#14362a", imageUrl: "https://files.example/a" } as const
      : null;
    const theme = cardTheme({ name: "Jam", theme: null, background });
    const facts = factsOf({ name: "Jam", when: "3 May 2026", place: null, theme });
    const bytes = paintPicture(await face, facts, files);
    assert.equal(imageKind(bytes)?.type, type);
    assert.ok(bytes.length <= 300_000, `${bytes.length}`);
  }
});

Deno.test("the longest names and places stay within the margins, and leave the corner to the service's mark", async () => {
  const names = ["W".repeat(300), "W ".repeat(150), "spam & eggs ".repeat(166), "a-".repeat(200)];
  for (const name of names) {
    const place = { "Format": "in-person", "In Person Location": name };
    const picture = await pictureOf({ "Name": name, ...place });
    const colorsIn = async (x: number, y: number, width: number, height: number) => {
      const { buffer, byteOffset } = await pixelsOf(picture, { x, y, width, height });
      return new Set(new Uint32Array(buffer, byteOffset, width * height)).size;
    };
    const margins = [[0, 0, 1200, 50], [0, 580, 1200, 50], [0, 0, 50, 630], [1150, 0, 50, 630]];
    for (const [x = 0, y = 0, width = 0, height = 0] of margins) {
      assert.equal(await colorsIn(x, y, width, height), 1, `${name.slice(0, 20)} at ${x}, ${y}`);
    }
    assert.ok(await colorsIn(900, 56, 240, 64) > 1, `${name.slice(0, 20)}: no mark`);
  }
});

Deno.test("each pattern is one of its own; if a picture is another than it was, EDITION of sharing_pictures.ts has to be", async () => {
  const theme = cardTheme({ name: "Winter jam", theme: null, background: null });
  const facts = { name: "Winter jam", when: "3 May 2026", place: "Porto" };
  const painted = new Set<string>();
  for (const pattern of [null, ...PATTERNS.keys()]) {
    const bytes = paintPicture(await face, factsOf({ ...facts, theme: { ...theme, pattern } }), {
      logo: LOGO,
    }).slice();
    painted.add(digestOf(await pixelsOf(bytes)));
  }
  assert.equal(painted.size, 1 + PATTERNS.length);
  // Browsers keep a picture for ever, so a change of these pixels requires new addresses.
  assert.equal(digestOf([...painted].join()).slice(0, 8), "psShNPAg");
});

Deno.test("an event's images are on its picture; what Skia cannot read is left out", async () => {
  const name = { "Name": "Jam" };
  const plain = await (await picturesOver(() => Promise.resolve("absent"), name)).get();
  const full = await (await picturesOver(stored(BACKGROUND), name)).get();
  assert.notDeepEqual(full.bytes, plain.bytes);
  const side = { width: 4_000, height: 3_001 };
  const large = encodePng({
    ...side,
    indexes: new Uint8Array(side.width * side.height),
    palette: Uint8Array.of(255, 0, 0),
  });
  const avif = Uint8Array.from(
    "\0\0\0\x18ftypavif" + "\0".repeat(12) + "\0\0\0\x14ispe" + "\0\0\0\0\0\0\0\x40\0\0\0\x40" +
      "\0".repeat(8),
    (sign) => sign.charCodeAt(0),
  );
  const half = BACKGROUND.slice(0, BACKGROUND.length / 2);
  const broken = BACKGROUND.map((byte, at) => at > 40 && at % 3 === 0 ? byte ^ 255 : byte);
  for (const [what, bytes] of Object.entries({ large, avif, broken, half })) {
    assert.ok(imageKind(bytes), what);
    const picture = await (await picturesOver(stored(bytes), name)).get();
    assert.deepEqual(picture.bytes, plain.bytes, what);
    assert.equal(picture.lacksImage, false, what);
  }
});

Deno.test("an image of any shape covers the whole picture, and is dimmed behind the words", async () => {
  const background = {
    type: "image",
    color: "#14362a",
    imageUrl: "https://files.example/a",
  } as const;
  const theme = cardTheme({ name: "Jam", theme: null, background });
  const { scrim } = theme;
  assert.ok(scrim !== null && scrim > 0.1, `${scrim}`);
  const facts = factsOf({ name: "Jam", when: "3 May 2026", place: null, theme });
  for (const [width, height] of [[400, 40], [40, 400]] as const) {
    const indexes = new Uint8Array(width * height);
    const red = encodePng({ width, height, indexes, palette: Uint8Array.of(255, 0, 0) });
    const picture = paintPicture(await face, facts, { background: red }).slice();
    const pixelAt = (x: number, y: number) => pixelsOf(picture, { x, y, width: 1, height: 1 });
    const [left, right, below] = [
      await pixelAt(0, 0),
      await pixelAt(1_199, 0),
      await pixelAt(0, 629),
    ];
    for (const [red = 0, green = 9, blue = 9] of [left, right]) {
      // JPEG is not exact.
      assert.ok(red > 250 && green < 5 && blue < 5, `${red} ${green} ${blue}`);
    }
    const dimmed = 255 + (scrim ?? 0) * (0x14 - 255);
    assert.ok(Math.abs((below?.[0] ?? 0) - dimmed) < 3, `${below} for ${dimmed}`);
  }
});

Deno.test("a picture without an image that is not available is kept for a minute, and has no tag", async () => {
  const broken = Uint8Array.of(1, 2, 3);
  await using site = await openSite([
    row({ id: "recA", "Name": "Jam", ...IMAGE, "Background Image Url": fileCell("att1", broken) }),
    row({ id: "recB", "Name": "Jam", ...IMAGE, "Background Image Url": fileCell("att2", LOGO) }),
  ]);
  const { html } = await site.see("/events/jam");
  const [path = ""] = /\/events\/recA\/card\?v=[\w-]+/.exec(html) ?? [];
  const picture = await site.get(path);
  assert.equal(picture.status, 200);
  assert.equal(picture.headers.get("cache-control"), "max-age=60");
  assert.equal(picture.headers.get("etag"), null);
  const other = await site.get("/events/recB/card");
  assert.ok(other.headers.get("etag"));
  assert.notDeepEqual(await picture.bytes(), await other.bytes());
});

Deno.test("a picture is painted once for any number of requests, and again once its images are available", async () => {
  let outcome: ImageOutcome = "failed";
  const { get } = await picturesOver(() => Promise.resolve(outcome));
  const poor = await Promise.all(Array.from({ length: 20 }, get));
  assert.ok(poor.every(({ bytes, lacksImage }) => bytes === poor[0]?.bytes && lacksImage));
  assert.equal((await get()).bytes, poor[0]?.bytes);
  outcome = await stored(LOGO)();
  const whole = await get();
  assert.equal(whole.lacksImage, false);
  assert.notDeepEqual(whole.bytes, poor[0]?.bytes);
  assert.equal((await get()).bytes, whole.bytes);
});
