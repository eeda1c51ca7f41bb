/** Callers of an ordeal whose bodies are hostile: held back, trickling, cut or too large. */

import type { Random } from "../../lib/sandbox/random.ts";

const MEBIBYTE = 1024 * 1024;
const PATIENCE_MILLISECONDS = 12_000;
/** None of these bodies is a valid search. */
const EXPECTED = /^HTTP\/1\.1 (?:400|408|413|503) /;

const BODIES = [
  { kind: "held back", announced: MEBIBYTE, sent: MEBIBYTE - 2, pieces: 1 },
  { kind: "trickling", announced: MEBIBYTE, sent: 40, pieces: 40 },
  { kind: "cut", announced: 200_000, sent: 70_000, pieces: 1 },
  { kind: "oversize", announced: MEBIBYTE + 1, sent: 100, pieces: 1 },
] as const;

/** Sends a body to a server, and reads the response; returns a violation, or null. */
export async function sendHostileBody(
  { origin }: { readonly origin: string },
  key: string,
  random: Random,
): Promise<string | null> {
  const body = random.pick<(typeof BODIES)[number]>(BODIES);
  const { hostname, port } = new URL(origin);
  try {
    using connection = await Deno.connect({ hostname, port: Number(port) });
    const timer = setTimeout(() => close(connection), PATIENCE_MILLISECONDS);
    try {
      const answer = await exchange(connection, key, body);
      if (answer === "" || EXPECTED.test(answer)) return null;
      return `a body that was ${body.kind}: ${answer.slice(0, 200)}`;
    } finally {
      clearTimeout(timer);
    }
  } catch {
    // The process ended, or the caller's time limit did.
    return null;
  }
}

async function exchange(
  connection: Deno.TcpConn,
  key: string,
  { kind, announced, sent, pieces }: (typeof BODIES)[number],
): Promise<string> {
  const writer = connection.writable.getWriter();
  const fields = [
    "POST /proxy/v1/websearch/search HTTP/1.1",
    "Host: ordeal.example",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${announced}`,
  ];
  await writer.write(new TextEncoder().encode(`${fields.join("\r\n")}\r\n\r\n`));
  const send = async () => {
    for (let piece = 0; piece < pieces; piece++) {
      await writer.write(new Uint8Array(sent / pieces).fill(0x20));
      if (pieces > 1) await new Promise((resolve) => setTimeout(resolve, 200));
    }
    if (kind === "cut") await writer.close();
  };
  const sending = send().catch(() => {});
  const { value = new Uint8Array() } = await connection.readable.getReader().read();
  if (kind !== "trickling") await sending;
  return new TextDecoder().decode(value);
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
