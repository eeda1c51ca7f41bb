/** `/desk/setup`: the variables, the doctor's sentences, the providers, the look and the backup. */

import {
  examineParts,
  type Finding,
  isConfigured,
  labelOf,
  PROVIDERS,
  readBackupTime,
  tryProvider,
} from "../../../lib/operate/mod.ts";
import type { Config } from "../../../lib/platform/config/config.ts";
import { VARIABLES } from "../../../lib/platform/config/variables.ts";
import { PublicError } from "../../../lib/platform/http/errors.ts";
import { deskMethods } from "../../../components/desk/desk.tsx";
import { ButtonForm } from "../../../components/shared/fields.tsx";
import { Moment } from "../../../components/shared/moments.tsx";
import type { Page, Visit } from "../../../components/shared/private.tsx";
import { useSite } from "../../../components/shared/site.tsx";
import { Table } from "../../../components/shared/Table.tsx";

const ADDRESS = "/desk/setup";
const STATES: Readonly<Record<Finding["state"], string>> = {
  ok: "works",
  warning: "warning",
  failed: "failed",
  unknown: "not known",
};

export const handler = deskMethods({
  GET: (visit) => setupPage(visit, null),
  /** Examines, and changes nothing: the page with the result is the response. */
  async POST(form) {
    const { services } = form.ctx.state;
    const asked = form.fields.one("examine");
    if (asked === "all") return await setupPage(form, await examineParts(services));
    const provider = PROVIDERS.find((name) => name === asked);
    if (provider !== undefined) {
      return await setupPage(form, [await tryProvider(services, provider)]);
    }
    throw new PublicError("bad_request", "The form names nothing that can be examined.");
  },
});

/** @param findings what was just examined; null if nothing was. */
async function setupPage(
  { ctx: { state: { services: { kv, config, now } } } }: Visit,
  findings: readonly Finding[] | null,
): Promise<Page> {
  return {
    title: "Setup",
    children: (
      <>
        <Examination findings={findings} />
        <Providers config={config} />
        <Backup at={await readBackupTime(kv)} now={now()} />
        <Variables config={config} />
      </>
    ),
  };
}

function Examination({ findings }: { readonly findings: readonly Finding[] | null }) {
  return (
    <>
      <h2 id="examination">Examination</h2>
      <p>
        It asks the database, the jobs, the events store and each provider, and changes nothing.
      </p>
      {findings !== null && (
        <div role="status">
          <Table
            label="Examination"
            head={["Part", "State", "What was found"]}
            rows={findings.map(({ name, state, sentence }) => [name, STATES[state], sentence])}
          />
        </div>
      )}
      <ButtonForm action={ADDRESS} label="Examine everything" fields={{ examine: "all" }} />
    </>
  );
}

function Providers({ config }: { readonly config: Config }) {
  const rows = PROVIDERS.map((name) =>
    [
      labelOf(name),
      name === "analytics" && config.ANALYTICS_URL === undefined
        ? "not needed: the database has them"
        : isConfigured(name, config)
        ? "set"
        : "not set",
      <ButtonForm
        key="try"
        action={ADDRESS}
        label={`Try ${labelOf(name)}`}
        fields={{ examine: name }}
        isQuiet
      />,
    ] as const
  );
  const decisions = [
    "Structured decisions",
    config.DECISION_API_KEY === undefined ? "not set" : "set",
    "Each call costs, so there is no trial.",
  ] as const;
  return (
    <>
      <h2 id="providers">Providers</h2>
      <Table label="Providers" head={["Provider", "Key", "Try"]} rows={[...rows, decisions]} />
    </>
  );
}

function Backup({ at, now }: {
  /** Epoch milliseconds; null if no backup is known. */
  readonly at: number | null;
  readonly now: number;
}) {
  return (
    <>
      <h2 id="backup">Backup</h2>
      <p>
        The last one was made: <Moment at={at} now={now} />
        {at !== null && " UTC"}. A backup has everything that cannot be made again, names of members
        and digests of keys among it: keep it as safe as the database.
      </p>
      <p>
        <a class="plain-button" href={`${ADDRESS}/backup`}>Download a backup</a>
      </p>
    </>
  );
}

/** The variables. The header of this page shows the look of the site. */
function Variables({ config }: { readonly config: Config }) {
  const { color, logo, logoDark, icon, font } = useSite();
  const look: Readonly<Record<string, unknown>> = {
    ...{ SITE_COLOR: color, SITE_LOGO: logo, SITE_LOGO_DARK: logoDark, SITE_ICON: icon },
    ...{ SITE_FONT: font },
  };
  return (
    <>
      <h2 id="variables">Variables</h2>
      <p>
        All are valid, or the service would not have started. To change one, set it where the
        service runs, and start it again; <a href="/docs/variables">the list</a> explains each.
      </p>
      <Table
        label="Variables"
        head={["Variable", "State", "Value"]}
        rows={Object.entries(VARIABLES).map(([name, { fallback }]) => {
          const isSet = Object.hasOwn(config.shown, name);
          if (!isSet) return [name, fallback === null ? "not set" : "default", fallback ?? ""];
          const state = look[name] === null ? "set, but cannot be read" : "set";
          return [name, state, config.shown[name]?.replace(/^"(.*)"$/, "$1") ?? "not shown"];
        })}
      />
    </>
  );
}
