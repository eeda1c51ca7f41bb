// The error answers of Airtable's API in their several layouts.

/** How a body names its error: `{error:{type,…}}`, `{error:"TYPE"}` or `{errors:[{error:"TYPE",…}]}`. */
export const ERROR_LAYOUTS = ["object", "string", "plural"] as const;

type ErrorLayout = typeof ERROR_LAYOUTS[number];

/** The parts of an error response besides its status. */
interface ErrorOptions {
  /** Airtable's name of the error, instead of the usual one of the status. */
  readonly type?: string;
  /** The layout of the body, instead of the usual one of the status. */
  readonly layout?: ErrorLayout;
  /** Sent as `Retry-After`; the real service often sends none. */
  readonly retryAfterSeconds?: number;
}

/** The statuses with which Airtable fails. */
export const ERROR_STATUSES = [401, 403, 404, 413, 422, 429, 500, 502, 503] as const;

type ErrorStatus = typeof ERROR_STATUSES[number];

type Usual = readonly [type: string, message: string, layout: ErrorLayout];

const SERVER_ERROR: Usual = ["SERVER_ERROR", "Something went wrong", "object"];

const USUAL: Readonly<Record<ErrorStatus, Usual>> = {
  401: ["AUTHENTICATION_REQUIRED", "Authentication required", "object"],
  403: [
    "INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND",
    "Invalid permissions, or the requested model was not found. Check that both your user and your token have the required permissions, and that the model names and/or ids are correct.",
    "object",
  ],
  404: ["NOT_FOUND", "Not found", "string"],
  413: ["REQUEST_TOO_LARGE", "The request is too large", "object"],
  422: [
    "INVALID_REQUEST_UNKNOWN",
    "Invalid request: parameter validation failed. Check your request data.",
    "object",
  ],
  429: ["RATE_LIMIT_REACHED", "Rate limit exceeded. Please try again later", "plural"],
  500: SERVER_ERROR,
  502: SERVER_ERROR,
  503: SERVER_ERROR,
};

/** Airtable's error response for `status`; 500, 502 and 503 are pages of HTML unless a type is given. */
export function errorResponse(status: ErrorStatus, options: ErrorOptions = {}): Response {
  const headers = new Headers();
  if (options.retryAfterSeconds !== undefined) {
    headers.set("Retry-After", String(options.retryAfterSeconds));
  }
  if (status >= 500 && options.type === undefined) return htmlPage(status, headers);

  const [usualType, usualMessage, usualLayout] = USUAL[status];
  const type = options.type ?? usualType;
  const message = type === usualType ? usualMessage : `The request failed with ${type}`;
  return Response.json(body(options.layout ?? usualLayout, type, message), { status, headers });
}

/** 422 with the given type and sentence. */
export function unprocessable(type: string, message: string): Response {
  return Response.json(body("object", type, message), { status: 422 });
}

/** A page of HTML as a proxy in front of the service would send it. */
export function htmlPage(status: number, headers = new Headers()): Response {
  headers.set("Content-Type", "text/html; charset=utf-8");
  const page = `<!DOCTYPE html>\n<html><head><title>${status}</title></head>` +
    `<body><h1>${status}</h1><p>We're having trouble. Please try again.</p></body></html>\n`;
  return new Response(page, { status, headers });
}

function body(layout: ErrorLayout, type: string, message: string): unknown {
  switch (layout) {
    case "object":
      return { error: { type, message } };
    case "string":
      return { error: type };
    case "plural":
      return { errors: [{ error: type, message }] };
  }
}

/** Thrown for an invalid request; the stand-in sends `response`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  constructor(readonly response: Response, options?: { cause: unknown }) {
    super(`refused with ${response.status}`, options);
  }
}
