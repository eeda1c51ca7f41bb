/** The one script of a page with islands: which modules to load and what their props are. */

import { stringify } from "devalue";
import type { BuildCache } from "./build_cache.ts";
import type { RenderState } from "./render_state.ts";

/**
 * The script element of a page, or "" on a page without an island. In development every page has
 * one, for the sake of reloading.
 *
 * @throws {Error} if an island's props hold what cannot be sent, such as a function or JSX.
 */
export function bootScript(state: RenderState, cache: BuildCache): string {
  if (state.usedIslands.size === 0 && cache.mode === "production") return "";
  const islands = [...state.usedIslands];
  const imports = islands.map(({ name, exportName, url }) =>
    `import{${exportName} as ${name}}from${JSON.stringify(url)};`
  );
  const names = islands.map(({ name }) => name).join(",");
  const props = inScript(JSON.stringify(stringify(state.islandProps)));
  return `<script type="module" nonce="${state.nonce}">` +
    `import{boot}from${JSON.stringify(cache.bootUrl)};${
      imports.join("")
    }boot({${names}},${props})` +
    `</script>`;
}

/** JavaScript text that no HTML parser can mistake for the script's end. */
function inScript(code: string): string {
  return code.replace(
    /[<>\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
