// Airtable's webhooks: created, listed, refreshed and removed; a life of seven days; notifications that are tried again
// and at last switched off.

import { createHmac } from "node:crypto";
import { errorResponse, Refusal, unprocessable } from "./airtable_errors.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A webhook's life from its creation, and from each refresh. */
const LIFE_MS = 7 * DAY_MS;
const MOST_WEBHOOKS = 10;
/** A failed notification is sent again this many times, over about a day; then the webhook is switched off. */
const RETRIES = 13;
const FIRST_RETRY_MS = 10_000;

/** The rights of the token's owner: none without the scope, reading only without a creator's role. */
export type WebhookRights = "creator" | "editor" | "no scope";

interface WebhooksOptions {
  readonly baseId: string;
  readonly tableId: string;
  readonly rights: () => WebhookRights;
  readonly deliver: typeof fetch;
  /** Runs something after some milliseconds. */
  readonly later: (work: () => void, ms: number) => void;
  readonly now: () => number;
}

interface Webhook {
  readonly id: string;
  readonly secret: Uint8Array;
  readonly url: string | undefined;
  readonly specification: unknown;
  expiresAt: number;
  areNotificationsEnabled: boolean;
  lastSuccessAt: number | null;
  /** Whether a notification is being sent, and whether another one is due after it. */
  isSending: boolean;
  isDue: boolean;
}

