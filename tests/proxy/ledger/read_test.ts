/** Reads of the books, from the entries that the ledger leaves. */

import assert from "node:assert/strict";
import { openKv } from "../../../lib/platform/kv/open.ts";
import {
  listAccountDays,
  listLatestUsage,
  listUsage,
  listUsageOfDays,
  readDays,
} from "../../../lib/proxy/ledger/read.ts";
import {
  dayKey,
  type DaySums,
  LEDGER_VERSION,
  ledgerKey,
  type LedgerValue,
} from "../../../lib/proxy/ledger/values.ts";
import { record } from "../records/clickhouse.ts";
import { bookRecords, moveDay } from "../../support/booked.ts";
import { faultyKv } from "../../support/faulty_kv.ts";

const [BOT, DEMO] = ["acc_aaaaaaaaaaaa", "acc_bbbbbbbbbbbb"];
const [BEFORE, YESTERDAY, TODAY] = ["2026-11-10", "2026-11-20", "2026-11-21"];

async function fill(kv: Deno.Kv): Promise<void> {
  await bookRecords(
    kv,
    record({ day: BEFORE, cost: 1n }),
    record({ day: YESTERDAY, cost: 2n }),
    record({ cost: 4n, status: 502 }),
    record({ cost: 8n, endpoint: "ocr" }),
    record({ accountId: DEMO, cost: 16n }),
  );
  await moveDay(kv, BOT, BEFORE);
}

const spentOf = (days: readonly DaySums[]) => days.map(({ spent }) => spent);

Deno.test("more accounts than one read takes are all listed, however many without a request are beside them", async () => {
  using kv = await openKv(":memory:");
  const count = 1_100;
  const ids = Array.from({ length: count }, (_, at) => `acc_${String(at).padStart(12, "0")}`);
  const isIdle = (at: number) => at > 300 && at < 800 && at !== 500;
  await bookRecords(
    kv,
    ...ids.map((accountId, at) =>
      record({ accountId, cost: BigInt(at), day: isIdle(at) ? BEFORE : TODAY })
    ),
  );
  for (const id of ids.slice(0, 30)) await moveDay(kv, id, TODAY);
  const found = (await Array.fromAsync(listAccountDays(kv, TODAY))).flat();
  const busy = ids.flatMap((id, at) => isIdle(at) ? [] : [[id, BigInt(at)]]);
  assert.deepEqual(found.map(({ accountId, sums }) => [accountId, sums.spent]), busy);
});

Deno.test("a day that moves between two reads is neither lost nor empty", async () => {
  const moves = [
    (kv: Deno.Kv) => moveDay(kv, BOT, TODAY),
    /** A clock was ahead: an admission takes the moved day back. */
    async (kv: Deno.Kv) => {
      const { value } = await kv.get<LedgerValue>(ledgerKey(BOT));
      const { value: sums } = await kv.get<DaySums>(dayKey(BEFORE, BOT));
      assert.ok(value && sums);
      await kv.atomic().set(dayKey(BEFORE, BOT), {})
        .set(ledgerKey(BOT), { ...value, days: { ...value.days, [BEFORE]: sums } }).commit();
    },
  ];
  const reads = [
    async (kv: Deno.Kv) => spentOf(await readDays(kv, BOT, [TODAY, BEFORE])),
    async (kv: Deno.Kv) => {
      const firstOf = async (day: string) =>
        (await Array.fromAsync(listAccountDays(kv, day))).flat()[0];
      return [(await firstOf(TODAY))?.sums.spent, (await firstOf(BEFORE))?.sums.spent];
    },
  ];
  for (const [name, read] of reads.entries()) {
    for (const move of moves) {
      for (let at = 1; at <= 4; at++) {
        using real = await openKv(":memory:");
        await fill(real);
        let operations = 0;
        const kv = faultyKv(real, async () => {
          if (++operations === at) await move(real);
          return "work" as const;
        });
        assert.deepEqual(await read(kv), [12n, 1n], `read ${name}, before operation ${at}`);
      }
    }
  }
});

Deno.test("a newer version's books are refused, whoever reads them", async () => {
  using kv = await openKv(":memory:");
  await fill(kv);
  await kv.set(ledgerKey(BOT), { version: LEDGER_VERSION + 1, balance: "of tomorrow" });
  const expected = { name: "NewerVersionError" };
  await assert.rejects(readDays(kv, BOT, [TODAY]), expected);
  await assert.rejects(Array.fromAsync(listAccountDays(kv, TODAY)), expected);
  const [moved] = (await Array.fromAsync(listAccountDays(kv, BEFORE))).flat();
  assert.equal(moved?.sums.spent, 1n, "a day that has left the ledger value is read without it");
});

Deno.test("usage records are read backwards, and no further than was asked", async () => {
  using kv = await openKv(":memory:");
  const noon = Date.parse("2026-11-21T12:00:00Z");
  const records = Array.from({ length: 250 }, (_, hour) => {
    const at = noon - hour * 3_600_000;
    return record({ at, day: new Date(at).toISOString().slice(0, 10), requestId: `r${hour}` });
  });
  await bookRecords(kv, ...records, record({ accountId: DEMO, requestId: "other" }));
  const latest = async (since: number, count: number) =>
    (await listLatestUsage(kv, BOT, { since, count })).map(({ requestId }) => requestId);
  assert.deepEqual(await latest(0, 3), ["r0", "r1", "r2"]);
  assert.deepEqual(await latest(noon - 2 * 3_600_000, 9), ["r0", "r1", "r2"]);
  assert.equal((await latest(0, 1_000)).length, 250);
  assert.deepEqual(await latest(noon + 1, 9), []);
  const forwards = (await Array.fromAsync(listUsage(kv, BOT))).map(({ at }) => at);
  assert.deepEqual(forwards, records.map(({ at }) => at).toReversed());
  assert.equal((await Array.fromAsync(listUsageOfDays(kv, [TODAY], BOT))).length, 13);
});
