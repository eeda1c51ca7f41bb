/**
 * The security headers of pages. Inline styles and scripts are allowed by their hash, so that the same bytes can
 * be sent again and again; a nonce would have to be new each time.
 */

import { createHash } from "node:crypto";
import { type HeaderFields, setHeaders } from "../../lib/platform/http/representation.ts";
import type { Site } from "../../lib/events/site/site.ts";
import { siteRules } from "../../lib/events/site/site_style.ts";
import { sheetTexts } from "./sheets.tsx";

/** The end of a page with islands, where the runtime puts its own script; no text of an event is there. */
const BOOT_SCRIPT = /<script type="module"[^>]*>([^]*?\bboot\([^]*?)<\/script><\/body><\/html>\s*$/;

/**
 * The `Content-Security-Policy` of a rendered page. It allows those of our style sheets, `rules` and scripts that the
 * page contains unchanged, and nothing else inline. The HTML is searched for them, because components choose them
 * during rendering and neither runtime reports the choice or its own script.
 *
 * @param site whose own rules are allowed too.
 * @param rules the rules of the events on the page.
 */
export function contentSecurityPolicy(html: string, site: Site, rules = ""): string {
  const own = [siteRules(site)].filter((rules) => rules !== "");
  const head = html.slice(0, html.indexOf("</head>"));
  const styles = [...sheetTexts(), rules, ...own].filter((text) =>
    head.includes(`>${text}</style>`)
  );
  const scripts = BOOT_SCRIPT.exec(html)?.slice(1) ?? [];
  return [
    "default-src 'none'",
    `style-src ${hashesOf(styles) || "'none'"}`,
    `script-src ${scripts.length === 0 ? "'none'" : `'self' ${hashesOf(scripts)}`}`,
    "img-src 'self'",
    "font-src 'self'",
    // Only a page's own script can make a `blob:` address. `islands/FiltersInPlace.tsx` parses fetched pages by one.
    "connect-src 'self' blob:",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** The security headers of every page besides its policy. */
export function pageHeaders(baseUrl: string): HeaderFields {
  return {
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    ...commonPageHeaders(baseUrl),
  };
}

/** The security headers of a page that any site may show in a frame: it has these inline texts, and images of ours. */
export function framedHeaders(
  styles: readonly string[],
  script: string,
  baseUrl: string,
): HeaderFields {
  return {
    "content-security-policy": [
      "default-src 'none'",
      `style-src ${hashesOf(styles)}`,
      `script-src ${hashesOf([script])}`,
      "img-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors *",
    ].join("; "),
    ...commonPageHeaders(baseUrl),
  };
}

function commonPageHeaders(baseUrl: string): HeaderFields {
  return {
    "referrer-policy": "strict-origin-when-cross-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ...baseUrl.startsWith("https://") &&
      { "strict-transport-security": "max-age=31536000; includeSubDomains" },
  };
}

/** Adds the security headers and the policy to a page that lacks them; other responses are unchanged. */
export async function securePage(
  response: Response,
  baseUrl: string,
  site: Site,
): Promise<Response> {
  const { status, headers } = response;
  const isPage = headers.get("content-type")?.startsWith("text/html") ?? false;
  if (!isPage || headers.has("content-security-policy")) return response;
  const html = await response.text();
  setHeaders(response, {
    "content-security-policy": contentSecurityPolicy(html, site),
    ...pageHeaders(baseUrl),
  });
  return new Response(html, { status, headers });
}

/** Each text as a source of a policy: its hash (CSP 3, section 2.3.1). */
function hashesOf(texts: readonly string[]): string {
  return texts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`)
    .join(" ");
}
