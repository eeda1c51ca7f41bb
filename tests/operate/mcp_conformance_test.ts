/** `/mcp` by the conformance suite of the Model Context Protocol. */
// Not quick: a process for each scenario.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { startFoyer } from "../support/foyer.ts";

/** The others need sessions, or the tools and resources of a server that is made for the suite. */
const SCENARIOS = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "dns-rebinding-protection",
];
const program = fileURLToPath(new URL("../support/conformance.ts", import.meta.url));
const lock = fileURLToPath(new URL("../deno.lock", import.meta.url));

Deno.test("the scenarios for servers that apply pass", async (test) => {
  await using foyer = await startFoyer({ isAtBaseUrl: true });
  for (const scenario of SCENARIOS) {
    await test.step(scenario, async () => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "-A", "--no-check", `--lock=${lock}`, program],
          ...["server", "--url", `${foyer.origin}/mcp`, "--scenario", scenario],
        ],
      }).output();
      const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assert.equal(code, 0, text);
      assert.match(text, /Passed: [1-9]\d*\/\d+, 0 failed/, text);
    });
  }
});
