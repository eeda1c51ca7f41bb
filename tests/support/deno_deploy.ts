/**
 * Deno Deploy as its documentation describes it, over a build in a folder: its variables, its server, an assigned
 * database (or none), and five seconds between SIGINT and SIGKILL.
 */

import { killProcess, readOutput } from "./foyer_process.ts";

/** The platform's settings for an app. */
interface Platform {
  /** The folder with the tree and its build. */
  readonly folder: string;
  /** The file of the timeline's database; null for an app without one. */
  readonly database: string | null;
  /** The platform's behaviour towards an app without a database, which is not documented. */
  readonly requirement?: "error" | "warn";
  readonly timeline?: string;
  readonly env: Readonly<Record<string, string>>;
}

const GRACE_MILLISECONDS = 5_000;
/** The platform's own connection to the timeline's database, so that the code needs no address. */
const CONNECTION = `const { openKv } = Deno;
Object.defineProperty(Deno, "openKv", {
  value: (path) => openKv(path ?? Deno.env.get("PLATFORM_DATABASE")),
});\n`;

/** Starts an isolate, and waits until it listens. */
export async function startIsolate(platform: Platform) {
  const { folder, database, timeline = "production", env } = platform;
  const { requirement = "error" } = platform;
  const config = JSON.parse(await Deno.readTextFile(`${folder}/deno.json`));
  // Whether the platform obeys `no-legacy-abort` is not documented.
  config.unstable = ["kv", "cron"];
  await Deno.writeTextFile(`${folder}/platform.json`, JSON.stringify(config));
  const { entrypoint } = config.deploy.runtime;
  await Deno.writeTextFile(
    `${folder}/platform.js`,
    `${
      database === null ? "" : CONNECTION
    }export default (await import("./${entrypoint}")).default;\n`,
  );
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["serve", "-A", "--no-check", "--no-lock", "--config", "platform.json"],
      ...["--host", "127.0.0.1", "--port", "0", "platform.js"],
    ],
    cwd: folder,
    env: {
      DENO_DEPLOY: "true",
      DENO_DEPLOY_APP_SLUG: "events",
      DENO_DEPLOY_ORG_SLUG: "our-club",
      DENO_TIMELINE: timeline,
      ...database === null
        ? { DENO_KV_REQUIRES_DISTRIBUTED_DATABASE: requirement }
        : { PLATFORM_DATABASE: database },
      ...env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const { listening, said } = readOutput(child);
  const end = () => killProcess(child);
  async function evict(): Promise<number | null> {
    child.kill("SIGINT");
    const timer = setTimeout(end, GRACE_MILLISECONDS);
    const { code, signal } = await child.status;
    clearTimeout(timer);
    return signal === null ? code : null;
  }
  const origin = await listening().catch((error) => {
    end();
    throw error;
  });
  return {
    origin,
    /** Ends it as the platform does; returns its exit code, or null if it had to be killed. */
    evict,
    /** Its whole output, once it has ended. */
    said: said.then((texts) => texts.join("\n")),
    async [Symbol.asyncDispose]() {
      end();
      await child.status;
      await said;
    },
  };
}
