/** Telling the browser in development that the server has restarted. */

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>;

/** Adds the address at which a page learns when the server started. */
export function withReload(handler: Handler): Handler {
  const startedAt = String(Date.now());
  return async function answerOrReload(request, info) {
    if (new URL(request.url).pathname !== "/_frsh/alive") return await handler(request, info);
    if (request.headers.get("upgrade") !== "websocket") return new Response(null, { status: 426 });
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () => socket.send(startedAt);
    return response;
  };
}
