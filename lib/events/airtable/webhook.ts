/**
 * The webhook by which Airtable reports changes, maintained for all isolates: created, refreshed before it expires,
 * and replaced when it is gone, invalid or switched off. It counts as alive once Airtable has reached this service by
 * it.
 *
 * Airtable states the secret of a webhook only once. It is stored sealed with a key made from AIRTABLE_TOKEN.
 */

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { Buffer } from "node:buffer";
import { z } from "zod";
import { joinBytes } from "../../platform/bytes.ts";
import { digestOf } from "../../platform/digest.ts";
import { getEntry } from "../../platform/kv/list.ts";
import { setEntry, updateEntry } from "../../platform/kv/write.ts";
import { takeLease } from "../../platform/kv/lease.ts";
import type { Log } from "../../platform/log.ts";
import type { Platform } from "../../platform/platform.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { type AirtableBase, type AirtableCall, AirtableError, callInTurn } from "./calls.ts";
import { ReadError } from "../reading/record_store.ts";

/** The path below BASE_URL at which the notifications of Airtable arrive (`routes/hooks/airtable.ts`). */
const NOTIFICATION_PATH = "/hooks/airtable";
const NOTIFICATION_MAC = /^hmac-sha256=([0-9a-f]{64})$/i;

/** A stored hook; times are epoch milliseconds. */
interface StoredHook {
  readonly id: string;
  /** The secret of its MACs, sealed. */
  readonly secret: Uint8Array<ArrayBuffer>;
  /** When it expires at Airtable; Infinity for never. */
  readonly expiresAt: number;
}

/** The stored state of the hook; times are epoch milliseconds. */
interface HookState {
  /** A digest of its table and address. If either changes, a new hook is needed. */
  readonly target: string;
  /** Null if it could not be created. */
  readonly hook: StoredHook | null;
  /** When Airtable is next asked about it. */
  readonly checkAt: number;
  /** Why there are no notifications, and the remedy; null once the first has arrived. */
  readonly problem: string | null;
}

/** Maintains the hook. */
export type HookKeeper = ReturnType<typeof createHookKeeper>;

interface HookKeeperOptions extends AirtableBase, Pick<Platform, "kv" | "now"> {
  readonly table: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly log: Pick<Log, "info" | "warn" | "error">;
}

const hookKey: Deno.KvKey = ["events", "hook", 2];

const LEASE_MILLISECONDS = 120_000;
/** A hook lives for seven days after each refresh, so a failed check can be repeated in time. */
const CHECK_MILLISECONDS = 3 * DAY_MILLISECONDS;
/** While Airtable has not reached this service: its notifications may have been switched off. */
const UNHEARD_CHECK_MILLISECONDS = DAY_MILLISECONDS;
const RETRY_MILLISECONDS = 3_600_000;
/** Airtable's clock decides when a hook ends, so it is refreshed this much earlier. */
const MARGIN_MILLISECONDS = 600_000;

