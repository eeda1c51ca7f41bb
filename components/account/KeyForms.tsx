/** The forms about keys. */

import { LIFETIMES, type OneKeyView, OVERLAPS } from "../../lib/members/mod.ts";
import { ButtonForm } from "./AccountFrame.tsx";

/** Makes a key. */
export function NewKeyForm({ allEndpoints }: { readonly allEndpoints: readonly string[] }) {
  return (
    <ButtonForm action="/account/keys" label="Create a key">
      <NameField value="" />
      <Choice name="expires" label="Works for" choices={LIFETIMES} chosen="90" />
      <LimitField value={null} />
      <EndpointFields all={allEndpoints} chosen={null} />
    </ButtonForm>
  );
}

/** Changes a key that works: its name, the key itself, its end. */
export function KeyChanges({ view }: { readonly view: OneKeyView }) {
  const { id, label, limitUsd, endpoints, allEndpoints } = view;
  const address = `/account/keys/${id}`;
  return (
    <>
      <h2>Rename</h2>
      <ButtonForm action={address} label="Rename" fields={{ action: "rename" }}>
        <NameField value={label ?? ""} />
      </ButtonForm>
      <h2>Limit</h2>
      <ButtonForm action={address} label="Save" fields={{ action: "limit" }}>
        <LimitField value={limitUsd} />
        <EndpointFields all={allEndpoints} chosen={endpoints} />
      </ButtonForm>
      <h2>Rotate</h2>
      <p>You get a new key with the same name. This one continues to work for a while.</p>
      <ButtonForm action={address} label="Rotate" fields={{ action: "rotate" }}>
        <Choice name="overlap" label="This key still works for" choices={OVERLAPS} chosen="24" />
      </ButtonForm>
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
