/** The images: fetched once, only those that the snapshot names, and only pictures. */

import assert from "node:assert/strict";
import { fetchableUrl, isPublicAddress } from "../../../lib/events/pictures/fetch_file.ts";
import type { ResolveName } from "../../../lib/platform/platform.ts";
import { imageKind } from "../../../lib/events/pictures/image_kind.ts";
import { ringsPng } from "../../support/png.ts";
import { until } from "../../support/until.ts";
import { catalogWith, fileCell, imagesOver, LOGO_URL } from "./images.ts";
import { openSite, row } from "../../site/site.ts";

const PNG = ringsPng(256, 256);
const SVG = new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg"/>`);

Deno.test("an image is fetched once, however many ask, and again when the attachment changes", async () => {
  const { images, asked } = imagesOver(() => new Response(PNG));
  const catalog = await catalogWith(`${LOGO_URL}?signature=1`);
  const all = await Promise.all(
    Array.from({ length: 20 }, () => images.get(catalog, "recA", "logo")),
  );
  assert.ok(all.every((image) => typeof image === "object" && image.type === "image/png"));
  // A new signature, but the same attachment.
  await images.get(await catalogWith(`${LOGO_URL}?signature=2`), "recA", "logo");
  assert.equal(asked.length, 1);
  await images.get(await catalogWith(LOGO_URL, "att2"), "recA", "logo");
  assert.equal(asked.length, 2);
});

Deno.test("an image that the snapshot does not name is not fetched", async () => {
  const { images, asked } = imagesOver(() => new Response(PNG));
  const catalog = await catalogWith(LOGO_URL);
  for (const id of ["recB", "", "__proto__", "constructor"]) {
    assert.equal(await images.get(catalog, id, "logo"), "absent");
  }
  assert.equal(await images.get(catalog, "recA", "background"), "absent");
  assert.deepEqual(asked, []);
});

Deno.test("addresses that lead inside are refused", () => {
  const trustedOrigins = new Set(["http://127.0.0.1:8232"]);
  const allowed = ["https://files.example/a.png?b=c", "http://127.0.0.1:8232/files/x"];
  const refused = {
    "this machine": "https://127.0.0.1/ https://2130706433/ https://0x7f.1/ https://[::1]/ " +
      "https://[::ffff:7f00:1]/ https://localhost/ https://localhost./ https://localhost../ " +
      "https://127.0.0.1../ https://localhost.localdomain/ http://127.0.0.1:9000/",
    "its network": "https://db.internal/ https://printer/ http://169.254.169.254/latest/meta-data/",
    "not by HTTPS alone": "http://files.example/a.png https://user:secret@files.example/ " +
      "https://files.example:8443/ file:///etc/passwd data:image/png;base64,AAAA " +
      "javascript:alert(1)",
    "nowhere": "",
  };
  for (const address of allowed) assert.ok(fetchableUrl(address, trustedOrigins), address);
  for (const [where, addresses] of Object.entries(refused)) {
    for (const address of addresses.split(" ")) {
      assert.equal(fetchableUrl(address, trustedOrigins), null, `${where}: ${address}`);
    }
  }
});

Deno.test("a redirect is followed where an address may lead, and no further", async () => {
  const to = (location: string) => new Response(null, { status: 302, headers: { location } });
  const inside = imagesOver((url) =>
    url === LOGO_URL ? to("http://169.254.169.254/latest") : new Response(PNG)
  );
  const catalog = await catalogWith(LOGO_URL);
  assert.equal(await inside.images.get(catalog, "recA", "logo"), "failed");
  assert.deepEqual(inside.asked, [LOGO_URL]);

  const outside = imagesOver((url) => url === LOGO_URL ? to("/b.png") : new Response(PNG));
  assert.equal(typeof await outside.images.get(catalog, "recA", "logo"), "object");
  assert.deepEqual(outside.asked, [LOGO_URL, "https://files.example/b.png"]);

  const circle = imagesOver(() => to(LOGO_URL));
  assert.equal(await circle.images.get(catalog, "recA", "logo"), "failed");
  assert.equal(circle.asked.length, 4);
});

