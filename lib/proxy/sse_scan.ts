/**
 * Finds the scalars at a few paths in each event of a stream of server-sent events (WHATWG HTML, section
 * 9.2.6): the cost of a streamed response. Memory is bounded even for an endless line; common event parsers
 * keep an event's whole data.
 */

import { JsonScanner } from "./json_scan.ts";

/** Receives the JSON text of the last value at each path of an event. */
type OnEvent = (last: (path: readonly string[]) => string | null) => void;

const LINE_FEED = new Uint8Array([0x0a]);
const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const BOM = [0xef, 0xbb, 0xbf];
/** The only field that matters. */
const DATA = [0x64, 0x61, 0x74, 0x61];

/** Before the first line, or where in a line the scanner is. */
type State = "bom" | "name" | "space" | "data" | "ignored";

/**
 * Scans one event stream. A value in the last event counts even if no blank line ends the event: the provider charges
 * the stated cost.
 */
export class SseScanner {
  /** Reads the data of the current event. */
  #json: JsonScanner;
  #state: State = "bom";
  /** Matched bytes of the mark or of the field's name. */
  #matched = 0;
  #isLineEmpty = true;
  #hasData = false;
  #isAfterReturn = false;

  /** @param paths as for {@linkcode JsonScanner}. */
  constructor(readonly paths: readonly (readonly string[])[], readonly onEvent: OnEvent) {
    this.#json = new JsonScanner(paths);
  }

  /** Reads on; the chunk is not kept. */
  push(chunk: Uint8Array): void {
    let at = 0;
    let feed = -2;
    let carriage = -2;
    while (at < chunk.length) {
      if (this.#isAfterReturn) {
        this.#isAfterReturn = false;
        if (chunk[at] === LF) {
          at++;
          continue;
        }
      }
      if (feed !== -1 && feed < at) feed = chunk.indexOf(LF, at);
      if (carriage !== -1 && carriage < at) carriage = chunk.indexOf(CR, at);
      const end = earlier(feed, carriage);
      this.#passLine(chunk, at, end === -1 ? chunk.length : end);
      if (end === -1) return;
      this.#isAfterReturn = end === carriage;
      this.#endLine();
      at = end + 1;
    }
  }

  /** Reports the event that no blank line has ended yet; if `push` goes on, it is reported again. */
  end(): void {
    if (!this.#hasData) return;
    this.onEvent(this.#json.last);
  }

  /** Reads a part of one line, without its end. */
  #passLine(chunk: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      const byte = chunk[at];
      if (this.#state === "data") {
        this.#json.push(chunk.subarray(at, to));
        return;
      }
      if (this.#state === "ignored") return;
      if (this.#state === "space") {
        this.#state = "data";
        if (byte === SPACE) at++;
      } else if (this.#state === "bom") {
        if (byte !== BOM[this.#matched]) this.#beginLine();
        else {
          this.#matched++;
          at++;
        }
      } else {
        this.#isLineEmpty = false;
        at++;
        if (this.#matched === DATA.length && byte === COLON) this.#beginData();
        else if (byte === DATA[this.#matched]) this.#matched++;
        else this.#state = "ignored";
      }
    }
  }

  #beginLine(): void {
    this.#state = "name";
    this.#matched = 0;
    this.#isLineEmpty = true;
  }

  #beginData(): void {
    if (this.#hasData) this.#json.push(LINE_FEED);
    this.#hasData = true;
    this.#state = "space";
  }

  #endLine(): void {
    // A line `data` without a colon adds only a line feed, which JSON ignores.
    if (this.#isLineEmpty) this.#endEvent();
    this.#beginLine();
  }

  #endEvent(): void {
    if (!this.#hasData) return;
    this.end();
    this.#json = new JsonScanner(this.paths);
    this.#hasData = false;
  }
}

/** The smaller of two indices; -1 means none. */
function earlier(a: number, b: number): number {
  if (a === -1 || b === -1) return Math.max(a, b);
  return Math.min(a, b);
}
