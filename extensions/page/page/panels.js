// The panels of the outcome: credit, ledger, cost, and the rules of the game.

import { credits } from "./charts.js";
import { folded, h, panel, table } from "./dom.js";
import { MEANS, ROUNDING, amount, crowd, lasted, list, name, percent, plural } from "./words.js";

/** Return the heading of all that explains the numbers, with its words in plain words. */
export function computed({ credit: it, episode }) {
  if (!it) return null;
  const baseline = it.baseline ? { Baseline: `what is assumed of an agent that takes no part: ${it.baseline.words}` } : {};
  const unsaid = [!it.norms && "Nucleolus", !it.complaint && "Core"];
  const means = Object.entries({ ...baseline, ...MEANS }).filter(([word]) => !unsaid.includes(word));
  return panel(
    "computed",
    "How this was computed",
    null,
    h("p", { class: "finding" }, "The panels below give every step. Their words:"),
    h("dl", { class: "meant" }, means.map(([word, text]) => h("div", {}, h("dt", {}, word), h("dd", {}, text)))),
    it.baseline?.warning && h("p", { class: "refused" }, it.baseline.warning),
    h("p", { class: "small" }, "Every number on this page follows from the record of episode ", h("code", {}, episode), "."),
  );
}

/** Return the panel of Shapley values, claims, and norms, and the least satisfied agents. */
export function credit(bundle) {
  const it = bundle.credit;
  if (!it) return null;
  const claims = it.rows.filter((row) => row.claim);
  return panel(
    "credit",
    "What is due by the Shapley values",
    null,
    it.no_value ? null : worths(it),
    h("p", { class: "finding" }, it.no_value ? `Shapley gain: ${it.no_value}.` : least(it)),
    it.no_value ? null : credits(bundle),
    claims.length > 0 && h("h3", {}, "Claims beside the record"),
    claims.length > 0 &&
      table(
        "Claims beside the record",
        ["", "claims", "record", "agreed", "over-claim"],
        claims.map(({ agent, claim }) => [
          name(bundle.agents, agent),
          percent(claim.claimed),
          percent(claim.recorded),
          percent(claim.agreed),
          claim.over_claim > 0 ? `+${percent(claim.over_claim)}` : percent(claim.over_claim),
        ]),
      ),
    it.norms && h("h3", {}, "Compared with other norms"),
    it.norms && norms(it, bundle),
    it.not_compared && h("p", { class: "small" }, `Not compared: ${it.not_compared.join("; ")}.`),
    it.complaint && h("p", { class: "small" }, complaint(it.complaint)),
  );
}

/** Return a sentence on the sum of the values, v(N) − v(∅), and on the rule that gives it. */
function worths({ method, total, nothing, baseline, rule }) {
  const less = nothing < 0 ? `(${amount(nothing)})` : amount(nothing);
  const sum = nothing ? `v(N) − v(∅) = ${amount(total)} − ${less} = ${amount(total - nothing)}` : `v(N) = ${amount(total)}`;
  const added = baseline ? `What all added to the baseline, W(N) − W(∅) = ${amount(total)},` : `${sum}, by the rule of credit “${rule}”,`;
  return h("p", { class: "small" }, `${added} is divided by Shapley values (${method}).`);
}

function norms(it, bundle) {
  return table(
    "What each agent is due by each norm",
    ["", ...bundle.agents.map((agent) => name(bundle.agents, agent)), "farthest from it"],
    it.norms.map(({ norm, due, gap }) => [
      norm,
      ...due.map(amount),
      gap ? amount(gap) : h("span", { class: "valid" }, "✓ as paid"),
    ]),
  );
}

/** Return a sentence on the least satisfied agents. */
function least({ least: who, rows }) {
  if (rows.every((row) => Math.abs(row.gap) < ROUNDING)) return "Each agent ended with what is due by its Shapley value.";
  if (who.length === 0) return "All agents are equally far from what is due by their Shapley values.";
  const { gap } = rows.find((row) => row.agent === who[0]);
  const far = gap < 0 ? `${amount(-gap)} below` : `${amount(gap)} above`;
  return h("span", {}, "Least satisfied: ", h("strong", {}, crowd(who)), `, ${far} what is due by its Shapley value.`);
}

