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
  cursorForNextPayload: z.int().optional(),
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
const byId = z.record(z.string(), z.unknown()).default({}).transform(Object.keys);
const payloadsSchema = z.object({
  payloads: z.array(z.object({
    /** Set if Airtable could not name the changes. */
    error: z.literal(true).optional(),
    changedTablesById: z.record(
      z.string(),
      z.object({
        createdRecordsById: byId,
        changedRecordsById: byId,
        destroyedRecordIds: z.array(z.string()).default([]),
      }),
    ).default({}),
  })),
  cursor: z.int(),
  mightHaveMore: z.boolean(),
});

const TIMEOUT_MILLISECONDS = 20_000;

/** Makes the calls. Each throws what {@linkcode callAirtable} throws, or {@linkcode ReadError} for nonsense. */
export function createWebhooks(options: WebhooksOptions) {
  const root = ["bases", options.baseId, "webhooks"];

  async function call<Schema extends z.ZodType>(
    method: "GET" | "POST" | "DELETE",
    path: readonly string[],
    schema: Schema,
    given: { readonly body?: unknown; readonly query?: URLSearchParams } = {},
  ): Promise<z.output<Schema>> {
    await options.calls.take();
    const request = { method, path: [...root, ...path], ...given };
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
    /** The ids of records that have changed since a cursor, in one call; null if Airtable cannot name them. */
    async changes(id: string, cursor: number) {
      const query = new URLSearchParams({ cursor: String(cursor) });
      const page = await call("GET", [id, "payloads"], payloadsSchema, { query });
      const tables = page.payloads.flatMap((each) => Object.values(each.changedTablesById));
      const ids = tables.flatMap((table) => [
        ...table.createdRecordsById,
        ...table.changedRecordsById,
        ...table.destroyedRecordIds,
      ]);
      const isKnown = page.payloads.every(({ error }) => error === undefined);
      return { ids: isKnown ? ids : null, cursor: page.cursor, isWhole: !page.mightHaveMore };
    },
  };
}
