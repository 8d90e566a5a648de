// Numbers and names as people read them.

import { h } from "./dom.js";

/** Amounts this close differ by rounding alone. */
export const ROUNDING = 2e-6;

const COLOURS = 8;
const NAMED = 6;

/** An amount with up to three decimals and a proper minus sign. */
export function amount(value) {
  if (value == null) return "–";
  const text = Math.abs(value).toLocaleString("en", { maximumFractionDigits: 3 });
  return value < 0 && text !== "0" ? `−${text}` : text;
}

/** An amount with its sign, for differences. */
export function signed(value) {
  const text = amount(value);
  return value > 0 && text !== "0" ? `+${text}` : text;
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

/** Minutes are enough: `2026-11-21 08:44`. */
export function moment(time) {
  return String(time ?? "").slice(0, 16).replace("T", " ");
}

export function list(names) {
  const all = [...names];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

/** The names of some agents, or how many they are. */
export function crowd(names) {
  return names.length > NAMED ? `${names.length} agents` : list(names);
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

const STATUS = { agreed: "agreed", no_deal: "no deal", error: "error", budget: "budget used up" };

/** How a run stands, in a word or two. */
export function status(run) {
  if (run.state === "failed") return "stopped";
  if (run.state === "started" && !run.outcome) return "running";
  return STATUS[run.status] ?? String(run.status ?? run.state);
}

const REFUSALS = {
  ABLE: "a promise that its author could never keep",
  ACK: "an offer stood unanswered",
  ACTION: "an action that was not open to it",
  BUDGET: "nothing was left of its budget",
  CLAIM: "no claim from 0 to 100 %",
  CLASH: "two duties that cannot both be kept",
  CLAUSE: "a clause that cannot be read",
  CUT: "the answer was cut off by its length limit",
  DIFF: "a text that says something other than the clauses",
  DROP: "it ended a clause that does not stand",
  DUP: "the same element twice",
  EMP: "somebody was left without a task",
  EMPTY: "a deal without a clause",
  JSON: "terms that are no valid JSON",
  JUDGE: "no one verdict on each clause",
  KIND: "a clause that has no place here",
  LONG: "it was longer than a message may be",
  MAT: "tasks that nobody would hold",
  MDA: "more than one description for one agent",
  MET: "an element that was never closed",
  MPT: "nothing of the kind that was asked for",
  NAME: "somebody who is no party",
  NORM: "a norm that is not on offer",
  OVL: "a task in two hands",
  PAY: "a payment that cannot be made",
  RESERVE: "less than its author is to accept",
  SHARE: "a split that is not one whole",
  SHEET: "a sheet that does not fit the tasks",
  SIZE: "the message was too long",
  STALE: "it accepted what no longer stands",
  TAG: "an element that this protocol does not have",
  TEXT: "characters that are no text",
  TURN: "a turn that never comes",
  UNK: "a description that is not registered",
  UNWRITTEN: "no clauses could be made of the words",
  VOID: "it was not the time for it",
  WORDS: "words that no clause covers",
};

/** Why a message was refused, from its label. */
export function refusal(label) {
  return REFUSALS[label] ? `${REFUSALS[label]} (${label})` : String(label);
}
