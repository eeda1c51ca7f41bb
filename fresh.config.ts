/** The app's folder, for the programs that build it: `dev.ts`, the bench and the tests. All else is Fresh's default. */

import { fileURLToPath } from "node:url";

export default { root: fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") };
