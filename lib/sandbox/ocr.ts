// A stand-in for the provider of text recognition: Mistral's list of models, and documents answered with one made-up
// page each.

import { isOcrModel, OCR_MODELS } from "./ocr_models.ts";
import { createProviderStandIn, type ProviderOptions, type ProviderStandIn } from "./provider.ts";
import {
  type CostFault,
  FIGURE,
  jsonAnswer,
  type ProviderAnswer,
  type ProviderRequest,
} from "./provider_answer.ts";
import type { FaultStatus } from "./provider_faults.ts";
import { readDecimal } from "./money.ts";

/** 4 dollars per thousand pages. */
const NANO_USD_PER_PAGE = 4_000_000n;

/**
 * Creates a stand-in. It opens no port: serve `fetch`.
 *
 * @example
 * ```ts
 * const ocr = createOcrStandIn({ apiKey: "key", now: () => 0 });
 * const headers = { Authorization: "Bearer key" };
 * const response = await ocr.fetch(new Request("http://ocr.test/v1/models", { headers }));
 * if ((await response.json()).object !== "list") throw new Error("unexpected");
 * ```
 */
export function createOcrStandIn(options: ProviderOptions): ProviderStandIn {
  const { apiKey } = options;

  function answer(request: ProviderRequest, fault: CostFault | undefined): ProviderAnswer {
    const { method, path, headers } = request;
    if (headers.get("Authorization") !== `Bearer ${apiKey}`) return refusal(401);
    switch (`${method} ${path}`) {
      case "GET /v1/models":
        return jsonAnswer({ object: "list", data: OCR_MODELS });
      case "POST /v1/ocr":
        return recognize(request.body, fault);
      default:
        return refusal(404);
    }
  }

  return createProviderStandIn({ answer, refuse: refusal }, options);
}

/** One page for any document; its text names the document. */
function recognize(body: Uint8Array, fault: CostFault | undefined): ProviderAnswer {
  const request = parseObject(new TextDecoder().decode(body));
  if (request === null) return refusal(400);
  const model = request.get("model");
  if (typeof model !== "string") return missing(["body", "model"]);
  const document = request.get("document");
  if (typeof document !== "object" || document === null) return missing(["body", "document"]);
  if (!isOcrModel(model)) return refusal(400);

  const figure = fault?.kind === "cost" ? fault.text : "1";
  const usage = { usage_info: { pages_processed: FIGURE, doc_size_bytes: body.length } };
  const markdown = `# Sandbox page\n\nNothing was read of ${nameOf(document)}.`;
  return jsonAnswer({
    pages: [{
      index: 0,
      markdown,
      images: [],
      dimensions: { dpi: 200, height: 2200, width: 1700 },
    }],
    model,
    document_annotation: null,
    ...(fault?.kind === "missing-cost" ? {} : usage),
  }, { figure, chargeNanoUsd: readDecimal(figure, NANO_USD_PER_PAGE) ?? NANO_USD_PER_PAGE });
}

/** The name of the document, without the data that may be in its address. */
function nameOf(document: object): string {
  const address = new Map<string, unknown>(Object.entries(document)).get("document_url");
  return typeof address === "string" ? address.slice(0, 80) : "this document";
}

function parseObject(json: string): Map<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function missing(loc: readonly string[]): ProviderAnswer {
  return jsonAnswer({ detail: [{ loc, msg: "Field required", type: "missing" }] }, { status: 422 });
}

/** Errors. A gateway refuses keys in its own layout; missing fields have another layout. */
function refusal(status: FaultStatus): ProviderAnswer {
  if (status === 401) return jsonAnswer({ detail: "Unauthorized" }, { status });
  if (status === 422) return missing(["body"]);
  const [type, message] = ERRORS[status];
  return jsonAnswer({ object: "error", message, type, param: null, code: null }, { status });
}

const ERRORS: Readonly<
  Record<Exclude<FaultStatus, 401 | 422>, readonly [type: string, message: string]>
> = {
  400: ["invalid_request_error", "Invalid request."],
  402: ["payment_required", "The account has no credit left."],
  403: ["permission_error", "This key may not do that."],
  404: ["not_found", "Not found."],
  429: ["rate_limited", "Too many requests."],
  500: ["internal_error", "Internal error."],
  502: ["internal_error", "Bad gateway."],
  503: ["internal_error", "The service is not available."],
  529: ["overloaded", "The service is overloaded."],
};
