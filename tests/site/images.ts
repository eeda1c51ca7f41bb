/** What the tests of images share: a catalog of one event with a logo. */

import { createCatalog } from "../../lib/events/catalog.ts";
import { renameColumns } from "../../lib/events/columns.ts";
import { createRecordParser } from "../../lib/events/record.ts";
import { buildSnapshot } from "../../lib/events/snapshot.ts";
import { BASE_URL, NOON, row } from "./site.ts";

export const LOGO_URL = "https://files.example/logo.png";

/** The catalog of `recA`, whose logo is the attachment at an address. */
export async function catalogWith(url: string, attachmentId = "att1") {
  const parse = createRecordParser(renameColumns({}), "UTC");
  const record = row({ id: "recA", "Logo Url": [{ id: attachmentId, url }] });
  const snapshot = await buildSnapshot([parse(record)], null, NOON);
  return createCatalog(snapshot, { timeZone: "UTC", baseUrl: BASE_URL });
}