Deno.test("an image is fetched only if all addresses of its name are public, at each redirect; without a resolver the name decides", async () => {
  const other = "https://cdn.example/b.png";
  const answer = (url: string) =>
    url === LOGO_URL
      ? new Response(null, { status: 302, headers: { location: other } })
      : new Response(PNG);
  const catalog = await catalogWith(LOGO_URL);
  const open = "93.184.216.34";
  const cases: [addresses: Record<string, string[]> | null, asked: string[]][] = [
    [{ "files.example": [open], "cdn.example": [open, "2606:2800:220:1::1"] }, [LOGO_URL, other]],
    [{ "files.example": [open, "10.96.0.1"], "cdn.example": [open] }, []],
    [{ "files.example": [open], "cdn.example": ["169.254.169.254"] }, [LOGO_URL]],
    [{ "files.example": [open], "cdn.example": [open, "::ffff:127.0.0.1"] }, [LOGO_URL]],
    [{ "files.example": [] }, []],
    [{}, []],
    [null, [LOGO_URL, other]],
  ];
  for (const [addresses, expected] of cases) {
    const resolveName: ResolveName = (name) => {
      if (addresses === null) return Promise.resolve(null);
      const found = addresses[name];
      return found ? Promise.resolve(found) : Promise.reject(new Error("its name has no address"));
    };
    const { images, asked } = imagesOver(answer, { resolveName });
    const outcome = await images.get(catalog, "recA", "logo");
    assert.equal(typeof outcome === "object", expected.length === 2, JSON.stringify(addresses));
    assert.deepEqual(asked, expected);
  }
});

Deno.test("an address is public only outside the networks of machines, tunnels, examples and groups", () => {
  const open = ["93.184.216.34", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"];
  const inner = {
    machines: "0.0.0.0 10.96.0.1 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.168.1.1 " +
      ":: ::1 fe80::1 fe80::1%eth0 fd00::1",
    tunnels: "::ffff:93.184.216.34 ::ffff:5db8:d822 ::93.184.216.34 64:ff9b::5db8:d822 2001::1 " +
      "2002:5db8:d822::1",
    "protocols and examples":
      "192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1",
    groups: "224.0.0.1 255.255.255.255 ff02::1",
    nothing: "no",
  };
  for (const address of open) assert.ok(isPublicAddress(address), address);
  for (const [kind, addresses] of Object.entries(inner)) {
    for (const address of addresses.split(" ")) {
      assert.ok(!isPublicAddress(address), `${kind}: ${address}`);
    }
  }
});

Deno.test("a file that is not a picture, is too large or is missing fails, and is not tried again for a minute", async () => {
  const endless = () =>
    new Response(
      new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)) }),
    );
  const answers: (() => Response)[] = [
    () => new Response(SVG, { headers: { "content-type": "image/png" } }),
    () => new Response("<html>"),
    () => new Response(PNG.slice(0, 20)),
    () => new Response(null, { status: 410 }),
    endless,
  ];
  const catalog = await catalogWith(LOGO_URL);
  for (const answer of answers) {
    const { images, asked, clock } = imagesOver(answer);
    assert.equal(await images.get(catalog, "recA", "logo"), "failed");
    assert.equal(await images.get(catalog, "recA", "logo"), "failed");
    assert.equal(asked.length, 1);
    clock.now += 61_000;
    await images.get(catalog, "recA", "logo");
    assert.equal(asked.length, 2);
  }
});

