/**
 * The network between Airtable and the processes of an ordeal, which loses, refuses, doubles, delays and forges
 * notifications.
 */

import type { Server } from "./servers.ts";

/** The fate of one notification; without a fault, it arrives. */
export type NotificationFault = "lose" | "refuse" | "double" | "late" | "forge";

const LATE_MILLISECONDS = 4_000;
/** Airtable repeats a failed notification after ten seconds or more, but an ordeal may be shorter. */
const HASTE = 20;

/** Creates the network. `choose` returns the process that gets a notification; null if none runs. */
export function createNotificationWay(choose: () => Server | null) {
  const faults: NotificationFault[] = [];
  /** The violations, in words. */
  const wrong: string[] = [];
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let taken = 0;

  function start(work: () => void, milliseconds: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, milliseconds);
    timers.add(timer);
  }

  async function send(url: string, init: RequestInit): Promise<Response> {
    const server = choose();
    if (server === null) throw new TypeError("no process is there");
    const response = await fetch(server.origin + new URL(url).pathname, init);
    await response.body?.cancel();
    return new Response(null, { status: response.status });
  }

  async function deliver(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    const url = String(input);
    switch (faults.shift()) {
      case "lose":
        return new Response(null, { status: 204 });
      case "refuse":
        return new Response(null, { status: 503 });
      case "double":
        await send(url, init);
        break;
      case "late":
        await new Promise<void>((resolve) => start(resolve, LATE_MILLISECONDS));
        break;
      case "forge": {
        const headers = {
          ...init.headers,
          "X-Airtable-Content-MAC": `hmac-sha256=${"0".repeat(64)}`,
        };
        const { status } = await send(url, { ...init, headers });
        // While its database is locked or the disk is full, a process cannot read the secret.
        if (status !== 404 && status < 500) wrong.push(`a forged notification: ${status}`);
      }
    }
    const response = await send(url, init);
    if (response.status === 204) taken++;
    return response;
  }

  return {
    faults,
    wrong,
    deliver,
    /** The pause before the next attempt. */
    later: (work: () => void, milliseconds: number) => start(work, milliseconds / HASTE),
    /** The number of notifications that a process has accepted. */
    taken: () => taken,
    stop(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
