// The check of a file: its signatures, and everything in it that follows from something else.

import { exact, plain } from "./exact.js";
import { digest, isSigned, readEnvelope, readKey, same } from "./envelope.js";
import { isDeal, isStatement } from "./shapes.js";
import { amountsIn, chainOf, clauseWords, inForce } from "./contract.js";
import { NORMS, creditOf, replayFault, tableOf, worthsOf } from "./values.js";
import { Unknown, settle } from "./settle.js";

const IN_TOTO = "application/vnd.in-toto+json";
const ACCEPTANCE = "application/vnd.coop.acceptance+json";
const PARTS = {
  breaches: "breaches", values: "contributions and values", basis: "basis", rewards: "rewards",
  transfers: "transfers", forfeits: "forfeited deposits", payoffs: "payoffs",
};

/**
 * Check the bytes of a file by public keys: `operator` or an agent's name → PEM.
 *
 * Returns {findings, told}: a finding has `what`, `state` ("ok", "wrong" or "unknown") and `found`.
 * `told` is the statement's content, or null if the file is refused before it is read.
 */
export async function check(bytes, pems, need = []) {
  const findings = [];
  const find = (what, fault, found = "") => findings.push({ what, state: fault ? "wrong" : "ok", found: fault || found });
  let predicate = null;
  try {
    const keys = new Map();
    for (const [name, pem] of pems) keys.set(name, await readKey(pem));
    const envelope = readEnvelope(bytes);
    const fault = await envelopeFault(envelope, keys);
    find("signature of the operator", fault, "it is of exactly this content");
    if (fault) return { findings, told: null };
    if (envelope.type !== IN_TOTO || !isStatement(envelope.content)) throw new Error("it is no statement of the version that this page knows");
    ({ predicate } = envelope.content);
    await parties(predicate, keys, need, find);
    await recompute(envelope.content, find, (what, found) => findings.push({ what, state: "unknown", found }));
  } catch (error) {
    find(predicate ? "statement" : "file", error.message || "it cannot be read");
  }
  return { findings, told: predicate };
}

async function envelopeFault({ message, signatures }, keys) {
  if (!keys.has("operator")) return "the operator's public key is missing";
  for (const { keyid, sig } of signatures) {
    const key = [...keys.values()].find(({ id }) => id === keyid);
    if (!key) return `it is signed by ${keyid.slice(0, 16)}, a key that was not given`;
    if (!(await key.verifies(message, sig))) return "the signature is not of this content";
  }
  return signatures.some(({ keyid }) => keyid === keys.get("operator").id) ? "" : "the operator's key did not sign it";
}

/** Check each party's signatures: on the settings and on every agreement. */
async function parties(told, keys, need, find) {
  const { agents, workflow, salt, settings, episode, agreements } = told;
  const each = (things, part) => Object.fromEntries(Object.entries(things).map(([name, one]) => [name, one[part]]));
  const signed = { agents, keys: each(told.keys, "keyid"), mandates: each(told.mandates, "sha256"), salt, settings: await digest(settings), workflow };
  const whole = await digest(signed);
  const signers = agreements.flatMap(({ signatures }) => Object.keys(signatures));
  for (const agent of agents) {
    const [stated, given] = [Object.hasOwn(told.keys, agent) ? told.keys[agent] : null, keys.get(agent)];
    const what = `signatures of ${agent}`;
    if (!stated) {
      find(what, given || [...need, ...signers].includes(agent) ? "it has no key in this run" : "", "none: it has no key, so that it agreed is the operator's word");
      continue;
    }
    const key = await readKey(stated.public);
    let fault = "";
    if (key.id !== stated.keyid || key.pem !== stated.public) fault = "its key id or PEM is not the canonical one of its key";
    else if (given && given.id !== key.id) fault = `made by key ${key.id.slice(0, 16)}, and not by the one given`;
    else if (!given && need.includes(agent)) fault = "its key was not given";
    let count = 0;
    for (const { topic, turn, revision, hash, signatures } of agreements) {
      const has = Object.hasOwn(signatures, agent);
      const accepted = { accepts: hash, agent, episode, revision, settings: whole, topic, turn };
      const isValid = has && (await isSigned(key, ACCEPTANCE, accepted, signatures[agent]));
      count += isValid;
      if (has && !isValid) fault ||= `the signature is not of revision ${revision}`;
      if (!has && (given || (settings.require_signed && workflow !== "call_market"))) fault ||= `${agent} did not sign revision ${revision}`;
    }
    if (given && !agreements.length) fault ||= "nothing was agreed that it could have signed";
    find(what, fault, `${count} of ${agreements.length} agreements, by ${given ? "the key that was given" : `key ${key.id.slice(0, 16)}, which was not given`}`);
  }
  for (const name of new Set([...need, ...keys.keys(), ...Object.keys(told.keys), ...signers]))
    if (name !== "operator" && !agents.includes(name)) find(`signatures of ${name}`, "it is no party of this run");
}

