/** A database as readable JSON: a value that JSON lacks is an object with one member `$…`. */

/** An entry of a dump. */
type DumpedEntry = readonly [key: Deno.KvKey, value: unknown];

/** The result of {@linkcode dumpKv}, also as it was recorded. */
export interface Dump {
  /** The commit of the tree that wrote the values. */
  readonly commit: string;
  /** The final clock of the process that wrote the values, in epoch milliseconds. */
  readonly at: number;
  /** The text of a valid key, and its account: it is valid in this recording only. */
  readonly member: { readonly accountId: string; readonly key: string };
  /** The events as the API listed them. */
  readonly events: readonly unknown[];
  readonly entries: readonly DumpedEntry[];
}

/** Every entry of a database, with values that JSON can hold. */
export async function dumpKv(kv: Deno.Kv): Promise<DumpedEntry[]> {
  const entries: DumpedEntry[] = [];
  for await (const { key, value } of kv.list({ prefix: [] })) entries.push([key, toJson(value)]);
  return entries;
}

/** Writes the entries of a dump into a database, where they never expire. */
export async function loadDump(kv: Deno.Kv, { entries }: Dump): Promise<void> {
  for (const [key, value] of entries) await kv.set(key, fromJson(value));
}

/** Reads the dump of a format's number. */
export async function readDump(format: number): Promise<Dump> {
  const file = new URL(`./format_${format}.json`, import.meta.url);
  return JSON.parse(await Deno.readTextFile(file));
}

function toJson(value: unknown): unknown {
  if (typeof value === "bigint") return { $bigint: String(value) };
  if (value instanceof Deno.KvU64) return { $u64: String(value.value) };
  if (value instanceof Uint8Array) return { $bytes: value.toBase64() };
  if (value instanceof Uint32Array) return { $uint32: [...value] };
  if (Array.isArray(value)) return value.map(toJson);
  return mapMembers(value, toJson);
}

function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== "object" || value === null) return value;
  if ("$bigint" in value) return BigInt(String(value.$bigint));
  if ("$u64" in value) return new Deno.KvU64(BigInt(String(value.$u64)));
  if ("$bytes" in value) return Uint8Array.fromBase64(String(value.$bytes));
  if ("$uint32" in value) return new Uint32Array(value.$uint32 as number[]);
  return mapMembers(value, fromJson);
}

function mapMembers(value: unknown, map: (value: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member)]));
}
