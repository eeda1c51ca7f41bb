// The models of the decision stand-in, and the names that stand for the newest of them.

/** A model as `GET /v1/models` shows it. */
interface ModelCard {
  readonly name: string;
  readonly description: string;
  readonly release_date: string;
}

const ALIASES: Readonly<Record<string, string>> = {
  "jev-latest": "jev-1.13.0",
  "jev-preview": "jev-1.14.0-preview",
};

/** The model of a request without one. */
export const DEFAULT_MODEL = "jev-latest";

/** Versions, then aliases. */
export const MODELS: readonly ModelCard[] = [
  { name: "jev-1.13.0", description: "Sandbox: stable", release_date: "2026-09-01" },
  {
    name: "jev-1.14.0-preview",
    description: "Sandbox: preview, with boxes",
    release_date: "2026-10-15",
  },
  { name: "jev-latest", description: "Sandbox: now jev-1.13.0", release_date: "2026-09-01" },
  {
    name: "jev-preview",
    description: "Sandbox: now jev-1.14.0-preview",
    release_date: "2026-10-15",
  },
];

/** Whether a request may name it. */
export function isModel(name: string): boolean {
  return MODELS.some((model) => model.name === name);
}

/** The version behind a name. */
export function resolveModel(name: string): string {
  return ALIASES[name] ?? name;
}

/** Whether the model draws boxes. */
export function drawsBoxes(name: string): boolean {
  return resolveModel(name).startsWith("jev-1.14");
}
