/** Requests, jobs and a clock that goes on for weeks, in any order: sums stay those of the records. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import { readBooks } from "../support/ledger_books.ts";
import type { Member } from "../support/member.ts";
import { runJobs } from "../support/run_jobs.ts";
import { createGate, PATHS, SEARCH, STREAM } from "./proxy.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A stream that the provider holds open. */
interface Held {
  readonly rest: ReturnType<typeof createGate>;
  readonly ended: Promise<unknown>;
}

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("search", "failure", "stream"), member: fc.nat(1) }),
    fc.record({ kind: fc.constantFrom("end", "jobs"), member: fc.constant(0) }),
    // Within the lifetime of a reservation, past it, past midnight, and past the day after.
    fc.record({
      kind: fc.constant("wait"),
      milliseconds: fc.constantFrom(MINUTE, 13 * 60 * MINUTE, DAY, 3 * DAY),
    }),
  ),
  { minLength: 20, maxLength: 20 },
);

async function open(foyer: Foyer, { key }: Member): Promise<Held> {
  const rest = createGate();
  foyer.websearch.faults.push({ kind: "stall", until: rest.opened });
  const response = await foyer.post(PATHS.answer, key, STREAM);
  assert.equal(response.status, 200);
  return { rest, ended: response.text().catch(() => {}) };
}

Deno.test("a silent request is charged as abandoned after twice the time that a provider has, and not before", async () => {
  await using foyer = await startFoyer();
  const { services: { config, ledger }, clock } = foyer;
  const { rest, ended } = await open(foyer, await foyer.createMember());
  const charged = [];
  for (const milliseconds of [2_000 * config.UPSTREAM_TIMEOUT_SECONDS - 1, 1]) {
    clock.now += milliseconds;
    charged.push(await ledger.sweep());
  }
  rest.open();
  await ended;
  assert.deepEqual(charged, [0, 1]);
});

Deno.test("whatever requests, jobs and the clock do, each admitted request is one record, and sums are those of records", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      await using foyer = await startFoyer();
      const { services, clock } = foyer;
      const members = [await foyer.createMember(), await foyer.createMember()] as const;
      const held: Held[] = [];
      async function endOldest(): Promise<void> {
        const stream = held.shift();
        stream?.rest.open();
        await stream?.ended;
      }
      let admitted = 0;
      for (const step of taken) {
        if ("milliseconds" in step) clock.now += step.milliseconds;
        else if (step.kind === "jobs") await runJobs(services);
        else if (step.kind === "end") await endOldest();
        else {
          const member = members[step.member] ?? members[0];
          if (step.kind === "stream") held.push(await open(foyer, member));
          else {
            if (step.kind === "failure") {
              foyer.websearch.faults.push({ kind: "status", status: 500 });
            }
            const response = await foyer.post(PATHS.search, member.key, SEARCH);
            assert.equal(response.status, step.kind === "failure" ? 502 : 200);
          }
          admitted++;
        }
      }
      while (held.length > 0) await endOldest();
      await services.ledger.flush();
      const { open: left, records } = await readBooks(foyer.kv);
      assert.deepEqual([left.size, records.size], [0, admitted]);
      // What members are told of their days is the same.
      let told = 0n;
      for (const { accountId } of members) {
        const { days } = await services.ledger.status(accountId, 90);
        for (const { sums } of days) told += sums.spent;
      }
      assert.equal(told, [...records.values()].reduce((sum, { cost }) => sum + cost, 0n));
    }),
    { numRuns: 12 },
  );
});
