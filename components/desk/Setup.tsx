/** The desk's page about the installation. */

import { type Finding, isConfigured, labelOf, PROVIDERS } from "../../lib/operate/mod.ts";
import { type Config, listVariables } from "../../lib/platform/config/config.ts";
import { ButtonForm } from "../shared/fields.tsx";
import { Moment } from "../shared/moments.tsx";
import { useSite } from "../shared/site.tsx";
import { Table } from "../shared/Table.tsx";

const STATES: Readonly<Record<Finding["state"], string>> = {
  ok: "works",
  warning: "warning",
  failed: "failed",
  unknown: "not known",
};

/** What the page shows. */
export interface SetupView {
  readonly config: Config;
  /** What was just examined; null if nothing was. */
  readonly findings: readonly Finding[] | null;
  /** Epoch milliseconds; null if no backup is known. */
  readonly backedUpAt: number | null;
  readonly now: number;
}

/** The page. */
export function Setup({ config, findings, backedUpAt, now }: SetupView) {
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
      <ButtonForm action="/desk/setup" label="Examine everything" fields={{ examine: "all" }} />
      <h2 id="providers">Providers</h2>
      <Table
        label="Providers"
        head={["Provider", "Key", "Try"]}
        rows={[
          ...PROVIDERS.map((name) =>
            [
              labelOf(name),
              name === "analytics" && config.ANALYTICS_URL === undefined
                ? "not needed: the database has them"
                : isConfigured(name, config)
                ? "set"
                : "not set",
              <ButtonForm
                key="try"
                action="/desk/setup"
                label={`Try ${labelOf(name)}`}
                fields={{ examine: name }}
                isQuiet
              />,
            ] as const
          ),
          [
            "Structured decisions",
            config.DECISION_API_KEY === undefined ? "not set" : "set",
            "Each call costs, so there is no trial.",
          ],
        ]}
      />
      <h2 id="backup">Backup</h2>
      <p>
        The last one was made: <Moment at={backedUpAt} now={now} />
        {backedUpAt !== null && " UTC"}. A backup has everything that cannot be made again, names of
        members and digests of keys among it: keep it as safe as the database.
      </p>
      <p>
        <a class="plain-button" href="/desk/setup/backup">Download a backup</a>
      </p>
      <Look config={config} />
      <h2 id="variables">Variables</h2>
      <p>
        All are valid, or the service would not have started. To change one, set it where the
        service runs, and start it again; <a href="/docs/variables">the list</a> explains each.
      </p>
      <Table
        label="Variables"
        head={["Variable", "State", "Value"]}
        rows={listVariables().map(([name, fallback]) => {
          const isSet = Object.hasOwn(config.shown, name);
          const state = isSet ? "set" : fallback === null ? "not set" : "default";
          return [name, state, isSet ? withoutQuotes(config.shown[name]) : fallback ?? ""];
        })}
      />
    </>
  );
}

/** A value that is set, as the configuration shows it. */
function withoutQuotes(shown: string | null | undefined): string {
  return shown?.replace(/^"(.*)"$/, "$1") ?? "not shown";
}

/** How the site looks to visitors: the header of this page shows it. */
function Look({ config }: Pick<SetupView, "config">) {
  const { name, tagline, ...site } = useSite();
  const parts = {
    COLOR: site.color,
    LOGO: site.logo,
    LOGO_DARK: site.logoDark,
    ICON: site.icon,
    FONT: site.font,
  };
  const rows = Object.entries(parts).map(([part, used]) => {
    const variable = `SITE_${part}`;
    const isSet = Object.hasOwn(config.shown, variable);
    return [variable, used !== null ? "in use" : isSet ? "cannot be read" : "not set"] as const;
  });
  return (
    <>
      <h2 id="look">Look of the site</h2>
      <p>
        <a href="/">{name}</a>
        {tagline !== null && <>: {tagline}</>}
      </p>
      <Table label="Look of the site" head={["Part", "State"]} rows={rows} />
    </>
  );
}
