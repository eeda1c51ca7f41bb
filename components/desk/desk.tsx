/**
 * Shared rules of the desk's pages: who may send their forms, how their responses are cached, and how each is answered
 * as a page or as markdown. `middleware/desk.ts` lets only operators reach them.
 */

import type { Context } from "fresh";
import type { ComponentChildren } from "preact";
import { CHANGES_MINUTES, type Fields, mayChange, type Member } from "../../lib/members/mod.ts";
import type { State } from "../../lib/operate/mod.ts";
import { findReasonFault, type Origin } from "../../lib/proxy/mod.ts";
import { cutAddress, pathOf, searchOf } from "../../lib/platform/address.ts";
import { nothingHere, PublicError } from "../../lib/platform/http/errors.ts";
import type { Handler } from "../../lib/platform/http/methods.ts";
import {
  choosePageType,
  notAcceptable,
  PAGE_TYPES,
  withoutTwin,
} from "../../lib/platform/http/negotiate.ts";
import { type Answer, privateMethods, readFields, withCookies } from "../shared/private.ts";
import { Conflict, DeskFrame } from "./DeskFrame.tsx";
import { toMarkdown } from "./markdown.ts";

/** A request of an operator. */
export interface DeskRequest {
  readonly ctx: Context<State>;
  readonly operator: Member;
}

/** A form that an operator has sent. */
export interface DeskForm extends DeskRequest {
  readonly fields: Fields;
}

/**
 * Handlers for a page of the desk. A form goes to the address of its page. It is refused with 403 if another site sent
 * it, and if the operator has not just signed in again, with the way there and back.
 */
export function deskMethods({ GET, POST, isGuarded = false, maxFormBytes }: {
  readonly GET?: (request: DeskRequest) => Answer;
  readonly POST?: (form: DeskForm) => Answer;
  /** Whether GET, too, needs a sign-in that allows changes. */
  readonly isGuarded?: boolean;
  /** The largest form, where a usual one has no room. */
  readonly maxFormBytes?: number;
}): Handler<State> {
  return privateMethods({
    ...GET && {
      GET(ctx) {
        const request = { ctx, operator: operatorOf(ctx) };
        return isGuarded && !canChange(request) ? askToSignIn(request) : GET(request);
      },
    },
    ...POST && {
      async POST(ctx) {
        const request = { ctx, operator: operatorOf(ctx) };
        if (!canChange(request)) return await askToSignIn(request);
        return await POST({ ...request, fields: await readFields(ctx.req, maxFormBytes) });
      },
    },
  });
}

/** The operator whom the middleware has found. */
function operatorOf({ state: { operator } }: Context<State>): Member {
  if (operator === undefined) throw nothingHere();
  return operator;
}

function canChange({ ctx, operator }: DeskRequest): boolean {
  return mayChange(operator.session, ctx.state.services.now());
}

/**
 * Who makes a change by a form of the desk, when (epoch milliseconds), and why.
 *
 * @throws {PublicError} `bad_request` for a reason that is too long or cannot be printed.
 */
export function originOf({ ctx, operator, fields }: DeskForm): Origin {
  const why = fields.one("why") || null;
  const fault = why === null ? null : findReasonFault(why);
  if (fault !== null) {
    throw new PublicError("bad_request", `The reason ${fault}.`, { field: "why" });
  }
  return { at: ctx.state.services.now(), by: { accountId: operator.account.id }, why };
}

/** The address at which an operator signs in again, and which leads back to the page of a request. */
function signInAddress({ req: { url }, state: { site } }: Context<State>): string {
  const page = withoutTwin(pathOf(url)).slice(1);
  return `${site.baseUrl}/account/sign-in?for=${page}`;
}

async function askToSignIn(request: DeskRequest): Promise<Response> {
  const { ctx } = request;
  return await answerDesk(request, {
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
  });
}

/** Answers with a page of the desk, or with the same as markdown. */
export async function answerDesk(request: DeskRequest, page: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly status?: number;
  /** The sentences that confirm an action, by the value of the parameter `done`, which a redirect has added. */
  readonly done?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
}): Promise<Response> {
  const { ctx: { req, state } } = request;
  const { title, children, status = 200, done = {}, cookies = [] } = page;
  const type = choosePageType(req);
  if (type === null) throw notAcceptable(PAGE_TYPES);
  const name = new URLSearchParams(searchOf(req.url)).get("done") ?? "";
  const element = (
    <DeskFrame
      title={title}
      path={withoutTwin(pathOf(req.url))}
      done={Object.hasOwn(done, name) ? done[name] ?? null : null}
      signIn={canChange(request) ? null : signInAddress(request.ctx)}
    >
      {children}
    </DeskFrame>
  );
  const isPage = type === "text/html";
  const html = await state.renderPage("/desk", element, {
    skipAppWrapper: !isPage,
    ...state.memberName !== undefined && { memberName: state.memberName },
  });
  const headers = {
    "content-type": `${type}; charset=utf-8`,
    "vary": "accept",
    "x-robots-tag": "noindex",
  };
  const text = isPage ? html : toMarkdown(html, state.site.baseUrl);
  return withCookies(new Response(text, { status, headers }), cookies);
}

/** Redirects to a page after a change; `done` names the sentence there that confirms it. */
export function seeDesk(
  address: string,
  done: string | null = null,
  cookies: readonly string[] = [],
): Response {
  const { path, search } = cutAddress(address);
  const query = new URLSearchParams(search);
  if (done !== null) query.set("done", done);
  const location = query.size === 0 ? path : `${path}?${query}`;
  return withCookies(new Response(null, { status: 303, headers: { location } }), cookies);
}

/**
 * Answers a form that was made from a state which another operator, or a command, has changed since: nothing was
 * changed, and both are shown.
 *
 * @param rows the name of each value, the value in the form, and the value now.
 */
export async function answerConflict(
  request: DeskRequest,
  rows: readonly (readonly [name: string, sent: string, now: string])[],
): Promise<Response> {
  return await answerDesk(request, {
    title: "Changed in the meantime",
    status: 409,
    children: <Conflict path={withoutTwin(pathOf(request.ctx.req.url))} rows={rows} />,
  });
}
