/** Removes markers, and keeps aside those that nobody can deliver. */

import { outboxKey } from "../accounts/mod.ts";
import { beginAtomic, inFittingParts, listEntries, retryLocked } from "../kv/mod.ts";
import type { Marker } from "./batch.ts";

/** A marker that was set aside, and why. */
interface AsideMarker {
  /** What the marker said. */
  readonly value: unknown;
  readonly reason: string;
}

/** All markers that were set aside. */
export const ASIDE = ["analytics", "aside"] as const;

/** Where the marker of a page is that was set aside. */
export const asideKey = (page: string): Deno.KvKey => [...ASIDE, page];

/** A commit checks at most 100 keys. */
const CHECKS_PER_COMMIT = 100;

/** Removes markers, but none that was set again since it was read: its page has changed. */
export async function removeMarkers(kv: Deno.Kv, markers: readonly Marker[]): Promise<void> {
  for (let at = 0; at < markers.length; at += CHECKS_PER_COMMIT) {
    await inFittingParts(markers.slice(at, at + CHECKS_PER_COMMIT), async (some) => {
      if (await remove(kv, some)) return;
      for (const marker of some) await remove(kv, [marker]);
    });
  }
}

async function remove(kv: Deno.Kv, markers: readonly Marker[]): Promise<boolean> {
  const operation = beginAtomic(kv);
  for (const marker of markers) operation.check(marker).delete(marker.key);
  return (await retryLocked(() => operation.commit())).ok;
}

/** Puts a marker where it is not tried again, unless it was set anew meanwhile. */
export async function setAside(kv: Deno.Kv, marker: Marker, reason: string): Promise<void> {
  const aside: AsideMarker = { value: marker.value, reason };
  const operation = beginAtomic(kv).check(marker).delete(marker.key)
    .set(asideKey(String(marker.key.at(-1))), aside);
  await retryLocked(() => operation.commit());
}

/** Makes what was set aside wait for delivery again, for when its fault has been mended. */
export async function takeBackAside(kv: Deno.Kv): Promise<void> {
  for await (const entry of listEntries<AsideMarker>(kv, [...ASIDE])) {
    const operation = beginAtomic(kv).check(entry).delete(entry.key)
      .set(outboxKey(String(entry.key.at(-1))), entry.value.value);
    await retryLocked(() => operation.commit());
  }
}
