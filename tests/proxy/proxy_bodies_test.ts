/** Bodies through the proxy: unchanged in both directions, and which ones are refused. */

import assert from "node:assert/strict";
import { updateAccount } from "../../lib/accounts/account.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import {
  announced,
  ANSWER_PRICE,
  ask,
  askRaw,
  beginPost,
  booksOf,
  chunk,
  CHUNKED,
  DECISION,
  hasAnswer,
  PATHS,
  reply,
  SEARCH,
} from "./proxy.ts";
import { madeBy } from "../support/made_by.ts";

/** Bodies that a proxy would change if it parsed and rewrote them. */
const ODD =
  '\ufeff{ "z" : 9007199254740993,\r\n\t"a":1.0,"a":-0, "big":1e400,"\\u0071":"\\/\\ud800 \\u00e9 é",' +
  '"10":[1E+2,0.10],"2":"\u2028",  "__proto__":{"x":null} } \n';
const odd = (members: string) => ODD.slice(1).replace("{", `{${members},`);

const JSON_TYPE = "application/json";

function wasSent(bytes: Uint8Array | undefined, text: string): void {
  assert.equal(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), text);
}

Deno.test("a body goes up byte for byte", async () => {
  await using foyer = await startFoyer({ env: { DECISION_MODEL_PREFIX: undefined } });
  const { key } = await foyer.createMember();
  const search = odd('"query":"bread"');
  const decision = odd(JSON.stringify(DECISION).slice(1, -1));
  for (
    const [path, provider, text] of [
      [PATHS.search, foyer.websearch, search],
      [PATHS.decision, foyer.decision, decision],
      [
        PATHS.decision,
        foyer.decision,
        odd(`"model":null,${JSON.stringify(DECISION).slice(1, -1)}`),
      ],
    ] as const
  ) {
    await ask(foyer, key, text, path);
    wasSent(provider.requests.at(-1)?.body, text);
  }
});

Deno.test("with a prefix only the model's bytes change on the way up", async () => {
  await using foyer = await startFoyer({ env: { DECISION_MODEL_PREFIX: "jev" } });
  const { key } = await foyer.createMember();
  const rest = JSON.stringify(DECISION).slice(1, -1);
  const table = [
    [odd(`"model" : "decision-1.13", ${rest}`), odd(`"model" : "jev-1.13", ${rest}`)],
    [
      odd(`"mod\\u0065l":"decisio\\u006e-preview",${rest}`),
      odd(`"mod\\u0065l":"jev-preview",${rest}`),
    ],
    [odd(rest), `{"model":"jev-latest",${odd(rest).slice(1)}`],
    [odd(`"model":null,${rest}`), odd(`"model":"jev-latest",${rest}`)],
    [odd(`"model":"other-decision-1",${rest}`), odd(`"model":"other-decision-1",${rest}`)],
    // The name inside the state is not the model.
    [
      `{"state":{"model":"decision-1"},"questions":{"q":{"type":"noul"}},"model":"decision-2"}`,
      `{"state":{"model":"decision-1"},"questions":{"q":{"type":"noul"}},"model":"jev-2"}`,
    ],
  ] as const;
  for (const [sent, expected] of table) {
    await ask(foyer, key, sent, PATHS.decision);
    wasSent(foyer.decision.requests.at(-1)?.body, expected);
  }
});

Deno.test("an answer comes down byte for byte, however it is framed", async () => {
  const text = odd('"costDollars":{"total":0.0070000000001}').replaceAll("\n", "\r\n");
  const answers = [
    reply(200, JSON_TYPE, text),
    reply(200, JSON_TYPE, text, "Connection: close"),
    reply(200, JSON_TYPE, chunk(text) + chunk(""), CHUNKED),
  ];
  for (const answer of answers) {
    const { response, text: got, charge } = await askRaw(answer);
    assert.deepEqual([response.status, got, charge.cost], [200, text, 7_000_001n]);
  }
});

