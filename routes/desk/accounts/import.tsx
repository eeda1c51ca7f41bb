/** `/desk/accounts/import`: makes accounts from a table, after it has shown what will happen. */

import type { Account } from "../../../lib/accounts/account.ts";
import {
  type Imported,
  type ImportRow,
  importRows,
  planImport,
  readImport,
} from "../../../lib/accounts/import.ts";
import { type Fields, wrongField } from "../../../lib/members/forms.ts";
import { digestOf } from "../../../lib/platform/digest.ts";
import { decodeTable, GUESSED, TableError } from "../../../lib/platform/csv.ts";
import { formatUsd } from "../../../lib/platform/money.ts";
import { grouped } from "../../../lib/platform/text.ts";
import { deskMethods, originOf } from "../../../components/desk/desk.tsx";
import { type Again, ButtonForm, Mistake } from "../../../components/shared/fields.tsx";
import type { PrivatePage } from "../../../components/shared/private.tsx";
import { Table } from "../../../components/shared/Table.tsx";

const ADDRESS = "/desk/accounts/import";
/** The most rows of an import, in UTF-16. */
const MAX_FORM_BYTES = 4 * 1024 * 1024;
/** An import with keys must end before a connection does: their texts are only in its page. */
const MAX_ROWS_WITH_KEYS = 1_000;
/** How many rows and mistakes are shown. */
const SHOWN = 100;
const EXAMPLE = "name,reference,limit\nAda Lovelace,student-1815,4";

/** A row and its account, before the import or after it. */
type Planned = Pick<Imported, "row" | "outcome"> & { readonly account: Account | null };

export const handler = deskMethods({
  maxFormBytes: MAX_FORM_BYTES,
  GET: (_, wrong) => importPage(<Start wrong={wrong} />),
  async POST(form) {
    const { fields, ctx: { state: { services: { kv, log } } } } = form;
    const { text: table, isGuessed } = await tableIn(fields);
    const { rows, mistakes } = await readImport(table);
    if (mistakes.length > 0) {
      const more = mistakes.length - SHOWN;
      const listed = [...mistakes.slice(0, SHOWN), ...more > 0 ? [`and ${more} more`] : []];
      throw wrongField("table", `Nothing was imported:\n${listed.join("\n")}`);
    }
    const plan = await planImport(kv, rows);
    const digest = digestOf(
      plan.map(({ account, outcome }) => `${outcome} ${account?.limitNanoUsd ?? ""}`).join("\n"),
    );
    const asked = fields.one("plan");
    if (asked === digest) {
      const givesKeys = fields.one("keys") === "yes";
      if (givesKeys && rows.length > MAX_ROWS_WITH_KEYS) {
        throw wrongField(
          "table",
          `Nothing was imported: keys are shown for at most ${MAX_ROWS_WITH_KEYS} rows at once. ` +
            "Import the table in parts, or with “deno task accounts import --keys”.",
        );
      }
      const { imported, failure } = await importRows(kv, rows, originOf(form), { givesKeys });
      if (imported.length === 0 && failure !== null) throw failure;
      if (failure !== null) log.error("An import stopped midway.", { error: failure });
      return importPage(<Result imported={imported} all={rows.length} />);
    }
    return {
      ...importPage(<Preview {...{ table, isGuessed, plan, digest }} />),
      ...asked !== "" && {
        status: 409,
        fault: "Some of these accounts have changed since. This is what would happen now.",
      },
    };
  },
});

/** The table of a form: a file goes before typed cells. @throws {PublicError} `bad_request` for a file that is no table. */
async function tableIn(fields: Fields): Promise<ReturnType<typeof decodeTable>> {
  const bytes = await fields.file("file");
  try {
    return bytes === null ? { text: fields.one("table"), isGuessed: false } : decodeTable(bytes);
  } catch (error) {
    throw error instanceof TableError ? wrongField("table", error.message) : error;
  }
}

function importPage(children: PrivatePage["children"]): PrivatePage {
  return { title: "Import accounts", up: ["/desk/accounts", "Accounts"], children };
}

