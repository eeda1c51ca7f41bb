/**
 * The documents: markdown files, one source for the page, its markdown and the search. A file that is put
 * into the folder is a document; nothing else has to be told of it.
 */

/** A document with everything filled in. */
export interface Document {
  /** The name of its file, without the ending. */
  readonly name: string;
  /** Its path on the site. */
  readonly address: string;
  readonly title: string;
  /** Its first paragraph as plain text. */
  readonly summary: string;
  readonly markdown: string;
}

/** What stands for something that only the running service knows. */
interface Fillings {
  /** Takes the place of the example's origin. */
  readonly baseUrl: string;
  /** Takes the place of `{{name}}`. */
  readonly values: Readonly<Record<string, string>>;
}

/** The order in which one reads them; a document that is not named here comes after these. */
const ORDER = ["events", "proxy", "limits", "usage", "errors", "versioning", "operate", "scale"];
/** Those that stand elsewhere: versioning by the contract, usage as a page of its own. */
const ADDRESSES: Readonly<Record<string, string>> = {
  versioning: "/api/versioning",
  usage: "/usage",
};
/** The origin that the files are written with, so that their samples can be read as they are. */
const EXAMPLE_ORIGIN = "https://foyer.example";

/**
 * Reads every document of a folder.
 *
 * @throws {Error} if a file has no heading or a name in braces that nothing stands for.
 */
export async function readDocuments(folder: URL, fillings: Fillings): Promise<readonly Document[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".md")) names.push(name.slice(0, -".md".length));
  }
  const documents = names.toSorted(byOrder).map(async (name) => {
    const text = await Deno.readTextFile(new URL(`${name}.md`, folder));
    return createDocument(name, text, fillings);
  });
  return await Promise.all(documents);
}

function createDocument(name: string, text: string, { baseUrl, values }: Fillings): Document {
  // Markdown is read far from its address, so every link in it is absolute.
  const markdown = text.replaceAll(EXAMPLE_ORIGIN, baseUrl).replaceAll("](/", `](${baseUrl}/`)
    .replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
      const value = values[key];
      if (value === undefined) throw new Error(`static/docs/${name}.md: nothing fills {{${key}}}`);
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

/** One line without links and marks. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "")
    .replace(/\s+/g, " ").trim();
}

function byOrder(a: string, b: string): number {
  const place = (name: string) => ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
  return place(a) - place(b) || (a < b ? -1 : 1);
}
