// The answers of the decision stand-in: words in common, turned into probabilities that look like the real ones.

import type { Question } from "./decision_request.ts";
import { createRandom } from "./random.ts";
import { overlap, wordsOf } from "./words.ts";

/** An answer as it is sent, and the tokens that it counts for. */
interface Answered {
  readonly answer: Readonly<Record<string, unknown>>;
  readonly outputTokens: number;
}

/** How much a full overlap outweighs none: e to this power. */
const SHARPNESS = 4;

/** Answers one question about `state`. */
export function answerQuestion(state: string, question: Question): Answered {
  const { type, instructions } = question;
  const words = new Set(wordsOf(state));
  const likeness = (text: string) =>
    overlap(new Map(wordsOf(text).map((word) => [word, 1])), words);
  switch (type) {
    case "noul": {
      // A question without criteria is answered by its own words, which the state contains or not.
      const { whenTrue, whenFalse } = question;
      const weights = [likeness(whenTrue || instructions), whenFalse ? likeness(whenFalse) : 0.5];
      const [noul = 0] = probabilitiesOf(weights);
      return { answer: { type, noul }, outputTokens: 1 };
    }
    case "choice": {
      const { options } = question;
      const chances = probabilitiesOf(options.map(([name, is]) => likeness(`${name} ${is}`)));
      const { index, confidence } = best(chances);
      const labels = options.map(([name]) => name);
      return {
        answer: {
          type,
          choice: labels[index],
          confidence,
          probabilities: Object.fromEntries(labels.map((label, i) => [label, chances[i]])),
        },
        outputTokens: options.length,
      };
    }
    case "score": {
      const chances = probabilitiesOf(question.levels.map(likeness));
      const expected = chances.reduce((total, chance, level) => total + chance * level, 0);
      return {
        answer: {
          type,
          score: Math.round(expected * 100) / 100,
          confidence: best(chances).confidence,
          legend: { ...question.legend },
          probabilities: { ...chances },
        },
        outputTokens: chances.length,
      };
    }
    case "box": {
      const random = createRandom(`${state}\n${instructions}`);
      const [top, left] = [random.int(0, 45), random.int(0, 45)];
      return {
        answer: {
          type,
          top: top / 100,
          bottom: (top + random.int(10, 50)) / 100,
          left: left / 100,
          right: (left + random.int(10, 50)) / 100,
          confidence: random.int(50, 99) / 100,
        },
        outputTokens: 4,
      };
    }
  }
}

/** Softmax in whole hundredths that sum to 1: the largest remainders are rounded up. */
function probabilitiesOf(weights: readonly number[]): number[] {
  const powers = weights.map((weight) => Math.exp(SHARPNESS * weight));
  const total = powers.reduce((sum, power) => sum + power, 0);
  const exact = powers.map((power) => 100 * power / total);
  const whole = exact.map(Math.floor);
  const missing = 100 - whole.reduce((sum, part) => sum + part, 0);
  const raised = exact.map((part, index) => ({ index, rest: part - Math.floor(part) }))
    .sort((a, b) => b.rest - a.rest || a.index - b.index)
    .slice(0, missing);
  for (const { index } of raised) whole[index] = (whole[index] ?? 0) + 1;
  return whole.map((part) => part / 100);
}

function best(chances: readonly number[]): { index: number; confidence: number } {
  const confidence = Math.max(...chances);
  return { index: chances.indexOf(confidence), confidence };
}
