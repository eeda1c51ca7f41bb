/** `/desk/accounts`: finds accounts, and creates one. */

import { createAccount } from "../../../lib/accounts/account.ts";
import { findAccounts } from "../../../lib/accounts/find.ts";
import { createReferredAccount, findReferenceFault } from "../../../lib/accounts/reference.ts";
import { readAmount, wrongField } from "../../../lib/members/forms.ts";
import { LISTED_ACCOUNTS } from "../../../lib/operate/desk_summary.ts";
import type { Services } from "../../../lib/operate/services.ts";
import { searchOf } from "../../../lib/platform/address.ts";
import { grouped, searchText } from "../../../lib/platform/text.ts";
import { formatMinute } from "../../../lib/platform/time.ts";
import {
  accountTable,
  limitField,
  NAME,
  readAccounts,
  readName,
  VIEWS,
} from "../../../components/desk/accounts.tsx";
import { deskMethods, originOf } from "../../../components/desk/desk.tsx";
import { type Again, ButtonForm, TextField } from "../../../components/shared/fields.tsx";
import { LinkList } from "../../../components/shared/LinkList.tsx";
import { doneAt, type Form } from "../../../components/shared/private.tsx";

const ADDRESS = "/desk/accounts";
/** How many accounts a page of a view has. */
const PAGE = 50;
const REFERENCE = { name: "reference", label: "Reference, if any", maxLength: 100 };

export const handler = deskMethods({
  async GET({ ctx: { req, state: { services } } }, wrong) {
    const query = new URLSearchParams(searchOf(req.url));
    const word = searchText(query.get("q"), 100);
    const asked = query.get("view") ?? "";
    const view = Object.hasOwn(VIEWS, asked) ? asked as keyof typeof VIEWS : null;
    const after = query.get("after");
    const { accounts, next, note } = view === null
      ? { ...await findAccounts(services.kv, word, after), note: null }
      : await listView(services, view, Number(after) || 0);
    const more = { ...view ? { view } : word && { q: word }, after: `${next}` };
    return {
      title: "Accounts",
      beside: (
        <span class="row buttons">
          <a class="plain-button" href={`${ADDRESS}?new`}>Create an account</a>
          <a class="plain-button second" href={`${ADDRESS}/import`}>Import a table</a>
        </span>
      ),
      children: (
        <>
          {(wrong !== undefined || query.has("new")) && <NewAccount wrong={wrong} />}
          <Finder word={word} view={view} />
          {note && <p class="fine">{note}</p>}
          {accounts.length === 0
            ? <p>No account.</p>
            : await accountTable(services, "Accounts", accounts)}
          {next !== null && (
            <p>
              <a class="plain-button" href={`${ADDRESS}?${new URLSearchParams(more)}`} rel="next">
                Next page
              </a>
            </p>
          )}
        </>
      ),
    };
  },
  async POST(form) {
    const { id } = await create(form);
    return doneAt(`${ADDRESS}/${id}`, form.signIn, "account-create");
  },
});

/** A page of the accounts in a state, from the one at a position on. */
async function listView({ kv, deskSummary }: Services, view: keyof typeof VIEWS, from: number) {
  const { at, lists: { [view]: { count, ids } } } = await deskSummary.get();
  const end = from + PAGE;
  const first = grouped(Math.min(from + 1, ids.length));
  const last = grouped(Math.min(end, ids.length));
  return {
    accounts: await readAccounts(kv, ids.slice(from, end)),
    next: end < ids.length ? end : null,
    note: `${first} to ${last} of ${grouped(count)} at ${formatMinute(at)}` +
      (count > ids.length ? `. The first ${LISTED_ACCOUNTS} are listed.` : ""),
  };
}

async function create(form: Form) {
  const { fields, ctx: { state: { services: { kv } } } } = form;
  const asked = {
    name: readName(fields),
    limitNanoUsd: readAmount(fields, "limit"),
    verified: true,
  };
  const reference = fields.one("reference");
  if (reference === "") return await createAccount(kv, asked, originOf(form));
  const wrong = findReferenceFault(reference);
  if (wrong !== null) throw wrongField("reference", `The reference ${wrong}.`);
  const referred = { ...asked, reference };
  const { account, isNew } = await createReferredAccount(kv, referred, originOf(form));
  if (isNew) return account;
  throw wrongField("reference", `The account ${account.id} has this reference already.`);
}

function Finder({ word, view }: { readonly word: string; readonly view: string | null }) {
  const links = Object.entries(VIEWS).map(([name, label]) => ({
    label,
    href: `${ADDRESS}?view=${name}`,
    "aria-current": name === view ? "page" as const : undefined,
  }));
  return (
    <>
      <search>
        <form action={ADDRESS}>
          <input
            type="search"
            name="q"
            value={word}
            aria-label="Name, reference or id"
            placeholder="Name, reference or id"
            maxLength={100}
          />
          <button type="submit">Find</button>
        </form>
      </search>
      <LinkList class="row states" aria-label="States" links={links} />
    </>
  );
}

function NewAccount({ wrong }: Again) {
  return (
    <ButtonForm action={ADDRESS} label="Create the account">
      {[NAME, REFERENCE, limitField("limit")].map((field) => (
        <TextField key={field.name} {...field} wrong={wrong} />
      ))}
    </ButtonForm>
  );
}
