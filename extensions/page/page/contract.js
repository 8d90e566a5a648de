// Panels: the contract in words, each clause by turn, the deposits, and plan against actions.

import { folded, h, panel, table, unseen } from "./dom.js";
import { ROUNDING, amount, crowd, name, percent, plural, signed } from "./words.js";

const MARKS = {
  kept: ["✓", "kept"],
  broken: ["✕", "broken"],
  due: ["●", "due"],
  idle: [null, "asked nothing"],
  out: ["", "not in force"],
};

const VERDICTS = { satisfied: "✓ satisfied", violated: "✕ violated", pending: "○ pending" };

/** The number of latest turns that are shown for each clause. */
const STRIP = 40;

export function contract(bundle) {
  const it = bundle.contract;
  if (!it) {
    return panel("contract", "Contract", null, h("p", { class: "empty" }, "Nothing is signed."));
  }
  const ended = it.clauses.filter((one) => one.to_turn != null);
  const amended = it.previous ? `, amends ${it.previous.slice(0, 12)}` : "";
  const played = it.clauses.some((one) => one.turns.length > 0);
  return panel(
    "contract",
    "Contract",
    h("span", {}, h("code", {}, it.hash.slice(0, 12)), `${amended}, signed by ${crowd(it.signatures)}; ${it.means}`),
    clauses(it.clauses.filter((one) => one.to_turn == null), bundle),
    ended.length > 0 && folded(`${plural(ended.length, "clause")} no longer in force`, clauses(ended, bundle)),
    played && legend(),
    it.judge && h("p", { class: "small" }, `The judge and the monitor agree on ${percent(it.judge.agreement)} of the clauses.`),
  );
}

function clauses(some, bundle) {
  return h("ol", { class: "clauses" }, some.map((one) => clause(one, bundle)));
}

function clause(one, { outcome, contract: { judge } }) {
  const shown = one.kind === "share" ? [] : one.turns.slice(-STRIP);
  const hidden = shown.length && one.turns.length - shown.length;
  const stands = verdict(one);
  const judged = judge?.verdicts[one.id];
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
        { class: "fared small" },
        shown.length > 0 && h("span", { class: "strip" }, hidden > 0 && `… ${hidden} earlier `, shown.map(mark)),
        h("span", {}, fared(one, outcome?.basis), judged && judged !== stands && `; the judge says ${judged}`),
      ),
    ),
    h("p", { class: `verdict ${stands}` }, VERDICTS[stands]),
  );
}

/** Return a clause's verdict after the latest turn, or at the signing before the first turn. */
function verdict(one) {
  return one.turns.findLast((turn) => turn.verdict)?.verdict ?? one.at_signing;
}

function mark(turn) {
  const [sign, meaning] = MARKS[turn.is];
  const stood = turn.verdict ? `, ${turn.verdict} after it` : "";
  const told = `turn ${turn.turn}: ${(turn.note || meaning).replace(/^turn \d+: /, "")}${stood}`;
  const seen = h("span", { "aria-hidden": "true" }, sign ?? turn.turn);
  return h("span", { class: `cell ${turn.is} ${turn.verdict ?? ""}`, title: told }, seen, unseen(`${told}. `));
}

const SHARES = { contract: "decided the payoffs", redistribution: "replaced by the split that all accepted" };

/** Return a clause's marks over all turns, in words. */
function fared(one, basis) {
  if (one.kind === "share" && one.to_turn == null) return SHARES[basis] ?? "read at the settlement";
  const count = (is) => one.turns.filter((turn) => turn.is === is).length;
  const [kept, broken, due] = [count("kept"), count("broken"), count("due")];
  const told = [];
  if (broken) told.push(`broken in ${broken} of ${plural(kept + broken, "turn")}`);
  else if (kept) told.push(`kept in ${plural(kept, "turn")}`);
  if (due) told.push(`due in ${plural(due, "turn")}`);
  const settled = one.turns.find((turn) => turn.verdict && turn.verdict !== "pending");
  if (settled && told.length) told.push(`${settled.verdict} since turn ${settled.turn}`);
  if (one.to_turn != null) told.push(`ended with turn ${one.to_turn}`);
  return told.join(", ") || "not called on yet";
}

function legend() {
  const cell = (look, sign) => h("span", { class: `cell ${look}`, "aria-hidden": "true" }, sign);
  const marks = [["kept", "✓", "kept"], ["broken", "✕", "broken"], ["due", "●", "due"], ["idle", "4", "asked nothing in turn 4"]];
  const stood = ["pending", "satisfied", "violated"];
  return h(
    "p",
    { class: "legend small" },
    marks.map(([look, sign, told]) => h("span", {}, cell(look, sign), told)),
    h("span", {}, "underlined: how it stood then,", stood.map((one) => [cell(`idle ${one}`, ""), one])),
  );
}

/** Return the panel of every party's deposit: held, forfeited (when, to whom) or returned. */
export function escrow(bundle) {
  const it = bundle.escrow;
  if (!it) return null;
  if (it.parties.length === 0) {
    return panel("escrow", "Escrow", null, h("p", { class: "empty" }, "Keeping this contract needs no deposit: none is held."));
  }
  const sum = (left) => it.parties.filter((party) => party.is === left).length * it.deposit;
  return panel(
    "escrow",
    "Escrow",
    `${amount(it.deposit)} of each party: ${amount(it.held)} held, ${amount(sum("forfeited"))} forfeited, ${amount(sum("returned"))} returned`,
    table(
      "Deposits",
      ["party", "deposit", "is", "why", "to"],
      it.parties.map((party) => [
        name(bundle.agents, party.agent),
        amount(it.deposit),
        h("span", { class: `verdict ${party.is}` }, party.is),
        WHY[party.is](party),
        Object.entries(party.to).map(([agent, part], n) => [n ? ", " : "", name(bundle.agents, agent), ` ${amount(part)}`]),
      ]),
    ),
  );
}

const WHY = {
  held: () => "until the settlement",
  returned: () => "never in breach",
  forfeited: ({ clause: cid, turn }) => `broke ${cid} at turn ${turn}`,
};

/** Return the panel of required actions beside actual actions and rewards. */
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
    table("Planned against realised", ["", ...bundle.agents.map((agent) => name(bundle.agents, agent))], rows),
  );
}

/** Merge successive turns with equal required and equal actual actions into one. */
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
  const did = turn.did[agent];
  if (asked.length === 0) return h("span", { class: "free", title: "nothing was asked" }, did ?? "–");
  const kept = asked.every((one) => (one.startsWith("not ") ? one.slice(4) !== did : one === did));
  const sign = h("span", { class: kept ? "valid" : "refused" }, kept ? "✓\u00a0" : "✕\u00a0");
  const told = asked.length === 1 && asked[0] === did ? did : `${asked.join(", ")} → ${did ?? "nothing"}`;
  return h("span", {}, sign, told);
}

function paid(planned, realised) {
  if (realised == null) return amount(planned);
  const gap = realised - planned;
  const told = Math.abs(gap) < ROUNDING ? "as planned" : signed(gap);
  return h("span", {}, `${amount(planned)} → ${amount(realised)} `, h("span", { class: gap < -ROUNDING ? "refused" : "free" }, told));
}
