/** `serve.ts` under V8's profiler: SIGUSR2 starts it, a second one writes the profile to PROFILE and goes on. */

import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

await import("../serve.ts");

const session = new Session();
session.connect();
await session.post("Profiler.enable");
let isRunning = false;
Deno.addSignalListener("SIGUSR2", async () => {
  if (!isRunning) {
    isRunning = true;
    await session.post("Profiler.setSamplingInterval", { interval: 200 });
    await session.post("Profiler.start");
    return;
  }
  isRunning = false;
  const { profile } = await session.post("Profiler.stop");
  writeFileSync(Deno.env.get("PROFILE") || "profile.json", JSON.stringify(profile));
});
