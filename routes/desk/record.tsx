/** `/desk/record`: who changed what, when and why; of all accounts, or filtered. */

import { describeAuditEntry } from "../../lib/operate/describe_audit_entry.ts";
import { type AccountAuditEntry, listAuditLog } from "../../lib/accounts/audit_log.ts";
import { BOOK_DAYS } from "../../lib/proxy/ledger/retention.ts";
import { searchOf } from "../../lib/platform/address.ts";
import { ChangeTable } from "../../components/desk/changes.tsx";
import { deskMethods } from "../../components/desk/desk.tsx";
import { TextField } from "../../components/shared/fields.tsx";

const PAGE = 50;
/** One page looks through so many changes; a link leads on from there. */
const MAX_READ = 2_000;

/** The filters, with their labels and what may stand there. */
const FILTERS = [
  ["account", "Account", "its id, or events"],
  ["who", "By whom", "an id, or a part of a command"],
  ["what", "What", "ban, limit, create…"],
] as const;

export const handler = deskMethods({
  async GET({ ctx: { req, state: { services: { kv, now } } } }) {
    const given = new URLSearchParams(searchOf(req.url));
    const { changes, next } = await readRecord(kv, given);
    return {
      title: "Audit log",
      children: (
        <>
          <p>
            Every change of an account, a key or the events is here for {BOOK_DAYS}{" "}
            days. Names are not: an entry says only that one changed.
          </p>
          <form class="fields" action="/desk/record">
            {FILTERS.map(([name, label, placeholder]) => (
              <TextField
                key={name}
                {...{ name, label, placeholder }}
                value={given.get(name) ?? ""}
                wrong={undefined}
              />
            ))}
            <button type="submit">Filter</button>
          </form>
          {changes.length === 0
            ? <p>No such change{next !== null && " among the newest"}.</p>
            : <ChangeTable label="Changes" changes={changes} now={now()} />}
          {next !== null && (
            <p>
              <a href={`/desk/record?${next}`}>Older changes</a>
            </p>
          )}
        </>
      ),
    };
  },
});

/**
 * A page of the audit log, the newest first, with the query of the page after it, or null.
 *
 * @param given the filters; `until` (epoch milliseconds), where the page begins; and `skip`, how many changes of that
 *   very moment were shown before.
 */
async function readRecord(kv: Deno.Kv, given: URLSearchParams) {
  const text = (name: string) => (given.get(name) ?? "").trim();
  const whole = (name: string, otherwise: number) =>
    /^\d{1,15}$/.test(text(name)) ? Number(text(name)) : otherwise;
  const until = whole("until", Infinity);
  const [account, who, what] = [text("account"), text("who").toLowerCase(), text("what")];
  const changes: AccountAuditEntry[] = [];
  let [at, skip, read] = [until, 0, 0];
  for await (const change of listAuditLog(kv, 0, until)) {
    if (changes.length === PAGE || read === MAX_READ) {
      const next = new URLSearchParams(given);
      next.set("until", `${at}`);
      next.set("skip", `${skip}`);
      return { changes, next };
    }
    // Changes of one moment, as an import makes them, may fill more than a page.
    skip = change.at === at ? skip + 1 : 1;
    at = change.at;
    if (at === until && skip <= whole("skip", 0)) continue;
    read++;
    const isAsked = (account === "" || change.accountId === account) &&
      (what === "" || change.what.some((word) => word === what)) &&
      (who === "" || namesOf(change).includes(who));
    if (isAsked) changes.push(change);
  }
  return { changes, next: null };
}

/** Who made a change, in words and as it is stored, in lower case. */
function namesOf(change: AccountAuditEntry): string {
  return [describeAuditEntry(change).by, ...Object.values(change.by)].join("\n").toLowerCase();
}
