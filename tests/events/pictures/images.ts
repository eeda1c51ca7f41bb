/** Shared parts of the tests of images: catalogs of events with logos. */

import { createCatalog } from "../../../lib/events/catalog.ts";
import { COLUMN_NAMES } from "../../../lib/platform/columns.ts";
import { createRecordParser } from "../../../lib/events/record.ts";
import { buildSnapshot } from "../build.ts";
import { BASE_URL, NOON, row } from "../../site/site.ts";

export const LOGO_URL = "https://files.example/logo.png";

/** The catalog of `recA`, whose logo is the attachment at an address. */
export async function catalogWith(url: string, attachmentId = "att1") {
  const parse = createRecordParser(COLUMN_NAMES, "UTC");
  const records = [parse(row({ id: "recA", "Logo Url": [{ id: attachmentId, url }] }))];
  const snapshot = await buildSnapshot(records, null, NOON);
  return createCatalog(snapshot, { timeZone: "UTC", baseUrl: BASE_URL, now: () => NOON });
}
