// The page: it takes files and keys, and tells in words what the check found.

import { exact, fraction, plain, divide } from "./exact.js";
import { readKey } from "./envelope.js";
import { check } from "./check.js";

const STATES = { ok: "holds", wrong: "wrong", unknown: "not checked" };
const OPERATORS_WORD = "Only the operator vouches for the actions taken, for who proposed first, for the time and the version named, and that there was no other agreement.";
const KEYS_IN_FILE = " You gave no party’s key: that the keys in the file are the parties’ is the operator’s word, too.";
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;
const given = { export: null, known: new Map(), runs: 0 };
const at = (id) => document.getElementById(id);

/** Return a text in which hidden characters are seen: they could reorder or forge a line. */
const visible = (text) => String(text).replace(HIDDEN, (char) => `\\u{${char.codePointAt(0).toString(16)}}`);

/** Return an element. What a file says becomes text nodes, never markup. */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat(Infinity).map((child) => (child instanceof Node ? child : visible(child))));
  return element;
}

const name = (agent) => h("bdi", {}, agent);
/** Return a sentence with each name apart, so that names of other scripts cannot reorder its numbers. */
const apart = (text, agents) => {
  const [first, ...rest] = [...agents].sort((a, b) => b.length - a.length);
  if (first === undefined) return [text];
  return text.split(first).flatMap((piece, i) => [...(i ? [name(first)] : []), ...apart(piece, rest)]);
};
const list = (things) => things.flatMap((thing, i) => (i ? [i === things.length - 1 ? " and " : ", ", thing] : [thing]));
const amount = (micro) => plain(divide(exact(micro), fraction(1_000_000n)));

function table(head, rows) {
  const cells = (kind, row) => h("tr", {}, row.map((cell) => h(kind, {}, cell)));
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": head.join(", ") }, h("table", {}, h("thead", {}, cells("th", head)), h("tbody", {}, rows.map((row) => cells("td", row)))));
}

/** Return the sentence that says whether the file is right. */
function verdict(findings) {
  const count = (state) => findings.filter((one) => one.state === state).length;
  if (count("wrong")) return h("h2", { class: "wrong" }, `Do not rely on this file: ${count("wrong")} of ${findings.length} checks failed.`);
  if (count("unknown")) return h("h2", { class: "unknown" }, `What could be recomputed holds. ${count("unknown")} of ${findings.length} checks could not be made here.`);
  return h("h2", { class: "ok" }, `All of it holds: ${findings.length} checks.`);
}

/** Tell the run in a few sentences. */
function story(told) {
  const { agents, agreements, record, breaches, transfers, payoffs, settings } = told;
  const game = typeof settings.game === "string" ? settings.game : (settings.game.name ?? "a table of payoffs");
  const plans = agreements.filter(({ topic }) => topic === "plan").length;
  const turns = record.length === 1 ? "one turn" : `${record.length} turns`;
  const said = [[list(agents.map(name)), ` played ${turns} of ${game}. `]];
  said.push(plans ? `They agreed on a contract${plans > 1 ? ` and amended it ${plans - 1} times` : ""}. ` : "They signed no contract. ");
  if (breaches.length) said.push([list([...new Set(breaches.map(({ agent }) => agent))].map(name)), ` broke it: ${breaches.length} breaches. `]);
  else if (plans) said.push("Nobody broke it. ");
  for (const { payer, payee, amount: micro } of transfers) said.push([name(payer), " pays ", name(payee), ` ${amount(micro)}. `]);
  said.push(["In the end ", list(agents.map((agent) => [name(agent), ` has ${amount(payoffs[agent])}`])), "."]);
  return h("p", { class: "story" }, said);
}

/** Return the numbers of the run: clauses, turns, values and money. */
function details(told) {
  const { agents, clauses, record, breaches, values, rewards, forfeits, payoffs } = told;
  const value = (part, agent) => values[part]?.[agent] ?? "–";
  const actions = ({ actions: did }) => agents.map((agent) => (Object.hasOwn(did, agent) ? name(did[agent]) : "–"));
  return [
    h("h3", {}, "Contract in force at the end"),
    clauses.length ? h("ul", {}, clauses.map((clause) => h("li", {}, apart(clause, agents)))) : h("p", { class: "small" }, "There is none."),
    h("h3", {}, "Turns"),
    table(["Turn", ...agents, "Broken"], record.map((turn) => [turn.turn, ...actions(turn), breaches.filter((one) => one.turn === turn.turn).map(({ clause, agent }) => [`${clause} by `, name(agent), " "])])),
    h("h3", {}, "Values and money"),
    table(
      ["Party", "Earned", "Marginal contribution", "Shapley value", "Deposits", "Payoff"],
      agents.map((agent) => [name(agent), amount(rewards[agent]), value("marginal", agent), value("shapley", agent), amount(forfeits[agent]), amount(payoffs[agent])]),
    ),
  ];
}