/** Makes the keeper. Nothing is called before the first `keep`. */
export function createHookKeeper(options: HookKeeperOptions) {
  const { kv, token, table, now, log } = options;
  const webhooks = createWebhooks(options);
  const url = options.baseUrl + NOTIFICATION_PATH;
  const target = digestOf(JSON.stringify([options.apiUrl, options.baseId, table, url]));
  const unheard =
    `Airtable has not reached ${url} yet. Is BASE_URL the public address of this service?`;
  // A view or a table by its name is not a scope.
  const scope = table.startsWith("tbl") ? table : null;

  /** Changes the stored state if the hook still has this id. */
  function updateHook(id: string, change: (state: HookState, hook: StoredHook) => HookState) {
    const update = (state: HookState) => state.hook?.id === id ? change(state, state.hook) : state;
    return updateEntry(kv, hookKey, update);
  }

  function isDue(state: HookState | null): boolean {
    if (state === null || state.target !== target) return true;
    // A clock that was set back must not keep the hook from its refresh.
    const left = state.checkAt - now();
    return left <= 0 || left > 2 * CHECK_MILLISECONDS;
  }

  async function keepUnderLease(): Promise<void> {
    const { value: state } = await getEntry<HookState>(kv, hookKey);
    if (!isDue(state)) return;
    let isMaking = false;
    try {
      isMaking = !await check(state);
      if (isMaking) await make();
    } catch (error) {
      const problem = problemOf(error, isMaking);
      const checkAt = now() + RETRY_MILLISECONDS;
      // While Airtable does not respond, the hook may still be alive.
      if (problem === null && !isMaking && state?.target === target && state.hook !== null) {
        await updateHook(state.hook.id, (state) => ({ ...state, checkAt }));
        return;
      }
      const said = problem ?? String(error);
      if (state?.problem !== said) tell(said);
      await setEntry(kv, hookKey, { target, hook: null, checkAt, problem: said });
    }
  }

  function tell(problem: string): void {
    log.warn(`Airtable does not notify this service, so the events are polled: ${problem}`);
  }

  /** Refreshes the hook, and removes others of this service; false if there is none that is alive. */
  async function check(state: HookState | null): Promise<boolean> {
    const listed = await webhooks.list();
    const mine = state?.hook ?? null;
    const current = mine !== null && state?.target === target &&
        unseal(token, mine.secret) !== null
      ? listed.find((webhook) => webhook.id === mine.id && isAlive(webhook, now()))
      : undefined;
    // Hooks that a crash left before they were stored, and the hook of an earlier address.
    const leftOver = listed.filter((webhook) =>
      webhook !== current && (webhook.notificationUrl === url || webhook.id === mine?.id)
    );
    for (const { id } of leftOver) await webhooks.remove(id);
    if (current === undefined || mine === null) return false;
    const { expirationTime: expiresAt } = await webhooks.refresh(mine.id);
    if (state !== null && state.problem !== null) tell(state.problem);
    await updateHook(mine.id, (state, hook) => ({
      ...state,
      hook: { ...hook, expiresAt },
      checkAt: now() + (state.problem === null ? CHECK_MILLISECONDS : UNHEARD_CHECK_MILLISECONDS),
    }));
    return true;
  }

  async function make(): Promise<void> {
    const made = await webhooks.make(url, scope);
    const secret = seal(token, Buffer.from(made.macSecretBase64, "base64"));
    const { id, expirationTime: expiresAt } = made;
    const state: HookState = {
      target,
      hook: { id, secret, expiresAt },
      checkAt: now() + UNHEARD_CHECK_MILLISECONDS,
      problem: unheard,
    };
    await setEntry(kv, hookKey, state);
    log.info("A webhook at Airtable was created, which notifies this service of changes.", {
      webhookId: id,
      url,
      table: scope ?? "every table of the base, because AIRTABLE_TABLE is not an id",
    });
  }

  return {
    /** Creates, checks or refreshes the hook if that is due. Never throws: a problem is stored and logged. */
    async keep(): Promise<void> {
      try {
        if (!isDue((await getEntry<HookState>(kv, hookKey)).value)) return;
        const lease = await takeLease(kv, "events hook", LEASE_MILLISECONDS, now());
        if (lease === null) return;
        await keepUnderLease().finally(lease.release);
      } catch (cause) {
        log.error("The webhook at Airtable could not be kept.", { cause });
      }
    },
    /** Lets the next `keep` check the hook. */
    suspect: () => updateEntry<HookState>(kv, hookKey, (state) => ({ ...state, checkAt: now() })),
    /** Whether a header has the form of a MAC: without it, no byte of a body need be read. */
    isMac: (header: string | null): header is string => NOTIFICATION_MAC.test(header ?? ""),
    /** Whether a body has the MAC of a notification. The comparison takes the same time for every MAC. */
    async isAuthentic(mac: string, body: Uint8Array): Promise<boolean> {
      const { value: state } = await getEntry<HookState>(kv, hookKey);
      const hook = state?.target === target ? state.hook : null;
      const secret = hook && unseal(token, hook.secret);
      const [, hex = ""] = NOTIFICATION_MAC.exec(mac) ?? [];
      if (hook === null || secret === null || hex === "") return false;
      const expected = createHmac("sha256", secret).update(body).digest();
      if (!timingSafeEqual(Buffer.from(hex, "hex"), expected)) return false;
      if ((state?.problem ?? null) !== null) {
        const checkAt = now() + CHECK_MILLISECONDS;
        await updateHook(hook.id, (state) => ({ ...state, checkAt, problem: null }));
      }
      return true;
    },
  };
}

/** A hook that is known to be alive, and until when (epoch milliseconds). */
export interface HookLife {
  readonly id: string;
  readonly until: number;
}

/**
 * Reads the stored state of the hook: its life, null unless it is known to be alive; and the problem that an operator
 * must solve, null if none is known.
 */
