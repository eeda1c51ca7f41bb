/**
 * Finds the scalars at a few paths of a JSON text that arrives in chunks: the cost in a response of any size, the
 * model in a request. Memory is bounded. The text is not validated: one that is not JSON may still give matches, and
 * only `isWhole` says whether its brackets match.
 */

import { parseJson } from "../platform/json.ts";

/** A value at a path. */
export interface JsonMatch {
  /** The raw JSON text (a string with its quotes), cut at 512 bytes; `{` or `[` for a value that is not a scalar. */
  readonly text: string;
  /** The offset in bytes of the value's first byte in the whole text. */
  readonly start: number;
  /** The offset after its last byte; for an object or array, the offset after its bracket. */
  readonly end: number;
}

const MAX_TEXT_BYTES = 512;
/** A character takes at most six bytes, as `\u0000`; two are for the quotes. */
const MAX_NAME_LENGTH = (MAX_TEXT_BYTES - 2) / 6 - 1;
/** A loop finds a quote in this many bytes faster than the native search. */
const NEAR_BYTES = 24;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Set in a brace, clear in a square bracket. */
const BRACE_BIT = 0x20;

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

type Paths = readonly (readonly string[])[];

/** A node in the tree of the paths. */
interface Place {
  readonly children: { readonly name: string; readonly raw: Uint8Array; readonly place: Place }[];
  /** The index of the first path that ends here; -1 for none. */
  end: number;
}

const compiled = new WeakMap<Paths, Place>();

/** Between tokens: value, name, colon, afterValue, after; inside one: the others. */
type State =
  | "value"
  | "name"
  | "colon"
  | "afterValue"
  | "after"
  | "inName"
  | "inText"
  | "inWord"
  | "skipped"
  | "skippedText"
  | "broken";

/** Scans a JSON text for paths of member names; a path leads through objects only. */
export class JsonScanner {
  readonly #root: Place;
  /** The values at each path. */
  readonly #found: JsonMatch[][] = [];
  /** The beginning of a token that a chunk has cut. */
  #captured: Uint8Array | null = null;
  #state: State = "value";
  /** Bytes of the byte order mark at the start of the text. */
  #marked = 0;
  /** Bytes before the current chunk. */
  #offset = 0;
  /** The open objects that a path leads into, outermost first. */
  readonly #open: Place[] = [];
  /** The node of the next value; null if no path leads there. */
  #target: Place | null;
  /** Open brackets inside the value that is skipped. */
  #skipped = 0;
  #depth = 0;
  #isObject = false;
  /** Backslashes directly before the current chunk, inside a string, modulo two. */
  #backslashes = 0;
  /** The offset of the token that is being read. */
  #start = 0;
  /** The index in the chunk from which the token is to be captured; -1 for none. */
  #captureFrom = -1;
  #capturedBytes = 0;