function results({ findings, told }) {
  const isolated = (text) => apart(text, told?.agents ?? []);
  const line = ({ what, state, found }) => h("li", {}, h("span", { class: state }, STATES[state]), h("span", {}, h("strong", {}, isolated(what)), ": ", isolated(found)));
  const drawn = (state, title) => {
    const some = findings.filter((one) => one.state === state);
    return some.length ? [h("h3", {}, title), h("ul", { class: "findings" }, some.map(line))] : [];
  };
  return [
    verdict(findings),
    told && findings.every(({ state }) => state !== "wrong") ? [story(told)] : [],
    drawn("wrong", "What is wrong"),
    drawn("unknown", "What could not be recomputed here"),
    told && findings.every(({ state }) => state !== "wrong") ? details(told) : [],
    drawn("ok", "What was recomputed"),
    told ? h("p", { class: "small" }, OPERATORS_WORD, given.known.size ? "" : KEYS_IN_FILE) : [],
  ];
}

/** Name the known keys by the parties whose key ids they have; a key of nobody fails the check. */
async function keysFor(told) {
  const keys = new Map([["operator", at("operator").value]]);
  await readKey(keys.get("operator")); // a key that cannot be read says nothing about the file
  for (const [file, pem] of given.known) {
    const { id } = await readKey(pem);
    const of = Object.entries(told?.keys ?? {}).find(([, { keyid }]) => keyid === id);
    keys.set(of ? of[0] : `the file ${file}`, pem);
  }
  return keys;
}

/** Check what was given; only who asked for it by the button is taken to the result. */
async function run(asked) {
  const missing = [given.export ? "" : "the export", at("operator").value.trim() ? "" : "the operator’s public key"].filter(Boolean);
  const into = at("result");
  if (missing.length) {
    at("news").textContent = `Still needed: ${missing.join(" and ")}.`;
    into.replaceChildren(h("p", {}, at("news").textContent));
    return;
  }
  into.replaceChildren(h("p", {}, "Checking …"));
  const mine = (given.runs += 1);
  let shown;
  try {
    const first = await check(given.export, await keysFor(null)); // tells whose the known keys are
    const found = first.told ? await check(given.export, await keysFor(first.told)) : first;
    shown = results(found).flat(Infinity);
  } catch (error) {
    shown = [h("h2", { class: "wrong" }, "This cannot be checked."), h("p", {}, error.message)];
  }
  if (mine !== given.runs) return; // other files were given meanwhile
  into.replaceChildren(...shown);
  at("news").textContent = into.querySelector("h2").textContent;
  if (asked) into.focus();
}

/** Take dropped or chosen files: PEM is a key, and what is named operator is the operator's. */
async function take(files, whose) {
  for (const file of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const isKey = whose || String.fromCharCode(...bytes.subarray(0, 10)) === "-----BEGIN";
    if (!isKey) given.export = bytes;
    else if (whose === "operator" || (!whose && /^operator\b/.test(file.name))) at("operator").value = await file.text();
    else given.known.set(file.name, await file.text());
  }
  at("known-names").replaceChildren(visible([...given.known.keys()].join(", ")));
  if (given.export && at("operator").value) await run(false);
}

at("given").addEventListener("submit", (event) => (event.preventDefault(), run(true)));
at("export").addEventListener("change", ({ target }) => take(target.files, ""));
at("operator-file").addEventListener("change", ({ target }) => take(target.files, "operator"));
at("known").addEventListener("change", ({ target }) => (given.known.clear(), take(target.files, "party")));
at("operator").addEventListener("input", () => at("result").replaceChildren());
document.addEventListener("dragover", (event) => (event.preventDefault(), document.body.classList.add("dropping")));
document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  take(event.dataTransfer.files);
});
