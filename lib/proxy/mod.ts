/**
 * The AI proxy: it admits a request, forwards it to a provider, meters the response and settles the cost with the
 * ledger. It also serves the lists of the providers' models.
 */

export { decisionRequestSchema } from "./decision_request.ts";
export { proxyFigures } from "./figures.ts";
export { createModels, LIST_PARAMETERS } from "./models.ts";
export { createEndpoints, createProxy, type EndpointName } from "./proxy.ts";
export { unknownAddress } from "./unknown_address.ts";
export { type DayUsage, getUsage, type Usage, USAGE_PARAMETERS, usageSchema } from "./usage.ts";
