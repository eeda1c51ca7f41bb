/** Which file of the tree imports which: what the tests about its shape, and the choice of tests, go by. */

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
 * How many imports lie between a file and each one that it reaches, itself included at 0. Names that stand
 * for a file of the tree are followed as far as `aliases` has them.
 */
export function distancesFrom(
  path: string,
  sources: ReadonlyMap<string, Source>,
  aliases: Readonly<Record<string, string>> = {},
): Map<string, number> {
  const distances = new Map([[path, 0]]);
  // A map is walked in the order of insertion, those that the walk itself adds included.
  for (const [from, distance] of distances) {
    const source = sources.get(from);
    for (const specifier of source?.imports ?? []) {
      const to = aliases[specifier] ?? (source && importedPath(source, specifier));
      if (to && sources.has(to) && !distances.has(to)) distances.set(to, distance + 1);
    }
  }
  return distances;
}
