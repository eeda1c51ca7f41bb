/** `/desk/setup.md`: the page as markdown. */

export { handler } from "./setup/index.tsx";
