/** Places, as people write them: what a text says, what is offered, and what is found. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { offerPlaces, placeMatcherOf, readPlace } from "../../lib/events/places.ts";
import { find } from "../site/html.ts";
import { eventOn, openSite } from "../site/site.ts";

const at = (location: string) => ({ inPerson: { start: null, end: null, location } });

Deno.test("the text of a place says its town, and its country if it names one", () => {
  const table: readonly (readonly [string, string | null, string | null])[] = [
    ["Berlin", "Berlin", null],
    ["Berlin, Germany", "Berlin", "DE"],
    ["Berlin (DE)", "Berlin", "DE"],
    // Delaware or Germany: a code that may be a state counts in brackets only.
    ["Berlin, DE", "Berlin", null],
    ["Wien, AT", "Wien", "AT"],
    ["Paris / France", "Paris", "FR"],
    ["Paris/France", "Paris", "FR"],
    ["Portugal, Porto", "Porto", "PT"],
    ["Room 5, 12 High Street, London, UK", "London", "GB"],
    ["London SW1A 1AA, England", "London", "GB"],
    ["Harbour Hall\r\n12 Quay Street\r\n4000-123 Porto\r\nPortugal", "Porto", "PT"],
    ["Alexanderplatz 1, 10178 Berlin", "Berlin", null],
    ["Berlin, Alexanderplatz 1", "Berlin", null],
    ["1011 AB Amsterdam, The Netherlands", "Amsterdam", "NL"],
    ["110 00 Praha 1 – Česko", "Praha 1", "CZ"],
    ["New York, NY, USA", "New York", "US"],
    ["Austin, TX 78701, U.S.A.", "Austin", "US"],
    ["Austin, Texas, United States", "Austin", "US"],
    ["Washington, D.C., USA", "Washington", "US"],
    ["Sydney NSW 2000, Australia", "Sydney", "AU"],
    ["São Paulo - SP, Brasil", "São Paulo", "BR"],
    ["Wien, Österreich", "Wien", "AT"],
    ["Москва, Россия", "Москва", "RU"],
    ["القاهرة، مصر", "القاهرة", "EG"],
    ["日本、東京", "東京", "JP"],
    ["Singapore", null, "SG"],
    ["The old tram depot, Hall 3, Vienna", "Vienna", null],
    ["12 High Street", "12 High Street", null],
    ["Room TBA, London", "London", null],
    ["Berlin, and online", "Berlin", null],
    ["Hybrid: Berlin (Zoom)", "Berlin", null],
    // A town that some language calls a country by.
    ["Granada", "Granada", null],
    ["Trinidad and Tobago", null, "TT"],
  ];
  for (const [text, town, country] of table) {
    const place = readPlace(text);
    assert.deepEqual([place?.town, place?.country], [town, country], text);
  }
  const nowhere = ["Online", "online only", "Zoom call", "https://zoom.us/j/1", "TBA", "t.b.d."]
    .concat("To be announced", "Venue: TBC", "n/a", "?", "Online (Discord)", "Your home", "  ");
  for (const text of nowhere) assert.equal(readPlace(text), null, text);
});

Deno.test("a place is found by its town, its country, its text or any part, however it is spelled", () => {
  const table: readonly (readonly [asked: string, location: string, isFound: boolean])[] = [
    ["sao paulo", "São Paulo, Brasil", true],
    ["São Paulo", "SAO PAULO", true],
    ["Köln", "Koeln, Germany", true],
    ["Köln , Germany", "KÖLN (Deutschland)", true],
    ["germany", "Berlin, Alemania", true],
    ["DE", "Berlin, Germany", true],
    ["uk", "Leeds, United Kingdom", true],
    ["London, UK", "Room 5, 12 High Street, London, United Kingdom", true],
    ["12 high street", "Room 5, 12 High Street, London, UK", true],
    ["Room 5, 12 High Street, London, UK", "Room 5, 12 High Street, London, UK", true],
    ["Berlin", "10115 Berlin", true],
    ["Scotland", "Edinburgh, Scotland", true],
    ["England", "Edinburgh, Scotland", false],
    ["London", "London Road, Leeds", false],
    ["Berlin", "Hotel Berlin, Paris", false],
    ["Paris, France", "Paris, TX, USA", false],
    ["Paris", "Paris, TX, USA", true],
    // The text does not say so.
    ["Germany", "Berlin", false],
    ["Online", "Berlin, and online", false],
    ["", "Berlin", false],
  ];
  for (const [asked, location, isFound] of table) {
    assert.equal(placeMatcherOf([asked])(at(location)), isFound, `${asked} in ${location}`);
  }
});

Deno.test("every text of a place finds itself, and whatever is offered finds as many events as it says", () => {
  const parts = fc.constantFrom(
    ..."Berlin|BERLIN|Paris|Köln|Koeln|London|Porto|Texas|TX|Georgia|USA|Germany|France|UK|DE"
      .split("|"),
    ..."Online|TBA|Room 5|12 High Street|10115 Berlin|(DE)|(venue)|São Paulo|東京|日本|/|".split(
      "|",
    ),
  );
  const text = fc.oneof(
    fc.array(parts, { maxLength: 4 }).chain((list) =>
      fc.constantFrom(", ", "\n", " / ", " - ", " ").map((join) => list.join(join))
    ),
    fc.string({ unit: "grapheme", maxLength: 40 }),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
      const events = texts.map(at);
      for (const [index, location] of texts.entries()) {
        const isPlace = readPlace(location) !== null;
        assert.equal(placeMatcherOf([location])(events[index] ?? assert.fail()), isPlace, location);
      }
      for (const { towns, ...place } of offerPlaces(events)) {
        for (const { value, count } of [place, ...towns]) {
          assert.ok(count > 0, value);
          assert.equal(events.filter(placeMatcherOf([value])).length, count, value);
        }
      }
    }),
    { seed: 58, numRuns: 300 },
  );
});

Deno.test("places are offered by their events, towns below their country, each once", () => {
  const names = (texts: readonly string[]) =>
    offerPlaces(texts.map(at)).map(({ name, count, towns }) =>
      `${name} ${count}: ${towns.map(({ value, count }) => `${value} ${count}`).join(", ")}`
    );
  assert.deepEqual(
    names([
      ...["Berlin, Germany", "berlin", "Berlin (DE)", "Köln, Germany", "Koeln, Deutschland"],
      ...["Porto, Portugal", "Room 5", "Singapore, Singapore", "TBA", "Online"],
    ]),
    [
      "Germany 4: Berlin 3, Köln 2",
      "Portugal 1: Porto 1",
      "Room 5 1: ",
      "Singapore 1: ",
    ],
  );
  assert.deepEqual(names(["Paris, France", "Paris, TX, USA", "Paris, France", "Paris"]), [
    "Paris 4: ",
    "France 2: Paris, France 2",
    "United States 1: Paris, United States 1",
  ]);
});

Deno.test("every country that is offered finds its events", () => {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  const codes = letters.flatMap((a) => letters.map((b) => a + b))
    .filter((code) => names.of(code) !== undefined);
  let found = 0;
  for (const code of codes) {
    const events = [at(`Anywhere Town (${code})`)];
    for (const { value, count } of offerPlaces(events)) {
      assert.equal(count, 1, value);
      assert.ok(placeMatcherOf([value])(events[0] ?? assert.fail()), value);
      found++;
    }
  }
  assert.ok(found > 240, `${found}`);
});

const RECORDS = [
  eventOn("Jam", "2026-12-01", { "In Person Location": "Porto, Portugal" }),
  eventOn("Talk", "2026-12-02", { "In Person Location": "Lisbon, Portugal" }),
  eventOn("Night", "2026-12-03", { "In Person Location": "Berlin" }),
  eventOn("Call", "2026-12-04", { "In Person Location": "TBA" }),
  eventOn("Over", "2026-05-01", { "In Person Location": "Madrid" }),
];

Deno.test("the page offers the places of coming events, and a chosen one can be removed", async () => {
  await using site = await openSite(RECORDS);
  const chips = async (path: string) =>
    find((await site.see(path)).all, "a", "chip")
      .filter(({ text, inside }) => /\(\d+\)$/.test(text) && inside.includes("search"))
      .map(({ text, attributes }) => [text, attributes["href"]]);
  assert.deepEqual(await chips("/"), [
    ["Portugal (2)", "/?place=Portugal"],
    ["Lisbon (1)", "/?place=Lisbon"],
    ["Porto (1)", "/?place=Porto"],
    ["Berlin (1)", "/?place=Berlin"],
  ]);
  const chosen = await site.see("/?place=porto&place=Berlin");
  assert.deepEqual(find(chosen.all, "h3").map(({ text }) => text), ["Jam", "Night"]);
  assert.deepEqual((await chips("/?place=porto&place=Berlin")).at(-2), [
    "Porto (1)",
    "/?place=Berlin",
  ]);
  // A search keeps them.
  const kept = find(chosen.all, "input").filter(({ attributes }) => attributes["name"] === "place");
  assert.deepEqual(kept.map(({ attributes }) => attributes["value"]), ["Berlin", "porto"]);
  assert.match(chosen.html, /Events in Berlin or porto: 2 events/);
});

Deno.test("an unknown place gives an empty list, and the nearest one as a hint", async () => {
  await using site = await openSite(RECORDS);
  const table = [
    ["place=Prto", 'No event has the place "Prto". Did you mean "Porto"?'],
    [
      "place=Lisbom,%20Portugl",
      'No event has the place "Lisbom, Portugl". Did you mean "Lisbon, Portugal"?',
    ],
    ["place=Nairobi", 'No event has the place "Nairobi".'],
    ["place=Online", 'No event has the place "Online".'],
    ["place=Madrid&status=upcoming", undefined],
    ["place=Porto&q=zzz", undefined],
    ["place=Prto&changedSince=2026-11-20T00:00:00Z", undefined],
  ] as const;
  for (const [search, hint] of table) {
    const { data, meta } = await (await site.get(`/api/v1/events?${search}`)).json();
    assert.deepEqual([data, meta.hint], [[], hint], search);
  }
  const { all } = await site.see("/?place=Prto");
  assert.ok(find(all, "a").some(({ attributes }) => attributes["href"] === "/?place=Porto"));
  // A comma belongs to the text, and the parameter is repeated for several.
  const { data } = await (await site.get("/api/v1/events?place=Porto,+Portugal&place=Berlin"))
    .json();
  assert.equal(data.length, 2);
});
