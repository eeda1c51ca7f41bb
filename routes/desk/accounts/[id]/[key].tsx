/** `/desk/accounts/{id}/{key}`: a key of an account. */

import { keyPage } from "../../../../components/account/key_page.tsx";
import { accountAt, deskMethods } from "../../../../components/desk/desk.tsx";

export const handler = deskMethods(keyPage({
  isOwner: false,
  accountOf: ({ ctx }) => accountAt(ctx),
  newKey: (text) => (
    <p>
      <code>{text}</code>
    </p>
  ),
}));
