/** What the pages of members and those of the desk share: no cache keeps them, and no other site sends their forms. */

import type { Context } from "fresh";
import type { Fields } from "../../lib/members/mod.ts";
import { methods, type State } from "../../lib/operate/mod.ts";
import { databaseDown, PublicError, toPublicError } from "../../lib/platform/http/errors.ts";
import { isSameOrigin, readForm } from "../../lib/platform/http/form.ts";
import type { Handler } from "../../lib/platform/http/methods.ts";
import { isDatabaseFailure } from "../../lib/platform/kv/open.ts";

/** An answer to a request, at once or later. */
export type Answer = Response | Promise<Response>;

type PrivateHandler = (ctx: Context<State>) => Answer;

/** No cache may store such a page, the browser's own included. */
const PRIVATE = { "cache-control": "private, no-store" } as const;

/** The result of a commit that failed is unknown. */
const CHANGE_UNKNOWN = "In a minute, check whether the change was made.";

/** Handlers whose responses no cache keeps. A form from another site gets 403. */
export function privateMethods(
  { GET, POST }: { readonly GET?: PrivateHandler; readonly POST?: PrivateHandler },
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
  return async function handlePrivately(ctx) {
    try {
      const response = await handle(ctx);
      response.headers.set("cache-control", PRIVATE["cache-control"]);
      return response;
    } catch (error) {
      if (!isDatabaseFailure(error)) throw toPublicError(error).withHeaders(PRIVATE);
      const isChange = ctx.req.method === "POST";
      throw databaseDown(error, isChange ? { hint: CHANGE_UNKNOWN } : {}).withHeaders(PRIVATE);
    }
  };
}

/** What a form has in its fields. @throws {PublicError} for a body that is no form, or is longer than `maxBytes`. */
export async function readFields(request: Request, maxBytes?: number): Promise<Fields> {
  const form = await readForm(request, maxBytes);
  const all = (name: string) => form.getAll(name).map((value) => value.trim());
  return { all, one: (name) => all(name)[0] ?? "" };
}

/** The response, which also sets cookies. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}
