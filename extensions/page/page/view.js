// The viewer of one run, from this file or from the server, live or in replay.

import { coalitions } from "./coalitions.js";
import { contract, escrow, plan } from "./contract.js";
import { announce, h, redraw } from "./dom.js";
import { ends } from "./ends.js";
import { at } from "./moment.js";
import { computed, cost, credit, ledger, rules } from "./panels.js";
import { payoffs } from "./plane.js";
import { controls } from "./replay.js";
import { shelf } from "./shelf.js";
import { side } from "./side.js";
import { follow, load, runs } from "./source.js";
import { talks } from "./talks.js";
import { tiles } from "./tiles.js";
import { billed, items, spoken, unsaid } from "./timeline.js";
import { waterfall } from "./waterfall.js";
import { alive, colour, moment, status, title } from "./words.js";

const FORMAT = 3;
/** A timeline scrolled to within this many pixels of its end follows new events. */
const NEAR = 80;
const PANELS = [unsaid, contract, plan, escrow, rules, computed, credit, coalitions, waterfall, payoffs, ledger, cost];

const app = document.getElementById("app");

/** Make the viewer of a run; the returned function draws a newer bundle of the run. */
function viewer(offers) {
  let bundle = null;
  let shown = [];
  const head = h("header", { class: "head" });
  const scores = h("ul", { class: "tiles", "aria-label": "In figures" });
  const sum = h("div", { class: "sum" });
  const jumps = h("nav", { class: "jumps", "aria-label": "On this page" });
  const steps = h("ol", { class: "timeline" });
  const panels = h("div", { class: "panels" });
  const replay = controls(show);
  const rail = h("section", { id: "timeline", "aria-label": "Timeline", tabindex: -1 }, replay.bar, steps);
  app.replaceChildren(head, scores, sum, jumps, h("main", {}, rail, panels));

  function show(count, walked) {
    const now = at(bundle, count);
    shown.forEach((item, n) => item.classList.toggle("later", n >= count));
    shown.forEach((item, n) => item.classList.toggle("latest", n === count - 1));
    if (walked) shown[Math.max(0, count - 1)]?.scrollIntoView({ block: "nearest" });
    scores.replaceChildren(...tiles(now));
    const drawn = PANELS.map((draw) => draw(now)).filter(Boolean);
    redraw(sum, [ends(now)].filter(Boolean));
    redraw(panels, drawn);
    jumps.replaceChildren(jump("timeline", "Timeline"), ...drawn.map((one) => jump(one.id, one.querySelector("h2").textContent)));
  }

  return function update(next) {
    const known = shown.length;
    bundle = next;
    document.title = `${title(bundle.game?.name ?? bundle.run)} · ${bundle.graph}`;
    head.replaceChildren(...heading(bundle, offers));
    // Existing items are not replaced, so the scroll position and opened notes stay.
    const fresh = items(bundle).slice(known);
    shown = [...shown, ...fresh];
    const followed = known && rail.scrollHeight - rail.scrollTop - rail.clientHeight < NEAR;
    steps.append(...fresh);
    billed(steps, bundle);
    if (followed) rail.scrollTop = rail.scrollHeight;
    if (bundle.timeline.length === 0) steps.replaceChildren(h("li", { class: "empty" }, "Nothing has been said yet."));
    else steps.querySelector(".empty")?.remove();
    replay.reach(bundle.timeline.length);
    if (known && fresh.length) announce(spoken(bundle.timeline.at(-1)));
  };
}

function jump(id, text) {
  return h("a", { href: `#${id}` }, text);
}

function heading(bundle, offers) {
  const { game } = bundle;
  const kind = bundle.outcome ? bundle.status : bundle.state;
  return [
    h(
      "p",
      { class: "kicker" },
      offers.list && h("a", { href: "?" }, "All runs"),
      h("span", {}, bundle.graph),
      bundle.seed != null && h("span", {}, `seed ${bundle.seed}`),
      h("span", {}, bundle.run),
      bundle.created && h("time", {}, moment(bundle.created)),
    ),
    h("h1", {}, title(game?.name ?? bundle.run), " ", h("span", { class: `chip ${kind}` }, status(bundle))),
    game?.about && h("p", { class: "about" }, game.about),
    h("p", { class: "story" }, bundle.story.map((part) => storied(part, bundle))),
    bundle.simulation && h("p", { class: "simulated" }, bundle.simulation),
    privacy(bundle, offers),
    standstill(bundle),
    elsewhere(bundle.links),
  ].filter(Boolean);
}

/** Return the agents that a run waits for, with links to their seats, or the run's failure. */
function standstill({ why, state, links }) {
  const seats = Object.entries(links?.seats ?? {});
  if (seats.length) return h("p", { class: "standstill" }, "It waits for ", seats.map(([agent, seat], n) => [n > 0 && ", ", h("a", { href: seat }, `${agent}, at ${agent}’s seat`)]), ".");
  if (!why) return null;
  return h("p", { class: `standstill ${state === "failed" ? "refused" : ""}` }, state === "failed" ? `It stopped: ${why}` : `It ${why}`);
}

/** Return links to the run's trace and thread. */
function elsewhere(links) {
  const known = [["trace", "Its trace in LangSmith"], ["thread", "Its thread on the server"]].filter(([key]) => links?.[key]);
  return known.length > 0 && h("p", { class: "elsewhere small" }, known.map(([key, text]) => h("a", { href: links[key] }, text)));
}

/** Return a part of the summary; a number links to the panel that shows the number. */
function storied(part, bundle) {
  if (part.agent) return h("strong", { class: colour(bundle.agents, part.agent) }, part.text);
  return part.see ? jump(part.see, part.text) : part.text;
}

function privacy(bundle, offers) {
  if (bundle.private) {
    return h("p", { class: "simulated secret" }, "The operator's view: private reasoning and drafts are shown. No agent or party may see this page.");
  }
  if (!offers.private) return null;
  const query = new URLSearchParams(location.search);
  query.set("private", "1");
  return h("p", {}, h("a", { href: `?${query}` }, "Show private reasoning, as the operator"));
}

function complain(error) {
  app.replaceChildren(h("main", {}, h("h1", {}, "This cannot be shown"), h("p", {}, error.message)));
}

async function start() {
  const inline = document.getElementById("bundle");
  if (inline) return draw(JSON.parse(inline.textContent), {});
  app.replaceChildren(h("p", { class: "empty" }, "Reading…"));
  const query = new URLSearchParams(location.search);
  const run = query.get("run");
  if (query.has("side")) return side(app, query.getAll("side"));
  if (query.has("talk")) return talks(app, query.getAll("talk"));
  const found = await runs();
  if (!run) return shelf(app, found);
  const secret = query.get("private") === "1";
  const offers = { list: true, private: found.private };
  const first = await load(run, secret);
  const update = draw(first, offers);
  if (alive(first)) await follow(run, secret, update);
  return undefined;
}

function draw(bundle, offers) {
  if (bundle.bundle !== FORMAT) throw new Error("Another version wrote this file: write it again with this one.");
  const update = viewer(offers);
  update(bundle);
  return update;
}

start().catch(complain);
