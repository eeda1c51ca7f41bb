/** `/keys/leaked.md`: how to report a leaked key, as markdown. */

export { handler } from "./leaked.tsx";
