/** The system gives higher ports to those who ask for any port. So nobody takes one of these while its process restarts. */
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
