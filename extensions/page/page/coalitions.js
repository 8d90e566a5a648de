// The worth v(C) of each coalition: as named bars or, if there are many, as columns in order.

import { ticks } from "./axis.js";
import { folded, h, panel, s, table } from "./dom.js";
import { amount, cut, list } from "./words.js";

/** With up to this many agents each coalition has a bar with its name. */
const FEW = 4;
const TALL = 180;
/** The most characters of a name beside its bar, and above its bar. */
const [BESIDE, ABOVE] = [26, 44];
const SLIM = matchMedia("(max-width: 600px)");

/** Return the panel with v(C) of every coalition of a small game. */
export function coalitions(bundle) {
  const it = bundle.credit?.worths;
  if (!it) return null;
  const few = bundle.agents.length <= FEW;
  const all = table(
    "What each coalition is worth",
    ["C", "v(C)"],
    it.each.map((one) => [called(one.members, bundle), amount(one.worth)]),
  );
  const ends = [...it.each].sort((one, other) => one.worth - other.worth);
  const told = [ends[0], ends.at(-1)].map((one) => `${amount(one.worth)} (${called(one.members, bundle)})`);
  return panel(
    "coalitions",
    "What coalitions are worth",
    null,
    h("p", { class: "finding" }, `${it.words}.`),
    h("figure", {}, few ? bars(it.each, bundle) : columns(it.each, bundle)),
    !few && h("p", { class: "small" }, `In order, from ${told[0]} to ${told[1]}.`),
    folded(`All ${it.each.length} coalitions as a table`, all),
  );
}

function called(members, { agents }) {
  if (members.length === 0) return "nobody";
  return members.length === agents.length ? "all" : list(members);
}

/** Return the scale from worths to coordinates, whose range includes 0. */
function spread(each, from, to) {
  const low = Math.min(0, ...each.map((one) => one.worth));
  const high = Math.max(0, ...each.map((one) => one.worth)) || low + 1;
  const at = (worth) => from + ((worth - low) / (high - low)) * (to - from);
  return { low, high, at };
}

/** Return one bar per coalition, with the name beside the bar, or above it on narrow screens. */
function bars(each, bundle) {
  const slim = SLIM.matches;
  const [wide, label, height, down] = slim ? [340, 0, 36, 16] : [660, 190, 20, 0];
  const tall = height * each.length + 22;
  const { low, high, at } = spread(each, label + 12, wide - 62);
  return s(
    "svg",
    { class: "wide", viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": "The worth of each coalition" },
    ticks(low, high).map((value) => [
      s("line", { class: value === 0 ? "axis" : "grid", x1: at(value), x2: at(value), y1: 2, y2: tall - 18 }),
      s("text", { class: "tick middle", x: at(value), y: tall - 4 }, amount(value)),
    ]),
    each.map(({ members, worth }, n) => {
      const y = height * n + 3;
      const text = called(members, bundle);
      return s(
        "g",
        {},
        s("title", {}, `${text}: ${amount(worth)}`),
        s("text", { class: slim ? "step" : "end step", x: label, y: y + 12 }, cut(text, slim ? ABOVE : BESIDE)),
        s("rect", { class: worth < 0 ? "bar less" : "bar", x: Math.min(at(0), at(worth)), y: y + down, width: Math.abs(at(worth) - at(0)), height: 14 }),
        s("text", { class: "step", x: Math.max(at(0), at(worth)) + 6, y: y + down + 12 }, amount(worth)),
      );
    }),
  );
}

function columns(each, bundle) {
  const [wide, left] = SLIM.matches ? [340, 44] : [660, 52];
  const sorted = [...each].sort((one, other) => one.worth - other.worth);
  const { low, high, at } = spread(each, TALL - 6, 8);
  const step = (wide - left) / sorted.length;
  return s(
    "svg",
    { class: "wide", viewBox: `0 0 ${wide} ${TALL}`, role: "img", "aria-label": "The worths of all coalitions, in order" },
    ticks(low, high).map((value) => [
      s("line", { class: value === 0 ? "axis" : "grid", x1: left, x2: wide, y1: at(value), y2: at(value) }),
      s("text", { class: "tick end", x: left - 6, y: at(value) + 4 }, amount(value)),
    ]),
    sorted.map(({ members, worth }, n) =>
      s(
        "rect",
        { class: worth < 0 ? "bar less" : "bar", x: left + n * step, y: Math.min(at(0), at(worth)), width: Math.max(step * 0.8, 0.6), height: Math.abs(at(worth) - at(0)) },
        s("title", {}, `${called(members, bundle)}: ${amount(worth)}`),
      ),
    ),
  );
}
