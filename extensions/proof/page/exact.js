// Exact numbers: fractions of whole numbers of any size, read from text and written as text.

/** Return the greatest common divisor. */
export const gcd = (a, b) => (b ? gcd(b, a % b) : a < 0n ? -a : a);

/** Return the fraction n / d in lowest terms, with d > 0. */
export function fraction(n, d = 1n) {
  if (d === 0n) throw new Error("a fraction has the denominator 0");
  const by = d < 0n ? -gcd(n, d) : gcd(n, d);
  return { n: n / by, d: d / by };
}

export const ZERO = fraction(0n);
export const add = (a, b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (a) => ({ n: -a.n, d: a.d });
export const subtract = (a, b) => add(a, minus(b));
export const multiply = (a, b) => fraction(a.n * b.n, a.d * b.d);
export const divide = (a, b) => fraction(a.n * b.d, a.d * b.n);
export const compare = (a, b) => (a.n * b.d < b.n * a.d ? -1 : a.n * b.d > b.n * a.d ? 1 : 0);
export const equal = (a, b) => a.n === b.n && a.d === b.d;
export const size = (a) => (a.n < 0n ? minus(a) : a);
export const total = (list) => list.reduce(add, ZERO);
export const least = (list) => list.reduce((a, b) => (compare(b, a) < 0 ? b : a));

const NUMBER = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/** Read 3, 0.1, 1e-7, "4.5" or "9/2" as the fraction that its text means. */
export function exact(number) {
  const text = typeof number === "number" ? String(number) : number;
  const ratio = typeof text === "string" && /^([+-]?\d{1,400})\/(\d{1,400})$/.exec(text);
  if (ratio) return fraction(BigInt(ratio[1]), BigInt(ratio[2]));
  const found = typeof text === "string" && text.length <= 800 && NUMBER.exec(text);
  if (!found) throw new Error(`${JSON.stringify(number)} is no number`);
  const [, sign, whole, decimals = "", exponent = "0"] = found;
  const shift = BigInt(exponent) - BigInt(decimals.length);
  const digits = BigInt(`${sign}${whole}${decimals}`.replace(/^\+/, ""));
  return shift < 0n ? fraction(digits, 10n ** -shift) : fraction(digits * 10n ** shift);
}

/** Return a fraction as text: a finite decimal if there is one of 28 digits, else n/d. */
export function plain(a) {
  if (a.d === 1n) return String(a.n);
  let places = 0;
  let scaled = size(a);
  while (scaled.d !== 1n && places < 100) {
    scaled = multiply(scaled, fraction(10n));
    places += 1;
  }
  if (scaled.d !== 1n || String(scaled.n).length > 28) return `${a.n}/${a.d}`;
  const digits = String(scaled.n).padStart(places + 1, "0");
  return `${a.n < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Return the largest whole number that is not above a fraction. */
export const floor = (a) => (a.n >= 0n ? a.n / a.d : -((a.d - 1n - a.n) / a.d));

/** Return the nearest whole number; a half becomes the nearest even one. */
export function round(a) {
  const below = floor(a);
  const side = compare(subtract(a, fraction(below)), fraction(1n, 2n));
  return below + (side > 0 || (side === 0 && below % 2n !== 0n) ? 1n : 0n);
}

/** Round fractions to whole numbers of a given sum: the largest remainders are rounded up. */
export function roundTo(quotas, sum) {
  const parts = quotas.map(floor);
  const lost = quotas.map((quota, i) => [subtract(fraction(parts[i]), quota), i]);
  const up = lost.sort((a, b) => compare(a[0], b[0]) || a[1] - b[1]);
  const missing = sum - parts.reduce((a, b) => a + b, 0n);
  if (missing < 0n || missing > BigInt(parts.length)) throw new Error("parts do not sum to their total");
  for (const [, i] of up.slice(0, Number(missing))) parts[i] += 1n;
  return parts;
}

/** Divide a whole number in proportion to weights, by largest remainders. */
export function apportion(sum, weights) {
  const whole = total(weights);
  return roundTo(weights.map((weight) => divide(multiply(fraction(sum), weight), whole)), sum);
}

/** Change values so that they sum to a total; each bears a part of the gap by its size. */
export function normalise(sum, values) {
  const missing = subtract(sum, total(values));
  const weight = total(values.map(size));
  if (missing.n === 0n) return values;
  if (weight.n === 0n) return values.map(() => divide(sum, fraction(BigInt(values.length))));
  return values.map((value) => add(value, divide(multiply(missing, size(value)), weight)));
}