function complaint({ by, members, excess }) {
  const who = list(members);
  const one = members.length === 1;
  if (by === "record") {
    if (excess > 0) return `The conduct of ${who} alone improved the total by ${amount(excess)} more than ${one ? "its" : "their"} part of the improvement: outside the core of v.`;
    return `No coalition's conduct alone improved the total by more than its members got of it: in the core of v. The closest is ${who}, with ${amount(-excess)} to spare.`;
  }
  if (excess > 0) return `By the rules alone, ${who} could secure ${amount(excess)} more by ${one ? "itself" : "themselves"}: outside the core.`;
  return `By the rules alone, no coalition could do better by itself: in the core. The closest is ${who}, with ${amount(-excess)} to spare.`;
}

/** Return the panel of the ledger's lines and balances. */
export function ledger(bundle) {
  const { lines, balances } = bundle.ledger;
  if (lines.length === 0) return null;
  const total = Object.values(balances).reduce((sum, one) => sum + one, 0);
  return panel(
    "ledger",
    "Ledger",
    `double entry; all accounts together ${amount(total)}`,
    table(
      "Ledger lines",
      ["from", "to", "amount", "for"],
      lines.map((line) => [name(bundle.agents, line.debit), name(bundle.agents, line.credit), amount(line.amount), line.memo]),
    ),
    h("h3", {}, "Balances"),
    h(
      "dl",
      { class: "balances" },
      Object.entries(balances).map(([account, balance]) =>
        h("div", {}, h("dt", {}, name(bundle.agents, account)), h("dd", {}, amount(balance))),
      ),
    ),
  );
}

const COUNTS = ["calls", "refused", "input_tokens", "output_tokens"];

/** Return the panel of calls, tokens and seconds, by phase and by event. */
export function cost(bundle) {
  const phases = bundle.cost?.phases ?? [];
  if (phases.length === 0) return null;
  const told = (spent) => COUNTS.map((key) => amount(spent[key] ?? 0));
  const heads = ["calls", "sent back", "tokens in", "out"];
  const all = phases.map(({ phase, agents, seconds }) => {
    const spent = Object.values(agents);
    const sum = (key) => spent.reduce((total, one) => total + (one[key] ?? 0), 0);
    return [phase, ...told(Object.fromEntries(COUNTS.map((key) => [key, sum(key)]))), amount(seconds)];
  });
  const each = phases.flatMap(({ phase, agents }) =>
    Object.entries(agents).map(([agent, spent], n) => [n === 0 ? phase : "", name(bundle.agents, agent), ...told(spent)]),
  );
  const { calls, input_tokens: input, output_tokens: output } = bundle.cost;
  return panel(
    "cost",
    "Cost",
    `${plural(calls, "call")}, ${amount(input)} tokens in, ${amount(output)} out`,
    table("Cost by phase", ["phase", ...heads, "seconds"], all),
    folded("By agent", table("Cost by phase and agent", ["phase", "agent", ...heads], each)),
    bundle.calls?.length > 0 && folded("By event", byEvent(bundle)),
  );
}

/** Return a table of the calls that led to each event. */
function byEvent({ calls, agents }) {
  const rows = calls.map((one) => [
    one.event ?? "nothing yet",
    name(agents, one.agent),
    one.model,
    ...[one.calls, one.sent_back, one.input_tokens, one.output_tokens].map(amount),
    lasted(one.seconds),
  ]);
  return table("Cost by event", ["event", "agent", "model", "calls", "sent back", "tokens in", "out", "took"], rows);
}

/** Return the panel of the rules, in the words of the agents' letters. */
export function rules(bundle) {
  if (!bundle.game) return null;
  return panel(
    "rules",
    "The game",
    null,
    folded("The rules as agents read them", h("pre", {}, bundle.game.rules)),
  );
}
