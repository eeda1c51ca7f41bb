import type { VNode } from "preact";
import type { Operations } from "./reference/reference.ts";
import type { Member } from "../members/sessions.ts";
import type { Services } from "./services.ts";
import type { Site } from "../events/site/site.ts";
import type { RequestNotes } from "../platform/log.ts";

/**
 * Renders an element as the page at an address of this site. The HTML is a function of the arguments: it contains no
 * part of a request, and no nonce.
 */
export type RenderPage = (
  address: string,
  element: VNode,
  options?: {
    readonly skipAppWrapper?: boolean;
    /** The member whose name the header shows; no page that is kept has one. */
    readonly memberName?: string;
  },
) => Promise<string>;

/** The state of a request. The first middleware sets it. */
export interface State {
  services: Services;
  /** The operations of the API, which its reference describes and errors name. */
  operations: Operations;
  /** The site that the request's pages belong to, as it looked when the request came. */
  site: Site;
  /** The name of the member who is signed in, on the members' own pages. */
  memberName?: string;
  /** The operator who is signed in, on the pages of the desk, which nobody else reaches. */
  operator?: Member;
  /** Sent as `X-Request-Id`, and part of every entry of the log about the request. */
  requestId: string;
  /** The facts about the request for its log line. */
  notes: RequestNotes;
  renderPage: RenderPage;
}
