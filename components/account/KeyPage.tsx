/** The page of a member's key: what it may do, samples with it, and the forms that change it. */

import type { VNode } from "preact";
import type { OneKeyView } from "../../lib/members/mod.ts";
import CopyButtons from "../../islands/CopyButtons.tsx";
import OwnTimes from "../../islands/OwnTimes.tsx";
import { AccountFrame } from "../shared/AccountFrame.tsx";
import type { WrongForm } from "../shared/fields.tsx";
import { KeyChanges, KeyFacts } from "../shared/KeyForms.tsx";

/** The page. */
export function KeyPage({ view, newKey, samples, wrong }: {
  readonly view: OneKeyView;
  /** The text of a new key, which is shown only now. */
  readonly newKey: VNode | "" | null;
  /** Samples with the key in them, or with its place. */
  readonly samples: VNode;
  readonly wrong?: WrongForm | undefined;
}) {
  const { name, state } = view;
  return (
    <AccountFrame title={name}>
      <p class="fine">
        <a href="/account#keys">Your keys</a>
      </p>
      <h1>{name}</h1>
      {newKey && (
        <>
          <div class="verdict up">
            <p class="lede">Here is your key. Store it now: it is shown only once.</p>
            <p>This site stores only a digest of it, from which the key cannot be recovered.</p>
          </div>
          {newKey}
        </>
      )}
      <KeyFacts view={view} />
      <OwnTimes />
      {state === "active" && (
        <div class="pairs">
          <section>
            <h2>{newKey ? "A first request with it" : "Requests with it"}</h2>
            {!newKey && <p>Put your key in the marked place.</p>}
            {samples}
          </section>
          <KeyChanges address={`/account/keys/${view.id}`} view={view} wrong={wrong} />
        </div>
      )}
      <CopyButtons />
    </AccountFrame>
  );
}
