/** A table of events in a stand-in for Airtable, and the store that reads it. */

import { type AirtableOptions, createAirtableStore } from "../../lib/events/airtable/table.ts";
import type { StoreRecord } from "../../lib/events/reading/record.ts";
import {
  type AirtableStandIn,
  type AirtableStandInOptions,
  createAirtableStandIn,
} from "../../lib/sandbox/airtable.ts";

/** What leads to the table; no response, error or log may contain the token. */
export const ACCESS = {
  apiUrl: "http://store.example",
  token: "patTest.secret",
  baseId: "appTest",
  table: "Events",
} as const;

/** A stand-in that has the table. */
export function createTable(
  options: Pick<AirtableStandInOptions, "records"> & Partial<AirtableStandInOptions>,
): AirtableStandIn {
  const origin = ACCESS.apiUrl;
  return createAirtableStandIn({
    ...ACCESS,
    ...{ origin, now: Date.now, signingSecret: "test" },
    ...options,
  });
}

const nothing = () => Promise.resolve();

/** A store that reads the table without pauses, and gives its records as they are. */
export const createTableStore = (
  { substitute }: AirtableStandIn,
  options: Partial<AirtableOptions<StoreRecord>> = {},
) =>
  createAirtableStore({
    ...ACCESS,
    view: undefined,
    parseRecord: (record: StoreRecord) => record,
    fetch: substitute,
    calls: { take: nothing, learn: nothing },
    pace: nothing,
    ...options,
  });
