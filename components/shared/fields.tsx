/** Fields of forms, with what is wrong beside them. */

import type { ComponentChildren } from "preact";
import type { Fields } from "../../lib/members/mod.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";

/** A form in which a field is wrong. */
export interface WrongForm {
  /** What was typed. */
  readonly fields: Fields;
  /** The name of the field that is wrong, what is wrong with it, and what would be right. */
  readonly field: string;
  readonly message: string;
}

/** What a field needs to know of a form that is shown again. */
export interface Again {
  readonly wrong: WrongForm | undefined;
}

/** A form to be shown again. @throws any error that does not name a field of it. */
export function toWrongForm(error: unknown, fields: Fields): WrongForm {
  const field = error instanceof PublicError ? error.details.field : undefined;
  if (!(error instanceof PublicError) || field === undefined) throw error;
  return { fields, field, message: `${error.message} ${error.hint ?? ""}`.trimEnd() };
}

/** A list of choices by their values. */
export function Choice({ name, label, choices, chosen, wrong }: Again & {
  readonly name: string;
  readonly label: string;
  readonly choices: Readonly<Record<string, string>>;
  readonly chosen: string;
}) {
  const selected = wrong?.fields.one(name) ?? chosen;
  return (
    <Field name={name} label={label} wrong={wrong}>
      {(rest) => (
        <select {...rest}>
          {Object.entries(choices).map(([value, words]) => (
            <option key={value} value={value} selected={value === selected}>{words}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A field below its label, and above its mistake. */
export function Field({ name, label, wrong, children }: Again & {
  readonly name: string;
  readonly label: string;
  readonly children: (
    rest: { name: string; id: string; "aria-invalid"?: true; "aria-describedby"?: string },
  ) => ComponentChildren;
}) {
  const isWrong = wrong?.field === name;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {children({
        name,
        id: name,
        ...isWrong && { "aria-invalid": true, "aria-describedby": `${name}-mistake` },
      })}
      <Mistake name={name} wrong={wrong} />
    </div>
  );
}

/** What is wrong with a field; nothing if it is right. */
export function Mistake({ name, wrong }: Again & { readonly name: string }) {
  if (wrong?.field !== name) return null;
  return <p class="mistake" id={`${name}-mistake`} role="alert">{wrong.message}</p>;
}
