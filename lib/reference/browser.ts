/**
 * What the form on the reference's page uses: it runs in browsers.
 */

export { parameterNotes, typeText } from "./fields.ts";
export { curlCommand, fillPath, NO_RESPONSE, type Outcome, sendRequest } from "./request.ts";
