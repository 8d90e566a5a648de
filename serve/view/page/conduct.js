// What each agent did, beside what it claims, what it is due and what it ended with.

import { h, panel, table } from "./dom.js";
import { amount, name, percent } from "./words.js";

const HEADS = [
  "",
  "did",
  "breaches",
  "passes",
  "claims",
  "marginal",
  "leave-one-out",
  "Shapley φ",
  "due",
  "payoff",
];

/** One row an agent: conduct, claim, contributions, value, payoff. */
export function conduct(bundle) {
  const it = bundle.credit;
  if (!it) return null;
  const rows = it.rows.map((row) => [
    name(bundle.agents, row.agent),
    row.conduct.did,
    breaches(row.conduct),
    amount(row.conduct.passes),
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

function breaches({ breaches: count, broken }) {
  if (!count) return "0";
  return h("span", { class: "refused" }, `${amount(count)} `, h("span", { class: "small" }, broken));
}

/** The value with its standard error, and the passes for which no answer could be used. */
function valued({ shapley, value_error: error, conduct: { unanswered } }) {
  const shown = error == null ? amount(shapley) : `${amount(shapley)} ± ${amount(error)}`;
  return unanswered ? h("span", {}, shown, h("span", { class: "small refused" }, `${unanswered}: their cost is charged to it`)) : shown;
}

function comparison({ baseline, rule }) {
  if (baseline) return `Compared with the baseline: ${baseline.words}.`;
  return `The rule of credit is ${rule}: it compares with no baseline.`;
}

function explained({ baseline, method }) {
  const whole = baseline ? "improvement" : "total";
  const due = baseline ? " Due: W_i(∅) + φ." : "";
  const error = method.startsWith("exact") ? "" : ", ± a standard error";
  return `Claims: parts of the ${whole}, stated before any value was shown. Marginal: v(N) − v(N∖i). Leave-one-out: the same, brought to the ${whole}. φ: ${method}${error}.${due}`;
}
