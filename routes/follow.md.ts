/** `/follow.md`: the page *Follow* as markdown. */

export { handler } from "./follow.tsx";
