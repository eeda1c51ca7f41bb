/**
 * The OpenAPI document and the API reference.
 */

export { headerRefs } from "./headers.ts";
export { VERSION } from "./openapi.ts";
export {
  json,
  type Operation,
  pathParameter,
  queryParameters,
  recordedAnswer,
} from "./operation.ts";
export { ADDRESSES, apiCatalog, CATALOG_TYPE, type Operations, referenceOf } from "./reference.ts";
export { modelListSchema, modelSchema, websearchSchema } from "./schemas.ts";
