// A game that is a table of payoffs: its rewards, the worth of each coalition, and values from it.

import { ZERO, add, compare, divide, equal, exact, fraction, gcd, least, multiply, normalise, plain, subtract, total } from "./exact.js";
import { own } from "./contract.js";

const AWAY =
  "an absent agent is away: it earns 0, and each turn the absent leave those present least (own consumption and threats never carried out count as contribution)";
const UNDECLARED =
  "the game declares no baseline, and strict dominance leaves more than one: confirm it with --absent before a norm can be signed";
const FIELDS = ["agents", "rounds", "absent", "worth", "name", "about", "currency", "actions", "payoffs"];
const MOST_AGENTS = 12;
const MOST_STEPS = 3_000_000;

/** Return the table of payoffs in a statement, or null if its game is no table. */
export function tableOf({ settings, table, agents }) {
  const { game, params, absent } = settings;
  if (!table && typeof game === "string") return null;
  if (table && typeof game !== "string") throw new Error("a game written out has a second table beside it");
  const told = table ?? { ...game, ...(params.actions || params.payoffs ? { absent: "" } : {}), ...params };
  const strange = Object.keys(told).find((key) => !FIELDS.includes(key));
  if (strange) throw new Error(`a table of payoffs has no field ${strange}`);
  const listed = told.agents ?? ["Alice", "Bob"];
  const names = Number.isInteger(listed) ? Array.from({ length: listed }, (_, k) => `Agent${k + 1}`) : listed;
  if (JSON.stringify(names) !== JSON.stringify(agents)) throw new Error("the game has other agents than the statement");
  const actions = new Map(names.map((agent) => [agent, own(told.actions, agent)]));
  const pays = new Map(told.payoffs.map(({ play, pays }) => [JSON.stringify(play), pays.map(exact)]));
  const cells = [...actions.values()].reduce((count, list) => count * list.length, 1);
  const isFull = cells === pays.size && cells === told.payoffs.length; // before all joint actions are listed
  if (!isFull || !plays([...actions.values()]).every((play) => pays.has(JSON.stringify(play))))
    throw new Error("the table does not have each joint action once");
  const rounds = Number(told.rounds ?? 1);
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error("the number of rounds is none");
  const base = { agents: names, actions, pays, rounds, worth: told.worth ?? "record" };
  return { ...base, baseline: baselineOf(base, absent ? absentOf(absent) : (told.absent ?? "")) };
}

/** Return all joint choices, one from each list. */
function plays(lists) {
  return lists.reduce((known, list) => known.flatMap((play) => list.map((one) => [...play, one])), [[]]);
}

function absentOf(text) {
  if (!text.includes("=")) return text.trim();
  const pairs = text.split(",").map((pair) => [pair.slice(0, pair.indexOf("=")).trim(), pair.slice(pair.indexOf("=") + 1).trim()]);
  return Object.fromEntries(pairs);
}

/** Return the conduct of absent agents: what the run declares, or what strict dominance leaves. */
function baselineOf(game, absent) {
  const { agents, actions } = game;
  const isOfAll = typeof absent === "string" && agents.every((agent) => actions.get(agent).includes(absent));
  if (typeof absent === "object" || isOfAll) {
    const chosen = new Map(agents.map((agent) => [agent, isOfAll ? absent : own(absent, agent)]));
    if (agents.some((agent) => !actions.get(agent).includes(chosen.get(agent)))) throw new Error("the baseline names an unknown action");
    return { kind: "actions", words: chosenWords(chosen), actions: Object.fromEntries(chosen), warning: "" };
  }
  const fixed = (kind, words, warning = "") => ({ kind, words, actions: {}, warning });
  if (absent === "away") return fixed("away", AWAY);
  if (absent === "idle") return fixed("idle", "an absent agent stands idle");
  if (absent === "random") return fixed("random", "an absent agent acts at random, in the mean of 16 plays with seeded dice");
  if (absent !== "") throw new Error(`the baseline ${absent} is unknown`);
  const left = surviving(game);
  if (left.some((list) => list.length > 1)) return fixed("away", AWAY, UNDECLARED);
  const chosen = new Map(agents.map((agent, i) => [agent, left[i][0]]));
  return { ...fixed("actions", `${chosenWords(chosen)} (the only profile that survives strict dominance)`), actions: Object.fromEntries(chosen) };
}

function chosenWords(chosen) {
  const all = [...chosen];
  if (new Set(chosen.values()).size === 1) return `an absent agent plays ${all[0][1]}`;
  return `an absent agent plays as follows: ${all.map((pair) => pair.join(" ")).join(", ")}`;
}

/** Return each agent's actions that survive iterated strict dominance by pure actions. */
function surviving({ agents, actions, pays }) {
  const left = agents.map((agent) => [...actions.get(agent)]);
  for (let dropped = true; dropped; ) {
    dropped = false;
    for (const i of agents.keys()) {
      const others = plays(left.map((list, k) => (k === i ? [null] : list)));
      const paid = (action, play) => pays.get(JSON.stringify(play.with(i, action)))[i];
      const beats = (better, action) => others.every((play) => compare(paid(better, play), paid(action, play)) > 0);
      const kept = left[i].filter((action) => !left[i].some((better) => better !== action && beats(better, action)));
      dropped ||= kept.length < left[i].length;
      left[i] = kept;
    }
  }
  return left;
}

