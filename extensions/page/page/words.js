// Functions that write numbers and names for people.

import { h } from "./dom.js";
import { REFUSALS } from "./labels.js";

/** Amounts that differ by less than this differ only by rounding. */
export const ROUNDING = 2e-6;

/** Word of the apparatus → its meaning. */
export const MEANS = {
  "Worth of a group, v(C)": "what a group of agents brings about without the others; N are all agents, ∅ is nobody",
  "Marginal contribution, v(N) − v(N∖i)": "what is lost if this agent alone is missing",
  "Leave-one-out": "the marginal contributions, scaled so that they sum to what all bring about",
  "Shapley value φ": "what it adds to the others, on average over all orders in which they could have come together",
  Due: "what an agent would end with if all were divided by Shapley values",
  Norm: "a rule for fair shares, such as division by Shapley values, or equal parts",
  Nucleolus: "the division that leaves the group with most reason to complain as little of it as can be",
  Core: "the divisions in which no group ends with less than it is worth by itself",
};

const COLOURS = 8;
const NAMED = 6;

/** Return an amount with up to three decimals and a real minus sign. */
export function amount(value) {
  return value == null ? "–" : written(value, 3);
}

function written(value, digits) {
  const text = Math.abs(value).toLocaleString("en", { maximumFractionDigits: digits });
  return value < 0 && text !== "0" ? `−${text}` : text;
}

/** Return an amount with a plus or minus sign, for differences. */
export function signed(value) {
  const text = amount(value);
  return value > 0 && text !== "0" ? `+${text}` : text;
}

/** Return an amount to the millionth, as in the settlement. */
export function exactly(value) {
  return written(value, 6);
}

/** Return an amount to the millionth with a plus or minus sign. */
export function gained(value) {
  const text = exactly(value);
  return value > 0 && text !== "0" ? `+${text}` : text;
}

export function percent(part) {
  return part == null ? "–" : `${amount(Math.round(part * 1000) / 10)} %`;
}

export function plural(count, one, many = `${one}s`) {
  return `${amount(count)} ${count === 1 ? one : many}`;
}

/** Return seconds in words, with fewer decimals for longer times. */
export function lasted(seconds) {
  return seconds < 0.01 ? "under 0.01 s" : `${seconds.toLocaleString("en", { maximumFractionDigits: seconds < 10 ? 2 : 0 })} s`;
}

/** Return a name such as `escape_room` as a title. */
export function title(name) {
  const words = String(name).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Return a text, cut to at most `longest` characters. */
export function cut(text, longest) {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** Return a time to the minute: `2026-11-21 08:44`. */
export function moment(time) {
  return String(time ?? "").slice(0, 16).replace("T", " ");
}

export function list(names) {
  const all = [...names];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

/** Return the names of some agents or, if there are many, their number. */
export function crowd(names) {
  return names.length > NAMED ? `${names.length} agents` : list(names);
}

/** Return the CSS class with an agent's colour, by the agent's position in the list. */
export function colour(agents, agent) {
  const place = agents.indexOf(agent);
  return place < 0 ? "nobody" : `agent${place % COLOURS}`;
}

/** Return an agent's name in the agent's colour. */
export function name(agents, agent) {
  return h("span", { class: `name ${colour(agents, agent)}` }, agent);
}

const STATUS = {
  agreed: "agreed",
  no_deal: "no deal",
  no_play: "no play",
  unreadable: "unreadable",
  error: "error",
  budget: "budget used up",
};

/** Return whether a run can have further events. */
export function alive(run) {
  return run.state === "started" || run.state === "waiting";
}

/** Return the state of a run in a word or two. */
export function status(run) {
  if (run.state === "failed") return "stopped";
  if (run.state === "waiting" && !run.outcome) return "waiting";
  if (run.state === "started" && !run.outcome) return "running";
  return STATUS[run.status] ?? String(run.status ?? run.state);
}

/** Return the reason of a refusal, given its label. */
export function refusal(label) {
  return REFUSALS[label] ? `${REFUSALS[label]} (${label})` : String(label);
}
