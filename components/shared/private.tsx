/** The pages of members and those of the desk: which forms they accept, what a form has done, and that no cache keeps them. */

import { ACCOUNT } from "../../lib/platform/address.ts";
import type { Context } from "fresh";
import { Head } from "fresh/runtime";
import type { ComponentChildren, VNode } from "preact";
import type { Fields } from "../../lib/members/forms.ts";
import type { Member } from "../../lib/members/sessions.ts";
import type { SignIn } from "../../lib/members/sign_in.ts";
import { methods } from "../../lib/operate/routes/methods.ts";
import type { State } from "../../lib/operate/state.ts";
import { parseKeyText } from "../../lib/accounts/key_text.ts";
import { databaseDown, PublicError, toPublicError } from "../../lib/platform/http/errors.ts";
import { isSameOrigin, readForm, textOf } from "../../lib/platform/http/form.ts";
import type { Handler } from "../../lib/platform/http/methods.ts";
import { isDatabaseFailure } from "../../lib/platform/kv/open.ts";
import { toWrongForm, type WrongForm } from "./fields.tsx";
import { sheetStyle } from "./sheets.tsx";
import { useSite } from "./site.tsx";

/** A request of a person who is signed in. */
export interface Visit extends Member {
  readonly ctx: Context<State>;
  readonly signIn: SignIn;
}

/** A form that such a person has sent. */
export interface Form extends Visit {
  readonly fields: Fields;
}

/** A page: its heading, what stands around that, and what stands below. */
export interface PrivatePage {
  readonly title: string;
  /** The page above this one. */
  readonly up?: readonly [href: string, label: string];
  /** Stands beside the heading. */
  readonly beside?: VNode;
  /** Why the form that was just sent did nothing. */
  readonly fault?: string;
  readonly children: ComponentChildren;
  readonly status?: number;
  readonly cookies?: readonly string[];
}

type Answer = Response | PrivatePage | Promise<Response | PrivatePage>;

/** The page of an address, and the actions of its forms. */
export interface Handlers {
  /** The page, or another response. If a form did nothing, the page again, with what was typed and why. */
  readonly GET?: (visit: Visit, wrong?: WrongForm) => Answer;
  readonly POST?: (form: Form) => Answer;
  /** The largest form, where a usual one has no room. */
  readonly maxFormBytes?: number;
}

/**
 * The handlers of an address.
 *
 * @param enter finds who asks, or answers for itself.
 * @param render makes the response of a page.
 */
export function pageMethods(
  { GET, POST, maxFormBytes }: Handlers,
  enter: (ctx: Context<State>) => Promise<Visit | Response | PrivatePage>,
  render: (ctx: Context<State>, page: PrivatePage) => Promise<Response>,
): Handler<State> {
  const answerWith = (answer: (visit: Visit) => Answer): Handler<State> => async (ctx) => {
    const visit = await enter(ctx);
    const answered = "session" in visit ? await answer(visit) : visit;
    return answered instanceof Response ? answered : await render(ctx, answered);
  };
  return privateMethods({
    ...GET && { GET: answerWith(GET) },
    ...POST && {
      POST: answerWith(async (visit) => {
        const fields = await readFields(visit.ctx.req, maxFormBytes);
        try {
          return await POST({ ...visit, fields });
        } catch (error) {
          if (GET === undefined) throw error;
          const wrong = toWrongForm(error, fields);
          const page = await GET(visit, wrong);
          const { status, field, message } = wrong;
          return page instanceof Response
            ? page
            : { ...page, status, ...field === null && { fault: message } };
        }
      }),
    },
  });
}

/** The result of a commit that failed is unknown. */
const CHANGE_UNKNOWN = "In a minute, check whether the change was made.";

/** Handlers whose responses no cache keeps, the browser's own included. A form from another site gets 403. */
export function privateMethods(
  { GET, POST }: { readonly GET?: Handler<State>; readonly POST?: Handler<State> },
): Handler<State> {
  const handle = methods({
    ...GET && { GET },
    ...POST && {
      POST(ctx) {
        const { origin } = new URL(ctx.state.services.config.BASE_URL);
        if (isSameOrigin(ctx.req.headers, origin)) return POST(ctx);
        throw new PublicError("forbidden", "The form was sent by another site.", {
          hint: "Go to the page of the form, and send it from there.",
        });
      },
    },
  });
  const headers = { "cache-control": "private, no-store" };
  return async function handlePrivately(ctx) {
    try {
      const response = await handle(ctx);
      response.headers.set("cache-control", headers["cache-control"]);
      return response;
    } catch (error) {
      if (!isDatabaseFailure(error)) throw toPublicError(error).withHeaders(headers);
      const isChange = ctx.req.method === "POST";
      throw databaseDown(error, isChange ? { hint: CHANGE_UNKNOWN } : {}).withHeaders(headers);
    }
  };
}

async function readFields(request: Request, maxBytes?: number): Promise<Fields> {
  const form = await readForm(request, maxBytes);
  const all = (name: string) => form.getAll(name).map((value) => textOf(value).trim());
  return {
    all,
    one: (name) => all(name)[0] ?? "",
    async file(name) {
      const value = form.get(name);
      const bytes = value instanceof File ? await value.bytes() : null;
      return bytes === null || bytes.length === 0 ? null : bytes;
    },
  };
}

