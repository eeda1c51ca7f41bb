/** The imports between files of the tree, for the tests of its structure and for the choice of tests. */

import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A module of the tree. */
export interface Source {
  /** From the root of the tree. */
  readonly path: string;
  /** Without comments. */
  readonly text: string;
  /** As they are written. */
  readonly imports: readonly string[];
}

/** Every module below a folder of the tree, tests and bench included. */
export async function readSources(folder = "."): Promise<Source[]> {
  const found: Source[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(root, folder))) {
    const path = join(folder, name);
    if (/^(node_modules|_fresh.*|\.(?!well-known$).*|fixture)$/.test(name)) continue;
    if (isDirectory) found.push(...await readSources(path));
    else if (/\.tsx?$/.test(name)) {
      const text = await Deno.readTextFile(join(root, path));
      const code = text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");
      const imports = [
        ...code.matchAll(/(?:from|import\()\s*"([^"]+)"|new URL\(\s*"([^"]+\.tsx?)"/g),
      ]
        .map(([, specifier, url]) => specifier ?? url ?? "");
      found.push({ path, text: code, imports });
    }
  }
  return found;
}

/** The file of the tree that an import means; null for a package. */
export function importedPath(source: Source, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  return relative(root, join(root, dirname(source.path), specifier));
}

/**
 * The number of imports between a file and each one that it reaches, itself included at 0. A name in `aliases` stands
 * for its file of the tree.
 */
export function distancesFrom(
  path: string,
  sources: ReadonlyMap<string, Source>,
  aliases: Readonly<Record<string, string>> = {},
): Map<string, number> {
  const distances = new Map([[path, 0]]);
  // A map iterates in the order of insertion, even over entries added meanwhile.
  for (const [from, distance] of distances) {
    const source = sources.get(from);
    for (const specifier of source?.imports ?? []) {
      const to = aliases[specifier] ?? (source && importedPath(source, specifier));
      if (to && sources.has(to) && !distances.has(to)) distances.set(to, distance + 1);
    }
  }
  return distances;
}
