/** Money against exact fractions of BigInts. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { divideUp, formatUsd, isNearLimit, parseUsd, toUsd } from "../../lib/platform/money.ts";

Deno.test("parseUsd reads decimals exactly and rounds up to a whole nano-dollar", () => {
  const cases: [string, bigint | null][] = [
    ["0", 0n],
    ["0.0", 0n],
    ["4", 4_000_000_000n],
    ["0.007", 7_000_000n],
    ["1e-9", 1n],
    ["1E-9", 1n],
    ["1e-10", 1n],
    ["1e-300", 1n],
    ["1e-9999", 1n],
    ["0e9999", 0n],
    ["1.0000000001", 1_000_000_001n],
    ["0.0000000010", 1n],
    ["0.1e1", 1_000_000_000n],
    ["1e+3", 1_000_000_000_000n],
    ["1e15", 10n ** 24n],
    ["1000000000000000", 10n ** 24n],
    ["1000000000000000.0000000001", null],
    ["1e16", null],
    ["1e9999", null],
    [`0.${"0".repeat(390)}1`, 1n],
    [`0.${"0".repeat(400)}1`, null],
  ];
  for (const [text, amount] of cases) assert.equal(parseUsd(text), amount, JSON.stringify(text));
  const others = ["-1", "+1", ".5", "5.", "", " 1", "1 ", "1\n", "1e", "1e99999", "0x10", "1_000"]
    .concat("1,5", "NaN", "Infinity", "null", "١");
  for (const text of others) assert.equal(parseUsd(text), null, JSON.stringify(text));
});

Deno.test("parseUsd is the least amount that is not below the text", () => {
  const digits = fc.nat({ max: 10 ** 9 }).map(String);
  fc.assert(
    fc.property(digits, digits, fc.integer({ min: -20, max: 5 }), (whole, fraction, exponent) => {
      const amount = parseUsd(`${whole}.${fraction}e${exponent}`);
      assert.ok(amount !== null);
      // The same number as numerator / 10^places, in nano-dollars.
      const numerator = BigInt(whole + fraction) * 10n ** 30n;
      const scale = 10n ** BigInt(30 + fraction.length - exponent - 9);
      assert.ok(amount * scale >= numerator);
      assert.ok(amount === 0n || (amount - 1n) * scale < numerator);
    }),
  );
});

Deno.test("an amount that is printed is read as the same amount", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (amount) => {
      assert.equal(parseUsd(formatUsd(amount)), amount);
      assert.equal(formatUsd(-amount), amount === 0n ? "0" : `-${formatUsd(amount)}`);
    }),
  );
  const printed = [7_000_000n, 4_000_000_000n, -1_500_000_000n, 1n, 0n].map(formatUsd);
  assert.equal(printed.join(), "0.007,4,-1.5,0.000000001,0");
});

Deno.test("toUsd is exact up to eight million dollars", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 8n * 10n ** 15n }), (amount) => {
      assert.equal(parseUsd(JSON.stringify(toUsd(amount))), amount);
    }),
  );
});

Deno.test("a limit is near when less than a fifth of it is left, of exact amounts and of dollars", () => {
  for (const limit of [5n, 4_000_000_000n, 7_000_000n * 5n, 123_456_789_015n]) {
    const edge = limit - limit / 5n;
    assert.deepEqual([isNearLimit(edge, limit), isNearLimit(edge + 1n, limit)], [false, true]);
    const inUsd = [edge, edge + 1n].map((used) => isNearLimit(toUsd(used), toUsd(limit)));
    assert.deepEqual(inUsd, [false, true]);
  }
  assert.equal(isNearLimit(0n, 0n), false);
});

Deno.test("divideUp rounds up", () => {
  const quotients = [0n, 1n, 6n, 7n, 8n].map((dividend) => divideUp(dividend, 7n));
  assert.equal(quotients.join(), "0,1,1,1,2");
});
