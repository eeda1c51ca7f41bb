/** `/desk/accounts/import.md`: the page as markdown. */

export { handler } from "./import.tsx";
