/** The app: its middleware in the order in which requests pass it, and its routes. */

import { App } from "fresh";
import type { Services } from "./lib/operate/services.ts";
import type { State } from "./lib/operate/state.ts";
import { leadToAddress } from "./middleware/addresses.ts";
import { answerRequest } from "./middleware/answer.ts";
import { requireDatabase } from "./middleware/database.ts";
import { requireOperator } from "./middleware/desk.ts";
import { serveFiles } from "./middleware/files.ts";
import { createRequestGuard } from "./middleware/request_guard.ts";
import { attachState } from "./middleware/state.ts";

/** Makes the app of a service. */
export function createApp(services: Services): App<State> {
  const guard = createRequestGuard<State>();
  const app = new App<State>()
    .use(
      guard.enter,
      attachState(services, guard.renderPageFor),
      answerRequest,
      guard.checkHost,
      leadToAddress,
      requireDatabase,
      requireOperator,
      serveFiles(),
    )
    .fsRoutes();
  // The build's server, `serve.ts` and the tests get their handler from the app.
  app.handler = guard.around(app.handler.bind(app));
  return app;
}
