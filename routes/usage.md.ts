/** `/usage.md`: how to learn what was spent, as markdown. */

export { handler } from "./usage.tsx";
