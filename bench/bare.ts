/** The bare server that Foyer is compared with: one constant answer, read from a file. */

import { readFileSync } from "node:fs";

const [file = "", port = ""] = Deno.args;
const { status, headers, body } = JSON.parse(readFileSync(file, "utf8"));
const fields = Object.fromEntries(headers);
const bytes = body === null ? null : Uint8Array.fromBase64(body);
Deno.serve(
  { port: Number(port), hostname: "127.0.0.1", onListen() {} },
  () => new Response(bytes, { status, headers: fields }),
);
