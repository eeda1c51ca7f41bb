/**
 * The OpenAPI document and the API reference.
 */

export { ADDRESSES, apiCatalog, CATALOG_TYPE } from "./catalog.ts";
export { DOCUMENT_OPERATIONS } from "./document_operations.ts";
export { recordedAnswer } from "./examples.ts";
export { headerRefs } from "./headers.ts";
export { json, type Operation, pathParameter, queryParameter } from "./operation.ts";
export { providerCall } from "./provider_call.ts";
export { referenceOf } from "./reference.ts";
export { modelListSchema, modelSchema, websearchSchema } from "./schemas.ts";
