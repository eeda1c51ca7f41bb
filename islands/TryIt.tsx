/**
 * Sends the requests of the API reference, as the reader edits them, to this service: a form below the sample of each
 * operation. A key that is typed in one form applies to all of them until the visitor leaves the page. It is held
 * only in their fields, which have no name.
 */

import { type ComponentChildren, render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import {
  curlCommand,
  fillPath,
  parameterNotes,
  type Reply,
  sendRequest,
  typeText,
} from "../lib/reference/browser.ts";
import type { FormOperation, ParameterObject } from "../lib/reference/mod.ts";

/** Puts a form below the sample of every operation. Without script a form would do nothing, so there is none. */
export default function TryIt({ operations }: { operations: readonly FormOperation[] }) {
  useEffect(() => {
    const places = operations.map((operation) => {
      const host = document.createElement("div");
      // The operation's sample is the first below its heading; it may be one of several tabs.
      document.querySelector(`#${operation.id} ~ :is(.sample, .tabs)`)?.after(host);
      return { operation, host };
    });
    show("");
    return () => {
      for (const { host } of places) {
        render(null, host);
        host.remove();
      }
    };

    function show(secret: string): void {
      for (const { operation, host } of places) {
        render(<OperationForm operation={operation} secret={secret} onSecret={show} />, host);
      }
    }
  }, []);
  return null;
}

function OperationForm({ operation, secret, onSecret }: {
  readonly operation: FormOperation;
  /** The key as typed so far. */
  readonly secret: string;
  readonly onSecret: (secret: string) => void;
}) {
  const { method, path, parameters, needsKey, body: sample } = operation;
  const id = `try-${operation.id}`;
  const [values, setValues] = useState<URLSearchParams | null>(null);
  const [body, setBody] = useState(sample);
  const [status, setStatus] = useState("");
  const [outcome, setOutcome] = useState<Reply | null>(null);
  const isSending = useRef(false);
  const isCharged = sample !== null;
  const given = values ?? new URLSearchParams(parameters.flatMap(examplesOf));
  const filled = fillPath(
    path,
    parameters,
    (name) => encodeURIComponent(given.getAll(name).join()).replaceAll("%2C", ","),
  );
  const request = { url: location.origin + filled, needsKey, body };

  async function send(): Promise<void> {
    // A double click must not be charged twice.
    if (isSending.current) return;
    isSending.current = true;
    setStatus("Sending…");
    const outcome = await sendRequest(request, secret.trim());
    isSending.current = false;
    setStatus(outcome.summary);
    setOutcome(outcome);
  }

  function submit(event: Event): void {
    event.preventDefault();
    // The Enter key in a field never sends a charged request.
    if (!isCharged) send();
  }

  return (
    <details class="try">
      <summary>
        Try it<span class="hidden">: {method} {path}</span>
      </summary>
      {/* The service reports invalid values, so the browser does not validate. */}
      <form
        noValidate
        autoComplete="off"
        onSubmit={submit}
        onInput={(event) => setValues(namedValuesOf(event.currentTarget))}
      >
        {parameters.map((parameter) => (
          <Parameter key={parameter.name} id={`${id}-${parameter.name}`} parameter={parameter} />
        ))}
        {needsKey && (
          <Field
            id={`${id}-key`}
            label="API key"
            help="Used for every request on this page until you leave it, and sent to this service only."
          >
            {(field) => (
              <input
                {...field}
                type="password"
                autoComplete="off"
                spellcheck={false}
                placeholder="foyer_…"
                value={secret}
                onInput={(event) => onSecret(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        {isCharged && (
          <Field id={`${id}-body`} label="Body" help="JSON, sent exactly as typed.">
            {(field) => (
              <textarea
                {...field}
                rows={sample.split("\n").length}
                spellcheck={false}
                defaultValue={sample}
                onInput={(event) => setBody(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        {/* The copy button is placed in the head. */}
        <div class="sample">
          <div class="sample-head">
            <span>Request</span>
          </div>
          <pre class="scroll" tabIndex={0} role="group" aria-label="Request">
            <code>{curlCommand(request)}</code>
          </pre>
        </div>
        {isCharged && (
          <p class="fine">This request costs money: it is charged to the key’s account.</p>
        )}
        <div class="send row">
          <button type={isCharged ? "button" : "submit"} onClick={isCharged ? send : undefined}>
            {isCharged ? "Send and pay" : "Send"}
          </button>
          <p role="status">{status}</p>
        </div>
        {outcome !== null && outcome.body !== null && (
          <>
            <dl>
              {outcome.headers.map(([name, value]) => (
                <div key={name} class="row">
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            <pre class="scroll" tabIndex={0} role="group" aria-label="Response">
              <code>{outcome.body}</code>
            </pre>
          </>
        )}
      </form>
    </details>
  );
}

/** The values of the fields that have a name. */
function namedValuesOf(form: HTMLFormElement): URLSearchParams {
  return new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

/** A parameter's examples as entries of a form. */
function examplesOf({ name, example = [] }: ParameterObject): string[][] {
  return [example].flat().map((value) => [name, String(value)]);
}

function Parameter({ id, parameter }: { id: string; parameter: ParameterObject }) {
  const { name, required, schema } = parameter;
  const { minimum, maximum, items, default: byDefault } = schema;
  const notes = parameterNotes(parameter).replaceAll("`", "");
  const examples = examplesOf(parameter).map(([, value]) => value);
  if (items !== undefined) {
    return (
      <fieldset class="field" aria-describedby={`${id}-help`}>
        <legend>{name}</legend>
        {items.enum?.map(String).map((choice) => (
          <label key={choice}>
            <input
              type="checkbox"
              name={name}
              value={choice}
              defaultChecked={examples.includes(choice)}
            />
            {choice}
          </label>
        ))}
        <p class="fine" id={`${id}-help`}>{notes}</p>
      </fieldset>
    );
  }
  const isNumber = schema.type === "integer";
  const help = isNumber ? `${notes} From ${minimum} to ${maximum}.` : notes;
  return (
    <Field id={id} label={name} help={help}>
      {(field) =>
        schema.enum === undefined
          ? (
            <input
              {...field}
              name={name}
              required={required}
              type={isNumber ? "number" : "text"}
              min={minimum}
              max={maximum}
              placeholder={String(byDefault ?? typeText(schema))}
              spellcheck={false}
              defaultValue={examples[0]}
            />
          )
          : (
            <select {...field} name={name} required={required}>
              <option value="">not sent{byDefault !== undefined && ` (${byDefault})`}</option>
              {schema.enum.map(String).map((choice) => (
                <option key={choice} selected={examples.includes(choice)}>{choice}</option>
              ))}
            </select>
          )}
    </Field>
  );
}

function Field({ id, label, help, children }: {
  readonly id: string;
  readonly label: string;
  readonly help: string;
  /** Makes the control; the attributes tie it to its label and help. */
  readonly children: (attributes: { id: string; "aria-describedby": string }) => ComponentChildren;
}) {
  const helpId = `${id}-help`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": helpId })}
      <p class="fine" id={helpId}>{help}</p>
    </div>
  );
}
