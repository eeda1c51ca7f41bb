/**
 * Shared rules of the members' pages: who may see them, who may send their forms, and how their responses are cached.
 */

import type { Context } from "fresh";
import type { VNode } from "preact";
import { banInWords, type CreatedKey, parseKeyText } from "../../lib/proxy/mod.ts";
import { nothingHere, PublicError } from "../../lib/platform/http/errors.ts";
import type { Handler } from "../../lib/platform/http/methods.ts";
import { ACCOUNT, type Fields, type Member, type SignIn } from "../../lib/members/mod.ts";
import type { State } from "../../lib/operate/mod.ts";
import { toWrongForm, type WrongForm } from "../shared/fields.tsx";
import { type Answer, privateMethods, readFields, withCookies } from "../shared/private.ts";

/** A request to a page of members. */
export interface MemberRequest extends Member {
  readonly ctx: Context<State>;
  readonly signIn: SignIn;
}

/**
 * Handlers for the pages of members. Without sign-in there is no such address; a visitor who is not signed in is
 * redirected to the sign-in page; a banned member gets 403. A form from another site gets 403 in any case.
 */
export function memberMethods(handlers: {
  readonly GET?: (request: MemberRequest) => Answer;
  readonly POST?: (form: MemberRequest & { readonly fields: Fields }) => Answer;
  /** The page of the form, which is shown again with what was typed if a field is wrong. */
  readonly again?: (request: MemberRequest, wrong: WrongForm) => Promise<VNode>;
  /** The page of visitors who are not signed in, in place of the redirect. */
  readonly signedOut?: (signIn: SignIn) => VNode;
}): Handler<State> {
  const { GET, POST, again, signedOut } = handlers;
  const toMember = (answer: (request: MemberRequest) => Answer): SignInHandler =>
    async function answerMember(ctx, signIn) {
      const member = await findMember(ctx, signIn);
      if (member !== null) return await answer({ ctx, signIn, ...requireAllowed(member) });
      if (signedOut === undefined || ctx.req.method === "POST") return seeOther(ACCOUNT);
      return await answerMemberPage(ctx, signIn, signedOut(signIn));
    };
  return signInMethods({
    ...GET && { GET: toMember(GET) },
    ...POST && {
      POST: toMember(async (request) => {
        const fields = await readFields(request.ctx.req);
        try {
          return await POST({ ...request, fields });
        } catch (error) {
          if (again === undefined) throw error;
          const page = await again(request, toWrongForm(error, fields));
          return await answerMemberPage(request.ctx, request.signIn, page, { status: 400 });
        }
      }),
    },
  });
}

/** The member who is signed in, whose name the page's header then shows; null without one. */
async function findMember(
  { req, state }: Context<State>,
  signIn: SignIn,
): Promise<Member | null> {
  const member = await signIn.findMember(req.headers);
  if (member !== null) state.memberName = member.account.name;
  return member;
}

type SignInHandler = (ctx: Context<State>, signIn: SignIn) => Answer;

/** Handlers for the addresses of sign-in, signed in or not; the rest is as in {@linkcode memberMethods}. */
export function signInMethods(
  { GET, POST }: { readonly GET?: SignInHandler; readonly POST?: SignInHandler },
): Handler<State> {
  const handle = privateMethods({
    ...GET && { GET: (ctx) => GET(ctx, signInOf(ctx)) },
    ...POST && { POST: (ctx) => POST(ctx, signInOf(ctx)) },
  });
  return async function handleMember(ctx) {
    signInOf(ctx);
    return await handle(ctx);
  };
}

function signInOf({ state: { services: { signIn } } }: Context<State>): SignIn {
  if (signIn === null) throw nothingHere();
  return signIn;
}

/** @throws {PublicError} `forbidden` for a banned account. */
function requireAllowed(member: Member): Member {
  if (!member.account.banned) return member;
  throw new PublicError("forbidden", banInWords(member.account), {
    hint:
      "Only the operator of this service can lift the ban; write to them with the account's id.",
  });
}

/** Redirects the browser to another address, which it requests with GET. */
export function seeOther(location: string, cookies: readonly string[] = []): Response {
  return withCookies(new Response(null, { status: 303, headers: { location } }), cookies);
}

/** What a form has done, in a sentence. */
const DONE = {
  rename: "The key has its new name.",
  limit: "The limits of the key are saved. They apply within five seconds.",
  rotate: "The key has a successor.",
  revoke: "The key is revoked. Requests with it are refused within five seconds.",
  session: "That browser is signed out.",
  sessions: "You are signed out everywhere else.",
  left: "You are signed out.",
  deleted: "Your account is deleted, and its keys no longer work.",
} as const;

/** Redirects the browser after a form, to a page that says once what the form has done. */
export function doneAt(
  location: string,
  { cookies: { done } }: SignIn,
  what: keyof typeof DONE,
  cookies: readonly string[] = [],
): Response {
  return seeOther(location, [done.set(what, COOKIE_SECONDS), ...cookies]);
}

/** Responds with a member's page, which the service does not keep either. */
export async function answerMemberPage(
  { req, state }: Context<State>,
  { cookies: { done } }: SignIn,
  element: VNode,
  { cookies = [], status = 200 }: {
    readonly cookies?: readonly string[];
    readonly status?: number;
  } = {},
): Promise<Response> {
  const { memberName } = state;
  const what = done.read(req.headers) ?? "";
  // The cookie is input: a browser can send any value.
  const sentence = Object.entries(DONE).find(([name]) => name === what)?.[1];
  const html = await state.renderPage(
    ACCOUNT,
    <>
      {sentence && <p class="verdict up done wide" role="status">{sentence}</p>}
      {element}
    </>,
    memberName === undefined ? {} : { memberName },
  );
  const headers = { "content-type": "text/html; charset=utf-8", "x-robots-tag": "noindex" };
  const said = what === "" ? [] : [done.remove()];
  return withCookies(new Response(html, { status, headers }), [...said, ...cookies]);
}

/** How long a browser keeps the text of a new key, or what a form has done, for the page that shows it. */
const COOKIE_SECONDS = 60;

/**
 * Redirects to the page of a new key, which shows the text once. Until then the text is in a cookie of the member's
 * browser, because it is stored nowhere here.
 */
export function showNewKey(signIn: SignIn, { key, text }: CreatedKey): Response {
  return seeOther(`${ACCOUNT}/keys/${key.id}`, [setNewKey(signIn, text)]);
}

/** The cookie that keeps the text of a new key for the page that shows it. */
export function setNewKey({ cookies }: SignIn, text: string): string {
  return cookies.newKey.set(text, COOKIE_SECONDS);
}

/** The text of a new key that the browser has kept for this page; the caller removes the cookie. */
export function readNewKey(
  { req }: Context<State>,
  { cookies }: SignIn,
  keyId: string,
): string | null {
  // A HEAD request or a prefetch does not consume the key.
  if (req.method === "HEAD" || req.headers.has("sec-purpose")) return null;
  const text = cookies.newKey.read(req.headers) ?? "";
  const parsed = parseKeyText(text);
  // The cookie is input: a browser can send any value.
  return parsed.kind === "key" && parsed.id === keyId ? text : null;
}
