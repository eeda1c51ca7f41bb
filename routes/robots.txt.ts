/** `GET /robots.txt`: all pages are for everybody; the proxy has nothing to index (RFC 9309). */

import { methods, plainText } from "../lib/http/mod.ts";
import type { State } from "../lib/state.ts";

export const handler = methods<State>({
  GET: ({ state: { services: { config } } }) =>
    plainText([
      "User-agent: *",
      "Allow: /",
      "Disallow: /proxy/",
      "",
      `Sitemap: ${config.BASE_URL}/sitemap.xml`,
    ]),
});
