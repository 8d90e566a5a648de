// Shows many runs side by side and live: the last messages and actions of each run.

import { h } from "./dom.js";
import { load } from "./source.js";
import { items } from "./timeline.js";
import { alive, amount, colour, plural, status, title } from "./words.js";

/** The most runs that are shown, and the most events of each run. */
const TABLES = 24;
const LATEST = 12;
const REFRESHED = 3000;

/** Draw the latest events of each run, and refresh them while any run is in progress. */
export async function talks(app, names) {
  const shown = names.slice(0, TABLES);
  const cards = new Map(shown.map((name) => [name, h("section", { class: "talk panel", "aria-label": name }, h("p", { class: "empty" }, "Reading…"))]));
  const kept = new Map();
  document.title = "Talks";
  app.replaceChildren(
    h("header", { class: "head" }, h("p", { class: "kicker" }, h("a", { href: "?" }, "All runs")), h("h1", {}, plural(shown.length, "talk")), names.length > TABLES && h("p", { class: "about" }, `The first ${TABLES} of ${names.length}.`)),
    h("main", { class: "talks" }, [...cards.values()]),
  );

  async function read(name) {
    if (kept.has(name) && !alive(kept.get(name))) return;
    try {
      const bundle = await load(name, false);
      if (JSON.stringify(bundle) === JSON.stringify(kept.get(name))) return;
      kept.set(name, bundle);
      cards.get(name).replaceChildren(...card(bundle));
      const steps = cards.get(name).querySelector(".latest-of");
      if (steps) steps.scrollTop = steps.scrollHeight;
    } catch (error) {
      cards.get(name).replaceChildren(h("h2", {}, name), h("p", { class: "refused" }, error.message));
      kept.set(name, { state: "failed" });
    }
  }

  async function all() {
    if (document.visibilityState === "visible") for (const name of shown) await read(name);
    if ([...kept.values()].some(alive)) setTimeout(all, REFRESHED);
  }

  await all();
}

function card(bundle) {
  const { agents, outcome, links } = bundle;
  const said = items(bundle).slice(-LATEST);
  const hidden = bundle.timeline.length - said.length;
  const seats = Object.entries(links?.seats ?? {});
  return [
    h("header", {}, h("h2", {}, h("a", { href: `?run=${encodeURIComponent(bundle.run)}` }, title(bundle.game?.name ?? bundle.run))), h("span", { class: `chip ${outcome ? bundle.status : bundle.state}` }, status(bundle))),
    h("p", { class: "small" }, `${bundle.graph}, seed ${bundle.seed ?? 0} · ${bundle.run}`),
    seats.length > 0 && h("p", { class: "small" }, "waits for ", seats.map(([agent, seat], n) => [n > 0 && ", ", h("a", { href: seat }, `${agent}’s seat`)])),
    bundle.why && seats.length === 0 && h("p", { class: `small ${bundle.state === "failed" ? "refused" : ""}` }, bundle.why),
    outcome && h("p", { class: "each" }, agents.map((agent) => h("span", {}, h("span", { class: `name ${colour(agents, agent)}` }, agent), h("span", { class: "figures" }, ` ${amount(outcome.points.ended[agent])}`)))),
    hidden > 0 && h("p", { class: "small" }, `${plural(hidden, "event")} before`),
    said.length ? h("div", { class: "latest-of", tabindex: 0, role: "region", "aria-label": `The talk of ${bundle.run}` }, h("ol", { class: "timeline" }, said)) : h("p", { class: "empty" }, "Nothing has been said yet."),
  ].filter(Boolean);
}