/** Creates a base without webhooks. */
export function createWebhooks(options: WebhooksOptions) {
  const { baseId, tableId, now } = options;
  const webhooks = new Map<string, Webhook>();
  const invalid = new Set<string>();
  let made = 0;

  function isEnabled(webhook: Webhook): boolean {
    return !invalid.has(webhook.id) && now() < webhook.expiresAt;
  }

  function answer(request: Request, path: readonly string[], body: string | undefined): Response {
    if (options.rights() === "no scope") throw new Refusal(errorResponse(403));
    forget();
    const [id, action] = path;
    const { method } = request;
    if (id === undefined) {
      if (method === "GET") return Response.json({ webhooks: [...webhooks.values()].map(show) });
      if (method === "POST") return make(body);
      throw new Refusal(errorResponse(404));
    }
    const webhook = webhooks.get(id);
    if (webhook === undefined) throw new Refusal(errorResponse(404));
    requireCreator();
    if (method === "DELETE" && action === undefined) {
      webhooks.delete(id);
      return new Response(null, { status: 204 });
    }
    if (method === "POST" && action === "refresh") {
      if (!isEnabled(webhook)) {
        throw new Refusal(unprocessable("INVALID_HOOK", "The webhook is invalid or has expired"));
      }
      webhook.expiresAt = now() + LIFE_MS;
      return Response.json({ expirationTime: iso(webhook.expiresAt) });
    }
    throw new Refusal(errorResponse(404));
  }

  function make(body: string | undefined): Response {
    requireCreator();
    if (webhooks.size >= MOST_WEBHOOKS) {
      throw new Refusal(
        unprocessable("TOO_MANY_WEBHOOKS_IN_BASE", "The base has ten webhooks already"),
      );
    }
    const given = parse(body);
    const specification = given.get("specification");
    const filters = member(member(specification, "options"), "filters");
    const types = member(filters, "dataTypes");
    if (!Array.isArray(types) || types.length === 0) throw badRequest("dataTypes is not a list");
    const scope = member(filters, "recordChangeScope");
    if (scope !== undefined && scope !== tableId) throw badRequest("recordChangeScope is unknown");
    const url = given.get("notificationUrl");
    if (url !== undefined && (typeof url !== "string" || !URL.canParse(url))) {
      throw badRequest("notificationUrl is not an address");
    }
    const webhook: Webhook = {
      id: `ach${String(++made).padStart(14, "0")}`,
      secret: crypto.getRandomValues(new Uint8Array(32)),
      url,
      specification,
      expiresAt: now() + LIFE_MS,
      areNotificationsEnabled: true,
      lastSuccessAt: null,
      isSending: false,
      isDue: false,
    };
    webhooks.set(webhook.id, webhook);
    // "The notification URL will get a ping shortly after this completes."
    options.later(() => notify(webhook), 0);
    return Response.json({
      id: webhook.id,
      macSecretBase64: btoa(String.fromCharCode(...webhook.secret)),
      expirationTime: iso(webhook.expiresAt),
    });
  }

  function show(webhook: Webhook) {
    return {
      id: webhook.id,
      specification: webhook.specification,
      notificationUrl: webhook.url ?? null,
      // The sandbox keeps no payloads.
      cursorForNextPayload: 1,
      areNotificationsEnabled: webhook.areNotificationsEnabled,
      lastSuccessfulNotificationTime: webhook.lastSuccessAt === null
        ? null
        : iso(webhook.lastSuccessAt),
      lastNotificationResult: null,
      isHookEnabled: isEnabled(webhook),
      expirationTime: iso(webhook.expiresAt),
    };
  }

  /** Seven days after its end, a webhook is no longer listed. */
  function forget(): void {
    for (const { id, expiresAt } of webhooks.values()) {
      if (now() >= expiresAt + LIFE_MS) webhooks.delete(id);
    }
  }

  function requireCreator(): void {
    if (options.rights() !== "creator") throw new Refusal(errorResponse(403));
  }

  /** Sends a notification, unless one is being sent: one more then reports the changes until then. */
  function notify(webhook: Webhook): void {
    if (webhook.url === undefined || !webhook.areNotificationsEnabled || !isEnabled(webhook)) {
      return;
    }
    if (webhook.isSending) {
      webhook.isDue = true;
      return;
    }
    webhook.isSending = true;
    void send(webhook, webhook.url, 0);
  }

  async function send(webhook: Webhook, url: string, retry: number): Promise<void> {
    const body = JSON.stringify({
      base: { id: baseId },
      webhook: { id: webhook.id },
      timestamp: iso(now()),
    });
    const mac = createHmac("sha256", webhook.secret).update(body).digest("hex");
    const headers = {
      "Content-Type": "application/json",
      "X-Airtable-Content-MAC": `hmac-sha256=${mac}`,
    };
    const isTaken = await options.deliver(url, { method: "POST", headers, body }).then(
      async (response) => {
        await response.body?.cancel();
        return response.status === 200 || response.status === 204;
      },
      () => false,
    );
    if (isTaken) {
      webhook.lastSuccessAt = now();
      webhook.isSending = false;
      if (webhook.isDue) {
        webhook.isDue = false;
        notify(webhook);
      }
    } else if (retry < RETRIES) {
      options.later(() => void send(webhook, url, retry + 1), FIRST_RETRY_MS * 2 ** retry);
    } else {
      webhook.isSending = false;
      webhook.areNotificationsEnabled = false;
    }
  }

  return {
    /** Answers a call below `/v0/bases/{base}/webhooks`. @throws {Refusal} for one that is refused. */
    answer,
    /** Reports a change of the table. */
    change(): void {
      for (const webhook of webhooks.values()) notify(webhook);
    },
    get ids(): readonly string[] {
      return [...webhooks.keys()];
    },
    /** Makes one invalid, as a deleted column does. */
    invalidate: (id: string) => void invalid.add(id),
    /** Removes one without notice, as its owner may. */
    drop: (id: string) => void webhooks.delete(id),
  };
}

function parse(body: string | undefined): ReadonlyMap<string, unknown> {
  try {
    const given: unknown = JSON.parse(body ?? "");
    if (typeof given === "object" && given !== null) return new Map(Object.entries(given));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badRequest("the body is not an object");
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

function badRequest(message: string): Refusal {
  return new Refusal(unprocessable("INVALID_REQUEST_UNKNOWN", message));
}

function iso(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}
