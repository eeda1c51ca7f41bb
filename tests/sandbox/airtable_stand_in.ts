// A stand-in over a few plain records, on a clock that the test moves, and the requests that tests make of it.

import {
  type AirtableStandIn,
  type AirtableStandInOptions,
  createAirtableStandIn,
  type StandInRecord,
} from "../../lib/sandbox/airtable.ts";

/** The configured address of the tests' stand-ins. */
export const ORIGIN = "http://store.test";

/** The path of the table, its name percent-encoded. */
export const TABLE_PATH = "/v0/appTest/All%20events";

/** Records named 1, 2, 3 …, with no fields but the given ones. */
export function plainRecords(count: number): StandInRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `rec${String(i + 1).padStart(14, "0")}`,
    createdTime: "2026-01-01T00:00:00.000Z",
    fields: { Name: `Event ${i + 1}`, Rank: count - i },
  }));
}

/** A stand-in, its clock, and a function that sends requests with the valid token. */
export function setUp(options: Partial<AirtableStandInOptions> = {}): {
  store: AirtableStandIn;
  clock: { now: number };
  get(pathAndQuery: string, init?: RequestInit): Promise<Response>;
} {
  const clock = { now: Date.parse("2026-11-20T12:00:00Z") };
  const store = createAirtableStandIn({
    records: plainRecords(7),
    token: "pat.test",
    baseId: "appTest",
    table: "All events",
    tableId: "tblTest",
    now: () => clock.now,
    origin: ORIGIN,
    signingSecret: "secret",
    ...options,
  });
  const get = (pathAndQuery: string, init: RequestInit = {}) =>
    store.substitute(`${ORIGIN}${pathAndQuery}`, {
      headers: { Authorization: "Bearer pat.test" },
      ...init,
    });
  return { store, clock, get };
}
