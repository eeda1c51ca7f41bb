/** The frame of the desk's pages, and what several of them show. */

import type { ComponentChildren } from "preact";
import type { StatusDescription } from "../../lib/operate/mod.ts";
import { MAX_REASON_LENGTH } from "../../lib/proxy/mod.ts";
import { AccountFrame } from "../shared/AccountFrame.tsx";
import { type Again, TextField } from "../shared/fields.tsx";
import { Table } from "../shared/Table.tsx";

const PAGES = [
  ["/desk", "Today"],
  ["/desk/accounts", "Accounts"],
  ["/desk/events", "Events"],
  ["/desk/setup", "Setup"],
  ["/desk/record", "Record"],
] as const;

/** A page of the desk: the way to the others, what was just done, and its content below its heading. */
export function DeskFrame({ title, path, done, signIn, children }: {
  readonly title: string;
  readonly path: string;
  /** The sentence that confirms an action; null if the page follows none. */
  readonly done: string | null;
  /** Where the operator signs in again; null while changes are allowed. */
  readonly signIn: string | null;
  readonly children: ComponentChildren;
}) {
  return (
    <AccountFrame title={`${title} · Desk`} look="desk">
      <nav class="desk-pages" aria-label="Desk">
        <ul class="row">
          {PAGES.map(([href, name]) => (
            <li key={href}>
              <a href={href} {...isWithin(path, href) && { "aria-current": "page" }}>{name}</a>
            </li>
          ))}
        </ul>
        {signIn !== null && (
          <p class="fine">
            <a href={signIn} rel="nofollow">Sign in again</a> to make changes.
          </p>
        )}
      </nav>
      <h1>{title}</h1>
      {done !== null && (
        <div class="verdict up" role="status">
          <p class="lede">{done}</p>
        </div>
      )}
      {children}
    </AccountFrame>
  );
}

function isWithin(path: string, page: string): boolean {
  return path === page || page !== "/desk" && path.startsWith(`${page}/`);
}

/** The state of the service; with a link to where an operator can act, or with the advice itself. */
export function OperatorsVerdict({ operators, href }: {
  readonly operators: StatusDescription["operators"];
  readonly href: string | null;
}) {
  const { state, sentence, others, advice } = operators;
  return (
    <div class={`verdict ${state}`}>
      <p class="lede">{href === null ? sentence : <a href={href}>{sentence}</a>}</p>
      {others.length > 0 && <ul>{others.map((line) => <li key={line}>{line}</li>)}</ul>}
      {href === null && advice.map((line) => <p key={line}>{line}</p>)}
    </div>
  );
}

/** The field for the reason of a change, which the record keeps. */
export function WhyField({ wrong }: Again) {
  return (
    <TextField
      name="why"
      label="Why, for the record"
      maxLength={MAX_REASON_LENGTH}
      wrong={wrong}
    />
  );
}

/** What a form that came too late would have changed, beside what is there now. */
export function Conflict({ path, rows }: {
  readonly path: string;
  readonly rows: readonly (readonly [name: string, sent: string, now: string])[];
}) {
  return (
    <>
      <p class="lede">Nothing was changed.</p>
      <p>
        After this form was made, another operator or a command made a change. Look at what is there
        now, and send the form again if it still applies.
      </p>
      <Table label="Both versions" head={["", "In your form", "Now"]} rows={rows} />
      <p>
        <a class="plain-button" href={path}>Back to the page</a>
      </p>
    </>
  );
}
