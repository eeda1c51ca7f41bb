/** A Foyer in a process of its own, which a test starts and kills; and a provider for it. */

import type { ProviderStandIn } from "../../lib/sandbox/provider.ts";

/** The whole app, or the proxy alone with a sweep that can be asked for. */
type Program = "serve_foyer.ts" | "serve_swept_foyer.ts";

/** A serving process. */
export type FoyerProcess = Awaited<ReturnType<typeof startProcess>>;

/** Starts a process, and waits until it listens. */
export async function startProcess(
  program: Program,
  env: Record<string, string>,
) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL(program, import.meta.url).href],
    env,
    stdout: "piped",
  }).spawn();
  return {
    origin: `http://127.0.0.1:${await readPort(child.stdout)}`,
    /** Ends it with SIGKILL. */
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

/** The port that a program prints on a line of its own, after any other output. */
export async function readPort(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<number> {
  let text = "";
  for await (const part of output.pipeThrough(new TextDecoderStream())) {
    text += part;
    const [, port] = /^(\d+)\n/m.exec(text) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`The program ended: ${text}`);
}

/** Serves a stand-in, whose responses may be held back. */
export function serveProvider(
  standIn: ProviderStandIn,
  ready = () => Promise.resolve(),
): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const answer = await standIn.fetch(request);
    await ready();
    return answer;
  });
}
