/**
 * Makes pictures smaller, in a worker, since Skia answers to nobody while it draws. The worker starts with the
 * first picture and ends with the last that is waited for; its memory, which WebAssembly never gives back, ends
 * with it.
 */

import { within } from "../within.ts";
import type { ResizeRequest } from "./images_resizer_worker.ts";
import { createSlots } from "./slots.ts";

/**
 * The picture as a WebP file; null if it cannot be read, is too large or moves.
 *
 * @throws {Error} if the worker fails.
 */
export type Resize = (request: ResizeRequest) => Promise<Uint8Array<ArrayBuffer> | null>;

const MAX_MILLISECONDS = 20_000;

/** Makes the resizer; pictures are made one after the other. */
export function createResizer(): Resize {
  const inTurn = createSlots(1);
  let worker: Worker | null = null;
  let waiting = 0;

  function stop(): void {
    worker?.terminate();
    worker = null;
  }

  return async function resize(request) {
    waiting++;
    try {
      return await inTurn(async () => {
        worker ??= new Worker(new URL("./images_resizer_worker.ts", import.meta.url), {
          type: "module",
        });
        try {
          return await within(MAX_MILLISECONDS, ask(worker, request), () => {
            throw new Error(`it took longer than ${MAX_MILLISECONDS} ms`);
          });
        } catch (error) {
          // Where WebAssembly has failed it is in no known state.
          stop();
          throw error;
        }
      });
    } finally {
      if (--waiting === 0) stop();
    }
  };
}

function ask(worker: Worker, request: ResizeRequest): Promise<Uint8Array<ArrayBuffer> | null> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      // Nobody else is to fail with it.
      event.preventDefault();
      reject(new Error(event.message));
    };
    worker.postMessage(request);
  });
}
