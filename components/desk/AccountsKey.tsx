/** The desk's pages of a key, and of a new one. */

import { type OneKeyView, OVERLAPS } from "../../lib/members/mod.ts";
import { type Account, type ApiKey, versionOf } from "../../lib/proxy/mod.ts";
import { type Again, ButtonForm, Choice } from "../shared/fields.tsx";
import { LimitFields, NameField, NewKeyForm } from "../shared/KeyForms.tsx";
import { Ago, Moment } from "../shared/moments.tsx";
import { Dollars } from "../shared/Spending.tsx";

/** The form for a new key. */
export function NewKeyDesk({ account, endpoints, wrong }: Again & {
  readonly account: Account;
  readonly endpoints: readonly string[];
}) {
  return (
    <>
      <Way account={account} />
      <NewKeyForm
        action={`/desk/accounts/${account.id}/new`}
        allEndpoints={endpoints}
        wrong={wrong}
      />
    </>
  );
}

/** A key, and the forms that change it. */
export function KeyDesk({ account, key, view, text, wrong }: Again & {
  readonly account: Account;
  readonly key: ApiKey;
  readonly view: OneKeyView;
  /** That of a new key, which is shown only now. */
  readonly text: string | null;
}) {
  const { id, state, createdAt, lastUsedAt, endsAt, spending, endpoints, now } = view;
  const sent = wrong?.fields.one("action");
  const form = (action: string) => ({
    action: `/desk/accounts/${account.id}/${id}`,
    fields: { action, version: versionOf(key) },
  });
  const again = (action: string) => sent === action ? wrong : undefined;
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
      <p>
        The key <code>{id}</code> {state === "active" ? "works" : `is ${state}`}. It was created on
        {" "}
        <Moment at={createdAt} now={now} />, last used <Ago at={lastUsedAt} now={now} />, and ends:
        {" "}
        <Moment at={endsAt} now={now} />.{" "}
        {endpoints !== null && `It may use ${endpoints.join(", ")}. `}
        {spending !== null && (
          <>
            <Dollars amount={spending.spentUsd} /> of its own <Dollars amount={spending.limitUsd} />
            {" "}
            are spent today.
          </>
        )}
      </p>
      {state === "active" && (
        <>
          <h2>Name</h2>
          <ButtonForm {...form("rename")} label="Rename">
            <NameField value={view.label ?? ""} wrong={again("rename")} />
          </ButtonForm>
          <h2>Limits</h2>
          <ButtonForm {...form("limit")} label="Save the limits">
            <LimitFields
              limitUsd={view.limitUsd}
              all={view.allEndpoints}
              chosen={endpoints}
              wrong={again("limit")}
            />
          </ButtonForm>
          <h2>Rotate</h2>
          <ButtonForm {...form("rotate")} label="Rotate">
            <Choice
              name="overlap"
              label="This key still works for"
              choices={OVERLAPS}
              chosen="24"
              wrong={again("rotate")}
            />
          </ButtonForm>
          <details>
            <summary>Revoke…</summary>
            <p>A revoked key never works again.</p>
            <ButtonForm {...form("revoke")} label="Revoke the key" isDangerous />
          </details>
        </>
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
