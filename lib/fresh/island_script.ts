/** The one script of a page with islands: which modules to load and what their props are. */

import { stringify } from "devalue";
import { type BuildCache, scriptsAddress } from "./build_cache.ts";
import type { RenderState } from "./render_state.ts";

/** The name of the browser's runtime among a build's scripts. */
export const RUNTIME_SCRIPT = "fresh-runtime.js";

/**
 * What is seen comes first: until the page has been drawn, no script is fetched beside its images. A tab that
 * nobody looks at draws nothing, and its script waits no longer than this.
 */
const DRAWN = "await new Promise(done=>{" +
  'new PerformanceObserver(done).observe({type:"paint",buffered:true});setTimeout(done,3e3)});';

/**
 * The script element of a page, or "" on a page without an island. In development every page has one,
 * for the sake of reloading.
 *
 * @throws {Error} if an island's props hold what cannot be sent, such as a function or an element.
 */
export function bootScript(state: RenderState, { mode, buildId }: BuildCache): string {
  const islands = [...state.usedIslands];
  if (islands.length === 0 && mode === "production") return "";
  const parts = ["{boot}", ...islands.map(({ name, exportName }) => `{${exportName}:${name}}`)];
  const urls = [`${scriptsAddress(buildId)}${RUNTIME_SCRIPT}`, ...islands.map(({ url }) => url)];
  const imports = urls.map((url) => `import("${url}")`);
  const names = islands.map(({ name }) => name).join(",");
  const props = inScript(JSON.stringify(stringify(state.islandProps)));
  return `<script type="module" nonce="${state.nonce}">${DRAWN}` +
    `const[${parts.join(",")}]=await Promise.all([${imports.join(",")}]);` +
    `boot({${names}},${props})</script>`;
}

/** JavaScript text that no HTML parser can take for the script's end. */
function inScript(code: string): string {
  return code.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
}
