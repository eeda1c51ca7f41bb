/** Shared rules of the members' pages: who may see them, and who may send their forms. */

import { ACCOUNT } from "../../lib/platform/address.ts";
import type { Context } from "fresh";
import { banInWords } from "../../lib/accounts/account.ts";
import { nothingHere } from "../../lib/platform/http/errors.ts";
import type { Handler } from "../../lib/platform/http/methods.ts";
import type { Member } from "../../lib/members/sessions.ts";
import type { SignIn } from "../../lib/members/sign_in.ts";
import type { State } from "../../lib/operate/state.ts";
import { ButtonForm } from "../shared/fields.tsx";
import { Operators } from "../shared/site.tsx";
import {
  answerPrivately,
  doneAt,
  type Handlers,
  pageMethods,
  privateMethods,
  type PrivatePage,
  seeOther,
} from "../shared/private.tsx";

/**
 * Handlers for the pages of members. Without sign-in there is no such address; a visitor who is not signed in is
 * redirected to the sign-in page; a banned member gets a page with 403 that says so. A form from another site gets 403 in any case.
 */
export function memberMethods({ signedOut, ...handlers }: Handlers & {
  /** The page of visitors who are not signed in, in place of the redirect. */
  readonly signedOut?: (signIn: SignIn) => PrivatePage;
}): Handler<State> {
  return withSignIn(pageMethods(handlers, async function enter(ctx) {
    const { req, state } = ctx;
    const signIn = signInOf(ctx);
    const member = await signIn.findMember(req.headers);
    if (member === null) {
      if (req.method === "POST") return doneAt(ACCOUNT, signIn, "ended");
      return signedOut === undefined ? seeOther(ACCOUNT) : signedOut(signIn);
    }
    state.memberName = member.account.name;
    return member.account.banned ? bannedPage(member) : { ctx, signIn, ...member };
  }, answerPrivately));
}

type SignInHandler = (ctx: Context<State>, signIn: SignIn) => Promise<Response>;

/** Handlers for the addresses of sign-in, signed in or not; the rest is as in {@linkcode memberMethods}. */
export function signInMethods(
  { GET, POST }: { readonly GET?: SignInHandler; readonly POST?: SignInHandler },
): Handler<State> {
  return withSignIn(privateMethods({
    ...GET && { GET: (ctx) => GET(ctx, signInOf(ctx)) },
    ...POST && { POST: (ctx) => POST(ctx, signInOf(ctx)) },
  }));
}

function withSignIn(handle: Handler<State>): Handler<State> {
  return async function handleMember(ctx) {
    signInOf(ctx);
    return await handle(ctx);
  };
}

function signInOf({ state: { services: { signIn } } }: Context<State>): SignIn {
  if (signIn === null) throw nothingHere();
  return signIn;
}

function bannedPage({ account }: Member): PrivatePage {
  return {
    title: "Your account is banned",
    status: 403,
    children: (
      <>
        <p class="lede">{banInWords(account)}</p>
        <p>
          Only <Operators /> can lift the ban; write to them with the account’s id.
        </p>
        <ButtonForm action="/account/sign-out" label="Sign out" />
      </>
    ),
  };
}
