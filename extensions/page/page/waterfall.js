// The steps from each agent's rewards to its payoff: a waterfall per agent, and one table.

import { h, panel, s, table } from "./dom.js";
import { colour, exactly, gained, name } from "./words.js";

/** With more agents than this, only the table is shown. */
const DRAWN = 8;
const [WIDE, LABEL, FIGURES, HIGH] = [330, 100, 74, 19];

const SHORT = {
  own: "own rewards",
  pot: "part of the pot",
  pooled: "put together",
  baseline: "baseline",
  improvement: "improvement",
  part: "its part",
  payments: "payments",
  bargaining: "last bargaining",
  constraints: "constraints",
  breach: "breach",
};

/** Return the panel of the steps from reward to payoff; an agent's steps sum to its payoff. */
export function waterfall(bundle) {
  const steps = bundle.credit?.waterfall;
  if (!steps) return null;
  const { agents, outcome } = bundle;
  const { ended } = outcome.points;
  const rows = steps.map(({ words, amounts }, n) => [
    words,
    ...agents.map((agent) => (n ? gained : exactly)(amounts[agent])),
  ]);
  rows.push(["payoff", ...agents.map((agent) => h("strong", {}, exactly(ended[agent])))]);
  const shown = table("From reward to payoff", ["", ...agents.map((agent) => name(agents, agent))], rows);
  return panel(
    "waterfall",
    "From reward to payoff",
    "each column adds up exactly",
    agents.length <= DRAWN && h("div", { class: "falls" }, agents.map((agent) => fall(agent, steps, bundle))),
    shown,
  );
}

/** Return the running sum before and after each step. */
function levels(agent, steps) {
  let sum = 0;
  return steps.map(({ step, amounts }) => {
    const from = sum;
    sum += amounts[agent];
    return { label: SHORT[step], from, to: sum, amount: amounts[agent] };
  });
}

function fall(agent, steps, bundle) {
  const ended = bundle.outcome.points.ended[agent];
  const reach = bundle.agents.flatMap((one) => levels(one, steps).flatMap(({ from, to }) => [from, to]));
  const low = Math.min(0, ...reach);
  const high = Math.max(0, ...reach) || low + 1;
  const x = (value) => LABEL + 8 + ((value - low) / (high - low)) * (WIDE - LABEL - FIGURES - 12);
  const found = levels(agent, steps);
  const told = [...found.map((one) => `${one.label} ${exactly(one.amount)}`), `payoff ${exactly(ended)}`];
  const tall = HIGH * (found.length + 1) + 4;
  const picture = s(
    "svg",
    { viewBox: `0 0 ${WIDE} ${tall}`, role: "img", "aria-label": `${agent}: ${told.join(", ")}` },
    s("line", { class: "axis", x1: x(0), x2: x(0), y1: 0, y2: tall }),
    found.map((one, n) => bar(one, n, x, n === 0 ? "whole" : one.amount < 0 ? "less" : "more", (n ? gained : exactly)(one.amount))),
    bar({ label: "payoff", from: 0, to: ended }, found.length, x, "whole", exactly(ended)),
  );
  return h("figure", { class: colour(bundle.agents, agent) }, h("figcaption", {}, name(bundle.agents, agent)), picture);
}

function bar({ label, from, to }, n, x, kind, text) {
  const y = HIGH * n + 2;
  return [
    s("text", { class: "end step", x: LABEL, y: y + 12 }, label),
    s("rect", { class: `bar ${kind}`, x: Math.min(x(from), x(to)), y, width: Math.max(1, Math.abs(x(to) - x(from))), height: HIGH - 5 }),
    s("text", { class: "end step", x: WIDE, y: y + 12 }, text),
  ];
}
