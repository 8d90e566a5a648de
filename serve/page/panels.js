// The panels beside the timeline: contract, plan, credit, ledger, cost.

import { credits } from "./charts.js";
import { h, panel, table, unseen } from "./dom.js";
import { amount, list, name, percent, plural, signed } from "./words.js";

const MARKS = {
  kept: ["✓", "kept"],
  broken: ["✕", "broken"],
  due: ["●", "payment due"],
  idle: ["·", "asked nothing"],
  out: ["", "not in force"],
};

const STRIP = 40;

/** The contract in words, and each clause's status by turn. */
export function contract(bundle) {
  const it = bundle.contract;
  if (!it) {
    return panel("contract", "Contract", null, h("p", { class: "empty" }, "Nothing is signed."));
  }
  const ended = it.clauses.filter((one) => one.to_turn != null);
  const amended = it.previous ? `, amends ${it.previous.slice(0, 12)}` : "";
  return panel(
    "contract",
    "Contract",
    h("span", {}, h("code", {}, it.hash.slice(0, 12)), `${amended}, signed by ${list(it.signatures)}`),
    clauses(it.clauses.filter((one) => one.to_turn == null), bundle),
    ended.length > 0 &&
      h("details", {}, h("summary", {}, `${plural(ended.length, "clause")} no longer in force`), clauses(ended, bundle)),
  );
}

function clauses(some, bundle) {
  return h("ol", { class: "clauses" }, some.map((one) => clause(one, bundle.outcome?.basis)));
}

function clause(one, basis) {
  const shown = one.kind === "share" ? [] : one.turns.slice(-STRIP);
  const hidden = shown.length && one.turns.length - shown.length;
  return h(
    "li",
    { class: one.to_turn == null ? "" : "ended" },
    h("span", { class: "cid" }, one.id),
    h(
      "div",
      {},
      h("p", {}, one.text.replace(/^c\d+\. /, "")),
      h(
        "p",
        { class: "strip" },
        hidden > 0 && h("span", { class: "small" }, `… ${hidden} earlier `),
        shown.map(mark),
        h("span", { class: "small" }, fared(one, basis)),
      ),
    ),
  );
}

function mark(turn) {
  const [sign, meaning] = MARKS[turn.is];
  const told = `turn ${turn.turn}: ${turn.note || meaning}`;
  return h("span", { class: `cell ${turn.is}`, title: told }, sign, unseen(`${told}. `));
}

const SHARES = { contract: "decided the payoffs", redistribution: "replaced by the redistribution" };

/** How a clause fared over all turns, in words. */
function fared(one, basis) {
  if (one.kind === "share" && one.to_turn == null) return SHARES[basis] ?? "read at the settlement";
  const count = (is) => one.turns.filter((turn) => turn.is === is).length;
  const told = [];
  if (count("broken")) told.push(`broken in ${plural(count("broken"), "turn")}`);
  if (count("kept")) told.push(`kept in ${plural(count("kept"), "turn")}`);
  if (count("due")) told.push(`due in ${plural(count("due"), "turn")}`);
  if (one.to_turn != null) told.push(`ended with turn ${one.to_turn}`);
  return told.join(", ") || "not called on yet";
}

/** What was planned, beside what was done and paid. */
export function plan(bundle) {
  if (!bundle.plan || bundle.plan.turns.length === 0) return null;
  const rows = alike(bundle.plan.turns).map(({ from, to, turn }) => [
    from === to ? `turn ${from}` : `turns ${from}–${to}`,
    ...bundle.agents.map((agent) => step(turn, agent)),
  ]);
  const ended = bundle.outcome?.points.ended;
  if (bundle.plan.payoffs) {
    const compared = (agent) => paid(bundle.plan.payoffs[agent], ended?.[agent]);
    rows.push(["payoff", ...bundle.agents.map(compared)]);
  }
  return panel(
    "plan",
    "Planned and realised",
    "what the contract asked → what was done",
    table("Planned against realised", ["", ...bundle.agents], rows),
  );
}

