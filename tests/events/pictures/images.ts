/** Shared parts of the tests of images: catalogs of events with logos. */

import { createCatalog } from "../../../lib/events/catalog.ts";
import { COLUMN_NAMES } from "../../../lib/platform/columns.ts";
import { createRecordParser } from "../../../lib/events/record.ts";
import { buildSnapshot } from "../../../lib/events/build_snapshot.ts";
import { BASE_URL, NOON, row } from "../../site/site.ts";

export const LOGO_URL = "https://files.example/logo.png";

/** The catalog of `recA`, whose logo is the attachment at an address. */
export async function catalogWith(url: string, attachmentId = "att1") {
  return await catalogOf({ recA: { id: attachmentId, url } });
}

/** The catalog of some events, each with a logo. */
export async function catalogOf(logos: Readonly<Record<string, { id: string; url: string }>>) {
  const parse = createRecordParser(COLUMN_NAMES, "UTC");
  const records = Object.entries(logos).map(([id, logo]) => parse(row({ id, "Logo Url": [logo] })));
  const snapshot = await buildSnapshot(records, null, NOON);
  return createCatalog(snapshot, { timeZone: "UTC", baseUrl: BASE_URL, now: () => NOON });
}
