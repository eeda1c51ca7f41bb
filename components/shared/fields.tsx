/** Forms, and their fields with what is wrong beside them. */

import type { ComponentChildren } from "preact";
import type { Fields } from "../../lib/members/forms.ts";
import { OutdatedError } from "../../lib/accounts/audit_log.ts";
import { errorInWords, PublicError } from "../../lib/platform/http/errors.ts";

/** A form that did nothing. */
export interface WrongForm {
  /** The typed texts. */
  readonly fields: Fields;
  /** The name of the field that is wrong; null if the form as a whole is. */
  readonly field: string | null;
  /** The mistake, and what would be right. */
  readonly message: string;
  readonly status: number;
}

/** The facts that a field needs of a form that is shown again. */
export interface Again {
  readonly wrong: WrongForm | undefined;
}

/** A form to be shown again. @throws any error that its sender did not cause. */
export function toWrongForm(error: unknown, fields: Fields): WrongForm {
  if (error instanceof OutdatedError) {
    return { fields, field: null, message: error.message, status: 409 };
  }
  if (!(error instanceof PublicError) || error.status >= 500) throw error;
  const { details: { field = null }, status } = error;
  return { fields, field, message: errorInWords(error), status };
}

/** The form, if it was sent for an action: of several forms on a page, one is wrong. */
export function ofAction(wrong: WrongForm | undefined, action: string): WrongForm | undefined {
  return wrong?.fields.one("action") === action ? wrong : undefined;
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
function Field({ name, label, wrong, children }: Again & {
  readonly name: string;
  readonly label: string;
  readonly children: (
    rest: { name: string; "aria-invalid"?: true; "aria-describedby"?: string },
  ) => ComponentChildren;
}) {
  const isWrong = wrong?.field === name;
  return (
    <div class="field">
      {/* Several forms of a page have a field of one name, so none has an id. */}
      <label>
        <span>{label}</span>
        {children({
          name,
          ...isWrong && { "aria-invalid": true, "aria-describedby": `${name}-mistake` },
        })}
      </label>
      <Mistake name={name} wrong={wrong} />
    </div>
  );
}

/** The mistake in a field; nothing if it is right. */
export function Mistake({ name, wrong }: {
  readonly name: string;
  readonly wrong: Pick<WrongForm, "field" | "message"> | undefined;
}) {
  if (wrong?.field !== name) return null;
  return <p class="mistake" id={`${name}-mistake`} role="alert">{wrong.message}</p>;
}

/** A form with one button, below the fields that are its children. */
export function ButtonForm({ action, label, fields = {}, isQuiet, isDangerous, children }: {
  readonly action: string;
  readonly label: string;
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly isQuiet?: boolean;
  /** Whether what the form does cannot be undone. */
  readonly isDangerous?: boolean;
  readonly children?: ComponentChildren;
}) {
  const look = isDangerous ? "danger" : isQuiet ? "quiet-button" : undefined;
  return (
    <form class={children ? "fields" : undefined} method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit" class={look}>{label}</button>
    </form>
  );
}

/** A field of one line of text. */
export interface TextFieldOf {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly type?: "date" | "text";
  readonly inputMode?: "decimal";
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly size?: number;
}

/** A field of one line of text. */
export function TextField({ name, label, value = "", wrong, ...rest }: Again & TextFieldOf) {
  const typed = wrong?.fields.one(name) ?? value;
  return (
    <Field name={name} label={label} wrong={wrong}>
      {(field) => <input {...field} {...rest} value={typed} autoComplete="off" />}
    </Field>
  );
}
