// The chart of credit: each agent's reward, payoff and Shapley value, with sampling errors.

import { SIGNS_OF, ticks } from "./axis.js";
import { h, s, table } from "./dom.js";
import { ROUNDING, amount, colour, cut, name, signed } from "./words.js";

const DEVIATIONS = 1.96;
const [ROW, CLOSE] = [34, 22];
/** With more agents than this, the rows are closer together. */
const MANY = 12;
const NARROW = matchMedia("(max-width: 600px)");

/** Return a chart with a row per agent: reward, payoff, and Shapley value with its error bar. */
export function credits(bundle) {
  const { rows } = bundle.credit;
  const [wide, label] = NARROW.matches ? [340, 76] : [660, 112];
  const reach = rows.flatMap(({ reward, payoff, due, error }) => [
    reward,
    payoff,
    due - DEVIATIONS * (error ?? 0),
    due + DEVIATIONS * (error ?? 0),
  ]);
  const low = Math.min(0, ...reach);
  const high = Math.max(0, ...reach) || low + 1;
  const unit = (wide - label - 32) / (high - low);
  const x = (value) => label + 16 + (value - low) * unit;
  const row = rows.length > MANY ? CLOSE : ROW;
  const tall = row * rows.length + 22;
  const picture = s(
    "svg",
    { class: "wide", viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": "What each earned, ended with and is due" },
    ticks(low, high).map((value) => [
      s("line", { class: value === 0 ? "axis" : "grid", x1: x(value), x2: x(value), y1: 2, y2: tall - 18 }),
      s("text", { class: "tick middle", x: x(value), y: tall - 4 }, amount(value)),
    ]),
    rows.map((one, n) => strip(one, x, row * n + row / 2, label, bundle)),
  );
  const { earned, ended, shapley } = SIGNS_OF;
  const sampled = rows.some(({ error }) => error != null);
  const shown = table(
    "What is due, and what each adds",
    ["", "due", ...(sampled ? ["± 95 %"] : []), "ended, less due", "Shapley φ", "marginal", "leave-one-out"],
    rows.map((one) => [
      name(bundle.agents, one.agent),
      amount(one.due),
      ...(sampled ? [one.error == null ? "exact" : amount(DEVIATIONS * one.error)] : []),
      h("span", { class: one.gap < -ROUNDING ? "refused" : "" }, signed(one.gap)),
      amount(one.shapley),
      amount(one.marginal),
      amount(one.leave_one_out),
    ]),
  );
  return h("figure", {}, picture, h("figcaption", { class: "small" }, `${earned} earned, ${ended} ended with, ${shapley} due`), shown);
}

function strip(row, x, y, label, bundle) {
  const error = DEVIATIONS * (row.error ?? 0);
  const cx = x(row.due);
  const ends = { x1: x(row.reward), x2: x(row.payoff) };
  return s(
    "g",
    { class: colour(bundle.agents, row.agent) },
    s("text", { x: label, y: y + 4, class: "end" }, s("title", {}, row.agent), cut(row.agent, 12)),
    s("line", { class: "moved", ...ends, y1: y, y2: y }),
    s("circle", { class: "point earned", cx: ends.x1, cy: y, r: 7 }),
    s("circle", { class: "point ended", cx: ends.x2, cy: y, r: 5 }),
    error > 0 &&
      s("path", {
        class: "error",
        d: `M${x(row.due - error)} ${y}H${x(row.due + error)}m0 -5v10M${x(row.due - error)} ${y - 5}v10`,
      }),
    s("path", { class: "point shapley", d: `M${cx - 6} ${y - 6}l12 12m0 -12l-12 12` }),
  );
}
