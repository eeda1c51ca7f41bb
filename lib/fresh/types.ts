/** Types of pages and their settings, with upstream Fresh's names and shapes. */

import type { ComponentType } from "preact";

/** A handler's result for its page component. */
export interface PageResponse<Data> {
  readonly data: Data;
  readonly status?: number | undefined;
  readonly headers?: HeadersInit | undefined;
}

/** The request's part of a page component's props; a `Context` has it too. */
export interface RequestProps<State> {
  readonly config: FreshConfig;
  readonly url: URL;
  readonly req: Request;
  readonly params: Record<string, string>;
  readonly route: string | null;
  readonly info: Deno.ServeHandlerInfo;
  readonly error: unknown;
  readonly isPartial: false;
  readonly state: State;
}

/** The props of a page component; `Component` is the content of a layout or the app wrapper. */
export type PageProps<Data = unknown, State = unknown> = RequestProps<State> & {
  readonly data: Data;
  readonly Component: ComponentType;
};

/** A page, layout, app wrapper or error page; it may be async and may return a response. */
// deno-lint-ignore no-explicit-any -- preact defines what a component may return
export type PageComponent<Data, State> = (props: PageProps<Data, State>) => any;

/** Settings of an app. */
export interface FreshConfig {
  readonly mode: "development" | "production";
  readonly basePath: string;
}

/** The export `config` of a route or layout. */
export interface RouteConfig {
  readonly skipInheritedLayouts?: boolean;
  readonly skipAppWrapper?: boolean;
}
