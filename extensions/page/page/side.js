// Shows two runs side by side, with a row each for outcome, contract, payoffs and so on.

import { h, table } from "./dom.js";
import { load } from "./source.js";
import { amount, name, percent, plural, signed, status, title } from "./words.js";

/** Draw two runs side by side. */
export async function side(app, names) {
  if (names.length !== 2) throw new Error("Two runs can be shown side by side: choose two in the list.");
  const [one, other] = await Promise.all(names.map((run) => load(run, false)));
  const both = [one, other];
  document.title = "Side by side";
  const agents = [...new Set(both.flatMap((run) => run.agents))];
  app.replaceChildren(
    h("header", { class: "head" }, h("p", { class: "kicker" }, h("a", { href: "?" }, "All runs")), h("h1", {}, "Side by side")),
    h(
      "main",
      { class: "sides" },
      h("div", { class: "two" }, both.map(headOf)),
      part("How the two were set up", settings(both)),
      part("Contract", h("div", { class: "two" }, both.map(termsOf))),
      part("Payoffs and values", paidIn(both, agents)),
      part("Conduct", conductOf(both, agents)),
    ),
  );
}

function part(heading, ...children) {
  return h("section", { class: "panel", "aria-label": heading }, h("header", {}, h("h2", {}, heading)), ...children);
}

function labelled(run, n) {
  return `${n === 0 ? "A" : "B"} · ${title(run.game?.name ?? run.run)}`;
}

function headOf(run, n) {
  return h(
    "section",
    { class: "panel", "aria-label": labelled(run, n) },
    h("header", {}, h("h2", {}, h("a", { href: `?run=${encodeURIComponent(run.run)}` }, labelled(run, n))), h("span", { class: `chip ${run.outcome ? run.status : run.state}` }, status(run))),
    h("p", { class: "small" }, run.run),
    h("p", { class: "told" }, run.story.map((one) => one.text).join("")),
  );
}

/** Return the rows of the two runs' settings, where differences are marked. */
function settings(both) {
  const everybody = [...new Set(both.flatMap((run) => run.agents))];
  const [one, other] = both.map((run) => ({
    game: title(run.game?.name ?? "–"),
    workflow: run.graph,
    seed: run.seed ?? "–",
    ...Object.fromEntries(everybody.map((agent) => [`${agent}’s seat`, run.seats?.[agent] ?? "–"])),
    turns: run.game?.turns ?? "–",
    "calls of models": run.cost?.calls ?? "–",
    tokens: run.cost ? run.cost.input_tokens + run.cost.output_tokens : "–",
  }));
  const told = (value) => (typeof value === "number" ? amount(value) : (value ?? "–"));
  const rows = Object.keys(one).map((key) => {
    const same = told(one[key]) === told(other[key]);
    const shown = (value) => (same ? told(value) : h("strong", {}, told(value)));
    return [key, shown(one[key]), shown(other[key]), same ? "" : "differs"];
  });
  return table("How the two were set up", ["", "A", "B", ""], rows);
}

function termsOf(run, n) {
  const clauses = (run.contract?.clauses ?? []).filter((one) => one.to_turn == null);
  const stands = (one) => one.turns.findLast((turn) => turn.verdict)?.verdict ?? one.at_signing;
  const rows = clauses.map((one) => h("li", {}, h("p", {}, one.text.replace(/^c\d+\. /, "")), h("span", { class: `verdict ${stands(one)}` }, stands(one))));
  return h("div", {}, h("h3", {}, n === 0 ? "A" : "B"), rows.length ? h("ol", { class: "terms" }, rows) : h("p", { class: "empty" }, "Nothing is signed."));
}

function rowOf(run, agent) {
  return run.credit?.rows.find((row) => row.agent === agent);
}

function paidIn([one, other], agents) {
  const rows = agents.map((agent) => {
    const [a, b] = [rowOf(one, agent), rowOf(other, agent)];
    const change = a && b ? signed(b.payoff - a.payoff) : "–";
    return [name(agents, agent), amount(a?.reward), amount(b?.reward), amount(a?.shapley), amount(b?.shapley), amount(a?.payoff), amount(b?.payoff), h("strong", {}, change)];
  });
  const [x, y] = [one, other].map((run) => run.outcome?.total);
  const whole = x != null && y != null ? signed(y - x) : "–";
  rows.push(["together", amount(x), amount(y), "", "", amount(x), amount(y), h("strong", {}, whole)]);
  return table("Payoffs and values", ["", "earned, A", "B", "Shapley φ, A", "B", "payoff, A", "B", "B less A"], rows);
}

function conductOf(both, agents) {
  const told = (row) => {
    if (!row) return "–";
    const { did, breaches, broken, unanswered } = row.conduct;
    return [did || "nothing", breaches > 0 && h("span", { class: "small refused" }, `${plural(breaches, "breach", "breaches")}: ${broken}`), unanswered && h("span", { class: "small refused" }, unanswered)].filter(Boolean);
  };
  const rows = agents.map((agent) => {
    const [a, b] = both.map((run) => rowOf(run, agent));
    return [name(agents, agent), told(a), told(b), percent(a?.claim?.claimed), percent(b?.claim?.claimed)];
  });
  return h("div", { class: "did" }, table("What each did", ["", "did, A", "did, B", "claims, A", "B"], rows));
}
