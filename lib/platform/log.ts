/**
 * The log: lines of JSON for programs, or text for a terminal. One line is one record, whatever its values contain.
 * While OpenTelemetry is on, each record names its trace, and Deno exports the lines unless configured otherwise.
 */

import { ProxyTracerProvider, type Span, trace } from "@opentelemetry/api";

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

/** Makes the line of a record. */
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
  return log ??= createLog(format === "json" ? jsonFormatter() : formatText);
}

function createLog(format: Formatter): Log {
  // OpenTelemetry makes one record of each write.
  const write = createWriter(isTraced ? 1 : BATCH_LINES);
  function lineOf(level: Level, message: string, given: object): string {
    try {
      return format(level, message, propertiesOf(given));
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

/** The values in their logged form. Plain ones, as in most records, are not copied. */
function propertiesOf(given: object): object {
  const span = activeSpan()?.spanContext();
  const isPlain = Object.values(given)
    .every((value) => !(value instanceof Error || typeof value === "bigint"));
  if (isPlain && span === undefined) return given;
  const properties: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    properties[name] = value instanceof Error ? new DescribedError(value) : bigintAsText(value);
  }
  if (span !== undefined) {
    properties["traceId"] = span.traceId;
    properties["spanId"] = span.spanId;
  }
  return properties;
}

/** An error as it is logged, alone or inside another. */
interface Cause {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  readonly cause?: Cause | string;
}

const MAX_CAUSES = 4;
const MAX_FRAMES = 12;

/** A logged error: its description, and the frames of its stack. */
class DescribedError {
  /** The frames, innermost first. */
  declare readonly stack: readonly string[];

  constructor(error: Error) {
    const stack = (error.stack ?? "").split("\n")
      .filter((line) => /^ +at /.test(line))
      .slice(0, MAX_FRAMES)
      .map((line) => line.trim());
    Object.assign(this, describeError(error, 1), { stack });
  }
}

/**
 * An error and its causes for the log. Unknown properties may hold anything, such as a body, and are left out, as
 * is the text that a JSON syntax error quotes.
 */
function describeError(error: Error, depth: number): Cause {
  const { name, cause } = error;
  const code = "code" in error ? error.code : undefined;
  return {
    name,
    message: error instanceof SyntaxError ? "the text is not valid" : error.message,
    ...((typeof code === "string" || typeof code === "number") && { code }),
    ...(cause instanceof Error && depth < MAX_CAUSES && { cause: describeError(cause, depth + 1) }),
    ...(typeof cause === "string" && { cause }),
  };
}

/** Formats the timestamp once per millisecond. */
function jsonFormatter(): Formatter {
  let writtenAt = NaN;
  let timestamp = "";
  return (level, message, properties) => {
    const now = Date.now();
    if (now !== writtenAt) timestamp = new Date(writtenAt = now).toISOString();
    return `{"level":"${level.toUpperCase()}","@timestamp":"${timestamp}","logger":"foyer",` +
      `"properties":${JSON.stringify(properties)},"message":${JSON.stringify(message)}}`;
  };
}

/** The line has the properties as pairs; the frames of a stack follow on lines of their own. */
function formatText(level: Level, message: string, properties: object): string {
  let frames = "";
  const pairs = Object.entries(properties).map(([name, value]) => {
    if (value === undefined) return "";
    if (value instanceof DescribedError) {
      const { stack, ...rest } = value;
      frames += stack.map((frame) => `\n    ${escapeControls(frame)}`).join("");
      return ` ${name}=${JSON.stringify(rest)}`;
    }
    const isWord = typeof value === "string" && /^[^\s"\\=]+$/.test(value);
    const shown = isWord ? value : JSON.stringify(value, (_name, inner) => bigintAsText(inner));
    return ` ${name}=${shown}`;
  });
  const time = new Date().toISOString().slice("2026-11-21T".length, -1);
  const head = `${time} ${level.toUpperCase().padEnd(5)} ${message}`;
  return `${escapeControls(head + pairs.join(""))}${frames}`;
}

function bigintAsText(value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/** Escapes whatever controls a terminal or begins a line. */
function escapeControls(text: string): string {
  // deno-lint-ignore no-control-regex -- they are to be escaped
  return text.replaceAll(/[\x00-\x1f\x7f-\x9f]/g, (control) => {
    const short = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[control];
    return short ?? `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
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

  function writeRest(): void {
    timer = undefined;
    flush();
  }

  // A crash has no `unload` event, and the lines before it may explain it.
  for (const end of ["unload", "error", "unhandledrejection"]) addEventListener(end, flush);
  return (level, line) => {
    if (level === "info") {
      // A timer costs as much as a write, so a full batch does not cancel it.
      if (waiting.push(line) >= size) flush();
      else timer ??= setTimeout(writeRest, BATCH_MILLISECONDS);
      return;
    }
    flush();
    // deno-lint-ignore no-console -- as above
    (level === "error" ? console.error : console.warn)(line);
  };
}
