/**
 * One check per dependency. No check costs money, and each ends
 * within five seconds. A provider that refuses our key is down. The check of a dependency that is not
 * configured passes: this installation does not need it.
 */

import type { ClickHouse } from "../../proxy/records/clickhouse.ts";
import { ClickHouseError } from "../../proxy/records/clickhouse_http.ts";
import type { Config } from "../../platform/config/config.ts";
import { readBounded } from "../../platform/http/body.ts";
import { getEntry } from "../../platform/kv/list.ts";
import { isObject, type JsonObject, memberOf } from "../../platform/json.ts";
import { type StartTimer, withTimeout } from "../../platform/timeout.ts";
import type { CheckName } from "./history.ts";

/** Figures of the providers' accounts, in USD. */
export const FIGURES = [
  "balanceRemaining",
  "dailyKeyUsageRemaining",
  "keyLimitRemaining",
  "keyUsage",
  "mediaUnusedCredit",
] as const;

/**
 * An unknown figure is absent. A figure that does not exist, such as the rest of a limit where there is no
 * limit, is undefined.
 */
export type Figures = Readonly<Partial<Record<typeof FIGURES[number], number | undefined>>>;

/** The result of one check. */
export interface Finding {
  readonly isUp: boolean;
  readonly figures?: Figures;
  /** Why it is down, for the log. It contains no secret, and no response except ClickHouse's message. */
  readonly reason?: string;
}

/** The checks by the name of the health record's field; `balance` and `media` only supply figures. */
export type Checks = Readonly<Record<CheckName | "balance" | "media", () => Promise<Finding>>>;

const LIMIT_MILLISECONDS = 5_000;
const NOT_NEEDED: Finding = { isUp: true };
/** The largest response: far more than the data of a provider's account. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** Makes the checks. Each resolves within five seconds, whatever happens. */
export function createChecks(
  { config, kv, fetch, clickHouse, startLimit }: {
    readonly config: Config;
    readonly kv: Pick<Deno.Kv, "get">;
    readonly fetch: typeof globalThis.fetch;
    /** Null if it is not configured: usage records are then in the database alone. */
    readonly clickHouse: Pick<ClickHouse, "ping"> | null;
    /** Starts a time limit; a timer of the platform unless given. */
    readonly startLimit?: StartTimer;
  },
): Checks {
  /** Runs a check with a time limit, even if it ignores the signal. */
  async function limited(check: Check): Promise<Finding> {
    const controller = new AbortController();
    const late = () => {
      controller.abort();
      throw new CheckError(`no response in ${LIMIT_MILLISECONDS} ms`);
    };
    try {
      const found = check(controller.signal);
      const figures = await withTimeout(LIMIT_MILLISECONDS, found, late, startLimit);
      return { isUp: true, ...figures && { figures } };
    } catch (error) {
      return error instanceof Busy ? { isUp: true } : { isUp: false, reason: reasonOf(error) };
    }
  }
  /** A check with a key, which passes where none is configured. */
  const withKey = (
    key: string | undefined,
    check: (key: string, signal: AbortSignal) => ReturnType<Check>,
  ) => key === undefined ? Promise.resolve(NOT_NEEDED) : limited((signal) => check(key, signal));
  async function ask(url: string, key: string, signal: AbortSignal) {
    const authorization = `Bearer ${key}`;
    const response = await fetch(url, {
      headers: { "accept": "application/json", "user-agent": "foyer", authorization },
      redirect: "manual",
      signal,
    });
    if (response.ok) return await readObject(response);
    await response.body?.cancel();
    throw response.status === 429 ? new Busy() : new CheckError(`status ${response.status}`);
  }

  const pingDatabase = async () => void await getEntry(kv, ["health"]);
  return {
    database: () => limited(pingDatabase),
    analytics: () => limited(clickHouse?.ping ?? pingDatabase),
    router: () =>
      withKey(config.ROUTER_API_KEY, async (key, signal) => {
        const { data } = await ask(`${config.ROUTER_API_URL}/v1/key`, key, signal);
        const remaining = numberIn(data, "limit_remaining");
        const keyUsage = figureIn(data, "usage");
        return { dailyKeyUsageRemaining: remaining, keyLimitRemaining: remaining, keyUsage };
      }),
    balance: () =>
      withKey(config.ROUTER_MANAGEMENT_KEY, async (key, signal) => {
        const { data } = await ask(`${config.ROUTER_API_URL}/v1/credits`, key, signal);
        const rest = figureIn(data, "total_credits") - figureIn(data, "total_usage");
        // Without the rounding errors of binary fractions: 10.1 - 9.9 is 0.2.
        return { balanceRemaining: Number(rest.toFixed(9)) };
      }),
    ocr: () =>
      withKey(config.OCR_API_KEY, async (key, signal) => {
        const { data } = await ask(`${config.OCR_API_URL}/v1/models`, key, signal);
        if (!Array.isArray(data)) throw new CheckError("a response without models");
      }),
    websearch: () =>
      withKey(config.WEBSEARCH_API_KEY, async (key, signal) => {
        // No valid call to this provider is free. This one names no page, so it costs nothing and is refused:
        // because of the key if that is wrong, otherwise because of the body.
        const response = await fetch(`${config.WEBSEARCH_API_URL}/contents`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-api-key": key },
          body: "{}",
          redirect: "manual",
          signal,
        });
        await response.body?.cancel();
        const { status } = response;
        if (status === 401 || status === 403) throw new CheckError(`it refuses our key: ${status}`);
        if (status === 402) throw new CheckError("it refuses our account for its balance: 402");
        if (status >= 500) throw new CheckError(`status ${status}`);
      }),
    media() {
      const { MEDIA_API_URL: url, MEDIA_API_KEY } = config;
      return withKey(url === undefined ? undefined : MEDIA_API_KEY, async (key, signal) => {
        const { username } = await ask(`${url}/v1/account`, key, signal);
        if (typeof username !== "string") throw new CheckError("an account without a name");
        const path = `/api/users/${encodeURIComponent(username)}/unused-credit`;
        return { mediaUnusedCredit: figureIn(await ask(url + path, key, signal), "unused_credit") };
      });
    },
  };
}

/** A check that failed for a reason that may be logged. */
class CheckError extends Error {
  override name = "CheckError";
}

/** A provider that asks us to slow down is up, but sends no figures. */
class Busy extends Error {
  override name = "Busy";
}

/** Throws if the dependency is down; returns the figures that it found, if any. */
type Check = (signal: AbortSignal) => Promise<Figures | void>;

function reasonOf(error: unknown): string {
  if (error instanceof CheckError) return error.message;
  // With a cause, ClickHouse's message repeats the network's, which may contain anything.
  if (error instanceof ClickHouseError && error.cause === undefined) return error.message;
  return "no connection, or no JSON";
}

async function readObject(response: Response): Promise<JsonObject> {
  const tooLong = () => new CheckError("a response that is too long");
  const bytes = await readBounded(response.body, MAX_ANSWER_BYTES, tooLong);
  const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isObject(body)) throw new CheckError("a response that is not a JSON object");
  return body;
}

/** A number, or a decimal string as one of the providers writes it. */
function numberIn(value: unknown, name: string): number | undefined {
  const member = isObject(value) ? memberOf(value, name) : undefined;
  const number = typeof member === "string" && member.trim() !== "" ? Number(member) : member;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** @throws {CheckError} if there is no such number. */
function figureIn(value: unknown, name: string): number {
  const figure = numberIn(value, name);
  if (figure === undefined) throw new CheckError("a response without figures");
  return figure;
}
