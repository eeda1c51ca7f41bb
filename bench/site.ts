/**
 * The site in the packaged Chromium, over a thousand events with pictures: how soon the first visit to a page shows
 * the page's largest element.
 */
// deno-lint-ignore-file no-console -- it tells how far it is

import { createAirtableStandIn } from "../lib/sandbox/airtable.ts";
import { sampleRecords } from "../lib/sandbox/sample.ts";
import { type Browser, startChromium } from "../tests/support/chromium.ts";
import { START, STORE, storeEnvironment } from "./foyer.ts";
import type { Fact } from "./report.ts";
import { type Server, startServer } from "./server.ts";
import { median } from "./statistics.ts";

const EVENTS = 1_000;
/** Lighthouse's telephone, line and processor (its "slow 4G" as Chromium's own tools apply it). */
const TELEPHONE = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
};
const LINE = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_638_400 / 8,
  uploadThroughput: 768_000 / 8,
};
const SLOWER = 4;
const FIRST_SIGHTS = 7;

/** Measures the site. Databases go to a folder. */
export async function measureSite(folder: string): Promise<Fact[]> {
  await using store = startStore();
  await using foyer = await startServer(() => START, {
    env: (port) => ({
      PORT: String(port),
      HOST: "127.0.0.1",
      BASE_URL: `http://127.0.0.1:${port}`,
      KV_PATH: `${folder}/site`,
      ...storeEnvironment(store.origin),
      // Nothing that is measured needs the models.
      ROUTER_API_URL: store.origin,
    }),
    isQuiet: true,
  });
  await using browser = await startChromium();
  const facts: Fact[] = [];
  const slug = sampleSlug(await (await fetch(`${foyer.origin}/`)).text());
  for (
    const [name, path] of [
      ["home page", "/"],
      ["an event's page", slug],
      ["reference", "/api/v1/docs"],
    ] as const
  ) facts.push(await measureSight(browser, foyer, name, path));
  return facts;
}

/** The sample, and again a year later until there are enough. */
function startStore() {
  const sample = sampleRecords();
  const records = Array.from({ length: EVENTS }, (_, at) => {
    const record = sample[at % sample.length]!;
    if (at < sample.length) return record;
    const { "Pinned": _pinned, ...fields } = record.fields;
    for (const [name, value] of Object.entries(fields)) {
      const [, year = "", rest = ""] = /^(\d{4})(-\d\d-\d\d)$/.exec(String(value)) ?? [];
      if (year !== "") fields[name] = `${Number(year) + 1}${rest}`;
    }
    const id = `rec${String(at).padStart(14, "0")}`;
    return { ...record, id, fields: { ...fields, "Name": `${fields["Name"]}, again` } };
  });
  let origin = "";
  const standIn = createAirtableStandIn({
    ...STORE,
    records,
    now: Date.now,
    origin: () => origin,
    signingSecret: "bench",
  });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, standIn.fetch);
  origin = `http://127.0.0.1:${server.addr.port}`;
  return {
    origin,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function sampleSlug(html: string): string {
  return /href="(\/events\/[^"]+)"/.exec(html)?.[1] ?? "/";
}

/** The largest contentful paint of first visits; the very first warms the server and the browser up. */
async function measureSight(
  browser: Browser,
  { origin }: Server,
  name: string,
  path: string,
): Promise<Fact> {
  const times: number[] = [];
  let shift = 0;
  for (let round = 0; round <= FIRST_SIGHTS; round++) {
    await using context = await browser.newContext(TELEPHONE);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.emulateNetworkConditions", LINE);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await page.goto(origin + path, { waitUntil: "load" });
    const seen = await page.evaluate(async () => {
      const seen = { at: 0, shift: 0 };
      const watch = (type: string, take: (entry: PerformanceEntry) => void) =>
        new PerformanceObserver((list) => list.getEntries().forEach(take))
          .observe({ type, buffered: true });
      watch("largest-contentful-paint", ({ startTime }) => seen.at = startTime);
      watch(
        "layout-shift",
        (entry) => seen.shift += (entry as PerformanceEntry & { value: number }).value,
      );
      await new Promise((done) => setTimeout(done, 1_000));
      return seen;
    });
    if (round > 0) times.push(seen.at);
    shift = Math.max(shift, seen.shift);
  }
  const [least, middle, most] = [Math.min(...times), median(times), Math.max(...times)]
    .map(Math.round);
  console.error(`${name}: measured`);
  return {
    name: `${name}, largest contentful paint on a slow telephone, median`,
    figure: `${middle} ms (${least} to ${most} ms), layout shift ${shift.toFixed(3)}`,
  };
}
