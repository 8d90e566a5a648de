// The timeline of a run, oldest event first: messages, refusals, contracts, actions, payments.

import { folded, h, panel } from "./dom.js";
import { amount, colour, crowd, lasted, list, name, plural, refusal } from "./words.js";

/** A list with more lines than this is folded. */
const LONG = 8;
/** With more agents than this, equal actions are shown together. */
const CROWD = 8;

const ELEMENT = /<(s|CONSIDER|PROPOSAL|ACCEPT|REJECT)>([\s\S]*?)<\/\1>/g;

/** Return the timeline's items, one for each event, with a heading at the start of each turn. */
export function items(bundle) {
  let place = "";
  return bundle.timeline.map((event) => {
    const here = where(event, bundle);
    const heading = here === place ? null : h("h3", { class: "place" }, here);
    place = here;
    return h("li", { class: `event ${event.kind} ${event.act ?? ""}` }, heading, told(event, bundle));
  });
}

function where(event, bundle) {
  const last = bundle.game?.turns ?? 1;
  if (event.kind === "settled") return "Settlement";
  if (event.topic === "judgement") return "Judgement";
  if (event.kind === "played") return `Turn ${event.turn}`;
  if (event.topic === "split") return "Bargaining over the split";
  return event.turn > last ? "After the play" : `Before turn ${event.turn}`;
}

const TELLERS = { said: tellSaid, signed: tellSigned, played: tellPlayed, settled: tellSettled };

function told(event, bundle) {
  return TELLERS[event.kind]?.(event, bundle) ?? h("p", {}, event.kind);
}

// The cost of events

/** Return the empty element into which `billed` writes the cost of an event. */
function bill(event) {
  return h("p", { class: "spent small", "data-event": event });
}

/** Write below each event the number of calls that led to the event, their time and tokens. */
export function billed(steps, { calls }) {
  for (const place of steps.querySelectorAll(".spent")) {
    place.textContent = summed((calls ?? []).filter((one) => one.event === place.dataset.event));
  }
}

/** Return the cost in words; agents answer concurrently, so the slowest determines the time. */
function summed(rows) {
  if (rows.length === 0) return "";
  const total = (key) => rows.reduce((sum, one) => sum + one[key], 0);
  const slowest = rows.reduce((one, other) => (other.seconds > one.seconds ? other : one));
  const back = total("sent_back");
  const took = rows.length > 1 ? `${lasted(slowest.seconds)} (${slowest.agent})` : lasted(slowest.seconds);
  return [plural(total("calls"), "call") + (back ? `, ${amount(back)} sent back` : ""), took, `${amount(total("input_tokens"))} + ${amount(total("output_tokens"))} tokens`].join(" · ");
}

// Messages

/** Labels of passes that were not caused by refused answers. */
const UNREFUSED = new Set(["PASS", "BUDGET"]);

function tellSaid(event, bundle) {
  return h(
    "article",
    { class: colour(bundle.agents, event.by) },
    h(
      "p",
      { class: "who" },
      name(bundle.agents, event.by),
      h("span", { class: "verb" }, verb(event)),
      h("span", { class: "number" }, `round ${event.round} · ${event.id}`),
    ),
    event.text && speech(event.text),
    event.deal && offer(event),
    event.label && h("p", { class: "mark refused" }, `${UNREFUSED.has(event.label) ? "" : "✕ refused: "}${refusal(event.label)}`),
    bill(event.id),
    thoughts(bundle, event.id),
  );
}

/** Return a message's words; below them, a message with tags is also shown unchanged, folded. */
function speech(text) {
  const elements = [...text.matchAll(ELEMENT)];
  if (elements.length === 0) return quoted(text);
  const words = elements.filter(([, tag]) => tag !== "PROPOSAL").map(([, , said]) => said.trim());
  return [words.filter(Boolean).map(quoted), folded("The message as it was delivered", h("pre", {}, text))];
}