Deno.test("with a prefix only the model's bytes change on the way down", async () => {
  const usage = '"usage":{"input_tokens":10,"output_tokens":1}';
  const table = [
    [`"model":"jev-1.13", ${usage}`, `"model":"decision-1.13", ${usage}`],
    [`"model":"j\\u0065v-1.13",${usage}`, `"model":"decision-1.13",${usage}`],
    ...["other-1", "jevel-1", "ajev-1", "decision-1"].map((model) => [
      `"model":"${model}",${usage}`,
      `"model":"${model}",${usage}`,
    ]),
    [`"model":null,${usage}`, `"model":null,${usage}`],
    [`"answers":{"model":"jev-1"},${usage}`, `"answers":{"model":"jev-1"},${usage}`],
  ] as [string, string][];
  for (const [sent, expected] of table) {
    const whole = odd(sent);
    const decision = { path: PATHS.decision, body: DECISION };
    for (
      const answer of [
        reply(200, JSON_TYPE, whole),
        reply(200, JSON_TYPE, chunk(whole) + chunk(""), CHUNKED),
      ]
    ) {
      const { response, text, charge } = await askRaw(answer, decision);
      assert.deepEqual([response.status, text, charge.cost], [200, odd(expected), 420n]);
      const env = { DECISION_MODEL_PREFIX: undefined };
      assert.equal((await askRaw(answer, { ...decision, env })).text, whole);
    }
  }
});

Deno.test("Content-Type and Content-Encoding: JSON in UTF-8 and nothing else", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  const table: readonly (readonly [number, Record<string, string>])[] = [
    [200, { "content-type": "application/json" }],
    [200, { "content-type": "application/json; charset=utf-8" }],
    [200, { "content-type": 'Application/JSON;charset="UTF-8"' }],
    [200, { "content-type": "application/json", "content-encoding": "identity" }],
    [415, { "content-type": "application/json; charset=iso-8859-1" }],
    [415, { "content-type": "text/plain" }],
    [415, { "content-type": "application/jsonp" }],
    [415, { "content-type": "application/x-www-form-urlencoded" }],
    [415, { "content-type": "application/json, text/plain" }],
    [415, { "content-type": "application/json", "content-encoding": "gzip" }],
    [415, { "content-type": "application/json", "content-encoding": "identity, br" }],
  ];
  for (const [status, headers] of table) {
    const response = await foyer.post(PATHS.search, key, SEARCH, { headers });
    assert.equal(response.status, status, JSON.stringify(headers));
    const { code } = await response.json();
    if (status === 415) assert.equal(code, "unsupported_media_type");
  }
  const missing = await foyer.post(PATHS.search, key, new TextEncoder().encode("{}"), {
    headers: { "content-type": "" },
  });
  assert.equal(missing.status, 415);
  assert.equal(missing.headers.get("accept"), "application/json");
});

Deno.test("a body that is no JSON object in UTF-8 is refused with the fault and its place, and none of its words; it is not counted", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  const notUtf8 = "The body is not valid UTF-8.";
  const tooDeep = "The body is nested too deeply.";
  const notJson = (fault: string) => `The body is not valid JSON${fault}`;
  const table: readonly (readonly [string | number[], string])[] = [
    ["", "The body is empty."],
    [ODD, "The body starts with a byte order mark."],
    [[0x7b, 0x22, 0xff, 0x22, 0x7d], notUtf8],
    [[0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d], notUtf8],
    [[0xff, 0xfe, 0x7b, 0x00], notUtf8],
    [nested(257), tooDeep],
    ["[".repeat(1_000_000), tooDeep],
    [`{"a\\"b":${nested(300)}}`, tooDeep],
    [" ", notJson(": Unexpected end.")],
    ['{"a":1,}', notJson(": Expected double-quoted property name at line 1, column 8.")],
    ['{\n"a" 1}', notJson(": Expected ':' after property name at line 2, column 5.")],
    ['{"a":NaN}', notJson(": Unexpected token 'N'.")],
    ['{"a":é}', notJson(".")],
    ["{}{}", notJson(": Unexpected non-whitespace character after JSON at line 1, column 3.")],
    ["SECRET", notJson(": Unexpected token 'S'.")],
    ['{"a":"SECRET', notJson(": Unterminated string at line 1, column 13.")],
    ['["SECRET" 1]', notJson(": Expected ',' or ']' after array element at line 1, column 11.")],
    ["x SECRET in JSON at position 1 (line 1 column 1)", notJson(": Unexpected token 'x'.")],
    ["[]", "The body must be an object, such as {}, not an array."],
    ["null", "The body must be an object, such as {}, not null."],
  ];
  for (const [body, message] of table) {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const response = await foyer.post(PATHS.search, member.key, new Uint8Array(bytes));
    const said = await response.json();
    const refused = message.includes("must be") ? [422, "validation_failed"] : [400, "bad_request"];
    assert.deepEqual([response.status, said.code, said.message], [...refused, message]);
  }
  assert.equal((await booksOf(foyer, member)).counted, 0);
  assert.equal(foyer.websearch.requests.length, 0);
  for (const text of ["[{".repeat(300), `\\"${"[".repeat(300)}`, `\\\\","b":"${"[".repeat(300)}`]) {
    const { status } = await ask(foyer, member.key, `{"query":"x","a":"${text}"}`);
    assert.equal(status, 200, text);
  }
});

