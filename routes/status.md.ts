/** `/status.md`: the status page as markdown. */

export { handler } from "./status.tsx";
