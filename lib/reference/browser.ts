/** The part that the form on the reference's page uses; it runs in browsers. */

export { parameterNotes, typeText } from "./fields.ts";
export { curlCommand, fillPath, NO_RESPONSE, type Reply, sendRequest } from "./request.ts";
