/** Representations: prepared once, sent in the encoding that was asked for, and not sent twice. */

import assert from "node:assert/strict";
import {
  createRepresentation,
  sendRepresentation,
} from "../../../lib/platform/http/representation.ts";

const ETAG = 'W/"abc"';
const LAST_MODIFIED = Date.parse("2026-11-20T10:00:00Z");
const LARGE = new TextEncoder().encode(JSON.stringify(Array(500).fill("an event ähnlich")));

function prepare(bytes = LARGE, lastModified?: number) {
  return createRepresentation({
    contentType: "application/json",
    etag: ETAG,
    bytes,
    ...(lastModified === undefined ? {} : { lastModified }),
  });
}

async function send(
  representation: ReturnType<typeof prepare>,
  headers: Record<string, string> = {},
  maxAgeSeconds = 42,
) {
  const request = new Request("https://foyer.example/", { headers });
  return await sendRepresentation(request, representation, { maxAgeSeconds });
}

Deno.test("a response has the headers that have a purpose, and no others", async () => {
  const common = {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "*",
    "cache-control": "max-age=42",
    "content-type": "application/json",
    "x-content-type-options": "nosniff",
    "etag": ETAG,
    "vary": "accept-encoding",
  };
  const plain = await send(prepare());
  assert.deepEqual(Object.fromEntries(plain.headers), common);
  const dated = await send(prepare(LARGE, LAST_MODIFIED), { "accept-encoding": "br" });
  assert.deepEqual(Object.fromEntries(dated.headers), {
    ...common,
    "content-encoding": "br",
    "last-modified": "Fri, 20 Nov 2026 10:00:00 GMT",
  });
});

Deno.test("each response has its own max-age, in every encoding and as 304", async () => {
  const representation = prepare();
  const kinds: Record<string, string>[] = [{}, { "accept-encoding": "br" }, {
    "if-none-match": ETAG,
  }];
  const sent: Response[] = [];
  const ages = [42, 41, 41, 0, 42];
  for (const age of ages) {
    for (const kind of kinds) sent.push(await send(representation, kind, age));
  }
  const said = sent.map(({ headers }) => headers.get("cache-control"));
  assert.deepEqual(said, ages.flatMap((age) => kinds.map(() => `max-age=${age}`)));
  for (const { body } of sent) await body?.cancel();
});

Deno.test("a caller that has the representation gets 304 with the headers of the 200", async () => {
  const conditions: Record<string, string>[] = [
    { "if-none-match": ETAG },
    { "if-none-match": '"abc"' },
    { "if-none-match": '"x", W/"abc"' },
    { "if-none-match": "*" },
    { "if-modified-since": "Fri, 20 Nov 2026 10:00:00 GMT" },
    { "if-none-match": ETAG, "if-modified-since": "Thu, 19 Nov 2026 10:00:00 GMT" },
  ];
  for (const condition of conditions) {
    const representation = prepare(LARGE, LAST_MODIFIED);
    const whole = await send(representation);
    const response = await send(representation, { ...condition, "accept-encoding": "br" });
    assert.equal(response.status, 304, JSON.stringify(condition));
    assert.equal(response.body, null);
    const repeated = Object.fromEntries(whole.headers);
    delete repeated["content-type"];
    assert.deepEqual(Object.fromEntries(response.headers), repeated);
    assert.equal(representation.size(), LARGE.length, "nothing was compressed without a request");
    await whole.body?.cancel();
  }
});
