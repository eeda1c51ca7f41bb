/** A Foyer with sign-in, the identity provider's stand-in, and browsers that keep cookies. */

import assert from "node:assert/strict";
import { createIdentityStandIn, type IdentityStandIn } from "../../lib/sandbox/identity.ts";
import { PEOPLE_RULES } from "../../lib/sandbox/identity_people.ts";
import { BASE_URL, type Foyer, startFoyer } from "../support/foyer.ts";
import { type Browser, openBrowser } from "../support/sign_in_browser.ts";

const CLIENT = { clientId: "foyer-test", clientSecret: "identity-test-4c81e" } as const;

/** The world. */
export interface SignInWorld extends AsyncDisposable {
  readonly foyer: Foyer;
  readonly identity: IdentityStandIn;
  readonly issuer: string;
  browser(): Browser;
}

/** Opens a world. `env` overrides the configuration. */
export async function openSignIn(
  env: Record<string, string | undefined> = {},
  options: Omit<NonNullable<Parameters<typeof startFoyer>[0]>, "env"> = {},
): Promise<SignInWorld> {
  const clock = { now: () => Date.now() };
  let issuer = "";
  const identity = createIdentityStandIn({
    ...CLIENT,
    origin: () => issuer,
    now: () => clock.now(),
  });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, identity.fetch);
  issuer = `http://127.0.0.1:${server.addr.port}`;
  const foyer = await startFoyer({
    ...options,
    env: {
      SIGN_IN_ISSUER: issuer,
      SIGN_IN_CLIENT_ID: CLIENT.clientId,
      SIGN_IN_CLIENT_SECRET: CLIENT.clientSecret,
      ...PEOPLE_RULES,
      ...env,
    },
  });
  clock.now = () => foyer.clock.now;
  return {
    foyer,
    identity,
    issuer,
    browser: () => openBrowser(foyer.answer, issuer, BASE_URL),
    async [Symbol.asyncDispose]() {
      await foyer[Symbol.asyncDispose]();
      await identity.shutdown();
      await server.shutdown();
    },
  };
}

/** Opens a world in which Ada, a member, has signed in; the arguments are those of {@linkcode openSignIn}. */
export async function openMember(...given: Parameters<typeof openSignIn>) {
  const world = await openSignIn(...given);
  const ada = world.browser();
  await ada.signIn("person-ada");
  return { ...world, ada };
}

/** Whether a browser's account page is that of a member; otherwise it must ask for a sign-in. */
export async function isSignedIn(browser: Browser): Promise<boolean> {
  const page = await (await browser.get("/account")).text();
  const isMembers = page.includes("Sign out");
  assert.equal(/>Sign in<\/a>/.test(page), !isMembers, page);
  return isMembers;
}

/** The id of the account of the last sign-in. */
export function accountOf({ foyer: { lines } }: SignInWorld): string {
  const last = lines.findLast(({ message }) => message === "A member signed in.");
  return String(last?.properties["accountId"]);
}

/** The whole database as text. */
export async function everythingStored({ foyer: { kv } }: SignInWorld): Promise<string> {
  return Deno.inspect(await Array.fromAsync(kv.list({ prefix: [] })), {
    depth: 10,
    iterableLimit: 10_000,
    strAbbreviateSize: 100_000,
  });
}
