// Errors in ClickHouse's layout: a line of text, and the code in a header too.

const VERSION = "25.8.1.1 (sandbox)";

/** What the server refuses, and how it says so. */
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

/** The answer that an error is. */
export function refusal({ code, status, message, type }: ClickHouseError): Response {
  return new Response(`Code: ${code}. DB::Exception: ${message} (${type}) (version ${VERSION})\n`, {
    status,
    headers: {
      "Content-Type": "text/plain; charset=UTF-8",
      "X-ClickHouse-Exception-Code": String(code),
    },
  });
}
