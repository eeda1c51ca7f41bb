import type { Middleware } from "fresh";
import type { Site } from "../lib/events/site/site.ts";
import { pathOf } from "../lib/platform/address.ts";
import { withSite } from "../components/shared/site.tsx";
import { OPERATIONS } from "../routes/api/v1/openapi.json.ts";
import type { Services } from "../lib/operate/services.ts";
import type { RenderPage, State } from "../lib/operate/state.ts";

/** The addresses for programs, whose responses do not show the site's look. */
const FOR_PROGRAMS = /^\/(?:api\/v1\/events|proxy|hooks|up)(?:\/|$)/;

/** Gives each request its state. */
export function attachState(
  services: Services,
  renderPageFor: (state: Pick<State, "services" | "site">) => RenderPage,
): Middleware<State> {
  function renderPageOf(site: Site): RenderPage {
    const render = renderPageFor({ services, site });
    return (address, element, options) => render(address, withSite(site, element), options);
  }

  return function attachState(ctx) {
    const { req, state } = ctx;
    state.services = services;
    state.operations = OPERATIONS;
    state.requestId = crypto.randomUUID();
    state.notes = {};

    function attachSite() {
      state.site = services.branding.site();
      state.renderPage = renderPageOf(state.site);
      return ctx.next();
    }

    // The files of its look are read once; later pages wait for nothing.
    const waiting = services.branding.ready();
    return waiting === null || FOR_PROGRAMS.test(pathOf(req.url))
      ? attachSite()
      : waiting.then(attachSite);
  };
}
