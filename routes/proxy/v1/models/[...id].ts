/**
 * `GET /proxy/v1/models/{id}`: one model. Ids hold a slash, which clients encode (`vendor%2Fname`) or not.
 */

import { nothingHere } from "../../../../lib/http/errors.ts";
import { methods } from "../../../../lib/http/methods.ts";
import { pathOf } from "../../../../lib/http/path.ts";
import { searchOf } from "../../../../lib/http/query.ts";
import type { State } from "../../../../lib/state.ts";

const PREFIX = "/proxy/v1/models/";

export const handler = methods<State>({
  GET({ req: request, state: { services: { models } } }) {
    const id = decode(pathOf(request.url).slice(PREFIX.length));
    return models.get(id, { request, search: searchOf(request.url) });
  },
});

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A broken escape: no id has one.
    throw nothingHere();
  }
}
