/** The page of one key. Directly after the key was created, it also has the key's text and working samples. */

import { Dollars } from "../../../components/Spending.tsx";
import CopyButtons from "../../../islands/CopyButtons.tsx";
import { renderDocument } from "../../../lib/documents/mod.ts";
import type { OneKeyView } from "../../../lib/members/mod.ts";
import { AccountFrame, Moment } from "./AccountFrame.tsx";
import { KeyChanges } from "./KeyForms.tsx";

/** The page; `secret` is the text of a new key, which is shown only now, and `samples` are those of the guide. */
export function KeyPage({ view, secret, samples }: {
  readonly view: OneKeyView;
  readonly secret: string | null;
  readonly samples: string;
}) {
  const { id, label, state, createdAt, lastUsedAt, endsAt, spending, endpoints } = view;
  return (
    <AccountFrame title={label ?? id}>
      <p class="fine">
        <a href="/account#keys">Your keys</a>
      </p>
      <h1>{label ?? id}</h1>
      {secret !== null && <NewKey secret={secret} samples={samples} />}
      <dl class="row facts">
        <div>
          <dt>Id</dt>
          <dd>
            <code>{id}</code>
          </dd>
        </div>
        <div>
          <dt>State</dt>
          <dd>
            {state === "active" ? "works" : state}
            {view.leak && <LeakReport leak={view.leak} />}
          </dd>
        </div>
        <div>
          <dt>Created (UTC)</dt>
          <dd>
            <Moment at={createdAt} />
          </dd>
        </div>
        <div>
          <dt>Last used</dt>
          <dd>
            <Moment at={lastUsedAt} />
          </dd>
        </div>
        <div>
          <dt>{state === "active" ? "Ends" : "Ended"}</dt>
          <dd>
            <Moment at={endsAt} />
          </dd>
        </div>
        {spending !== null && (
          <div>
            <dt>Own daily limit</dt>
            <dd>
              <Dollars amount={spending.spentUsd} /> of <Dollars amount={spending.limitUsd} />{" "}
              spent today
            </dd>
          </div>
        )}
        {endpoints !== null && (
          <div>
            <dt>May use</dt>
            <dd>{endpoints.join(", ")}</dd>
          </div>
        )}
      </dl>
      {state === "active" && <KeyChanges view={view} />}
    </AccountFrame>
  );
}

function NewKey({ secret, samples }: { readonly secret: string; readonly samples: string }) {
  const box = `\`\`\`text Your key\n${secret}\n\`\`\`\n`;
  return (
    <>
      <div class="verdict up">
        <p class="lede">Here is your key. Store it now: it is shown only once.</p>
        <p>This site stores only a digest of it, from which the key cannot be recovered.</p>
      </div>
      <div class="document" {...inner(renderDocument(box).html)} />
      <h2>A first request with it</h2>
      <div class="document" {...inner(renderDocument(samples).html)} />
      <CopyButtons />
    </>
  );
}

/** HTML of our own documents and of a key, in which everything is escaped. */
function inner(__html: string) {
  return { dangerouslySetInnerHTML: { __html } };
}

/** When and by whom the key was reported as leaked. */
function LeakReport({ leak }: { leak: NonNullable<OneKeyView["leak"]> }) {
  const { at, by, url } = leak;
  return (
    <>
      : reported as leaked by {by === "github" ? "GitHub" : "a visitor"} on <Moment at={at} />
      {url !== null && <>, found at {url}</>}
    </>
  );
}
