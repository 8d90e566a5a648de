// The viewer: one bundle, from this file, from the server, or as it happens.

import { payoffs } from "./charts.js";
import { announce, h } from "./dom.js";
import { at } from "./moment.js";
import { contract, cost, credit, least, ledger, plan, rules } from "./panels.js";
import { controls } from "./replay.js";
import { runs, follow, load } from "./source.js";
import { items, spoken } from "./timeline.js";
import { amount, colour, plural, title } from "./words.js";

const app = document.getElementById("app");

/** Draw a run; the returned function draws it anew with what has happened since. */
function viewer(first, offers) {
  let bundle = first;
  let shown = [];
  const head = h("header", { class: "head" });
  const tiles = h("ul", { class: "tiles" });
  const steps = h("ol", { class: "timeline" });
  const panels = h("div", { class: "panels" });
  const replay = controls(show);
  app.replaceChildren(
    head,
    tiles,
    h(
      "main",
      {},
      h("section", { id: "timeline", "aria-label": "Timeline", tabindex: -1 }, replay.bar, steps),
      panels,
    ),
  );

  function show(count) {
    const now = at(bundle, count);
    shown.forEach((item, n) => item.classList.toggle("later", n >= count));
    shown.forEach((item, n) => item.classList.toggle("latest", n === count - 1));
    tiles.replaceChildren(...summary(now));
    panels.replaceChildren(
      ...[contract, plan, payoffs, credit, ledger, cost, rules].map((draw) => draw(now)).filter(Boolean),
    );
  }

  return function update(next) {
    const known = shown.length;
    bundle = next;
    document.title = `${title(bundle.game?.name ?? bundle.run)} · ${bundle.graph}`;
    head.replaceChildren(...heading(bundle, offers));
    // What is on the page stays, so that nobody loses the place or an opened note.
    const fresh = items(bundle).slice(known);
    shown = [...shown, ...fresh];
    steps.append(...fresh);
    if (bundle.timeline.length === 0) steps.replaceChildren(h("li", { class: "empty" }, "Nothing has been said yet."));
    else steps.querySelector(".empty")?.remove();
    replay.reach(bundle.timeline.length);
    if (known && fresh.length) announce(spoken(bundle.timeline.at(-1)));
  };
}

function heading(bundle, offers) {
  const { game } = bundle;
  return [
    h(
      "p",
      { class: "kicker" },
      offers.list && h("a", { href: "?" }, "All runs"),
      h("span", {}, bundle.graph),
      bundle.seed != null && h("span", {}, `seed ${bundle.seed}`),
      h("span", {}, bundle.run),
      bundle.created && h("time", {}, bundle.created.slice(0, 16).replace("T", " ")),
    ),
    h("h1", {}, title(game?.name ?? bundle.run), " ", h("span", { class: `chip ${bundle.status}` }, status(bundle))),
    game?.about && h("p", { class: "about" }, game.about),
    bundle.simulated &&
      h("p", { class: "simulated" }, "A simulation: embedded agents answered, no language model did."),
    privacy(bundle, offers),
  ].filter(Boolean);
}

function status(bundle) {
  if (bundle.state === "started" && !bundle.outcome) return "running";
  if (bundle.state === "failed") return "stopped";
  return { agreed: "agreed", no_deal: "no deal", error: "error" }[bundle.status] ?? String(bundle.status);
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

function summary(bundle) {
  const points = bundle.outcome?.points;
  const tiles = bundle.agents.map((agent) =>
    h(
      "li",
      { class: `tile ${colour(bundle.agents, agent)}` },
      h("h2", {}, agent),
      h("p", { class: "big" }, points ? amount(points.ended[agent]) : earned(bundle, agent)),
      h("p", { class: "small" }, points ? `earned ${amount(points.earned[agent])}` : "so far"),
      h("p", { class: "small" }, bundle.seats?.[agent]),
    ),
  );
  if (bundle.outcome) {
    const moved = bundle.outcome.transfers.reduce((sum, one) => sum + one.amount, 0);
    tiles.push(tile("Together", amount(bundle.outcome.total), `${amount(moved)} changed hands`, breaches(bundle)));
    tiles.push(h("li", { class: "tile" }, h("h2", {}, "Satisfaction"), h("p", {}, least(bundle))));
  }
  const { calls, input_tokens: input, output_tokens: output } = bundle.cost ?? {};
  if (calls) tiles.push(tile("Cost", amount(input + output), "tokens", plural(calls, "call")));
  return tiles;
}

function tile(heading, big, ...small) {
  const lines = small.map((text) => h("p", { class: "small" }, text));
  return h("li", { class: "tile" }, h("h2", {}, heading), h("p", { class: "big" }, big), ...lines);
}

function breaches(bundle) {
  const played = bundle.timeline.filter((event) => event.kind === "played");
  const count = played.reduce((sum, turn) => sum + turn.breaches.length, 0);
  if (!bundle.contract) return "no contract";
  return count ? plural(count, "breach", "breaches") : "contract kept";
}

function earned(bundle, agent) {
  const played = bundle.timeline.filter((event) => event.kind === "played");
  return amount(played.reduce((sum, turn) => sum + (turn.rewards[agent] ?? 0), 0));
}

function shelf(found) {
  const rows = found.map((run) =>
    h(
      "li",
      {},
      h("a", { href: `?run=${encodeURIComponent(run.run)}` }, run.run),
      h("span", {}, run.graph),
      h("span", { class: `chip ${run.status ?? run.state}` }, run.status ?? run.state),
      h("time", { class: "small" }, String(run.created ?? "").slice(0, 16).replace("T", " ")),
    ),
  );
  app.replaceChildren(
    h("header", { class: "head" }, h("h1", {}, plural(found.length, "run"))),
    h("main", {}, rows.length ? h("ul", { class: "shelf" }, rows) : h("p", { class: "empty" }, "There are no runs yet.")),
  );
}

function complain(error) {
  app.replaceChildren(h("main", {}, h("h1", {}, "This cannot be shown"), h("p", {}, error.message)));
}

async function start() {
  const inline = document.getElementById("bundle");
  if (inline) return draw(JSON.parse(inline.textContent), {});
  const query = new URLSearchParams(location.search);
  const run = query.get("run");
  const found = await runs();
  if (!run) return shelf(found.runs);
  const secret = query.get("private") === "1";
  const offers = { list: true, private: found.private };
  const first = await load(run, secret);
  const update = draw(first, offers);
  if (first.state === "started") await follow(run, secret, update);
  return undefined;
}

function draw(bundle, offers) {
  const update = viewer(bundle, offers);
  update(bundle);
  return update;
}

start().catch(complain);
