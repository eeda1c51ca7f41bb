/** The lists of the variables: `.env.example`, and the document for operators. */

import { SECTIONS } from "../../../lib/platform/config/variables.ts";

/** The text of `.env.example`. */
export function environmentExample(): string {
  const lines = SECTIONS.flatMap(([heading, variables]) => [
    `\n# ${heading}\n`,
    ...Object.entries(variables).flatMap(([name, { about, fallback, example }]) => [
      `# ${about}${fallback === null || fallback === example ? "" : ` Default: ${fallback}`}`,
      // Without quotes, what follows a number sign would be a comment.
      `#${name}=${example.includes("#") ? `"${example}"` : example}`,
    ]),
  ]);
  return [
    "# Copy this file to .env and uncomment what you need. Each line shows the default or an example.",
    ...lines,
    "",
  ].join("\n");
}

/** The text of the document that lists the variables, in the form that `deno fmt` gives it. */
export function variablesDocument(): string {
  const tables = SECTIONS.flatMap(([heading, variables]) => [
    `\n## ${heading}\n`,
    ...table(
      ["Variable", "Default", "Meaning"],
      Object.entries(variables).map(([name, { about, fallback, example }]) => [
        `\`${name}\``,
        fallback === null ? "" : `\`${fallback}\``,
        example === "" || example === fallback
          ? about
          : `${about} Example: \`${example.replaceAll("|", "\\|")}\``,
      ]),
    ),
  ]);
  return [
    "# Variables",
    "",
    "For operators: every variable that Foyer reads. A start names each mistake in them.",
    "[Operating Foyer](/docs/operate#configuration) says where they are set.",
    ...tables,
    "",
  ].join("\n");
}

/** The lines of a markdown table with aligned columns. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0))
  );
  const lineOf = (cells: readonly string[], filler: string) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, filler)).join(" | ")} |`;
  return [
    lineOf(head, " "),
    lineOf(head.map(() => ""), "-"),
    ...rows.map((row) => lineOf(row, " ")),
  ];
}