export async function readHook(
  kv: Deno.Kv,
): Promise<{ readonly life: HookLife | null; readonly problem: string | null }> {
  const { value } = await getEntry<HookState>(kv, hookKey);
  const { hook = null, problem = null } = value ?? {};
  if (hook === null || problem !== null) return { life: null, problem };
  return { life: { id: hook.id, until: hook.expiresAt - MARGIN_MILLISECONDS }, problem };
}

/** Whether Airtable notifies by a webhook. */
function isAlive(webhook: Webhook, now: number): boolean {
  const { isHookEnabled, areNotificationsEnabled, expirationTime } = webhook;
  return isHookEnabled && areNotificationsEnabled && expirationTime > now;
}

/**
 * The change that an operator must make; null if the error may be temporary.
 *
 * @param isMaking whether the hook could not be created, although hooks could be listed.
 */
function problemOf(error: unknown, isMaking: boolean): string | null {
  if (!(error instanceof AirtableError)) return null;
  const { status, type } = error;
  switch (status) {
    case 401:
      return "AIRTABLE_TOKEN is not a valid token.";
    case 403:
    case 404:
      return isMaking
        ? "The owner of AIRTABLE_TOKEN needs the role of a creator in the base."
        : "AIRTABLE_TOKEN needs the scope webhook:manage, and access to the base.";
    case 422:
      return /TOO_MANY/.test(type ?? "")
        ? "The base has ten webhooks, which is Airtable's limit. Remove one of another program."
        : `Airtable refuses the webhook (${type ?? "422"}). Is AIRTABLE_TABLE the id of the table?`;
    default:
      return null;
  }
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals a secret for the database with a key that is not in it, made from an API's token: AES-GCM, IV and tag added. */
function seal(token: string, plain: Uint8Array): Uint8Array<ArrayBuffer> {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyOf(token), iv);
  const parts = [iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return joinBytes(parts);
}

/** The secret that was sealed; null if the token is another one, or the bytes are damaged. */
function unseal(token: string, sealed: Uint8Array): Buffer | null {
  if (sealed.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv("aes-256-gcm", keyOf(token), sealed.subarray(0, IV_BYTES));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const first = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([first, decipher.final()]);
  } catch {
    return null;
  }
}

function keyOf(token: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", token, "", "foyer: secrets in the database", 32));
}

/** `expirationTime` is null or absent for a webhook that does not expire. */
const expiry = z.iso.datetime().nullish().transform((time) => time ? Date.parse(time) : Infinity);
const webhookSchema = z.object({
  id: z.string(),
  notificationUrl: z.string().nullish(),
  isHookEnabled: z.boolean(),
  areNotificationsEnabled: z.boolean(),
  expirationTime: expiry,
});
/** A webhook as Airtable lists it. */
type Webhook = z.output<typeof webhookSchema>;

const listSchema = z.object({ webhooks: z.array(webhookSchema) });
const madeSchema = z.object({
  id: z.string(),
  macSecretBase64: z.string().min(1),
  expirationTime: expiry,
});
const refreshedSchema = z.object({ expirationTime: expiry });

/**
 * Makes the calls that a webhook needs (airtable.com/developers/web/api/webhooks-overview). Each throws what
 * {@linkcode callInTurn} throws, or {@linkcode ReadError} for nonsense.
 */
function createWebhooks(options: AirtableBase) {
  const root = ["bases", options.baseId, "webhooks"];

  async function call<Schema extends z.ZodType>(
    method: "GET" | "POST" | "DELETE",
    path: readonly string[],
    schema: Schema,
    given: Pick<AirtableCall, "body"> = {},
  ): Promise<z.output<Schema>> {
    const request = { method, path: [...root, ...path], ...given };
    const answer = schema.safeParse(await callInTurn(options, request));
    if (answer.success) return answer.data;
    throw new ReadError("nonsense", "Airtable: the response is not one of the webhooks API");
  }

  return {
    list: async () => (await call("GET", [], listSchema)).webhooks,
    /**
     * Creates a webhook for every change of the table's data. A specification that named fields would become invalid
     * when a column is deleted.
     *
     * @param scope the id of a table or a view; null for all tables of the base.
     */
    make: (notificationUrl: string, scope: string | null) =>
      call("POST", [], madeSchema, {
        body: {
          notificationUrl,
          specification: {
            options: {
              filters: {
                dataTypes: ["tableData"],
                ...scope === null ? {} : { recordChangeScope: scope },
              },
            },
          },
        },
      }),
    /** Extends the life of a webhook by seven days from now. */
    refresh: (id: string) => call("POST", [id, "refresh"], refreshedSchema),
    remove: (id: string) => call("DELETE", [id], z.unknown()),
  };
}
