/** Which runtime `fresh` stands for. */

/**
 * Whether it is `lib/platform/fresh`. A file of tests that holds for it alone says `// Own runtime: ` and why; a
 * single test that does is ignored on upstream.
 */
export const IS_OWN_RUNTIME = import.meta.resolve("fresh").includes("/lib/platform/fresh/");
