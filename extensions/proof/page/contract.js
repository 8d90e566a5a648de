// The contract: the chain of agreements, clauses in words, duties and payments turn by turn.

import { ZERO, compare, divide, exact, fraction, gcd, multiply, plain, total } from "./exact.js";
import { digest } from "./envelope.js";

export const own = (thing, key) => (Object.hasOwn(thing, key) ? thing[key] : undefined);

/** Return text order by code points, as hashes of other languages sort names. */
export const byName = (a, b) => {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((char, i) => char !== right[i]);
  if (at < 0) return left.length - right.length;
  return at < right.length ? left[at].codePointAt(0) - right[at].codePointAt(0) : 1;
};

const lasts = ({ kind }) => kind !== "do" && kind !== "forbid";
const splits = (clauses) => clauses.some(({ kind }) => kind === "share");

/** Return all versions of the contract: the first, and one for each amendment. */
export async function chainOf(plans) {
  const chain = [];
  for (const { deal, hash, turn } of plans) {
    const before = chain.at(-1);
    const ends = ({ id, clause, to }) =>
      to === null && (!lasts(clause) || (clause.kind === "share" && splits(deal.clauses)) || (deal.drops ?? []).includes(id));
    const kept = (before?.terms ?? []).map((term) => (ends(term) ? { ...term, to: turn - 1 } : term));
    const added = deal.clauses.map((clause, i) => ({ id: `c${kept.length + i + 1}`, clause, from: turn, to: null }));
    chain.push({ hash: before ? await digest([before.hash, hash]) : hash, terms: [...kept, ...added] });
  }
  return chain;
}

export const inForce = (contract) => (contract?.terms ?? []).filter(({ to }) => to === null);

/** Return the amounts that a deal writes, to check that each is in its only accepted form. */
export function amountsIn(value) {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inside]) => {
    if (key === "fractions" && inside) return Object.values(inside);
    const isAmount = key === "amount" || (key === "at_least" && "earned" in value);
    return isAmount ? [inside] : amountsIn(inside);
  });
}

/** Return a condition in words; `pays` tells whether a payment depends on it. */
function whenWords(when, pays) {
  if (when === "always") return "at every turn";
  const inside = (parts, word) => `(${parts.map((part) => whenWords(part, pays)).join(word)})`;
  const span = ([first, last]) => (first === last ? `${first}` : `${first} to ${last}`);
  const since = pays ? "after" : "once";
  if (when.turns) {
    const [first, last] = when.turns;
    return first === last ? `at turn ${first}` : `from turn ${first} to turn ${last}`;
  }
  if (when.every) return when.every === 1 ? `from turn ${when.start}` : `at turn ${when.start} and every ${when.every} turns after it`;
  if (when.last) return pays ? `if ${when.last.agent} does ${when.last.action}` : `while ${when.last.agent}'s latest action is ${when.last.action}`;
  if (when.count) return `${since} ${when.count.agent} has done ${when.count.action} ${when.at_least === 1 ? "once" : `${when.at_least} times`} or more`;
  if (Object.hasOwn(when, "earned")) return `${since} ${when.earned === "everyone" ? "the rewards of all" : `${when.earned}'s rewards`} sum to ${when.at_least} or more`;
  if (when.all) return inside(when.all, " and ");
  if (when.not) return `except ${whenWords(when.not, pays)}`;
  if (when.any.length < 2 || !when.any.every((part) => part.turns)) return inside(when.any, " or ");
  const spans = when.any.map(({ turns }) => span(turns));
  return `at turns ${spans.slice(0, -1).join(", ")} and ${spans.at(-1)}`;
}

/** Return a part as a percentage if two decimals are exact, else as a fraction. */
function partWords(part) {
  const percent = multiply(part, fraction(100n));
  if (10_000n % part.d === 0n) return `${plain(percent)} %`;
  return `${part.n}/${part.d}`;
}

function shareWords({ fractions, norm }) {
  if (norm !== null) return `At the end the total is split by the norm ${norm}, computed from the record.`;
  const parts = Object.keys(fractions ?? {}).sort().map((agent) => [agent, exact(fractions[agent])]);
  const whole = parts.reduce((all, [, { d }]) => (all / gcd(all, d)) * d, 1n);
  const inPercent = parts.every(([, part]) => partWords(part).endsWith("%"));
  const told = parts.map(([agent, part]) => `${agent} ${inPercent ? partWords(part) : `${(part.n * whole) / part.d}/${whole}`}`);
  return `At the end the total is split: ${told.join(", ")}.`;
}

