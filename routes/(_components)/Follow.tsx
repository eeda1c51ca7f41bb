/** The page *Follow*: which events, then each way to subscribe to them. */

import { Head } from "fresh/runtime";
import { choice, Chosen, LinkList } from "../../components/LinkList.tsx";
import CopyButtons from "../../islands/CopyButtons.tsx";
import {
  countInWords,
  type Counts,
  FOLLOW,
  followFilters,
  followHref,
  followStates,
  followWays,
  type Selection,
} from "../../lib/site/mod.ts";
import { sheetStyle } from "./sheets.tsx";
import { useSite } from "./site.tsx";

/** The page's content. */
export function Follow({ selection, counts }: {
  readonly selection: Selection;
  /** The number of its events; null if it is not known. */
  readonly counts: Counts | null;
}) {
  const site = useSite();
  const others = followFilters(selection);
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
          <LinkList
            class="chips row"
            aria-labelledby="which"
            links={followStates(selection).map(({ label, href, isOn }) =>
              choice(label, href, isOn, "chip")
            )}
          />
          {others.length > 0 && <Chosen class="chosen row" values={others} hrefOf={followHref} />}
        </div>
        {counts !== null && (
          <p class="follow-count">
            <strong>{countInWords(selection, counts)}</strong>
          </p>
        )}
        {followWays(selection, site).map(({ title, about, links, copied }, at) => (
          <section key={title} class="way" aria-labelledby={`way-${at}`}>
            <div>
              <h2 id={`way-${at}`}>{title}</h2>
              <p>{about}</p>
            </div>
            <div>
              {links.length > 0 && (
                <LinkList
                  class="way-links row"
                  links={links.map((link) => (
                    { class: "plain-button", ...link, rel: "noreferrer" }
                  ))}
                />
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
