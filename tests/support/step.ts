/** Steps of the schedules that models play through. */

import fc from "fast-check";

/** A step of a kind, with fields of its own. */
export function step<const Kind extends string, Fields extends object = object>(
  kind: Kind,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> } = {} as never,
): fc.Arbitrary<{ readonly kind: Kind } & Fields> {
  return fc.record(fields).map((made) => ({ kind, ...made }));
}
