// A page of the router's list of models: which kinds, from where, how many.

import { jsonAnswer, type ProviderAnswer } from "./provider_answer.ts";
import { refusal } from "./router_errors.ts";

const MAX_LIMIT = 1000;
/** The length of a page if a request has an `offset` and no `limit`. */
const USUAL_LIMIT = 500;

/**
 * Answers with the models that put out `outputs`, `all` for any: the whole list, or a page of it if the query has
 * `offset` or `limit`. A model that does not say what it puts out counts as one for text.
 */
export function listModels(
  models: readonly unknown[],
  outputs: string,
  path: string,
  query: URLSearchParams,
): ProviderAnswer {
  const wanted = new Set<unknown>(outputs.split(","));
  const matching = wanted.has("all")
    ? models
    : models.filter((model) => outputsOf(model).some((output) => wanted.has(output)));
  const total_count = matching.length;
  if (!query.has("offset") && !query.has("limit")) {
    return jsonAnswer({ data: matching, links: { next: null }, total_count });
  }

  const offset = readCount(query.get("offset")) ?? (query.has("offset") ? null : 0);
  const limit = readCount(query.get("limit")) ?? (query.has("limit") ? null : USUAL_LIMIT);
  if (offset === null) return refusal(400, "offset is a whole number from 0.");
  if (limit === null || limit < 1 || limit > MAX_LIMIT) {
    return refusal(400, `limit is a whole number from 1 to ${MAX_LIMIT}.`);
  }
  const end = offset + limit;
  const next = end < total_count ? nextPage(path, query, end, limit) : null;
  return jsonAnswer({ data: matching.slice(offset, end), links: { next }, total_count });
}

function outputsOf(model: unknown): readonly unknown[] {
  const architecture = fieldOf(model, "architecture");
  const outputs = fieldOf(architecture, "output_modalities");
  return Array.isArray(outputs) ? outputs : ["text"];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function readCount(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function nextPage(path: string, query: URLSearchParams, offset: number, limit: number): string {
  const next = new URLSearchParams(query);
  next.set("offset", String(offset));
  next.set("limit", String(limit));
  return `${path}?${next}`;
}
