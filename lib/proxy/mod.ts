/**
 * A proxied request from its arrival to its settlement, and the model lists.
 */

export { decisionRequestSchema } from "./decision_request.ts";
export { proxyFigures } from "./figures.ts";
export { createModels, LIST_PARAMETERS, type Models } from "./models.ts";
export { createProxy, type Proxy } from "./proxy.ts";
export { unknownAddress } from "./unknown_address.ts";
export { type DayUsage, type Usage, USAGE_PARAMETERS, usageSchema } from "./usage.ts";
