// Common parts of drawings: the ticks of an axis, and the marks of amounts.

/** Return about five round numbers from `low` to `high`. */
export function ticks(low, high) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((one) => one * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  return Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step);
}

/** The marks of rewards, payoffs and amounts due, in all drawings and tables. */
export const SIGNS_OF = { baseline: "□", alone: "□", earned: "○", ended: "●", shapley: "✕" };
