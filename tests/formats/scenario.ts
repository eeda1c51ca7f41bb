/** The actions that fill the recorded database: at least one value of every kind. */

import assert from "node:assert/strict";
import { createAccount, updateAccount } from "../../lib/proxy/accounts/account.ts";
import { outboxKey } from "../../lib/proxy/ledger/books.ts";
import { createKey, revokeKey, rotateKey } from "../../lib/proxy/accounts/key.ts";
import { countFailure } from "../../lib/proxy/records/outbox.ts";
import { takeLease } from "../../lib/platform/kv/lease.ts";
import { row, startFoyer } from "../support/foyer.ts";
import { runJobs } from "../support/run_jobs.ts";
import { type Dump, dumpKv } from "./dump.ts";
import { madeBy } from "../support/made_by.ts";

/** Performs the actions with this tree. */
export async function recordDump(commit: string): Promise<Dump> {
  await using foyer = await startFoyer({
    models: 3,
    records: [
      row({ "id": "recRecorded0000001", "Name": "Hack Night" }),
      row({
        "id": "recRecorded0000002",
        "Name": "Summer School",
        "Start Date": "2026-12-05",
        "End Date": "2026-12-09",
      }),
      // A required cell is missing, so that the snapshot holds a problem too.
      row({ "id": "recRecorded0000003", "Name": "" }),
    ],
  });
  const { kv, services, clock } = foyer;

  const member = await foyer.createMember(5_000_000_000n);
  const banned = await createAccount(
    kv,
    { name: "banned", limitNanoUsd: null, verified: true },
    madeBy(clock.now),
  );
  await updateAccount(kv, banned.id, { banned: true }, madeBy());
  const asked = { accountId: member.accountId, label: "spare", expiresAt: clock.now + 86_400_000 };
  const revoked = await createKey(kv, asked, madeBy(clock.now));
  await revokeKey(kv, revoked.key.id, madeBy(clock.now));
  const rotated = await createKey(kv, asked, madeBy(clock.now));
  await rotateKey(kv, rotated.key.id, { overlapMilliseconds: 3_600_000 }, madeBy(clock.now));

  async function search(query: string): Promise<void> {
    const answer = await foyer.post("/proxy/v1/websearch/search", member.key, { query });
    assert.equal(answer.status, 200, await answer.text());
    await services.ledger.flush();
  }

  async function reserve(requestId: string): Promise<void> {
    const admission = await services.ledger.reserve({
      requestId,
      accountId: member.accountId,
      keyId: member.keyId,
      endpoint: "search",
      model: null,
      amount: 12_000_000n,
      limit: 5_000_000_000n,
    });
    assert.ok(admission.admitted);
  }

  await search("delivered");
  await kv.set(outboxKey("damaged"), { nothing: true });
  await reserve("left-behind");
  clock.now += 3_600_000;
  // Charges the open reservation, and delivers all batches except the damaged marker's.
  await runJobs(services);
  await (await foyer.get("/proxy/v1/models")).body?.cancel();
  const headers = { authorization: `Bearer ${member.key}` };
  await (await foyer.get("/proxy/v1/decision/models", { headers })).body?.cancel();
  await search("waiting");
  await reserve("open");
  await countFailure(kv, new Error("the server does not answer"), clock.now);
  await takeLease(kv, "held", 60_000, clock.now);
  await kv.set(["unpaintable", "v1"], { until: clock.now + 60_000, reason: "a test" });
  await kv.set(["events", "calls"], { month: "2026-11", calls: 2, since: clock.now, pages: 1 });
  await kv.set(["events", "pause"], { until: clock.now + 5_000, seconds: 5 });
  for (const path of ["/up", "/proxy/v1/models", "/proxy/v1/decision/models"]) {
    await (await foyer.get(path)).body?.cancel();
  }

  const events = (await (await foyer.get("/api/v1/events")).json()).data;
  // The service writes a key's last use in the background.
  while ((await kv.get(["key_last_used", member.keyId])).value === null) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    commit,
    at: clock.now,
    member: { accountId: member.accountId, key: member.key },
    events,
    entries: await dumpKv(kv),
  };
}
