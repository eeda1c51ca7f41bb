/** The log lines of a start: the configured parts, the refusals without the others, and no secret. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { type Environment, parseConfig } from "../../lib/platform/config/config.ts";
import { logStart } from "../../lib/operate/start.ts";
import type { LogLine } from "../support/foyer.ts";

function linesOf(environment: Environment): LogLine[] {
  const lines: LogLine[] = [];
  const at = (level: "info" | "warn") => (message: string, properties = {}) =>
    void lines.push({ level, message, properties });
  const log = { info: at("info"), warn: at("warn") };
  logStart(parseConfig(environment), log);
  return lines;
}

Deno.test("a start without configuration names the missing variables and the refusals of each part", () => {
  const lines = linesOf({});
  assert.deepEqual(lines.map(({ level, message }) => `${level} ${message}`), [
    "warn Events are not configured: set AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or EVENTS_FILE. " +
    "The events API, the feeds and the pages of events answer 500 " +
    "(server_misconfigured).",
    "info Web search is not configured: set WEBSEARCH_API_KEY. Requests to /proxy/v1/websearch/ are " +
    "refused with 500 (server_misconfigured).",
    "info Decisions are not configured: set DECISION_API_KEY. Requests to /proxy/v1/decision/ are " +
    "refused with 500 (server_misconfigured).",
  ]);
});

Deno.test("a start with everything says which store is read how often, and where each provider is", () => {
  const environment = {
    AIRTABLE_TOKEN: "pat.secret",
    AIRTABLE_BASE_ID: "app1",
    AIRTABLE_TABLE: "Our events",
    AIRTABLE_VIEW: "Public",
    EVENTS_REFRESH_SECONDS: "300",
    WEBSEARCH_API_KEY: "exa.secret",
    WEBSEARCH_API_URL: "https://search.example/secret",
    DECISION_API_KEY: "decision.secret",
    ROUTER_API_KEY: "router.secret",
    ANALYTICS_URL: "http://user:analytics.secret@127.0.0.1:8123",
  };
  const lines = linesOf(environment);
  assert.deepEqual(lines.map(({ level, message }) => `${level} ${message}`), [
    'info Events are read from Airtable (https://api.airtable.com), table "Our events", view ' +
    '"Public", every 300 seconds while there are requests.',
    "info Web search is configured, at https://search.example.",
    "info Decisions are configured, at https://api.typesafe.ai.",
    "info Usage records also go to ClickHouse, at http://127.0.0.1:8123.",
  ]);
  assert.ok(!JSON.stringify(lines).includes("secret"));
});

Deno.test("a rule over an address that the provider is not asked for is a warning", () => {
  const signIn = { SIGN_IN_ISSUER: "https://id.example", SIGN_IN_CLIENT_ID: "foyer" };
  const warningsOf = (environment: Environment) =>
    linesOf({ ...signIn, ...environment }).map(({ message }) => message)
      .filter((message) => /SIGN_IN_SCOPES/.test(message));
  assert.match(warningsOf({ SIGN_IN_ADMIT: "email=*@example.org" })[0] ?? "", /^SIGN_IN_ADMIT: /);
  assert.match(warningsOf({ SIGN_IN_VERIFIED: "email_verified" })[0] ?? "", /^SIGN_IN_VERIFIED: /);
  const SIGN_IN_SCOPES = "openid email";
  assert.deepEqual(warningsOf({ SIGN_IN_ADMIT: "email=*@example.org", SIGN_IN_SCOPES }), []);
  assert.deepEqual(warningsOf({ SIGN_IN_ADMIT: "hd=example.org" }), []);
});

Deno.test("no line of a start holds the value of a secret", () => {
  const name = fc.constantFrom(
    ...["AIRTABLE_TOKEN", "WEBSEARCH_API_KEY", "DECISION_API_KEY", "ROUTER_API_KEY"],
    ...["ROUTER_MANAGEMENT_KEY", "OCR_API_KEY", "MEDIA_API_KEY", "ANALYTICS_KEY"],
    ...["DENO_KV_ACCESS_TOKEN", "AIRTABLE_KEY", "AIRTABLE_PAT", "WEBSEARCH_SECRET"],
    ...["DECISION_KEY", "SIGN_IN_SECRET", "AIRTABLE_BASE", "KV_PATH"],
  );
  const value = fc.stringMatching(/^[\x21-\x7e]{0,40}$/).map((text) => `secret${text}`);
  fc.assert(fc.property(fc.dictionary(name, value), (environment) => {
    assert.ok(!JSON.stringify(linesOf(environment)).includes("secret"));
  }));
});
