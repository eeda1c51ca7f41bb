/** `/desk/setup`: the doctor's sentences, the providers, the backup and the variables. */

import { reconcileBooks, reconciliationInWords } from "../../../lib/operate/reconcile.ts";
import { readBackupTime } from "../../../lib/operate/backup/backup.ts";
import { examineParts, type Finding, PROVIDERS, tryProvider } from "../../../lib/operate/doctor.ts";
import { labelOf } from "../../../lib/operate/status/words.ts";
import { SECTIONS } from "../../../lib/platform/config/variables.ts";
import { PublicError } from "../../../lib/platform/http/errors.ts";
import { counted } from "../../../lib/platform/text.ts";
import { deskMethods } from "../../../components/desk/desk.tsx";
import { Look } from "../../../components/desk/look.tsx";
import { ButtonForm } from "../../../components/shared/fields.tsx";
import { Moment } from "../../../components/shared/moments.tsx";
import type { PrivatePage, Visit } from "../../../components/shared/private.tsx";
import { Table } from "../../../components/shared/Table.tsx";

const ADDRESS = "/desk/setup";
/** The parts that can be examined, with the labels of their buttons. */
const TRIALS = [
  ["all", "Examine everything"],
  ["books", "Compare the books"],
  ...PROVIDERS.map((name) => [name, `Try ${labelOf(name)}`] as const),
] as const;
/** How many differences of the books are shown. */
const MAX_DIFFERENCES = 100;
const STATES: Readonly<Record<Finding["state"], string>> = {
  ok: "works",
  warning: "warning",
  failed: "failed",
  unknown: "not known",
};

export const handler = deskMethods({
  GET: (visit) => setupPage(visit, null),
  /** Examines, and changes nothing: the page with the result is the response. */
  async POST(form) {
    const { services, services: { kv, now } } = form.ctx.state;
    const asked = form.fields.one("examine");
    const provider = PROVIDERS.find((name) => name === asked);
    if (provider !== undefined) {
      return await setupPage(form, [await tryProvider(services, provider)]);
    }
    if (asked === "all") return await setupPage(form, await examineParts(services));
    if (asked === "books") return await setupPage(form, await examineBooks(kv, now()));
    throw new PublicError("bad_request", "The form names nothing that can be examined.");
  },
});

async function examineBooks(kv: Deno.Kv, now: number): Promise<Finding[]> {
  const books = await reconcileBooks(kv, now);
  const state = books.differences.length === 0 ? "ok" : "failed";
  const sentences = reconciliationInWords(books);
  const more = sentences.slice(MAX_DIFFERENCES).length;
  return [
    ...sentences.slice(0, MAX_DIFFERENCES),
    ...more === 0 ? [] : [`and ${counted(more, "difference")} more`],
  ].map((sentence) => ({ name: "books", state, sentence }));
}

/** @param findings what was just examined; null if nothing was. */
async function setupPage(
  { ctx: { state: { site, services: { kv, config, now } } } }: Visit,
  findings: readonly Finding[] | null,
): Promise<PrivatePage> {
  const backupAt = await readBackupTime(kv);
  const isSet = (variable: string) => Object.hasOwn(config.shown, variable);
  return {
    title: "Setup",
    children: (
      <>
        <h2 id="examination">Examination</h2>
        <p>
          It asks the database, the jobs, the events store and each provider, and changes nothing.
          Structured decisions are not tried, because each call costs. The books are the sums of all
          accounts: they are compared with the single records, which may take minutes.
        </p>
        {findings !== null && (
          <div role="status">
            <Table
              label="Examination"
              head={["Part", "State", "What was found"]}
              rows={findings.map(({ name, state, sentence }) => [name, STATES[state], sentence])}
            />
          </div>
        )}
        <ul class="row states">
          {TRIALS.map(([examine, label]) => (
            <li key={examine}>
              <ButtonForm action={ADDRESS} label={label} fields={{ examine }} isQuiet />
            </li>
          ))}
        </ul>
        <h2 id="look">Look</h2>
        <Look site={site} isSet={isSet} />
        <h2 id="backup">Backup</h2>
        <p>
          The last one was made: <Moment at={backupAt} now={now()} />
          {backupAt !== null && " UTC"}. A backup has everything that cannot be made again, names of
          members and digests of keys among it: keep it as safe as the database.
        </p>
        <p>
          <a class="plain-button" href={`${ADDRESS}/backup`}>Download a backup</a>
        </p>
        <h2 id="variables">Variables</h2>
        <p>
          All are valid, or the service would not have started. To change one, set it where the
          service runs, and start it again; <a href="/docs/configuration">Configuration</a>{" "}
          explains each.
        </p>
        {SECTIONS.map(([heading, variables]) => (
          <details key={heading}>
            <summary>
              {heading}: {Object.keys(variables).filter(isSet).length} of{" "}
              {Object.keys(variables).length} set
            </summary>
            <Table
              label={heading}
              head={["Variable", "State", "Value"]}
              rows={Object.entries(variables).map(([name, { fallback }]) =>
                isSet(name)
                  ? [name, "set", config.shown[name]?.replace(/^"(.*)"$/, "$1") ?? "not shown"]
                  : [name, fallback === null ? "not set" : "default", fallback ?? ""]
              )}
            />
          </details>
        ))}
      </>
    ),
  };
}
