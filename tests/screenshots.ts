/**
 * `deno task screenshots`: the pictures of the README, taken in the packaged Chromium of
 * `deno task dev`, with its sample events.
 */

import { fileURLToPath } from "node:url";
import type { CDPSession } from "playwright-core";
import { startChromium } from "./support/chromium.ts";
import { startServer } from "../bench/server.ts";

const VIEWPORT = { width: 1280, height: 800 };
const QUALITY = 70;
/** An invented organisation, as the README says. */
const HARBOUR = {
  SITE_NAME: "Harbour Arts",
  SITE_COLOR: "#0a7d5b",
  SITE_LOGO: "lib/sandbox/data/harbour/logo.svg",
  SITE_FONT: "lib/sandbox/data/harbour/fraunces.woff2",
};
const SITES = [
  { env: {}, pages: { site: "/", reference: "/api/v1/docs#listEvents" } },
  { env: HARBOUR, pages: { harbour: "/" } },
] as const;
const FOLDER = fileURLToPath(new URL("../screenshots", import.meta.url));

await Deno.mkdir(FOLDER, { recursive: true });
await using browser = await startChromium();
for (const { env, pages } of SITES) {
  await using foyer = await startServer(() => ["dev.ts"], {
    env: (port) => ({ PORT: String(port), HOST: "127.0.0.1", KV_PATH: ":memory:", ...env }),
    isQuiet: true,
  });
  const page = await browser.newPage({ viewport: VIEWPORT });
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(`${foyer.origin}${path}`, { waitUntil: "networkidle" });
    const session = await page.context().newCDPSession(page);
    await Deno.writeFile(`${FOLDER}/${name}.webp`, await takePicture(session));
  }
}

/** Playwright itself writes PNG and JPEG only; WebP is a third of their size. */
async function takePicture(session: CDPSession): Promise<Uint8Array> {
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
  });
  return Uint8Array.fromBase64(data);
}
