/** An account's keys, and one of them: for the member whose they are, and for operators. */

import type { ComponentChildren, VNode } from "preact";
import { LIFETIMES, OVERLAPS } from "../../lib/members/forms.ts";
import type { AccountView, KeyView, OneKeyView } from "../../lib/members/view.ts";
import { type Again, ButtonForm, Choice, Mistake, ofAction, TextField } from "./fields.tsx";
import { Ago, Moment } from "./moments.tsx";
import { Dollars, dollars } from "./Spending.tsx";
import { Table } from "./Table.tsx";

/** The keys of an account, and the form for a new one, which goes to the page's own address with the action `key`. */
export function Keys({ view, page, base, max = Infinity, wrong }: Again & {
  readonly view: AccountView;
  /** The address of the page. */
  readonly page: string;
  /** The address above those of the keys. */
  readonly base: string;
  /** How many keys may work at a time; 0 if none can be created. */
  readonly max?: number;
}) {
  const { liveKeys, endedKeys, allEndpoints, now, usage: { byKey } } = view;
  const isFirst = liveKeys.length + endedKeys.length === 0;
  const again = ofAction(wrong, "key");
  return (
    <>
      <h2 id="keys">API keys</h2>
      {liveKeys.length === 0
        ? <p>{isFirst ? "There is no key yet." : "No key works."}</p>
        : <KeyTable label="Keys that work" {...{ base, now, byKey }} keys={liveKeys} />}
      {max > 0 && (liveKeys.length >= max
        ? <p>{max} keys work, the maximum. Revoke one to create another.</p>
        : (
          <details open={isFirst || again !== undefined}>
            <summary>Create a key</summary>
            <ButtonForm action={page} label="Create a key" fields={{ action: "key" }}>
              <LabelField value="" wrong={again} />
              <Choice
                name="expires"
                label="Works for"
                choices={LIFETIMES}
                chosen="90"
                wrong={again}
              />
              <LimitFields limitUsd={null} all={allEndpoints} chosen={null} wrong={again} />
            </ButtonForm>
          </details>
        ))}
      {endedKeys.length > 0 && (
        <details>
          <summary>Keys that no longer work</summary>
          <KeyTable label="Keys that no longer work" {...{ base, now, byKey }} keys={endedKeys} />
        </details>
      )}
    </>
  );
}

/** Each key with its last use, what it spent today and may spend, and its end. */
function KeyTable({ label, base, keys, byKey, now }: {
  readonly label: string;
  readonly base: string;
  readonly keys: readonly KeyView[];
  readonly byKey: AccountView["usage"]["byKey"];
  readonly now: number;
}) {
  return (
    <Table
      label={label}
      head={["Name", "Last used", "Spent today", "May spend", "Ends"]}
      rows={keys.map(({ id, name, lastUsedAt, endsAt, state, limitUsd, endpoints }) => [
        <a key="name" href={`${base}/${id}`}>{name}</a>,
        <Ago key="used" at={lastUsedAt} now={now} />,
        <Dollars key="spent" amount={byKey[id]?.spentUsd ?? 0} />,
        (limitUsd === null ? "the account’s limit" : `${dollars(limitUsd)} a day`) +
        (endpoints === null ? "" : ` on ${endpoints.join(", ")}`),
        state === "revoked" ? "revoked" : <Moment key="ends" at={endsAt} now={now} />,
      ])}
    />
  );
}

/** A key: what it is, what it may do, and the forms that change it, which go to the page's own address. */
export function KeyDetails({ view, page, version, newKey, samples, wrong }: Again & {
  readonly view: OneKeyView;
  readonly page: string;
  /** The version of the key that the forms are made from, if they carry it. */
  readonly version?: string;
  /** The text of a new key, which is shown only now. */
  readonly newKey: VNode | null;
  /** Samples with the key in them, or with its place. */
  readonly samples?: VNode;
}) {
  const { state } = view;
  return (
    <>
      {newKey && (
        <>
          <div class="verdict up" role="status">
            <p class="lede">Here is the key. Store it now: it is shown only once.</p>
            <p>This site stores only a digest of it, from which the key cannot be recovered.</p>
          </div>
          {newKey}
        </>
      )}
      <KeyFacts view={view} />
      {state === "active" && (
        <div class="pairs">
          {samples && (
            <section>
              <h2>{newKey ? "A first request with it" : "Requests with it"}</h2>
              {!newKey && <p>Put your key in the marked place.</p>}
              {samples}
            </section>
          )}
          <KeyChanges {...{ page, view, version, wrong }} />
        </div>
      )}
    </>
  );
}

function KeyFacts({ view }: { readonly view: OneKeyView }) {
  const { id, state, leak, createdAt, lastUsedAt, endsAt, spending, endpoints, now } = view;
  const leaked = leak && (
    <>
      : reported as leaked by a visitor on <Moment at={leak.at} now={now} />
    </>
  );
  const spent = spending && (
    <>
      <Dollars amount={spending.spentUsd} /> of <Dollars amount={spending.limitUsd} /> spent today
    </>
  );
  return (
    <Facts
      facts={{
        "Id": <code>{id}</code>,
        "State": <>{state === "active" ? "works" : state}{leaked}</>,
        "Last used": <Ago at={lastUsedAt} now={now} />,
        "Created": <Moment at={createdAt} now={now} />,
        [state === "active" ? "Ends" : "Ended"]: <Moment at={endsAt} now={now} />,
        "Own daily limit": spent,
        "May use": endpoints?.join(", "),
      }}
    />
  );
}

/** Facts by their names; those without a value are left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChildren>> }) {
  const present = Object.entries(facts).filter(([, value]) =>
    value !== null && value !== undefined
  );
  return (
    <dl class="row facts">
      {present.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function KeyChanges({ page, view, version, wrong }: Again & {
  readonly page: string;
  readonly view: OneKeyView;
  readonly version: string | undefined;
}) {
  const { label, limitUsd, endpoints, allEndpoints } = view;
  const form = (action: string) => ({
    action: page,
    fields: { action, ...version !== undefined && { version } },
  });
  const again = (action: string) => ({ wrong: ofAction(wrong, action) });
  return (
    <section>
      <h2>Rename</h2>
      <ButtonForm {...form("rename")} label="Rename">
        <LabelField value={label ?? ""} {...again("rename")} />
      </ButtonForm>
      <h2>Limit</h2>
      <ButtonForm {...form("limit")} label="Save">
        <LimitFields
          {...{ limitUsd, all: allEndpoints, chosen: endpoints }}
          {...again("limit")}
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
          {...again("rotate")}
        />
      </ButtonForm>
      <h2>Revoke</h2>
      <p>Requests with this key are refused within five seconds, permanently.</p>
      <details>
        <summary class="plain-button quiet-button">Revoke this key…</summary>
        <p>A revoked key never works again. Do you want to revoke it?</p>
        <ButtonForm {...form("revoke")} label="Yes, revoke this key" isDangerous />
      </details>
    </section>
  );
}

function LabelField({ value, wrong }: Again & { readonly value: string }) {
  const field = { name: "label", label: "Name", maxLength: 100, placeholder: "laptop" };
  return <TextField {...field} value={value} wrong={wrong} />;
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
        name="cap"
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
