/** The metadata of a page for search engines and for sites where it is shared. */

import { Head } from "fresh/runtime";
import { oneLine } from "../../lib/events/site/short_text.ts";
import { useSite } from "./site.tsx";

interface Sharing {
  readonly title: string;
  readonly description: string;
  readonly path: string;
  /** A file on this site, its size in pixels and its alternative text; by default the icon of a site that has its own. */
  readonly image?: { path: string; type: string; width: number; height: number; alt: string };
  /** False for a view of another page, which search engines should list instead. */
  readonly isIndexed?: boolean;
  /** Whether the page has an oEmbed description (oembed.com). */
  readonly hasEmbed?: boolean;
  readonly data?: Readonly<Record<string, unknown>> | null;
}

const MAX_TITLE_LENGTH = 120;
const MAX_DESCRIPTION_LENGTH = 200;

/** Title, description, canonical address, Open Graph and JSON-LD. */
export function SharingHead(
  { title, description, path, image, isIndexed = true, hasEmbed = false, data }: Sharing,
) {
  const plainTitle = oneLine(title, MAX_TITLE_LENGTH);
  const plainDescription = oneLine(description, MAX_DESCRIPTION_LENGTH);
  const site = useSite();
  const url = `${site.baseUrl}${path}`;
  const { icon } = site;
  const shown = image ??
    (icon &&
      { path: icon.href, type: "image/png", width: icon.side, height: icon.side, alt: site.name });
  return (
    <Head>
      <title>{plainTitle}</title>
      <meta name="description" content={plainDescription} />
      <link rel="canonical" href={url} />
      {!isIndexed && <meta name="robots" content="noindex, follow" />}
      <meta property="og:site_name" content={site.name} />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={plainTitle} />
      <meta property="og:description" content={plainDescription} />
      <meta property="og:url" content={url} />
      {shown && (
        <>
          <meta property="og:image" content={`${site.baseUrl}${shown.path}`} />
          <meta property="og:image:type" content={shown.type} />
          <meta property="og:image:width" content={`${shown.width}`} />
          <meta property="og:image:height" content={`${shown.height}`} />
          <meta property="og:image:alt" content={oneLine(shown.alt, MAX_DESCRIPTION_LENGTH)} />
        </>
      )}
      <meta name="twitter:card" content={image ? "summary_large_image" : "summary"} />
      {hasEmbed && (
        <link
          rel="alternate"
          type="application/json+oembed"
          href={`${site.baseUrl}/oembed?url=${encodeURIComponent(url)}`}
          title={plainTitle}
        />
      )}
      {data && (
        <script
          type="application/ld+json"
          // deno-lint-ignore react-no-danger -- no `<` is left in it
          dangerouslySetInnerHTML={{ __html: jsonInHtml(data) }}
        />
      )}
    </Head>
  );
}

/** JSON that is plain text to every HTML parser. */
function jsonInHtml(data: unknown): string {
  return JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
