/**
 * Markdown, the documents of `static/docs/`, and their search.
 */

export { type FoundSection, MAX_SEARCH_LENGTH } from "./browser.ts";
export { type Document, EXAMPLE_ORIGIN, groupDocuments, readDocuments } from "./library.ts";
export {
  documentsMarkdown,
  errorMarkdown,
  errorSections,
  llmsFull,
  llmsIndex,
} from "./listings.ts";
export { absolute, blocks, escapeParagraphs, escapeText, link, list, table } from "./markdown.ts";
export { type Heading, NEW_TAB, renderDocument } from "./render.ts";
export { searchDocuments } from "./search.ts";
