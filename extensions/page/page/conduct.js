// The table of conduct: each agent's actions, claim, amount due and payoff.

import { h, panel, table } from "./dom.js";
import { amount, name, percent, plural } from "./words.js";

const HEADS = ["", "did", "claims", "marginal", "leave-one-out", "Shapley φ", "due", "payoff"];

/** Return a table with a row per agent: conduct, claim, contributions, value, payoff. */
export function conduct(bundle) {
  const it = bundle.credit;
  if (!it) return null;
  const rows = it.rows.map((row) => [
    name(bundle.agents, row.agent),
    done(row.conduct),
    percent(row.claim?.claimed),
    amount(row.marginal),
    amount(row.leave_one_out),
    valued(row),
    amount(row.due),
    h("strong", {}, amount(row.payoff)),
  ]);
  return panel(
    "conduct",
    "What each did, and what each is due",
    null,
    h("p", { class: "finding" }, comparison(it)),
    it.baseline?.warning && h("p", { class: "finding refused" }, it.baseline.warning),
    table("What each did, and what each is due", HEADS, rows),
    h("p", { class: "small" }, explained(it)),
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

/** Return the Shapley value, with its standard error if the value was sampled. */
function valued({ shapley, value_error: error }) {
  if (error == null) return amount(shapley);
  return [amount(shapley), h("span", { class: "small" }, `± ${amount(error)}`)];
}

function comparison({ baseline, rule }) {
  if (baseline) return `Compared with the baseline: ${baseline.words}.`;
  return `The rule of credit is ${rule}: it compares with no baseline.`;
}

function explained({ baseline, method }) {
  const whole = baseline ? "improvement" : "total";
  const due = baseline ? " Due: W_i(∅) + φ." : "";
  const error = method.startsWith("exact") ? "" : ", ± a standard error";
  return `Claims: parts of the ${whole}. Marginal: v(N) − v(N∖i). Leave-one-out: the same, brought to the ${whole}. φ: ${method}${error}.${due}`;
}
