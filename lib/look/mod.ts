/** The look of an organisation's site: its logo and its font, read from files and checked. */

export { createLook } from "./look.ts";
