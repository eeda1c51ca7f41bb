/** `record`: the changes of accounts and keys, of all or of one, from some time on. */

import assert from "node:assert/strict";
import { done, json, sitDown } from "./desk.ts";

Deno.test("record lists the changes of all accounts, the newest first, and those of one from a time on", async () => {
  using desk = await sitDown();
  const record = (...args: string[]) => desk.call("record", ...args);
  assert.equal(await done(record()), "No changes.\n");
  const { id } = await json(desk.accounts("create", "Ada", "--limit", "2", "--json"));
  desk.advance(3_600_000);
  const key = await json(
    desk.keys("create", "Ada", "--limit", "0.5", "--endpoints", "search,answer", "--json"),
  );
  desk.advance(3_600_000);
  await done(desk.accounts("limit", "Ada", "3", "--why", "the fair"));
  await done(desk.accounts("create", "Bo"));
  const all: { accountId: string }[] = await json(record("--json"));
  assert.equal(all.length, 4);
  const cap = { id: key.id, limitUsd: 0.5 };
  const changes = [
    ["14", null, "limit", "accounts limit", { limitUsd: 2 }, { limitUsd: 3 }, "the fair"],
    ["13", key.id, "create", "keys create", null, { cap, endpoints: ["search", "answer"] }, null],
    ["12", null, "create", "accounts create", null, { limitUsd: 2, verified: true }, null],
  ];
  assert.deepEqual(
    all.filter(({ accountId }) => accountId === id),
    changes.map(([hour, keyId, what, command, before, after, why]) => ({
      ...{ at: `2026-11-21T${hour}:00:00.000Z`, accountId: id, keyId, what: [what] },
      ...{ by: { command, user: null }, before, after, why },
    })),
  );
  const [head, latest, ...others] = (await done(record("--account", "ada", "--since", "59m")))
    .trimEnd().split("\n");
  assert.match(head ?? "", /^TIME +ACCOUNT +KEY +WHAT +BEFORE AND AFTER +BY +WHY$/);
  assert.match(latest ?? "", /limit +limit: \$2\.00 → \$3\.00 +accounts limit +the fair$/);
  assert.deepEqual(others, []);
  assert.match(await done(record()), /create +.*cap: .*\$0\.50.*endpoints: .*search, answer/);
});
