/**
 * Watches a stream of server-sent events (WHATWG HTML, section 9.2.6) go by, split anywhere, and
 * reads the scalars at a few paths of each event's JSON data: the cost of a streamed answer. Memory is
 * bounded, even for a line without end.
 */

import { createJsonScanner } from "./json_scan.ts";

/** A reader of one event stream. */
interface SseScanner {
  /** Reads on; the chunk is not kept. */
  push(chunk: Uint8Array): void;
  /** Tells of the event that no blank line has ended yet; `push` may go on, and its end tells of it again. */
  end(): void;
}

/**
 * Is told of each event.
 *
 * @param last the JSON text of the value at a path, as parsers read the event: of members with the same
 *   name the last one; null if there is none.
 */
type OnEvent = (last: (path: readonly string[]) => string | null) => void;

const LINE_FEED = new Uint8Array([0x0a]);
const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const BOM = [0xef, 0xbb, 0xbf];
/** The one field that is read. */
const DATA = [0x64, 0x61, 0x74, 0x61];

/** Inside a line: its field's name, its value after the colon, the rest of it; or before the first. */
type State = "bom" | "name" | "space" | "data" | "ignored";

/**
 * A scanner for values at paths of member names, as those of `createJsonScanner`. An event that the
 * end of the stream cuts off is not dispatched by the rules, but a value in it that is complete
 * counts here: the provider charges what it said, whether or not the last blank line arrived.
 */
export function createSseScanner(
  paths: readonly (readonly string[])[],
  onEvent: OnEvent,
): SseScanner {
  return new Scanner(paths, onEvent);
}

class Scanner implements SseScanner {
  readonly #json;
  #state: State = "bom";
  /** How many bytes of the mark or the field's name were seen. */
  #matched = 0;
  #isLineEmpty = true;
  #hasData = false;
  #isAfterReturn = false;

  constructor(paths: readonly (readonly string[])[], readonly onEvent: OnEvent) {
    this.#json = createJsonScanner(paths);
  }

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

  end(): void {
    if (!this.#hasData) return;
    const scan = this.#json.end();
    this.onEvent((path) => scan.matches(path).at(-1)?.text ?? null);
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
    // A line `data` without a colon would add a line feed to the data, which is nothing to JSON.
    if (this.#isLineEmpty) this.#endEvent();
    this.#beginLine();
  }

  #endEvent(): void {
    if (!this.#hasData) return;
    this.end();
    this.#json.reset();
    this.#hasData = false;
  }
}

/** The smaller of two indices, of which -1 is none. */
function earlier(a: number, b: number): number {
  if (a === -1 || b === -1) return Math.max(a, b);
  return Math.min(a, b);
}
