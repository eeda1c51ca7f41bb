/** Configuration: every mistake at once by name, and no secret in any of them. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Config,
  ConfigError,
  type Environment,
  parseConfig,
  readEnvironment,
} from "../../../lib/platform/config/config.ts";
import { COLUMN_NAMES, EVENT_FIELDS } from "../../../lib/platform/event_columns.ts";
import { VARIABLES } from "../../../lib/platform/config/variables.ts";
import { openFolder } from "../../support/folder.ts";

const DEFAULTS = parseConfig({});

/** Names that platforms and other programs set. */
const OTHERS =
  "CI PATH HOME HOSTNAME USER LANG TZ URL PGHOST DB_PORT DATABASE_URL REDIS_URL KV_URL " +
  "KV_REST_API_TOKEN GITHUB_TOKEN NODE_ENV npm_config_cache DENO_DIR DENO_KV_DEFAULT_PATH " +
  "OTEL_DENO_TRACING KUBERNETES_SERVICE_HOST FOYER_PORT ROUTER_SERVICE_PORT ROUTER_PORT_8080_TCP " +
  "EVENTS_PORT EVENTS_SERVICE_HOST ANALYTICS_PORT AWS_SECRET_ACCESS_KEY API_KEY SENTRY_DSN " +
  // Names that begin as ours do, and are other words.
  "AIRTABLE_API_KEY AIRTABLE_TABLE_NAME WEBSEARCH_KEY";

/** What the variables of sign-in need. */
const SIGN_IN = { SIGN_IN_ISSUER: "https://id.example", SIGN_IN_CLIENT_ID: "foyer" };

const TABLE = { AIRTABLE_TOKEN: "pat.x", AIRTABLE_BASE_ID: "app1" };
const GOOGLE = { ...SIGN_IN, SIGN_IN_ISSUER: "https://accounts.google.com" };

/** A variable alone, or with what it needs. */
const only = (name: string, value: string) =>
  name.startsWith("SIGN_IN_") ? { ...SIGN_IN, [name]: value } : { [name]: value };

/** The error of an environment that has mistakes. */
function rejected(environment: Environment): ConfigError {
  try {
    parseConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error;
  }
  throw new Error(`accepted: ${JSON.stringify(environment)}`);
}

Deno.test("a variable that is empty or blank counts as unset", () => {
  for (const nothing of ["", " ", "\t\n", undefined]) {
    const unset = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, nothing]));
    assert.deepEqual(parseConfig(unset), DEFAULTS);
  }
});

const manyLinks = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [at + 1, "/"])));

