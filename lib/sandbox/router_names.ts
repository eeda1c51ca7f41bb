// The made-up names of the router's models.

/** The vendors. None is a company's name. */
export const VENDORS = [
  "northfield",
  "saltmarsh",
  "birchline",
  "harbour-row",
  "tallgrass",
  "cobalt-hill",
  "windmill-yard",
  "stonebridge",
  "oakhollow",
  "ferrymoor",
  "brightwater",
  "greystile",
  "hazelbrook",
  "kestrel-road",
  "pinefold",
  "quarrybank",
  "rivermouth",
  "thornfield",
  "millrace",
  "lower-lane",
] as const;

/** The names of the models. */
export const FAMILIES = [
  "wren",
  "heron",
  "otter",
  "maple",
  "pebble",
  "ember",
  "tide",
  "lark",
  "fern",
  "cedar",
] as const;

/** From the smallest to the largest. */
export const SIZES = ["mini", "small", "medium", "large", "max"] as const;

/** A slug as a person would write it: `cobalt-hill/wren-mini-2611` is `Cobalt Hill: Wren Mini 2611`. */
export function titleOf(slug: string): string {
  const words = (part: string) =>
    part.split("-").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(" ");
  return slug.split("/").map(words).join(": ");
}
