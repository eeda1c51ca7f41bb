/** `/desk/accounts/restrictions`: what was set for people who have deleted their account since. */

import {
  BOOK_DAYS,
  liftRestriction,
  listRestrictions,
  restrictionInWords,
} from "../../../lib/proxy/mod.ts";
import { wrongField } from "../../../lib/members/mod.ts";
import { deskMethods, originOf, WHY } from "../../../components/desk/desk.tsx";
import { ButtonForm, TextField } from "../../../components/shared/fields.tsx";
import { doneAt } from "../../../components/shared/private.tsx";
import { Table } from "../../../components/shared/Table.tsx";

const ADDRESS = "/desk/accounts/restrictions";
const PERSON = { name: "person", label: "Person: the digest, or the subject of the sign-in" };

export const handler = deskMethods({
  async GET({ ctx: { state: { services: { kv } } } }, wrong) {
    const all = await Array.fromAsync(listRestrictions(kv));
    return {
      title: "Restrictions",
      up: ["/desk/accounts", "Accounts"],
      children: (
        <>
          <p>
            A limit, a ban or a missing verification outlives a deletion of the account for{" "}
            {BOOK_DAYS}
            days: the person's next account has it. The person is stored as a digest alone.
          </p>
          <Table
            label="Restrictions"
            head={["Person", "Since", "What"]}
            rows={all.map((each) => [
              <code key="person">{each.digest}</code>,
              each.day,
              restrictionInWords(each),
            ])}
          />
          <ButtonForm action={ADDRESS} label="Lift the restriction">
            <TextField {...PERSON} wrong={wrong} />
            <TextField {...WHY} wrong={wrong} />
          </ButtonForm>
        </>
      ),
    };
  },
  async POST(form) {
    const { kv, config: { SIGN_IN_ISSUER: issuer } } = form.ctx.state.services;
    const person = form.fields.one(PERSON.name);
    if (await liftRestriction(kv, { person, issuer }, originOf(form)) === null) {
      throw wrongField(PERSON.name, "Nothing is set for this person. Copy a digest of the list.");
    }
    return doneAt(ADDRESS, form.signIn, "restriction-lift");
  },
});
