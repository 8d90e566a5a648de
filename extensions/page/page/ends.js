// The plain sum of a run: what each did, earned, received or paid, and ends with, and what decided.

import { folded, h, panel, table } from "./dom.js";
import { MEANS, amount, name, plural, signed } from "./words.js";

const HEADS = ["", "did", "earned", "received (+) or paid (−)", "ends with"];
const BY = { contract: "by the contract", redistribution: "by the split that all accepted", norm: "by the run’s rule" };
/** More payments than this are folded. */
const MANY_PAID = 8;

/** Return the panel of the plain sum, with a row per agent. */
export function ends({ agents, credit, game, outcome }) {
  if (!credit) return null;
  const rows = credit.rows.map(({ agent, conduct, reward, payoff }) => [
    name(agents, agent),
    done(conduct),
    amount(reward),
    signed(payoff - reward),
    h("strong", {}, amount(payoff)),
  ]);
  const paid = outcome.transfers.map((one) => h("li", {}, name(agents, one.payer), " pays ", name(agents, one.payee), ` ${amount(one.amount)} ${BY[one.reason] ?? `(${one.reason})`}`));
  const payments = paid.length > 0 && h("ul", {}, paid);
  return panel(
    "ends",
    "Who ends with what, and why",
    `in ${game.unit || "points"}`,
    table("Who ends with what", HEADS, rows),
    paid.length > MANY_PAID ? folded(plural(paid.length, "payment"), payments) : payments,
    outcome.how && h("p", {}, outcome.how, outcome.how.includes("Shapley") && ` An agent’s Shapley value is ${MEANS["Shapley value φ"]}.`),
  );
}

/** Return an agent's actions and, below them, its breaches and passes. */
function done({ did, breaches, broken, passes, unanswered }) {
  const chosen = passes && !unanswered;
  return [
    did,
    breaches > 0 && h("span", { class: "small refused" }, `${plural(breaches, "breach", "breaches")}: ${broken}`),
    unanswered && h("span", { class: "small refused" }, `${unanswered}: what that cost is charged to its value`),
    chosen && h("span", { class: "small" }, plural(passes, "pass", "passes")),
  ].filter(Boolean);
}
