/** The page of one key. Directly after the key was created, it also has the key's text and working samples. */

import type { ComponentChildren } from "preact";
import { Dollars } from "../../../components/Spending.tsx";
import CopyButtons from "../../../islands/CopyButtons.tsx";
import { renderDocument } from "../../../lib/documents/mod.ts";
import type { OneKeyView } from "../../../lib/members/mod.ts";
import { AccountFrame, Moment } from "./AccountFrame.tsx";
import { KeyChanges } from "./KeyForms.tsx";

/** The text of a new key, which is shown only now, and the guide's samples with it. */
interface NewKeyText {
  readonly text: string;
  readonly samples: string;
}

/** The page. */
export function KeyPage({ view, newKey }: {
  readonly view: OneKeyView;
  readonly newKey?: NewKeyText;
}) {
  const { id, label, state, createdAt, lastUsedAt, endsAt, spending, endpoints } = view;
  return (
    <AccountFrame title={label ?? id}>
      <p class="fine">
        <a href="/account#keys">Your keys</a>
      </p>
      <h1>{label ?? id}</h1>
      {newKey && <NewKey {...newKey} />}
      <dl class="row facts">
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
        <Fact name="State">
          {state === "active" ? "works" : state}
          {view.leak && <LeakReport leak={view.leak} />}
        </Fact>
        <Fact name="Created (UTC)">
          <Moment at={createdAt} />
        </Fact>
        <Fact name="Last used">
          <Moment at={lastUsedAt} />
        </Fact>
        <Fact name={state === "active" ? "Ends" : "Ended"}>
          <Moment at={endsAt} />
        </Fact>
        {spending !== null && (
          <Fact name="Own daily limit">
            <Dollars amount={spending.spentUsd} /> of <Dollars amount={spending.limitUsd} />{" "}
            spent today
          </Fact>
        )}
        {endpoints !== null && <Fact name="May use">{endpoints.join(", ")}</Fact>}
      </dl>
      {state === "active" && <KeyChanges view={view} />}
    </AccountFrame>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function NewKey({ text, samples }: NewKeyText) {
  const box = `\`\`\`text Your key\n${text}\n\`\`\`\n`;
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
