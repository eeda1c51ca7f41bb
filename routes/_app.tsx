/** The document around every page. */

import type { PageProps } from "fresh";
import { PageFrame } from "./(_components)/PageFrame.tsx";

export default function App({ Component, url }: PageProps) {
  return (
    <PageFrame path={url.pathname}>
      <Component />
    </PageFrame>
  );
}