/** Redirects the browser to another address, which it requests with GET. */
export function seeOther(location: string, cookies: readonly string[] = []): Response {
  return withCookies(new Response(null, { status: 303, headers: { location } }), cookies);
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

/** How long a browser keeps the text of a new key, or what a form has done, for the page that shows it. */
const COOKIE_SECONDS = 60;

/** The sentence that a page shows after a form's action. */
const DONE: Readonly<Record<string, string>> = {
  "key-rename": "The key has its new name.",
  "key-limit": "The limits of the key are saved. They apply within five seconds.",
  "key-revoke": "The key is revoked. Requests with it are refused within five seconds.",
  "session": "That browser is signed out.",
  "sessions": "You are signed out everywhere else.",
  "left": "You are signed out.",
  "ended": "You are no longer signed in, so the form changed nothing.",
  "deleted": "Your account is deleted, and its keys no longer work.",
  "account-create": "The account is created. Create a key for it, or let its member sign in.",
  "account-limit": "The limit is saved. It applies within five seconds.",
  "account-grant": "The limit is granted. It applies within five seconds.",
  "account-ungrant": "The grant has ended.",
  "account-ban": "The account is banned. Its requests are refused within five seconds.",
  "account-unban": "The ban is lifted. The keys work again within five seconds.",
  "account-verify": "The account is verified. Its keys work within five seconds.",
  "account-unverify": "The account is not verified. Its requests are refused within five seconds.",
  "account-correct": "The correction is booked. The member sees it with the reason.",
  "account-rename": "The account has its new name.",
  "account-sessions": "All sessions of the account have ended.",
  "account-delete": "The account is deleted, and its keys no longer work.",
  "events-read": "The table will be read within a minute.",
  "events-accept":
    "The loss is accepted for an hour: the next read, within about a minute, applies it.",
};

/** Redirects the browser after a form, to a page that says once what the form has done. */
export function doneAt(
  location: string,
  { cookies: { done } }: SignIn,
  what: string,
  cookies: readonly string[] = [],
): Response {
  return seeOther(location, [done.set(what, COOKIE_SECONDS), ...cookies]);
}

/**
 * Redirects to the page of a new key, which shows the text once. Until then the text is in a cookie of the browser,
 * because it is stored nowhere here.
 */
export function showNewKey(location: string, { cookies }: SignIn, text: string): Response {
  return seeOther(location, [cookies.newKey.set(text, COOKIE_SECONDS)]);
}

/** The text of a new key that the browser has kept for this page, and the cookies that then remove it. */
export function takeNewKey(
  { ctx: { req }, signIn: { cookies: { newKey } } }: Visit,
  keyId: string,
) {
  // A HEAD request or a prefetch does not consume the key.
  const isSeen = req.method !== "HEAD" && !req.headers.has("sec-purpose");
  const text = isSeen && newKey.read(req.headers) || "";
  const parsed = parseKeyText(text);
  // The cookie is input: a browser can send any value.
  const isOfPage = parsed.kind === "key" && parsed.id === keyId;
  return isOfPage ? { text, cookies: [newKey.remove()] } : { text: null, cookies: [] };
}

/** Responds with a page, which begins with what a form has just done. */
export async function answerPrivately(
  { req, state: { renderPage, memberName, services: { signIn } } }: Context<State>,
  { title, up, beside, fault, children, status = 200, cookies = [] }: PrivatePage,
  /** The way to the pages of the desk, of which this is one. */
  nav: VNode | null = null,
): Promise<Response> {
  const done = signIn?.cookies.done;
  const what = done?.read(req.headers) ?? "";
  // The cookie is input: a browser can send any value.
  const sentence = Object.hasOwn(DONE, what) ? DONE[what] : undefined;
  const element = (
    <>
      {sentence && (
        <p class={`verdict ${what === "ended" ? "warning" : "up"} done`} role="status">
          {sentence}
        </p>
      )}
      {fault && (
        <div class="verdict warning" role="alert">
          <p class="lede">Nothing was changed.</p>
          <p>{fault}</p>
        </div>
      )}
      <article class={`document usage account${nav ? " desk" : ""}`}>
        <PageHead title={nav ? `${title} · Desk` : title} />
        {nav}
        {up && (
          <nav class="fine" aria-label="Above this page">
            <a href={up[0]}>{up[1]}</a>
          </nav>
        )}
        {beside === undefined ? <h1>{title}</h1> : (
          <div class="row account-head">
            <h1>{title}</h1>
            {beside}
          </div>
        )}
        {children}
      </article>
    </>
  );
  const html = await renderPage(nav ? "/desk" : ACCOUNT, element, {
    ...memberName !== undefined && { memberName },
  });
  const headers = { "content-type": "text/html; charset=utf-8", "x-robots-tag": "noindex" };
  const said = done === undefined || what === "" ? [] : [done.remove()];
  return withCookies(new Response(html, { status, headers }), [...said, ...cookies]);
}

function PageHead({ title }: { readonly title: string }) {
  return (
    <Head>
      <title>{`${title} · ${useSite().name}`}</title>
      <meta name="robots" content="noindex" />
      {sheetStyle("documents")}
      {sheetStyle("account")}
    </Head>
  );
}
