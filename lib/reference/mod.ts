/**
 * The OpenAPI document and the API reference.
 */

export { headerRefs } from "./headers.ts";
export { VERSION } from "./openapi.ts";
export {
  json,
  type Operation,
  type ParameterObject,
  pathParameter,
  queryParameters,
  recordedAnswer,
} from "./operation.ts";
export {
  ADDRESSES,
  apiCatalog,
  buildReference,
  CATALOG_TYPE,
  type FormOperation,
} from "./reference.ts";
export { modelListSchema, modelSchema, websearchSchema } from "./schemas.ts";