  /**
   * Names match as decoded: `"\u006dodel"` is `model`.
   *
   * @param paths compiled once for each such list.
   * @param keep how many of the last values at each path are kept, which bounds the memory for repeated
   *   names; `Infinity` for texts that are in memory anyway.
   * @throws {RangeError} for a name of more than 84 characters.
   */
  constructor(paths: Paths, readonly keep = 64) {
    this.#root = compiled.get(paths) ?? compile(paths);
    compiled.set(paths, this.#root);
    this.#target = this.#root;
  }

  /** Reads on; the chunk is not kept. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) at = this.#step(chunk, at);
    if (this.#captureFrom !== -1) {
      this.#capture(chunk.subarray(this.#captureFrom));
      this.#captureFrom = 0;
    }
    this.#offset += chunk.length;
  }

  /**
   * The complete values so far at one of the scanner's paths, in order. Names may repeat, and parsers take the
   * last one. If an object on the path repeats, only the values in the last one are given.
   *
   * @throws {RangeError} for any other path.
   */
  matches(path: readonly string[]): readonly JsonMatch[] {
    const place = path.reduce<Place | undefined>(childOf, this.#root);
    if (place === undefined || place.end === -1) {
      throw new RangeError(`The scanner has no path ${path.join(".")}.`);
    }
    return this.#found[place.end] ?? [];
  }

  /** The text of the last match; null if there is none. */
  readonly last = (path: readonly string[]) => this.matches(path).at(-1)?.text ?? null;

  /** Whether the text was one closed object; white space and a byte order mark may surround it. */
  get isWhole(): boolean {
    return this.#isObject && this.#state === "after";
  }

  /** The largest number of brackets that were open at once. */
  get depth(): number {
    return this.#depth;
  }

  /** Reads at least one byte; returns the index after it. */
  #step(chunk: Uint8Array, at: number): number {
    switch (this.#state) {
      case "inName":
      case "inText":
      case "skippedText":
        return this.#passString(chunk, at);
      case "inWord":
        return this.#passWord(chunk, at);
      case "skipped":
        return this.#skip(chunk, at);
      case "broken":
        return chunk.length;
      default:
        return isSpace(chunk[at]) ? at + 1 : this.#passMark(chunk, at);
    }
  }

  #passMark(chunk: Uint8Array, at: number): number {
    const byte = chunk[at];
    const state = this.#state;
    if (state === "value") {
      if (byte === BYTE_ORDER_MARK[this.#marked] && this.#offset + at === this.#marked) {
        this.#marked++;
        return at + 1;
      }
      return this.#openValue(chunk, at);
    }
    if (state === "name" && byte === QUOTE) this.#begin("inName", at, true);
    else if (state === "colon" && byte === COLON) this.#state = "value";
    else if (state === "afterValue" && byte === COMMA) this.#state = "name";
    else if ((state === "afterValue" || state === "name") && byte === CLOSE_BRACE) {
      this.#open.pop();
      this.#closeValue();
    } else this.#state = "broken";
    return at + 1;
  }

  #openValue(chunk: Uint8Array, at: number): number {
    const byte = chunk[at];
    const target = this.#target;
    if (target !== null) this.#forgetBelow(target);
    if (this.#marked > 0 && this.#marked < BYTE_ORDER_MARK.length) {
      this.#state = "broken";
      return at + 1;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      const start = this.#offset + at;
      this.#note(byte === OPEN_BRACE ? "{" : "[", start, start + 1);
      if (this.#open.length === 0) this.#isObject = byte === OPEN_BRACE;
      if (byte === OPEN_BRACE && target !== null && target.children.length > 0) {
        this.#open.push(target);
        this.#state = "name";
        this.#depth = Math.max(this.#depth, this.#open.length);
        return at + 1;
      }
      this.#skipped = 0;
      this.#state = "skipped";
      return at;
    }
    const isCaptured = target !== null && target.end !== -1;
    if (byte === QUOTE) this.#begin("inText", at, isCaptured);
    else if (byte === COMMA || byte === COLON || isBracket(byte)) this.#state = "broken";
    else this.#begin("inWord", at, isCaptured);
    return at + 1;
  }

  #closeValue(): void {
    this.#state = this.#open.length === 0 ? "after" : "afterValue";
  }

