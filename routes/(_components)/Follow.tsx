/** The page *Follow*: which events, then each way to subscribe to them. */

import { Head } from "fresh/runtime";
import { Fragment } from "preact";
import CopyButtons from "../../islands/CopyButtons.tsx";
import {
  FOLLOW,
  followLimits,
  followStates,
  followWays,
  type Selection,
} from "../../lib/site/mod.ts";
import { loadFontLate } from "./font_loading.tsx";
import { sheetStyle } from "./sheets.tsx";

/** The page's content. */
export function Follow(
  { selection, baseUrl }: { readonly selection: Selection; readonly baseUrl: string },
) {
  const limits = followLimits(selection);
  return (
    <>
      <Head>
        {loadFontLate()}
        {sheetStyle("documents")}
        {sheetStyle("events")}
      </Head>
      <article class="document">
        <h1>{FOLLOW.title}</h1>
        <p>{FOLLOW.summary}</p>
        <nav aria-label="Which events">
          <ul class="chips row">
            {followStates(selection).map(({ label, href, isOn }) => (
              <li key={label}>
                <a
                  class={isOn ? "chip on" : "chip"}
                  href={href}
                  aria-current={isOn ? "true" : undefined}
                >
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        {limits !== null && <p class="fine">{limits}</p>}
        {followWays(selection, baseUrl).map(({ title, about, links, copied }, at) => (
          <section key={title} aria-labelledby={`way-${at}`}>
            <h2 id={`way-${at}`}>{title}</h2>
            <p>{about}</p>
            {links.length > 0 && (
              <ul class="chips row">
                {links.map(({ label, href }) => (
                  <li key={label}>
                    <a class="plain-button" href={href} rel="noreferrer">{label}</a>
                  </li>
                ))}
              </ul>
            )}
            {copied.map(({ label, text }) => (
              <Fragment key={label}>
                <h3>{label}</h3>
                <div class="sample">
                  <pre class="scroll" tabIndex={0} role="group" aria-label={label}>
                    <code>{text}</code>
                  </pre>
                </div>
              </Fragment>
            ))}
          </section>
        ))}
        <CopyButtons />
      </article>
    </>
  );
}
