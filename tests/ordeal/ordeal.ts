/**
 * The ordeal: two processes on one database, mixed load, and the faults of a plan; then the proofs that
 * money is exact and within the limits of a key and of the service, no event was too old, ended sessions and banned
 * accounts were refused in time, every answered request was logged once, and nothing leaked.
 */

import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { createKey } from "../../lib/proxy/accounts/key.ts";
import { createLedger } from "../../lib/proxy/ledger/ledger.ts";
import { openKv, retryLocked } from "../../lib/platform/kv/open.ts";
import { type AirtableStandInOptions, createAirtableStandIn } from "../../lib/sandbox/airtable.ts";
import { createIdentityStandIn } from "../../lib/sandbox/identity.ts";
import { PEOPLE_RULES } from "../../lib/sandbox/identity_people.ts";
import { createDecisionStandIn } from "../../lib/sandbox/decision.ts";
import { createRandom } from "../../lib/sandbox/random.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { serveStandIn } from "../../lib/sandbox/serve_stand_in.ts";
import { createWebsearchStandIn } from "../../lib/sandbox/websearch.ts";
import { formatUsd } from "../../lib/platform/money.ts";
import { freePort } from "../support/free_port.ts";
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
import { createHostilePictures, type HostilePictures } from "./hostile_pictures.ts";
import { liveUntil } from "./members.ts";
import { createNotificationWay } from "./notifications.ts";
import type { Planned, Step } from "./plan.ts";
import { BASE_URL, endedForDisk, type Server, startServer } from "./servers.ts";
import { madeBy } from "../support/made_by.ts";

/** The options of an ordeal. */
interface OrdealOptions {
  readonly seed: string;
  readonly plan: readonly Planned[];
  readonly minutes: number;
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

const COMMANDS = fileURLToPath(new URL("../../commands/foyer.ts", import.meta.url));
const API_KEY = "provider.ordeal";
/** No response is older than five minutes, plus a second for its delivery. */
const OLDEST_MILLISECONDS = 301_000;
const UPSTREAM_TIMEOUT_SECONDS = 5;
/** The log lines that a killed process may not have written: `lib/platform/log.ts` waits up to 100 ms. */
const UNWRITTEN_MILLISECONDS = 5_000;
/** The caches of images, cards, their sizes and prepared responses may fill 208 MiB; the rest is the engine's. */
const MOST_MEBIBYTES = 300;
/** An endless picture takes a connection for ten seconds, eight at a time; the picture process takes pipes. */
const MOST_FILES = 48;
/** Twice the lease of the jobs, which lasts as long as all of them together (`lib/operate/jobs.ts`). */
const LONGEST_LEASE_MILLISECONDS = 2 * 400_000;
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
const IDENTITY = { clientId: "foyer-ordeal", clientSecret: "identity-ordeal" } as const;

/** Runs one. */
export async function runOrdeal(options: OrdealOptions): Promise<Verdict> {
  const { seed, plan, minutes, callers, tell } = options;
  await using disk = await openDisk(tell);
  const random = createRandom(`load ${seed}`);
  const websearch = createWebsearchStandIn({ apiKey: API_KEY, now: Date.now });
  const decision = createDecisionStandIn({ apiKey: API_KEY, now: Date.now });
  const pictures = createHostilePictures();
  const choose = (): Server | null => {
    const up = servers.filter(({ isUp }) => isUp);
    return up.length === 0 ? null : random.pick(up);
  };
  const way = createNotificationWay(choose);
  const store = createStore(pictures, way);
  const standIns = [websearch, decision, store].map(({ fetch }) => serveStandIn(fetch));
  const [websearchUrl = "", decisionUrl = "", storeUrl = ""] = standIns.map(({ origin }) => origin);
  pictures.placeAt(storeUrl);
  store.change();
  const path = `${disk.folder}/kv`;
  const { key, cappedKey } = await createKeys(path, scaled(CAP_PER_MINUTE, minutes));
  const serviceLimit = scaled(SERVICE_LIMIT_PER_MINUTE, minutes);
  let issuer = "";
  const identity = createIdentityStandIn({ ...IDENTITY, origin: () => issuer, now: Date.now });
  const identityServer = serveStandIn(identity.fetch);
  issuer = identityServer.origin;
  const env = {
    KV_PATH: path,
    AIRTABLE_API_URL: storeUrl,
    AIRTABLE_TOKEN: "patOrdeal.token",
    AIRTABLE_BASE_ID: "appOrdeal",
    AIRTABLE_NOTIFICATIONS: "on",
    BASE_URL,
    WEBSEARCH_API_URL: websearchUrl,
    WEBSEARCH_API_KEY: API_KEY,
    DECISION_API_URL: decisionUrl,
    DECISION_API_KEY: API_KEY,
    RATE_LIMIT_REQUESTS: "1000000000",
    SERVICE_DAILY_LIMIT_USD: formatUsd(serviceLimit),
    SIGN_IN_ISSUER: issuer,
    SIGN_IN_CLIENT_ID: IDENTITY.clientId,
    SIGN_IN_CLIENT_SECRET: IDENTITY.clientSecret,
    ...PEOPLE_RULES,
    UPSTREAM_TIMEOUT_SECONDS: String(UPSTREAM_TIMEOUT_SECONDS),
  };
  const ports = [freePort(), freePort()] as const;
  const ahead = [0, 0];
  const all: Server[] = [];
  await using ends = new AsyncDisposableStack();
  const load = new AbortController();
  let collapses = 0;
  const start = async (index: 0 | 1): Promise<Server> => {
    const server = ends.use(await startServer(env, ports[index], ahead[index] ?? 0));
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
      case "notification":
        way.faults.push(step.fault);
        return;
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
  const living = liveUntil(load.signal, {
    choose,
    servers: () => servers.filter(({ isUp }) => isUp),
    setBanned: (accountId, isBanned) => setBanned(path, accountId, isBanned),
    issuer,
    random: createRandom(`members ${seed}`),
  }, seen);
  const visiting = pictures.askUntil(load.signal, choose);
  const before = servers.map((server) => server.footprint());
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
  const { members, overLimit } = seen;
  while (
    Math.min(members.endings, overLimit.key, overLimit.service) === 0 || way.taken() <= 2
  ) {
    if (performance.now() > startedAt + LONGEST * minutes * 60_000) break;
    store.change();
    await waitUntil(performance.now() + 1_000);
  }
  load.abort();
  await calling;
  await living;
  way.stop();
  faults.push(...await visiting, ...way.wrong);
  for (const provider of [websearch, decision]) provider.faults.clear();

  for (const [index, server] of servers.entries()) {
    if (!server.isUp) continue;
    faults.push(...leaked(before[index] ?? null, server.footprint()));
    const code = await server.terminate();
    if (code !== 0) faults.push(`a process that was asked to end ended with ${code}`);
  }
  for (const standIn of [...standIns, identityServer]) await standIn.shutdown();
  await identity.shutdown();
  faults.push(...seen.wrong, ...misloggedOf(seen.answered, all));
  using kv = await openKv(path);
  faults.push(...await unreleased(kv, Math.max(...ahead)));
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
      ...members,
      processes: all.length,
      collapses,
      notifications: way.taken(),
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

/**
 * Bans an account, or lifts the ban, as an operator does: in a process of its own. One that has the database open ends
 * if the disk is full (`endedForDisk`), and must not be this one.
 */
async function setBanned(path: string, accountId: string, isBanned: boolean): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--quiet",
      COMMANDS,
      "accounts",
      isBanned ? "ban" : "unban",
      accountId,
    ],
    env: { KV_PATH: path },
    stdout: "null",
    stderr: "null",
  }).output();
  return success;
}

