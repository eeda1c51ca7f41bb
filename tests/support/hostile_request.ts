/** Requests that no honest client sends, made from a seed: each is a route of the service with random parts. */

import { createRandom, type Random } from "../../lib/sandbox/random.ts";
import { DECISION, SEARCH, STREAM } from "../proxy/proxy.ts";

/** A request as raw bytes; only its framing has to be valid. */
export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  readonly bytes: Uint8Array;
}

type Words = readonly string[];

const METHODS: Words = "GET GET GET HEAD POST POST OPTIONS DELETE FOO get".split(" ");
const NAMES: Words = "status sort order limit q format projectType v days offset".split(" ");
const WORDS: Words = [
  ..."__proto__|constructor|toString|hasOwnProperty|upcoming|ended|startDate|asc|rss|errors".split(
    "|",
  ),
  ..."recHostile|hostile|%00|%ff|%|%2e%2e%2f|..|.|%5c..%5c|%0d%0aX-Split:%201|%c0%ae|%F0%9F%92%A5"
    .split("|"),
  ..."<script>|\"|'|\\|{}|[]|,|;|=|&|+|*|-1|0|1|100|101|1e9|NaN|null|undefined|x.md|x.ics|logo"
    .split("|"),
  "",
  "a".repeat(3_000),
  "%1b[31m",
  "${7*7}",
];
const FIELDS: Words = [
  ..."Accept|Accept-Encoding|Accept-Language|Authorization|Content-Encoding|Content-Type|Cookie"
    .split("|"),
  ..."Forwarded|If-Match|If-Modified-Since|If-None-Match|Origin|Range|Referer|Sec-Fetch-Dest".split(
    "|",
  ),
  ..."TE|User-Agent|X-Api-Key|X-Forwarded-Host|X-HTTP-Method-Override|X-Request-Id".split("|"),
  "Typesafe-Danger-Zone-Debug",
];
const VALUES: Words = [
  ..."*/*|text/markdown|text/html;q=0|application/json|text/event-stream|*/*;q=0|a/b;q=9|gzip|br"
    .split("|"),
  ...'identity;q=0|deflate|*|W/"x"|"|bytes=0-0|bytes=9-1|image|document|null|chunked'.split("|"),
  "Thu, 01 Jan 1970 00:00:00 GMT",
  "Bearer",
  "Bearer foyer_000000000000_00000000000000000000000000000000000000",
  "application/json; charset=latin1",
  "\xff\xfe\x80",
  ",".repeat(500),
  "a/b,".repeat(600),
];
const TEXTS: Words = [
  JSON.stringify(SEARCH),
  JSON.stringify(STREAM),
  JSON.stringify(DECISION),
  JSON.stringify({ ...DECISION, model: "x".repeat(2_000) }),
  `{"state":"x","questions":{"__proto__":{"type":"noul"},"constructor":{"type":"score"}}}`,
  `{"__proto__":{"state":1},"state":{},"questions":{"":{"type":"choice","criteria":{"__proto__":1}}}}`,
  `{"urls":["http://169.254.169.254/","file:///etc/passwd","http://[::1]:8000/up"]}`,
  `{"query":"\\ud800","numResults":1e400,"numResults":-0}`,
  `${"[".repeat(3_000)}${"]".repeat(3_000)}`,
  `{"a":${`{"a":`.repeat(300)}1${"}".repeat(300)}}`,
  "\ufeff{}",
  "null",
  "",
];

/** The addresses of every route as its file writes it, such as `/events/[slug]`, and some more. */
export async function listDoors(): Promise<Words> {
  const doors: string[] = [];
  async function walk(path: string): Promise<void> {
    for await (
      const { name, isDirectory } of Deno.readDir(new URL(`../../routes${path}`, import.meta.url))
    ) {
      if (/^[_(]/.test(name)) continue;
      if (isDirectory) await walk(`${path}${name}/`);
      else doors.push(`${path}${name}`.replace(/(?:\/index)?\.tsx?$/, ""));
    }
  }
  await walk("/");
  return [
    "/",
    "/favicon.svg",
    "/nowhere",
    "/proxy/nowhere",
    ...doors.filter((door) => door !== "").toSorted(),
  ];
}

/** The request of a seed. About half of the requests carry `key`, a member's key. */
export function hostileRequest(seed: string, doors: Words, key: string): HostileRequest {
  const random = createRandom(seed);
  const method = random.pick(METHODS);
  const target = targetOf(random, doors);
  const fields = [random.chance(0.95) ? "Host: foyer.example" : `Host: ${random.pick(VALUES)}`];
  if (random.chance(0.5)) fields.push(`Authorization: Bearer ${key}`);
  if (random.chance(0.7)) fields.push("Content-Type: application/json");
  for (let count = random.int(0, 4); count > 0; count--) {
    fields.push(`${random.pick(FIELDS)}: ${random.pick(random.chance(0.7) ? VALUES : WORDS)}`);
  }
  const body = method === "POST" || random.chance(0.1) ? bodyOf(random) : new Uint8Array();
  fields.push(`Content-Length: ${body.length}`, "Connection: close");
  const head = `${method} ${target} HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n`;
  const bytes = new Uint8Array(head.length + body.length);
  for (let at = 0; at < head.length; at++) bytes[at] = head.charCodeAt(at);
  bytes.set(body, head.length);
  return { method, target, bytes };
}

function targetOf(random: Random, doors: Words): string {
  let path = random.pick(doors).replace(/\[[.\w]+\]/g, () => random.pick(WORDS));
  if (random.chance(0.15)) {
    const at = random.int(0, path.length);
    path = `/${path.slice(1, at)}${random.pick(WORDS)}${path.slice(Math.max(1, at))}`;
  }
  const pairs = Array.from({ length: random.chance(0.5) ? random.int(1, 3) : 0 }, () => {
    const name = random.pick(random.chance(0.8) ? NAMES : WORDS);
    return `${name}=${random.pick(WORDS)}`;
  });
  const origin = random.chance(0.05) ? "http://evil.example" : "";
  return origin + path + (pairs.length > 0 ? `?${pairs.join("&")}` : "");
}

function bodyOf(random: Random): Uint8Array {
  const bytes = new TextEncoder().encode(random.pick(TEXTS));
  for (let changes = random.chance(0.5) ? random.int(1, 3) : 0; changes > 0; changes--) {
    if (bytes.length > 0) bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
  }
  return random.chance(0.1) ? bytes.subarray(0, random.int(0, bytes.length)) : bytes;
}
