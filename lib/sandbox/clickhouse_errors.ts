// Errors in ClickHouse's layout: a line of text, and the code in a header too.

const VERSION = "26.7.2.1 (sandbox)";

/** An error of the server. */
export class ClickHouseError extends Error {
  override readonly name = "ClickHouseError";

  /** `type` is the code's name in capitals. */
  constructor(
    readonly code: number,
    readonly status: number,
    message: string,
    readonly type: string,
  ) {
    super(message);
  }
}

/** An error's text. */
export function describe({ code, message, type }: ClickHouseError): string {
  return `Code: ${code}. DB::Exception: ${message}. (${type}) (version ${VERSION})\n`;
}

/** The response of an error. */
export function refusal(error: ClickHouseError): Response {
  const { code, status } = error;
  return new Response(describe(error), {
    status,
    headers: {
      "Content-Type": "text/plain; charset=UTF-8",
      "X-ClickHouse-Exception-Code": String(code),
    },
  });
}
