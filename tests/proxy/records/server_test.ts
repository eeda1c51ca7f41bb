/** What only a real ClickHouse can show. These tests run with ANALYTICS_TEST_URL alone. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { createClickHouse } from "../../../lib/proxy/records/clickhouse.ts";
import type { UsageRecord } from "../../../lib/proxy/ledger/values.ts";
import { QUESTION, row, testOnServer } from "./clickhouse.ts";
import { anyQuestion, anyRecord, expectedAnswer } from "./plain_count.ts";

testOnServer(
  "migrate creates the table once, and statements before it name the command",
  async ({ options, send }) => {
    const clickHouse = createClickHouse(options);
    const message = /^ClickHouse .* 404: Code: 60\. .*; `deno task analytics migr/;
    await assert.rejects(clickHouse.query(QUESTION), { message });
    await assert.rejects(clickHouse.insert([row()]), { message });
    assert.equal(await clickHouse.migrate(), true);
    assert.equal(await clickHouse.migrate(), false);
    await clickHouse.ping();
    assert.deepEqual(await clickHouse.query(QUESTION), expectedAnswer([], QUESTION));
    await clickHouse.insert([row()]);
    assert.equal((await clickHouse.query(QUESTION)).total.requests, 1);
    await send({ sql: "ALTER TABLE foyer_usage DROP COLUMN key_id" });
    await assert.rejects(clickHouse.migrate(), { message: /, but it lacks the column key_id\. / });
  },
);

testOnServer(
  "a server answers as plain counting does, for any rows, versions and repetitions",
  async ({ options, send }) => {
    const clickHouse = createClickHouse(options);
    await clickHouse.migrate();
    const anyHistory = fc.array(
      fc.record({ record: anyRecord, corrected: fc.boolean(), again: fc.boolean() }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        fc.array(anyQuestion, { minLength: 1 }),
        async (history, questions) => {
          await send({ sql: "TRUNCATE TABLE foyer_usage" });
          const kept: UsageRecord[] = [];
          for (const { record: drawn, corrected, again } of history) {
            const after = { ...drawn, cost: drawn.cost + 1n, status: 200 };
            const model = drawn.model?.toWellFormed() ?? null;
            kept.push({ ...corrected ? after : drawn, model });
            if (corrected) await clickHouse.insert([row(after, 2)]);
            await clickHouse.insert(again ? [row(drawn), row(drawn)] : [row(drawn)]);
          }
          for (const question of questions) {
            assert.deepEqual(await clickHouse.query(question), expectedAnswer(kept, question));
          }
        },
      ),
      { numRuns: 20 },
    );
  },
);
