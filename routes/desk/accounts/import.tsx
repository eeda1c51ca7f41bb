/** `/desk/accounts/import`: makes accounts from a table, after it has shown what will happen. */

import {
  type Account,
  type Imported,
  type ImportRow,
  importRows,
  planImport,
  readImport,
} from "../../../lib/proxy/mod.ts";
import { type Fields, wrongField } from "../../../lib/members/mod.ts";
import { digestOf } from "../../../lib/platform/digest.ts";
import { formatUsd } from "../../../lib/platform/money.ts";
import { deskMethods, originOf } from "../../../components/desk/desk.tsx";
import { type Again, ButtonForm, Mistake } from "../../../components/shared/fields.tsx";
import type { Page } from "../../../components/shared/private.tsx";
import { Table } from "../../../components/shared/Table.tsx";

const ADDRESS = "/desk/accounts/import";
/** Some ten thousand rows, once as a file and once as a field. */
const MAX_FORM_BYTES = 2 * 1024 * 1024;
/** How many rows and mistakes are shown. */
const SHOWN = 100;
const EXAMPLE = "name,reference,limit\nAda Lovelace,student-1815,4";

/** A row and its account, before the import or after it. */
type Planned = Pick<Imported, "row" | "outcome"> & { readonly account: Account | null };

export const handler = deskMethods({
  maxFormBytes: MAX_FORM_BYTES,
  GET: (_, wrong) => importPage(<Start wrong={wrong} />),
  async POST(form) {
    const { fields, ctx: { state: { services: { kv } } } } = form;
    const table = tableIn(fields);
    const { rows, mistakes } = readImport(table);
    if (rows.length === 0) {
      const found = mistakes.length > 0 ? mistakes : ["the table has no row below its head"];
      const more = found.length - SHOWN;
      const listed = [...found.slice(0, SHOWN), ...more > 0 ? [`and ${more} more`] : []];
      throw wrongField("table", `Nothing was imported:\n${listed.join("\n")}`);
    }
    const plan = await planImport(kv, rows);
    const digest = digestOf(
      plan.map(({ account, outcome }) => `${outcome} ${account?.limitNanoUsd ?? ""}`).join("\n"),
    );
    const asked = fields.one("plan");
    if (asked === digest) {
      const givesKeys = fields.one("keys") === "yes";
      const imported = await importRows(kv, rows, originOf(form), { givesKeys });
      return importPage(<Result imported={imported} />);
    }
    return {
      ...importPage(<Preview {...{ table, plan, digest }} />),
      ...asked !== "" && {
        status: 409,
        fault: "Some of these accounts have changed since. This is what would happen now.",
      },
    };
  },
});

/** The table of a form: a file goes before typed cells. */
function tableIn(fields: Fields): string {
  return fields.one("file") || fields.one("table");
}

function importPage(children: Page["children"]): Page {
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
            value={wrong && tableIn(wrong.fields)}
          />
          <Mistake name="table" wrong={wrong} />
        </div>
        <button type="submit">Show what will happen</button>
      </form>
    </>
  );
}

/** What an import will do; nothing has happened yet. */
function Preview({ table, plan, digest }: {
  readonly table: string;
  readonly plan: readonly Planned[];
  /** A digest of what the import will do, and of the limits that it replaces. */
  readonly digest: string;
}) {
  return (
    <>
      <p class="lede">{inWords(plan)}.</p>
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

/** What an import has done, with the texts of new keys, which are shown only now. */
function Result({ imported }: { readonly imported: readonly Imported[] }) {
  const keys = imported.filter(({ key }) => key !== null);
  const lines = keys.map(({ row: { name, reference }, account, key }) =>
    [name, reference, account.id, key ?? ""].map(toCell).join(",")
  );
  return (
    <>
      <div class="verdict up" role="status">
        <p class="lede">Imported: {inWords(imported)}.</p>
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
      {more > 0 && <p>And {more.toLocaleString("en")} more.</p>}
    </>
  );
}

function inWords(rows: readonly Planned[]): string {
  const count = (outcome: Imported["outcome"]) =>
    rows.filter((row) => row.outcome === outcome).length.toLocaleString("en");
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
