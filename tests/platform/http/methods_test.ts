/** Handlers by method: OPTIONS, HEAD, and 405 with `Allow` (RFC 9110, sections 9 and 15.5.6). */

import assert from "node:assert/strict";
import type { Context } from "fresh";
import { PublicError } from "../../../lib/platform/http/errors.ts";
import { type Methods, methods } from "../../../lib/platform/http/methods.ts";

const get = (ctx: Context<unknown>) => new Response(`got ${ctx.req.method}`);
const post = () => new Response("posted", { status: 201 });

async function ask(handlers: Methods<unknown>, method: string): Promise<Response> {
  const req = new Request("https://foyer.example/", { method });
  // The handlers use nothing else of a context.
  const answer = await methods(handlers)({ req } as Context<unknown>);
  assert.ok(answer instanceof Response);
  return answer;
}

Deno.test("each method is handled by its handler, and HEAD by that of GET", async () => {
  const both = { GET: get, POST: post };
  assert.equal(await (await ask(both, "GET")).text(), "got GET");
  assert.equal(await (await ask(both, "HEAD")).text(), "got HEAD");
  assert.equal((await ask(both, "POST")).status, 201);
});

Deno.test("OPTIONS answers 204 and names the methods, to scripts of other origins as well", async () => {
  const table = [
    [{ GET: get }, "GET, HEAD, OPTIONS"],
    [{ POST: post }, "POST, OPTIONS"],
    [{ GET: get, POST: post }, "GET, HEAD, POST, OPTIONS"],
  ] as const;
  for (const [handlers, allow] of table) {
    const response = await ask(handlers, "OPTIONS");
    assert.equal(response.status, 204);
    assert.deepEqual(Object.fromEntries(response.headers), {
      "access-control-allow-headers": "*, authorization",
      "access-control-allow-methods": allow,
      "access-control-max-age": "86400",
      allow,
    });
    assert.equal(response.body, null);
  }
});

Deno.test("a method without a handler is refused with the methods that have one", async () => {
  const table = [
    [{ GET: get }, ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"], "GET, HEAD, OPTIONS"],
    [{ POST: post }, ["GET", "HEAD", "DELETE"], "POST, OPTIONS"],
  ] as const;
  for (const [handlers, refused, allow] of table) {
    for (const method of refused) {
      await assert.rejects(ask(handlers, method), (error) => {
        assert.ok(error instanceof PublicError);
        assert.deepEqual(
          [error.code, error.status, error.headers],
          ["method_not_allowed", 405, { allow }],
        );
        assert.ok(error.hint?.includes(allow));
        return true;
      });
    }
  }
});
