/**
 * The variables of the service, in one table: the messages about mistakes are made from it, and by
 * `tests/platform/config/variable_lists.ts` also `.env.example` and the document that lists them. CONTRIBUTING.md says how to
 * add one.
 */

import { z } from "zod";
import { FOYER } from "../site_name.ts";
import { nobody } from "./claim_rule.ts";
import {
  address,
  baseId,
  claimRule,
  columns,
  contact,
  database,
  file,
  issuer,
  line,
  links,
  onOrOff,
  pattern,
  scopes,
  text,
  timeZone,
  token,
  usd,
  wholeNumber,
} from "./values.ts";

/** A variable: its meaning in one or more sentences, its values, and what stands in `.env.example`. */
interface Variable<S extends z.ZodType> {
  readonly about: string;
  readonly schema: S;
  /** The value that counts where the variable is unset; null if there is none. */
  readonly fallback: string | null;
  /** The default, or else an example; "" where one would say nothing, as for a key. */
  readonly example: string;
}

/** A variable that may be unset. The example shows its form. */
function optional<S extends z.ZodType>(
  about: string,
  schema: S,
  example = "",
): Variable<z.ZodOptional<S>> {
  return { about, schema: schema.optional(), fallback: null, example };
}

/** A variable with a default, written as a value of the environment; `example` is shown in its place if given. */
function withDefault<S extends z.ZodType>(
  about: string,
  schema: S,
  fallback: z.input<S> & string,
  example: string = fallback,
): Variable<z.ZodPrefault<S>> {
  return { about, schema: schema.prefault(fallback), fallback, example };
}

const service = {
  PORT: withDefault("The port to listen on.", wholeNumber(0, 65_535), "8000"),
  HOST: withDefault("The network address to listen on.", text, "0.0.0.0"),
  BASE_URL: optional(
    "The public address, used in links and errors. Unset: on Deno Deploy the app's own, elsewhere http://localhost and the port.",
    address,
    "https://events.example.org",
  ),
  KV_PATH: optional(
    'The Deno KV database: a file, ":memory:", or the https:// address of a KV Connect server. Unset: Deno\'s own for this folder.',
    text,
    "./foyer.sqlite3",
  ),
  // Deno's own variable; `loadConfig` sets it in the environment.
  DENO_KV_ACCESS_TOKEN: optional("The access token of the KV Connect server.", token),
};