async function recompute({ subject, predicate: told }, find, skip) {
  for (const name of Object.keys(told.mandates)) if (!told.agents.includes(name)) find("mandates", `${name} is no party of this run`);
  const chain = await contract(told, find);
  const game = tableOf(told);
  if (game) find("play", replayFault(game, told.record), `replayed by the table of payoffs, turns: ${told.record.length}`);
  if (!NORMS.includes(told.settings.norm)) skip("norm", `${told.settings.norm} is not computed here`);
  if (told.table) skip("rules", `that ${told.settings.game} means the table in the file: compare it with the rules that you know, or run coop check`);
  if (!game) skip("play", `the rules of ${told.settings.game} are not in the file: rewards are taken as stated`);
  for (const { turn, effects = [], actions } of told.record)
    for (const { effect, agent } of effects.filter((one) => Object.keys(one).sort().join() === "agent,effect"))
      if (!game || effect === "delegated") skip(`effect ${effect}`, `turn ${turn}: its rule is not in the file`);
      else if (effect !== "idle" || Object.hasOwn(actions, agent) || !told.agents.includes(agent)) find("play", `turn ${turn}: the effect ${effect} of ${agent} does not follow`);
  const { enforcement, deposit } = told.settings;
  if (chain.length && enforcement === "escrow" && !deposit) skip("forfeited deposits", "taken as stated: the program chose their amount");
  if (chain.some(({ terms }) => terms.some(({ clause }) => clause.kind === "give"))) skip("gifts", "taken as stated: who holds which goods is not in the file");
  const worth = worths(told, game, find, skip);
  const again = await settlement(told, chain, game, worth, find, skip);
  const settled = Object.fromEntries(["basis", "rewards", "transfers", "forfeits", "payoffs"].map((part) => [part, again[part]]));
  const hashes = [["record", told.record], ["settings", told.settings], ["settlement", settled]];
  const due = chain.length ? [{ name: "contract", digest: { sha256: chain.at(-1).hash } }] : [];
  for (const [name, content] of hashes) due.push({ name, digest: { sha256: await digest(content) } });
  find("hashes", same(subject, due) ? "" : "a hash is not of its content", `${due.length} recomputed, equal`);
  for (const agent of Object.keys(told.mandates)) skip(`mandate of ${agent}`, "coop check compares it with the deals and actions, if it is in the file");
}

/** Check the hash chain and the clauses in words; return the chain. */
async function contract(told, find) {
  const { agreements, clauses } = told;
  for (const { deal, hash } of agreements) {
    if (!isDeal(deal)) throw new Error("an agreement holds a clause that this page does not know");
    if (amountsIn(deal).some((text) => plain(exact(text)) !== text)) throw new Error("an amount is not in its shortest form");
    if ((await digest(deal)) !== hash) find("contract", "a hash differs from that of its clauses");
  }
  const plans = agreements.filter(({ topic }) => topic === "plan");
  const chain = await chainOf(plans);
  const isLinked = agreements.every(({ topic, contract: hash }) => topic === "plan" || hash === null) && plans.every((plan, i) => plan.contract === chain[i].hash);
  const words = inForce(chain.at(-1)).map(({ id, clause }) => `${id}. ${clauseWords(clause)}`);
  const fault = isLinked ? (same(words, clauses) ? "" : "the clauses in words differ from those in force") : "a hash differs from that of its history";
  find("contract", fault, `${chain.length} agreed, ${words.length} clauses in force`);
  return chain;
}

/** Return the worths of coalitions and the baseline's earnings, recomputed if the game is a table. */
function worths(told, game, find, skip) {
  const found = game && worthsOf(game, told.record);
  if (found) {
    if (told.worths) find("worths of coalitions", same(found.worths.map(plain), told.worths) ? "" : "they differ from the replays", "recomputed, equal");
    return found;
  }
  const alone = told.values.alone ? told.agents.map((agent) => exact(told.values.alone[agent])) : null;
  if (!told.worths) return { worths: null, alone, stated: true };
  if (told.worths.length !== 2 ** told.agents.length) throw new Error("there is not one worth for each coalition");
  skip("worths of coalitions", "taken as stated: the values are computed from them");
  return { worths: told.worths.map(exact), alone, stated: true };
}

async function settlement(told, chain, game, worth, find, skip) {
  const { agents, values } = told;
  const credit = worth.worths ? creditOf(agents, worth.worths, worth.alone) : {};
  const again = worth.stated ? { ...values, ...credit } : { rule: "record", method: "exact", standard_error: null, baseline: game.baseline, ...credit };
  if (!worth.worths) skip("contributions and values", "taken as stated: the worths of coalitions are not in the file");
  let settled = told;
  try {
    settled = { ...settle(told, chain, worth), values: again };
    if (!game) settled.breaches = told.breaches;
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    skip("payoffs", `taken as stated: ${error.message} cannot be recomputed here`);
    settled = { ...told, values: again };
  }
  for (const [part, what] of Object.entries(PARTS)) find(what, same(settled[part], told[part]) ? "" : "it differs from what follows from the rest", "recomputed, equal");
  return settled;
}
