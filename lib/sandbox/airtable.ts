// A stand-in for the record store: the part of Airtable's API that Foyer uses, over records in memory, with faults on
// demand. It shares no code with what it stands in for or is used to test.

import { errorResponse, Refusal } from "./airtable_errors.ts";
import { listPage, type Page, queryOf } from "./airtable_listing.ts";
import { createAttachments, FILES_PATH } from "./airtable_attachments.ts";
import { answerCaller, ConnectionReset, labelled } from "./connection.ts";
import { airtableFaultSchema, createAirtableFaultPlan, withFault } from "./airtable_faults.ts";
import { controlFaults } from "./fault_plan.ts";
import { createWebhooks, type WebhookRights } from "./airtable_webhooks.ts";
import {
  isAttachment,
  isEmptyCell,
  type StandInAttachment,
  type StandInRecord,
} from "./records.ts";

export type { AirtableFault } from "./airtable_faults.ts";
export type { StandInAttachment, StandInRecord } from "./records.ts";

/** The options of a stand-in. */
export interface AirtableStandInOptions {
  readonly records?: readonly StandInRecord[];
  /** The token that `Authorization: Bearer` must carry. */
  readonly token: string;
  readonly baseId: string;
  /** The table's name. */
  readonly table: string;
  /** The table's id, which works in its place. */
  readonly tableId?: string;
  readonly views?: readonly string[];
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Its own address, without a trailing slash; a function while the port is not known yet. */
  readonly origin: string | (() => string);
  readonly signingSecret: string;
  /** The calls of the workspace in a month (UTC); further ones are refused until the month ends. Unset: any number. */
  readonly callsPerMonth?: number;
  /** Whether more than 5 requests a second are refused for 30 s (false). */
  readonly rateLimit?: boolean;
  /** Sends the notifications of webhooks; without it, none are sent. */
  readonly deliver?: typeof fetch;
  /** Runs work after some milliseconds, such as another attempt to notify; by default with a timer. */
  readonly later?: (work: () => void, ms: number) => void;
  /** The rights of the token's owner over webhooks ("creator"). */
  readonly webhookRights?: () => WebhookRights;
  /** Whether cursors expire when the table changes between two pages (false). */
  readonly cursorsDieOnChange?: boolean;
}

/** A request that the stand-in has seen; those to `/sandbox/` are not among them. */
interface SeenRequest {
  readonly url: string;
}

/** A running stand-in. */
export type AirtableStandIn = ReturnType<typeof createAirtableStandIn>;

const LABEL = "airtable";
const QUOTA_ERROR = "PUBLIC_API_BILLING_LIMIT_EXCEEDED";

/**
 * Creates a stand-in. It opens no port: serve `fetch`, or pass `substitute` in place of the platform's `fetch`.
 *
 * @example
 * ```ts
 * const store = createAirtableStandIn({
 *   records: [{ id: "rec00000000000001", createdTime: "2026-01-01T00:00:00.000Z", fields: { Name: "A" } }],
 *   token: "pat.test",
 *   baseId: "appTest",
 *   table: "Events",
 *   now: () => 0,
 *   origin: "http://store.test",
 *   signingSecret: "test",
 * });
 * store.faults.push({ kind: "status", status: 429 });
 * const headers = { Authorization: "Bearer pat.test" };
 * const refused = await store.substitute("http://store.test/v0/appTest/Events", { headers });
 * const answered = await store.substitute("http://store.test/v0/appTest/Events", { headers });
 * if (refused.status !== 429 || answered.status !== 200) throw new Error("unexpected");
 * ```
 */
