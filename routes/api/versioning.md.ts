/** `/api/versioning.md`: the versioning policy as markdown. */

export { handler } from "./versioning.tsx";
