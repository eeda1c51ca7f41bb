/**
 * The proxy that Foyer is compared with: it passes everything through, and checks and counts nothing. Its
 * arguments are the port and the address of the provider.
 */

const [port = "", provider = ""] = Deno.args;

Deno.serve({ port: Number(port), hostname: "127.0.0.1", onListen() {} }, async (request) => {
  const { pathname } = new URL(request.url);
  const answer = await fetch(provider + pathname.slice(pathname.lastIndexOf("/")), {
    method: request.method,
    headers: { "content-type": "application/json", "accept-encoding": "identity" },
    body: request.body === null ? null : await request.bytes(),
  });
  const headers = { "content-type": answer.headers.get("content-type") ?? "" };
  return new Response(answer.body, { status: answer.status, headers });
});
