/**
 * The log: lines of JSON for programs, or text for a terminal. One entry is one line, whatever its values contain.
 * While OpenTelemetry is on, each entry names its trace, and Deno exports the lines unless configured otherwise.
 */

import { ProxyTracerProvider, type Span, trace } from "@opentelemetry/api";
import { makePrintable } from "./text.ts";

/** The log as the parts use it; `console` is one too. No value may be a key or a body. */
export interface Log {
  info(message: string, properties?: object): void;
  warn(message: string, properties?: object): void;
  error(message: string, properties?: object): void;
}

/** The facts about a request for its log line, filled in as they become known. */
export interface RequestNotes {
  accountId?: string;
  keyId?: string;
  endpoint?: string;
  /** The size of the message that a tool's request was made of. */
  messageBytes?: number;
  /** Resolves when the provider's call is over and the fields below are known. */
  callOver?: Promise<void>;
  costUsd?: string;
  /** The code of Foyer's own error. */
  code?: string;
  /** Why a caller was refused. */
  reason?: string;
  /** The status of the usage record: 499 for a caller who disconnected. */
  status?: number;
  /** Why the response was cut off after its head was sent. */
  brokenBy?: Error | "caller";
}

type Level = "info" | "warn" | "error";

/** Makes the line of an entry. */
type Formatter = (level: Level, message: string, properties: object) => string;

/** A write costs more than many requests, so `info` lines wait this long for others. */
const BATCH_MILLISECONDS = 100;
const BATCH_LINES = 500;

/** Whether OpenTelemetry traces requests: with OTEL_DENO, Deno replaces the provider of the library by its own. */
export const isTraced = !(trace.getTracerProvider() instanceof ProxyTracerProvider);

/** The span of the current request; undefined without OpenTelemetry. */
export function activeSpan(): Span | undefined {
  return isTraced ? trace.getActiveSpan() : undefined;
}

/** The format of the lines: text is for a terminal. */
export type LogFormat = "json" | "text";

let log: Log | null = null;

/** The log of this process. The first call decides the format. */
export function openLog(format: LogFormat = "json"): Log {
  return log ??= createLog(format === "json" ? formatJson : formatText);
}

function createLog(format: Formatter): Log {
  // OpenTelemetry makes one record of each write.
  const write = createWriter(isTraced ? 1 : BATCH_LINES);
  function lineOf(level: Level, message: string, given: object): string {
    const span = activeSpan()?.spanContext();
    const properties = span ? { ...given, traceId: span.traceId, spanId: span.spanId } : given;
    try {
      return format(level, message, properties);
    } catch {
      // JSON has no circular values, and a getter may throw. A log call never fails: it names the values that it
      // cannot write.
      return format(level, message, { unwritable: Object.keys(given) });
    }
  }
  const at = (level: Level) => (message: string, given: object = {}) =>
    write(level, lineOf(level, message, given));
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

const MAX_FRAMES = 12;

/**
 * A value as JSON can have it. Unknown properties of errors may hold anything, such as a body, and are left out, as is
 * the text that a JSON syntax error quotes.
 */
function loggable(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (!(value instanceof Error)) return value;
  const { name, message, cause, stack = "" } = value;
  const code = "code" in value ? value.code : undefined;
  const frames = stack.split("\n").filter((line) => /^ +at /.test(line)).slice(0, MAX_FRAMES);
  return {
    name,
    message: value instanceof SyntaxError ? "the text is not valid" : message,
    ...(typeof code === "string" || typeof code === "number") && { code },
    ...(cause instanceof Error || typeof cause === "string") && { cause },
    stack: frames.map((frame) => frame.trim()),
  };
}

/** The last moment that was written, and its text: a busy process writes many lines in a millisecond. */
let [writtenAt, timestamp] = [NaN, ""];

function formatJson(level: Level, message: string, properties: object): string {
  const now = Date.now();
  if (now !== writtenAt) [writtenAt, timestamp] = [now, new Date(now).toISOString()];
  // A request's line has texts and numbers alone, and a replacer would double its time.
  const isPlain = Object.values(properties)
    .every((value) => typeof value === "string" || typeof value === "number");
  const json = isPlain ? JSON.stringify(properties) : JSON.stringify(properties, loggable);
  return `{"level":"${level.toUpperCase()}","@timestamp":"${timestamp}",` +
    `"logger":"foyer","properties":${json},"message":${JSON.stringify(message)}}`;
}

/** The line has the properties as JSON; the frames of a stack follow on lines of their own. */
function formatText(level: Level, message: string, properties: object): string {
  const frames: string[] = [];
  const json = JSON.stringify(properties, (name, value) => {
    if (name !== "stack") return loggable(name, value);
    frames.push(...[value].flat().map((frame) => `\n    ${makePrintable(String(frame))}`));
    return undefined;
  });
  const time = new Date().toISOString().slice("2026-11-21T".length, -1);
  const head = `${time} ${level.toUpperCase().padEnd(5)} ${message}`;
  return makePrintable(json === "{}" ? head : `${head} ${json}`) + frames.join("");
}

/**
 * Writes warnings and errors immediately, and other lines in batches of up to `size`; a process that is killed loses
 * those of the last tenth of a second.
 */
function createWriter(size: number): (level: Level, line: string) => void {
  let waiting: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    // deno-lint-ignore no-console -- this is the log, and Deno exports what the console gets
    if (waiting.length > 0) console.info(waiting.join("\n"));
    waiting = [];
  }

  // A crash has no `unload` event, and the lines before it may explain it.
  for (const end of ["unload", "error", "unhandledrejection"]) addEventListener(end, flush);
  return (level, line) => {
    if (level === "info") {
      // A timer costs as much as a write, so a full batch does not cancel it.
      if (waiting.push(line) >= size) flush();
      else {
        timer ??= setTimeout(() => {
          timer = undefined;
          flush();
        }, BATCH_MILLISECONDS);
      }
      return;
    }
    flush();
    // deno-lint-ignore no-console -- as above
    (level === "error" ? console.error : console.warn)(line);
  };
}
