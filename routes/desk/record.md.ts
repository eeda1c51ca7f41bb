/** `/desk/record.md`: the page as markdown. */

export { handler } from "./record.tsx";
