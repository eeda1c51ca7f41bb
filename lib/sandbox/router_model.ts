// One of the router's models, with every field that clients of the list require.

import type { Random } from "./random.ts";
import { titleOf } from "./router_names.ts";

/** A model as the lists show it. Prices are dollars per token, as decimal text; only a discount is a number. */
export interface RouterModel {
  readonly id: string;
  readonly canonical_slug: string;
  readonly name: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly description: string;
  readonly context_length: number | null;
  readonly architecture: {
    readonly modality: string | null;
    readonly input_modalities: readonly string[];
    readonly output_modalities: readonly string[];
    readonly tokenizer: string;
    readonly instruct_type: string | null;
  };
  readonly pricing: {
    readonly prompt: string;
    readonly completion: string;
    readonly discount?: number;
    readonly [kind: string]: string | number | undefined;
  };
  readonly top_provider: {
    readonly context_length: number | null;
    readonly max_completion_tokens: number | null;
    readonly is_moderated: boolean;
  };
  readonly per_request_limits: null;
  readonly supported_parameters: readonly string[];
  readonly default_parameters: Readonly<Record<string, number | null>> | null;
  readonly supported_voices: readonly string[] | null;
  readonly knowledge_cutoff: string | null;
  readonly expiration_date: string | null;
  readonly links: { readonly details: string };
  readonly hugging_face_id?: string | null;
  readonly reasoning?: { readonly mandatory: boolean };
  /** Only for an alias, whose id begins with `~`. */
  readonly alias_target?: { readonly name: string; readonly slug: string };
}

/** Invents the facts that a model's slug does not state. */
export function modelOf(
  random: Random,
  slug: string,
  created: number,
  { inputs, outputs, parameters }: {
    inputs: readonly string[];
    outputs: readonly string[];
    parameters: readonly string[];
  },
): RouterModel {
  const contextLength = 2 ** random.int(13, 20);
  // Up to 20 dollars per million, at times with more digits than a nano-dollar has.
  const prompt = random.int(1, 800) * random.pick([2_500, 12_500, 25_000]);
  const name = titleOf(slug);
  return {
    id: slug,
    canonical_slug: slug,
    name,
    created,
    description: `${name} is made up for the sandbox: nothing answers to this name.`,
    context_length: contextLength,
    architecture: {
      modality: `${inputs.join("+")}->${outputs.join("+")}`,
      input_modalities: inputs,
      output_modalities: outputs,
      tokenizer: "Other",
      instruct_type: null,
    },
    pricing: {
      prompt: perToken(prompt),
      completion: perToken(prompt * random.int(2, 5)),
      ...(random.chance(0.3) ? { input_cache_read: perToken(prompt / 10) } : {}),
      ...(random.chance(0.1) ? { discount: 0.25 } : {}),
    },
    top_provider: {
      context_length: contextLength,
      max_completion_tokens: random.chance(0.2) ? null : contextLength / 4,
      is_moderated: random.chance(0.1),
    },
    per_request_limits: null,
    supported_parameters: parameters,
    default_parameters: random.chance(0.5) ? { temperature: 0.7, top_p: null } : null,
    supported_voices: null,
    knowledge_cutoff: random.chance(0.5) ? "2026-01-31" : null,
    expiration_date: null,
    ...(random.chance(0.5) ? { hugging_face_id: random.chance(0.5) ? slug : null } : {}),
    ...(random.chance(0.3) ? { reasoning: { mandatory: random.chance(0.2) } } : {}),
    links: { details: `/api/v1/models/${slug}/endpoints` },
  };
}

/** Micro-dollars per million tokens as dollars per token: 12500 is `0.0000000125`. */
function perToken(microUsdPerMillion: number): string {
  return `0.${String(microUsdPerMillion).padStart(12, "0")}`.replace(/0+$/, "");
}
