/**
 * A Foyer with sign-in, the identity provider's stand-in, and browsers that keep cookies:
 *
 *     await using world = await openSignIn();
 *     const ada = world.browser();
 *     await ada.signIn("person-ada");
 *     await ada.get("/account");
 */

import assert from "node:assert/strict";
import { createIdentityStandIn, type IdentityStandIn } from "../../lib/sandbox/identity.ts";
import { PEOPLE_RULES } from "../../lib/sandbox/identity_people.ts";
import { BASE_URL, type Foyer, startFoyer } from "../support/foyer.ts";

const CLIENT = { clientId: "foyer-test", clientSecret: "identity-test-4c81e" } as const;

/** A browser, as far as cookies and redirects go. */
export interface Browser {
  /** Its cookies of the service, by name. */
  readonly cookies: Map<string, string>;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a form, as a page of the site does unless `headers` says otherwise. */
  post(
    path: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** Goes to the provider and back: the path at which the service is to be asked, with its query. */
  goToProvider(person: string, from?: string): Promise<string>;
  /** Signs in: the last answer of the service, without following it. */
  signIn(person: string, from?: string): Promise<Response>;
}

/** The world. */
export interface SignInWorld extends AsyncDisposable {
  readonly foyer: Foyer;
  readonly identity: IdentityStandIn;
  readonly issuer: string;
  browser(): Browser;
}

/** Opens one. `env` overrides the configuration. */
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
    browser: () => openBrowser(foyer.answer, issuer),
    async [Symbol.asyncDispose]() {
      await foyer[Symbol.asyncDispose]();
      await identity.shutdown();
      await server.shutdown();
    },
  };
}

/** The id of the account of the one who signed in last. */
export function accountOf({ foyer: { lines } }: SignInWorld): string {
  const last = lines.findLast(({ message }) => message === "A member signed in.");
  return String(last?.properties["accountId"]);
}

/** Makes a key by the form, and returns its page's address and its text. */
export async function makeKey(browser: Browser, fields: Record<string, string> = {}) {
  const made = await browser.post("/account/keys", {
    name: "laptop",
    expires: "90",
    limit: "",
    endpoint: "search",
    ...fields,
  });
  assert.equal(made.status, 303, await made.text());
  const address = made.headers.get("location") ?? "";
  const page = await (await browser.get(address)).text();
  const [key = ""] = /foyer_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}/.exec(page) ?? [];
  return { address, key, page };
}

/** Everything that is in the database, as text. */
export async function everythingStored({ foyer: { kv } }: SignInWorld): Promise<string> {
  return Deno.inspect(await Array.fromAsync(kv.list({ prefix: [] })), {
    depth: 10,
    iterableLimit: 10_000,
    strAbbreviateSize: 100_000,
  });
}

/** Opens a browser that reaches a service by a function. */
export function openBrowser(answer: Foyer["answer"], issuer: string): Browser {
  const cookies = new Map<string, string>();
  const theirs = new Map<string, string>();

  async function get(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("cookie", fieldOf(cookies));
    const response = await answer(path, { ...init, headers });
    keep(cookies, response);
    return response;
  }

  async function goToProvider(person: string, from = "/account/sign-in"): Promise<string> {
    const begun = await get(from);
    assert.equal(begun.status, 303, await begun.text());
    let next = begun.headers.get("location") ?? "";
    for (let method = "GET"; next.startsWith(issuer); method = "GET") {
      if (next.includes("/pick/")) {
        method = "POST";
        next += person === "" ? "" : `?who=${person}`;
      }
      const headers = { cookie: fieldOf(theirs) };
      const response = await fetch(next, { method, headers, redirect: "manual" });
      keep(theirs, response);
      assert.equal(response.status, 303, `${next}: ${await response.text()}`);
      next = new URL(response.headers.get("location") ?? "", next).href;
    }
    assert.ok(next.startsWith(BASE_URL), next);
    return next.slice(BASE_URL.length);
  }

  return {
    cookies,
    get,
    post: (path, fields = {}, headers = { "sec-fetch-site": "same-origin" }) =>
      get(path, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams(fields),
      }),
    goToProvider,
    signIn: async (person, from) => await get(await goToProvider(person, from)),
  };
}

function fieldOf(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

function keep(cookies: Map<string, string>, { headers }: Response): void {
  for (const field of headers.getSetCookie()) {
    const [pair = "", ...attributes] = field.split("; ");
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    if (attributes.some((each) => /^max-age=0$|^expires=Thu, 01 Jan 1970/i.test(each))) {
      cookies.delete(name);
    } else cookies.set(name, value);
  }
}
