// Drawings as SVG: the utility plane and the credit of each agent. Every point is also in words.

import { h, panel, s, table } from "./dom.js";
import { amount, colour, list, name, signed } from "./words.js";

const SIZE = 320;
const EDGE = 40;
const DEVIATIONS = 1.96;

const POINTS = {
  alone: ["□", "alone: what each can secure by itself"],
  earned: ["○", "earned: before the settlement"],
  ended: ["●", "ended: after the settlement"],
  shapley: ["✕", "due by the Shapley values of the record"],
};

/** Payoff matrix and utility plane: what could have come out, and what did. */
export function payoffs(bundle) {
  const two = bundle.agents.length === 2;
  const drawn = [
    bundle.matrix && (two ? matrix(bundle) : cells(bundle)),
    two && (bundle.matrix || bundle.outcome) && plane(bundle),
  ].filter(Boolean);
  if (drawn.length === 0) return null;
  return panel("payoffs", "What could come out", null, h("div", { class: "pair" }, ...drawn));
}

// The matrix

function matrix(bundle) {
  const [row, column] = bundle.agents;
  const { actions, cells: all } = bundle.matrix;
  const find = (mine, yours) => all.find((one) => one.play[row] === mine && one.play[column] === yours);
  const shown = table(
    `Payoffs of ${row} and ${column}`,
    [h("span", { class: "small" }, `${row} ↓  ${column} →`), ...actions[column]],
    actions[row].map((mine) => [mine, ...actions[column].map((yours) => cell(find(mine, yours), bundle))]),
  );
  return h("div", { class: "matrix" }, shown, h("p", { class: "small" }, "boxed: played; ★ best together; ◆ Pareto efficient"));
}

function cell(one, bundle) {
  const pays = bundle.agents.map((agent, n) => [
    n > 0 ? ", " : "",
    h("span", { class: colour(bundle.agents, agent) }, amount(one.pays[agent])),
  ]);
  const sign = one.best ? " ★" : one.pareto ? " ◆" : "";
  const times = one.times > 1 ? h("span", { class: "small" }, ` ×${one.times}`) : null;
  return h("span", { class: one.times ? "pays played" : "pays" }, pays, sign, times);
}

function cells(bundle) {
  const rows = bundle.matrix.cells
    .filter((one) => one.times || one.best)
    .map((one) => [
      bundle.agents.map((agent) => one.play[agent]).join(", "),
      ...bundle.agents.map((agent) => amount(one.pays[agent])),
      one.times ? `played ×${one.times}` : "best together",
    ]);
  return table("Joint actions played, and the best", [list(bundle.agents), ...bundle.agents, ""], rows);
}

// The plane

function plane(bundle) {
  const [across, up] = bundle.agents;
  const turns = Math.max(1, bundle.timeline.filter((event) => event.kind === "played").length);
  const corners = (bundle.matrix?.cells ?? []).map((one) => ({
    x: one.pays[across] * turns,
    y: one.pays[up] * turns,
    told: `${one.play[across]}, ${one.play[up]}`,
    class: one.pareto ? "corner pareto" : "corner",
  }));
  const points = Object.entries(bundle.outcome?.points ?? {}).map(([kind, at]) => ({
    x: at[across],
    y: at[up],
    told: POINTS[kind][1],
    kind,
  }));
  const scale = scaled([...corners, ...points]);
  const total = bundle.outcome?.total;
  const picture = s(
    "svg",
    { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": `Utility plane of ${across} and ${up}` },
    axes(scale, across, up, bundle),
    total != null && line(scale, total),
    hull(corners, scale),
    corners.map((one) => dot(one, scale)),
    points.map((one) => symbol(one, scale)),
  );
  const key = Object.entries(bundle.outcome?.points ?? {}).map(([kind, at]) =>
    h("li", {}, `${POINTS[kind][0]} ${POINTS[kind][1]}: ${amount(at[across])}, ${amount(at[up])}`),
  );
  return h("figure", {}, picture, h("figcaption", {}, h("ul", { class: "key" }, key)));
}

/** From amounts to the picture, the same on both axes, with a tenth of room around. */
function scaled(points) {
  const all = [0, ...points.flatMap(({ x, y }) => [x, y])];
  const spread = Math.max(...all) - Math.min(...all) || 1;
  const low = Math.min(...all) - spread / 10;
  const high = Math.max(...all) + spread / 10;
  const unit = (SIZE - 2 * EDGE) / (high - low);
  return {
    low,
    high,
    x: (value) => EDGE + (value - low) * unit,
    y: (value) => SIZE - EDGE - (value - low) * unit,
  };
}

function axes(scale, across, up, bundle) {
  const end = SIZE - EDGE;
  return [
    s("path", { class: "axis", d: `M${EDGE} ${scale.y(0)}H${end}M${scale.x(0)} ${end}V${EDGE}` }),
    ticks(scale).map((value) => [
      s("text", { x: scale.x(value), y: end + 14, class: "tick middle" }, amount(value)),
      s("text", { x: EDGE - 6, y: scale.y(value) + 3, class: "tick end" }, amount(value)),
    ]),
    s("text", { x: end, y: SIZE - 8, class: `end ${colour(bundle.agents, across)}` }, `${across} →`),
    s("text", { x: 4, y: 16, class: colour(bundle.agents, up) }, `↑ ${up}`),
  ];
}

/** About five round numbers. */
function ticks({ low, high }) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((one) => one * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  return Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step);
}

