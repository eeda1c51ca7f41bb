/** The form that makes a key, and its fields, which other forms have too. */

import { LIFETIMES } from "../../lib/members/mod.ts";
import { ButtonForm } from "./AccountFrame.tsx";
import { type Again, Choice, Field, Mistake } from "../shared/fields.tsx";

/** Makes a key. */
export function NewKeyForm({ allEndpoints, wrong }: Again & {
  readonly allEndpoints: readonly string[];
}) {
  return (
    <ButtonForm action="/account" label="Create a key">
      <NameField value="" wrong={wrong} />
      <Choice name="expires" label="Works for" choices={LIFETIMES} chosen="90" wrong={wrong} />
      <LimitFields limitUsd={null} all={allEndpoints} chosen={null} wrong={wrong} />
    </ButtonForm>
  );
}

/** A key's name. */
export function NameField({ value, wrong }: Again & { readonly value: string }) {
  const typed = wrong?.fields.one("name") ?? value;
  return (
    <Field name="name" label="Name" wrong={wrong}>
      {(rest) => (
        <input {...rest} value={typed} maxLength={100} placeholder="laptop" autoComplete="off" />
      )}
    </Field>
  );
}

/** A key's own limits: an amount a day, and endpoints. */
export function LimitFields({ limitUsd, all, chosen, wrong }: Again & {
  readonly limitUsd: number | null;
  readonly all: readonly string[];
  /** Null for all. */
  readonly chosen: readonly string[] | null;
}) {
  const typed = wrong?.fields.one("limit") ?? limitUsd ?? "";
  const checked = wrong?.fields.all("endpoint") ?? chosen ?? all;
  return (
    <>
      <Field name="limit" label="Own daily limit, USD" wrong={wrong}>
        {(rest) => (
          <input
            {...rest}
            value={typed}
            inputMode="decimal"
            placeholder="none"
            size={8}
          />
        )}
      </Field>
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
