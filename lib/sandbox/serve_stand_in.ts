// Serves a stand-in so that a connection can break before the first byte of an answer, as a crash breaks it. No
// handler of Deno.serve can do that, so the server is behind a listener that forwards bytes and can disconnect.

import { isReset } from "./connection.ts";

const HOST = "127.0.0.1";
const BUFFER_BYTES = 65_536;

/** Listens on a free port of this machine. Slower than Deno.serve alone: every byte goes twice. */
export function serveStandIn(
  fetch: (request: Request) => Response | Promise<Response>,
) {
  const abort = new AbortController();
  /** The caller's connection, by the port from which it is forwarded to the server. */
  const callers = new Map<number, Deno.TcpConn>();
  const server = Deno.serve(
    { hostname: HOST, port: 0, signal: abort.signal, onListen() {} },
    async (request, { remoteAddr }) => {
      const response = await fetch(request);
      if (isReset(response)) hangUp(callers.get(remoteAddr.port));
      return response;
    },
  );
  const listener = Deno.listen({ hostname: HOST, port: 0 });

  async function accept(): Promise<void> {
    for await (const caller of listener) void carry(caller);
  }

  async function carry(caller: Deno.TcpConn): Promise<void> {
    const carrier = await Deno.connect({ hostname: HOST, port: server.addr.port });
    const { port } = carrier.localAddr;
    callers.set(port, caller);
    // When either side disconnects, the other must see it at once.
    await Promise.race([copy(caller, carrier), copy(carrier, caller)]);
    callers.delete(port);
    hangUp(caller);
    hangUp(carrier);
  }

  const accepting = accept();
  return {
    /** Its address, without a slash at the end. */
    origin: `http://${HOST}:${listener.addr.port}`,
    /** Ends it at once; requests that hang are cut off. */
    async shutdown(): Promise<void> {
      listener.close();
      abort.abort();
      for (const caller of callers.values()) hangUp(caller);
      await Promise.all([accepting, server.finished]);
    },
  };
}

/** Forwards bytes until either connection ends; reads no more than was written, so back-pressure works. */
async function copy(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(BUFFER_BYTES);
  try {
    for (let read = await from.read(buffer); read !== null; read = await from.read(buffer)) {
      for (let sent = 0; sent < read;) sent += await to.write(buffer.subarray(sent, read));
    }
  } catch (error) {
    if (!isOver(error)) throw error;
  }
}

function hangUp(connection: Deno.TcpConn | undefined): void {
  try {
    connection?.close();
  } catch (error) {
    if (!isOver(error)) throw error;
  }
}

/** Whether an error only reports that a connection has ended. */
function isOver(error: unknown): boolean {
  return [
    Deno.errors.BadResource,
    Deno.errors.BrokenPipe,
    Deno.errors.ConnectionAborted,
    Deno.errors.ConnectionReset,
    Deno.errors.Interrupted,
    Deno.errors.NotConnected,
  ].some((kind) => error instanceof kind);
}
