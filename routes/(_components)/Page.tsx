/** The document that every page is. */

import type { ComponentChildren } from "preact";

/** A whole document. `title` is the page's own; the site's name is added. */
export function Page({ title, children }: { title?: string; children: ComponentChildren }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title === undefined ? "Foyer" : `${title} · Foyer`}</title>
        <link rel="stylesheet" href="/site.css" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link
          rel="alternate"
          type="application/rss+xml"
          title="New events"
          href="/api/v1/events/rss"
        />
      </head>
      <body>
        <header class="site">
          <a href="/">Foyer</a>
          <nav aria-label="Site">
            <a href="/api/v1/events">API</a>
            <a href="/api/v1/events/rss">Feed</a>
          </nav>
        </header>
        <main>{children}</main>
      </body>
    </html>
  );
}
