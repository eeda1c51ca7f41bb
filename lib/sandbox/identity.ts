// The stand-in for an identity provider: a certified one, and in front of it faults and a clock.

import type { Server } from "node:http";
import { z } from "zod";
import { answerCaller, ConnectionReset, untilGone } from "./connection.ts";
import { amount, controlFaults, createPlan, timing } from "./fault_plan.ts";
import { startProvider } from "./identity_provider.ts";
import { createSigningKey, readClaims, type SigningKey, signToken } from "./identity_token.ts";

const members = z.record(z.string(), z.unknown());

const action = z.discriminatedUnion("kind", [
  // The connection breaks before the response; no response ever comes.
  z.object({ kind: z.literal(["reset", "hang"]) }),
  z.object({ kind: z.literal("status"), status: amount }),
  // The id token has other claims, no signature, or that of a key that is not published.
  z.object({
    kind: z.literal("token"),
    claims: members.exactOptional(),
    signature: z.enum(["none", "foreign"]).exactOptional(),
  }),
  // The JSON of the response has other members.
  z.object({ kind: z.literal("members"), members }),
]);

const identityFaultSchema = action.and(timing.extend({
  /** Only requests for this path, such as `/token`; unset: any. */
  path: z.string().exactOptional(),
}));

/** A fault, and when it comes. */
export type IdentityFault = z.infer<typeof identityFaultSchema>;

/** The properties of a request that decide whether a fault affects it. */
interface IdentityOccasion {
  readonly path: string;
}

interface IdentityOptions {
  /** Its own address, which is its issuer. */
  readonly origin: () => string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const KEY_ID = "sandbox-0";

/** The key of all stand-ins in a process, because creating one takes a while. */
let firstKey: Promise<SigningKey> | null = null;

/** A running stand-in. */
export type IdentityStandIn = ReturnType<typeof createIdentityStandIn>;

/** Creates the stand-in. The provider starts with the first request. */
export function createIdentityStandIn(options: IdentityOptions) {
  const { origin, clientId, clientSecret, now } = options;
  const faults = createPlan<IdentityFault, IdentityOccasion>(({ path }, occasion) =>
    path === undefined || path === occasion.path
  );
  const asked = new Map<string, number>();
  const schemes: string[] = [];
  let starting: Promise<{ server: Server; key: SigningKey }> | null = null;

  async function start() {
    const key = await (firstKey ??= createSigningKey(KEY_ID));
    return { server: await startProvider({ issuer: origin(), clientId, clientSecret, key }), key };
  }

  /** The provider's answer to a request. */
  async function pass(request: Request): Promise<Response> {
    const { server } = await (starting ??= start());
    const { pathname, search } = new URL(request.url);
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the provider is closed");
    const headers = new Headers(request.headers);
    headers.delete("host");
    headers.delete("content-length");
    // Without these, the provider would use its own port in its addresses.
    const { host, protocol } = new URL(origin());
    headers.set("x-forwarded-host", host);
    headers.set("x-forwarded-proto", protocol.slice(0, -1));
    const body = request.body === null ? null : await request.bytes();
    const response = await fetch(`http://127.0.0.1:${address.port}${pathname}${search}`, {
      method: request.method,
      headers,
      body,
      redirect: "manual",
    });
    const answer = new Headers(response.headers);
    for (const name of ["content-length", "content-encoding", "transfer-encoding"]) {
      answer.delete(name);
    }
    const bytes = await response.bytes();
    const { status } = response;
    return new Response(bytes.length === 0 ? null : bytes, { status, headers: answer });
  }

  /** The token by the stand-in's clock and keys, with what a fault changes. */
  async function resign(token: string, fault: IdentityFault | undefined): Promise<string> {
    const { key } = await (starting ??= start());
    const claims = readClaims(token);
    const ahead = Math.round((now() - Date.now()) / 1000);
    for (const name of ["iat", "exp", "auth_time"]) {
      const at = claims[name];
      if (typeof at === "number") claims[name] = at + ahead;
    }
    const change = fault?.kind === "token" ? fault : { claims: {}, signature: undefined };
    const changed = { ...claims, ...change.claims };
    if (change.signature === "none") return await signToken(changed, null);
    const { privateKey } = change.signature === "foreign" ? await createSigningKey("x") : key;
    return await signToken(changed, { privateKey, kid: KEY_ID });
  }

  async function respond(request: Request): Promise<Response> {
    const { pathname: path } = new URL(request.url);
    if (path === "/sandbox/faults") {
      return await controlFaults(request, faults, identityFaultSchema);
    }
    asked.set(path, (asked.get(path) ?? 0) + 1);
    if (path === "/token") schemes.push(request.headers.get("authorization")?.split(" ")[0] ?? "");
    const fault = faults.take({ path });
    if (fault?.kind === "reset") throw new ConnectionReset();
    if (fault?.kind === "hang") return await untilGone(request.signal);
    if (fault?.kind === "status") return new Response(null, { status: fault.status });
    const response = await pass(request);
    if (path === "/jwks") {
      const { key } = await (starting ??= start());
      return Response.json({ keys: [{ ...key.publicJwk, kid: KEY_ID }] });
    }
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    if (path === "/token" && response.ok) {
      const body = await response.json();
      return Response.json({ ...body, id_token: await resign(body.id_token, fault) });
    }
    if (fault?.kind !== "members" || !isJson) return response;
    return Response.json({ ...await response.json(), ...fault.members });
  }

  return {
    fetch: (request: Request) => answerCaller(request, respond, "identity"),
    faults,
    /** The number of requests for each path. */
    asked,
    /** The scheme by which each request for a token proved the client; empty if its body has the secret. */
    schemes,
    async shutdown(): Promise<void> {
      const started = await starting;
      if (started === null) return;
      started.server.closeAllConnections();
      await new Promise((resolve) => started.server.close(resolve));
    },
  };
}
