/** Browsers of members without a window: cookies, redirects, and the sign-in at the identity provider. */

import assert from "node:assert/strict";

/** A browser, as far as cookies and redirects go. */
export type Browser = ReturnType<typeof openBrowser>;

/** Opens a browser that reaches the service at an address by a function, without following its redirects. */
export function openBrowser(
  answer: (path: string, init: RequestInit) => Promise<Response>,
  issuer: string,
  baseUrl: string,
) {
  const cookies = new Map<string, string>();
  const theirs = new Map<string, string>();

  async function get(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("cookie", fieldOf(cookies));
    const response = await answer(path, { ...init, headers });
    keep(cookies, response);
    return response;
  }

  async function begin(from = "/account/sign-in"): Promise<string> {
    const begun = await get(from);
    assert.equal(begun.status, 303, await begun.text());
    return begun.headers.get("location") ?? "";
  }

  async function choose(person: string, address: string): Promise<string> {
    let next = address;
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
    assert.ok(next.startsWith(baseUrl), next);
    return next.slice(baseUrl.length);
  }

  const goToProvider = async (person: string, from?: string) => choose(person, await begin(from));

  return {
    /** Its cookies of the service, by name. */
    cookies,
    get,
    /** Sends a form as a page of the site does; `headers` overrides. */
    post: (
      path: string,
      fields: Readonly<Record<string, string>> = {},
      headers: Readonly<Record<string, string>> = { "sec-fetch-site": "same-origin" },
    ) =>
      get(path, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams(fields),
      }),
    /** Begins a sign-in; returns the address at the provider. */
    begin,
    /** Goes on at that address; returns what {@linkcode goToProvider} does. */
    choose,
    /** Goes to the provider and back; returns the path of the callback, with its query. */
    goToProvider,
    /** Signs in; returns the service's last response, whose redirect is not followed. */
    signIn: async (person: string, from?: string) => await get(await goToProvider(person, from)),
  };
}

/** Creates a key by the form, and returns its page's address and its text. */
export async function makeKey(browser: Browser, fields: Record<string, string> = {}) {
  const made = await browser.post("/account", {
    action: "key",
    label: "laptop",
    expires: "90",
    cap: "",
    endpoint: "search",
    ...fields,
  });
  assert.equal(made.status, 303, await made.text());
  const address = made.headers.get("location") ?? "";
  // A preview of the link does not take the key away.
  await browser.get(address, { method: "HEAD" });
  await browser.get(address, { headers: { "sec-purpose": "prefetch" } });
  const page = await (await browser.get(address)).text();
  const [key = ""] = /foyer_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}/.exec(page) ?? [];
  return { address, key, page };
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
