// Draws possible and actual outcomes: the payoff matrix and two agents' utility plane.

import { SIGNS_OF, ticks } from "./axis.js";
import { h, panel, s, table } from "./dom.js";
import { amount, colour, name } from "./words.js";

const SIDE = 300;
const LEFT = 44;
const RIGHT = LEFT + SIDE;
const TOP = 26;
const BOTTOM = TOP + SIDE;
/** Points closer than this distance share a label. */
const TOGETHER = 18;
const LINE = 14;

const MEANINGS = {
  baseline: "if nobody takes part",
  alone: "what each can secure by itself",
  earned: "before the settlement",
  ended: "after the settlement",
  shapley: "due by the Shapley values",
};
const LABELS = { baseline: "baseline", alone: "alone", earned: "earned", ended: "ended", shapley: "due" };

/** Return the panel with the payoff matrix and the utility plane. */
export function payoffs(bundle) {
  const two = bundle.agents.length === 2;
  const drawn = [
    bundle.matrix && (two ? matrix(bundle) : cells(bundle)),
    two && (bundle.matrix || bundle.outcome) && plane(bundle),
  ].filter(Boolean);
  if (drawn.length === 0) return null;
  return panel("payoffs", "Possible outcomes", null, h("div", { class: "pair" }, ...drawn));
}

// The matrix

function matrix(bundle) {
  const [row, column] = bundle.agents;
  const { actions, cells: all } = bundle.matrix;
  const find = (mine, yours) => all.find((one) => one.play[row] === mine && one.play[column] === yours);
  const shown = table(
    `Payoffs of ${row} and ${column} in a turn`,
    [h("span", {}, name(bundle.agents, row), " ↓ ", name(bundle.agents, column), " →"), ...actions[column]],
    actions[row].map((mine) => [mine, ...actions[column].map((yours) => cell(find(mine, yours), bundle))]),
  );
  return h("div", { class: "matrix" }, shown, h("p", { class: "small" }, "In a turn. Boxed: played. ★ best together. ◆ Pareto efficient: nobody can have more unless another has less."));
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
      amount(Object.values(one.pays).reduce((sum, pay) => sum + pay, 0)) + (one.best ? " ★" : ""),
      one.times ? `×${one.times}` : "–",
    ]);
  const heads = ["in a turn", ...bundle.agents.map((agent) => name(bundle.agents, agent)), "together", "played"];
  const told = `Of ${bundle.matrix.cells.length} joint actions, those played and those that are best together (★).`;
  return h("div", {}, table("Joint actions played, and the best", heads, rows), h("p", { class: "small" }, told));
}

// The plane

function plane(bundle) {
  const [across, up] = bundle.agents;
  const played = Math.max(1, bundle.timeline.filter((event) => event.kind === "played").length);
  const corners = (bundle.matrix?.cells ?? []).map((one) => ({
    x: one.pays[across] * played,
    y: one.pays[up] * played,
    told: `${one.play[across]}, ${one.play[up]}`,
    class: one.pareto ? "corner pareto" : "corner",
  }));
  const kinds = Object.entries(bundle.outcome?.points ?? {});
  const points = kinds.map(([kind, at]) => ({ kind, x: at[across], y: at[up] }));
  const scale = scaled([...corners, ...points]);
  const total = bundle.outcome?.total;
  const picture = s(
    "svg",
    { viewBox: `0 0 ${RIGHT + 8} ${BOTTOM + 40}`, role: "img", "aria-label": `Utility plane of ${across} and ${up}` },
    axes(scale, across, up, bundle),
    hull(corners, scale),
    total != null && splits(scale, total),
    corners.map((one) => dot(one, scale)),
    points.map((one) => symbol(one, scale)),
    labels(points, scale),
  );
  const key = kinds.map(([kind, at]) =>
    h("li", {}, h("span", {}, `${SIGNS_OF[kind]} ${LABELS[kind]}`), h("span", {}, MEANINGS[kind]), h("span", { class: "figures" }, `${amount(at[across])}, ${amount(at[up])}`)),
  );
  return h("figure", {}, picture, h("figcaption", {}, h("ul", { class: "key" }, key)));
}

