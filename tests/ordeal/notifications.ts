/** The way of Airtable's notifications to the processes of an ordeal, on which they are lost, doubled, late or forged. */

import type { Server } from "./servers.ts";

/** What becomes of one notification; without it, it arrives. */
export type NotificationFault = "lose" | "refuse" | "double" | "late" | "forge";

const LATE_MILLISECONDS = 4_000;
/** Airtable sends a notification again after ten seconds and more: an ordeal may be shorter. */
const HASTE = 20;

/** Makes the way. `choose` names the process that gets a notification; null if there is none. */
export function createNotificationWay(choose: () => Server | null) {
  const faults: NotificationFault[] = [];
  /** What should never have come, in words. */
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
        // While its database is locked or the disk is full, a process cannot look the secret up.
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
    /** The pause before another try. */
    later: (work: () => void, milliseconds: number) => start(work, milliseconds / HASTE),
    /** How many a process has taken. */
    taken: () => taken,
    stop(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
