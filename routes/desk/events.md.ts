/** `/desk/events.md`: the page as markdown. */

export { handler } from "./events.tsx";
