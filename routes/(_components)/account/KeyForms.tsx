/** The forms about keys. */

import { LIFETIMES, type OneKeyView, OVERLAPS } from "../../../lib/members/mod.ts";
import { ButtonForm } from "./AccountFrame.tsx";

/** Makes a key. */
export function NewKeyForm({ allEndpoints }: { readonly allEndpoints: readonly string[] }) {
  return (
    <form class="fields" method="post" action="/account/keys">
      <NameField value="" />
      <Choice name="expires" label="Works for" choices={LIFETIMES} chosen="90" />
      <LimitField value={null} />
      <EndpointFields all={allEndpoints} chosen={null} />
      <button type="submit">Create a key</button>
    </form>
  );
}

/** Changes a key that works: its name, the key itself, its end. */
export function KeyChanges({ view }: { readonly view: OneKeyView }) {
  const { id, label, limitUsd, endpoints, allEndpoints } = view;
  const address = `/account/keys/${id}`;
  return (
    <>
      <h2>Rename</h2>
      <form class="fields" method="post" action={address}>
        <input type="hidden" name="action" value="rename" />
        <NameField value={label ?? ""} />
        <button type="submit">Rename</button>
      </form>
      <h2>Limit</h2>
      <form class="fields" method="post" action={address}>
        <input type="hidden" name="action" value="limit" />
        <LimitField value={limitUsd} />
        <EndpointFields all={allEndpoints} chosen={endpoints} />
        <button type="submit">Save</button>
      </form>
      <h2>Rotate</h2>
      <p>You get a new key with the same name. This one continues to work for a while.</p>
      <form class="fields" method="post" action={address}>
        <input type="hidden" name="action" value="rotate" />
        <Choice name="overlap" label="This key still works for" choices={OVERLAPS} chosen="24" />
        <button type="submit">Rotate</button>
      </form>
      <h2>Revoke</h2>
      <p>Requests with this key are refused within five seconds, permanently.</p>
      <ButtonForm action={address} label="Revoke this key" fields={{ action: "revoke" }} />
    </>
  );
}

function NameField({ value }: { readonly value: string }) {
  return (
    <label>
      Name
      <input name="name" value={value} maxLength={100} placeholder="laptop" autoComplete="off" />
    </label>
  );
}

function LimitField({ value }: { readonly value: number | null }) {
  return (
    <label>
      Own daily limit, USD
      <input name="limit" value={value ?? ""} inputMode="decimal" placeholder="none" size={8} />
    </label>
  );
}

function EndpointFields({ all, chosen }: {
  readonly all: readonly string[];
  readonly chosen: readonly string[] | null;
}) {
  return (
    <fieldset>
      <legend>May use</legend>
      {all.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            name="endpoint"
            value={name}
            checked={chosen === null || chosen.includes(name)}
          />{" "}
          {name}
        </label>
      ))}
    </fieldset>
  );
}

function Choice({ name, label, choices, chosen }: {
  readonly name: string;
  readonly label: string;
  readonly choices: Readonly<Record<string, string>>;
  readonly chosen: string;
}) {
  return (
    <label>
      {label}
      <select name={name}>
        {Object.entries(choices).map(([value, words]) => (
          <option key={value} value={value} selected={value === chosen}>{words}</option>
        ))}
      </select>
    </label>
  );
}
