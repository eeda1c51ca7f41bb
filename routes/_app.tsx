/** The document around every page. */

import type { PageProps } from "fresh";
import { Page } from "./(_components)/Page.tsx";

export default function App({ Component }: PageProps) {
  return (
    <Page>
      <Component />
    </Page>
  );
}
