/**
 * The documents: markdown files from which the pages, their markdown and the search are made. Every file in the folder
 * is one.
 */

/** A document with its placeholders filled in. */
export interface Document {
  /** The name of its file, without the extension. */
  readonly name: string;
  /** Its path on the site. */
  readonly address: string;
  readonly title: string;
  /** Its first paragraph as plain text. */
  readonly summary: string;
  readonly markdown: string;
}

/** Values that only the running service knows. */
interface Fillings {
  /** Replaces {@linkcode EXAMPLE_ORIGIN}. */
  readonly baseUrl: string;
  /** The values of the placeholders `{{name}}`. */
  readonly values: Readonly<Record<string, string>>;
}

/** The purpose of readers who operate the software. */
const OPERATORS = "Run it";
/** The purposes of readers, each with its documents in reading order. */
const GROUPS = [
  { title: "Show events", names: ["events", "follow", "embed"] },
  { title: "Use the proxy", names: ["proxy", "agents", "limits", "usage", "leaked"] },
  { title: "Look it up", names: ["reference", "errors", "versioning", "status"] },
  { title: OPERATORS, names: ["install", "operate", "configuration", "scale", "security"] },
];
/** The group of documents that are in no other. */
const MORE = "More";
const ORDER = GROUPS.flatMap(({ names }) => names);
/** Addresses outside `/docs`: `/api/versioning` is fixed for ever, and usage has a page of its own. */
const ADDRESSES: Readonly<Record<string, string>> = {
  versioning: "/api/versioning",
  usage: "/usage",
  leaked: "/keys/leaked",
};
/** The origin in the files and in the recorded examples; it keeps their samples readable. */
export const EXAMPLE_ORIGIN = "https://foyer.example";
/** The id of the event in the recorded examples; the files also use its slug. */
export const EXAMPLE_EVENT = "recI1rhC7P2BGZJPt";
const EXAMPLE_NAME = RegExp(`(?<=(?:events|embed)(?:/|%2F))(?:${EXAMPLE_EVENT}|solder-night)`, "g");

/**
 * Reads every document of a folder.
 *
 * @throws {Error} if a file has no heading, or a `{{name}}` without a value.
 */
export async function readDocuments(folder: URL, fillings: Fillings): Promise<readonly Document[]> {
  const files = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  const names = files.filter((file) => file.endsWith(".md")).map((file) => file.slice(0, -3));
  return await Promise.all(
    names.toSorted(byOrder).map(async (name) => {
      const text = await Deno.readTextFile(new URL(`${name}.md`, folder));
      return createDocument(name, text, fillings);
    }),
  );
}

/** The documents by the purpose of their readers; documents without a group come last. */
export function groupDocuments(documents: readonly Document[]) {
  const sorted = documents.toSorted((a, b) => byOrder(a.name, b.name));
  const titleOf = ({ name }: Document) =>
    GROUPS.find(({ names }) => names.includes(name))?.title ?? MORE;
  return [...Map.groupBy(sorted, titleOf)].map(([title, documents]) => ({ title, documents }));
}

/** Whether a document is for those who run the software, and not for visitors or members of a site. */
export function isForOperators({ name }: Document): boolean {
  return GROUPS.some(({ title, names }) => title === OPERATORS && names.includes(name));
}

/** Puts the id of an event of this site into the commands and the frames of a document. Responses stay as they were recorded. */
export function nameEvent(markdown: string, id: string): string {
  return markdown.replace(
    /^```(?:sh|html)\n[^]*?^```$/gm,
    (sample) => sample.replace(EXAMPLE_NAME, () => encodeURIComponent(id)),
  );
}

function createDocument(name: string, text: string, { baseUrl, values }: Fillings): Document {
  // Markdown is read away from this site, so its links are absolute.
  const markdown = text.replaceAll(EXAMPLE_ORIGIN, baseUrl)
    .replaceAll(encodeURIComponent(EXAMPLE_ORIGIN), encodeURIComponent(baseUrl))
    .replaceAll("](/", `](${baseUrl}/`)
    .replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
      const value = values[key];
      if (value === undefined) throw new Error(`static/docs/${name}.md: {{${key}}} has no value`);
      return value;
    });
  const [, title, rest = ""] = /^# (.+)\n+([^]*)$/.exec(markdown) ?? [];
  if (title === undefined) throw new Error(`static/docs/${name}.md does not begin with a heading`);
  const [summary = ""] = rest.split(/\n\s*\n/);
  return {
    name,
    address: ADDRESSES[name] ?? `/docs/${name}`,
    title,
    summary: plain(summary),
    markdown,
  };
}

/** A paragraph as one line of plain text. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "")
    .replace(/\s+/g, " ").trim();
}

function byOrder(a: string, b: string): number {
  const place = (name: string) => ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
  return place(a) - place(b) || (a < b ? -1 : 1);
}
