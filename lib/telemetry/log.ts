/**
 * The log: lines of JSON for programs, or text for the person at a terminal. One line is one record,
 * whatever its values hold. While OpenTelemetry is on, Deno exports the lines too, and each names its
 * trace.
 */

import {
  configureSync,
  getConfig,
  getJsonLinesFormatter,
  getLogger,
  getTextFormatter,
  type LogRecord,
  sanitizeControlSequences,
  type Sink,
  type TextFormatter,
} from "@logtape/logtape";
import { ProxyTracerProvider, trace } from "@opentelemetry/api";
import { DescribedError } from "./described_error.ts";

/** Where the parts write; `console` is one too. No value may be a key or a body. */
export interface Log {
  info(message: string, properties?: object): void;
  warn(message: string, properties?: object): void;
  error(message: string, properties?: object): void;
}

/** Who reads the log. */
export type LogFormat = "json" | "text";

/** A write costs more than many a request: what only informs waits so long for others. */
const BATCH_MILLISECONDS = 100;
const BATCH_LINES = 500;

/** The log of this process. The first call decides the format. */
export function openLog(format: LogFormat = "json"): Log {
  if (getConfig() === null) {
    // Deno puts its own provider in this one's place, if OTEL_DENO is set.
    const isExported = !(trace.getTracerProvider() instanceof ProxyTracerProvider);
    const lines = createSink(FORMATTERS[format], isExported ? 1 : BATCH_LINES);
    configureSync({
      sinks: { lines },
      loggers: [
        { category: "foyer", lowestLevel: "info", sinks: ["lines"] },
        { category: ["logtape", "meta"], lowestLevel: "warning", sinks: ["lines"] },
      ],
    });
  }
  return {
    info: (message, properties) => emit("info", message, properties),
    warn: (message, properties) => emit("warning", message, properties),
    error: (message, properties) => emit("error", message, properties),
  };
}

const logger = getLogger("foyer");

/** Emitted as it is: a brace in a message is no placeholder. */
function emit(level: LogRecord["level"], message: string, given: object = {}): void {
  const properties: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) {
      properties[name] = value instanceof Error ? new DescribedError(value) : value;
    }
  }
  const span = trace.getActiveSpan()?.spanContext();
  if (span !== undefined) {
    properties["traceId"] = span.traceId;
    properties["spanId"] = span.spanId;
  }
  const timestamp = Date.now();
  logger.emit({ level, message: [message], rawMessage: message, timestamp, properties });
}

const ESCAPED = { sgr: "escape", newlines: "escape" } as const;

const FORMATTERS: Readonly<Record<LogFormat, TextFormatter>> = {
  json: getJsonLinesFormatter(),
  text: getTextFormatter({
    timestamp: "time",
    timeZone: null,
    level: (level) => level.toUpperCase().padEnd(7),
    sanitize: ESCAPED,
    format: ({ timestamp, level, message, record }) =>
      `${timestamp} ${level} ${message}${textOf(record.properties)}`,
  }),
};

/** Pairs in the line; the frames of a stack, for whoever mends something, in lines below it. */
function textOf(properties: Readonly<Record<string, unknown>>): string {
  let frames = "";
  const pairs = Object.entries(properties).map(([name, value]) => {
    if (value instanceof DescribedError) {
      const { stack, ...rest } = value;
      frames += stack.map((frame) => `\n    ${sanitizeControlSequences(frame, ESCAPED)}`).join("");
      return ` ${name}=${JSON.stringify(rest)}`;
    }
    const isPlain = typeof value === "string" && /^[^\s"\\=]+$/.test(value);
    return ` ${name}=${isPlain ? value : JSON.stringify(value, writeBigint)}`;
  });
  return sanitizeControlSequences(pairs.join(""), ESCAPED) + frames;
}

function writeBigint(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/**
 * Writes warnings and errors at once, and other lines in batches of up to `size`; a process that is
 * killed takes those of the last tenth of a second with it. LogTape disposes of it when Deno exits.
 */
function createSink(format: TextFormatter, size: number): Sink & Disposable {
  const lines: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    // deno-lint-ignore no-console -- this is the log; Deno exports what goes this way
    if (lines.length > 0) console.info(lines.splice(0).join("\n"));
  }

  function sink(record: LogRecord): void {
    const line = format(record).trimEnd();
    if (record.level === "info") {
      if (lines.push(line) >= size) flush();
      else timer ??= setTimeout(flush, BATCH_MILLISECONDS);
      return;
    }
    flush();
    // deno-lint-ignore no-console -- as above
    (record.level === "error" ? console.error : console.warn)(line);
  }
  return Object.assign(sink, { [Symbol.dispose]: flush });
}
