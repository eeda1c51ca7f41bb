/**
 * What the form on the reference's page uses: it runs in browsers.
 */

export { type Answer, ask } from "./ask.ts";
export { curlCommand } from "./curl.ts";
export {
  addressOf,
  readOperations,
  type RenderedOperation,
  type RenderedParameter,
} from "./rendered.ts";
