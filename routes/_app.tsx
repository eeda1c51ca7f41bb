/** The document around every page. */

import type { PageProps } from "fresh";
import type { State } from "../lib/operate/state.ts";
import { PageFrame } from "../components/shared/PageFrame.tsx";

export default function App({ Component, url, state }: PageProps<unknown, State>) {
  return (
    <PageFrame
      site={state.site}
      path={url.pathname}
      hasAccounts={state.services.signIn !== null}
      member={state.memberName}
    >
      <Component />
    </PageFrame>
  );
}