/** Turns in a row in which the same was asked and done, as one. */
function alike(turns) {
  const spans = [];
  for (const turn of turns) {
    const same = JSON.stringify([turn.planned, turn.did]);
    const last = spans.at(-1);
    if (last?.same === same) last.to = turn.turn;
    else spans.push({ same, turn, from: turn.turn, to: turn.turn });
  }
  return spans;
}

function step(turn, agent) {
  const asked = turn.planned[agent] ?? [];
  const did = turn.did[agent] ?? "nothing";
  const kept = asked.every((one) => (one.startsWith("not ") ? one.slice(4) !== did : one === did));
  if (asked.length === 0) return h("span", {}, h("span", { class: "small" }, "free → "), did);
  const sign = h("span", { class: kept ? "mark valid" : "mark refused" }, kept ? "✓" : "✕");
  const told = asked.length === 1 && asked[0] === did ? did : `${asked.join(", ")} → ${did}`;
  return h("span", {}, `${told} `, sign);
}

function paid(planned, realised) {
  if (realised == null) return amount(planned);
  const gap = realised - planned;
  const told = Math.abs(gap) < 1e-6 ? "as planned" : signed(gap);
  return h("span", {}, `${amount(planned)} → ${amount(realised)} `, h("span", { class: "small" }, told));
}

/** Claim, record and Shapley value, with error bars, and who is least satisfied. */
export function credit(bundle) {
  const it = bundle.credit;
  if (!it) return null;
  const claims = it.rows.filter((row) => row.claim);
  return panel(
    "credit",
    "Who earned what",
    `Shapley values φ of the record, ${it.method}; v(N) = ${amount(it.total)}`,
    credits(bundle),
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
    h("p", {}, least(bundle)),
    it.complaint && h("p", { class: "small" }, complaint(it.complaint)),
  );
}

/** Who is least satisfied, in a sentence. */
export function least(bundle) {
  const { least: who, rows } = bundle.credit;
  if (rows.every((row) => Math.abs(row.gap) < 1e-6)) return "Everybody ended with what is due by its Shapley value.";
  if (who.length === 0) return "Everybody is equally far from what is due by its Shapley value.";
  const { gap } = rows.find((row) => row.agent === who[0]);
  const far = gap < 0 ? `${amount(-gap)} below` : `${amount(gap)} above`;
  return h("span", {}, "Least satisfied: ", h("strong", {}, list(who)), `, ${far} what is due by its Shapley value.`);
}

function complaint({ members, excess }) {
  const who = list(members);
  const one = members.length === 1 ? "itself" : "themselves";
  if (excess > 1e-9) return `${who} could secure ${amount(excess)} more by ${one}: outside the core.`;
  return `No coalition could do better by itself: in the core. The closest is ${who}, with ${amount(-excess)} to spare.`;
}

/** The ledger's lines and balances. */
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
      lines.map((line) => [line.debit, line.credit, amount(line.amount), line.memo]),
    ),
    h(
      "dl",
      { class: "balances" },
      Object.entries(balances).map(([account, balance]) =>
        h("div", {}, h("dt", {}, account), h("dd", {}, amount(balance))),
      ),
    ),
  );
}

/** Calls, tokens and seconds, by phase and agent. */
export function cost(bundle) {
  const phases = bundle.cost?.phases ?? [];
  if (phases.length === 0) return null;
  const rows = phases.flatMap(({ phase, agents, seconds }) =>
    Object.entries(agents).map(([agent, spent], n) => [
      n === 0 ? `${phase}, ${amount(seconds)} s` : "",
      name(bundle.agents, agent),
      amount(spent.calls),
      amount(spent.refused ?? 0),
      amount(spent.input_tokens),
      amount(spent.output_tokens),
    ]),
  );
  const { calls, input_tokens: input, output_tokens: output } = bundle.cost;
  return panel(
    "cost",
    "Cost",
    `${plural(calls, "call")}, ${amount(input)} tokens in, ${amount(output)} out`,
    table("Cost by phase and agent", ["phase", "agent", "calls", "sent back", "in", "out"], rows),
  );
}

/** The rules, as agents are told them. */
export function rules(bundle) {
  if (!bundle.game) return null;
  const told = h("details", {}, h("summary", {}, "The rules as agents read them"), h("pre", {}, bundle.game.rules));
  return panel("rules", "The game", null, told);
}
