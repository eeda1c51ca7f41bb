/** The paths of the app's parts, for the programs that build it: `dev.ts`, the bench and the tests. */

import { fileURLToPath } from "node:url";

export default {
  root: fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, ""),
  serverEntry: "main.ts",
  routeDir: "routes",
  islandDir: "islands",
  staticDir: "static",
  outDir: "_fresh",
};
