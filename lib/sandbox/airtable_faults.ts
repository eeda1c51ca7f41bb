// The faults of Airtable: their kinds, the requests that they affect, their JSON and their effects.
// `fault_plan.ts` has their times.

import { z } from "zod";
import { ERROR_LAYOUTS, ERROR_STATUSES, errorResponse, htmlPage } from "./airtable_errors.ts";
import { iteratorDied, writeCursor } from "./airtable_listing.ts";
import { ConnectionReset, elapsed, orAborted, untilGone } from "./connection.ts";
import { amount, createPlan, type Delay, timing } from "./fault_plan.ts";

const layout = z.enum(ERROR_LAYOUTS).exactOptional();

const action = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal([
      // No response until the caller disconnects.
      "hang",
      // The connection breaks before the response.
      "reset",
      // 200 and `application/json`, with random text.
      "garbage",
      // 200 and a page of HTML.
      "html",
      // The right answer, ended in the middle as if it were whole.
      "truncated",
      // The right answer up to its middle, then the connection breaks.
      "cut",
      // A page that holds its first record twice.
      "duplicate-ids",
    ]),
  }),
  // The right answer, late, by some milliseconds.
  z.object({ kind: z.literal("delay"), ms: amount }),
  // An error answer in the layout of its status, or in another.
  z.object({
    kind: z.literal("status"),
    status: z.literal(ERROR_STATUSES),
    retryAfterSeconds: amount.exactOptional(),
    type: z.string().exactOptional(),
    layout,
  }),
  // The right body under another content type.
  z.object({ kind: z.literal("content-type"), contentType: z.string() }),
  // The cursor of the next request with one has expired.
  z.object({ kind: z.literal("iterator-death"), layout }),
  // A page whose cursor leads back to page one.
  z.object({ kind: z.literal("endless-offset") }),
]);

const when = timing.extend({
  /** The requests that it affects: listings (the default), files, or both. */
  target: z.enum(["list", "file", "any"]).exactOptional(),
});

/** A fault as JSON. */
export const airtableFaultSchema = action.and(when);

/** A fault and when it comes. */
export type AirtableFault = (z.infer<typeof action> | Delay) & z.infer<typeof when>;

/** The properties of a request that decide whether a fault affects it. */
interface AirtableOccasion {
  readonly target: "list" | "file";
  readonly hasOffset: boolean;
}

/** Makes an empty plan. */
export function createAirtableFaultPlan() {
  return createPlan<AirtableFault, AirtableOccasion>((
    { kind, target: wanted = "list" },
    { target, hasOffset },
  ) => (wanted === "any" || wanted === target) && (kind !== "iterator-death" || hasOffset));
}

/**
 * The response to `request` with the fault. `answer` makes the right response, and is called only if it is needed.
 * @throws {ConnectionReset} for a reset.
 * @throws the signal's reason if the caller disconnects during a delay or a hang.
 */
export async function withFault(
  fault: AirtableFault,
  request: Request,
  answer: () => Response,
): Promise<Response> {
  switch (fault.kind) {
    case "delay":
      await orAborted(request.signal, "ms" in fault ? elapsed(fault.ms) : () => fault.until);
      return answer();
    case "hang":
      return await untilGone(request.signal);
    case "reset":
      throw new ConnectionReset();
    case "status":
      return errorResponse(fault.status, fault);
    case "garbage":
      return new Response(Uint8Array.from({ length: 512 }, (_, i) => (i * 167 + 129) % 256), {
        headers: { "Content-Type": "application/json" },
      });
    case "html":
      return htmlPage(200);
    case "truncated":
      return halved(answer(), (controller) => controller.close());
    case "cut":
      return halved(answer(), (controller) => controller.error(new ConnectionReset()));
    case "content-type": {
      const { body, status } = answer();
      return new Response(body, { status, headers: { "Content-Type": fault.contentType } });
    }
    case "iterator-death":
      return fault.layout === undefined
        ? iteratorDied()
        : errorResponse(422, { type: "LIST_RECORDS_ITERATOR_NOT_AVAILABLE", layout: fault.layout });
    case "duplicate-ids":
      return await changedPage(answer(), (page) => {
        const [first] = page.records;
        return first === undefined ? page : { ...page, records: [...page.records, first] };
      });
    case "endless-offset":
      return await changedPage(
        answer(),
        (page) => ({ ...page, offset: writeCursor(0, 0, "recEndlessOffset1") }),
      );
  }
}

/** The body up to its middle, then whatever `end` does. No length is announced. */
async function halved(
  response: Response,
  end: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  let sent = false;
  const body = new ReadableStream<Uint8Array>({
    // One piece per pull, because an error would discard queued pieces.
    pull(controller) {
      if (sent) return end(controller);
      sent = true;
      controller.enqueue(bytes.subarray(0, Math.max(1, bytes.length >> 1)));
    },
  });
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  return new Response(body, { status: response.status, headers });
}

interface PageBody {
  records: unknown[];
  offset?: string;
}

/** The page after `change`; a response that is not a page of records stays unchanged. */
async function changedPage(
  response: Response,
  change: (page: PageBody) => PageBody,
): Promise<Response> {
  if (response.status !== 200 || !response.headers.get("Content-Type")?.includes("json")) {
    return response;
  }
  // The stand-in wrote this body itself, a moment ago.
  const body = await response.json() as PageBody | { readonly records?: undefined };
  return Response.json(body.records === undefined ? body : change(body));
}
