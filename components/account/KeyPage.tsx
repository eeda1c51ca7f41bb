/** The page of a member's key: what it may do, samples with it, and the forms that change it. */

import type { ComponentChildren, VNode } from "preact";
import { type OneKeyView, OVERLAPS } from "../../lib/members/mod.ts";
import CopyButtons from "../../islands/CopyButtons.tsx";
import OwnTimes from "../../islands/OwnTimes.tsx";
import { Dollars } from "../shared/Spending.tsx";
import { AccountFrame } from "./AccountFrame.tsx";
import { ButtonForm, Choice, type WrongForm } from "../shared/fields.tsx";
import { LimitFields, NameField } from "../shared/KeyForms.tsx";
import { Ago, Moment } from "../shared/moments.tsx";

/** The page. */
export function KeyPage({ view, newKey, samples, wrong }: {
  readonly view: OneKeyView;
  /** The text of a new key, which is shown only now. */
  readonly newKey: VNode | "" | null;
  /** Samples with the key in them, or with its place. */
  readonly samples: VNode;
  readonly wrong?: WrongForm | undefined;
}) {
  const { id, name, state, createdAt, lastUsedAt, endsAt, spending, endpoints, now } = view;
  const isActive = state === "active";
  return (
    <AccountFrame title={name}>
      <p class="fine">
        <a href="/account#keys">Your keys</a>
      </p>
      <h1>{name}</h1>
      {newKey && (
        <>
          <div class="verdict up">
            <p class="lede">Here is your key. Store it now: it is shown only once.</p>
            <p>This site stores only a digest of it, from which the key cannot be recovered.</p>
          </div>
          {newKey}
        </>
      )}
      <dl class="row facts">
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
        <Fact name="State">
          {isActive ? "works" : state}
          {view.leak && (
            <>
              : reported as leaked by a visitor on <Moment at={view.leak.at} now={now} />
            </>
          )}
        </Fact>
        <Fact name="Last used">
          <Ago at={lastUsedAt} now={now} />
        </Fact>
        <Fact name="Created">
          <Moment at={createdAt} now={now} />
        </Fact>
        <Fact name={isActive ? "Ends" : "Ended"}>
          <Moment at={endsAt} now={now} />
        </Fact>
        {spending !== null && (
          <Fact name="Own daily limit">
            <Dollars amount={spending.spentUsd} /> of <Dollars amount={spending.limitUsd} />{" "}
            spent today
          </Fact>
        )}
        {endpoints !== null && <Fact name="May use">{endpoints.join(", ")}</Fact>}
      </dl>
      <OwnTimes />
      {isActive && (
        <div class="pairs">
          <section>
            <h2>{newKey ? "A first request with it" : "Requests with it"}</h2>
            {!newKey && <p>Put your key in the marked place.</p>}
            {samples}
          </section>
          <KeyChanges view={view} wrong={wrong} />
        </div>
      )}
      <CopyButtons />
    </AccountFrame>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Changes a key that works: its name, its limits, the key itself, its end. */
function KeyChanges({ view, wrong }: {
  readonly view: OneKeyView;
  readonly wrong: WrongForm | undefined;
}) {
  const { id, label, limitUsd, endpoints, allEndpoints } = view;
  const action = wrong?.fields.one("action");
  const form = (name: string) => ({ action: `/account/keys/${id}`, fields: { action: name } });
  return (
    <section>
      <h2>Rename</h2>
      <ButtonForm {...form("rename")} label="Rename">
        <NameField value={label ?? ""} wrong={action === "rename" ? wrong : undefined} />
      </ButtonForm>
      <h2>Limit</h2>
      <ButtonForm {...form("limit")} label="Save">
        <LimitFields
          limitUsd={limitUsd}
          all={allEndpoints}
          chosen={endpoints}
          wrong={action === "limit" ? wrong : undefined}
        />
      </ButtonForm>
      <h2>Rotate</h2>
      <p>You get a new key with the same name. This one continues to work for a while.</p>
      <ButtonForm {...form("rotate")} label="Rotate">
        <Choice
          name="overlap"
          label="This key still works for"
          choices={OVERLAPS}
          chosen="24"
          wrong={action === "rotate" ? wrong : undefined}
        />
      </ButtonForm>
      <h2>Revoke</h2>
      <p>Requests with this key are refused within five seconds, permanently.</p>
      <details>
        <summary>Revoke this key…</summary>
        <p>A revoked key never works again. Do you want to revoke it?</p>
        <ButtonForm {...form("revoke")} label="Yes, revoke this key" isDangerous />
      </details>
    </section>
  );
}
