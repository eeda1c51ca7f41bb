/** How an organisation's site looks: its logo and its font, read from files and checked. */

export { createLook } from "./look.ts";
