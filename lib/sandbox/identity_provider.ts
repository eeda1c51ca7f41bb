// A certified OpenID Connect provider (`oidc-provider`) whose people are chosen with one click instead of a password.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { PEOPLE } from "./identity_people.ts";
import type { SigningKey } from "./identity_token.ts";

interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly key: SigningKey;
}

/** The part of Koa's context that the page of people uses; the package has no types. */
interface PickContext {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  respond: boolean;
  type: string;
  body: string;
}

/** The path of the service's callback, on any host, because ports differ. */
const CALLBACK = "/account/callback";
const PICK = /^\/pick\/[\w-]+$/;

/**
 * Starts the provider on a free port of this machine. The package is loaded only now, because most starts do not need
 * it.
 */
export async function startProvider(settings: ProviderSettings): Promise<Server> {
  const { default: Provider, interactionPolicy } = await import("oidc-provider");
  const { issuer, clientId, clientSecret, key } = settings;
  const { base, Check } = interactionPolicy;
  const policy = base();
  policy.remove("consent");
  // The person is chosen at each sign-in, so that a developer can change it.
  policy.get("login").checks.add(
    new Check(
      "pick",
      "a person is picked",
      "login_required",
      // deno-lint-ignore no-explicit-any -- the package has no types
      (ctx: any) => ctx.oidc.result?.login === undefined,
    ),
  );
  const provider = new Provider(issuer, {
    clients: [{
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [`https://foyer.example${CALLBACK}`],
      id_token_signed_response_alg: "RS256",
    }],
    claims: { openid: ["sub"], profile: ["name", "groups", "verification_status"] },
    jwks: { keys: [key.privateJwk] },
    cookies: { keys: ["sandbox"] },
    adapter: createAdapter(),
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_ctx: unknown, { uid }: { uid: string }) => `/pick/${uid}` },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 3600,
      Interaction: 600,
      Grant: 600,
      Session: 600,
    },
    findAccount(_ctx: unknown, id: string) {
      const person = PEOPLE.find((each) => each.id === id);
      return person && { accountId: id, claims: () => ({ sub: id, ...person.claims }) };
    },
    // deno-lint-ignore no-explicit-any
    async loadExistingGrant({ oidc }: any) {
      const { clientId } = oidc.client;
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid profile");
      await grant.save();
      return grant;
    },
  });
  provider.proxy = true;
  provider.Client.prototype.redirectUriAllowed = (uri: string) =>
    new URL(uri).pathname.endsWith(CALLBACK);
  provider.use(async (ctx: PickContext, next: () => Promise<void>) => {
    if (!PICK.test(ctx.path)) return await next();
    const person = PEOPLE.find(({ id }) => id === ctx.query["who"]);
    if (ctx.method !== "POST") {
      ctx.type = "html";
      ctx.body = renderPeople(ctx.path);
      return;
    }
    ctx.respond = false;
    const result = person === undefined
      ? { error: "access_denied", error_description: "The person went away." }
      : { login: { accountId: person.id } };
    await provider.interactionFinished(ctx.req, ctx.res, result, {
      mergeWithLastSubmission: false,
    });
  });
  const server = createServer(provider.callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function renderPeople(path: string): string {
  const button = (query: string, label: string) =>
    `<form method="post" action="${path}${query}"><button>${label}</button></form>`;
  const people = PEOPLE.map(({ id, claims, about }) =>
    button(`?who=${id}`, `${claims.name}: ${about}`)
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Who are you?</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>body{font:1.1rem/1.5 system-ui;max-width:30rem;margin:3rem auto;padding:0 1rem}
button{font:inherit;width:100%;padding:.7rem;margin:.3rem 0;text-align:start}</style>
<h1>Who are you?</h1>
<p>This identity provider is a stand-in: one click signs you in.</p>
${people.join("\n")}
${button("", "Go back without signing in")}`;
}

/** Stores the provider's data in this process; the package's own adapter warns on every start. */
function createAdapter() {
  type Payload = Record<string, unknown> & { uid?: string; grantId?: string; consumed?: number };
  const kept = new Map<string, Payload>();
  return (model: string) => {
    const keyOf = (id: string) => `${model} ${id}`;
    return {
      upsert: (id: string, payload: Payload) => Promise.resolve(void kept.set(keyOf(id), payload)),
      find: (id: string) => Promise.resolve(kept.get(keyOf(id))),
      findByUid: (uid: string) =>
        Promise.resolve(
          kept.entries().find(([key, payload]) =>
            key.startsWith(`${model} `) && payload.uid === uid
          )
            ?.[1],
        ),
      findByUserCode: () => Promise.resolve(undefined),
      destroy: (id: string) => Promise.resolve(void kept.delete(keyOf(id))),
      revokeByGrantId(grantId: string) {
        for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key);
        return Promise.resolve();
      },
      consume(id: string) {
        const payload = kept.get(keyOf(id));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
        return Promise.resolve();
      },
    };
  };
}