const site = {
  SITE_NAME: withDefault(
    "The site's name.",
    line(60),
    FOYER,
    "Harbour Arts",
  ),
  SITE_TAGLINE: optional(
    "A sentence about the organisation, below its name on the first page.",
    line(200),
    "Concerts and workshops by the water.",
  ),
  SITE_COLOR: optional(
    "The colour of buttons, links and the icon, from which those for light and dark screens are derived.",
    pattern(/^#(?:[\da-f]{3}|[\da-f]{6})$/i, "a colour in hexadecimal digits"),
    "#0a7d5b",
  ),
  SITE_LOGO: optional(
    "The logo: the path of an SVG or PNG file, or its https:// address; at most 100 KB.",
    file(/\.(?:svg|png)$/i, "an SVG or PNG file"),
    "./logo.svg",
  ),
  SITE_LOGO_DARK: optional(
    "The logo on dark pages. Unset: SITE_LOGO.",
    file(/\.(?:svg|png)$/i, "an SVG or PNG file"),
    "./logo-dark.svg",
  ),
  SITE_ICON: optional(
    "The icon: the path of a square PNG file of at least 512 pixels, or its https:// address; at most 500 KB.",
    file(/\.png$/i, "a PNG file"),
    "./icon.png",
  ),
  SITE_FONT: optional(
    "The font of headings and names: the path of a font in WOFF2, or its https:// address; at most 200 KB.",
    file(/\.woff2$/i, "a font in WOFF2"),
    "./font.woff2",
  ),
  SITE_CONTACT: optional(
    "How to reach the organisation, for reports of vulnerabilities too: an e-mail, https: or tel: address.",
    contact,
    "hello@example.org",
  ),
  SITE_LINKS: withDefault(
    "Links for the footer, as JSON from label to address, at most eight; the first two are in the header too, where it has room. A path leads to this site.",
    links,
    "{}",
    '{"Imprint":"https://example.org/imprint","Shop":"https://example.org/shop"}',
  ),
};

const events = {
  AIRTABLE_TOKEN: optional(
    "A personal access token of Airtable with the scope data.records:read.",
    token,
  ),
  AIRTABLE_BASE_ID: optional(
    'The id of the base, which begins with "app", or the base\'s address.',
    baseId,
    "app1234567890abcd",
  ),
  AIRTABLE_TABLE: withDefault("The name or the id of the table.", text, "Events"),
  AIRTABLE_VIEW: optional("The view to read. Unset: the whole table.", text),
  AIRTABLE_FIELDS: withDefault(
    "Columns that are not named after their field in title case, as JSON from field to column.",
    columns,
    "{}",
    '{"name":"Title","inPerson.location":"Venue"}',
  ),
  AIRTABLE_NOTIFICATIONS: withDefault(
    '"on" lets Airtable report changes by a webhook, in place of reads every EVENTS_REFRESH_SECONDS. Needs a public BASE_URL, the scope webhook:manage, and a token whose owner is a creator of the base.',
    onOrOff,
    "off",
  ),
  AIRTABLE_CALLS_PER_MONTH: optional(
    "How many calls a month Foyer may make, such as 1000 on the free plan. It makes none beyond. Unset: any number.",
    wholeNumber(1, 1_000_000_000),
    "1000",
  ),
  AIRTABLE_API_URL: withDefault(
    "The address of Airtable's API.",
    address,
    "https://api.airtable.com",
  ),
  EVENTS_FILE: optional(
    "In place of Airtable: a JSON file of events as the API returns them (at least id, name and startDate) or of Airtable records; an object around them may have an `id` that tells its events from those of other files in calendars. With requests, a changed file is read again within seconds.",
    text,
    "./events.json",
  ),
  EVENTS_REFRESH_SECONDS: withDefault(
    "Seconds between two reads of the store, 1 to 300.",
    wholeNumber(1, 300),
    "120",
  ),
  EVENTS_TIME_ZONE: withDefault(
    "The IANA time zone in which a day begins, for the status of an event.",
    timeZone,
    "UTC",
    "Europe/Berlin",
  ),
};

const proxy = {
  WEBSEARCH_API_KEY: optional(
    "The key of an Exa-compatible provider of web search. Without it, /proxy/v1/websearch responds 500.",
    token,
  ),
  WEBSEARCH_API_URL: withDefault("The address of that provider.", address, "https://api.exa.ai"),
  DECISION_API_KEY: optional(
    "The key of a System One-compatible provider of decisions. Without it, /proxy/v1/decision responds 500.",
    token,
  ),
  DECISION_API_URL: withDefault(
    "The address of that provider.",
    address,
    "https://api.typesafe.ai",
  ),
  DECISION_MODEL_PREFIX: optional(
    'That provider\'s model family: "decision-x" becomes "<family>-x" in requests to it. Unset: names are not changed.',
    pattern(/^[\w.~/-]+$/, "a model family's name without spaces"),
    "acme",
  ),
};

const limits = {
  DAILY_LIMIT_USD: withDefault(
    "The daily limit in USD of an account without its own limit.",
    usd,
    "4",
  ),
  SERVICE_DAILY_LIMIT_USD: optional(
    "What all accounts together may spend in a UTC day, in USD. Unset: no limit beyond the accounts'.",
    usd,
    "100",
  ),
  RATE_LIMIT_REQUESTS: withDefault(
    "How many requests an account may send in any half hour.",
    wholeNumber(1, 1_000_000_000),
    "750",
  ),
  MAX_BODY_BYTES: withDefault(
    "The largest request body, in bytes.",
    wholeNumber(1, 100 * 1024 * 1024),
    "1048576",
  ),
  UPSTREAM_TIMEOUT_SECONDS: withDefault(
    "Seconds to wait for a provider's first byte, and between two of its bytes.",
    wholeNumber(1, 3600),
    "120",
  ),
};

const signIn = {
  SIGN_IN_ISSUER: optional(
    "The issuer of an OpenID Connect provider, exactly as the provider states it. Register BASE_URL/account/callback there.",
    issuer,
    "https://accounts.google.com",
  ),
  SIGN_IN_CLIENT_ID: optional("The id under which the provider knows this service.", text),
  SIGN_IN_CLIENT_SECRET: optional("The client's secret. Unset: a public client.", text),
  SIGN_IN_SCOPES: withDefault(
    "The scopes to ask for, openid among them. Rules over the address need email.",
    scopes,
    "openid profile",
  ),
  SIGN_IN_ADMIT: optional(
    "Who gets an account: tests of the provider's claims, separated by commas, all of which must hold. Unset: every person whom the provider admits.",
    claimRule,
    "hd=example.org, groups=members|staff",
  ),
  SIGN_IN_VERIFIED: optional(
    "Whose identity counts as verified, by such tests. Unset: every person's.",
    claimRule,
    "email_verified",
  ),
  SIGN_IN_OPERATORS: {
    ...optional(
      "The tests that make a person an operator, who may open /desk. At least one has a value. Unset: there are no operators.",
      claimRule,
      "email=ada@example.org|ben@example.org",
    ),
    // A name alone, such as `ada`, would be the claim that is true of nobody, and `email_verified` that of everyone.
    schema: claimRule.refine(
      ({ text }) => text.replaceAll(/"[^"]*"/g, "").includes("="),
      "expected a test of a claim with its value",
      // A rule in any case, so that no reader can take its absence for "every person".
    ).default(nobody),
  },
  SIGN_IN_TRUST_EMAIL: withDefault(
    '"on" lets rules use the address of a provider that does not state email_verified, such as Entra or Cloudflare. Only for the issuer of one organisation: with a shared one, a person may claim any address.',
    onOrOff,
    "off",
  ),
  SIGN_IN_PASSWORD_PROOF: withDefault(
    "The desk's forms, backups and the deletion of an account need the provider's proof (auth_time) that it has just asked for the password. \"off\" needs only a new sign-in, for a provider that cannot prove it, such as Google.",
    onOrOff,
    "on",
  ),
};

const watched = {
  ROUTER_API_KEY: optional(
    "The key of the router of chat and embedding models, which only /up checks: the model lists need none.",
    token,
  ),
  ROUTER_MANAGEMENT_KEY: optional(
    "Lets /up report the credit that is left in the router's account.",
    token,
  ),
  ROUTER_API_URL: withDefault(
    "The address of the router (OpenRouter-compatible).",
    address,
    "https://openrouter.ai/api",
  ),
  OCR_API_KEY: optional("The key of the OCR provider, which only /up checks.", token),
  OCR_API_URL: withDefault("The address of the OCR provider.", address, "https://api.mistral.ai"),
  MEDIA_API_KEY: optional("The key of the media provider, which only /up checks.", token),
  MEDIA_API_URL: optional(
    "The address of the media provider. Unset: /up has no mediaUnusedCredit.",
    address,
    "https://media.example.org",
  ),
};

const notices = {
  NOTICES_URL: optional(
    "An address that takes messages for operators, as Slack, Mattermost and Discord (with /slack at the end) give it: reads of the events that fail, a limit that is nearly used, a missed backup and the like.",
    address,
    "https://hooks.slack.com/services/T000/B000/XXXX",
  ),
};

const records = {
  ANALYTICS_URL: optional(
    "The HTTP address of a ClickHouse server, with the user and the password before the host, which then also gets all usage records.",
    database,
    "http://foyer:password@127.0.0.1:8123",
  ),
};

/** Every variable by its name. */
export const VARIABLES = {
  ...service,
  ...site,
  ...events,
  ...proxy,
  ...limits,
  ...signIn,
  ...watched,
  ...notices,
  ...records,
};

/** The sections of the lists that are made from the table, in their order. */
export const SECTIONS: readonly (readonly [heading: string, Readonly<Record<string, Listed>>])[] = [
  ["The service", service],
  ["Name and look", site],
  ["Events, from Airtable or a file", events],
  ["The AI proxy", proxy],
  ["Limits of the proxy", limits],
  ["Members sign in", signIn],
  ["Other providers, for /up and the model lists", watched],
  ["Notices for operators", notices],
  ["Usage records", records],
];

type Listed = Pick<Variable<z.ZodType>, "about" | "fallback" | "example">;

/** The variable of a name; null for a name that is not ours. */
export function variableOf(
  name: string,
): { readonly about: string; readonly example: string } | null {
  return Object.entries(VARIABLES).find(([known]) => known === name)?.[1] ?? null;
}