export function createAirtableStandIn(options: AirtableStandInOptions) {
  const { token, baseId, table, tableId, now, origin, signingSecret } = options;
  const faults = createAirtableFaultPlan();
  const withinLimit = createRateLimit();
  const withinQuota = createQuota(options.callsPerMonth);
  const requests: SeenRequest[] = [];
  let records: readonly StandInRecord[] = options.records ?? [];
  let version = 1;

  const attachments = createAttachments({
    origin: typeof origin === "string" ? () => origin : origin,
    signingSecret,
    now,
    find: (id) => allAttachments(records).find((attachment) => attachment.id === id),
  });

  const webhooks = createWebhooks({
    baseId,
    tableId: tableId ?? "tblStandIn0000001",
    rights: options.webhookRights ?? (() => "creator"),
    deliver: options.deliver ?? (() => Promise.reject(new TypeError("no way to the address"))),
    later: options.later ?? ((work, ms) => void setTimeout(work, ms)),
    now,
  });

  function setRecords(changed: readonly StandInRecord[]): void {
    const isChanged = JSON.stringify(changed) !== JSON.stringify(records);
    records = changed;
    version++;
    if (isChanged) webhooks.change();
  }

  /** The response. Throws if the connection breaks or the caller disconnects. */
  async function respond(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === "/sandbox/records") return await changeRecords(request);
    if (url.pathname === "/sandbox/faults") {
      return await controlFaults(request, faults, airtableFaultSchema);
    }

    requests.push({ url: request.url });
    const isFile = url.pathname.startsWith(FILES_PATH);
    const body = request.method === "POST" ? await request.text() : undefined;
    const answer = () => isFile ? attachments.serve(request) : call(request, url, body);
    const fault = faults.take({
      target: isFile ? "file" : "list",
      hasOffset: url.searchParams.has("offset"),
    });
    return fault ? await withFault(fault, request, answer) : answer();
  }

  /** `PATCH` with a list of `{id, fields}` changes records and adds new ones; a null in place of `fields` removes one. */
  async function changeRecords(request: Request): Promise<Response> {
    if (request.method === "GET") {
      return Response.json(records.map(({ id, fields }) => ({ id, fields })));
    }
    const given: unknown = request.method === "PATCH" ? await request.json() : null;
    if (!Array.isArray(given) || !given.every(isEdit)) {
      return Response.json({ error: "PATCH takes a list of {id, fields}" }, { status: 400 });
    }
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const { id, fields } of given) {
      const before = byId.get(id) ?? { id, createdTime: new Date(now()).toISOString(), fields: {} };
      if (fields === null) byId.delete(id);
      else byId.set(id, { ...before, fields: { ...before.fields, ...fields } });
    }
    setRecords([...byId.values()]);
    return new Response(null, { status: 204 });
  }

  /** The answer to a call of the API. */
  function call(request: Request, url: URL, body: string | undefined): Response {
    try {
      if (request.headers.get("Authorization") !== `Bearer ${token}`) return errorResponse(401);
      const hook = /^\/v0\/bases\/([^/]+)\/webhooks((?:\/[^/]+)*)$/.exec(url.pathname);
      if (hook !== null) {
        if (decode(hook[1] ?? "") !== baseId) return errorResponse(403);
        return refusedByLimits() ??
          webhooks.answer(request, hook[2]?.split("/").slice(1) ?? [], body);
      }
      const [, base, name, rest] = /^\/v0\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/.exec(url.pathname) ??
        [];
      const isList = request.method === "POST" && rest === "listRecords";
      if (base === undefined || name === undefined || request.method !== "GET" && !isList) {
        return errorResponse(404);
      }
      const isTable = [table, tableId].includes(decode(name));
      if (decode(base) !== baseId || !isTable) return errorResponse(403);
      const refused = refusedByLimits();
      if (refused !== null) return refused;
      if (rest !== undefined && !isList) {
        const record = records.find(({ id }) => id === rest);
        return record === undefined ? errorResponse(404) : Response.json(presentRecord(record));
      }
      const { views = ["Grid view"], cursorsDieOnChange = false } = options;
      const state = { records, version, views, cursorsDieOnChange };
      const query = isList ? queryOf(body) : url.searchParams;
      const hasCounts = query.has("recordMetadata[]");
      return Response.json(present(listPage(state, query), hasCounts));
    } catch (error) {
      if (error instanceof Refusal) return error.response;
      throw error;
    }
  }

  function refusedByLimits(): Response | null {
    if (options.rateLimit && !withinLimit(now())) return errorResponse(429);
    return withinQuota(now()) ? null : errorResponse(429, { type: QUOTA_ERROR });
  }

  /** The page as it is sent. Records of the sandbox have no comments. */
  function present({ records, offset }: Page, hasCounts: boolean): unknown {
    const shown = records.map((record) => ({
      ...presentRecord(record),
      ...hasCounts && { commentCount: 0 },
    }));
    return offset === undefined ? { records: shown } : { records: shown, offset };
  }

  /** A record without empty cells, with signed attachments. */
  function presentRecord({ id, createdTime, fields }: StandInRecord) {
    const cells = Object.entries(fields).filter(([, value]) => !isEmptyCell(value))
      .map(([name, value]) => [
        name,
        Array.isArray(value)
          ? value.map((item) => isAttachment(item) ? attachments.cell(item) : item)
          : value,
      ]);
    return { id, createdTime, fields: Object.fromEntries(cells) };
  }

  return {
    /** A handler for `Deno.serve`, where a reset connection is a body that is cut off. */
    fetch: (request: Request) => answerCaller(request, respond, LABEL),
    /** Replaces the platform's `fetch`: a reset rejects with a TypeError, as there. */
    async substitute(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
      const request = new Request(input, init);
      request.signal.throwIfAborted();
      try {
        return labelled(await respond(request), LABEL);
      } catch (error) {
        if (error instanceof ConnectionReset) throw new TypeError("fetch failed", { cause: error });
        throw error;
      }
    },
    get records(): readonly StandInRecord[] {
      return records;
    },
    /** Changes the table. Earlier cursors expire if that is configured. */
    setRecords,
    faults,
    webhooks,
    requests,
  };
}

/**
 * Makes a function that counts a request at the time `now` (milliseconds) and says whether it is one of 5 a second.
 * Above that a caller must wait 30 s; requests that come during them fail and do not lengthen them.
 */
function createRateLimit(): (now: number) => boolean {
  let recent: number[] = [];
  let blockedUntil = -Infinity;
  return function withinLimit(now) {
    if (now < blockedUntil) return false;
    recent = recent.filter((at) => at > now - 1000);
    if (recent.length < 5) {
      recent.push(now);
      return true;
    }
    blockedUntil = now + 30_000;
    recent = [];
    return false;
  };
}

/** Makes a function that counts a call at the time `now` and says whether it is within the quota of its month (UTC). */
function createQuota(callsPerMonth = Infinity): (now: number) => boolean {
  let [month, calls] = ["", 0];
  return function withinQuota(now) {
    const current = new Date(now).toISOString().slice(0, 7);
    calls = current === month ? calls + 1 : 1;
    month = current;
    return calls <= callsPerMonth;
  };
}

function isEdit(value: unknown): value is { id: string; fields: Record<string, unknown> | null } {
  return typeof value === "object" && value !== null && "id" in value &&
    typeof value.id === "string" && "fields" in value && typeof value.fields === "object";
}

function allAttachments(records: readonly StandInRecord[]): StandInAttachment[] {
  return records.flatMap(({ fields }) => Object.values(fields)).flat().filter(isAttachment);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Invalid percent-encoding cannot name anything, so the caller gets the 403 of a wrong name.
    return "";
  }
}
