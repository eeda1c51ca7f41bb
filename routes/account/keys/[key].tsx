/** `/account/keys/{key}`: one of the member's keys, and the actions on it. */

import { keyPage } from "../../../components/account/key_page.tsx";
import { memberMethods } from "../../../components/account/members.tsx";
import { CopiedLine, keySamples } from "../../../components/documents/samples.tsx";

export const handler = memberMethods(keyPage({
  isOwner: true,
  accountOf: ({ account }) => Promise.resolve(account),
  newKey: (text) => <CopiedLine label="Your key" text={text} />,
  samples: keySamples,
}));
