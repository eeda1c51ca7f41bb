/** The form that makes a key, and its fields, which other forms have too. */

import { LIFETIMES } from "../../lib/members/mod.ts";
import { type Again, ButtonForm, Choice, Mistake, TextField } from "./fields.tsx";

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
export function NameField({ value, wrong }: Again & { readonly value: string }) {
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
export function LimitFields({ limitUsd, all, chosen, wrong }: Again & {
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
