/** Errors as markdown: one that was thrown, and the list of all that may be, from their one table. */

import { ERROR_CODES, ERRORS, type PublicError } from "../http/mod.ts";
import { blocks, escapeText, link } from "./markdown.ts";

/** What whoever reads markdown gets instead of a page. */
export function errorMarkdown(error: PublicError, baseUrl: string, requestId: string): string {
  const { code, message, hint, status } = error;
  return blocks(
    `# ${escapeText(message)}`,
    escapeText(hint ?? ""),
    `${link("See what is on", `${baseUrl}/index.md`)}`,
    `Status ${status}, code [\`${code}\`](${baseUrl}/docs/errors#${code}), request \`${requestId}\``,
  );
}

/** A section for each code, at the anchor to which every error's `documentation_url` leads. */
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
