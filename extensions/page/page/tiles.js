// The main numbers of a run: payoffs, total reward, kept duties, cost.

import { h } from "./dom.js";
import { amount, colour, plural } from "./words.js";

/** The most agents for which each agent has a tile. */
const MOST = 8;

export function tiles(bundle) {
  const agents = bundle.agents.length > MOST ? [] : bundle.agents.map((agent) => player(agent, bundle));
  return [...agents, together(bundle), kept(bundle), spent(bundle)].filter(Boolean);
}

function player(agent, bundle) {
  const points = bundle.outcome?.points;
  return h(
    "li",
    { class: `tile ${colour(bundle.agents, agent)}` },
    h("h2", {}, agent),
    h("p", { class: "big" }, amount(points ? points.ended[agent] : soFar(bundle, agent))),
    !points && h("p", { class: "small" }, "so far"),
    h("p", { class: "small seat-of" }, bundle.seats?.[agent]),
  );
}

function soFar(bundle, agent) {
  return played(bundle).reduce((sum, turn) => sum + (turn.rewards[agent] ?? 0), 0);
}

function together({ outcome, matrix, game }) {
  if (!outcome) return null;
  const moved = outcome.transfers.reduce((sum, one) => sum + one.amount, 0);
  const totals = (matrix?.cells ?? []).map(({ pays }) => Object.values(pays).reduce((sum, one) => sum + one, 0));
  const best = matrix && `of ${amount(Math.max(...totals) * game.turns)} at best`;
  return figure("Together", amount(outcome.total), best, `${amount(moved)} changed hands`);
}

function kept(bundle) {
  if (!bundle.contract) return bundle.outcome && figure("Contract", "none", "nothing was signed");
  const marks = bundle.contract.clauses.flatMap((clause) => clause.turns.map((turn) => turn.is));
  const count = (mark) => marks.filter((one) => one === mark).length;
  const [honoured, broken] = [count("kept"), count("broken")];
  if (honoured + broken === 0) return figure("Duties", "–", "nothing was asked yet");
  const told = broken ? h("span", { class: "refused" }, plural(broken, "breach", "breaches")) : "contract kept";
  return figure("Duties kept", `${honoured} of ${honoured + broken}`, told);
}

function spent(bundle) {
  const { calls, input_tokens: input, output_tokens: output } = bundle.cost ?? {};
  return calls ? figure("Cost", amount(input + output), "tokens", plural(calls, "call")) : null;
}

function figure(heading, big, ...small) {
  const lines = small.filter(Boolean).map((text) => h("p", { class: "small" }, text));
  return h("li", { class: "tile" }, h("h2", {}, heading), h("p", { class: "big" }, big), ...lines);
}

function played(bundle) {
  return bundle.timeline.filter((event) => event.kind === "played");
}
