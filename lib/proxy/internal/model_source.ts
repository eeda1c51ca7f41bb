/** Reads the lists of models from the providers that have them. */

import { PublicError } from "../../platform/http/errors.ts";
import { readBounded } from "../../platform/http/body.ts";
import { isObject, type JsonObject } from "../../platform/json.ts";
import { callersName } from "./decision_model_name.ts";

/** A model as the router describes it, with any further members. */
export type Model = JsonObject & { readonly id: string };

/** A model of the decision provider, as its clients read it. */
export type DecisionModel = JsonObject & { readonly name: string };

/** The address of a list. */
export interface ListAddress {
  readonly fetch: typeof fetch;
  readonly url: string;
  readonly apiKey: string | undefined;
  /** For sentences: "the router". */
  readonly name: string;
}

/** The two aliases with their descriptions. */
const ALIASES = {
  "decision-latest": "Most recent stable release; the default.",
  "decision-preview": "Most recent release including preview builds.",
} as const;

const TIMEOUT_MILLISECONDS = 30_000;
/** Ten times the size of the router's whole list. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/**
 * All models of a list of the router, in its order, each once. Without a limit the router sends the whole list.
 *
 * @throws {PublicError} `upstream_error` if there is no list at the address.
 */
export async function readModels(address: ListAddress): Promise<Model[]> {
  const models = new Map<string, Model>();
  for (const model of await readList(address, "data")) {
    if (isModel(model) && !models.has(model.id)) models.set(model.id, model);
  }
  return [...models.values()];
}

/**
 * The models of the decision provider under the names that callers use, both aliases among them.
 *
 * @param prefix the provider's model family, which callers write as `decision`; undefined keeps names unchanged.
 * @throws {PublicError} `upstream_error` if there is no list at the address.
 */
export async function readDecisionModels(
  address: ListAddress,
  prefix: string | undefined,
): Promise<DecisionModel[]> {
  const listed = await readList(address, "models");
  const models = listed.filter(isDecisionModel).map((model): DecisionModel => ({
    ...model,
    name: prefix === undefined ? model.name : callersName(model.name, prefix),
  }));
  const dates = models.map((model) => String(model["release_date"] ?? ""));
  const newest = dates.reduce((a, b) => a > b ? a : b, "");
  const missing = Object.entries(ALIASES)
    .filter(([alias]) => !models.some(({ name }) => name === alias))
    .map(([name, description]) => ({ name, description, release_date: newest }));
  return [...missing, ...models];
}

/**
 * The endpoints of one model, in an object as the router sends it; null if it knows no such model.
 *
 * @throws {PublicError} `upstream_error` if there is no such object at the address.
 */
export async function readEndpoints(address: ListAddress): Promise<JsonObject | null> {
  const body = await readJson(address, { isOptional: true });
  if (body === null || (isObject(body) && isObject(body["data"]))) return body;
  throw failure(address.name, "its response is not a model");
}

/** Reads the list that is a member of the JSON at an address. */
async function readList(address: ListAddress, member: string): Promise<readonly unknown[]> {
  const body = await readJson(address);
  const list = isObject(body) ? body[member] : undefined;
  if (Array.isArray(list)) return list;
  throw failure(address.name, "its response is not a list");
}

/** Reads the JSON at an address; null if the address is optional and does not exist. */
async function readJson(
  { fetch, url, apiKey, name }: ListAddress,
  { isOptional = false } = {},
): Promise<unknown> {
  const headers = {
    "accept": "application/json",
    "user-agent": "foyer",
    ...apiKey !== undefined && { "authorization": `Bearer ${apiKey}` },
  };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    const response = await fetch(url, { headers, signal, redirect: "manual" });
    if (!response.ok) {
      await response.body?.cancel();
      if (response.status === 404 && isOptional) return null;
      throw failure(name, "it refused the request", `status ${response.status}`);
    }
    const tooLong = () => failure(name, "it sent an endless list");
    const bytes = await readBounded(response.body, MAX_LIST_BYTES, tooLong);
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw cause instanceof PublicError ? cause : failure(name, "it is unreachable", cause);
  }
}

function failure(name: string, reason: string, cause?: unknown): PublicError {
  return new PublicError(
    "upstream_error",
    `Could not fetch the model list of ${name}: ${reason}.`,
    {
      headers: { "x-refused-by": "upstream", "retry-after": "30" },
      cause,
    },
  );
}

function isModel(value: unknown): value is Model {
  return isObject(value) && typeof value["id"] === "string" && value["id"] !== "";
}

function isDecisionModel(value: unknown): value is DecisionModel {
  return isObject(value) && typeof value["name"] === "string";
}
