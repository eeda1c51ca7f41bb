/** A process that asks for any port gets a higher one. So no other process takes a port while its own process restarts. */
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
