/** `GET /robots.txt`: robots may index everything except the proxy (RFC 9309). */

import { plainText } from "../lib/platform/http/plain_text.ts";
import { methods } from "../lib/operate/routes/methods.ts";

export const handler = methods({
  GET: ({ state: { services: { config } } }) =>
    plainText([
      "User-agent: *",
      "Allow: /",
      "Disallow: /proxy/",
      "",
      `Sitemap: ${config.BASE_URL}/sitemap.xml`,
    ]),
});
