// The times of faults of any kind: the plan, its JSON, and its address for curl.

import { z } from "zod";

/** A number from 0. */
export const amount = z.number().nonnegative();

/** The time of a fault. */
export const timing = z.object({
  /** The n-th matching request after it was planned, from 1; unset: the next for which no earlier fault is due. */
  nth: amount.exactOptional(),
  /** Whether it repeats until the plan is cleared. */
  sticky: z.boolean().exactOptional(),
});

type Timing = z.infer<typeof timing>;

/** A wait that a test ends. It has no JSON. */
export interface Delay {
  kind: "delay";
  until: Promise<unknown>;
}

interface Plan<F extends Timing, Occasion> {
  push(...faults: F[]): void;
  clear(): void;
  /** The planned faults in order, promises included. */
  readonly pending: readonly F[];
  /** The fault that is due for this request, if any: single ones first, in order, then sticky ones. */
  take(occasion: Occasion): F | undefined;
}

/** Makes an empty plan; `concerns` decides whether a fault affects a request. */
export function createPlan<F extends Timing, Occasion>(
  concerns: (fault: F, occasion: Occasion) => boolean,
): Plan<F, Occasion> {
  let entries: { fault: F; seen: number }[] = [];

  return {
    push(...faults) {
      entries.push(...faults.map((fault) => ({ fault, seen: 0 })));
    },
    clear() {
      entries = [];
    },
    get pending() {
      return entries.map(({ fault }) => fault);
    },
    take(occasion) {
      const due = entries.filter((entry) => {
        if (!concerns(entry.fault, occasion)) return false;
        entry.seen++;
        return entry.seen >= (entry.fault.nth ?? 1);
      });
      const taken = due.find(({ fault }) => !fault.sticky) ?? due[0];
      if (taken && !taken.fault.sticky) entries = entries.filter((entry) => entry !== taken);
      return taken?.fault;
    },
  };
}

/** `GET` shows the planned faults, `POST` adds one or a list of them, `DELETE` removes all. */
export async function controlFaults<F extends Timing, Occasion>(
  request: Request,
  faults: Plan<F, Occasion>,
  schema: z.ZodType<F>,
): Promise<Response> {
  switch (request.method) {
    case "GET":
      return Response.json(faults.pending);
    case "DELETE":
      faults.clear();
      return new Response(null, { status: 204 });
    case "POST":
      try {
        faults.push(...[await request.json()].flat().map((fault) => schema.parse(fault)));
        return Response.json(faults.pending, { status: 201 });
      } catch (error) {
        if (!(error instanceof z.ZodError || error instanceof SyntaxError)) throw error;
        const why = error instanceof z.ZodError ? z.prettifyError(error) : error.message;
        return Response.json({ error: why }, { status: 400 });
      }
    default:
      return new Response(null, { status: 405, headers: { Allow: "GET, POST, DELETE" } });
  }
}