/** Return a clause in the words that a statement has for it. */
export function clauseWords(clause) {
  const { kind, agent, action, when, payer, payee } = clause;
  if (kind === "do") return `${agent} does ${action} ${whenWords(when, false)}.`;
  if (kind === "forbid") return when === "always" ? `${agent} must never do ${action}.` : `${agent} must not do ${action} ${whenWords(when, false)}.`;
  if (kind === "share") return shareWords(clause);
  const due = when === "always" ? "" : `, ${whenWords(when, true)}`;
  if (kind === "give") return `${clause.giver} gives ${clause.receiver} ${clause.quantity} ${clause.good}, once${due}.`;
  const toOthers = payee === "others";
  const start = toOthers ? `${payer} pays` : payer === "others" ? `All others pay ${payee}` : `${payer} pays ${payee}`;
  const split = toOthers ? ", split evenly among all others," : payer === "others" ? ", split evenly among them," : "";
  if (clause.basis === "turn") return `${start} ${clause.amount}${split} for each turn${due}.`;
  if (clause.basis === "once") return `${start} ${clause.amount}${split || ","} once${due}.`;
  const much = `${partWords(exact(clause.amount))} of what ${payer} earns`;
  return `${start} ${much}${due ? split.replace(/,$/, "") : split}${due || " at every turn"}.`;
}

/** Return a condition that is told each turn: `holds` at a turn, `after` a turn was played. */
function condition(when, isDuty) {
  const updates = [];
  const compiled = (part) => {
    if (part === "always") return () => true;
    if (part.turns) return (turn) => part.turns[0] <= turn && turn <= part.turns[1];
    if (part.every) return (turn) => turn >= part.start && (turn - part.start) % part.every === 0;
    if (part.all || part.any) {
      const inside = (part.all ?? part.any).map(compiled);
      return (turn) => (part.all ? inside.every((test) => test(turn)) : inside.some((test) => test(turn)));
    }
    if (part.not) {
      const inside = compiled(part.not);
      return (turn) => !inside(turn);
    }
    let known = part.last ? false : part.count ? 0 : ZERO;
    if (part.last)
      updates.push(({ actions }) => {
        const did = own(actions, part.last.agent);
        if (did !== undefined || !isDuty) known = did === part.last.action;
      });
    else if (part.count) updates.push(({ actions }) => (known += own(actions, part.count.agent) === part.count.action));
    else updates.push((turn) => (known = total([known, rewardOf(part.earned, turn)])));
    if (part.last) return () => known;
    return part.count ? () => known >= part.at_least : () => compare(known, exact(part.at_least)) >= 0;
  };
  const holds = compiled(when);
  return { holds, after: (turn) => updates.forEach((update) => update(turn)) };
}

function rewardOf(agent, { rewards, pot = 0 }) {
  return agent === "everyone" ? total([...Object.values(rewards), pot].map(exact)) : exact(own(rewards, agent) ?? 0);
}

/** Return the breaches and the payments due under a contract's terms, turn by turn. */
export function judge(terms, record) {
  const clauses = terms.map((term) => ({ ...term, ...condition(term.clause.when ?? "always", !lasts(term.clause)) }));
  const [breaches, due, paid] = [[], [], new Set()];
  const stands = ({ from, to, holds }, turn) => from <= turn && (to === null || turn <= to) && holds(turn);
  for (const played of record) {
    const { turn, actions, rewards, effects = [] } = played;
    const excused = new Set(effects.filter((effect) => effect.excused === true).map(({ agent }) => agent));
    const asked = clauses.filter((term) => !lasts(term.clause) && stands(term, turn));
    for (const { after } of clauses) after(played);
    for (const { id, clause } of asked)
      for (const agent of clause.agent === "everyone" ? Object.keys(rewards) : [clause.agent]) {
        const did = own(actions, agent);
        const kept = clause.kind === "do" ? did === clause.action : did !== clause.action;
        const owed = clause.kind === "do" ? clause.action : `not ${clause.action}`;
        const evidence = `turn ${turn}: ${agent} did ${did ?? "nothing"}, owed ${owed}`;
        if (!kept && !excused.has(agent)) breaches.push({ clause: id, agent, turn, evidence });
      }
    for (const term of clauses.filter(({ id, clause }) => clause.kind === "pay" && !paid.has(id))) {
      const { payer, payee, amount, basis } = term.clause;
      if (!stands(term, turn)) continue;
      if (basis === "once") paid.add(term.id);
      const reward = exact(own(rewards, payer) ?? 0);
      const part = basis !== "reward" ? fraction(1n) : reward.n > 0n ? reward : ZERO;
      due.push({ payer, payee, amount: multiply(exact(amount), part) });
    }
  }
  const place = (a, b) => a.turn - b.turn || a.clause.length - b.clause.length || byName(a.clause, b.clause) || byName(a.agent, b.agent);
  return { breaches: breaches.sort(place), due };
}

/** Return agent → what it has after the payments; "others" share a payment equally. */
export function paidOut(held, due) {
  const after = new Map(held);
  for (const { payer, payee, amount } of due)
    for (const [sign, who] of [[-1n, payer], [1n, payee]]) {
      const named = who !== "others" ? [who] : [...held.keys()].filter((agent) => agent !== payer && agent !== payee);
      const part = divide(multiply(amount, fraction(sign)), fraction(BigInt(named.length || 1)));
      for (const agent of named) {
        if (!after.has(agent)) throw new Error(`${agent} pays or gets money, and is no party`);
        after.set(agent, total([after.get(agent), part]));
      }
    }
  return after;
}
