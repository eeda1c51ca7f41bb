/** Unpacks Chromium, its fonts and its libraries into TMPDIR; `chromium.ts` runs this with one of its own. */

import chromium from "@sparticuz/chromium";

await chromium.executablePath();