function quoted(text) {
  const lines = text.split("\n").length;
  if (lines <= LONG && text.length <= LONG * 80) return h("blockquote", {}, text);
  return folded(`Read it: ${plural(lines, "line")}`, h("blockquote", {}, text));
}

function verb(event) {
  if (event.topic === "contract" && event.act === "propose") return "writes the contract down";
  if (event.topic === "judgement" && event.act === "claim") return "judges";
  const number = event.about ? ` #${event.about}` : "";
  const counter = event.puts && event.act === "reject" ? ` and puts #${event.puts}` : "";
  switch (event.act) {
    case "propose":
      return `proposes${event.puts ? ` #${event.puts}` : ""}`;
    case "write":
      return `writes the contract down${event.puts ? `, as #${event.puts}` : ""}`;
    case "accept":
      return `accepts${number}`;
    case "reject":
      return `rejects${number}${counter}`;
    case "leave":
      return `leaves${number}`;
    case "pass":
      return event.label && !UNREFUSED.has(event.label) ? "passes, after its last try" : "passes";
    case "claim":
      return "claims";
    default:
      return String(event.act);
  }
}

function offer(event) {
  const stands = event.puts ? `✓ valid, stands as #${event.puts}` : "✓ valid, does not come to stand";
  const lines = h("ol", {}, event.deal.text.map((line) => h("li", {}, line)));
  return h(
    "div",
    { class: "deal" },
    event.deal.text.length > LONG ? folded(plural(event.deal.text.length, "clause"), lines) : lines,
    h("p", { class: "mark valid" }, stands, h("code", {}, event.deal.hash.slice(0, 12))),
  );
}

// Signatures, turns, settlement

function tellSigned(event) {
  return h(
    "article",
    { class: "seal" },
    h(
      "p",
      { class: "who" },
      h("strong", {}, event.previous ? "The contract is amended" : "A contract is signed"),
      h("code", {}, event.hash.slice(0, 12)),
    ),
    h("p", { class: "small" }, `by ${crowd(event.by)}, from turn ${event.turn}`),
  );
}

function tellPlayed(event, bundle) {
  const idle = bundle.agents.filter((agent) => !(agent in event.actions));
  return h(
    "article",
    {},
    h("ul", { class: "actions" }, grouped(event).map((group) => acted(group, bundle))),
    idle.length > 0 && h("p", { class: "small" }, `${crowd(idle)}: no action`),
    event.pot ? h("p", { class: "small" }, `team reward ${amount(event.pot)}`) : null,
    event.breaches.map((breach) =>
      h("p", { class: "mark refused" }, `✕ breach of ${breach.clause}: ${breach.evidence.replace(/^turn \d+: /, "")}`),
    ),
    event.due.map((pay) =>
      h("p", { class: "mark due" }, `● ${pay.clause}: ${pay.payer} owes ${pay.payee} ${amount(pay.amount)}`),
    ),
    effects(event.effects ?? []),
    bill(`turn ${event.turn}`),
    thoughts(bundle, `turn ${event.turn}`),
  );
}

/** Return the actions: one item per agent or, with many agents, one per action and reward. */
function grouped({ actions, rewards }) {
  const each = Object.entries(actions).map(([agent, action]) => ({ agents: [agent], action, reward: rewards[agent] }));
  if (each.length <= CROWD) return each;
  const groups = new Map();
  for (const one of each) {
    const key = JSON.stringify([one.action, one.reward]);
    if (groups.has(key)) groups.get(key).agents.push(...one.agents);
    else groups.set(key, one);
  }
  return [...groups.values()];
}

function acted({ agents, action, reward }, bundle) {
  const who = agents.length === 1 ? name(bundle.agents, agents[0]) : h("span", { class: "name", title: list(agents) }, crowd(agents));
  return h("li", {}, who, h("span", { class: "action" }, action), h("span", { class: "reward" }, amount(reward)));
}

