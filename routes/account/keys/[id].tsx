/** `/account/keys/{id}`: one of the member's keys, and the actions on it. */

import type { ComponentChildren } from "preact";
import type { Context } from "fresh";
import { type ApiKey, getKey, revokeKey, rotateOwnKey, updateKey } from "../../../lib/proxy/mod.ts";
import { nothingHere, PublicError } from "../../../lib/platform/http/errors.ts";
import {
  endpointNames,
  type OneKeyView,
  readKeyLimits,
  readKeyView,
  readLabel,
  readOverlap,
} from "../../../lib/members/mod.ts";
import { renderDocument, type State } from "../../../lib/operate/mod.ts";
import {
  answerMemberPage,
  memberMethods,
  type MemberRequest,
  readNewKey,
  seeOther,
  showNewKey,
} from "../../../components/account/members.tsx";
import { Dollars } from "../../../components/shared/Spending.tsx";
import CopyButtons from "../../../islands/CopyButtons.tsx";
import { AccountFrame, Moment } from "../../../components/account/AccountFrame.tsx";
import { inner } from "../../../components/documents/DocumentPage.tsx";
import { KeyChanges } from "../../../components/account/KeyForms.tsx";
import { documentsOf } from "../../../components/documents/documents.tsx";

export const handler = memberMethods({
  async GET(request) {
    const { ctx, signIn } = request;
    const key = await ownKey(request);
    const view = await readKeyView(ctx.state.services, request.account, key);
    const secret = readNewKey(ctx, signIn, key.id);
    if (secret === null) return await answerMemberPage(ctx, <KeyPage view={view} />);
    const newKey = { text: secret, samples: await samplesWithKey(ctx, secret) };
    const page = <KeyPage view={view} newKey={newKey} />;
    return await answerMemberPage(ctx, page, [signIn.cookies.newKey.remove()]);
  },
  async POST(form) {
    const { ctx, signIn, account, fields } = form;
    const { kv, config, now } = ctx.state.services;
    const { id } = await ownKey(form);
    const origin = { at: now(), by: { accountId: account.id } };
    switch (fields.one("action")) {
      case "rename":
        await updateKey(kv, id, { label: readLabel(fields.one("name")) }, origin);
        return seeOther(`/account/keys/${id}`);
      case "limit":
        await updateKey(kv, id, readKeyLimits(fields, endpointNames(config)), origin);
        return seeOther(`/account/keys/${id}`);
      case "revoke":
        await revokeKey(kv, id, origin);
        return seeOther("/account#keys");
      case "rotate": {
        const overlapMilliseconds = readOverlap(fields.one("overlap"));
        return showNewKey(signIn, await rotateOwnKey(kv, id, { overlapMilliseconds }, origin));
      }
      default:
        throw new PublicError("bad_request", "The form names no known action.");
    }
  },
});

/** The key of the address. @throws {PublicError} `not_found` unless it belongs to the member. */
async function ownKey({ ctx, account }: MemberRequest): Promise<ApiKey> {
  const key = await getKey(ctx.state.services.kv, ctx.params["id"] ?? "");
  if (key?.accountId === account.id) return key;
  throw nothingHere("You have no such key.", "Your keys are listed at /account.");
}

/** The text of a new key, which is shown only now, and the guide's samples with it. */
interface NewKeyText {
  readonly text: string;
  readonly samples: string;
}

/** The page. */
function KeyPage({ view, newKey }: {
  readonly view: OneKeyView;
  readonly newKey?: NewKeyText;
}) {
  const { id, label, state, createdAt, lastUsedAt, endsAt, spending, endpoints } = view;
  return (
    <AccountFrame title={label ?? id}>
      <p class="fine">
        <a href="/account#keys">Your keys</a>
      </p>
      <h1>{label ?? id}</h1>
      {newKey && <NewKey {...newKey} />}
      <dl class="row facts">
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
        <Fact name="State">
          {state === "active" ? "works" : state}
          {view.leak && (
            <>
              : reported as leaked by a visitor on <Moment at={view.leak.at} />
            </>
          )}
        </Fact>
        <Fact name="Created (UTC)">
          <Moment at={createdAt} />
        </Fact>
        <Fact name="Last used">
          <Moment at={lastUsedAt} />
        </Fact>
        <Fact name={state === "active" ? "Ends" : "Ended"}>
          <Moment at={endsAt} />
        </Fact>
        {spending !== null && (
          <Fact name="Own daily limit">
            <Dollars amount={spending.spentUsd} /> of <Dollars amount={spending.limitUsd} />{" "}
            spent today
          </Fact>
        )}
        {endpoints !== null && <Fact name="May use">{endpoints.join(", ")}</Fact>}
      </dl>
      {state === "active" && <KeyChanges view={view} />}
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

function NewKey({ text, samples }: NewKeyText) {
  const box = `\`\`\`text Your key\n${text}\n\`\`\`\n`;
  return (
    <>
      <div class="verdict up">
        <p class="lede">Here is your key. Store it now: it is shown only once.</p>
        <p>This site stores only a digest of it, from which the key cannot be recovered.</p>
      </div>
      <div class="document" {...inner(renderDocument(box).html)} />
      <h2>A first request with it</h2>
      <div class="document" {...inner(renderDocument(samples).html)} />
      <CopyButtons />
    </>
  );
}

/** The section of the guide whose samples are shown. */
const SECTION = /\n## A first response\n(?<text>[^]*?)\n## /;

/** How each language of the samples names the key. */
const PLACES = [/process\.env\.FOYER_KEY(?: \?\? "")?/g, /os\.environ\["FOYER_KEY"\]/g] as const;

/** The markdown of the samples, which tests run with every client. Keys are letters, digits and underscores. */
async function samplesWithKey(ctx: Context<State>, key: string): Promise<string> {
  const guide = (await documentsOf(ctx)).find(({ name }) => name === "proxy");
  const text = SECTION.exec(guide?.markdown ?? "")?.groups?.["text"] ?? "";
  return PLACES.reduce((samples, place) => samples.replaceAll(place, `"${key}"`), text)
    .replaceAll("$FOYER_KEY", key);
}
