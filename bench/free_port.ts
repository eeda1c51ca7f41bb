/**
 * The system gives higher ports to processes that ask for any port. So none of them takes this one before its server
 * listens.
 */
const FIRST = 11_000;
const LAST = 32_000;

/** A port on which no process listens now. */
export function freePort(): number {
  while (true) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    try {
      using _listener = Deno.listen({ port, hostname: "127.0.0.1" });
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
