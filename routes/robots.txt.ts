/** `GET /robots.txt`: robots may index everything except the proxy (RFC 9309). */

import { methods, plainText } from "../lib/http/mod.ts";
import type { State } from "../lib/service/mod.ts";

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
