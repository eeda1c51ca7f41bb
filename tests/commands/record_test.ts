/** `record`: the changes of accounts and keys, of all or of one, from some time on. */

import assert from "node:assert/strict";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { callTool, done, json, sitDown } from "./desk.ts";

const config = parseConfig({});

Deno.test("record lists the changes of all accounts, the newest first, and those of one from a time on", async () => {
  using desk = await sitDown();
  const record = (...args: string[]) =>
    callTool("record", args, { kv: desk.kv, now: desk.now, config, user: "grace" });
  assert.equal(await done(record()), "No changes.\n");
  const { id } = await json(desk.accounts("create", "Ada", "--limit", "2", "--json"));
  desk.advance(3_600_000);
  const key = await json(desk.keys("create", "Ada", "--limit", "0.5", "--json"));
  desk.advance(3_600_000);
  await done(desk.accounts("limit", "Ada", "3", "--why", "the fair"));
  await done(desk.accounts("create", "Bo"));
  const all = await json(record("--json"));
  assert.deepEqual(
    all.filter(({ accountId }: { accountId: string }) => accountId === id),
    [
      {
        at: "2026-11-21T14:00:00.000Z",
        accountId: id,
        keyId: null,
        what: ["limit"],
        by: { command: "accounts limit", user: null },
        before: { limitUsd: 2 },
        after: { limitUsd: 3 },
        why: "the fair",
      },
      {
        at: "2026-11-21T13:00:00.000Z",
        accountId: id,
        keyId: key.id,
        what: ["create"],
        by: { command: "keys create", user: null },
        before: null,
        after: { cap: { id: key.id, limitUsd: 0.5 } },
        why: null,
      },
      {
        at: "2026-11-21T12:00:00.000Z",
        accountId: id,
        keyId: null,
        what: ["create"],
        by: { command: "accounts create", user: null },
        before: null,
        after: { limitUsd: 2, verified: true },
        why: null,
      },
    ],
  );
  assert.equal(all.length, 4);
  const [head, latest, ...others] = (await done(record("--account", "ada", "--since", "59m")))
    .trimEnd().split("\n");
  assert.match(head ?? "", /^TIME +ACCOUNT +KEY +WHAT +BEFORE AND AFTER +BY +WHY$/);
  assert.match(latest ?? "", /limit +limit: \$2\.00 → \$3\.00 +accounts limit +the fair$/);
  assert.deepEqual(others, []);
});
