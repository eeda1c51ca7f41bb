/** `/index.md`: the home page as markdown. */

export { handler } from "./index.tsx";
