// The router's models: invented, the same every time, and of every kind that the real list has.

import { createRandom } from "./random.ts";
import { modelOf, type RouterModel } from "./router_model.ts";
import { FAMILIES, SIZES, titleOf, VENDORS } from "./router_names.ts";

const NEWEST = Date.parse("2026-11-15T09:00:00Z") / 1000;
/**
 * The interval of releases. It is so long that a vendor's next model of one family and size gets another month, and
 * so another id.
 */
const SECONDS_APART = 11 * 3600;
const MAX_ALIASES = 40;

const PARAMETERS = ["max_tokens", "temperature", "top_p", "stop", "seed", "frequency_penalty"];
const TOOL_PARAMETERS = ["tools", "tool_choice", "response_format", "structured_outputs"];

const INPUTS: readonly string[][] = [
  ["text"],
  ["text"],
  ["text", "image"],
  ["text", "image", "file"],
  ["text", "image", "audio"],
];

/** The models with other outputs than text: kind, inputs, number. */
const OTHERS: readonly (readonly [output: string, inputs: readonly string[], count: number])[] = [
  ["embeddings", ["text"], 12],
  ["image", ["text", "image"], 4],
  ["decisions", ["text"], 2],
  ["rerank", ["text"], 2],
  ["speech", ["text"], 2],
  ["transcription", ["audio"], 2],
];

/**
 * Makes `textModels` models that put out text, newest first, and 24 more that put out other things, embeddings among
 * them. The first chooses among the others and has the price `-1`; the next, at most 40, are aliases.
 */
export function sandboxModels(textModels: number): RouterModel[] {
  const aliases = Math.min(MAX_ALIASES, Math.floor(textModels / 10));
  const count = Math.max(0, textModels - aliases - 1);
  const plain = Array.from({ length: count }, (_, index) => textModel(index));
  const others = OTHERS.flatMap(([output, inputs, length]) =>
    Array.from({ length }, (_, index) => otherModel(output, inputs, index))
  );
  return [
    ...(textModels > 0 ? [chooser()] : []),
    ...plain.filter(({ id }) => !id.endsWith(":free")).slice(0, aliases).map(aliasOf),
    ...plain,
    ...others,
  ];
}

function textModel(index: number): RouterModel {
  const vendor = VENDORS[index % VENDORS.length] ?? VENDORS[0];
  const family = FAMILIES[Math.floor(index / VENDORS.length) % FAMILIES.length] ?? FAMILIES[0];
  const size = SIZES[Math.floor(index / VENDORS.length / FAMILIES.length) % SIZES.length];
  const created = NEWEST - index * SECONDS_APART;
  const slug = `${vendor}/${family}-${size}-${monthOf(created)}`;
  const random = createRandom(slug);
  const isFree = index % 12 === 5;
  const model = modelOf(random, slug, created, {
    inputs: random.pick(INPUTS),
    outputs: index % 40 === 9 ? ["text", "image"] : ["text"],
    parameters: random.chance(0.7) ? [...PARAMETERS, ...TOOL_PARAMETERS] : PARAMETERS,
  });
  if (!isFree) return model;
  return {
    ...model,
    id: `${slug}:free`,
    name: `${model.name} (free)`,
    pricing: { prompt: "0", completion: "0" },
  };
}

function otherModel(output: string, inputs: readonly string[], index: number): RouterModel {
  const vendor = VENDORS[index % VENDORS.length] ?? VENDORS[0];
  const slug = `${vendor}/${FAMILIES[0]}-${output}-${monthOf(NEWEST)}`;
  const random = createRandom(slug);
  const model = modelOf(random, slug, NEWEST - index * SECONDS_APART, {
    inputs,
    outputs: [output],
    parameters: [],
  });
  return {
    ...model,
    pricing: { ...model.pricing, completion: "0" },
    default_parameters: null,
    supported_voices: output === "speech" ? ["sandbox-low", "sandbox-high"] : null,
    top_provider: { ...model.top_provider, max_completion_tokens: null },
  };
}

function aliasOf(target: RouterModel): RouterModel {
  const slug = `~${target.canonical_slug.replace(/-[a-z]+-\d+$/, "-latest")}`;
  return {
    ...target,
    id: slug,
    canonical_slug: slug,
    name: titleOf(slug.slice(1)),
    links: { details: `/api/v1/models/${slug}/endpoints` },
    alias_target: { name: target.name, slug: target.id },
  };
}

function chooser(): RouterModel {
  const model = modelOf(createRandom("auto"), "sandbox/auto", NEWEST, {
    inputs: ["text"],
    outputs: ["text"],
    parameters: PARAMETERS,
  });
  return {
    ...model,
    architecture: { ...model.architecture, modality: null, tokenizer: "Router" },
    pricing: { prompt: "-1", completion: "-1" },
    top_provider: { context_length: null, max_completion_tokens: null, is_moderated: false },
  };
}

/** Year and month, such as 2611. */
function monthOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(2, 7).replace("-", "");
}
