/** `/usage.md`: the usage page as markdown. */

export { handler } from "./usage.tsx";
