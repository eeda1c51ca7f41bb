/**
 * The whole service in a process of its own, as the environment configures it, ended by SIGTERM as
 * `serve.ts` is. Its clock can be set: each line on the standard input says how many milliseconds it is
 * ahead from now on.
 */

import { stdin } from "node:process";
import { createInterface } from "node:readline";
import { Builder } from "fresh/dev";
import config from "../../fresh.config.ts";

const real = Date.now;
let ahead = Number(Deno.env.get("ORDEAL_AHEAD") ?? 0);
Date.now = () => real() + ahead;
createInterface({ input: stdin }).on("line", (line) => ahead = Number(line));

const { app, stop } = await import("../../main.ts");
await (await new Builder(config).build({ snapshot: "memory" }))(app);
const { PORT } = Deno.env.toObject();
const server = Deno.serve(
  { port: Number(PORT), hostname: "127.0.0.1", onListen() {} },
  app.handler(),
);
Deno.addSignalListener("SIGTERM", async () => {
  await stop(server);
  Deno.exit(0);
});
