/** Configuration: defaults, and every mistake at once by name, without the values. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Config,
  ConfigError,
  type Environment,
  EVENT_FIELDS,
  parseConfig,
  readEnvironment,
} from "../lib/config.ts";

const DEFAULTS = {
  PORT: 8000,
  HOST: "0.0.0.0",
  BASE_URL: "http://localhost:8000",
  EVENTS_STORE: "airtable",
  AIRTABLE_API_URL: "https://api.airtable.com",
  AIRTABLE_TABLE: "Events",
  AIRTABLE_FIELDS: {},
  EVENTS_REFRESH_SECONDS: 120,
  EVENTS_TIME_ZONE: "UTC",
  WEBSEARCH_API_URL: "https://api.exa.ai",
  DECISION_API_URL: "https://api.typesafe.ai",
  DECISION_PRICE_PER_MILLION_TOKENS: 42_000_000n,
  ROUTER_API_URL: "https://openrouter.ai/api",
  OCR_API_URL: "https://api.mistral.ai",
  ANALYTICS_USER: "default",
  ANALYTICS_PASSWORD: "",
  DAILY_LIMIT_USD: 4_000_000_000n,
  RATE_LIMIT_REQUESTS: 750,
  RATE_LIMIT_WINDOW_SECONDS: 1800,
  MAX_BODY_BYTES: 1_048_576,
  UPSTREAM_TIMEOUT_SECONDS: 120,
};

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

Deno.test("an empty environment gives the defaults, and leaves out what has none", () => {
  assert.deepEqual(parseConfig({}), DEFAULTS);
});

Deno.test("a variable that is empty or blank counts as unset", () => {
  for (const nothing of ["", " ", "\t\n", undefined]) {
    const names = [...Object.keys(DEFAULTS), "KV_PATH", "AIRTABLE_TOKEN", "EVENTS_FILE"];
    assert.deepEqual(
      parseConfig(Object.fromEntries(names.map((name) => [name, nothing]))),
      DEFAULTS,
    );
  }
});

Deno.test("what is right is taken, without the spaces around it", () => {
  const table: [keyof Config, string, unknown][] = [
    ["PORT", "0", 0],
    ["PORT", " 65535 ", 65_535],
    ["HOST", " ::1 ", "::1"],
    ["KV_PATH", ":memory:", ":memory:"],
    [
      "KV_PATH",
      "https://api.deno.com/databases/x/connect",
      "https://api.deno.com/databases/x/connect",
    ],
    ["SECURITY_CONTACT", "security@foyer.example", "mailto:security@foyer.example"],
    ["SECURITY_CONTACT", "https://foyer.example/security", "https://foyer.example/security"],
    ["SECURITY_CONTACT", "tel:+1-201-555-0123", "tel:+1-201-555-0123"],
    ["EVENTS_STORE", "airtable", "airtable"],
    ["AIRTABLE_API_URL", "http://127.0.0.1:9/", "http://127.0.0.1:9"],
    ["AIRTABLE_TOKEN", "patA.b\n", "patA.b"],
    ["AIRTABLE_BASE_ID", "app1", "app1"],
    ["AIRTABLE_TABLE", "Our events/2026", "Our events/2026"],
    ["AIRTABLE_VIEW", "Grid view", "Grid view"],
    ["EVENTS_FILE", "./events.json", "./events.json"],
    ["EVENTS_REFRESH_SECONDS", "1", 1],
    ["EVENTS_REFRESH_SECONDS", "300", 300],
    ["EVENTS_TIME_ZONE", "Europe/Berlin", "Europe/Berlin"],
    ["ANALYTICS_RETENTION_DAYS", "1", 1],
    ["ANALYTICS_RETENTION_DAYS", "3650", 3650],
  ];
  for (const [name, value, expected] of table) {
    assert.deepEqual(parseConfig({ [name]: value })[name], expected, `${name}=${value}`);
  }
});

Deno.test("the public address loses its trailing slashes, and follows the port when it is not given", () => {
  const table = [
    ["https://foyer.example", "https://foyer.example"],
    ["https://foyer.example/", "https://foyer.example"],
    ["https://foyer.example//", "https://foyer.example"],
    ["https://foyer.example/a/b/", "https://foyer.example/a/b"],
    ["HTTP://Foyer.Example:80/", "http://foyer.example"],
  ] as const;
  for (const [given, expected] of table) {
    assert.equal(parseConfig({ BASE_URL: given }).BASE_URL, expected, given);
  }
  assert.equal(parseConfig({ PORT: "9001" }).BASE_URL, "http://localhost:9001");
});

Deno.test("each mistake is named with what would be right", () => {
  const number = (range: string) => new RegExp(`whole number from ${range}$`);
  const address = /expected an http:\/\/ or https:\/\/ address/;
  const table: [string, readonly string[], RegExp][] = [
    ["PORT", ["80a", "-1", "65536", "1.5", "0x50", "1e3", "9".repeat(400)], number("0 to 65535")],
    ["EVENTS_REFRESH_SECONDS", ["0", "301", "2m"], number("1 to 300")],
    [
      "BASE_URL",
      [
        "foyer.example",
        "ftp://foyer.example",
        "https://u@foyer.example",
        "https://:p@foyer.example",
        "https://foyer.example/?a=b",
        "https://foyer.example/?",
        "https://foyer.example/#",
        "https://",
        "javascript:alert(1)",
      ],
      address,
    ],
    [
      "SECURITY_CONTACT",
      ["Ada", "http://foyer.example/security", "javascript:alert(1)", "a@b\nContact: c@d", "a@b@c"],
      /an e-mail address, or an https:, mailto: or tel: address/,
    ],
    ["AIRTABLE_API_URL", ["api.airtable.com"], address],
    ["AIRTABLE_TOKEN", ["pat a", "pat\na", "pat…", "pat\u0000"], /ASCII characters without spaces/],
    ["EVENTS_STORE", ["Airtable", "s3"], /expected airtable or file/],
    ["EVENTS_TIME_ZONE", ["Berlin", "Europe/Atlantis", "CET+1"], /IANA time zone/],
    [
      "AIRTABLE_FIELDS",
      ["Name", "[]", "null", '{"Name":"Title"}', '{"name":7}', '{"name":""}', '{"name":"a"'],
      /JSON object from field to column name/,
    ],
  ];
  for (const [name, values, expected] of table) {
    for (const value of values) {
      const { mistakes } = rejected({ [name]: value });
      assert.equal(mistakes.length, 1, `${name}=${value}: ${mistakes}`);
      assert.match(mistakes[0] ?? "", new RegExp(`^${name}: `));
      assert.match(mistakes[0] ?? "", expected, `${name}=${value}`);
    }
  }
});

Deno.test("all mistakes are reported at once, one line each", () => {
  const error = rejected({
    PORT: "x",
    BASE_URL: "x",
    EVENTS_STORE: "file",
    AIRTABLE_API_URL: "x",
    AIRTABLE_TOKEN: "two words",
    AIRTABLE_FIELDS: "x",
    AIRTABEL_VIEW: "x",
    EVENTS_REFRESH_SECONDS: "x",
    EVENTS_TIME_ZONE: "x",
  });
  assert.deepEqual(error.mistakes.map((mistake) => mistake.split(":")[0]).sort(), [
    "AIRTABEL_VIEW",
    "AIRTABLE_API_URL",
    "AIRTABLE_FIELDS",
    "AIRTABLE_TOKEN",
    "BASE_URL",
    "EVENTS_FILE",
    "EVENTS_REFRESH_SECONDS",
    "EVENTS_TIME_ZONE",
    "PORT",
  ]);
  assert.equal(error.message.split("\n").length, 1 + error.mistakes.length);
});

Deno.test("the file store needs its file, and nothing else does", () => {
  assert.match(rejected({ EVENTS_STORE: "file" }).message, /EVENTS_FILE: .*since EVENTS_STORE/);
  const { EVENTS_STORE, EVENTS_FILE } = parseConfig({ EVENTS_STORE: "file", EVENTS_FILE: "a" });
  assert.deepEqual([EVENTS_STORE, EVENTS_FILE], ["file", "a"]);
});

Deno.test("a misspelt name is named with the right one, and other programs' names pass", () => {
  const table = [
    ["AIRTABLE_TOKN", "AIRTABLE_TOKEN"],
    ["AIRTABLE_BASEID", "AIRTABLE_BASE_ID"],
    ["BASEURL", "BASE_URL"],
    ["EVENT_FILE", "EVENTS_FILE"],
    ["EVENTS_TIMEZONE", "EVENTS_TIME_ZONE"],
    ["EVENTS_REFRESH_SECOND", "EVENTS_REFRESH_SECONDS"],
    ["KV_PATHS", "KV_PATH"],
    ["DENO_KV_ACESS_TOKEN", "DENO_KV_ACCESS_TOKEN"],
  ] as const;
  for (const [wrong, right] of table) {
    assert.deepEqual(rejected({ [wrong]: "x" }).mistakes, [
      `${wrong}: no such variable; ${right} is one`,
    ]);
    assert.ok(parseConfig({ [wrong]: "" }), "unset variables are nobody's mistake");
  }
  for (
    const other of ["PATH", "HOME", "HOSTNAME", "HOSTTYPE", "PORTS", "MANPATH", "GOPATH", "PWD"]
  ) {
    assert.deepEqual(parseConfig({ [other]: "x" }), DEFAULTS, other);
  }
});

Deno.test("columns are renamed by field, and every field of an event can be", () => {
  const all = Object.fromEntries(EVENT_FIELDS.map((field) => [field, `Column of ${field}`]));
  for (const columns of [{}, { name: "Title" }, { "inPerson.location": "Venue" }, all]) {
    const config = parseConfig({ AIRTABLE_FIELDS: JSON.stringify(columns) });
    assert.deepEqual(config.AIRTABLE_FIELDS, columns);
  }
});

Deno.test("whatever the values are, nothing but a ConfigError is thrown, and it repeats none", () => {
  const name = fc.constantFrom(
    ...Object.keys(DEFAULTS),
    "KV_PATH",
    "AIRTABLE_TOKEN",
    "AIRTABLE_BASE_ID",
    "AIRTABLE_VIEW",
    "EVENTS_FILE",
    "AIRTABLE_TOKENS",
    "__proto__",
  );
  // A mark that no message holds by chance, in everything that could be a secret.
  const value = fc.oneof(
    fc.string().map((text) => `§${text}§`),
    fc.json().map((json) => `{"name§": ${json}}`),
    fc.constantFrom("https://user:§@x.example", "ftp://§", "§\n§"),
  );
  fc.assert(
    fc.property(fc.dictionary(name, value), (environment) => {
      try {
        parseConfig(environment);
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
        assert.ok(!Deno.inspect(error, { depth: 9 }).includes("§"), error.message);
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test(".env.example has a line for each variable, and for no other", async () => {
  const read = (path: string) => Deno.readTextFile(new URL(`../${path}`, import.meta.url));
  const names = (text: string, pattern: RegExp) =>
    [...new Set([...text.matchAll(pattern)].map(([, name]) => name))].toSorted();
  // What begins with OTEL_ is Deno's, which reads no file.
  const known = names(await read("lib/config.ts"), /^ {2}((?!OTEL_)[A-Z][A-Z_]+):/gm);
  assert.ok(known.length > 20);
  assert.deepEqual(names(await read(".env.example"), /^#?([A-Z][A-Z_]+)=/gm), known);
});

Deno.test("a .env file fills in what the environment leaves unset, and need not be there", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/.env`;
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
    await Deno.writeTextFile(path, "OTEL_DENO_CONSOLE=ignore\n");
    assert.equal(readEnvironment(path)["OTEL_DENO_CONSOLE"], Deno.env.get("OTEL_DENO_CONSOLE"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
