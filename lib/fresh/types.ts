/** What pages and their settings are; names and shapes are upstream Fresh's. */

import type { ComponentType } from "preact";

/** What a handler gives to its page component. */
export interface PageResponse<Data> {
  readonly data: Data;
  readonly status?: number | undefined;
  readonly headers?: HeadersInit | undefined;
}

/** What a page component gets of the request; a `Context` has it too. */
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

/** What a page component gets; `Component` is what a layout or the app wrapper is around. */
export type PageProps<Data = unknown, State = unknown> = RequestProps<State> & {
  readonly data: Data;
  readonly Component: ComponentType;
};

/** A page, layout, app wrapper or error page; it may be async and may answer by itself. */
// deno-lint-ignore no-explicit-any -- what a component may give back is preact's own affair
export type PageComponent<Data, State> = (props: PageProps<Data, State>) => any;

/** Settings of an app. */
export interface FreshConfig {
  readonly mode: "development" | "production";
  readonly basePath: string;
}

/** What a route or layout exports as `config`. */
export interface RouteConfig {
  readonly skipInheritedLayouts?: boolean;
  readonly skipAppWrapper?: boolean;
}
