/** The desk in tests: a service with Olga, who is an operator and has just signed in for the desk. */

import assert from "node:assert/strict";
import { createAccount } from "../../lib/accounts/account.ts";
import { accountOf, openSignIn, type SignInWorld } from "../members/world.ts";
import { find, parseHtml } from "../site/html.ts";
import { madeBy } from "../support/made_by.ts";
import type { Browser } from "../support/sign_in_browser.ts";

/** The sign-in that allows changes. */
export const FOR_DESK = "/account/sign-in?for=desk";

/** Signs a person in, for the desk unless another address is given. */
export async function enter(
  world: SignInWorld,
  person = "person-olga",
  from = FOR_DESK,
): Promise<Browser> {
  const browser = world.browser();
  const response = await browser.signIn(person, from);
  assert.equal(response.status, 303, await response.text());
  return browser;
}

/** Opens a world in which Olga has just signed in; the arguments are those of `openSignIn`. */
export async function openDesk(...given: Parameters<typeof openSignIn>) {
  const world = await openSignIn(...given);
  const { kv, clock } = world.foyer;
  const olga = await enter(world);
  /** The text of a response, which must have the status 200. */
  const textAt = async (path: string) => {
    const response = await olga.get(path);
    assert.equal(response.status, 200, path);
    return await response.text();
  };
  return {
    ...world,
    olga,
    operatorId: accountOf(world),
    textAt,
    /** The words of a page's own part, with one space between any two. */
    async read(path: string) {
      const article = find(parseHtml(await textAt(path)), "article")[0]?.text ?? "";
      return article.replaceAll(/\s+/g, " ");
    },
    /** Sends a form of a page with its version. */
    async act(path: string, action: string, fields: Record<string, string> = {}) {
      return await olga.post(path, { ...hiddenIn(await textAt(path)), action, ...fields });
    },
    makeAccount: (name: string) =>
      createAccount(kv, { name, limitNanoUsd: null, verified: true }, madeBy(clock.now)),
  };
}

/** The hidden fields of a page by their names; of several of one name, the last. */
export function hiddenIn(page: string): Record<string, string> {
  const hidden = find(parseHtml(page), "input").map(({ attributes }) => attributes)
    .filter((each) => each["type"] === "hidden");
  return Object.fromEntries(hidden.map((each) => [each["name"] ?? "", each["value"] ?? ""]));
}
