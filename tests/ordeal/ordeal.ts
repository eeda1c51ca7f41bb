/**
 * The ordeal: two processes on one database, mixed load, and the faults of a plan; then the proofs that money is exact
 * and within the limits of a key and of the service, no event was too old, and every answered request was logged once.
 */

import { DatabaseSync } from "node:sqlite";
import { createKey } from "../../lib/accounts/key.ts";
import { createLedger } from "../../lib/proxy/ledger/ledger.ts";
import { openKv, retryLocked } from "../../lib/platform/kv/open.ts";
import { createAirtableStandIn } from "../../lib/sandbox/airtable.ts";
import { createDecisionStandIn } from "../../lib/sandbox/decision.ts";
import { createRandom } from "../../lib/sandbox/random.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { serveStandIn } from "../../lib/sandbox/serve_stand_in.ts";
import { createWebsearchStandIn } from "../../lib/sandbox/websearch.ts";
import { formatUsd } from "../../lib/platform/money.ts";
import { readBooks } from "../support/ledger_books.ts";
import { createMember } from "../support/member.ts";
import {
  type Answered,
  type CallerCounts,
  callUntil,
  createSeen,
  isPaid,
  type Seen,
} from "./callers.ts";
import { openDisk } from "./disk.ts";
import type { Planned, Step } from "./plan.ts";
import { endedForDisk, type Server, startServer } from "./servers.ts";
import { madeBy } from "../support/made_by.ts";

/** The options of an ordeal. */
interface OrdealOptions {
  readonly seed: string;
  readonly plan: readonly Planned[];
  readonly minutes: number;
  /** The address of an empty KV Connect server; by default a file on a disk that can be full. */
  readonly kv?: string;
  readonly callers: CallerCounts;
  /** Called at each step. */
  readonly tell: (line: string) => void;
}

/** The result of an ordeal. */
interface Verdict {
  /** The violations, in words; empty if there are none. */
  readonly faults: readonly string[];
  readonly figures: Readonly<Record<string, number | string>>;
}

const API_KEY = "provider.ordeal";
/** No response is older than five minutes, plus a second for its delivery. */
const OLDEST_MILLISECONDS = 301_000;
const UPSTREAM_TIMEOUT_SECONDS = 5;
/** The log lines that a killed process may not have written: `lib/platform/log.ts` waits up to 100 ms. */
const UNWRITTEN_MILLISECONDS = 5_000;
const DAY_MILLISECONDS = 86_400_000;
/** A key's own daily limit for each minute: about eight requests reach it. */
const CAP_PER_MINUTE = 20_000_000n;
/** More than the estimate of any request of the capped key, of which the last one may exceed the limit. */
const DEAREST_REQUEST = 10_000_000n;
/** More than the estimate of any request with which members spend as much as they can. */
const DEAREST_SPENT = 1_200_000_000n;
/** The limit of all accounts for each minute: it is reached once members spend as much as they can. */
const SERVICE_LIMIT_PER_MINUTE = 12_000_000_000n;
/** From this part of the time on they do, if by then they have paid for so many requests. */
const SPENDING_FROM = 0.7;
const ENOUGH_PAID = 100;
/** An ordeal lasts until the load has reached each limit, on a busy machine up to so many times as long. */
const LONGEST = 15;

