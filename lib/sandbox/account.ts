// Stand-ins for the providers whose accounts `/up` shows: of text recognition (Mistral's list of models) and of media
// (Replicate's account, and the credit that its own website shows).

import { createProviderStandIn, type ProviderOptions, type ProviderStandIn } from "./provider.ts";
import {
  ERROR_TEXTS,
  type FaultStatus,
  jsonAnswer,
  type ProviderAnswer,
} from "./provider_answer.ts";

/** Creates the stand-in of the OCR provider, which only lists models. */
export function createOcrStandIn(options: ProviderOptions): ProviderStandIn {
  const capabilities = { ocr: true, vision: true, completion_chat: false };
  const model = { id: "sandbox-ocr-4", object: "model", owned_by: "sandbox", capabilities };
  return createListing(options, { "/v1/models": { object: "list", data: [model] } });
}

/** Creates the stand-in of the media provider. */
export function createMediaStandIn(options: ProviderOptions): ProviderStandIn {
  const username = "sandbox";
  return createListing(options, {
    "/v1/account": { type: "organization", username, name: "Foyer sandbox" },
    [`/api/users/${username}/unused-credit`]: { unused_credit: "12.34" },
  });
}

/** A provider that answers the key with one object for each path. */
function createListing(
  options: ProviderOptions,
  objects: Readonly<Record<string, object>>,
): ProviderStandIn {
  return createProviderStandIn({
    answer({ method, path, headers }) {
      if (headers.get("Authorization") !== `Bearer ${options.apiKey}`) return refuse(401);
      const object = method === "GET" ? objects[path] : undefined;
      return object === undefined ? refuse(404) : jsonAnswer(object);
    },
    refuse,
  }, options);
}

function refuse(status: FaultStatus): ProviderAnswer {
  return jsonAnswer({ title: ERROR_TEXTS[status], status }, { status });
}
