/** The calls of Airtable's webhooks API that a hook needs (airtable.com/developers/web/api/webhooks-overview). */

import { z } from "zod";
import { type AirtableAccess, callAirtable } from "./api.ts";
import type { CallCounter } from "./calls.ts";
import { ReadError } from "../store.ts";

/** Where the webhooks are. */
export interface WebhooksOptions extends AirtableAccess {
  readonly baseId: string;
  readonly calls: Pick<CallCounter, "take">;
}

/** `expirationTime` is null or absent for a webhook that does not expire. */
const expiry = z.iso.datetime().transform(Date.parse).nullish().transform((time) => time ?? null);
const webhookSchema = z.object({
  id: z.string(),
  notificationUrl: z.string().nullish(),
  isHookEnabled: z.boolean(),
  areNotificationsEnabled: z.boolean(),
  expirationTime: expiry,
});
/** A webhook as Airtable lists it. */
export type Webhook = z.output<typeof webhookSchema>;

const listSchema = z.object({ webhooks: z.array(webhookSchema) });
const madeSchema = z.object({
  id: z.string().min(1),
  macSecretBase64: z.string().min(1),
  expirationTime: expiry,
});
const refreshedSchema = z.object({ expirationTime: expiry });

const TIMEOUT_MILLISECONDS = 20_000;

/** Makes the calls. Each throws what {@linkcode callAirtable} throws, or {@linkcode ReadError} for nonsense. */
export function createWebhooks(options: WebhooksOptions) {
  const root = ["bases", options.baseId, "webhooks"];

  async function call<Schema extends z.ZodType>(
    method: "GET" | "POST" | "DELETE",
    path: readonly string[],
    schema: Schema,
    body?: unknown,
  ): Promise<z.output<Schema>> {
    await options.calls.take();
    const request = { method, path: [...root, ...path], ...body === undefined ? {} : { body } };
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    const answer = schema.safeParse(await callAirtable(options, request, signal));
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
        notificationUrl,
        specification: {
          options: {
            filters: {
              dataTypes: ["tableData"],
              ...scope === null ? {} : { recordChangeScope: scope },
            },
          },
        },
      }),
    /** Extends the life of a webhook by seven days from now. */
    refresh: (id: string) => call("POST", [id, "refresh"], refreshedSchema),
    remove: (id: string) => call("DELETE", [id], z.unknown()),
  };
}
