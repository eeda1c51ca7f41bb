/**
 * The same constant answer as `bare.ts` gives, by Hono. Where Hono comes from is an argument: it is no
 * dependency of Foyer, so that neither the lock file nor the checker is to know it.
 */

import { readFileSync } from "node:fs";

const [file = "", port = "", hono = ""] = Deno.args;
const { Hono } = await import(hono);
const { status, headers, body } = JSON.parse(readFileSync(file, "utf8"));
const bytes = body === null ? null : Uint8Array.fromBase64(body);
const fields = Object.fromEntries(headers);
const app = new Hono();
// deno-lint-ignore no-explicit-any -- its types are not here, as said above
app.get("/", (context: any) => context.body(bytes, status, fields));
Deno.serve({ port: Number(port), hostname: "127.0.0.1", onListen() {} }, app.fetch);