/** Runs one. */
export async function runOrdeal(options: OrdealOptions): Promise<Verdict> {
  const { seed, minutes, kv: address = "", callers, tell } = options;
  const plan = options.plan.filter(({ kind }) =>
    address === "" || kind !== "lock" && kind !== "full"
  );
  await using disk = await openDisk(tell);
  const random = createRandom(`load ${seed}`);
  const websearch = createWebsearchStandIn({ apiKey: API_KEY, now: Date.now });
  const decision = createDecisionStandIn({ apiKey: API_KEY, now: Date.now });
  const choose = (): Server | null => {
    const up = servers.filter(({ isUp }) => isUp);
    return up.length === 0 ? null : random.pick(up);
  };
  const store = createStore();
  const standIns = [websearch, decision, store.standIn].map(({ fetch }) => serveStandIn(fetch));
  const [websearchUrl = "", decisionUrl = "", storeUrl = ""] = standIns.map(({ origin }) => origin);
  const path = address || `${disk.folder}/kv`;
  const { key, cappedKey } = await createKeys(path, scaled(CAP_PER_MINUTE, minutes));
  const serviceLimit = scaled(SERVICE_LIMIT_PER_MINUTE, minutes);
  const env = {
    KV_PATH: path,
    AIRTABLE_API_URL: storeUrl,
    AIRTABLE_TOKEN: "patOrdeal.token",
    AIRTABLE_BASE_ID: "appOrdeal",
    EVENTS_REFRESH_SECONDS: "5",
    WEBSEARCH_API_URL: websearchUrl,
    WEBSEARCH_API_KEY: API_KEY,
    DECISION_API_URL: decisionUrl,
    DECISION_API_KEY: API_KEY,
    RATE_LIMIT_REQUESTS: "1000000000",
    SERVICE_DAILY_LIMIT_USD: formatUsd(serviceLimit),
    UPSTREAM_TIMEOUT_SECONDS: String(UPSTREAM_TIMEOUT_SECONDS),
  };
  const ahead = [0, 0];
  const all: Server[] = [];
  await using ends = new AsyncDisposableStack();
  const load = new AbortController();
  let collapses = 0;
  const start = async (index: 0 | 1): Promise<Server> => {
    const server = ends.use(await startServer(env, ahead[index] ?? 0));
    all.push(server);
    void server.collapse.then(() => restart(index, server));
    return server;
  };
  /** Does the work of a supervisor. */
  async function restart(index: 0 | 1, { log }: Server): Promise<void> {
    collapses++;
    if (!endedForDisk(log)) {
      faults.push(`a process ended by itself, and had said: ${log.slice(-3).join("\n")}`);
    }
    if (!load.signal.aborted) servers[index] = await start(index);
  }
  const faults: string[] = [];
  const servers: Server[] = [];
  for (const index of [0, 1] as const) servers[index] = await start(index);

  /** Takes a step. A step that ends a process resolves once the process runs again. */
  async function take(step: Step): Promise<void> {
    switch (step.kind) {
      case "provider":
        (step.which === "websearch" ? websearch : decision).faults.push(step.fault);
        return;
      case "store":
        store.standIn.faults.push(...step.faults);
        return;
      case "change":
        return store.change();
      case "clock":
        ahead[step.process] = step.ahead;
        return servers[step.process]?.setAhead(step.ahead);
      case "lock":
        return await holdLock(path, step.milliseconds);
      case "full":
        return await disk.fill(step.milliseconds);
      case "kill":
      case "term": {
        const server = servers[step.process];
        if (!server?.isUp) return;
        if (step.kind === "kill") await server.kill();
        else {
          const code = await server.terminate();
          if (code !== 0) faults.push(`a process that was asked to end ended with ${code}`);
        }
        servers[step.process] = await start(step.process);
      }
    }
  }

  const seen = createSeen();
  const spendingAt = performance.now() + SPENDING_FROM * minutes * 60_000;
  const hasPaid = () => seen.answered.filter(isPaid).length > ENOUGH_PAID;
  let wasEnough = false;
  const isSpending = () => wasEnough ||= performance.now() > spendingAt && hasPaid();
  const calling = callUntil(
    load.signal,
    { choose, key, cappedKey, isSpending, isRecent: store.isRecent, random },
    callers,
    seen,
  );
  const startedAt = performance.now();
  const taken: Promise<void>[] = [];
  for (const { at, ...step } of plan) {
    await waitUntil(startedAt + at);
    tell(`${(at / 1000).toFixed(1)} s ${JSON.stringify(step)}`);
    // Two faults coincide: a process is killed while the disk is full.
    taken.push(take(step).catch((error) => void faults.push(`${step.kind}: ${error}`)));
  }
  await Promise.all(taken);
  await waitUntil(startedAt + minutes * 60_000);
  const { overLimit } = seen;
  while (Math.min(overLimit.key, overLimit.service) === 0) {
    if (performance.now() > startedAt + LONGEST * minutes * 60_000) break;
    store.change();
    await waitUntil(performance.now() + 1_000);
  }
  load.abort();
  await calling;
  for (const provider of [websearch, decision]) provider.faults.clear();

  for (const server of servers) {
    if (!server.isUp) continue;
    const code = await server.terminate();
    if (code !== 0) faults.push(`a process that was asked to end ended with ${code}`);
  }
  for (const standIn of standIns) await standIn.shutdown();
  faults.push(...seen.wrong, ...misloggedOf(seen.answered, all));
  using kv = await openKv(path);
  const money = await provenMoney(
    kv,
    [websearch.charges, decision.charges],
    seen,
    {
      cap: scaled(CAP_PER_MINUTE, minutes) + DEAREST_REQUEST,
      // Each member may be admitted at the same instant as the others.
      service: serviceLimit + BigInt(callers.members) * DEAREST_SPENT,
    },
  );
  return {
    faults: [...faults, ...money.faults],
    figures: {
      answered: seen.answered.length,
      broken: seen.broken,
      ...money.figures,
      overKeysLimit: overLimit.key,
      overServiceLimit: overLimit.service,
      processes: all.length,
      collapses,
      steps: plan.length,
    },
  };
}

