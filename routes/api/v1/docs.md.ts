/** `/api/v1/docs.md`: the API reference as markdown. */

export { handler } from "./docs.ts";
