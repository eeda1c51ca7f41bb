/** The document around every page. */

import { asset } from "fresh/runtime";
import type { ComponentChildren } from "preact";
import { LinkList } from "./LinkList.tsx";
import { hasOwnMark, showsName, type Site, SITE_LOGO } from "../../lib/events/site/site.ts";
import { iconLink } from "../../lib/events/site/site_files.ts";
import { GROUNDS } from "../../lib/events/theme/card_style.ts";
import { FOYER } from "../../lib/platform/site_name.ts";
import { ADDRESSES } from "../../lib/operate/reference/reference.ts";
import { FEEDS } from "./kept_pages.tsx";
import { fontLink, sheetStyle, siteStyle } from "./sheets.tsx";
import { UNLOCKED } from "./site.tsx";

const HEAD_LINKS = [["/", "Events"], ["/follow", "Follow"]] as const;
const FOOT_LINKS = [
  ["/docs", "Documents"],
  ["/api/v1/docs", "API reference"],
  ["/api/versioning", "Versioning"],
  ["/status", "Status"],
  ["/api/v1/events/rss", "RSS"],
  ["/calendar.ics", "Calendar"],
] as const;

/** A small screen shows none of the organisation's links in its header; the footer has all. */
const MAX_OWN_HEAD_LINKS = 2;
/** A longer name has its own row. */
const LONG_NAME = 28;

interface PageFrameProps {
  readonly site: Site;
  /** The site's name is added to it. */
  readonly title?: string;
  /** The page's path, whose link in the header is marked; none for the page of an error. */
  readonly path?: string;
  readonly hasAccounts: boolean;
  /** The name of the member who is signed in; only the members' own pages know it. */
  readonly member?: string | undefined;
  readonly children: ComponentChildren;
}

/** A whole document. */
export function PageFrame(
  { site, title, path, hasAccounts, member, children }: PageFrameProps,
) {
  const isOwn = hasOwnMark(site);
  const isLong = site.name.length > LONG_NAME && showsName(site);
  const touchIcon = isOwn ? site.icon?.href ?? null : asset("/apple-touch-icon.png");
  const ownLinks = site.links.map(({ label, href }) => [href, label] as const);
  const headLinks = [...HEAD_LINKS, ...ownLinks.slice(0, MAX_OWN_HEAD_LINKS)];
  const contact = site.contact === null ? [] : [[site.contact, "Contact"] as const];
  const isHome = path === "/";
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title === undefined ? site.name : `${title} · ${site.name}`}</title>
        <meta name="color-scheme" content="light dark" />
        {Object.entries(GROUNDS).map(([scheme, color]) => (
          <meta
            key={scheme}
            name="theme-color"
            media={`(prefers-color-scheme: ${scheme})`}
            content={color}
          />
        ))}
        {fontLink(site)}
        {sheetStyle("site")}
        {siteStyle(site)}
        <link
          rel="icon"
          {...isOwn ? iconLink(site) : { href: asset("/favicon.svg"), type: "image/svg+xml" }}
        />
        {touchIcon !== null && <link rel="apple-touch-icon" href={touchIcon} />}
        <link rel="manifest" href="/site.webmanifest" />
        {FEEDS.map(({ href, type, title: name }) => (
          <link key={href} rel="alternate" type={type} title={name} href={href} />
        ))}
        <link rel="service-desc" type="application/json" href={ADDRESSES.description} />
        <link rel="service-doc" href={ADDRESSES.page} />
      </head>
      <body>
        <a class="skip" href={isHome ? "#events" : "#content"}>
          {isHome ? "Skip to the events" : "Skip to the content"}
        </a>
        <header class="site-head">
          <a class={isLong ? "wordmark long" : "wordmark"} href="/">
            <Wordmark site={site} />
          </a>
          <nav aria-label="Site">
            <Links links={headLinks} path={path} />
            {/* The same on every public page, whether or not the visitor is signed in. */}
            {hasAccounts && (
              <a class="sign-in" href="/account">
                {member === undefined ? "Sign in" : <bdi>{member}</bdi>}
              </a>
            )}
          </nav>
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
        <footer class="site-foot fine">
          <nav aria-label="Organisation">
            <strong>{site.name === FOYER ? `A demonstration of ${FOYER}` : site.name}</strong>
            <Links links={[...contact, ...ownLinks]} />
          </nav>
          <nav aria-label="Site map">
            <Links links={FOOT_LINKS} />
          </nav>
          {site.name !== FOYER && <p>This site is made with {FOYER}.</p>}
        </footer>
      </body>
    </html>
  );
}

function Wordmark({ site }: { site: Site }) {
  const { name, logo, logoDark } = site;
  if (logo === null) return <>{!hasOwnMark(site) && <Door />}{name}</>;
  const isNamed = showsName(site);
  return (
    <>
      <picture>
        {logoDark && (
          <source
            media="(prefers-color-scheme: dark)"
            srcset={logoDark.href}
            {...UNLOCKED}
          />
        )}
        <img src={logo.href} alt={isNamed ? "" : name} {...UNLOCKED} />
      </picture>
      {isNamed && name}
    </>
  );
}

/** The mark of a site without a name of its own. */
function Door() {
  return (
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" class="site-logo">
      <path d={SITE_LOGO.frame} fill="currentColor" />
      <path d={SITE_LOGO.light} class="site-logo-light" />
    </svg>
  );
}

function Links({ links, path = "" }: {
  readonly links: readonly (readonly [href: string, label: string])[];
  readonly path?: string | undefined;
}) {
  const marked = links.map(([href, label]) => {
    const isBelow = href === "/" && path.startsWith("/events/");
    const current = href === path ? "page" : isBelow ? "true" : undefined;
    return { label, href, "aria-current": current } as const;
  });
  return <LinkList class="row" links={marked} />;
}
