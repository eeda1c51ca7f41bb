/** `/desk.md`: the desk's first page as markdown. */

export { handler } from "./desk/index.tsx";