/** An amount for each minute. */
function scaled(perMinute: bigint, minutes: number): bigint {
  return perMinute * BigInt(Math.ceil(minutes * 60)) / 60n;
}

/** Two keys of an account, of which one has a daily limit of its own. */
async function createKeys(path: string, cap: bigint) {
  using kv = await openKv(path);
  const { accountId, key } = await createMember(kv, 10n ** 15n);
  const capped = { accountId, label: null, expiresAt: null, cap };
  return { key, cappedKey: (await createKey(kv, capped, madeBy(Date.now()))).text };
}

/** A changing table of events, which records when each version of its counter was the newest. */
function createStore() {
  const record = (id: number, fields: Record<string, unknown>): StandInRecord => ({
    id: `rec${String(id).padStart(14, "0")}`,
    createdTime: "2026-01-01T00:00:00.000Z",
    fields: { "Start Date": "2027-01-01", "End Date": "2027-01-03", ...fields },
  });
  const counter = (version: number) =>
    record(0, { "Name": "Ordeal counter", "Description": `Version ${version}` });
  const others = Array.from(
    // Three pages.
    { length: 250 },
    (_, index) => record(index + 1, { Name: `E${index}` }),
  );
  const standIn = createAirtableStandIn({
    records: [counter(0), ...others],
    token: "patOrdeal.token",
    baseId: "appOrdeal",
    table: "Events",
    now: Date.now,
    origin: "http://127.0.0.1:1",
    signingSecret: "ordeal",
    cursorsDieOnChange: true,
  });
  /** The time of each version, in epoch milliseconds. */
  const since = [Date.now()];
  return {
    standIn,
    change() {
      const version = since.push(Date.now()) - 1;
      // One other event is removed for now, and another one returns.
      const present = others.filter((_, index) => index % 7 !== version % 7);
      standIn.setRecords([counter(version), ...present]);
    },
    isRecent(name: string, askedAt: number): boolean {
      const replacedAt = since[Number(/\d+/.exec(name)) + 1];
      return name !== "" &&
        (replacedAt === undefined || replacedAt > askedAt - OLDEST_MILLISECONDS);
    },
  };
}

