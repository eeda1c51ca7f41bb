/** A Foyer in a process of its own, which a test starts and kills; and a provider for it. */

import type { ProviderStandIn } from "../../lib/sandbox/provider.ts";
import { until } from "./until.ts";

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
async function readPort(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<number> {
  let text = "";
  for await (const part of output.pipeThrough(new TextDecoderStream())) {
    text += part;
    const [, port] = /^(\d+)\n/m.exec(text) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`The program ended: ${text}`);
}

/** Ends a process with SIGKILL, unless it has ended. */
export function killProcess(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Reads the output of a program that listens on any port, to its end. */
export function readOutput({ stdout, stderr }: Deno.ChildProcess) {
  let origin: string | null = null;
  let hasEnded = false;
  async function read(stream: typeof stdout): Promise<string> {
    let text = "";
    for await (const part of stream.pipeThrough(new TextDecoderStream())) {
      text += part;
      origin ??= /Listening on (http:[/][/][^/\s]+)[/\s]/.exec(text)?.[1] ?? null;
    }
    return text;
  }
  const said = Promise.all([read(stdout), read(stderr)]).finally(() => hasEnded = true);
  return {
    /** The whole standard output and standard error, once it has ended. */
    said,
    /** The address on which it listens, as Deno says. @throws {Error} with its output if it ends before. */
    async listening(): Promise<string> {
      await until(() => origin !== null || hasEnded);
      if (origin === null) throw new Error((await said).join("\n"));
      return origin;
    },
  };
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