/** Return the other effects of a turn; many effects are folded and counted by kind. */
function effects(all) {
  if (all.length === 0) return null;
  const lines = h("ul", { class: "effects" }, all.map(effect));
  if (all.length <= 2 && !lines.querySelector("details")) return lines;
  const kinds = [...new Set(all.map((one) => one.effect))];
  const counts = kinds.map((kind) => [kind, all.filter((one) => one.effect === kind).length]);
  return folded(counts.map(([kind, count]) => (count > 1 ? `${count} × ${kind}` : kind)).join(", "), lines);
}

function effect({ effect: what, ...facts }) {
  const told = Object.entries(facts).map(([key, value]) => [key, plain(value)]);
  const short = told.filter(([, text]) => !long(text)).map(([key, text]) => (key === "agent" || key === "agents" ? text : `${key} ${text}`));
  const rest = told.filter(([, text]) => long(text)).map(([key, text]) => folded(key, h("pre", {}, text)));
  return h("li", {}, h("span", { class: "action" }, what), ` ${short.join(" · ")}`, rest);
}

function long(text) {
  return text.length > 80 || text.includes("\n");
}

function plain(value) {
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return list(value.map(plain));
  return typeof value === "object" ? JSON.stringify(value, null, 1) : String(value);
}

function tellSettled(event, bundle) {
  const basis = {
    none: "Nothing was agreed: each agent keeps its rewards",
    contract: "The signed contract decides",
    redistribution: "The split that all accepted decides",
  }[event.basis];
  const entered = event.ledger === "paid" ? "✓ paid, once" : "not paid: this branch is counterfactual";
  const payoffs = Object.entries(event.payoffs);
  const paid = h(
    "ul",
    { class: "actions" },
    payoffs.map(([agent, payoff]) => h("li", {}, name(bundle.agents, agent), h("span", { class: "reward" }, amount(payoff)))),
  );
  return h(
    "article",
    { class: "seal" },
    h("p", {}, h("strong", {}, basis ?? String(event.basis))),
    h("ol", { class: "small" }, (bundle.outcome?.redistribution ?? []).map((one) => h("li", {}, one.text))),
    payoffs.length > CROWD ? folded(plural(payoffs.length, "payoff"), paid) : paid,
    h("p", { class: "mark valid" }, entered),
  );
}

// The operator's view

function thoughts(bundle, event) {
  return withheld(bundle, (note) => note.event === event);
}

function withheld(bundle, wanted) {
  const notes = (bundle.private ?? []).filter(wanted);
  if (notes.length === 0) return null;
  const refused = notes.filter((note) => note.fault).length;
  const also = refused ? `, ${plural(refused, "draft")} sent back` : "";
  const made = folded(`In private: ${plural(notes.length, "answer")}${also}`, notes.map((note) => thought(note, bundle)));
  made.className = "private";
  return made;
}

/** Return the panel with private answers that have not led to an event, for the operator. */
export function unsaid(bundle) {
  const known = new Set(bundle.timeline.map((event) => (event.kind === "played" ? `turn ${event.turn}` : event.id)));
  const found = withheld(bundle, (note) => !known.has(note.event));
  return found && panel("unsaid", "Private so far", null, found);
}

function thought(note, bundle) {
  return h(
    "div",
    { class: "note" },
    h(
      "p",
      { class: "small" },
      name(bundle.agents, note.agent),
      ` ${note.act}, attempt ${note.attempt}, ${note.model}, ${lasted(note.seconds)}`,
    ),
    h("pre", {}, note.text),
    note.fault && h("p", { class: "mark refused" }, `✕ ${note.fault.label}: ${note.fault.feedback}`),
    folded("The letter", h("pre", {}, note.letter)),
  );
}

/** Return one line about an event, for screen readers. */
export function spoken(event) {
  if (event.kind === "said") return `${event.by} ${verb(event)}: ${JSON.stringify(event.text)}`;
  if (event.kind === "played") return `Turn ${event.turn} is played`;
  return event.kind === "signed" ? "A contract is signed" : "The run is settled";
}
