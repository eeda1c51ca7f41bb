/** Accepting a loss of events, with its entry in the audit log. */

import type { LostColumn } from "../events/reading/loss.ts";
import { acceptLoss, type RefusedLoss } from "../events/keeping/failure.ts";
import { acceptLostColumns } from "../events/keeping/stored.ts";
import { addAuditEntry, type Origin } from "../accounts/audit_log.ts";

/** Stands in the audit log in place of an account's id for a change of the events. */
export const EVENTS = "events";

const what = "accept loss";
/** The members of a loss that the audit log shows; the names of events are told where it is accepted. */
const MEMBERS = { gone: { what }, leftOut: { what }, endless: { what }, known: { what } };

/**
 * Accepts the refused loss for an hour, as the next read needs it.
 *
 * @param digest the loss that is meant; null for whichever was refused.
 * @returns the loss; null if none was refused, or another one.
 */
export async function acceptRefusedLoss(
  kv: Deno.Kv,
  digest: string | null,
  origin: Origin,
): Promise<RefusedLoss | null> {
  return await acceptLoss(kv, origin.at, digest, (operation, after) =>
    addAuditEntry(
      operation,
      { accountId: EVENTS, members: MEMBERS, before: null, after, what },
      origin,
    ));
}

/**
 * Accepts that columns are lost, as of the next read.
 *
 * @param fields the columns that are meant; null for those that are lost.
 * @returns those of them that are lost.
 */
export async function acceptColumns(
  kv: Deno.Kv,
  fields: readonly string[] | null,
  origin: Origin,
): Promise<readonly LostColumn[]> {
  return await acceptLostColumns(kv, fields, (operation, lost) =>
    addAuditEntry(
      operation,
      {
        accountId: EVENTS,
        members: { columns: { what } },
        before: null,
        after: { columns: lost.map(({ column }) => column).join(", ") },
        what,
      },
      origin,
    ));
}