/** Return each agent's reward; an agent that did not act counts at each agent's lowest payoff. */
export function rewardsOf({ agents, actions, pays }, did) {
  const choices = agents.map((agent) => (did.get(agent) === undefined ? actions.get(agent) : [did.get(agent)]));
  const rows = plays(choices).map((play) => pays.get(JSON.stringify(play)));
  return agents.map((_, i) => least(rows.map((row) => row[i])));
}

/** Replay a record; return the first fault in words, or "". */
export function replayFault(game, record) {
  if (record.length > game.rounds) return `it has ${record.length} turns, and the game ${game.rounds}`;
  for (const [n, { turn, actions, rewards, pot = 0 }] of record.entries()) {
    if (turn !== n + 1) return "its turns are not numbered from 1";
    const did = new Map(Object.entries(actions));
    for (const [agent, action] of did) if (!game.actions.get(agent)?.includes(action)) return `turn ${turn}: ${agent} cannot do ${action}`;
    const due = rewardsOf(game, did);
    const isPaid = (agent, i) => Object.hasOwn(rewards, agent) && equal(exact(rewards[agent]), due[i]);
    if (pot !== 0 || Object.keys(rewards).length !== game.agents.length || !game.agents.every(isPaid))
      return `turn ${turn} pays other rewards than the table`;
  }
  return "";
}

/** Return v(C) of every coalition by mask, and what each agent has if nobody takes part. */
export function worthsOf(game, record) {
  const { agents, actions, baseline, worth } = game;
  const away = baseline.kind === "away" ? agents.reduce((cells, agent) => cells * actions.get(agent).length, 1) : 1;
  const played = new Map();
  for (const { actions: did } of record) {
    const key = JSON.stringify(agents.map((agent) => own(did, agent) ?? null));
    played.set(key, (played.get(key) ?? 0) + 1);
  }
  if (agents.length > MOST_AGENTS || 2 ** agents.length * away * (played.size + 1) > MOST_STEPS) return null;
  if (worth === "potential" || baseline.kind === "random") return null;
  const earned = (mask) => {
    let sum = agents.map(() => ZERO);
    for (const [key, times] of played) {
      const did = JSON.parse(key).map((action) => action ?? undefined);
      const rewards = replayed(game, did, mask);
      sum = sum.map((amount, i) => add(amount, multiply(rewards[i], fraction(BigInt(times)))));
    }
    return sum;
  };
  const rows = Array.from({ length: 2 ** agents.length }, (_, mask) => earned(mask));
  const without = total(rows[0]);
  return { worths: rows.map((row) => subtract(total(row), without)), alone: rows[0] };
}

/** Return the rewards of one turn in which only a coalition does as recorded. */
function replayed(game, did, mask) {
  const { agents, actions, baseline } = game;
  const isIn = (i) => (mask >> i) & 1;
  if (baseline.kind !== "away") return rewardsOf(game, new Map(agents.map((agent, i) => [agent, isIn(i) ? did[i] : own(baseline.actions, agent)])));
  const rows = plays(agents.map((agent, i) => (isIn(i) ? [did[i]] : actions.get(agent)))).map((play) => {
    const rewards = rewardsOf(game, new Map(agents.map((agent, i) => [agent, play[i]])));
    return rewards.map((reward, i) => (isIn(i) ? reward : ZERO));
  });
  return rows.reduce((lowest, row) => (compare(total(row), total(lowest)) < 0 ? row : lowest));
}

/** Return each agent's mean marginal contribution over all orders of arrival. */
function shapley(worths, n) {
  const factorial = (k) => (k < 2n ? 1n : k * factorial(k - 1n));
  const unit = worths.reduce((all, { d }) => (all / gcd(all, d)) * d, 1n);
  const whole = worths.map((worth) => (worth.n * unit) / worth.d);
  const before = (mask) => BigInt(mask.toString(2).replaceAll("0", "").length);
  return Array.from({ length: n }, (_, i) => {
    let sum = 0n;
    for (let mask = 0; mask < worths.length; mask += 1) {
      if ((mask >> i) & 1) continue;
      const size = before(mask);
      sum += factorial(size) * factorial(BigInt(n) - size - 1n) * (whole[mask | (1 << i)] - whole[mask]);
    }
    return fraction(sum, factorial(BigInt(n)) * unit);
  });
}

export const NORMS = ["shapley", "leave_one_out", "equal", "proportional"];

/** Return each agent's value under a norm, or null if this page does not know the norm. */
export function valuesBy(norm, worths, n) {
  const all = worths.length - 1;
  const gain = subtract(worths[all], worths[0]);
  const each = (value) => Array.from({ length: n }, (_, i) => value(i));
  if (norm === "shapley") return shapley(worths, n);
  if (norm === "leave_one_out") return each((i) => subtract(worths[all], worths[all & ~(1 << i)]));
  if (norm === "equal") return each(() => divide(gain, fraction(BigInt(n))));
  if (norm === "proportional") return normalise(gain, each((i) => subtract(worths[1 << i], worths[0])));
  return null;
}

/** Return the numbers in the field `values` of a statement, from the worths of all coalitions. */
export function creditOf(agents, worths, alone) {
  const sum = worths.at(-1);
  const named = (list) => Object.fromEntries(agents.map((agent, i) => [agent, plain(list[i])]));
  const values = valuesBy("shapley", worths, agents.length);
  const shares = sum.n > 0n ? named(normalise(sum, values).map((part) => divide(part, sum))) : null;
  const marginal = named(valuesBy("leave_one_out", worths, agents.length));
  return { total: plain(sum), marginal, shapley: named(values), shares, ...(alone && { alone: named(alone) }) };
}
