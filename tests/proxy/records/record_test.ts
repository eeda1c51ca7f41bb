/** Rows: the ledger's records as ClickHouse has them. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseRow, type UsageRow } from "../../../lib/proxy/records/record.ts";
import type { UsageRecord } from "../../../lib/proxy/ledger/values.ts";
import { record, row } from "./clickhouse.ts";
import { anyRecord } from "./plain_count.ts";

Deno.test("a record as a row in JSON loses nothing, to the nano-dollar", () => {
  fc.assert(fc.property(anyRecord, (original) => {
    const sent = JSON.parse(JSON.stringify(row(original)));
    const { model } = original;
    assert.deepEqual(fromRow(sent), { ...original, model: model?.toWellFormed() ?? null });
  }));
});

Deno.test("a value that the ledger did not write is refused", () => {
  const good = record();
  const cases: Record<string, unknown> = {
    "nothing": null,
    "a list": [good],
    "a cost as a number": { ...good, cost: 7 },
    "a negative cost": { ...good, cost: -1n },
    "an unknown origin of the cost": { ...good, costFrom: "guess" },
    "no id": { ...good, requestId: "" },
    "a day that is none": { ...good, day: "2026-13-01" },
    "the 31st of February": { ...good, day: "2026-02-31" },
    "a leap day of a common year": { ...good, day: "2100-02-29" },
    "a cost whose sum no column holds": { ...good, cost: 2n ** 90n + 1n },
    "a cost that would turn negative": { ...good, cost: 2n ** 127n },
    "tokens above what a number holds exactly": { ...good, inputTokens: 2 ** 53 },
    "a moment out of range": { ...good, at: Date.parse("2100-01-02") },
    "a day out of range": { ...good, day: "0026-01-01" },
    "tokens in parts": { ...good, inputTokens: 0.5 },
    "negative tokens": { ...good, outputTokens: -1 },
    "a status that is none": { ...good, status: 70_000 },
    "a duration that is none": { ...good, durationMs: NaN },
    "a key's id as a number": { ...good, keyId: 5 },
  };
  for (const [name, value] of Object.entries(cases)) {
    assert.throws(() => parseRow({ value, versionstamp: "0" }), { name: "ZodError" }, name);
  }
});

Deno.test("every accepted row fits the columns of the table", () => {
  const bounds = { cost: 2n ** 90n, inputTokens: Number.MAX_SAFE_INTEGER, status: 999 };
  const widest = row({ ...bounds, day: "2028-02-29", at: Date.parse("2100-01-01") });
  assert.ok(BigInt(widest.cost_nano_usd) * 2n ** 36n < 2n ** 127n);
  assert.equal(widest.day, "2028-02-29");
});

/** A row as the record that it was made from. */
function fromRow(row: UsageRow): UsageRecord {
  return {
    requestId: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    day: row.day,
    endpoint: row.endpoint,
    model: row.model,
    cost: BigInt(row.cost_nano_usd),
    costFrom: row.cost_from,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    status: row.status,
    durationMs: row.duration_ms,
    at: Date.parse(`${row.at.replace(" ", "T")}Z`),
  };
}
