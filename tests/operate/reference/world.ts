/** The Foyer in which the examples of the reference were recorded, and the requests for them. */

import { parseConfig } from "../../../lib/platform/config/config.ts";
import { buildOpenApi, operationsOf } from "../../../lib/operate/reference/openapi.ts";
import { type OperationObject, sampleRequest } from "../../../lib/operate/reference/operation.ts";
import type { StandInAttachment } from "../../../lib/sandbox/records.ts";
import { OPERATIONS } from "../../../routes/api/v1/openapi.json.ts";
import { THEME_CELLS } from "../../site/site.ts";
import { BASE_URL, type Foyer, row, startFoyer } from "../../support/foyer.ts";
import type { Member } from "../../support/member.ts";
import { pngFile } from "../../support/png.ts";

/** Stands for the id of a request, which differs each time. */
const REQUEST_ID = "9f1c2e4a-5b6d-4c7e-8f90-a1b2c3d4e5f6";

/** An address of a picture, which is signed anew at each read and is not for documents. */
const SIGNED = /http:\/\/store\.example\/files\/\w+\/original\/([\w.]+)\?[\w&=-]+/g;

/** The command that records the examples again. */
export const RECORD =
  "FOYER_RECORD_EXAMPLES=1 deno test -A --lock=tests/deno.lock tests/operate/reference/examples_test.ts";

/** The document of a Foyer with the default configuration. */
export const openApi = buildOpenApi(parseConfig({ BASE_URL }), OPERATIONS);

/** Its operations. */
export const operations = operationsOf(openApi);

/** A request of the reference. */
export interface ExampleRequest {
  /** Path and query string. */
  readonly path: string;
  /** The value posted as JSON; without it the request is a GET. */
  readonly body?: unknown;
  /** Whether the request omits the key that it needs. */
  readonly keyless?: boolean;
}

/** Requests besides the operations' own examples: a stream, and errors by API and code. */
export const OTHER_REQUESTS: Readonly<Record<string, ExampleRequest>> = {
  "answerFromWeb stream": {
    path: "/proxy/v1/websearch/answer",
    body: { query: "why are there two tides a day", stream: true },
  },
  "events bad_request": { path: "/api/v1/events?status=past" },
  "events not_found": { path: "/api/v1/events/no-such-event" },
  "proxy bad_request": { path: "/proxy/v1/models?limit=0" },
  "proxy unauthorized": { path: "/proxy/v1/usage", keyless: true },
  "proxy not_found": { path: "/proxy/v1/models/no-such-model" },
  "proxy validation_failed": {
    path: "/proxy/v1/decision/systemone",
    body: { state: "The parcel came late." },
  },
};

/** The groups whose responses the reference does not show. */
const ARE_THEIR_OWN: ReadonlySet<string> = new Set(["Documents", "Pictures"]);

/** The request of an operation's example. */
export function exampleRequest(
  { path, operation }: { readonly path: string; readonly operation: OperationObject },
): ExampleRequest {
  const { url, body } = sampleRequest(path, operation, "");
  return { path: url, ...(body === null ? {} : { body: JSON.parse(body) }) };
}

/** Every request whose response the reference shows, by the name of that response. */
export const exampleRequests: Readonly<Record<string, ExampleRequest>> = {
  ...Object.fromEntries(
    operations.filter(({ operation }) => !ARE_THEIR_OWN.has(operation.tags[0])).map((each) => [
      each.operation.operationId,
      exampleRequest(each),
    ]),
  ),
  ...OTHER_REQUESTS,
};

/** A picture that the stand-in for the store serves. */
const picture = (kind: "logo" | "background"): StandInAttachment => ({
  id: `att${kind}`,
  filename: `${kind}.png`,
  source: pngFile(96, 64),
});

/** Starts the Foyer, with two events and a few models. */
export function startReferenceFoyer(env: Record<string, string | undefined> = {}): Promise<Foyer> {
  const records = [
    row({
      "id": "recI1rhC7P2BGZJPt",
      "Name": "Solder night",
      "Description": "Bring a board, or build one here.",
      "Format": "in-person",
      "In Person Start": "2026-12-05",
      "In Person End": "2026-12-06",
      "In Person Location": "Ghent",
      "Project Types": ["Electronics"],
      "Start Date": "2026-12-05",
      "End Date": "2026-12-06",
      "Logo Url": [picture("logo")],
      "Background Type": "image",
      "Background Image Url": [picture("background")],
      ...THEME_CELLS,
    }),
    row({ "id": "recEnded000000001", "Name": "Ended", "Start Date": "2026-01-01" }),
  ];
  return startFoyer({ records, env, models: 1 });
}

/** Sends the request of an example. */
export function ask(foyer: Foyer, { key }: Member, { path, body, keyless }: ExampleRequest) {
  const isKeyed = path.startsWith("/proxy/") && keyless !== true;
  if (body !== undefined) return foyer.post(path, isKeyed ? key : null, body);
  return foyer.get(path, isKeyed ? { headers: { authorization: `Bearer ${key}` } } : {});
}

/** A response as the file stores it. */
export async function readAnswer(response: Response, { keyId }: Member): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  const text = (await response.text()).replaceAll(SIGNED, "https://media.example/$1")
    .replaceAll(keyId, "kFqJmOmlHS2U");
  if (type.startsWith("text/event-stream")) return `${text.trim().split("\n\n").at(-1)}\n\n`;
  if (!/^application\/(?:feed\+)?json/.test(type)) return text;
  const body = JSON.parse(text);
  return response.ok || body.requestId === undefined ? body : { ...body, requestId: REQUEST_ID };
}
