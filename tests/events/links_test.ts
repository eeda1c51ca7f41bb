/** The `Link` headers of an event, and its missing pictures. */

import assert from "node:assert/strict";
import type { ServicePlatform } from "../../lib/operate/services.ts";
import { BASE_URL, row, startFoyer } from "../support/foyer.ts";

const attachment = (name: string) => [{
  id: `att${name}`,
  url: `https://pictures.example/${name}.png`,
  filename: `${name}.png`,
  type: "image/png",
  size: 1,
}];

/** The addresses of a `Link` header by their titles, as paths. */
function linksOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries(
    [...(headers.get("link") ?? "").matchAll(/<([^>]*)>; ([^<]*)/g)].map(([, href, parameters]) => [
      /title="(\w+)"/.exec(parameters ?? "")?.[1] ?? "",
      (href ?? "").replace(BASE_URL, ""),
    ]),
  );
}

Deno.test("the response for an event links to its page, its calendar and the pictures that it has", async () => {
  await using foyer = await startFoyer({
    records: [
      row({ "id": "recA", "Name": "Solder night" }),
      row({
        "id": "recB",
        "Name": "Pictured",
        "Logo Url": attachment("logo"),
        "Background Type": "image",
        "Background Image Url": attachment("background"),
      }),
    ],
  });
  const plain = {
    page: "/events/solder-night",
    calendar: "/events/recA.ics",
    card: "/events/recA/card",
  };
  for (const name of ["recA", "solder-night"]) {
    const response = await foyer.answer(`/api/v1/events/${name}`);
    assert.deepEqual(linksOf(response), plain);
  }
  assert.deepEqual(linksOf(await foyer.answer("/api/v1/events/recB")), {
    page: "/events/pictured",
    calendar: "/events/recB.ics",
    card: "/events/recB/card",
    logo: "/events/recB/logo",
    background: "/events/recB/background",
  });
  for (const path of [plain.page, plain.calendar]) {
    assert.equal((await foyer.answer(path)).status, 200, path);
  }
});

Deno.test("a logo that is not there says so in words, and whose it would be", async () => {
  await using foyer = await startFoyer({
    records: [row({ "id": "recA", "Name": "Solder night" })],
  });
  const json = { headers: { accept: "application/json" } };
  for (const role of ["logo", "background"]) {
    const response = await foyer.answer(`/events/recA/${role}`, json);
    const { code, message, hint } = await response.json();
    assert.deepEqual([response.status, code], [404, "not_found"]);
    assert.equal(message, `The event "Solder night" has no ${role}.`);
    assert.match(hint, /\/events\/recA\/card/);
    const page = await foyer.answer(`/events/solder-night/${role}`, {
      headers: { accept: "text/html" },
    });
    assert.equal(page.status, 404);
    assert.match(await page.text(), /The event (?:"|&quot;)Solder night(?:"|&quot;) has no/);
  }
  for (const part of ["logo", "background", "card"]) {
    const response = await foyer.answer(`/events/nothing/${part}`, json);
    const { message, hint } = await response.json();
    assert.equal(response.status, 404);
    assert.equal(message, "No event has this id or slug.");
    assert.match(hint, /GET \/api\/v1\/events/);
  }
});

Deno.test("an item of the JSON Feed has the picture that its event is shared with, where one can be painted", async () => {
  const records = [row({ "id": "recA", "Name": "Solder night" })];
  const fail = () => assert.fail("asked for");
  const pictures = { resize: () => Promise.resolve(null), paint: fail };
  for (const [painted, image] of [[pictures, "string"], [null, "undefined"]] as const) {
    await using foyer = await startFoyer({
      records,
      pictures: painted as ServicePlatform["pictures"],
    });
    const { items: [item] } = await (await foyer.answer("/feed.json")).json();
    assert.equal(typeof item.image, image);
    if (painted === null) continue;
    const page = await (await foyer.answer("/events/solder-night", {
      headers: { accept: "text/html" },
    })).text();
    assert.ok(page.includes(`property="og:image" content="${item.image}"`), item.image);
  }
});
