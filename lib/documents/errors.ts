/** Errors as markdown: a response for one error, and the documentation of every code. */

import { ERROR_CODES, ERRORS, type PublicError } from "../http/mod.ts";
import { blocks, escapeText, link } from "./markdown.ts";

/** The markdown of an error page. */
export function errorMarkdown(error: PublicError, baseUrl: string, requestId: string): string {
  const { code, message, hint, status } = error;
  return blocks(
    `# ${escapeText(message)}`,
    escapeText(hint ?? ""),
    link("See all events", `${baseUrl}/index.md`),
    `Status ${status}, code [\`${code}\`](${baseUrl}/docs/errors#${code}), request \`${requestId}\``,
  );
}

/** A section for each code; the `documentation_url` of an error leads to its heading. */
export function errorSections(): string {
  return ERROR_CODES.map((code) => {
    const { status, cause, remedy } = ERRORS[code];
    return blocks(
      `### \`${code}\``,
      `Status **${status}**. ${cause}`,
      `**What to do:** ${remedy}`,
    );
  }).join("\n");
}