/** A changing table of events, which records when each version of its counter was the newest. */
function createStore(
  pictures: HostilePictures,
  way: Pick<AirtableStandInOptions, "deliver" | "later">,
) {
  const record = (id: number, fields: Record<string, unknown>): StandInRecord => ({
    id: `rec${String(id).padStart(14, "0")}`,
    createdTime: "2026-01-01T00:00:00.000Z",
    fields: { "Start Date": "2027-01-01", "End Date": "2027-01-03", ...fields },
  });
  const counter = (version: number) =>
    record(0, { "Name": "Ordeal counter", "Description": `Version ${version}` });
  const others = Array.from(
    // Three pages, so that reads request only the changed records.
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
    ...way,
  });
  /** The time of each version, in epoch milliseconds. */
  const since = [Date.now()];
  return {
    standIn,
    fetch: (request: Request) => pictures.serve(request) ?? standIn.fetch(request),
    change() {
      const version = since.push(Date.now()) - 1;
      // One other event is removed for now, and another one returns.
      const present = others.filter((_, index) => index % 7 !== version % 7);
      standIn.setRecords([counter(version), ...present, ...pictures.records()]);
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
    figures: { booked: records.size, abandoned, spent: formatUsd(spent) },
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

type Footprint = ReturnType<Server["footprint"]>;

function leaked(before: Footprint, after: Footprint): string[] {
  if (before === null || after === null) return [];
  const faults: string[] = [];
  const mebibytes = after.mebibytes - before.mebibytes;
  if (mebibytes > MOST_MEBIBYTES) faults.push(`a process has grown by ${mebibytes.toFixed()} MiB`);
  const files = after.files - before.files;
  if (files > MOST_FILES) faults.push(`a process has ${files} more open files than at its start`);
  return faults;
}

/** Leases of any holder that last longer than they may. */
async function unreleased(kv: Deno.Kv, ahead: number): Promise<string[]> {
  const faults: string[] = [];
  for await (const { key, value } of kv.list<{ endsAt: number }>({ prefix: ["lease"] })) {
    if (value.endsAt > Date.now() + ahead + LONGEST_LEASE_MILLISECONDS) {
      faults.push(`${key.join(" ")} is held until ${new Date(value.endsAt).toISOString()}`);
    }
  }
  return faults;
}

/** Holds SQLite's write lock, as another program with the file open may. */
async function holdLock(path: string, milliseconds: number): Promise<void> {
  using database = new DatabaseSync(path);
  try {
    await retryLocked(() => Promise.try(() => database.exec("BEGIN IMMEDIATE")), { attempts: 500 });
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
