/** Builds every part of the service from a configuration, or in tests from substitutes. */

import { createAuthenticator } from "../accounts/authenticate.ts";
import { createDurabilityCheck } from "../accounts/durable_database.ts";
import { dayOf } from "../platform/utc_days.ts";
import { createLedger, type Ledger } from "../proxy/ledger/ledger.ts";
import { readServiceSum } from "../proxy/ledger/service_sums.ts";
import { RATE_WINDOW_SECONDS } from "../accounts/account.ts";
import { reservationSeconds } from "../proxy/limits.ts";
import { createModels } from "../proxy/models.ts";
import { createProxy } from "../proxy/proxy.ts";
import { openClickHouse } from "../proxy/records/clickhouse.ts";
import { createOutbox, readBacklog } from "../proxy/records/outbox.ts";
import { createRefusalRecorder } from "../proxy/records/refusals.ts";
import type { Config } from "../platform/config/config.ts";
import { createPace } from "../events/airtable/calls.ts";
import { type CallCounter, createCallCounter } from "../events/airtable/quota.ts";
import { createHookKeeper } from "../events/airtable/webhook.ts";
import { createAirtableStore } from "../events/airtable/table.ts";
import { createFileStore } from "../events/reading/file.ts";
import { refreshPolicyOf } from "../events/keeping/freshness.ts";
import { createBranding } from "../events/site/branding.ts";
import { createImages } from "../events/pictures/images.ts";
import type { MakePicture } from "../events/pictures/picture_process.ts";
import { createSharingPictures } from "../events/pictures/sharing_pictures.ts";
import { createRecordParser } from "../events/reading/record.ts";
import { createEventsSource } from "../events/keeping/source.ts";
import type { RecordStore } from "../events/reading/record_store.ts";
import { createChecks } from "./health/checks.ts";
import { createHealth } from "./health/report.ts";
import { createNotices } from "./notices.ts";
import { createDeskSummary } from "./desk_summary.ts";
import { createSignIn } from "../members/sign_in.ts";
import { holdingFetch } from "../platform/http/body.ts";
import { exportGauges, observedFetch } from "../platform/metrics.ts";
import type { Platform } from "../platform/platform.ts";

/** The platform of the whole service; tests pass their own. */
export interface ServicePlatform extends Platform {
  /** Makes pictures in other processes; null where none can be made, and images are shown unchanged. */
  readonly pictures: MakePicture | null;
}

/** The parts that routes and jobs use. */
export type Services = Readonly<ReturnType<typeof createServices>>;

/** Wires the parts. Nothing is read and nothing runs until a request or a job needs it. */
export function createServices(config: Config, given: ServicePlatform) {
  const observed = observedFetch(given.fetch);
  const platform = { ...given, fetch: holdingFetch(observed) };
  const { kv, fetch, now, startLimit, log } = platform;
  let noteBooking = () => {};
  const books = createLedger({
    ...platform,
    policy: {
      requests: config.RATE_LIMIT_REQUESTS,
      windowSeconds: RATE_WINDOW_SECONDS,
    },
    reservationSeconds: reservationSeconds(config),
    serviceLimit: config.SERVICE_DAILY_LIMIT_USD,
    hasOutbox: config.ANALYTICS_URL !== undefined,
  });
  const ledger: Ledger = {
    ...books,
    settle(reservation, settlement) {
      noteBooking();
      return books.settle(reservation, settlement);
    },
  };
  const models = createModels({ ...platform, config });
  const clickHouse = openClickHouse(config, fetch);
  const checks = createChecks({ config, kv, fetch, clickHouse, startLimit });
  const authenticator = createAuthenticator({
    kv,
    now,
    log,
    config,
  });
  const refusals = createRefusalRecorder({ kv, now, log });
  const policy = refreshPolicyOf(config);
  const calls = createCallCounter({
    kv,
    budget: config.AIRTABLE_CALLS_PER_MONTH,
    isNotified: policy.hasHook,
    now,
    log,
  });
  const airtable = baseOf(config, platform, calls);
  const airtableHook = airtable !== null && policy.hasHook
    ? createHookKeeper({ ...airtable, baseUrl: config.BASE_URL, kv, now, log })
    : null;
  const events = createEventsSource({
    kv,
    store: createStore(config, airtable),
    columns: config.AIRTABLE_FIELDS,
    hook: airtableHook,
    policy,
    timeZone: config.EVENTS_TIME_ZONE,
    baseUrl: config.BASE_URL,
    now,
    sleep: platform.sleep,
    log,
  });
  const images = createImages({
    ...platform,
    // A stand-in serves its attachments at its own address, which is not public.
    trustedOrigins: new Set([new URL(config.AIRTABLE_API_URL).origin]),
  });
  const branding = createBranding(config, platform);
  exportGauges({
    snapshotAgeMilliseconds: events.age,
    outboxDepth: async () => clickHouse === null ? 0 : await readBacklog(kv),
    serviceSpend: async () =>
      config.SERVICE_DAILY_LIMIT_USD === undefined ? null : await readServiceSum(kv, dayOf(now())),
  });
  const deskSummary = createDeskSummary({ ...platform, config });
  const health = createHealth({ ...platform, checks, areEventsUp: events.isUp });
  return {
    config,
    /** For code that reads what several parts have stored. Each part writes only its own keys. */
    kv,
    /** For the examinations that an operator asks for. */
    fetch,
    now,
    startLimit,
    log,
    ledger,
    /** Calls a function whenever a request is booked. */
    whenBooked(listener: () => void): void {
      noteBooking = listener;
    },
    models,
    events,
    airtableHook,
    images,
    branding,
    sharing: createSharingPictures(images, { ...platform, site: branding.site }),
    /** Null unless ClickHouse is configured. */
    outbox: clickHouse && createOutbox({ kv, clickHouse, now, log }),
    refusals,
    deskSummary,
    /** Null unless there is an address for notices. */
    sendNotices: createNotices({ ...platform, config, health, deskSummary }),
    /** Whether the database is known to be shared and lasting; until then, the proxy is off. */
    isDatabaseLasting: createDurabilityCheck({ kv, isNeeded: config.hosting.needsProof, now }),
    signIn: createSignIn({ ...platform, config }),
    health,
    proxy: createProxy({
      ...platform,
      // The proxy itself holds each response until its body has passed. A held body is a stream, which is slower to read.
      fetch: observed,
      config,
      authenticator,
      ledger,
      models,
      noteRefusal: refusals.note,
    }),
  };
}

/** The base, the token and the counter for calls to Airtable; null without credentials, or with another store. */
function baseOf(config: Config, platform: Platform, calls: CallCounter) {
  const { AIRTABLE_TOKEN: token, AIRTABLE_BASE_ID: baseId, AIRTABLE_TABLE: table } = config;
  if (config.EVENTS_FILE !== undefined || token === undefined || baseId === undefined) {
    return null;
  }
  const { fetch } = platform;
  const pace = createPace(platform);
  return { apiUrl: config.AIRTABLE_API_URL, token, baseId, table, fetch, calls, pace };
}

/** The configured record store; null while its credentials are missing. */
function createStore(
  config: Config,
  airtable: ReturnType<typeof baseOf>,
): RecordStore | null {
  const { EVENTS_FILE, AIRTABLE_FIELDS: columns, AIRTABLE_VIEW: view } = config;
  const parseRecord = createRecordParser(columns, config.EVENTS_TIME_ZONE);
  if (EVENTS_FILE !== undefined) {
    return createFileStore(EVENTS_FILE, columns, parseRecord);
  }
  if (airtable === null) return null;
  return createAirtableStore({ ...airtable, view, parseRecord });
}