Deno.test("pictures are known by their bytes", () => {
  const bytes = (...parts: (string | number[])[]) =>
    Uint8Array.from(
      parts.flatMap((part) =>
        typeof part === "string" ? [...part].map((each) => each.charCodeAt(0)) : part
      ),
    );
  const zeros = (count: number) => Array<number>(count).fill(0);
  const avif = (...sizes: [number, number][]) => {
    const boxes = sizes.flatMap(([width, height]) => {
      const sides = [width >> 8, width & 255, 0, 0, height >> 8, height & 255];
      return [[0, 0, 0, 20], "ispe", zeros(6), sides];
    });
    return bytes([0, 0, 0, 24], "ftypavif", zeros(12), ...boxes, zeros(8));
  };
  const gif = (screen: number[], ...blocks: number[][]) => bytes("GIF89a", screen, ...blocks);
  const wide = (...screen: number[]) => gif(screen, zeros(20));
  const jpeg = (...parts: number[][]) => bytes([0xff, 0xd8, 0xff], ...parts);
  const webp = (kind: string, ...parts: number[][]) =>
    bytes("RIFF", zeros(4), `WEBP${kind}`, ...parts);
  const [COMMENT, FRAME] = [[0x21, 0xfe, 2, 0, 0, 1, 0, 0], [0x2c]];
  const SIDES = [0, 17, 8, 1, 0, 2, 0];
  const cases: [string, Uint8Array, string | null][] = [
    ["png", PNG, "image/png 256 256"],
    ["gif", wide(2, 1, 3, 0), "image/gif 258 3"],
    ["jpeg", jpeg([0xe0, 0, 4, 0, 0, 0xff, 0xc2], SIDES, zeros(20)), "image/jpeg 512 256"],
    [
      "jpeg, other segments and filling before its frame",
      jpeg([0x01, 0xff, 0xd0, 0xff, 0xc4, 0, 4, 0xff, 0xc0, 0xff, 0xff, 0xff, 0xc0], SIDES),
      "image/jpeg 512 256",
    ],
    ["jpeg, its scan before a frame", jpeg([0xda, 0, 2, 0xff, 0xc0], SIDES, zeros(20)), null],
    ["jpeg of the last kind", jpeg([0xcf], SIDES, zeros(20)), "image/jpeg 512 256"],
    ["webp, extended", webp("VP8X", zeros(8), [9, 0, 0, 19, 0, 0]), "image/webp 10 20"],
    [
      "webp, extended, of more than a byte",
      webp("VP8X", zeros(8), [1, 1, 0, 2, 1, 0]),
      "image/webp 258 259",
    ],
    ["webp, extended, too wide", webp("VP8X", zeros(8), [0, 0, 1, 0, 0, 0]), null],
    ["webp, extended, too high", webp("VP8X", zeros(8), [0, 0, 0, 0, 0, 1]), null],
    [
      "webp, lossy, whose sides have 14 bits",
      webp("VP8 ", zeros(10), [2, 0x41, 3, 0x81]),
      "image/webp 258 259",
    ],
    [
      "webp, lossless, whose sides have 14 bits",
      webp("VP8L", zeros(5), [1, 0x81, 0x40, 0x30]),
      "image/webp 258 259",
    ],
    ["riff, but no webp", bytes("RIFF", zeros(4), "WAVEVP8X", zeros(8), [9, 0, 0, 19, 0, 0]), null],
    ["avif", avif([256, 64]), "image/avif 256 64"],
    ["avif, its thumbnail first", avif([64, 16], [256, 64], [16, 64]), "image/avif 256 64"],
    ["svg", SVG, null],
    [
      "gif, its first frame beyond the screen",
      gif([1, 0, 1, 0, 0x80, 0, 0], zeros(6), COMMENT, FRAME, [2, 0, 1, 0, 0, 1, 3, 0]),
      "image/gif 258 4",
    ],
    ["a bomb in the frame", gif([1, 0, 1, 0, 0, 0, 0], FRAME, [0, 0, 0, 0, 0, 64, 0, 64]), null],
    ["gif, cut short in a comment", gif([1, 0, 1, 0, 0, 0, 0], [0x21, 0xfe, 9]), null],
    ["as wide as may be", wide(0, 32, 1, 0), "image/gif 8192 1"],
    ["a little wider", wide(1, 32, 1, 0), null],
    ["of as many pixels as may be", wide(0x40, 0x1f, 0xa0, 0x0f), "image/gif 8000 4000"],
    ["of a few more", wide(0x40, 0x1f, 0xa1, 0x0f), null],
    ["a bomb", wide(255, 255, 255, 255), null],
    ["of no width", wide(0, 0, 1, 0), null],
    ["of no height", wide(1, 0, 0, 0), null],
    ["cut short", jpeg([0xc0]), null],
    ["nothing", new Uint8Array(), null],
  ];
  for (const [name, given, expected] of cases) {
    const kind = imageKind(given);
    assert.equal(kind && `${kind.type} ${kind.width} ${kind.height}`, expected, name);
    for (let length = 0; length < Math.min(given.length, 300); length++) {
      const cut = imageKind(given.slice(0, length));
      assert.ok(cut === null || cut.type === kind?.type, `${name}, cut after ${length}`);
    }
  }
});

