/** What operators are told although they do not look. */

import assert from "node:assert/strict";
import { setBackupTime } from "../../lib/operate/backup/backup.ts";
import { row, startFoyer } from "../support/foyer.ts";
import { runJobs } from "../support/run_jobs.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A place that takes messages, as Slack does; it answers with a status. */
function openInbox() {
  const texts: string[] = [];
  const inbox = { status: 200 };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    if (inbox.status === 200) texts.push((await request.json()).text);
    return new Response("ok", { status: inbox.status });
  });
  const url = `http://127.0.0.1:${server.addr.port}/services/T0/B0/secret-path`;
  return {
    ...{ inbox, url },
    /** The messages since the last look. */
    taken: () => texts.splice(0),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("an operator is told once when something stands still, and once when it is over", async () => {
  await using inbox = openInbox();
  const records = Array.from({ length: 12 }, () => row());
  await using foyer = await startFoyer({
    records,
    env: {
      NOTICES_URL: inbox.url,
      SITE_NAME: "Harbour Arts",
      SERVICE_DAILY_LIMIT_USD: "0.01",
      DAILY_LIMIT_USD: "1",
    },
  });
  const { clock, services, kv } = foyer;
  const pass = async (milliseconds: number) => {
    clock.now += milliseconds;
    await services.events.refresh();
    await runJobs(services);
    return inbox.taken();
  };
  assert.deepEqual(await pass(0), []);

  // A refused read, at once, and for half an hour of failing reads.
  foyer.store.setRecords(records.slice(0, 2));
  const [loss = "", ...others] = await pass(5 * MINUTE);
  assert.match(loss, /^Harbour Arts: A read of the events was refused\. .*lost 10 of 12 events/);
  assert.match(loss, /https:\/\/foyer\.example\/desk$/);
  assert.deepEqual(others, []);
  assert.deepEqual(await pass(5 * MINUTE), [], "once");
  foyer.store.setRecords(records);
  assert.deepEqual(await pass(5 * MINUTE), [], "at most one an hour for each cause");
  const [over = ""] = await pass(HOUR);
  assert.match(over, /^Harbour Arts: Over: A read of the events was refused/);
  assert.deepEqual(await pass(5 * MINUTE), []);

  // The limit of all accounts, and the backup, which only a service with accounts needs.
  const { key } = await foyer.createMember();
  await (await foyer.post("/proxy/v1/websearch/search", key, { query: "secret-query" })).text();
  await services.ledger.flush();
  await (await foyer.post("/proxy/v1/websearch/search", key, { query: "secret-query" })).text();
  await services.ledger.flush();
  const told = await pass(5 * MINUTE);
  assert.equal(told.length, 2, told.join("\n"));
  assert.ok(told.some((text) => /of \$0\.01 of today's limit of all accounts are used/.test(text)));
  assert.ok(told.some((text) => /No backup was made yet\./.test(text)));
  assert.doesNotMatch(told.join(), /secret-query|member/);
  assert.deepEqual(await pass(2 * HOUR), [], "neither is over");
  await setBackupTime(kv, clock.now);
  const ended = await pass(13 * HOUR);
  assert.ok(ended.some((text) => /Over: No backup/.test(text)), ended.join());
  assert.ok(ended.some((text) => /Over: .*today's limit/.test(text)), "another day");
  const [old = ""] = await pass(49 * HOUR);
  assert.match(old, /The last backup was begun 2 days ago\./);
});

Deno.test("an address that fails is a line in the log without the address, and is tried again after an hour", async () => {
  await using inbox = openInbox();
  await using foyer = await startFoyer({ env: { NOTICES_URL: inbox.url } });
  await foyer.createMember();
  const { clock, services } = foyer;
  const warnings = () => foyer.lines.filter(({ message }) => /NOTICES_URL/.test(message)).length;
  inbox.inbox.status = 404;
  for (const [minutes, count] of [[0, 1], [5, 1], [60, 2]] as const) {
    clock.now += minutes * MINUTE;
    await runJobs(services);
    assert.equal(warnings(), count, `${minutes}`);
  }
  assert.ok(!foyer.logged.some((line) => /secret-path/.test(line)));
  inbox.inbox.status = 200;
  clock.now += HOUR;
  await Promise.all([runJobs(services), runJobs(services)]);
  assert.equal(inbox.taken().length, 1, "of two processes, one tells");
});
