/** The one script of a page with islands: it loads the modules and has their props. */

import { stringify } from "devalue";
import { type BuildCache, scriptsAddress } from "./build_cache.ts";
import type { RenderState } from "./render_state.ts";

/** The name of the browser's runtime among a build's scripts. */
export const RUNTIME_SCRIPT = "fresh-runtime.js";

/**
 * Fetches no script before the first paint, so that the visible images come first. A background tab never paints, so
 * the script waits three seconds at most.
 */
const DRAWN = "await new Promise(done=>{" +
  'new PerformanceObserver(done).observe({type:"paint",buffered:true});setTimeout(done,3e3)});';

/**
 * The script element of a page; "" on a page without islands. In development every page has one, for reloading.
 *
 * @throws {Error} if an island's props contain a value that cannot be sent, such as a function or an element.
 */
export function bootScript(state: RenderState, { mode, buildId }: BuildCache): string {
  const islands = [...state.usedIslands];
  if (islands.length === 0 && mode === "production") return "";
  const parts = ["{boot}", ...islands.map(({ name, exportName }) => `{${exportName}:${name}}`)];
  const urls = [`${scriptsAddress(buildId)}${RUNTIME_SCRIPT}`, ...islands.map(({ url }) => url)];
  const imports = urls.map((url) => `import("${url}")`);
  const names = islands.map(({ name }) => name).join(",");
  const props = inScript(JSON.stringify(stringify(state.islandProps)));
  return `<script type="module">${DRAWN}` +
    `const[${parts.join(",")}]=await Promise.all([${imports.join(",")}]);` +
    `boot({${names}},${props})</script>`;
}

/** Escapes JavaScript so that no HTML parser finds the script's end in it. */
function inScript(code: string): string {
  return code.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
}
