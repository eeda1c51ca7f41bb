/**
 * Markdown, the documents of `static/docs/`, and their search.
 */

export { errorMarkdown, errorSections } from "./errors.ts";
export { type Document, readDocuments } from "./library.ts";
export { llmsFull, llmsIndex } from "./llms.ts";
export { blocks, escapeParagraphs, escapeText, link, list, table } from "./markdown.ts";
export { documentsMarkdown } from "./overview.ts";
export { type Heading, renderDocument } from "./render.ts";
export { type Hit, MAX_SEARCH_LENGTH, searchDocuments } from "./search.ts";
