/**
 * HTTP: errors, methods, negotiation, conditional requests, query strings, bodies.
 */

export {
  BODY_BYTES_PER_SECOND,
  BODY_MAX_SECONDS,
  BODY_PACE_BYTES,
  BODY_PACE_SECONDS,
  collectBytes,
  createBodyReader,
  readBounded,
  readShortBody,
} from "./body.ts";
export {
  databaseDown,
  ERROR_CODES,
  errorBody,
  type ErrorCode,
  ERRORS,
  isBusy,
  NOT_FOUND_MAX_AGE_SECONDS,
  nothingHere,
  proxyErrorBody,
  PublicError,
  toPublicError,
} from "./errors.ts";
export { isSameOrigin, readForm } from "./form.ts";
export { readHookBody } from "./hook.ts";
export { type Handler, methodNotAllowed, methods } from "./methods.ts";
export {
  chooseMediaType,
  choosePageType,
  notAcceptable,
  PAGE_TYPES,
  type PageType,
  twinOf,
  withoutTwin,
} from "./negotiate.ts";
export { plainText } from "./plain_text.ts";
export {
  COMMON_HEADERS,
  type Content,
  createRepresentation,
  createResponse,
  type HeaderFields,
  isNotModified,
  type Representation,
  sendRepresentation,
  setHeaders,
} from "./representation.ts";
export { invalidQuery, parseQuery } from "./url.ts";
export { cutAddress, pathOf, searchOf } from "../address.ts";
