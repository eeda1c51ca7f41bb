/** The images in the sizes of pages: made in the background, and never worse than the image itself. */
// Not quick: it makes and measures pictures.

import assert from "node:assert/strict";
import type { Variant } from "../../../lib/events/pictures/images.ts";
import { imageKind } from "../../../lib/events/pictures/image_kind.ts";
import type { MakePicture } from "../../../lib/events/pictures/picture_process.ts";
import { encodePng, ringsPng } from "../../support/png.ts";
import { pngChunk } from "../../support/hostile_pictures.ts";
import { until } from "../../support/until.ts";
import { catalogWith, fileCell, imagesOver, LOGO_URL } from "./images.ts";
import { openSite, PICTURES, row } from "../../site/site.ts";

const PNG = ringsPng(256, 256);
const SMALLER = new Uint8Array(100);
/** A file of one pixel. */
const GIF = Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");

/** Makes an image smaller, in a process. */
const resized = (image: Uint8Array<ArrayBuffer>, width: number, quality = 75) =>
  PICTURES("1", { facts: { kind: "image", width, quality }, files: { image } });

/** An image of 800 pixels that is asked for again and again. */
async function sizedBy(pictures: MakePicture | null) {
  const { images, logged } = imagesOver(() => new Response(PNG), { pictures });
  const catalog = await catalogWith(LOGO_URL);
  return { get: () => images.getSized(catalog, "recA", "logo", 800), logged };
}

const lengthOf = ({ outcome }: Variant) => typeof outcome === "string" ? 0 : outcome.bytes.length;

Deno.test("where nothing is saved, or nothing can be made, the image itself is shown for good", async () => {
  for (const made of [PNG.slice(1), new Uint8Array(), null]) {
    let calls = 0;
    const make: MakePicture = (_version, _job) => {
      calls++;
      return Promise.resolve(made);
    };
    const { get, logged } = await sizedBy(made === null ? null : make);
    await until(async () => (await get()).isFinal);
    assert.equal(lengthOf(await get()), PNG.length);
    assert.deepEqual([calls, logged], [made === null ? 0 : 1, []]);
  }
});

Deno.test("while no size can be made the image itself is shown, and the next request tries again", async () => {
  let calls = 0;
  const { get } = await sizedBy(() => {
    // The queue is full; the process failed, as on a busy machine; the third attempt succeeds.
    calls++;
    if (calls === 1) return Promise.reject(new Error("busy"));
    return Promise.resolve(calls === 2 ? null : SMALLER);
  });
  const shown = await get();
  assert.deepEqual([lengthOf(shown), shown.isFinal], [PNG.length, false]);
  await until(async () => (await get()).isFinal);
  assert.deepEqual([calls, lengthOf(await get())], [3, SMALLER.length]);
});

