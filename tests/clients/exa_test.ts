/** exa-js 2.23.0, pointed at `<origin>/proxy/v1/websearch`. */

import assert from "node:assert/strict";
import { DYNAMIC_HIGHLIGHTS_BETA, Exa, ExaError } from "exa-js";
import { ERROR_TEXTS } from "../../lib/sandbox/provider_answer.ts";
import { PROVIDER_KEYS, startFoyer } from "../support/foyer.ts";
import { booksOf } from "../proxy/proxy.ts";
import {
  assertExact,
  charged,
  FOYER_LIMIT,
  replayLast,
  settledBooks,
  silence,
  testRefusals,
  thrownBy,
} from "./support.ts";

const TIDES = "https://sandbox.example/science/tides";
const QUESTION = "why are there two tides a day";

function createClient({ origin }: { readonly origin: string }, key: string): Exa {
  return new Exa(key, `${origin}/proxy/v1/websearch`);
}

/** The text of a stream, and how many citations came with it. */
async function read(stream: ReturnType<Exa["streamAnswer"]>) {
  let text = "";
  let citations = 0;
  for await (const chunk of stream) {
    text += chunk.content ?? "";
    citations += chunk.citations?.length ?? 0;
  }
  return { text, citations };
}

Deno.test("exa-js gets the provider's response with its cost, and each call is charged exactly", async (t) => {
  const contents = { text: { maxCharacters: 40 }, highlights: true, summary: true } as const;
  const calls: Record<string, [path: string, call: (exa: Exa) => Promise<unknown>]> = {
    "search": ["/search", (exa) => exa.search(QUESTION)],
    "search without contents": ["/search", (exa) => exa.search(QUESTION, { contents: false })],
    "search with contents": ["/search", (exa) => exa.search(QUESTION, { contents })],
    "search with many results": ["/search", (exa) => exa.search("the", { numResults: 25 })],
    "search that is deep": ["/search", (exa) => exa.search(QUESTION, { type: "deep" })],
    "searchAndContents": ["/search", (exa) => exa.searchAndContents(QUESTION, { text: true })],
    "findSimilar": ["/findSimilar", (exa) => exa.findSimilar(TIDES, { numResults: 3 })],
    "getContents": ["/contents", (exa) => exa.getContents([TIDES], { text: true, summary: {} })],
    "answer": ["/answer", (exa) => exa.answer(QUESTION, { text: true })],
  };
  for (const [name, [path, call]] of Object.entries(calls)) {
    await t.step(name, async () => {
      await using foyer = await startFoyer();
      const member = await foyer.createMember();
      const { requestId, ...answer } = await call(createClient(foyer, member.key)) as {
        requestId: string;
        costDollars: { total: number };
      };
      assert.match(requestId, /^sandbox-/);
      assert.ok(answer.costDollars.total > 0);
      assert.equal(BigInt(Math.round(answer.costDollars.total * 1e9)), charged(foyer));
      await assertExact(foyer, member);
      const [request] = foyer.websearch.requests;
      assert.equal(request?.path, path);
      assert.equal(request.headers["x-api-key"], PROVIDER_KEYS.websearch);
      assert.ok(!JSON.stringify(request.headers).includes(member.key));
      const { requestId: _id, ...straight } = await (await replayLast(foyer.websearch)).json();
      assert.deepEqual(answer, straight);
    });
  }
});

Deno.test("the option betas of exa-js reaches the provider", async () => {
  await using foyer = await startFoyer();
  const exa = createClient(foyer, (await foyer.createMember()).key);
  const betas = [DYNAMIC_HIGHLIGHTS_BETA, "another"];
  await exa.search(QUESTION, { betas });
  await exa.getContents([TIDES], { betas });
  await exa.search(QUESTION);
  const sent = foyer.websearch.requests.map(({ headers }) => headers["exa-beta"]);
  assert.deepEqual(sent, [betas.join(","), betas.join(","), undefined]);
});

Deno.test("exa-js streams an answer and a search word by word, charged exactly by their last event", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const exa = createClient(foyer, member.key);
  const { answer, citations } = await exa.answer(QUESTION);
  const whole = { text: String(answer), citations: citations.length };
  assert.deepEqual(await read(exa.streamAnswer(QUESTION)), whole);
  const search = await read(exa.streamSearch(QUESTION));
  assert.match(search.text, /The oceans bulge on both sides/);
  assert.equal(search.citations, 3);
  assert.equal(charged(foyer), 17_000_000n);
  await assertExact(foyer, member);
});

testRefusals(
  "a refusal of Foyer is an ExaError with its message, hint, status, code and request id",
  ExaError,
  (origin, key) => createClient({ origin }, key).search(QUESTION),
  (error, { status, code }) => {
    assert.ok(!error.message.startsWith("{"));
    assert.deepEqual([error.statusCode, error.code, error.type], [status, status, code]);
    assert.match(error.requestId ?? "", /^[\da-f-]{36}$/);
  },
);

testRefusals(
  "a refusal of a stream is an ExaError whose message is our body, words and all",
  ExaError,
  (origin, key) => read(createClient({ origin }, key).streamAnswer(QUESTION)),
  ({ statusCode, message }, { status, code }) => {
    const { error, requestId } = JSON.parse(message);
    assert.deepEqual([statusCode, error.code, error.type], [status, status, code]);
    assert.match(requestId, /^[\da-f-]{36}$/);
  },
);

Deno.test("a request that the provider refuses shows the provider's words, and is free", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const exa = createClient(foyer, member.key);
  const tooMany = await thrownBy(ExaError, exa.search(QUESTION, { numResults: 1_000 }));
  assert.equal(tooMany.statusCode, 400);
  assert.equal(tooMany.message, "numResults is at most 100");
  assert.match(tooMany.requestId ?? "", /^sandbox-/);
  const empty = await thrownBy(ExaError, read(exa.streamAnswer(" ")));
  assert.equal(empty.statusCode, 400);
  assert.equal(JSON.parse(empty.message).error, "query is required and is a string");
  for (const status of [404, 422, 429, 529] as const) {
    const words = ERROR_TEXTS[status];
    foyer.websearch.faults.push({ kind: "status", status }, { kind: "status", status });
    const error = await thrownBy(ExaError, exa.getContents(TIDES));
    assert.deepEqual([error.statusCode, error.message], [status, words]);
    const streamed = await thrownBy(ExaError, read(exa.streamSearch(QUESTION)));
    assert.deepEqual([streamed.statusCode, JSON.parse(streamed.message).error], [status, words]);
  }
  const { spent, records } = await booksOf(foyer, member);
  assert.deepEqual([spent, records.length], [0n, 10]);
});

Deno.test("a stream that breaks or falls silent midway is an error, never a short answer, and charged", async (t) => {
  for (const kind of ["cut", "stall"] as const) {
    await t.step(kind, async () => {
      await using foyer = await startFoyer();
      const member = await foyer.createMember();
      using stack = new DisposableStack();
      if (kind === "stall") stack.use(silence(foyer.websearch, kind));
      else foyer.websearch.faults.push({ kind });
      const stream = createClient(foyer, member.key).streamAnswer(QUESTION);
      assert.equal((await stream.next()).value?.content, "From ");
      const thrown = thrownBy(TypeError, read(stream));
      if (kind === "stall") await foyer.limits.expire(FOYER_LIMIT);
      assert.match((await thrown).message, /error reading a body/);
      // The event with the cost never came: the reservation is charged, which is the price.
      assert.equal((await settledBooks(foyer, member)).spent, 5_000_000n);
    });
  }
});
