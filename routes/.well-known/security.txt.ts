/** `GET /.well-known/security.txt`: the contact for reports of vulnerabilities (RFC 9116). */

import { nothingHere } from "../../lib/platform/http/errors.ts";
import { plainText } from "../../lib/platform/http/plain_text.ts";
import { FOYER } from "../../lib/platform/site_name.ts";
import { DAY_MILLISECONDS } from "../../lib/platform/time.ts";
import { methods } from "../../lib/operate/routes/methods.ts";

/** Less than a year, as section 2.5.5 advises. Each response moves the date, so it never expires on a running service. */
const GOOD_FOR_DAYS = 180;

export const handler = methods({
  GET({ state: { services: { config, now } } }) {
    const { BASE_URL, SITE_NAME, SITE_CONTACT: contact } = config;
    if (contact === undefined) throw nothingHere();
    const today = Math.floor(now() / DAY_MILLISECONDS) * DAY_MILLISECONDS;
    return plainText([
      ...SITE_NAME === FOYER ? [] : [`# ${SITE_NAME}`],
      `Contact: ${contact}`,
      `Expires: ${new Date(today + GOOD_FOR_DAYS * DAY_MILLISECONDS).toISOString()}`,
      "Preferred-Languages: en",
      `Canonical: ${BASE_URL}/.well-known/security.txt`,
    ]);
  },
});
