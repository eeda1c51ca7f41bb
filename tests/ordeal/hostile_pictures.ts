/**
 * Events in an ordeal with pictures that stall their reader, or with endless files; visitors who request them; and a
 * check that the processes still respond.
 */

import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { hostilePictures } from "../support/hostile_pictures.ts";
import type { Server } from "./servers.ts";

/** The pictures of an ordeal. */
export interface HostilePictures {
  /** The events that have them; none before {@linkcode placeAt}. */
  records(): StandInRecord[];
  /** Sets the address of the record store, which serves their files too. */
  placeAt(origin: string): void;
  /** One of their files; null for any other address. */
  serve(request: Request): Response | null;
  /** Requests them until the signal aborts, and returns the violations in words. */
  askUntil(signal: AbortSignal, choose: () => Server | null): Promise<string[]>;
}

const PATH = "/hostile-pictures/";
const FORMS = ["card", "logo", "logo?w=400", "background?w=1600"] as const;
const EXPECTED = new Set([200, 404, 502, 503]);
/** The pause between two requests of a visitor. */
const PAUSE_MILLISECONDS = 200;
/**
 * The processor time of a process while a visitor waits for one response: a picture that the service's own process
 * reads takes twice as much. A busy machine, a locked database or a full disk delays responses, and takes none.
 */
const MOST_BUSY_SECONDS = 10;

/** Makes them. */
export function createHostilePictures(): HostilePictures {
  const files = [
    ...[...hostilePictures().values()].map((bytes) => () => new Response(bytes)),
    // Each of them sends an occasional byte for ever, or no byte at all.
    () => new Response(dripping(100)),
    () => new Response(new ReadableStream()),
  ];
  let origin: string | null = null;
  return {
    placeAt(given) {
      origin = given;
    },
    records() {
      if (origin === null) return [];
      const cell = (at: number) => [{ id: `attHostile${at}`, url: `${origin}${PATH}${at}` }];
      return files.map((_, at) => ({
        id: idOf(at),
        createdTime: "2026-01-01T00:00:00.000Z",
        fields: {
          "Name": `Hostile ${at}`,
          "Start Date": "2027-01-01",
          "End Date": "2027-01-03",
          "Logo Url": cell(at),
          "Background Type": "image",
          "Background Color": "#223344",
          "Background Image Url": cell((at + 1) % files.length),
        },
      }));
    },
    serve({ url }) {
      const { pathname } = new URL(url);
      if (!pathname.startsWith(PATH)) return null;
      return files[Number(pathname.slice(PATH.length))]?.() ?? new Response(null, { status: 404 });
    },
    async askUntil(signal, choose) {
      const wrong: string[] = [];
      const visitors = FORMS.map(async (form) => {
        for (let at = 0; !signal.aborted; at = (at + 1) % files.length) {
          const answer = await ask(choose(), `/events/${idOf(at)}/${form}`, signal);
          if (answer !== null && !EXPECTED.has(answer.status)) {
            wrong.push(`${form} of hostile picture ${at}: ${answer.status}`);
          }
          await pause(PAUSE_MILLISECONDS);
        }
      });
      const probe = async () => {
        while (!signal.aborted) {
          const answer = await ask(choose(), "/up", signal);
          if (answer !== null && answer.busySeconds > MOST_BUSY_SECONDS) {
            wrong.push(`/up was answered after ${answer.busySeconds} s of work`);
          }
          await pause(PAUSE_MILLISECONDS);
        }
      };
      await Promise.all([...visitors, probe()]);
      return wrong;
    },
  };
}

const idOf = (at: number) => `recHostile${String(at).padStart(7, "0")}`;

/** Null if no process runs, or if it has ended. */
async function ask(server: Server | null, path: string, signal: AbortSignal) {
  if (server === null) return null;
  const before = server.busySeconds() ?? 0;
  try {
    const response = await fetch(server.origin + path, { signal });
    await response.body?.cancel();
    return { status: response.status, busySeconds: (server.busySeconds() ?? 0) - before };
  } catch {
    // The plan killed or ended the process, or the ordeal is over.
    return null;
  }
}

function dripping(milliseconds: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      await pause(milliseconds);
      controller.enqueue(new Uint8Array(1));
    },
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