/** Where the realised total can be split: x + y = total. */
function line(scale, total) {
  const from = Math.max(scale.low, total - scale.high);
  const to = Math.min(scale.high, total - scale.low);
  if (from >= to) return null;
  const ends = { x1: scale.x(from), y1: scale.y(total - from), x2: scale.x(to), y2: scale.y(total - to) };
  return s("line", { class: "total", ...ends }, s("title", {}, `splits of the total ${amount(total)}`));
}

/** The convex hull of what joint actions pay (Andrew's monotone chain). */
function hull(points, scale) {
  const sorted = [...points].sort((one, other) => one.x - other.x || one.y - other.y);
  const half = (all) => {
    const kept = [];
    for (const point of all) {
      while (kept.length > 1 && turns(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  const around = [...half(sorted), ...half([...sorted].reverse())];
  if (around.length < 3) return null;
  return s("polygon", { class: "hull", points: around.map(({ x, y }) => `${scale.x(x)},${scale.y(y)}`).join(" ") });
}

function turns(a, b, c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

function dot(one, scale) {
  return s("circle", { class: one.class, cx: scale.x(one.x), cy: scale.y(one.y), r: 4 }, s("title", {}, one.told));
}

function symbol({ kind, x, y, told }, scale) {
  const [cx, cy] = [scale.x(x), scale.y(y)];
  const told_ = s("title", {}, `${told}: ${amount(x)}, ${amount(y)}`);
  switch (kind) {
    case "alone":
      return s("rect", { class: "point alone", x: cx - 6, y: cy - 6, width: 12, height: 12 }, told_);
    case "shapley":
      return s("path", { class: "point shapley", d: `M${cx - 7} ${cy - 7}l14 14m0 -14l-14 14` }, told_);
    default:
      return s("circle", { class: `point ${kind}`, cx, cy, r: kind === "ended" ? 5 : 8 }, told_);
  }
}

// Credit

const ROW = 34;
const NARROW = matchMedia("(max-width: 600px)");

/** An agent a row: reward, payoff, and Shapley value with its error bar. */
export function credits(bundle) {
  const { rows } = bundle.credit;
  const [wide, label] = NARROW.matches ? [340, 70] : [520, 110];
  const reach = rows.flatMap(({ reward, payoff, due, error }) => [
    reward,
    payoff,
    due - DEVIATIONS * (error ?? 0),
    due + DEVIATIONS * (error ?? 0),
  ]);
  const low = Math.min(0, ...reach);
  const high = Math.max(0, ...reach);
  const unit = (wide - label - 24) / (high - low || 1);
  const x = (value) => label + 14 + (value - low) * unit;
  const tall = ROW * rows.length + 20;
  const picture = s(
    "svg",
    { viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": "Reward, payoff and what is due" },
    s("line", { class: "axis", x1: x(0), x2: x(0), y1: 4, y2: tall - 14 }),
    s("text", { class: "tick middle", x: x(0), y: tall - 2 }, "0"),
    rows.map((row, n) => strip(row, x, ROW * n + ROW / 2 + 2, label, bundle)),
  );
  const shown = table(
    "Reward, payoff and what is due",
    ["", "○ earned", "● ended", "✕ due", "± 95 %", "gap", "φ"],
    rows.map((row) => [
      name(bundle.agents, row.agent),
      amount(row.reward),
      amount(row.payoff),
      amount(row.due),
      row.error == null ? "exact" : amount(DEVIATIONS * row.error),
      signed(row.gap),
      amount(row.shapley),
    ]),
  );
  return h("figure", {}, picture, shown);
}

function strip(row, x, y, label, bundle) {
  const error = DEVIATIONS * (row.error ?? 0);
  const cx = x(row.due);
  return s(
    "g",
    { class: colour(bundle.agents, row.agent) },
    s("text", { x: label, y: y + 4, class: "end" }, s("title", {}, row.agent), short(row.agent)),
    s("line", { class: "moved", x1: x(row.reward), x2: x(row.payoff), y1: y, y2: y }),
    s("circle", { class: "point earned", cx: x(row.reward), cy: y, r: 7 }),
    s("circle", { class: "point ended", cx: x(row.payoff), cy: y, r: 5 }),
    error > 0 &&
      s("path", {
        class: "error",
        d: `M${x(row.due - error)} ${y}H${x(row.due + error)}m0 -5v10M${x(row.due - error)} ${y - 5}v10`,
      }),
    s("path", { class: "point shapley", d: `M${cx - 6} ${y - 6}l12 12m0 -12l-12 12` }),
  );
}

function short(text) {
  return text.length > 12 ? `${text.slice(0, 11)}…` : text;
}
