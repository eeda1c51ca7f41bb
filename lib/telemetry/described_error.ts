/** An error as the log shows it. */

/** An error inside another. */
interface Cause {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  readonly cause?: Cause | string;
}

const MAX_DEPTH = 4;
const MAX_FRAMES = 12;

/**
 * An error and its causes for the log. Unknown properties may hold anything, such as a body, and are left out, as
 * is the text that a JSON syntax error quotes.
 */
export class DescribedError implements Cause {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  readonly cause?: Cause | string;
  /** The frames, innermost first. */
  readonly stack: readonly string[];

  constructor(error: Error) {
    const { name, message, ...rest } = describe(error, 1);
    this.name = name;
    this.message = message;
    Object.assign(this, rest);
    this.stack = (error.stack ?? "").split("\n")
      .filter((line) => /^ +at /.test(line))
      .slice(0, MAX_FRAMES)
      .map((line) => line.trim());
  }
}

function describe(error: Error, depth: number): Cause {
  const { name, cause } = error;
  const message = error instanceof SyntaxError ? "the text is not valid" : error.message;
  const code = "code" in error ? error.code : undefined;
  return {
    name,
    message,
    ...((typeof code === "string" || typeof code === "number") && { code }),
    ...(cause instanceof Error && depth < MAX_DEPTH && { cause: describe(cause, depth + 1) }),
    ...(typeof cause === "string" && { cause }),
  };
}
