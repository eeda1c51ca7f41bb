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
export { ADDRESSES, apiCatalog, buildReference, CATALOG_TYPE } from "./reference.ts";
export { modelListSchema, modelSchema, websearchSchema } from "./schemas.ts";
