import type { Middleware } from "fresh";
import { siteOf } from "../lib/site/mod.ts";
import { withSite } from "../routes/(_components)/site.tsx";
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
    const render = renderPageFor({ services: state.services });
    const site = siteOf(state.services.config);
    state.renderPage = (address, element, options) =>
      render(address, withSite(site, element), options);
    return next();
  };
}
