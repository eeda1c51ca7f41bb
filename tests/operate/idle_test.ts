/**
 * The cost of the service on Deno Deploy, by a virtual clock: runs of the cron, keys read, keys changed, calls to
 * Airtable. static/docs/scale.md repeats the figures that `deno test` shows, for ten times as many days.
 */
// Not quick: days of a service, minute by minute.

import assert from "node:assert/strict";
import { parseConfig } from "../../lib/platform/config/config.ts";
import {
  createJobRunner,
  CRON,
  listJobRuns,
  listJobs,
  TURN_MILLISECONDS,
} from "../../lib/operate/jobs.ts";
import { createServices, type ServicePlatform } from "../../lib/operate/services.ts";
import { countingKv } from "../support/faulty_kv.ts";
import { NOON, row } from "../support/foyer.ts";
import { createMember } from "../support/member.ts";
import { ACCESS, createTable } from "../support/table.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MEMBERS = 10;
const ENV = {
  DENO_DEPLOY: "true",
  DENO_TIMELINE: "production",
  BASE_URL: "https://foyer.example",
  AIRTABLE_API_URL: ACCESS.apiUrl,
  AIRTABLE_TOKEN: ACCESS.token,
  AIRTABLE_BASE_ID: ACCESS.baseId,
  WEBSEARCH_API_KEY: "test",
  DECISION_API_KEY: "test",
  ROUTER_API_KEY: "test",
  ROUTER_MANAGEMENT_KEY: "test",
  OCR_API_KEY: "test",
};
/** A provider's response about our account. */
const FIGURES = { usage: 1, limit_remaining: 1, total_credits: 2, total_usage: 1 };

type Services = ReturnType<typeof createServices>;

/**
 * Simulates an installation for some days. Each run of the jobs begins in a new isolate, which costs most.
 *
 * @param use performs the requests of each minute, with the services of the isolate and the keys of the members.
 */
async function live({ days, env = {}, use }: {
  readonly days: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly use?: (services: Services, minute: number, keys: readonly string[]) => Promise<void>;
}) {
  using kv = await Deno.openKv(":memory:");
  const members = await Promise.all(
    Array.from({ length: MEMBERS }, () => createMember(kv, null, NOON)),
  );
  const clock = { now: NOON };
  const { kv: counted, counts } = countingKv(kv);
  let calls = 0;
  const errors: string[] = [];
  const note = (message: string) => void errors.push(message);
  const store = createTable({
    records: Array.from({ length: 100 }, (_, at) => row({ "Name": `Event ${at}` })),
    now: () => clock.now,
  });
  let pauses: { readonly at: number; readonly end: () => void }[] = [];
  const platform: ServicePlatform = {
    kv: counted,
    fetch(input, init) {
      const url = String(input instanceof Request ? input.url : input);
      if (url.startsWith(ENV.AIRTABLE_API_URL)) {
        calls++;
        return store.substitute(input, init);
      }
      const data = url.endsWith("/models") ? [] : FIGURES;
      const body = JSON.stringify({ data, costDollars: { total: 0.007 } });
      const headers = {
        "content-type": "application/json",
        "content-length": String(body.length),
      };
      return Promise.resolve(new Response(body, { headers }));
    },
    resolveName: () => Promise.resolve(null),
    pictures: null,
    now: () => clock.now,
    // The jobs' wait after requests; every other one is a limit that no request here reaches.
    sleep: (milliseconds) =>
      new Promise((end) => void pauses.push({ at: clock.now + milliseconds, end })),
    startLimit: () => () => {},
    log: { info() {}, warn: note, error: note },
  };
  const config = parseConfig({ ...ENV, ...env });
  function start() {
    const services = createServices(config, platform);
    const jobs = createJobRunner(listJobs(services), { ...platform, config });
    services.whenBooked(jobs.wake);
    return { services, jobs };
  }
  let { services, jobs } = start();
  let runs = 0;
  const step = use === undefined ? 5 * MINUTE : MINUTE;
  for (; clock.now < NOON + days * DAY; clock.now += step) {
    if (clock.now % TURN_MILLISECONDS === 0) ({ services, jobs } = start());
    const over = pauses.filter(({ at }) => at <= clock.now);
    pauses = pauses.filter(({ at }) => at > clock.now);
    for (const { end } of over) end();
    const minute = (clock.now - NOON) / MINUTE;
    await use?.(services, minute, members.map(({ key }) => key));
    await services.ledger.flush();
    if (minute % 5 !== 0) continue;
    await jobs.runDue();
    runs++;
  }
  assert.deepEqual(errors, []);
  const { keysRead: reads, keysWritten: writes } = counts;
  return { costs: { runs, reads, writes, calls }, last: await listJobRuns(kv), end: clock.now };
}

Deno.test("three idle days cost at most 4,500 runs, 2,000 reads and 1,000 writes", async () => {
  assert.equal(CRON.schedule, "*/5 * * * *");
  const { costs, last, end } = await live({ days: 3 });
  // deno-lint-ignore no-console -- the measurement
  console.log("3 idle days:", costs);
  assert.ok(costs.runs <= 4_500 && costs.reads <= 2_000 && costs.writes <= 1_000);
  for (const [name, run] of last) {
    assert.ok(run !== null && end - run.startedAt <= TURN_MILLISECONDS, `${name} is late`);
  }
});

Deno.test("a git branch costs runs and nothing else", async () => {
  const { costs } = await live({ days: 1, env: { DENO_TIMELINE: "git-branch/spring" } });
  assert.deepEqual(costs, { runs: 288, reads: 0, writes: 0, calls: 0 });
});

Deno.test("two busy hours cost a few reads and writes for each request to the proxy", async () => {
  const days = 2 / 24;
  let searches = 0;
  async function search({ proxy }: Services, key = "") {
    const request = new Request("https://foyer.example/proxy/v1/websearch/search", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: '{"query":"bread"}',
    });
    const requestId = `request-${searches++}`;
    const response = await proxy.forward("search", { request, requestId, notes: {} });
    await response.body?.pipeTo(new WritableStream());
  }
  // A visitor and a monitor in each minute. The second line awaits the read that the first may have begun.
  async function visit({ events, health }: Services) {
    await events.catalog();
    await events.refresh();
    await health.get();
  }
  const visited = await live({ days, use: visit });
  const both = await live({
    days,
    async use(services, minute, keys) {
      await visit(services);
      await Promise.all([0, 5].map((other) => search(services, keys[(minute + other) % MEMBERS])));
    },
  });
  // deno-lint-ignore no-console -- the measurement
  console.log("2 hours of visitors:", visited.costs, `and ${searches} searches:`, both.costs);
  const each = (name: "reads" | "writes") => (both.costs[name] - visited.costs[name]) / searches;
  assert.ok(each("reads") < 20 && each("writes") < 20, `${each("reads")}, ${each("writes")}`);
});
