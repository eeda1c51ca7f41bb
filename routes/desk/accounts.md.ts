/** `/desk/accounts.md`: the page as markdown. */

export { handler } from "./accounts/index.tsx";
