/**
 * The code that browsers load when they filter events themselves. If `browser.ts` exported it, both would become one
 * script.
 */

export { lastDay, matcherOf, textMatcherOf } from "./match.ts";
