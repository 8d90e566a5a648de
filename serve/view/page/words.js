// Numbers and names as people read them.

import { h } from "./dom.js";
import { REFUSALS } from "./labels.js";

/** Amounts this close differ by rounding alone. */
export const ROUNDING = 2e-6;

const COLOURS = 8;
const NAMED = 6;

/** An amount with up to three decimals and a proper minus sign. */
export function amount(value) {
  return value == null ? "–" : written(value, 3);
}

function written(value, digits) {
  const text = Math.abs(value).toLocaleString("en", { maximumFractionDigits: digits });
  return value < 0 && text !== "0" ? `−${text}` : text;
}

/** An amount with its sign, for differences. */
export function signed(value) {
  const text = amount(value);
  return value > 0 && text !== "0" ? `+${text}` : text;
}

/** An amount to the millionth, as it is settled. */
export function exactly(value) {
  return written(value, 6);
}

/** The same as a step up or down. */
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

/** Seconds, as fine as matters. */
export function lasted(seconds) {
  return seconds < 0.01 ? "under 0.01 s" : `${seconds.toLocaleString("en", { maximumFractionDigits: seconds < 10 ? 2 : 0 })} s`;
}

/** `escape_room` as a title. */
export function title(name) {
  const words = String(name).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A text of at most so many characters. */
export function cut(text, longest) {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
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

const STATUS = {
  agreed: "agreed",
  no_deal: "no deal",
  no_play: "no play",
  unreadable: "unreadable",
  error: "error",
  budget: "budget used up",
};

/** Whether more of a run is to come. */
export function alive(run) {
  return run.state === "started" || run.state === "waiting";
}

/** How a run stands, in a word or two. */
export function status(run) {
  if (run.state === "failed") return "stopped";
  if (run.state === "waiting" && !run.outcome) return "waiting";
  if (run.state === "started" && !run.outcome) return "running";
  return STATUS[run.status] ?? String(run.status ?? run.state);
}

/** Why a message was refused, from its label. */
export function refusal(label) {
  return REFUSALS[label] ? `${REFUSALS[label]} (${label})` : String(label);
}