/** Every charge in a provider's response is in the books, once, with the stated amount. */
async function provenMoney(
  kv: Deno.Kv,
  charges: readonly ReadonlyMap<string, bigint>[],
  { answered }: Seen,
  limits: { readonly cap: bigint; readonly service: bigint },
) {
  const faults: string[] = [];
  const log = {
    error: (message: string) => faults.push(message),
    warn: (message: string) => faults.push(message),
  };
  const now = () => Date.now() + DAY_MILLISECONDS;
  const ledger = createLedger({
    kv,
    now,
    sleep: () => Promise.resolve(),
    policy: { requests: 1, windowSeconds: 1 },
    reservationSeconds: 1,
    log,
  });
  const abandoned = await ledger.sweep();
  const { open, records, days, caps } = await readBooks(kv);
  faults.push(...exceeded(days, caps, limits));
  const spent = [...records.values()].reduce((sum, { cost }) => sum + cost, 0n);
  if (open.size > 0) faults.push(`${open.size} reservations are open after the sweep`);
  for (const [id, charge] of charges.flatMap((each) => [...each])) {
    const record = records.get(id);
    if (record === undefined) {
      faults.push(`${id} was charged by its provider, and is in no book`);
    } else if (record.costFrom === "provider" && record.cost !== charge) {
      faults.push(`${id} cost ${charge}, and was charged ${record.cost}`);
    } else if (record.cost < charge) faults.push(`${id} cost ${charge} and was charged less`);
  }
  for (const { requestId } of answered.filter(isPaid)) {
    if (!records.has(requestId)) faults.push(`${requestId} was answered, and is in no book`);
  }
  return {
    faults,
    figures: {
      booked: records.size,
      // Of those that a killed process had reserved; the others were swept while the load lasted.
      swept: [...records.values()].filter(({ costFrom }) => costFrom === "sweep").length,
      abandoned,
      spent: formatUsd(spent),
    },
  };
}

/** The amounts of a day. */
interface Sums {
  readonly spent: bigint;
  readonly reserved: bigint;
}

/** The sums of days that are above a limit. */
function exceeded(
  days: ReadonlyMap<string, Sums>,
  caps: ReadonlyMap<string, Sums>,
  limits: { readonly cap: bigint; readonly service: bigint },
): string[] {
  const faults: string[] = [];
  const sums = new Map<string, bigint>();
  for (const [name, { spent, reserved }] of days) {
    const day = name.split("/")[1] ?? "";
    sums.set(day, (sums.get(day) ?? 0n) + spent + reserved);
  }
  for (const [day, sum] of sums) {
    if (sum > limits.service) faults.push(`all accounts have spent ${formatUsd(sum)} on ${day}`);
  }
  for (const [name, { spent, reserved }] of caps) {
    const sum = spent + reserved;
    if (sum >= limits.cap) faults.push(`${name} has spent ${formatUsd(sum)}`);
  }
  return faults;
}

/** The faults of the logs: each answered request must have one line in its process's log. */
function misloggedOf(answered: readonly Answered[], servers: readonly Server[]): string[] {
  const faults: string[] = [];
  const lines = new Map(servers.map((server) => [server, countRequests(server, faults)]));
  for (const { requestId, server, endedAt, path } of answered) {
    const count = lines.get(server)?.get(requestId) ?? 0;
    const mayBeLost = server.killedAt !== null &&
      endedAt > server.killedAt - UNWRITTEN_MILLISECONDS;
    if (count > 1) faults.push(`${path} ${requestId} was logged ${count} times`);
    // Successful health checks are not logged.
    if (count === 0 && !mayBeLost && path !== "/up") {
      const killed = server.killedAt === null
        ? ""
        : `, ${server.killedAt - endedAt} ms before its kill`;
      faults.push(`${path} ${requestId} was not logged${killed}`);
    }
  }
  return faults;
}

function countRequests({ log, killedAt }: Server, faults: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [index, line] of log.entries()) {
    const isCutOff = killedAt !== null && index === log.length - 1;
    if (!line.startsWith("{") || isCutOff) continue;
    const { message, properties } = JSON.parse(line);
    if (message !== "Request" && message !== "A response was cut off.") {
      if (/unexpected|internal|something failed/i.test(message)) {
        faults.push(`a process logged: ${line}`);
      }
      continue;
    }
    counts.set(properties.requestId, (counts.get(properties.requestId) ?? 0) + 1);
  }
  return counts;
}

/** Holds SQLite's write lock, as another program with the file open may. */
async function holdLock(path: string, milliseconds: number): Promise<void> {
  using database = new DatabaseSync(path);
  try {
    await retryLocked(() => Promise.try(() => database.exec("BEGIN IMMEDIATE")), 500);
  } catch (error) {
    // While the disk is full, no transaction can begin.
    if (String(error).includes("disk I/O error")) return;
    throw error;
  }
  await waitUntil(performance.now() + milliseconds);
  database.exec("ROLLBACK");
}

function waitUntil(moment: number): Promise<void> {
  const milliseconds = Math.max(0, moment - performance.now());
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
