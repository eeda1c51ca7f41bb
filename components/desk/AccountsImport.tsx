/** The desk's import of accounts: the table, what it will do, and what it has done. */

import type { Imported, ImportRow, planImport } from "../../lib/proxy/mod.ts";
import { formatUsd } from "../../lib/platform/money.ts";
import { ButtonForm } from "../shared/fields.tsx";
import { Table } from "../shared/Table.tsx";

const EXAMPLE = "name,reference,limit\nAda Lovelace,student-1815,4";
const ADDRESS = "/desk/accounts/import";
/** How many rows and mistakes are shown. */
const SHOWN = 100;

/** What an import will do to the accounts, in the order of the rows. */
export type Plan = Awaited<ReturnType<typeof planImport>>;

/** The field for the table, with what is wrong with the last one. */
export function ImportStart({ table, mistakes }: {
  readonly table: string;
  readonly mistakes: readonly string[];
}) {
  return (
    <>
      <p>
        Each row is an account. Its reference, such as a student number, is how a later import knows
        it again: it then changes only the limit. Save the sheet as CSV and choose the file, or copy
        its cells.
      </p>
      {mistakes.length > 0 && (
        <div class="verdict down" role="alert">
          <p class="lede">Nothing was imported.</p>
          <ul>{mistakes.slice(0, SHOWN).map((mistake) => <li key={mistake}>{mistake}</li>)}</ul>
        </div>
      )}
      <form class="fields" method="post" action={ADDRESS} encType="multipart/form-data">
        <div class="field">
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
            value={table}
          />
        </div>
        <button type="submit">Show what will happen</button>
      </form>
    </>
  );
}

/** What an import will do; nothing has happened yet. */
export function ImportPreview({ table, plan, version, hasChanged }: {
  readonly table: string;
  readonly plan: Plan;
  readonly version: string;
  /** Whether accounts have changed since the operator saw what would happen. */
  readonly hasChanged: boolean;
}) {
  const { created, changed, unchanged } = countsOf(plan);
  return (
    <>
      {hasChanged && (
        <div class="verdict warning" role="alert">
          <p class="lede">Nothing was imported: some of these accounts have changed since.</p>
          <p>This is what would happen now.</p>
        </div>
      )}
      <p class="lede">
        {created} will be created, {changed} get another limit, {unchanged} stay as they are.
      </p>
      <ButtonForm action={ADDRESS} label="Import" fields={{ table, version, action: "import" }}>
        <label>
          <input type="checkbox" name="keys" value="yes" />{" "}
          Create a key for each account that has none, and show the keys once
        </label>
      </ButtonForm>
      <p>
        <a href={ADDRESS}>Another table</a>
      </p>
      <Table
        label="What will happen"
        head={["Reference", "Name", "Limit", "What will happen"]}
        rows={plan.slice(0, SHOWN).map(({ row, account, outcome }) => [
          row.reference,
          account?.name ?? row.name,
          outcome === "changed" && account !== null
            ? `${limitOf(account)} → ${limitOf(row)}`
            : limitOf(account === null ? row : account),
          {
            created: "will be created",
            changed: "gets another limit",
            unchanged: "stays",
          }[outcome],
        ])}
      />
      <Rest count={plan.length} />
    </>
  );
}

/** What an import has done, with the texts of new keys, which are shown only now. */
export function ImportResult({ imported }: { readonly imported: readonly Imported[] }) {
  const { created, changed, unchanged } = countsOf(imported);
  const keys = imported.filter(({ key }) => key !== null);
  const line = ({ row, account, key }: Imported) =>
    [row.name, row.reference, account.id, key ?? ""].map(toCell).join(",");
  return (
    <>
      <div class="verdict up" role="status">
        <p class="lede">
          {created} were created, {changed} got another limit, {unchanged} stayed as they were.
        </p>
      </div>
      {keys.length > 0 && (
        <>
          <h2>{keys.length} new keys</h2>
          <p>Store this table now: the keys are shown only once.</p>
          <textarea
            aria-label="The new keys, as CSV"
            rows={12}
            readOnly
            value={["name,reference,account,key", ...keys.map(line)].join("\n")}
          />
        </>
      )}
      <Table
        label="What has happened"
        head={["Reference", "Name", "Limit", "What has happened"]}
        rows={imported.slice(0, SHOWN).map(({ row, account, outcome }) => [
          row.reference,
          <a key="name" href={`/desk/accounts/${account.id}`}>{account.name}</a>,
          limitOf(outcome === "changed" ? row : account),
          { created: "created", changed: "limit changed", unchanged: "unchanged" }[outcome],
        ])}
      />
      <Rest count={imported.length} />
    </>
  );
}

function Rest({ count }: { readonly count: number }) {
  return count > SHOWN ? <p>And {count - SHOWN} more.</p> : null;
}

function countsOf(rows: readonly Pick<Imported, "outcome">[]) {
  const count = (outcome: Imported["outcome"]) =>
    rows.filter((row) => row.outcome === outcome).length.toLocaleString("en");
  return { created: count("created"), changed: count("changed"), unchanged: count("unchanged") };
}

function limitOf({ limitNanoUsd }: Pick<ImportRow, "limitNanoUsd">): string {
  return limitNanoUsd === null ? "default" : `$${formatUsd(limitNanoUsd)}`;
}

/** A cell as RFC 4180 has it; a spreadsheet takes none of them for a formula. */
function toCell(text: string): string {
  const safe = /^[=+@\t\r-]/.test(text) ? `'${text}` : text;
  return /[",\n;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
