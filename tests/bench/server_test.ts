import assert from "node:assert/strict";
import { startServer } from "../../bench/server.ts";
import { withTimeout } from "../../lib/platform/timeout.ts";

Deno.test("a server of the bench that ends before it answers is a failure at once", async () => {
  const start = startServer(() => ["data:application/javascript,Deno.exit(3)"]);
  const late = () => assert.fail("it is waited for although it has ended");
  await assert.rejects(withTimeout(60_000, start, late), /ended before it answered/);
});
