// Numbers and names as people read them.

import { h } from "./dom.js";

const COLOURS = 8;

/** An amount with up to three decimals and a proper minus sign. */
export function amount(value) {
  if (value == null) return "–";
  const text = Math.abs(value).toLocaleString("en", { maximumFractionDigits: 3 });
  return value < 0 && text !== "0" ? `−${text}` : text;
}

/** An amount with its sign, for differences. */
export function signed(value) {
  return value > 0 ? `+${amount(value)}` : amount(value);
}

export function percent(part) {
  return part == null ? "–" : `${amount(Math.round(part * 1000) / 10)} %`;
}

export function plural(count, one, many = `${one}s`) {
  return `${amount(count)} ${count === 1 ? one : many}`;
}

/** `escape_room` as a title. */
export function title(name) {
  const words = String(name).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function list(names) {
  const all = [...names];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

/** The class that gives an agent its colour, by its place at the table. */
export function colour(agents, agent) {
  const place = agents.indexOf(agent);
  return place < 0 ? "nobody" : `agent${place % COLOURS}`;
}

/** An agent's name in its colour. */
export function name(agents, agent) {
  return h("span", { class: `name ${colour(agents, agent)}` }, agent);
}

const REFUSALS = {
  ACK: "an offer stood unanswered",
  ACTION: "an action that was not open to it",
  CLAIM: "no claim from 0 to 100 %",
  CLASH: "two duties that cannot both be kept",
  CLAUSE: "a clause that cannot be read",
  CUT: "the answer was cut off by its length limit",
  DROP: "it ended a clause that does not stand",
  DUP: "the same element twice",
  EMPTY: "a deal without a clause",
  JSON: "terms that are no valid JSON",
  KIND: "a clause that has no place here",
  MET: "an element that was never closed",
  MPT: "nothing of the kind that was asked for",
  NAME: "somebody who is no party",
  NORM: "a norm that is not on offer",
  PAY: "a payment that cannot be made",
  SHARE: "a split that is not one whole",
  SIZE: "the message was too long",
  STALE: "it accepted what no longer stands",
  TAG: "an element that this protocol does not have",
  TEXT: "characters that are no text",
  TURN: "a turn that never comes",
  VOID: "it was not the time for it",
};

/** Why a message was refused, from its label. */
export function refusal(label) {
  return REFUSALS[label] ? `${REFUSALS[label]} (${label})` : String(label);
}
