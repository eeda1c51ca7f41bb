/** `GET /robots.txt`: robots may index everything except the proxy (RFC 9309). */

import { plainText } from "../lib/http/mod.ts";
import { methods } from "./(_shared)/methods.ts";

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
