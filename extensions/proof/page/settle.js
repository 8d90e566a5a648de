// The settlement: payoffs in millionths from the record, the contract, values and constraints.

import { ZERO, add, apportion, divide, exact, floor, fraction, multiply, normalise, round, roundTo, subtract, total } from "./exact.js";
import { byName, inForce, judge, own, paidOut } from "./contract.js";
import { valuesBy } from "./values.js";

const MICRO = fraction(1_000_000n);
const sumOf = (amounts) => amounts.reduce((a, b) => a + b, 0n);
const atLeast0 = (amount) => (amount > 0n ? amount : 0n);

/** The error if a part of the settlement cannot be recomputed here. */
export class Unknown extends Error {}

/** Return each agent's earnings in play, with an equal part of the pot. */
function earnings(agents, record) {
  const pot = divide(total(record.map((turn) => exact(turn.pot ?? 0))), fraction(BigInt(agents.length)));
  const rewards = (agent) => record.map((turn) => exact(own(turn.rewards, agent) ?? 0));
  return new Map(agents.map((agent) => [agent, total([pot, ...rewards(agent)])]));
}

/** Return each agent's payoff if a norm divides all that was earned. */
function byNorm(norm, held, { worths, alone }) {
  const values = worths && valuesBy(norm, worths, held.size);
  if (!values) throw new Unknown(`the payoffs by the norm ${norm}`);
  const without = alone ?? values.map(() => ZERO);
  const gained = normalise(subtract(total([...held.values()]), total(without)), values);
  return new Map([...held.keys()].map((agent, i) => [agent, add(without[i], gained[i])]));
}

/** Return the payoffs after the split of the total, if there is one, and the payments due. */
function divided(held, clauses, due, worth) {
  const split = clauses.find(({ kind }) => kind === "share");
  const all = total([...held.values()]);
  let after = held;
  if (split?.norm) after = byNorm(split.norm, held, worth);
  else if (split?.fractions && Object.keys(split.fractions).length)
    after = new Map([...held.keys()].map((agent) => [agent, multiply(all, exact(own(split.fractions, agent)))]));
  return paidOut(after, due);
}

/** Return the settlement that follows from a statement and the worths of coalitions. */
export function settle({ settings, agents, record, agreements, reckoned, forfeits }, chain, worth) {
  const contract = chain.at(-1);
  const { breaches, due } = judge(contract?.terms ?? [], record);
  const held = earnings(agents, record);
  const isMade = settings.enforcement !== "notional";
  const signed = inForce(contract).map(({ clause }) => clause);
  const asSigned = () => (isMade ? divided(held, signed, due, worth) : held);
  const last = agreements.filter(({ topic }) => topic !== "plan").at(-1);
  let [basis, payoffs] = [contract ? "contract" : "none", null];
  if (last) {
    const terms = last.deal.clauses.map((clause, i) => ({ id: `c${i + 1}`, clause, from: 1, to: null }));
    const splits = last.deal.clauses.some(({ kind }) => kind === "share");
    const more = judge(terms, record).due;
    [basis, payoffs] = ["redistribution", splits ? divided(held, last.deal.clauses, more, worth) : paidOut(asSigned(), more)];
  } else if (reckoned && settings.disagreement === "norm") {
    [basis, payoffs] = ["norm", byNorm(settings.norm, held, worth)];
  } else payoffs = asSigned();
  const lost = deposits(settings, agents, contract, breaches) ?? agents.map((agent) => BigInt(forfeits[agent]));
  return { basis, breaches, ...inMillionths(settings, agents, held, payoffs, basis, lost) };
}

/** Return rewards, transfers, forfeited deposits and payoffs as whole millionths in text. */
function inMillionths({ constraints }, agents, held, payoffs, basis, forfeits) {
  const all = round(multiply(total([...held.values()]), MICRO));
  const whole = (amounts) => roundTo(agents.map((agent) => multiply(amounts.get(agent), MICRO)), all);
  const names = constraints.some((name) => name.startsWith("tax=")) ? [...agents, "treasury"] : agents;
  const before = [...whole(held), 0n].slice(0, names.length);
  const after = constraints.reduce((due, name) => limited(name, before, due), [...whole(payoffs), 0n].slice(0, names.length));
  const told = (amount) => Object.fromEntries(agents.map((agent, i) => [agent, String(amount(i))]));
  return {
    rewards: told((i) => before[i]),
    transfers: transfersOf(names, before, after).map((one) => ({ ...one, reason: basis })),
    forfeits: told((i) => forfeits[i]),
    payoffs: told((i) => after[i] + forfeits[i]),
  };
}

/** Return the payments that turn amounts into others: the largest debt pays the largest claim. */
function transfersOf(names, before, after) {
  const open = (sign) =>
    names.map((name, i) => [name, sign * (before[i] - after[i])]).filter(([, amount]) => amount > 0n)
      .sort((a, b) => (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : byName(b[0], a[0])));
  const [debts, claims, made] = [open(1n), open(-1n), []];
  while (debts.length) {
    const [[payer, debt], [payee, claim]] = [debts.pop(), claims.pop()];
    const amount = debt < claim ? debt : claim;
    made.push({ payer, payee, amount: String(amount) });
    if (debt > amount) debts.push([payer, debt - amount]);
    if (claim > amount) claims.push([payee, claim - amount]);
  }
  return made;
}

/** Return the amounts due after one constraint. */
function limited(constraint, before, due) {
  const [name, text = "0"] = constraint.split("=");
  const setting = exact(text);
  const gains = due.map((amount, i) => atLeast0(amount - before[i]));
  if (name === "tax") {
    const levies = gains.slice(0, -1).map((gain) => round(multiply(setting, fraction(gain))));
    return due.map((amount, i) => (i < levies.length ? amount - levies[i] : amount + sumOf(levies)));
  }
  if (!["cap", "limited_liability", "non_transferable"].includes(name)) throw new Unknown(`the constraint ${name}`);
  const free = (money) => floor(multiply(subtract(fraction(1n), setting), fraction(atLeast0(money))));
  const most = before.map((money) => (name === "cap" ? round(multiply(setting, MICRO)) : free(money)));
  const paid = due.map((amount, i) => [atLeast0(before[i] - amount), most[i]]).map(([debt, limit]) => (debt < limit ? debt : limit));
  const pot = sumOf(paid);
  const received = pot ? apportion(pot, gains.map((gain) => fraction(gain))) : gains.map(() => 0n);
  return before.map((money, i) => money - paid[i] + received[i]);
}

/** Return what each agent gets or loses by forfeited deposits; null if the program chose their amount. */
function deposits({ enforcement, deposit }, agents, contract, breaches) {
  if (!contract || enforcement !== "escrow") return agents.map(() => 0n);
  if (!deposit) return null;
  const amount = round(multiply(exact(deposit), MICRO));
  const first = new Map();
  for (const { agent, turn } of breaches) if (!first.has(agent)) first.set(agent, turn);
  const gained = new Map(agents.map((agent) => [agent, 0n]));
  for (const [agent, turn] of amount ? first : []) {
    const others = agents.filter((other) => other !== agent);
    const unbroken = others.filter((other) => !first.has(other) || first.get(other) > turn);
    const payees = unbroken.length ? unbroken : others;
    const parts = apportion(amount, payees.map(() => fraction(1n)));
    gained.set(agent, gained.get(agent) - amount);
    payees.forEach((payee, i) => gained.set(payee, gained.get(payee) + parts[i]));
  }
  return agents.map((agent) => gained.get(agent));
}