Deno.test("GET /events/{id}/logo?w= answers for now, then for good, in the nearest width; what is no width is ignored", async () => {
  const { promise: made, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const asked: number[] = [];
  const pictures: MakePicture = (_version, { facts }) => {
    if (facts.kind === "image") asked.push(facts.width);
    return made;
  };
  const records = [row({ id: "recWith", "Name": "With", "Logo Url": fileCell("attLogo", PNG) })];
  await using site = await openSite(records, {}, { pictures });
  const { html } = await site.see("/events/with");
  const href = /\/events\/recWith\/logo\?v=[\w-]{7}/.exec(html)?.[0] ?? "";
  assert.ok(html.includes(`src="${href}&amp;w=800"`));
  const read = async (path: string) => {
    const response = await site.get(path);
    const { length } = await response.bytes();
    return { length, headers: response.headers, type: response.headers.get("content-type") };
  };
  const whole = await read(href);
  for (const width of ["800.0", "-1", "1e3", "", "wide"]) {
    const ignored = await read(`${href}&w=${width}`);
    assert.deepEqual([ignored.type, ignored.length], ["image/png", whole.length], width);
  }
  assert.deepEqual(asked, []);

  const early = await read(`${href}&w=800`);
  assert.deepEqual([early.type, early.length], ["image/png", whole.length]);
  assert.equal(early.headers.get("cache-control"), "max-age=60");
  assert.equal(early.headers.get("etag"), null);
  resolve(SMALLER);
  await until(async () => (await read(`${href}&w=800`)).type === "image/webp");
  const late = await read(`${href}&w=800`);
  assert.equal(late.length, SMALLER.length);
  assert.match(late.headers.get("cache-control") ?? "", /immutable/);
  for (const width of ["0", "400", "1199"]) {
    assert.equal((await read(`${href}&w=${width}`)).length, SMALLER.length, width);
  }
  assert.deepEqual(asked, [800]);
  await read(`${href}&w=1200`);
  await read(`${href}&w=999999`);
  await until(() => asked.length === 2);
  assert.deepEqual(asked, [800, 1600]);
});

Deno.test("a photograph that lies on its side in the file stands upright, as browsers show it", async () => {
  const { default: { default: loadSkia } } = await import("canvaskit-wasm/full");
  const skia = await loadSkia();
  using made = new DisposableStack();
  const surface = skia.MakeSurface(64, 32);
  assert.ok(surface !== null);
  made.defer(() => surface.dispose());
  const image = made.adopt(surface.makeImageSnapshot(), (each) => each.delete());
  const jpeg = image.encodeToBytes(skia.ImageFormat.JPEG, 90) ?? new Uint8Array();
  // Exif's orientation 6: to be turned by a quarter.
  const exif = Uint8Array.fromHex(
    "ffe100224578696600004d4d002a00000008000101120003000000010006000000000000",
  );
  const bytes = new Uint8Array([...jpeg.slice(0, 2), ...exif, ...jpeg.slice(2)]);
  const upright = imageKind(await resized(bytes, 16) ?? new Uint8Array());
  assert.deepEqual([upright?.width, upright?.height], [16, 32]);
});

Deno.test("pictures get the requested width in their own shape, and far fewer bytes; other files are left unchanged", async () => {
  const background = ringsPng(768, 512);
  const [narrow, same, none, still] = await Promise.all([
    resized(background, 400),
    resized(background, 1600),
    resized(new TextEncoder().encode("<svg/>"), 400),
    resized(GIF, 400),
  ]);
  const shapeOf = (bytes: Uint8Array | null | undefined) => {
    const kind = imageKind(bytes ?? new Uint8Array());
    return kind && [kind.type, kind.width, kind.height];
  };
  assert.deepEqual(shapeOf(narrow), ["image/webp", 400, 267]);
  assert.deepEqual(shapeOf(same), ["image/webp", 768, 512]);
  assert.ok((same?.length ?? 0) < background.length / 3);
  assert.equal(none?.length, 0);
  assert.deepEqual(shapeOf(still), ["image/webp", 1, 1]);
});

Deno.test("a picture of more than 16 million pixels is left unchanged", async () => {
  const ofWidth = (width: number) =>
    encodePng({
      width,
      height: 4_000,
      indexes: new Uint8Array(width * 4_000),
      palette: new Uint8Array(3),
    });
  assert.equal((await resized(ofWidth(4_001), 40))?.length, 0);
  assert.ok((await resized(ofWidth(4_000), 40))?.length);
});

Deno.test("an animated picture is left unchanged", async () => {
  const [header, frame] = [GIF.slice(0, 19), GIF.slice(19, -1)];
  const gif = new Uint8Array([...header, ...frame, ...frame, ...GIF.slice(-1)]);
  const png = movingPng();
  for (const bytes of [gif, png]) {
    assert.notEqual(imageKind(bytes), null);
    assert.equal((await resized(bytes, 400))?.length, 0, imageKind(bytes)?.type);
  }
});

/** A PNG of the same frame twice: its own picture, and that again as data of a frame (W3C PNG, acTL, fcTL, fdAT). */
function movingPng(): Uint8Array<ArrayBuffer> {
  const still = ringsPng(64, 64);
  const pixelsAt = new TextDecoder("latin1").decode(still).indexOf("IDAT") - 4;
  const pixels = still.slice(pixelsAt + 8, -16);
  const size = [0, 0, 0, 64, 0, 0, 0, 64];
  const frame = (
    number: number,
  ) => [0, 0, 0, number, ...size, ...new Uint8Array(8), 0, 1, 0, 10, 0, 0];
  return new Uint8Array([
    ...still.slice(0, pixelsAt),
    ...pngChunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0]),
    ...pngChunk("fcTL", frame(0)),
    ...still.slice(pixelsAt, -12),
    ...pngChunk("fcTL", frame(1)),
    ...pngChunk("fdAT", [0, 0, 0, 2, ...pixels]),
    ...still.slice(-12),
  ]);
}
