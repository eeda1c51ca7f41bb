/**
 * Where the service runs: the version of Deno, and the place by the variables that Deno Deploy sets
 * (docs.deno.com/deploy/reference: "Environment variables and contexts", "Timelines").
 */

/** The place where this process runs. */
export type Hosting = Readonly<ReturnType<typeof readHosting>>;

/** Reads the platform's variables. */
export function readHosting(environment: Readonly<Record<string, string | undefined>>) {
  const valueOf = (name: string) => environment[name]?.trim() || null;
  const isDenoDeploy = valueOf("DENO_DEPLOY") !== null;
  const [app, organization] = ["DENO_DEPLOY_APP_SLUG", "DENO_DEPLOY_ORG_SLUG"].map(valueOf);
  return {
    isDenoDeploy,
    /** Whether this serves a git branch or a preview instead of production. (A build has no timeline.) */
    isSideTimeline: isDenoDeploy && (valueOf("DENO_TIMELINE") ?? "production") !== "production",
    /** The app's own address without a trailing slash, which is that of production; null if the platform does not name the app. */
    address: isDenoDeploy && app && organization ? `https://${app}.${organization}.deno.net` : null,
    /**
     * Whether the database may be a temporary one of this process alone, so that the service needs proof of a lasting
     * one before it takes money. The variable makes Deno refuse (`error`) or replace (`warn`) a database that is not
     * shared; with `warn`, Deno opens a temporary one everywhere, even for a file.
     */
    needsProof: isDenoDeploy || valueOf("DENO_KV_REQUIRES_DISTRIBUTED_DATABASE") !== null,
  };
}

/** The first version of Deno with Temporal and with Zstandard in `node:zlib`. */
const LEAST_DENO = [2, 7] as const;

/** The fault of a version of Deno such as `2.9.6`, as a sentence; null if it is new enough. */
export function findDenoFault(version: string): string | null {
  const [major = 0, minor = 0] = version.split(/[.+-]/).map(Number);
  const [least, leastMinor] = LEAST_DENO;
  const isEnough = major > least || major === least && minor >= leastMinor;
  return isEnough
    ? null
    : `This is Deno ${version}. Foyer needs Deno ${least}.${leastMinor} or later.`;
}
