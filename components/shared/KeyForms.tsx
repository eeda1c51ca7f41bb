/** The facts about a key, and the forms that make and change one, for its owner and for operators. */

import type { ComponentChildren } from "preact";
import { LIFETIMES, type OneKeyView, OVERLAPS } from "../../lib/members/mod.ts";
import { type Again, ButtonForm, Choice, Mistake, ofAction, TextField } from "./fields.tsx";
import { Ago, Moment } from "./moments.tsx";
import { Dollars } from "./Spending.tsx";

/** Makes a key. */
export function NewKeyForm({ action, allEndpoints, wrong }: Again & {
  readonly action: string;
  readonly allEndpoints: readonly string[];
}) {
  return (
    <ButtonForm action={action} label="Create a key">
      <NameField value="" wrong={wrong} />
      <Choice name="expires" label="Works for" choices={LIFETIMES} chosen="90" wrong={wrong} />
      <LimitFields limitUsd={null} all={allEndpoints} chosen={null} wrong={wrong} />
    </ButtonForm>
  );
}

/** A key's name. */
function NameField({ value, wrong }: Again & { readonly value: string }) {
  return (
    <TextField
      name="name"
      label="Name"
      value={value}
      maxLength={100}
      placeholder="laptop"
      wrong={wrong}
    />
  );
}

/** A key's own limits: an amount a day, and endpoints. */
function LimitFields({ limitUsd, all, chosen, wrong }: Again & {
  readonly limitUsd: number | null;
  readonly all: readonly string[];
  /** Null for all. */
  readonly chosen: readonly string[] | null;
}) {
  const checked = wrong?.fields.all("endpoint") ?? chosen ?? all;
  return (
    <>
      <TextField
        name="limit"
        label="Own daily limit, USD"
        value={limitUsd === null ? "" : String(limitUsd)}
        inputMode="decimal"
        placeholder="none"
        size={8}
        wrong={wrong}
      />
      <fieldset>
        <legend>May use</legend>
        {all.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              name="endpoint"
              value={name}
              checked={checked.includes(name)}
            />{" "}
            {name}
          </label>
        ))}
        <Mistake name="endpoint" wrong={wrong} />
      </fieldset>
      <p class="fine">
        The last request of a day may pass a limit, because its cost is known only afterwards.
      </p>
    </>
  );
}

/** What a key is, and what it may do. */
export function KeyFacts({ view }: { readonly view: OneKeyView }) {
  const { id, state, leak, createdAt, lastUsedAt, endsAt, spending, endpoints, now } = view;
  return (
    <dl class="row facts">
      <Fact name="Id">
        <code>{id}</code>
      </Fact>
      <Fact name="State">
        {state === "active" ? "works" : state}
        {leak && (
          <>
            : reported as leaked by a visitor on <Moment at={leak.at} now={now} />
          </>
        )}
      </Fact>
      <Fact name="Last used">
        <Ago at={lastUsedAt} now={now} />
      </Fact>
      <Fact name="Created">
        <Moment at={createdAt} now={now} />
      </Fact>
      <Fact name={state === "active" ? "Ends" : "Ended"}>
        <Moment at={endsAt} now={now} />
      </Fact>
      {spending !== null && (
        <Fact name="Own daily limit">
          <Dollars amount={spending.spentUsd} /> of <Dollars amount={spending.limitUsd} />{" "}
          spent today
        </Fact>
      )}
      {endpoints !== null && <Fact name="May use">{endpoints.join(", ")}</Fact>}
    </dl>
  );
}

/** A fact with its name, in a list of them. */
export function Fact({ name, children }: {
  readonly name: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Changes a key that works: its name, its limits, the key itself, its end. */
export function KeyChanges({ address, view, version, wrong }: Again & {
  /** The address of the key's page, to which the forms go. */
  readonly address: string;
  readonly view: OneKeyView;
  /** The version of the key that the forms are made from, if they carry it. */
  readonly version?: string;
}) {
  const { label, limitUsd, endpoints, allEndpoints } = view;
  const form = (action: string) => ({
    action: address,
    fields: { action, ...version !== undefined && { version } },
  });
  return (
    <section>
      <h2>Rename</h2>
      <ButtonForm {...form("rename")} label="Rename">
        <NameField value={label ?? ""} wrong={ofAction(wrong, "rename")} />
      </ButtonForm>
      <h2>Limit</h2>
      <ButtonForm {...form("limit")} label="Save">
        <LimitFields
          limitUsd={limitUsd}
          all={allEndpoints}
          chosen={endpoints}
          wrong={ofAction(wrong, "limit")}
        />
      </ButtonForm>
      <h2>Rotate</h2>
      <p>There is then a new key with the same name. This one continues to work for a while.</p>
      <ButtonForm {...form("rotate")} label="Rotate">
        <Choice
          name="overlap"
          label="This key still works for"
          choices={OVERLAPS}
          chosen="24"
          wrong={ofAction(wrong, "rotate")}
        />
      </ButtonForm>
      <h2>Revoke</h2>
      <p>Requests with this key are refused within five seconds, permanently.</p>
      <details>
        <summary>Revoke this key…</summary>
        <p>A revoked key never works again. Do you want to revoke it?</p>
        <ButtonForm {...form("revoke")} label="Yes, revoke this key" isDangerous />
      </details>
    </section>
  );
}
