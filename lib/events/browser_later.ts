/** What browsers load when they filter by themselves: its module would make up one script with `browser.ts`. */

export { lastDay, matcherOf, textMatcherOf } from "./match.ts";
