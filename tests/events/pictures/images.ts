/** Shared parts of the tests of images: catalogs of events with logos, and stores of images. */

import { createCatalog } from "../../../lib/events/catalog.ts";
import { createImages } from "../../../lib/events/pictures/images.ts";
import type { ResolveName } from "../../../lib/platform/platform.ts";
import type { MakePicture } from "../../../lib/events/pictures/picture_process.ts";
import { snapshotOf } from "../build.ts";
import { BASE_URL, NOON, row } from "../../site/site.ts";

export const LOGO_URL = "https://files.example/logo.png";

/** The cell of an attachment whose file is a PNG. */
export const fileCell = (id: string, bytes: Uint8Array<ArrayBuffer>) => [
  { id, filename: "file.png", source: { type: "image/png", bytes } },
];

/** The catalog of `recA`, whose logo is the attachment at an address. */
export async function catalogWith(url: string, attachmentId = "att1") {
  const records = [row({ id: "recA", "Logo Url": [{ id: attachmentId, url }] })];
  const snapshot = await snapshotOf(records, null, NOON);
  return createCatalog(snapshot, {
    timeZone: "UTC",
    baseUrl: BASE_URL,
    origin: "appTest",
    now: () => NOON,
  });
}

/** A store of images whose network is `answer`; `asked` lists what was requested of it. */
export function imagesOver(
  answer: (url: string) => Response | Promise<Response>,
  { resolveName = () => Promise.resolve(["93.184.216.34"]), pictures = null }: {
    readonly resolveName?: ResolveName;
    readonly pictures?: MakePicture | null;
  } = {},
) {
  const asked: string[] = [];
  const logged: string[] = [];
  const clock = { now: NOON };
  const images = createImages({
    fetch: async (input) => {
      asked.push(String(input));
      return await answer(String(input));
    },
    resolveName,
    now: () => clock.now,
    log: { warn: (message) => void logged.push(message) },
    trustedOrigins: new Set(),
    pictures,
  });
  return { images, asked, logged, clock };
}
