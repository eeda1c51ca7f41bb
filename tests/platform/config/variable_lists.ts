/** The lists of the variables: `.env.example`, and the lists in the document for operators. */

import { SECTIONS } from "../../../lib/platform/config/variables.ts";

/** The text of `.env.example`. */
export function environmentExample(): string {
  const lines = SECTIONS.flatMap(([heading, variables]) => [
    `\n# ${heading}\n`,
    ...Object.entries(variables).flatMap(([name, { about, fallback, example }]) => [
      `# ${about}${fallback === null || fallback === example ? "" : ` Default: ${fallback}`}`,
      // Other readers of such files take what follows a number sign for a comment.
      `#${name}=${example.includes("#") ? `"${example}"` : example}`,
    ]),
  ]);
  return [
    "# Copy this file to .env and uncomment what you need. Each line shows the default or an example.",
    ...lines,
    "",
  ].join("\n");
}

/** The document for operators, with the list below the heading of each section made anew. */
export function withLists(document: string): string {
  return SECTIONS.reduce((text, [heading, variables]) => {
    const [before, below] = text.split(`\n## ${heading}\n\n`);
    if (below === undefined) throw new Error(`The document has no section “${heading}”`);
    const lines = Object.entries(variables).map(([name, { about, fallback, example }]) => {
      const isExample = example !== "" && example !== fallback;
      return `- \`${name}\`: ${about}${fallback === null ? "" : ` Default: \`${fallback}\`.`}` +
        `${isExample ? ` Example: \`${example}\`.` : ""}\n`;
    });
    const after = below.replace(/^(?:- .*\n(?: {2}.*\n)*)+/, "");
    return `${before}\n## ${heading}\n\n${lines.join("")}${after}`;
  }, document);
}
