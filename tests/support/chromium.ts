/**
 * The Chromium of the browser tests. It comes compressed in an npm package, and is unpacked once per clone into
 * `.data/`; it needs only the system's C library. A machine without Chromium's shared libraries uses those of the
 * package. The fonts are always the package's, so that lines break alike.
 */

import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import configuration from "../../deno.json" with { type: "json" };

/** The driver, for modules outside the tests: packages of tests resolve only below `tests/`. */
export type { Browser, Page } from "playwright-core";

const root = fileURLToPath(new URL("../../", import.meta.url));
const version = configuration.scopes["./tests/"]["@sparticuz/chromium"].split("@").at(-1);
const folder = `${root}.data/chromium-${version}`;
const executablePath = `${folder}/chromium`;

/** Only the pages send requests, and no watchdog ends the drawing on a slow machine. */
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--in-process-gpu",
  "--disable-gpu-watchdog",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The package's own fonts come first, then the system's for other languages. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  ${
  ["system-ui", "sans-serif", "Arial"].map((name) =>
    `<match target="pattern"><test name="family"><string>${name}</string></test>` +
    `<edit name="family" mode="prepend" binding="strong"><string>Open Sans</string></edit></match>`
  ).join("\n  ")
}
</fontconfig>
`;

/** This build of Chromium sometimes dies at start (SIGSEGV), before it has a page. */
const MAX_STARTS = 5;

/** Starts Chromium; it ends with the block in which it is used. */
export async function startChromium(): Promise<Browser> {
  await unpackOnce();
  const env = { HOME: folder, FONTCONFIG_FILE: `${folder}/fonts.conf`, ...await libraries() };
  for (let start = 1;; start++) {
    try {
      return await chromium.launch({ executablePath, args: ARGS, env });
    } catch (error) {
      if (start === MAX_STARTS) throw error;
    }
  }
}

/** If several runs start at once, one unpacks and the others wait; unfinished work is repeated. */
async function unpackOnce(): Promise<void> {
  await Deno.mkdir(`${root}.data`, { recursive: true });
  using lock = await Deno.open(`${folder}.lock`, { write: true, create: true });
  await lock.lock(true);
  if (await exists(folder)) return;
  const partial = `${folder}.partial`;
  if (await exists(partial)) await Deno.remove(partial, { recursive: true });
  await Deno.mkdir(partial);
  const inflate = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--lock=tests/deno.lock",
      fileURLToPath(new URL("inflate_chromium.ts", import.meta.url)),
    ],
    cwd: root,
    // The package unpacks its libraries only in an environment that looks like AWS Lambda.
    env: { TMPDIR: partial, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" },
  });
  const { success, stderr } = await inflate.output();
  if (!success) throw new Error(`Chromium was not unpacked: ${new TextDecoder().decode(stderr)}`);
  await Deno.writeTextFile(`${partial}/fonts.conf`, FONTS);
  await Deno.rename(partial, folder);
}

/** The path of the package's libraries, if the system lacks one. */
async function libraries(): Promise<{ LD_LIBRARY_PATH?: string }> {
  const { success } = await new Deno.Command(executablePath, { args: ["--version"] }).output();
  return success ? {} : { LD_LIBRARY_PATH: `${folder}/al2023/lib` };
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
