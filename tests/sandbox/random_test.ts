import assert from "node:assert/strict";
import { createRandom } from "../../lib/sandbox/random.ts";

Deno.test("a seed gives the same numbers for ever: pictures, plans and published figures come of them", () => {
  const drawn = (seed: string | number) => {
    const random = createRandom(seed);
    return [random.next(), random.int(1, 9), random.chance(0.5), random.pick(["a", "b", "c"])];
  };
  assert.deepEqual(drawn("load 5"), [0.992567919427529, 3, false, "c"]);
  assert.deepEqual(drawn(9), [0.19872891809791327, 8, true, "c"]);
});

Deno.test("nothing is picked from an empty list", () => {
  assert.throws(() => createRandom("x").pick([]), /nothing to pick/);
});
