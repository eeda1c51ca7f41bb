/**
 * The least that a proxy with durable books costs on this runtime: it reads the body, calls the provider, and answers
 * once one record of the request is committed. The commit runs beside the call, and requests that arrive during one
 * share the next. It knows no key, no limit and no price. Its arguments are the port, the address of the provider and
 * the path of the database.
 */

const [port = "", provider = "", path = ""] = Deno.args;
const kv = await Deno.openKv(path);

interface Waiting {
  readonly record: Readonly<Record<string, unknown>>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

let waiting: Waiting[] = [];
let isCommitting = false;
let count = 0;

async function commitWaiting(): Promise<void> {
  if (isCommitting) return;
  isCommitting = true;
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    count += batch.length;
    try {
      await kv.atomic()
        .set(["count"], count)
        .set(["records", crypto.randomUUID()], batch.map(({ record }) => record))
        .commit();
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
  isCommitting = false;
}

function commit(record: Waiting["record"]): Promise<void> {
  return new Promise((resolve, reject) => {
    waiting.push({ record, resolve, reject });
    void commitWaiting();
  });
}

Deno.serve({ port: Number(port), hostname: "127.0.0.1", onListen() {} }, async (request) => {
  if (request.method === "GET") return new Response();
  const { pathname } = new URL(request.url);
  const body = await request.bytes();
  const record = { id: crypto.randomUUID(), at: Date.now(), endpoint: "search", cost: 7_000_000n };
  const durable = commit(record);
  const answer = await fetch(provider + pathname.slice(pathname.lastIndexOf("/")), {
    method: request.method,
    headers: { "content-type": "application/json", "accept-encoding": "identity" },
    // As in `lib/proxy/upstream.ts`: plain bytes may be sent twice, and so charged twice.
    body: new Blob([body]),
  });
  const bytes = await answer.bytes();
  await durable;
  const headers = { "content-type": answer.headers.get("content-type") ?? "" };
  return new Response(bytes, { status: answer.status, headers });
});
