/** The identifiers of entries in calendars and in Atom. They stay the same when the service moves to another host. */

import { createHash } from "node:crypto";

/** The namespace of all names below: a random UUID, chosen once. Another one would double every entry. */
const NAMESPACE = Buffer.from("5d1c9a0e7f3b4c61a2f88e04d6b7315c", "hex");

/**
 * A name-based UUID (RFC 9562, section 5.5) of where the events come from and of what is identified there. It needs no
 * storage, and contains no host (RFC 7986, section 5.3).
 *
 * @param origin where the events come from: a base's id, or a file's.
 * @param names the record's id, and after it the part of its event, if it is one.
 */
export function identifierOf(origin: string, ...names: readonly string[]): string {
  const bytes = createHash("sha1").update(NAMESPACE).update(JSON.stringify([origin, ...names]))
    .digest().subarray(0, 16);
  bytes.writeUInt8(bytes.readUInt8(6) & 0x0f | 0x50, 6);
  bytes.writeUInt8(bytes.readUInt8(8) & 0x3f | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
