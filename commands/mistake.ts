/** What stops a command: one sentence for the person who called it. */

/** 2: the command was not understood. 1: it was, and cannot be done. */
type FailureCode = 1 | 2;

/** A foreseen failure. Its message names what is wrong, and what would be right. */
export class Mistake extends Error {
  override name = "Mistake";

  /** @param message the rest of a sentence that begins with the tool's name. */
  constructor(message: string, readonly exitCode: FailureCode = 2) {
    super(message);
  }
}
