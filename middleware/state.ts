import type { Middleware } from "fresh";
import type { Services } from "../lib/services.ts";
import type { State } from "../lib/state.ts";

/** Gives each request its state: the services, an id, and the notes for its log line. */
export function attachState(services: Services): Middleware<State> {
  return function attachState({ state, next }) {
    state.services = services;
    state.requestId = crypto.randomUUID();
    state.notes = {};
    return next();
  };
}
