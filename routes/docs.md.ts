/** `/docs.md`: the list of documents as markdown. */

export { handler } from "./docs/index.tsx";