/** The field for the table, with what is wrong with the last one. */
function Start({ wrong }: Again) {
  return (
    <>
      <p>
        The first row names the columns: <code>name</code>, <code>reference</code> and perhaps{" "}
        <code>limit</code>, in US dollars a day. Each other row is an account. Its reference, such
        as a student number, is how a later import knows it again: it then changes only the limit.
        Save the sheet as CSV and choose the file, or copy its cells.
      </p>
      <form class="fields" method="post" action={ADDRESS} encType="multipart/form-data">
        <div class="field whole">
          <label for="file">A file</label>
          <input type="file" id="file" name="file" accept=".csv,.tsv,text/csv,text/plain" />
        </div>
        <div class="field whole">
          <label for="table">Or its lines</label>
          <textarea
            id="table"
            name="table"
            rows={8}
            spellcheck={false}
            placeholder={EXAMPLE}
            value={wrong?.fields.one("table")}
          />
          <Mistake name="table" wrong={wrong} />
        </div>
        <button type="submit">Show what will happen</button>
      </form>
    </>
  );
}

/** The plan of an import; nothing has happened yet. */
function Preview({ table, isGuessed, plan, digest }: {
  readonly table: string;
  readonly isGuessed: boolean;
  readonly plan: readonly Planned[];
  /** A digest of what the import will do, and of the limits that it replaces. */
  readonly digest: string;
}) {
  return (
    <>
      <p class="lede">{inWords(plan)}.</p>
      {isGuessed && <p class="verdict warning">{GUESSED}</p>}
      <ButtonForm action={ADDRESS} label="Import" fields={{ table, plan: digest }}>
        <label>
          <input type="checkbox" name="keys" value="yes" />{" "}
          Create a key for each account that has none, and show the keys once
        </label>
      </ButtonForm>
      <p>
        <a href={ADDRESS}>Another table</a>
      </p>
      <Rows label="What will happen" rows={plan} />
    </>
  );
}

/** The result of an import, with the texts of new keys, which are shown only now. */
function Result({ imported, all }: {
  readonly imported: readonly Imported[];
  /** The number of rows of the table. */
  readonly all: number;
}) {
  const keys = imported.filter(({ key }) => key !== null);
  const lines = keys.map(({ row: { name, reference }, account, key }) =>
    [name, reference, account.id, key ?? ""].map(toCell).join(",")
  );
  return (
    <>
      <div class={`verdict ${imported.length === all ? "up" : "down"}`} role="status">
        <p class="lede">Imported: {inWords(imported)}.</p>
        {imported.length < all && (
          <p>
            The import stopped after {grouped(imported.length)} of {grouped(all)}{" "}
            rows, because the database failed. Import the same table again: it does what is left.
          </p>
        )}
      </div>
      {keys.length > 0 && (
        <>
          <h2>{keys.length} new keys</h2>
          <p>Store this table now: the keys are shown only once.</p>
          <textarea
            aria-label="The new keys, as CSV"
            rows={12}
            readOnly
            value={["name,reference,account,key", ...lines].join("\n")}
          />
        </>
      )}
      <Rows label="What has happened" rows={imported} />
    </>
  );
}

function Rows({ label, rows }: { readonly label: string; readonly rows: readonly Planned[] }) {
  const more = rows.length - SHOWN;
  return (
    <>
      <Table
        label={label}
        head={["Reference", "Name", "Limit", label]}
        rows={rows.slice(0, SHOWN).map(({ row, account, outcome }) => [
          row.reference,
          account === null
            ? row.name
            : <a key="name" href={`/desk/accounts/${account.id}`}>{account.name}</a>,
          account !== null && outcome === "changed"
            ? `${limitOf(account)} → ${limitOf(row)}`
            : limitOf(account ?? row),
          { created: "new account", changed: "another limit", unchanged: "unchanged" }[outcome],
        ])}
      />
      {more > 0 && <p>And {grouped(more)} more.</p>}
    </>
  );
}

function inWords(rows: readonly Planned[]): string {
  const count = (outcome: Imported["outcome"]) =>
    grouped(rows.filter((row) => row.outcome === outcome).length);
  return `${count("created")} new accounts, ${count("changed")} with another limit, ` +
    `${count("unchanged")} unchanged`;
}

function limitOf({ limitNanoUsd }: Pick<ImportRow, "limitNanoUsd">): string {
  return limitNanoUsd === null ? "default" : `$${formatUsd(limitNanoUsd)}`;
}

/** A cell as RFC 4180 has it; a spreadsheet takes none of them for a formula. */
function toCell(text: string): string {
  const safe = /^[=+@\t\r-]/.test(text) ? `'${text}` : text;
  return /[",\n;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
