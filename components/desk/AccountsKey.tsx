/** The desk's pages of a key, and of a new one. */

import type { OneKeyView } from "../../lib/members/mod.ts";
import type { Account } from "../../lib/proxy/mod.ts";
import type { Again } from "../shared/fields.tsx";
import { KeyChanges, KeyFacts, NewKeyForm } from "../shared/KeyForms.tsx";

/** The form for a new key. */
export function NewKeyDesk({ account, endpoints, wrong }: Again & {
  readonly account: Account;
  readonly endpoints: readonly string[];
}) {
  const action = `/desk/accounts/${account.id}/new`;
  return (
    <>
      <Way account={account} />
      <NewKeyForm action={action} allEndpoints={endpoints} wrong={wrong} />
    </>
  );
}

/** A key, and the forms that change it. */
export function KeyDesk({ account, version, view, text, wrong }: Again & {
  readonly account: Account;
  readonly version: string;
  readonly view: OneKeyView;
  /** That of a new key, which is shown only now. */
  readonly text: string | null;
}) {
  const address = `/desk/accounts/${account.id}/${view.id}`;
  return (
    <>
      <Way account={account} />
      {text && (
        <div class="verdict up">
          <p class="lede">Here is the key. Give it to the member now: it is shown only once.</p>
          <p>
            <code>{text}</code>
          </p>
        </div>
      )}
      <KeyFacts view={view} />
      <p class="fine">Times are in UTC.</p>
      {view.state === "active" && (
        <KeyChanges address={address} view={view} version={version} wrong={wrong} />
      )}
    </>
  );
}

function Way({ account: { id, name } }: { readonly account: Account }) {
  return (
    <p>
      <a href={`/desk/accounts/${id}`}>
        <bdi>{name}</bdi>
      </a>
    </p>
  );
}
