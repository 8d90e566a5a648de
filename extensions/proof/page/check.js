// The check of a file: its signatures, and everything in it that follows from something else.

import { compare, equal, exact, plain, total, fraction } from "./exact.js";
import { canonical, digest, isSigned, openEnvelope, readEnvelope, readKey, same } from "./envelope.js";
import { isDeal, isStatement } from "./shapes.js";
import { amountsIn, chainOf, clauseWords, inForce } from "./contract.js";
import { NORMS, creditOf, replayFault, tableOf, worthsOf } from "./values.js";
import { Unknown, settle } from "./settle.js";

const IN_TOTO = "application/vnd.in-toto+json";
const ACCEPTANCE = "application/vnd.coop.acceptance+json";
const MANDATE = "application/vnd.coop.mandate+json";
const PARTS = {
  breaches: "breaches", values: "contributions and values", basis: "basis", rewards: "rewards",
  transfers: "transfers", forfeits: "forfeited deposits", payoffs: "payoffs",
};

/**
 * Check the bytes of a file by public keys: `operator`, an agent's name or `principal.NAME` → PEM.
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
    await recompute(envelope.content, keys, find, (what, found) => findings.push({ what, state: "unknown", found }));
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
      find(what, given || [...need, ...signers].includes(agent) ? "it has no key in this run" : "", "it has no key in this run");
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
    if (name !== "operator" && !agents.includes(name.replace(/^principal\./, ""))) find(`signatures of ${name}`, "it is no party of this run");
}

async function recompute({ subject, predicate: told }, keys, find, skip) {
  for (const name of Object.keys(told.mandates)) if (!told.agents.includes(name)) find("mandates", `${name} is no party of this run`);
  const chain = await contract(told, find);
  const game = tableOf(told);
  if (game) find("play", replayFault(game, told.record), `${told.record.length} turns replayed by the table of payoffs`);
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
  for (const agent of told.agents) await mandate(told, agent, keys.get(`principal.${agent}`), find, skip);
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
  if (!told.worths) return { worths: null, alone };
  if (told.worths.length !== 2 ** told.agents.length) throw new Error("there is not one worth for each coalition");
  skip("worths of coalitions", "taken as stated: the values are computed from them");
  return { worths: told.worths.map(exact), alone };
}

async function settlement(told, chain, game, worth, find, skip) {
  const { agents, values } = told;
  const again = { values };
  if (worth.worths) {
    const rule = game ? { rule: game.worth, baseline: game.baseline } : { rule: values.rule, baseline: { ...values.baseline, actions: new Map(Object.entries(values.baseline?.actions ?? {})) } };
    again.values = creditOf(agents, worth.worths, { ...rule, alone: worth.alone });
    if (!game) again.values = { ...again.values, method: values.method, ...(values.baseline && { baseline: values.baseline }) };
  } else skip("contributions and values", "taken as stated: the worths of coalitions are not in the file");
  let settled = told;
  try {
    settled = { ...settle(told, chain, worth), values: again.values };
    if (!game) settled.breaches = told.breaches;
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    skip("payoffs", `taken as stated: ${error.message} cannot be recomputed here`);
    settled = { ...told, values: again.values };
  }
  for (const [part, what] of Object.entries(PARTS)) find(what, same(settled[part], told[part]) ? "" : "it differs from what follows from the rest", "recomputed, equal");
  return settled;
}

/** Check a mandate that is shown: its signature, its hash, and the actions that it forbids. */
async function mandate(told, agent, principal, find, skip) {
  const what = `mandate of ${agent}`;
  const stated = Object.hasOwn(told.mandates, agent) ? told.mandates[agent] : null;
  if (!stated) return principal && find(what, "there is none, but its key was given");
  if (principal && principal.id !== stated.principal) return find(what, "it is not signed by the principal that was given");
  if (!stated.envelope) return principal ? find(what, "its key was given, and it is not shown") : skip(what, "it is not in the file");
  const { type, content, message, signatures } = openEnvelope(stated.envelope);
  const key = await readKey(content.principal);
  const isValid = type === MANDATE && signatures.length === 1 && signatures[0].keyid === key.id && (await key.verifies(message, signatures[0].sig));
  if (!isValid) return find(what, "it is not signed by the principal that it names");
  const isSame = (await digest(stated.envelope)) === stated.sha256 && key.id === stated.principal && content.agent === agent;
  if (!isSame) return find(what, "it is another mandate than the one enforced in the run");
  const done = told.record.find(({ actions }) => (content.never ?? []).includes(actions[agent]));
  find(what, done ? `turn ${done.turn}: it did ${done.actions[agent]}` : "", "signed by its principal; no forbidden action was taken");
  skip(what, "whether the deals kept its limits of money and time is not recomputed here");
}