Deno.test("valid values are accepted, without the spaces around them", () => {
  const table: [keyof Config, string, unknown][] = [
    ["PORT", "0", 0],
    ["PORT", " 65535 ", 65_535],
    ["HOST", " ::1 ", "::1"],
    ["SITE_CONTACT", "security@foyer.example", "mailto:security@foyer.example"],
    ["SITE_NAME", " Harbour Arts ", "Harbour Arts"],
    ["SITE_LINKS", `{" A ":"https://a.example/x?y#z","B":"/docs"}`, [
      { label: "A", href: "https://a.example/x?y#z" },
      { label: "B", href: "/docs" },
    ]],
    ["SITE_LINKS", manyLinks(8), Array.from("12345678", (label) => ({ label, href: "/" }))],
    ["AIRTABLE_API_URL", "http://127.0.0.1:9/", "http://127.0.0.1:9"],
    ["AIRTABLE_TOKEN", "patA.b\n", "patA.b"],
    ["EVENTS_REFRESH_SECONDS", "1", 1],
    ["EVENTS_REFRESH_SECONDS", "300", 300],
    ["UPSTREAM_TIMEOUT_SECONDS", "1", 1],
    ["UPSTREAM_TIMEOUT_SECONDS", "3600", 3600],
    ["BASE_URL", "https://foyer.example/", "https://foyer.example"],
    ["BASE_URL", "https://foyer.example/a/b//", "https://foyer.example/a/b"],
    ["BASE_URL", "HTTP://Foyer.Example:80/", "http://foyer.example"],
  ];
  const address = "https://db.example:8443";
  const [plain, withUser] = [address, "https://ada:p%40ss%3A1@db.example:8443/"];
  table.push(
    ["ANALYTICS_URL", plain, { address, user: "default", password: "" }],
    ["ANALYTICS_URL", withUser, { address, user: "ada", password: "p@ss:1" }],
  );
  for (const [name, value, expected] of table) {
    assert.deepEqual(parseConfig(only(name, value))[name], expected, `${name}=${value}`);
  }
  // As they are.
  const kept: Partial<Record<keyof Config, readonly string[]>> = {
    KV_PATH: [":memory:", "https://api.deno.com/databases/x/connect"],
    SITE_CONTACT: ["https://foyer.example/security", "tel:+1-201-555-0123"],
    SITE_LOGO: ["./logo.SVG", "https://a.example/brand?size=1"],
    AIRTABLE_TABLE: ["Our events/2026"],
    SIGN_IN_ISSUER: ["https://id.example/a/", "http://localhost:9", "http://[::1]:9"],
  };
  for (const [name, values] of Object.entries(kept)) {
    for (const value of values) {
      const config: Record<string, unknown> = { ...parseConfig(only(name, value)) };
      assert.equal(config[name], value, name);
    }
  }
  assert.equal(parseConfig({ PORT: "9001" }).BASE_URL, "http://localhost:9001");
});

Deno.test("the variables of sign-in need each other, and protected addresses", () => {
  const table: [env: Record<string, string>, RegExp][] = [
    [{ SIGN_IN_CLIENT_ID: "foyer" }, /^SIGN_IN_CLIENT_ID: has no effect without SIGN_IN_ISSUER$/],
    [{ SIGN_IN_ISSUER: "https://id.example" }, /^SIGN_IN_CLIENT_ID: expected the id under which/],
    [{ ...SIGN_IN, BASE_URL: "http://foyer.example" }, /^BASE_URL: expected an https:\/\/ address/],
  ];
  for (const [env, mistake] of table) {
    const { mistakes } = rejected(env);
    assert.equal(mistakes.length, 1, JSON.stringify(env));
    assert.match(mistakes[0] ?? "", mistake);
  }
  parseConfig({ ...SIGN_IN, BASE_URL: "http://localhost:8000" });
});

