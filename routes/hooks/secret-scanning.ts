/** `POST /hooks/secret-scanning`: GitHub's secret scanning reports keys of this service, which are then revoked. */

import { nothingHere } from "../../lib/http/mod.ts";
import { labelOf } from "../../lib/accounts/mod.ts";
import { methods } from "../(_shared)/methods.ts";

export const handler = methods({
  async POST({ req, state: { services: { secretScanning, leaks } } }) {
    if (secretScanning === null) throw nothingHere();
    const labels = [];
    for (const found of await secretScanning.read(req)) {
      const isOurs = await leaks.report(found.token, { by: "github", url: found.url });
      labels.push(labelOf(found, isOurs));
    }
    return Response.json(labels, { headers: { "cache-control": "no-store" } });
  },
});