/** Return the scale from amounts to coordinates, equal on both axes, with a margin. */
function scaled(points) {
  const all = [0, ...points.flatMap(({ x, y }) => [x, y])];
  const spread = Math.max(...all) - Math.min(...all) || 1;
  const low = Math.min(...all) - spread / 10;
  const high = Math.max(...all) + spread / 10;
  const along = (value) => ((value - low) / (high - low)) * SIDE;
  return { low, high, x: (value) => LEFT + along(value), y: (value) => BOTTOM - along(value) };
}

function axes({ low, high, x, y }, across, up, bundle) {
  return [
    ticks(low, high).map((value) => [
      s("path", { class: value === 0 ? "axis" : "grid", d: `M${x(value)} ${TOP}V${BOTTOM}M${LEFT} ${y(value)}H${RIGHT}` }),
      s("text", { x: x(value), y: BOTTOM + 15, class: "tick middle" }, amount(value)),
      s("text", { x: LEFT - 7, y: y(value) + 4, class: "tick end" }, amount(value)),
    ]),
    s("text", { x: RIGHT, y: BOTTOM + 34, class: `end ${colour(bundle.agents, across)}` }, `${across} →`),
    s("text", { x: 4, y: 16, class: colour(bundle.agents, up) }, `↑ ${up}`),
  ];
}

/** Return the line of all splits of the realised total: x + y = total. */
function splits({ low, high, x, y }, total) {
  const from = Math.max(low, total - high);
  const to = Math.min(high, total - low);
  if (from >= to) return null;
  const ends = { x1: x(from), y1: y(total - from), x2: x(to), y2: y(total - to) };
  return s("line", { class: "total", ...ends }, s("title", {}, `splits of the total ${amount(total)}`));
}

/** Return the convex hull of the joint actions' payoffs (Andrew's monotone chain). */
function hull(points, { x, y }) {
  const sorted = [...points].sort((one, other) => one.x - other.x || one.y - other.y);
  const half = (all) => {
    const kept = [];
    for (const point of all) {
      while (kept.length > 1 && turning(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  const around = [...half(sorted), ...half([...sorted].reverse())];
  if (around.length < 3) return null;
  return s("polygon", { class: "hull", points: around.map((one) => `${x(one.x)},${y(one.y)}`).join(" ") });
}

function turning(a, b, c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

function dot(one, { x, y }) {
  return s("circle", { class: one.class, cx: x(one.x), cy: y(one.y), r: 4 }, s("title", {}, one.told));
}

function symbol(point, { x, y }) {
  const [cx, cy] = [x(point.x), y(point.y)];
  const meaning = s("title", {}, `${MEANINGS[point.kind]}: ${amount(point.x)}, ${amount(point.y)}`);
  switch (point.kind) {
    case "baseline":
    case "alone":
      return s("rect", { class: `point ${point.kind}`, x: cx - 6, y: cy - 6, width: 12, height: 12 }, meaning);
    case "shapley":
      return s("path", { class: "point shapley", d: `M${cx - 7} ${cy - 7}l14 14m0 -14l-14 14` }, meaning);
    default:
      return s("circle", { class: `point ${point.kind}`, cx, cy, r: point.kind === "ended" ? 5 : 8 }, meaning);
  }
}

/** Return labels that do not overlap; points close together share one label. */
function labels(points, { x, y }) {
  const places = [];
  for (const { kind, ...point } of points) {
    const [cx, cy] = [x(point.x), y(point.y)];
    const near = places.find((one) => Math.hypot(one.cx - cx, one.cy - cy) < TOGETHER);
    if (near) near.kinds.push(LABELS[kind]);
    else places.push({ cx, cy, kinds: [LABELS[kind]] });
  }
  places.sort((one, other) => one.cy - other.cy);
  let above = -Infinity;
  return places.map(({ cx, cy, kinds }) => {
    above = Math.max(cy - 10, above + LINE);
    const left = cx > LEFT + SIDE * 0.6;
    return s("text", { class: `label ${left ? "end" : ""}`, x: left ? cx - 11 : cx + 11, y: above }, kinds.join(" · "));
  });
}