  #begin(state: State, at: number, isCaptured: boolean): void {
    this.#state = state;
    this.#start = this.#offset + at;
    this.#captureFrom = isCaptured ? at : -1;
    this.#capturedBytes = 0;
    this.#backslashes = 0;
  }

  #passString(chunk: Uint8Array, from: number): number {
    const quote = this.#closingQuote(chunk, from);
    if (quote === -1) return chunk.length;
    if (this.#state === "skippedText") this.#state = "skipped";
    else if (this.#state === "inText") this.#endScalar(chunk, quote + 1);
    else {
      this.#target = this.#findChild(this.#endCapture(chunk, quote + 1));
      this.#state = "colon";
    }
    return quote + 1;
  }

  #passWord(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (isSpace(byte) || byte === COMMA || byte === CLOSE_BRACE) {
        this.#endScalar(chunk, at);
        return at;
      }
      if (byte === QUOTE || byte === COLON || isBracket(byte)) {
        this.#state = "broken";
        break;
      }
    }
    return chunk.length;
  }

  /** Counts brackets to the end of a value that no path leads into. */
  #skip(chunk: Uint8Array, from: number): number {
    let open = this.#skipped;
    let deepest = this.#depth - this.#open.length;
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === QUOTE) {
        this.#backslashes = 0;
        at = this.#closingQuote(chunk, at + 1);
        if (at !== -1) continue;
        this.#state = "skippedText";
        at = chunk.length;
        break;
      }
      if ((byte | BRACE_BIT) === OPEN_BRACE) {
        if (++open > deepest) deepest = open;
      } else if ((byte | BRACE_BIT) === CLOSE_BRACE && --open === 0) {
        this.#closeValue();
        at++;
        break;
      }
    }
    this.#skipped = open;
    this.#depth = deepest + this.#open.length;
    return at;
  }

  /** The index of the quote that closes the current string; -1 if it is not in the chunk. */
  #closingQuote(chunk: Uint8Array, from: number): number {
    for (let at = from;;) {
      const quote = indexOfQuote(chunk, at);
      const end = quote === -1 ? chunk.length : quote;
      let first = end;
      while (first > from && chunk[first - 1] === BACKSLASH) first--;
      const run = end - first + (first === from ? this.#backslashes : 0);
      if (quote === -1) {
        this.#backslashes = run % 2;
        return -1;
      }
      if (run % 2 === 0) return quote;
      at = quote + 1;
    }
  }

  #endScalar(chunk: Uint8Array, end: number): void {
    if (this.#captureFrom !== -1) {
      const text = decoder.decode(this.#endCapture(chunk, end));
      this.#note(text, this.#start, this.#offset + end);
    }
    this.#closeValue();
  }

  #note(text: string, start: number, end: number): void {
    const path = this.#target?.end ?? -1;
    if (path === -1) return;
    const found = this.#found[path] ??= [];
    found.push({ text, start, end });
    if (found.length > this.keep) found.shift();
  }

  /** Drops the values of an object that another one of the same name replaces. */
  #forgetBelow({ children }: Place): void {
    for (const { place } of children) {
      if (place.end !== -1) this.#found[place.end] = [];
      this.#forgetBelow(place);
    }
  }

  #capture(bytes: Uint8Array): void {
    this.#captured ??= new Uint8Array(MAX_TEXT_BYTES);
    const room = bytes.subarray(0, MAX_TEXT_BYTES - this.#capturedBytes);
    this.#captured.set(room, this.#capturedBytes);
    this.#capturedBytes += room.length;
  }

  #endCapture(chunk: Uint8Array, end: number): Uint8Array {
    const last = chunk.subarray(this.#captureFrom, end);
    this.#captureFrom = -1;
    // Most tokens lie inside one chunk: no copy.
    if (this.#capturedBytes === 0 || this.#captured === null) {
      return last.subarray(0, MAX_TEXT_BYTES);
    }
    this.#capture(last);
    return this.#captured.subarray(0, this.#capturedBytes);
  }

  #findChild(raw: Uint8Array): Place | null {
    const children = this.#open.at(-1)?.children ?? [];
    const same = children.find((child) =>
      child.raw.length === raw.length && child.raw.every((byte, at) => byte === raw[at])
    );
    if (same !== undefined || !raw.includes(BACKSLASH)) return same?.place ?? null;
    // A truncated name is not JSON, and no path has such a name.
    const name = parseJson(decoder.decode(raw));
    return children.find((child) => child.name === name)?.place ?? null;
  }
}

function compile(paths: Paths): Place {
  const root: Place = { children: [], end: -1 };
  for (const [index, path] of paths.entries()) {
    const place = path.reduce(
      (parent, name) => childOf(parent, name) ?? addChild(parent, name),
      root,
    );
    if (place.end === -1) place.end = index;
  }
  return root;
}

function childOf(parent: Place | undefined, name: string): Place | undefined {
  return parent?.children.find((child) => child.name === name)?.place;
}

function addChild(parent: Place, name: string): Place {
  if (name.length > MAX_NAME_LENGTH) throw new RangeError(`The name ${name} is too long.`);
  const place = { children: [], end: -1 };
  parent.children.push({ name, raw: encoder.encode(JSON.stringify(name)), place });
  return place;
}

function indexOfQuote(chunk: Uint8Array, from: number): number {
  const near = Math.min(chunk.length, from + NEAR_BYTES);
  for (let at = from; at < near; at++) if (chunk[at] === QUOTE) return at;
  return near === chunk.length ? -1 : chunk.indexOf(QUOTE, near);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isBracket(byte: number | undefined): boolean {
  const brace = (byte ?? 0) | BRACE_BIT;
  return brace === OPEN_BRACE || brace === CLOSE_BRACE;
}