Deno.test("GET /events/{id}/logo answers from an address that lasts", async () => {
  const records = [row({ id: "recWith", "Name": "With", "Logo Url": fileCell("attLogo", PNG) })];
  await using site = await openSite(records);
  const { html } = await site.see("/events/with");
  const href = /\/events\/recWith\/logo\?v=[\w-]{7}/.exec(html)?.[0];
  assert.ok(href);
  assert.ok(!html.includes("store.example"), "a signed address is on the page");

  const image = await site.get(href);
  assert.equal(image.status, 200);
  assert.equal(image.headers.get("content-type"), "image/png");
  assert.match(image.headers.get("cache-control") ?? "", /max-age=31536000, immutable/);
  assert.equal(image.headers.get("x-content-type-options"), "nosniff");
  assert.match(image.headers.get("content-security-policy") ?? "", /sandbox/);
  assert.equal(imageKind(new Uint8Array(await image.arrayBuffer()))?.width, 256);

  const etag = image.headers.get("etag") ?? "";
  assert.equal((await site.get(href, { headers: { "if-none-match": etag } })).status, 304);
  const bare = await site.get("/events/recWith/logo");
  assert.equal(bare.headers.get("cache-control"), "max-age=295");
  site.clock.now += 10_000;
  const later = await site.get("/events/recWith/logo", { headers: { "if-none-match": etag } });
  assert.equal(later.headers.get("cache-control"), "max-age=285");
});

Deno.test("an image that is not there is a picture of nothing for a page, kept apart from the error", async () => {
  await using site = await openSite([row({ id: "recWithout", "Name": "Without" })]);
  const asked: HeadersInit[] = [{ "sec-fetch-dest": "image" }, { accept: "image/avif,*/*" }];
  for (const headers of asked) {
    const nothing = await site.get("/events/recWithout/logo", { headers });
    assert.equal(nothing.status, 404);
    assert.equal(nothing.headers.get("content-type"), "image/gif");
    assert.equal(nothing.headers.get("vary"), "accept, sec-fetch-dest");
    assert.equal(nothing.headers.get("cache-control"), "max-age=60");
    const { length } = await nothing.bytes();
    const head = await site.get("/events/recWithout/logo", { method: "HEAD", headers });
    assert.equal(head.headers.get("content-length"), String(length));
  }
  // Responses about a snapshot are never cached for longer than the snapshot.
  site.clock.now += 270_000;
  const headers = { "sec-fetch-dest": "image" };
  const late = await site.get("/events/recWithout/logo", { headers });
  assert.equal(late.headers.get("cache-control"), "max-age=25");
});

Deno.test("each of many visitors at once gets an image, whoever leaves, and though others take its place in memory", async () => {
  // More than memory has room for.
  const bytes = new Uint8Array(4_900_000);
  bytes.set(PNG);
  await using site = await openSite(
    Array.from(
      { length: 30 },
      (_, at) => row({ id: `rec${at}`, "Logo Url": fileCell(`att${at}`, bytes) }),
    ),
  );
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  site.store.faults.push({ kind: "delay", until: released, target: "file" });
  const ask = async (at: number) => (await site.get(`/events/rec${at}/logo`)).status;
  const leaving = new AbortController();
  const left = fetch(`${site.origin}/events/rec0/logo`, { signal: leaving.signal });
  const waiting = [ask(0), ask(0)];
  await until(() => site.store.requests.some(({ url }) => url.includes("att0")));
  leaving.abort();
  await assert.rejects(left);
  for (let at = 1; at < 30; at++) assert.equal(await ask(at), 200);
  release();
  assert.deepEqual(await Promise.all(waiting), [200, 200]);
});
