/**
 * A provider for the bench: constant answers, as fast as can be, or so many milliseconds later. Arguments:
 * PORT [DELAY].
 */

const [port, delay = "0"] = Deno.args;

const encoder = new TextEncoder();
const json = { "content-type": "application/json" };

function answerOf(size: number): Uint8Array<ArrayBuffer> {
  const text = "x".repeat(Math.max(0, size - 120));
  const results = [{ id: "1", url: "https://example.org/", title: "A page", text }];
  return encoder.encode(JSON.stringify({ requestId: "1", results, costDollars: { total: 0.007 } }));
}

const small = answerOf(1_000);
const large = answerOf(1_000_000);
const events = encoder.encode(
  `data: {"choices":[{"delta":{"content":"word"}}]}\n\n`.repeat(20) +
    `data: {"costDollars":{"total":0.005}}\n\n`,
);

Deno.serve(
  { port: Number(port), hostname: "127.0.0.1", onListen() {} },
  async (request) => {
    await request.bytes();
    if (delay !== "0") await new Promise((resolve) => setTimeout(resolve, Number(delay)));
    const { pathname } = new URL(request.url);
    // The router's lists, which no caller requests here.
    if (pathname.endsWith("/models")) return Response.json({ data: [{ id: "maker/model" }] });
    switch (pathname) {
      case "/answer":
        return new Response(events, { headers: { "content-type": "text/event-stream" } });
      case "/contents":
        return new Response(large, { headers: json });
      default:
        return new Response(small, { headers: json });
    }
  },
);
