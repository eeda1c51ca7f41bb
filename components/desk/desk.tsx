/**
 * Shared rules of the desk's pages: who may send their forms, and the way from page to page.
 * `middleware/desk.ts` lets only operators reach them.
 */

import type { Context } from "fresh";
import { type Fields, wrongField } from "../../lib/members/forms.ts";
import { CHANGES_MINUTES, mayChange, type Member } from "../../lib/members/sessions.ts";
import type { State } from "../../lib/operate/state.ts";
import type { StatusDescription } from "../../lib/operate/status/words.ts";
import {
  type Account,
  findReasonFault,
  getAccount,
  MAX_REASON_LENGTH,
} from "../../lib/accounts/account.ts";
import type { Origin } from "../../lib/accounts/audit_log.ts";
import { pathOf } from "../../lib/platform/address.ts";
import { nothingHere } from "../../lib/platform/http/errors.ts";
import type { Handler } from "../../lib/platform/http/methods.ts";
import { LinkList } from "../shared/LinkList.tsx";
import {
  answerPrivately,
  type Form,
  type Handlers,
  pageMethods,
  type PrivatePage,
} from "../shared/private.tsx";

/**
 * Handlers for a page of the desk. A form goes to the address of its page. It is refused with 403 if another site sent
 * it, and if the operator has not just signed in again, with the way there and back.
 */
export function deskMethods({ isGuarded = false, ...handlers }: Handlers & {
  /** Whether GET, too, needs a sign-in that allows changes. */
  readonly isGuarded?: boolean;
}): Handler<State> {
  return pageMethods(handlers, function enter(ctx) {
    const { operator, services: { signIn } } = ctx.state;
    if (operator === undefined || signIn === null) throw nothingHere();
    const isChange = isGuarded || ctx.req.method === "POST";
    const isAllowed = !isChange || canChange(ctx, operator);
    return Promise.resolve(isAllowed ? { ctx, signIn, ...operator } : signInPage(ctx));
  }, answerDesk);
}

function canChange({ state: { services } }: Context<State>, { session }: Member): boolean {
  return mayChange(session, services.now());
}

/** The address at which an operator signs in again, and which leads back to the page of a request. */
function signInAddress({ req: { url }, state: { site } }: Context<State>): string {
  return `${site.baseUrl}/account/sign-in?for=${pathOf(url).slice(1)}`;
}

function signInPage(ctx: Context<State>): PrivatePage {
  return {
    title: "Sign in again",
    status: 403,
    children: (
      <>
        <p class="lede">Nothing was changed.</p>
        <p>
          Changes and downloads ask for a sign-in of the last {CHANGES_MINUTES}{" "}
          minutes, for the case that you have left your browser open.
        </p>
        <p>
          <a class="plain-button" href={signInAddress(ctx)} rel="nofollow">Sign in again</a>
        </p>
        <p>You come back to the page, and can send the form again.</p>
      </>
    ),
  };
}

const PAGES = [
  ["/desk", "Today"],
  ["/desk/accounts", "Accounts"],
  ["/desk/usage", "Usage"],
  ["/desk/events", "Events"],
  ["/desk/setup", "Setup"],
  ["/desk/record", "Audit log"],
] as const;

async function answerDesk(ctx: Context<State>, page: PrivatePage): Promise<Response> {
  const { req, state: { operator } } = ctx;
  const path = pathOf(req.url);
  const isWithin = (href: string) =>
    path === href || href !== "/desk" && path.startsWith(`${href}/`);
  const nav = (
    <nav class="desk-pages" aria-label="Desk">
      <LinkList
        class="row"
        links={PAGES.map(([href, label]) => (
          { label, href, "aria-current": isWithin(href) ? "page" : undefined }
        ))}
      />
      {operator && !canChange(ctx, operator) && (
        <p class="fine">
          <a href={signInAddress(ctx)} rel="nofollow">Sign in again</a> to make changes.
        </p>
      )}
    </nav>
  );
  return await answerPrivately(ctx, page, nav);
}

/**
 * Who makes a change by a form of the desk, when (epoch milliseconds), and why.
 *
 * @throws {PublicError} `bad_request` for a reason that is too long or cannot be printed.
 */
export function originOf({ ctx, account, fields }: Form): Origin {
  const why = readReason(fields, WHY.name);
  return { at: ctx.state.services.now(), by: { accountId: account.id }, why };
}

/** A reason; null without one. @throws {PublicError} `bad_request` for an invalid one. */
export function readReason(fields: Fields, name: string): string | null {
  const reason = fields.one(name);
  if (reason === "") return null;
  const fault = findReasonFault(reason);
  if (fault === null) return reason;
  throw wrongField(name, `The reason ${fault}.`);
}

/** The account that an address names. @throws {PublicError} `not_found` without one. */
export async function accountAt({ params, state }: Context<State>): Promise<Account> {
  const account = await getAccount(state.services.kv, params["id"] ?? "");
  if (account !== null) return account;
  throw nothingHere("There is no such account.", "Find accounts at /desk/accounts.");
}

/** The field for the reason of a change, which the audit log keeps. */
export const WHY = { name: "why", label: "Why, for the audit log", maxLength: MAX_REASON_LENGTH };

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
