/**
 * Sends the requests of the API reference, changed as one likes, to this very service: a form below each
 * sample, made of what the page says of the operation. The key that somebody types is good for all forms
 * while the page is open; it is in their fields, which have no name, and nowhere else.
 */

import { type ComponentChildren, render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import {
  addressOf,
  type Answer,
  ask,
  curlCommand,
  readOperations,
  type RenderedOperation,
  type RenderedParameter,
} from "../lib/reference/browser.ts";

/** Puts a form below the sample of every operation. */
export default function TryIt() {
  useEffect(() => {
    const places = readOperations().map((operation) => {
      const host = document.createElement("div");
      // Where a sample is one of several tabs, the form is below them all.
      (operation.sample.closest(".tabs") ?? operation.sample).after(host);
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
        render(<Attempt operation={operation} secret={secret} onSecret={show} />, host);
      }
    }
  }, []);
  return null;
}

interface AttemptProps {
  readonly operation: RenderedOperation;
  /** The key, as far as it is typed. */
  readonly secret: string;
  readonly onSecret: (secret: string) => void;
}

function Attempt({ operation, secret, onSecret }: AttemptProps) {
  const { method, path, parameters, needsKey } = operation;
  const id = `try-${operation.id}`;
  const [given, setGiven] = useState(operation.given);
  const [body, setBody] = useState(operation.body);
  const [said, say] = useState("");
  const [answer, setAnswer] = useState<Answer | null>(null);
  const isAsking = useRef(false);
  const isCharged = body !== null;
  const url = location.origin + addressOf(operation, given);

  async function send(): Promise<void> {
    // A double press must not be charged twice.
    if (isAsking.current) return;
    isAsking.current = true;
    say("Asking…");
    const outcome = await ask({ url, method, secret: needsKey ? secret.trim() : "", body });
    isAsking.current = false;
    say(outcome.said);
    setAnswer(outcome);
  }

  function submit(event: Event): void {
    event.preventDefault();
    // The Enter key in a field sends nothing that costs money.
    if (!isCharged) send();
  }

  return (
    <details class="try">
      <summary>
        Try it<span class="hidden">: {method} {path}</span>
      </summary>
      {/* Not validated here: the service says what is wrong. */}
      <form
        noValidate
        autoComplete="off"
        onSubmit={submit}
        onInput={(event) => setGiven(valuesOf(event.currentTarget))}
      >
        {parameters.map((parameter) => (
          <Parameter
            key={parameter.name}
            id={`${id}-${parameter.name}`}
            parameter={parameter}
            given={operation.given.getAll(parameter.name)}
          />
        ))}
        {needsKey && <KeyField id={`${id}-key`} secret={secret} onSecret={onSecret} />}
        {isCharged && (
          <BodyField
            id={`${id}-body`}
            sample={operation.body ?? ""}
            onBody={setBody}
          />
        )}
        {/* `.sample` is where the button to copy stands. */}
        <div class="sample">
          <pre class="scroll" tabIndex={0} role="group" aria-label="Request">
            <code>{curlCommand({ url, needsKey, body })}</code>
          </pre>
        </div>
        {isCharged && (
          <p class="fine">This request costs money: the key’s account is charged for it.</p>
        )}
        <div class="send">
          <button type={isCharged ? "button" : "submit"} onClick={isCharged ? send : undefined}>
            {isCharged ? "Send and pay" : "Send"}
          </button>
          <p role="status">{said}</p>
        </div>
        {answer !== null && <AnswerView answer={answer} />}
      </form>
    </details>
  );
}

function KeyField({ id, secret, onSecret }: Pick<AttemptProps, "secret" | "onSecret"> & {
  readonly id: string;
}) {
  return (
    <Field
      id={id}
      label="API key"
      help="For all requests of this page, while it is open; sent to this service alone."
    >
      <input
        id={id}
        type="password"
        aria-describedby={`${id}-help`}
        autoComplete="off"
        spellcheck={false}
        placeholder="foyer_…"
        value={secret}
        onInput={(event) => onSecret(event.currentTarget.value)}
      />
    </Field>
  );
}

function BodyField({ id, sample, onBody }: {
  readonly id: string;
  /** What the field begins with. */
  readonly sample: string;
  readonly onBody: (body: string) => void;
}) {
  return (
    <Field id={id} label="Body" help="JSON; it is passed on as it is.">
      <textarea
        id={id}
        aria-describedby={`${id}-help`}
        rows={sample.split("\n").length}
        spellcheck={false}
        defaultValue={sample}
        onInput={(event) => onBody(event.currentTarget.value)}
      />
    </Field>
  );
}

/** The headers and the body of an answer; nothing if there was none. */
function AnswerView({ answer: { headers, body } }: { answer: Answer }) {
  if (body === null) return null;
  return (
    <>
      <dl>
        {headers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <pre class="scroll" tabIndex={0} role="group" aria-label="Answer">
        <code>{body}</code>
      </pre>
    </>
  );
}

/** What the fields with a name say. */
function valuesOf(form: HTMLFormElement): URLSearchParams {
  return new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

interface FieldProps {
  /** The field's; the help's ends in `-help`. */
  readonly id: string;
  readonly label: string;
  readonly help: string;
  readonly children: ComponentChildren;
}

function Field({ id, label, help, children }: FieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      <p class="fine" id={`${id}-help`}>{help}</p>
    </div>
  );
}

interface ParameterProps {
  readonly id: string;
  readonly parameter: RenderedParameter;
  /** What the sample gives. */
  readonly given: readonly string[];
}

function Parameter({ id, parameter, given }: ParameterProps) {
  const { name, isList, isRequired, choices, range, byDefault, values, notes } = parameter;
  if (isList) {
    return (
      <fieldset class="field" aria-describedby={`${id}-help`}>
        <legend>{name}</legend>
        {choices.map((choice) => (
          <label key={choice}>
            <input
              type="checkbox"
              name={name}
              value={choice}
              defaultChecked={given.includes(choice)}
            />
            {choice}
          </label>
        ))}
        <p class="fine" id={`${id}-help`}>{notes}</p>
      </fieldset>
    );
  }
  const help = range === null ? notes : `${notes} From ${range[0]} to ${range[1]}.`;
  const about = { id, name, "aria-describedby": `${id}-help`, required: isRequired };
  return (
    <Field id={id} label={name} help={help}>
      {choices.length > 0
        ? (
          <select {...about}>
            <option value="">not sent{byDefault !== null && ` (${byDefault})`}</option>
            {choices.map((choice) => (
              <option key={choice} selected={given.includes(choice)}>{choice}</option>
            ))}
          </select>
        )
        : (
          <input
            {...about}
            type={range === null ? "text" : "number"}
            min={range?.[0]}
            max={range?.[1]}
            placeholder={byDefault ?? values}
            spellcheck={false}
            defaultValue={given[0]}
          />
        )}
    </Field>
  );
}
