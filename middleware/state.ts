import type { Middleware } from "fresh";
import type { Services } from "../lib/services.ts";
import type { RenderPage, State } from "../lib/state.ts";

/** Gives each request its state: the services, an id, the notes for its log line, and the function that renders pages. */
export function attachState(
  servicesFor: (url: string) => Services,
  renderPageFor: (state: Pick<State, "services">) => RenderPage,
): Middleware<State> {
  return function attachState({ req, state, next }) {
    state.services = servicesFor(req.url);
    state.requestId = crypto.randomUUID();
    state.notes = {};
    state.renderPage = renderPageFor({ services: state.services });
    return next();
  };
}