Deno.test("each mistake is named with its remedy", () => {
  const number = (range: string) => new RegExp(`whole number from ${range}, such as \\d+$`);
  const address = /expected an http:\/\/ or https:\/\/ address/;
  const table: [string, readonly string[], RegExp][] = [
    ["PORT", ["80a", "-1", "65536", "1.5", "0x50", "1e3", "9".repeat(400)], number("0 to 65535")],
    ["EVENTS_REFRESH_SECONDS", ["0", "301", "2m"], number("1 to 300")],
    ["BASE_URL", ["foyer.example", "ftp://a.example", "https://u@a.example"], address],
    ["BASE_URL", ["https://:p@a.example", "https://a.example/?a=b", "https://"], address],
    ["BASE_URL", ["https://a.example/?", "https://a.example/#", "javascript:a"], address],
    [
      "SITE_CONTACT",
      ["Ada", "http://a.example/", "javascript:alert(1)", "a@b\nContact: c@d", "a@b@c"],
      /an e-mail address, or an https:, mailto: or tel: address/,
    ],
    ["SITE_NAME", ["x".repeat(61), "a\nb", "a\u0007b"], /one line of at most 60 characters/],
    ["SITE_TAGLINE", ["x".repeat(201)], /one line of at most 200 characters/],
    [
      "SITE_COLOR",
      ["red", "#12", "#0a7d5", "oklch(50% 0.1 20)"],
      /a colour in hexadecimal digits, such as #0a7d5b$/,
    ],
    [
      "SITE_LOGO",
      ["logo", "a.jpg", "http://a.example/a.svg", "https://a@b.example/a.svg", "data:image/png,a"],
      /the path of an SVG or PNG file, or its https:\/\/ address/,
    ],
    ["SITE_LOGO_DARK", ["a.jpg"], /the path of an SVG or PNG file, or its https:\/\/ address/],
    ["SITE_ICON", ["a.svg", "icon"], /the path of a PNG file, or its https:\/\/ address/],
    [
      "SITE_FONT",
      ["a.ttf", "Inter", "http://a.example/a.woff2"],
      /the path of a font in WOFF2, or its https:\/\/ address/,
    ],
    ["SITE_LINKS", ["https://a.example", "[1]"], /a JSON object from label to address/],
    [
      "SITE_LINKS",
      ["javascript:alert(1)", "//evil.example", "/\\\\evil.example", "https://a@b.example/", "a b"]
        .map((href) => `{"A":"${href}"}`),
      /: link 1: expected a label .*, such as \{"Imprint"/,
    ],
    [
      "SITE_LINKS",
      [`{"":"/docs"}`, `{"${"x".repeat(31)}":"/docs"}`],
      /: link 1: expected a label of at most 30/,
    ],
    ["SITE_LINKS", [manyLinks(9)], /expected at most 8 links/],
    ["AIRTABLE_API_URL", ["api.airtable.com"], address],
    ["AIRTABLE_TOKEN", ["pat a", "pat\na", "pat…", "pat\u0000"], /ASCII characters without spaces/],
    ["AIRTABLE_NOTIFICATIONS", ["On", "yes"], /expected on or off$/],
    ["EVENTS_TIME_ZONE", ["Berlin", "Europe/Atlantis", "CET+1"], /IANA time zone/],
    [
      "AIRTABLE_FIELDS",
      ["Name", "[]", "null", '"name"', '{"name":"a"'],
      /JSON object from field to column name, such as /,
    ],
    [
      "AIRTABLE_FIELDS",
      ['{"name":7}', '{"name":" "}', '{"name":null}', '{"name":["a"]}'],
      /: entry 1: expected the name of a column for one of name, .*, such as \{"name":"Title"/,
    ],
    [
      "SIGN_IN_ISSUER",
      ["id.example", "http://id.example", "http://127.0.0.1.example", "https://id.example/?a"],
      /expected .*\bissuer\b/,
    ],
    ["SIGN_IN_SCOPES", ["profile"], /expected .* openid among them/],
    ["SIGN_IN_ADMIT", ["hd="], /in test 1, expected a claim .*, such as hd=example\.org, groups=/],
    [
      "SIGN_IN_OPERATORS",
      ["ada", "email_verified", '"a=b", ada'],
      /expected a test of a claim with its value, such as email=ada@/,
    ],
    [
      "ANALYTICS_URL",
      ["db:8123", "http://a:%@db", "https://db/?user=ada", "ftp://db"],
      /expected an http:/,
    ],
  ];
  for (const [name, values, expected] of table) {
    for (const value of values) {
      const { mistakes } = rejected(only(name, value));
      assert.equal(mistakes.length, 1, `${name}=${value}: ${mistakes}`);
      assert.match(mistakes[0] ?? "", new RegExp(`^${name}: `));
      assert.match(mistakes[0] ?? "", expected, `${name}=${value}`);
    }
  }
});

Deno.test("all mistakes are reported at once, one line each", () => {
  const names = ["AIRTABLE_API_URL", "AIRTABLE_FIELDS", "AIRTABLE_VEIW", "BASE_URL", "PORT"];
  const error = rejected(Object.fromEntries(names.map((name) => [name, "x"])));
  assert.deepEqual(error.mistakes.map((mistake) => mistake.split(":")[0]).sort(), names);
  assert.equal(error.message.split("\n").length, 1 + error.mistakes.length);
});

Deno.test("no mistake shows a value or a part of it: a secret may stand in the wrong line", () => {
  const secret = "s3cr3t";
  const environments: Environment[] = [
    ...[
      ...["PORT", "BASE_URL", "AIRTABLE_NOTIFICATIONS", "DAILY_LIMIT_USD", "EVENTS_TIME_ZONE"],
      ...["SITE_COLOR", "SITE_CONTACT", "SITE_LOGO", "SITE_LINKS", "AIRTABLE_FIELDS"],
    ].map((name) => ({ [name]: secret })),
    { AIRTABLE_TOKEN: `two ${secret}` },
    { BASE_URL: `https://ada:${secret}@foyer.example` },
    { ANALYTICS_URL: `ada:${secret}@db:8123` },
    { MEDIA_API_URL: `https://media.example/?key=${secret}` },
    { SITE_LINKS: `{"${secret}":"${secret}"}` },
    { SITE_LINKS: `{"${secret.repeat(6)}":"/docs"}` },
    { AIRTABLE_FIELDS: `{"${secret}":"${secret}"}` },
    { AIRTABLE_FIELDS: `{"name":["${secret}"]}` },
    { ...SIGN_IN, SIGN_IN_ADMIT: `hd=${secret} and ${secret}` },
    { ...SIGN_IN, BASE_URL: `http://foyer.example/${secret}` },
    { AIRTABLE_TOKN: secret },
  ];
  for (const environment of environments) {
    const { message } = rejected(environment);
    assert.ok(!message.includes(secret), message);
  }
});

Deno.test("a name at most two letters away from one of ours that is unset stops the start, and says what is meant", () => {
  const table = [
    ["AIRTABLE_TOKN", "AIRTABLE_TOKEN"],
    ["airtable_token", "AIRTABLE_TOKEN"],
    ["AIRTABLE_BASEID", "AIRTABLE_BASE_ID"],
    ["EVENTS_TIMEZONE", "EVENTS_TIME_ZONE"],
    ["EVENTS_REFRESH_SECOND", "EVENTS_REFRESH_SECONDS"],
    ["WEBSEARCH_API_KEYS", "WEBSEARCH_API_KEY"],
    ["DECISION_APIKEY", "DECISION_API_KEY"],
    ["ROUTER_API_KY", "ROUTER_API_KEY"],
    ["SIGN_IN_OPERATOR", "SIGN_IN_OPERATORS"],
  ] as const;
  for (const [wrong, right] of table) {
    assert.deepEqual(rejected({ [wrong]: "x" }).mistakes, [
      `${wrong}: no such variable; the nearest is ${right}: ${VARIABLES[right].about}`,
    ]);
    assert.ok(parseConfig({ [wrong]: "" }), "an unset variable is not a mistake");
  }
  assert.ok(parseConfig({ AIRTABLE_TOKN: "x", AIRTABLE_TOKEN: "x" }), "nothing is off that is set");
});

Deno.test("without a rule for operators there are none", () => {
  for (const SIGN_IN_OPERATORS of [undefined, "", " "]) {
    const { SIGN_IN_OPERATORS: operators } = parseConfig({ SIGN_IN_OPERATORS });
    assert.notEqual(operators.fault({ email: "ada@example.org", email_verified: true }), null);
  }
  const { SIGN_IN_OPERATORS: operators } = parseConfig(
    only("SIGN_IN_OPERATORS", "groups=operators"),
  );
  assert.equal(operators.fault({ groups: ["operators"] }), null);
  assert.notEqual(operators.fault({ groups: [] }), null);
});

Deno.test("names of platforms and other programs stop no start", () => {
  const environment = Object.fromEntries(OTHERS.split(" ").map((name) => [name, "x"]));
  assert.deepEqual({ ...parseConfig(environment), doubts: [] }, DEFAULTS);
});

Deno.test("what is probably not meant is a doubt, which names the variable and what would be right", () => {
  const table: [environment: Record<string, string>, ...doubts: RegExp[]][] = [
    [{}],
    [{ SITE_TITLE: "x" }, /^SITE_TITLE: no such variable; the nearest is SITE_\w+: /],
    [{ AIRTABLE_API_KEY: "x" }, /^AIRTABLE_API_KEY: no such variable; the nearest is AIRTABLE_/],
    [{ EVENTS_SERVICE_HOST: "10.0.0.7", SITE_PORT_80_TCP: "x" }],
    [{ AIRTABLE_TOKEN: "pat.x" }, /^AIRTABLE_BASE_ID: is missing beside AIRTABLE_TOKEN: .*"app"$/],
    [{ AIRTABLE_BASE_ID: "app1" }, /^AIRTABLE_TOKEN: is missing .* scope data\.records:read$/],
    [
      { AIRTABLE_TOKEN: "pat.x", AIRTABLE_BASE_ID: "app1", EVENTS_FILE: "./x.json" },
      /^EVENTS_FILE: .* not from AIRTABLE_BASE_ID; unset one of them$/,
    ],
    [{ AIRTABLE_TOKEN: "pat.x", EVENTS_FILE: "./x.json" }],
    [
      { ...TABLE, AIRTABLE_NOTIFICATIONS: "on", BASE_URL: "http://127.0.0.1:8000" },
      /^AIRTABLE_NOTIFICATIONS: Airtable cannot reach this machine/,
    ],
    [{ ...TABLE, AIRTABLE_NOTIFICATIONS: "on", BASE_URL: "https://events.example" }],
    [
      { SERVICE_DAILY_LIMIT_USD: "3.99" },
      /^SERVICE_DAILY_LIMIT_USD: is lower than DAILY_LIMIT_USD/,
    ],
    [{ SERVICE_DAILY_LIMIT_USD: "4" }],
    [{ MEDIA_API_KEY: "x" }, /^MEDIA_API_KEY: has no effect without MEDIA_API_URL$/],
    [{ DENO_KV_ACCESS_TOKEN: "x" }, /^DENO_KV_ACCESS_TOKEN: has no effect, because KV_PATH/],
    [{ DENO_KV_ACCESS_TOKEN: "x", KV_PATH: "https://kv.example" }],
    [{ KV_PATH: "https://kv.example" }, /^DENO_KV_ACCESS_TOKEN: is not set/],
    [GOOGLE, /^SIGN_IN_PASSWORD_PROOF: Google cannot prove .* "off" lets a new sign-in be enough$/],
    [{ ...GOOGLE, SIGN_IN_PASSWORD_PROOF: "off" }],
  ];
  for (const [environment, ...doubts] of table) {
    const found = parseConfig(environment).doubts;
    assert.equal(found.length, doubts.length, `${Deno.inspect(environment)}: ${found.join("\n")}`);
    for (const [at, doubt] of doubts.entries()) assert.match(found[at] ?? "", doubt);
  }
});

Deno.test("an address without email_verified can be trusted only at the issuer of one organisation", () => {
  const of = (SIGN_IN_ISSUER: string) => ({
    ...SIGN_IN,
    SIGN_IN_ISSUER,
    SIGN_IN_TRUST_EMAIL: "on",
  });
  const shared = [
    "https://login.microsoftonline.com/common/v2.0",
    "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
    "https://accounts.google.com",
    "https://gitlab.com",
  ];
  for (const issuer of shared) {
    assert.match(rejected(of(issuer)).message, /SIGN_IN_TRUST_EMAIL: expected off/, issuer);
  }
  for (
    const issuer of [
      "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
      "https://harbour.cloudflareaccess.com/cdn-cgi/access/sso/oidc/x",
    ]
  ) assert.ok(parseConfig(of(issuer)), issuer);
});

Deno.test("the id of a base is taken from its address too", () => {
  for (
    const text of [
      "app1234567890abcd",
      "https://airtable.com/app1234567890abcd/tblX/viwY?blocks=hide",
      " https://www.airtable.com/app1234567890abcd ",
    ]
  ) assert.equal(parseConfig({ AIRTABLE_BASE_ID: text }).AIRTABLE_BASE_ID, "app1234567890abcd");
  assert.match(rejected({ AIRTABLE_BASE_ID: "tblX" }).message, /begins with "app"/);
});

Deno.test("columns are renamed by field, and every field of an event can be", () => {
  const all = Object.fromEntries(EVENT_FIELDS.map((field) => [field, `Column of ${field}`]));
  for (const columns of [{}, { name: "Title" }, { "inPerson.location": "Venue" }, all]) {
    const config = parseConfig({ AIRTABLE_FIELDS: JSON.stringify(columns) });
    assert.deepEqual(config.AIRTABLE_FIELDS, { ...COLUMN_NAMES, ...columns });
  }
});

Deno.test("any values throw only a ConfigError, with one line for each mistake", () => {
  const name = fc.constantFrom(...Object.keys(VARIABLES), "AIRTABLE_TOKENS", "__proto__");
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.json().map((json) => `{"name": ${json}, ${JSON.stringify(json)}: 1}`),
    fc.constantFrom("https://user:a@x.example", "ftp://a", "a\nb"),
  );
  fc.assert(
    fc.property(fc.dictionary(name, value), (environment) => {
      try {
        parseConfig(environment);
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
        assert.equal(
          error.message.split(/[\r\n\u2028\u2029\u0085]/).length,
          1 + error.mistakes.length,
        );
        // deno-lint-ignore no-control-regex -- these act on a terminal
        assert.doesNotMatch(error.message, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
        for (const mistake of error.mistakes) assert.ok(mistake.length < 1_000, mistake);
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("a .env file supplies unset variables, and is optional", async () => {
  await using folder = await openFolder();
  const path = `${folder.path}/.env`;
  const second = "FOYER_TEST_SECOND";
  const read = () => {
    const environment = readEnvironment(path);
    return [environment["PATH"], environment[second]];
  };
  try {
    const own = Deno.env.get("PATH");
    assert.deepEqual(read(), [own, undefined]);
    await Deno.writeTextFile(path, `# both\nPATH=file\n${second}="from the file"\n`);
    assert.deepEqual(read(), [own, "from the file"]);
    assert.equal(Deno.env.get(second), undefined, "the process's own environment stays as it was");
    Deno.env.set(second, "");
    assert.deepEqual(read(), [own, "from the file"]);
    await Deno.writeTextFile(path, `\uFEFF${second}=behind a byte order mark\n`);
    assert.deepEqual(read(), [own, "behind a byte order mark"]);
    await Deno.writeTextFile(
      path,
      `export SITE_COLOR=#0a7d5b\n#HOST=#1\nPORT= # none\nSITE_NAME=# none\n`,
    );
    const { SITE_COLOR, HOST, PORT, SITE_NAME } = readEnvironment(path);
    assert.deepEqual([SITE_COLOR, HOST, PORT, SITE_NAME], ["#0a7d5b", ...Array(3)]);
    await Deno.writeTextFile(path, "OTEL_DENO_CONSOLE=ignore\n");
    assert.equal(readEnvironment(path)["OTEL_DENO_CONSOLE"], Deno.env.get("OTEL_DENO_CONSOLE"));
  } finally {
    Deno.env.delete(second);
  }
});

Deno.test("a folder called .env is ignored, and an unreadable file is named", async () => {
  await using folder = await openFolder();
  const { path } = folder;
  assert.equal(readEnvironment(path)["PATH"], Deno.env.get("PATH"));
  await Deno.symlink("loop", `${path}/loop`);
  assert.throws(() => readEnvironment(`${path}/loop`), (error) => {
    assert.ok(error instanceof ConfigError, String(error));
    assert.match(error.message, /- .*\/loop: the file cannot be read: ELOOP/);
    return true;
  });
});