async function raw(foyer: Foyer, key: string, fields: string[], ...parts: string[]) {
  using connection = await beginPost(foyer, PATHS.answer, key, fields, ...parts);
  return await connection.read(hasAnswer);
}

Deno.test("a body above the limit is 413: by its length before a byte of it, else by counting", async () => {
  await using foyer = await startFoyer({ env: { MAX_BODY_BYTES: "1000" } });
  const member = await foyer.createMember();
  const padded = (bytes: number) => JSON.stringify(SEARCH).padEnd(bytes);
  const chunked = (...chunks: string[]) => [...chunks, ""].map(chunk);
  const over = /^HTTP\/1\.1 413 .*"payload_too_large"/s;
  assert.match(await raw(foyer, member.key, ["Content-Length: 1001"]), over);
  assert.match(await raw(foyer, member.key, ["Content-Length: 99999999999999999"]), over);
  const te = [CHUNKED];
  // The end of the chunks never comes.
  assert.match(
    await raw(foyer, member.key, te, ...chunked(padded(500), padded(501)).slice(0, 2)),
    over,
  );
  // Two lengths are invalid: a reverse proxy might obey the other one.
  const both = ["Content-Length: 5", ...te];
  assert.match(await raw(foyer, member.key, both, ...chunked(padded(5000))), /^HTTP\/1\.1 400 /);
  assert.equal((await booksOf(foyer, member)).counted, 0);

  const taken = /^HTTP\/1\.1 200 /;
  assert.match(await raw(foyer, member.key, ["Content-Length: 1000"], padded(1000)), taken);
  assert.match(await raw(foyer, member.key, te, ...chunked(padded(500), " ".repeat(500))), taken);
  const { spent } = await booksOf(foyer, member);
  assert.equal(spent, 2n * ANSWER_PRICE);
});

Deno.test("a ban that comes while a body is on its way is in force when it is there", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const body = JSON.stringify(SEARCH);
  const fields = [announced(body)];
  const begun = body.slice(0, 5);
  using connection = await beginPost(foyer, PATHS.answer, member.key, fields, begun);
  // Once another request is done, the service has read this one's key.
  await ask(foyer, member.key, SEARCH, PATHS.answer);
  await updateAccount(foyer.kv, member.accountId, { banned: true }, madeBy());
  foyer.clock.now += 6_000;
  await connection.send(body.slice(5));
  assert.match(await connection.read((text) => text.includes("\r\n\r\n")), /^HTTP\/1\.1 403 /);
  assert.equal(foyer.websearch.requests.length, 1);
});

Deno.test("a caller who asks first whether to send a body is refused without having sent it", async () => {
  await using foyer = await startFoyer({ env: { MAX_BODY_BYTES: "1000" } });
  const { key } = await foyer.createMember();
  const expect = "Expect: 100-continue";
  const refusals = [
    [await raw(foyer, "nonsense", [expect, "Content-Length: 40"]), 401],
    [await raw(foyer, key, [expect, "Content-Length: 4000"]), 413],
    [await raw(foyer, key, [expect, "Content-Encoding: br", "Content-Length: 40"]), 415],
  ] as const;
  // Deno 2.9 sends `100 Continue` before it calls the handler, so only the bytes after it are the service's.
  for (const [answer, status] of refusals) {
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `, "m"));
  }
});
