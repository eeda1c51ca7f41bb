/** Reading the project's folders. */

import { createHash } from "node:crypto";
import type { StaticFile } from "./build_cache.ts";
import { contentTypeOf } from "./content_type.ts";

const MODULE = /\.(?:tsx|jsx|ts|js)$/;

/** Every file below a folder, as paths relative to it with a leading slash, sorted. */
export async function listFiles(folder: string, below = ""): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (const entry of Deno.readDir(`${folder}${below}`)) {
      const path = `${below}/${entry.name}`;
      if (entry.isDirectory) files.push(...await listFiles(folder, path));
      else if (entry.isFile) files.push(path);
    }
  } catch (error) {
    // A project without islands or static files has no such folder.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files.sort();
}

/** The route files among the files of the routes folder: no tests, nothing of `(_x)` folders. */
export function routeFiles(files: readonly string[]): string[] {
  return files.filter((file) =>
    MODULE.test(file) && !/[._]test\.\w+$/.test(file) && !/\/\(_/.test(file)
  );
}

/** The island files among the files of a folder. */
export function islandFiles(files: readonly string[], isIslandFolder: boolean): string[] {
  return files.filter((file) =>
    MODULE.test(file) && !/[._]test\.\w+$/.test(file) &&
    (isIslandFolder || file.includes("/(_islands)/"))
  );
}

/** A path without its last extension: `/openapi.json.ts` is `/openapi.json`. */
export function withoutExtension(path: string): string {
  return path.replace(MODULE, "");
}

/** Bytes as a static file; `hashed` false in development, where nothing is cached. */
export function toStaticFile(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  hashed: boolean,
): StaticFile {
  return {
    bytes,
    contentType: contentTypeOf(path),
    hash: hashed ? createHash("sha256").update(bytes).digest("hex") : null,
  };
}

/** The files that a static folder shows: dot names are skipped, but for `.well-known`. */
export function visibleFiles(files: readonly string[]): string[] {
  return files.filter((file) => !/\/\.(?!well-known\/)/.test(file));
}
