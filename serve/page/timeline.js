// What happened, oldest first: who said what, whether it stood, what was signed, done and paid.

import { h } from "./dom.js";
import { amount, list, name, plural, refusal } from "./words.js";

/** The items of the timeline, one for each event, with a heading where a turn begins. */
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
  if (event.kind === "played") return `Turn ${event.turn}`;
  if (event.topic === "split") return "Bargaining over the split";
  return event.turn > last ? "After the play" : `Before turn ${event.turn}`;
}

const TELLERS = { said: tellSaid, signed: tellSigned, played: tellPlayed, settled: tellSettled };

function told(event, bundle) {
  return TELLERS[event.kind]?.(event, bundle) ?? h("p", {}, event.kind);
}

// Said

function tellSaid(event, bundle) {
  return h(
    "article",
    {},
    h(
      "p",
      { class: "who" },
      name(bundle.agents, event.by),
      h("span", { class: "verb" }, verb(event)),
      h("span", { class: "number" }, `round ${event.round} · ${event.id}`),
    ),
    event.text && h("blockquote", {}, event.text),
    event.deal && offer(event),
    event.label && h("p", { class: "mark refused" }, `✕ refused: ${refusal(event.label)}`),
    thoughts(bundle, (note) => matches(note, event)),
  );
}

function verb(event) {
  const number = event.about ? ` #${event.about}` : "";
  const counter = event.puts && event.act === "reject" ? ` and puts #${event.puts}` : "";
  switch (event.act) {
    case "propose":
      return `proposes${event.puts ? ` #${event.puts}` : ""}`;
    case "accept":
      return `accepts${number}`;
    case "reject":
      return `rejects${number}${counter}`;
    case "pass":
      return event.label ? "passes, after its last try" : "passes";
    case "claim":
      return "claims";
    default:
      return String(event.act);
  }
}

function offer(event) {
  const stands = event.puts ? `✓ valid, stands as #${event.puts}` : "✓ valid, does not come to stand";
  return h(
    "div",
    { class: "deal" },
    h("ol", {}, event.deal.text.map((line) => h("li", {}, line))),
    h("p", { class: "mark valid" }, stands, h("code", {}, event.deal.hash.slice(0, 12))),
  );
}

// Signed, played, settled

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
    h("p", { class: "small" }, `by ${list(event.by)}, from turn ${event.turn}`),
  );
}

function tellPlayed(event, bundle) {
  const rows = Object.entries(event.actions).map(([agent, action]) =>
    h(
      "li",
      {},
      name(bundle.agents, agent),
      h("span", { class: "action" }, action),
      h("span", { class: "reward" }, amount(event.rewards[agent])),
    ),
  );
  const idle = bundle.agents.filter((agent) => !(agent in event.actions));
  return h(
    "article",
    {},
    h("ul", { class: "actions" }, rows),
    idle.length > 0 && h("p", { class: "small" }, `${list(idle)}: no action`),
    event.pot ? h("p", { class: "small" }, `team reward ${amount(event.pot)}`) : null,
    event.breaches.map((breach) =>
      h("p", { class: "mark refused" }, `✕ breach of ${breach.clause}: ${breach.evidence}`),
    ),
    event.due.map((pay) =>
      h("p", { class: "mark due" }, `${pay.clause}: ${pay.payer} owes ${pay.payee} ${amount(pay.amount)}`),
    ),
    (event.effects ?? []).map((effect) => h("p", { class: "small" }, happened(effect))),
    thoughts(bundle, (note) => note.act === "act" && note.turn === event.turn),
  );
}

function happened({ effect, ...facts }) {
  const told = Object.entries(facts).map(([key, value]) => (who(key) ? plain(value) : `${key} ${plain(value)}`));
  return [effect, ...told].join(" · ");
}

function who(key) {
  return key === "agent" || key === "agents";
}

function plain(value) {
  if (Array.isArray(value)) return list(value.map(plain));
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function tellSettled(event, bundle) {
  const basis = {
    none: "Nobody agreed on anything: everybody keeps what it earned",
    contract: "The signed contract decides",
    redistribution: "The agreed redistribution decides, and replaces what was signed",
  }[event.basis];
  const paid = event.ledger === "paid" ? "✓ paid, once" : "not paid: this branch is counterfactual";
  return h(
    "article",
    { class: "seal" },
    h("p", {}, h("strong", {}, basis ?? String(event.basis))),
    h(
      "ul",
      { class: "actions" },
      Object.entries(event.payoffs).map(([agent, payoff]) =>
        h("li", {}, name(bundle.agents, agent), h("span", { class: "reward" }, amount(payoff))),
      ),
    ),
    h("p", { class: "mark valid" }, paid),
  );
}

// The operator's view

const ASKED = {
  propose: ["propose", "propose_split"],
  accept: ["answer", "answer_split"],
  reject: ["answer", "answer_split"],
  claim: ["claim"],
  pass: ["propose", "propose_split", "answer", "answer_split", "claim"],
};

function matches(note, event) {
  const topic = (event.topic === "split") === (note.turn == null);
  const turn = note.turn == null || note.turn === event.turn;
  const asked = ASKED[event.act]?.includes(note.act) || (note.act === "reason" && event.round === 1);
  return asked && topic && turn && note.agent === event.by && note.round === event.round;
}

function thoughts(bundle, wanted) {
  const notes = (bundle.private ?? []).filter(wanted);
  if (notes.length === 0) return null;
  const refused = notes.filter((note) => note.fault).length;
  const also = refused ? `, ${plural(refused, "draft")} sent back` : "";
  return h(
    "details",
    { class: "private" },
    h("summary", {}, `In private: ${plural(notes.length, "answer")}${also}`),
    notes.map((note) => thought(note, bundle)),
  );
}

function thought(note, bundle) {
  return h(
    "div",
    { class: "note" },
    h(
      "p",
      { class: "small" },
      name(bundle.agents, note.agent),
      ` ${note.act}, attempt ${note.attempt}, ${note.model}`,
    ),
    h("pre", {}, note.text),
    note.fault && h("p", { class: "mark refused" }, `✕ ${note.fault.label}: ${note.fault.feedback}`),
    h("details", {}, h("summary", {}, "The letter"), h("pre", {}, note.letter)),
  );
}

/** A one-line telling, for those who hear the page. */
export function spoken(event) {
  if (event.kind === "said") return `${event.by} ${verb(event)}: ${event.text}`;
  if (event.kind === "played") return `Turn ${event.turn} is played`;
  return event.kind === "signed" ? "A contract is signed" : "The run is settled";
}
