/** The page *Follow*: which events, then each way to subscribe to them. */

import { Head } from "fresh/runtime";
import CopyButtons from "../../islands/CopyButtons.tsx";
import {
  FOLLOW,
  followLimits,
  followStates,
  followWays,
  type Selection,
} from "../../lib/site/mod.ts";
import { sheetStyle } from "./sheets.tsx";

/** The page's content. */
export function Follow(
  { selection, baseUrl }: { readonly selection: Selection; readonly baseUrl: string },
) {
  const limits = followLimits(selection);
  return (
    <>
      <Head>
        {sheetStyle("events")}
        {sheetStyle("follow")}
      </Head>
      <div class="wide">
        <h1>{FOLLOW.title}</h1>
        <p class="lede">{FOLLOW.summary}</p>
        <div class="follow-states row">
          <span class="fine" id="which">Which events</span>
          <ul class="chips row" aria-labelledby="which">
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
          {limits !== null && <span class="fine">{limits}</span>}
        </div>
        {followWays(selection, baseUrl).map(({ title, about, links, copied }, at) => (
          <section key={title} class="way" aria-labelledby={`way-${at}`}>
            <div>
              <h2 id={`way-${at}`}>{title}</h2>
              <p>{about}</p>
            </div>
            <div>
              {links.length > 0 && (
                <ul class="way-links row">
                  {links.map(({ label, href }) => (
                    <li key={label}>
                      <a class="plain-button" href={href} rel="noreferrer">{label}</a>
                    </li>
                  ))}
                </ul>
              )}
              {copied.map(({ label, text }) => (
                <div key={label} class="sample address">
                  {/* The copy button is placed here. */}
                  <div class="sample-head fine">{label}</div>
                  <code>{text}</code>
                </div>
              ))}
            </div>
          </section>
        ))}
        <CopyButtons />
      </div>
    </>
  );
}
