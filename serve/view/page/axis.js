// What drawings share: round numbers along an axis, and the signs of what is drawn.

/** About five round numbers from `low` to `high`. */
export function ticks(low, high) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((one) => one * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  return Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step);
}

/** Earned, ended and due: the same signs in every drawing and table. */
export const SIGNS_OF = { baseline: "□", alone: "□", earned: "○", ended: "●", shapley: "✕" };
