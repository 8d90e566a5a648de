// The index: one line per run, with search, filters, sorting, and a choice of runs to compare.

import { announce, h } from "./dom.js";
import { runs } from "./source.js";
import { alive, amount, colour, list, moment, plural, status, title } from "./words.js";

/** The number of lines that are drawn at first; a button draws more. */
const SHOWN = 100;
/** Milliseconds between two reads of the list while a run is in progress. */
const LOOKS = 4000;
const CROWDED = 4;
const SIMULATED = "embedded:";

const sum = (run) => Object.values(run.payoffs ?? {}).reduce((total, one) => total + one, 0);

/** Column → [heading, function to the sort key, whether the greatest keys come first]. */
const SORTS = {
  game: ["Game", (run) => String(run.game).toLowerCase(), false],
  parties: ["Parties and payoffs", (run) => (run.payoffs ? sum(run) : -Infinity), true],
  graph: ["Workflow", (run) => run.graph, false],
  seed: ["Seed", (run) => run.seed ?? 0, false],
  outcome: ["Outcome", (run) => run.outcome ?? "", false],
  age: ["Age", (run) => run.created ?? "", true],
};

const PICKS = { game: "Every game", graph: "Every workflow", outcome: "Every outcome" };

/** Draw the index and keep it up to date; the page's address holds the search. */
export function shelf(app, found) {
  const query = new URLSearchParams(location.search);
  const wish = { words: query.get("q") ?? "", sort: query.get("sort") ?? "age", turned: query.has("turned"), most: SHOWN };
  for (const key of Object.keys(PICKS)) wish[key] = query.get(key) ?? "";
  const chosen = new Set();
  let all = found.runs;

  const count = h("p", { class: "aside", role: "status" });
  const heading = h("h1", {});
  const search = h("input", { type: "search", id: "search", value: wish.words, placeholder: "game, party, model, name, seed…", oninput: () => wanted({ words: search.value }) });
  const picks = h("div", { class: "picks" });
  const body = h("div", {});
  const bar = h("div", { class: "chosen", role: "group", "aria-label": "Chosen runs" });
  document.title = "Runs";
  app.replaceChildren(
    h("header", { class: "head" }, heading, count),
    h("main", {}, h("form", { class: "finder", role: "search", onsubmit: (event) => event.preventDefault() }, h("div", { class: "words" }, h("label", { for: "search", class: "unseen" }, "Search runs"), search), picks), body, bar),
  );

  function wanted(change) {
    Object.assign(wish, change);
    const told = new URLSearchParams();
    if (wish.words) told.set("q", wish.words);
    for (const key of Object.keys(PICKS)) if (wish[key]) told.set(key, wish[key]);
    if (wish.sort !== "age") told.set("sort", wish.sort);
    if (wish.turned) told.set("turned", "");
    history.replaceState(null, "", told.size ? `?${told}` : location.pathname);
    draw();
  }

  function draw() {
    const shown = sorted(all.filter((run) => fits(run, wish)), wish);
    heading.textContent = plural(all.length, "run");
    const live = all.filter((run) => alive(run));
    count.replaceChildren(
      ...[
        shown.length !== all.length && `${amount(shown.length)} shown`,
        live.length > 0 && h("a", { href: talking(live) }, `${plural(live.length, "talk")} under way`),
      ].filter(Boolean),
    );
    redrawn(picks, selects(all, wish, wanted));
    redrawn(body, [shown.length ? lines(shown.slice(0, wish.most), wish, wanted, chosen, choose) : nothing(all)]);
    if (shown.length > wish.most) {
      const more = `Show ${amount(Math.min(SHOWN, shown.length - wish.most))} more of ${amount(shown.length)}`;
      body.append(h("p", { class: "buttons more" }, h("button", { type: "button", onclick: () => wanted({ most: wish.most + SHOWN }) }, more)));
    }
    choose();
  }

  function choose(run, on) {
    if (run) chosen[on ? "add" : "delete"](run);
    const known = [...chosen].filter((name) => all.some((one) => one.run === name));
    bar.hidden = known.length === 0;
    redrawn(bar, [
      h("span", {}, `${plural(known.length, "run")} chosen`),
      known.length === 2
        ? h("a", { class: "act", href: `?${new URLSearchParams([["side", known[0]], ["side", known[1]]])}` }, "Side by side")
        : h("span", { class: "small" }, "choose two to see them side by side"),
      h("a", { class: "act", href: talking(known.map((name) => ({ run: name }))) }, known.length > 1 ? "Talks together" : "Its talk"),
      h("button", { type: "button", onclick: () => (chosen.clear(), draw()) }, "Clear"),
    ]);
  }

  async function again() {
    if (document.visibilityState === "visible" && all.some(alive)) {
      const before = new Map(all.map((run) => [run.run, run.outcome]));
      all = (await runs()).runs;
      const ended = all.filter((run) => before.has(run.run) && before.get(run.run) !== run.outcome);
      if (ended.length) announce(ended.map((run) => `${title(run.game)}: ${status({ ...run, outcome: run.status })}`).join(", "));
      draw();
    }
    setTimeout(() => again().catch(() => {}), LOOKS);
  }

  draw();
  setTimeout(() => again().catch(() => {}), LOOKS);
}

function talking(some) {
  return `?${new URLSearchParams(some.map((run) => ["talk", run.run]))}`;
}

/** Return whether a run's line has all searched words and fits all filters. */
function fits(run, wish) {
  const seats = Object.values(run.seats ?? {});
  const text = [run.run, title(run.game), run.game, run.graph, `seed ${run.seed}`, status({ ...run, outcome: run.status }), run.why, ...(run.parties ?? []), ...seats].join(" ").toLowerCase();
  const words = wish.words.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => text.includes(word)) && Object.keys(PICKS).every((key) => !wish[key] || run[key] === wish[key]);
}

function sorted(some, { sort, turned }) {
  const [, key, greatest] = SORTS[sort] ?? SORTS.age;
  const sign = greatest !== turned ? -1 : 1;
  return some.sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    return a < b ? -sign : a > b ? sign : 0;
  });
}

function selects(all, wish, wanted) {
  const pick = (key) => {
    const values = [...new Set(all.map((run) => run[key]).filter(Boolean))].sort();
    const options = values.map((one) => h("option", { value: one, selected: one === wish[key] }, key === "graph" ? one : title(one)));
    return h("select", { "aria-label": PICKS[key].replace("Every ", "").replace(/^./, (c) => c.toUpperCase()), onchange: (event) => wanted({ [key]: event.target.value }) }, h("option", { value: "" }, PICKS[key]), options);
  };
  const order = Object.entries(SORTS).map(([key, [told]]) => h("option", { value: key, selected: key === wish.sort }, `By ${told.toLowerCase()}`));
  const sorter = h("select", { class: "sorter", "aria-label": "Order", onchange: (event) => wanted({ sort: event.target.value, turned: false }) }, order);
  return [...Object.keys(PICKS).map(pick), sorter];
}

function lines(some, wish, wanted, chosen, choose) {
  const heads = Object.entries(SORTS).map(([key, [told, , greatest]]) => {
    const here = key === wish.sort;
    const down = greatest !== wish.turned;
    const turn = () => wanted(here ? { turned: !wish.turned } : { sort: key, turned: false });
    return h(
      "th",
      { scope: "col", role: "columnheader", class: key, "aria-sort": here ? (down ? "descending" : "ascending") : "none" },
      h("button", { type: "button", onclick: turn }, told, h("span", { "aria-hidden": "true" }, here ? (down ? " ↓" : " ↑") : "")),
    );
  });
  return h(
    "table",
    { class: "shelf", role: "table" },
    h("caption", { class: "unseen" }, "Runs"),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, h("th", { scope: "col", role: "columnheader" }, h("span", { class: "unseen" }, "Choose")), heads)),
    h("tbody", { role: "rowgroup" }, some.map((run) => oneLine(run, chosen, choose))),
  );
}

function oneLine(run, chosen, choose) {
  const tick = h("input", { type: "checkbox", "aria-label": `Choose ${run.run}`, onchange: () => choose(run.run, tick.checked) });
  tick.checked = chosen.has(run.run);
  return h(
    "tr",
    { role: "row", class: alive(run) ? "alive" : "" },
    h("td", { role: "cell", class: "tick-it" }, tick),
    h("th", { scope: "row", role: "rowheader", class: "game" }, h("a", { href: `?run=${encodeURIComponent(run.run)}` }, title(run.game || "not begun")), h("span", { class: "cid" }, run.run)),
    h("td", { role: "cell", class: "parties" }, parties(run), seated(run)),
    h("td", { role: "cell", class: "graph" }, run.graph),
    h("td", { role: "cell", class: "seed" }, h("span", { class: "head-of", "aria-hidden": "true" }, "seed "), run.seed ?? ""),
    h("td", { role: "cell", class: "outcome" }, h("span", { class: `chip ${run.outcome}` }, status({ ...run, outcome: run.status })), because(run)),
    h("td", { role: "cell", class: "age" }, h("time", { datetime: run.created, title: moment(run.created) }, run.age ?? moment(run.created))),
  );
}

/** Return each party with its payoff or, if there are many, their number and total payoff. */
function parties(run) {
  const names = run.parties ?? [];
  const paid = run.payoffs ?? {};
  if (names.length > CROWDED) return h("p", {}, plural(names.length, "party", "parties"), run.payoffs && h("span", { class: "figures" }, ` ${amount(sum(run))} together`));
  return h("p", { class: "each" }, names.map((name) => h("span", {}, h("span", { class: `name ${colour(names, name)}` }, name), name in paid && h("span", { class: "figures" }, ` ${amount(paid[name])}`))));
}

/** Return the models at the seats: one model, or each party's model. */
function seated(run) {
  const short = (model) => model.replace(SIMULATED, "");
  const models = [...new Set(Object.values(run.seats ?? {}))];
  if (models.length === 0) return null;
  const told = models.length === 1 ? `all ${short(models[0])}` : (run.parties ?? []).length > CROWDED ? list(models.map(short)) : (run.parties ?? []).map((name) => `${name} ${short(run.seats[name])}`).join(", ");
  return h("p", { class: "small" }, told);
}

/** Return the reason why a run does not continue, with links to the seats that must reply. */
function because(run) {
  const seats = Object.entries(run.waiting ?? {});
  if (seats.length) return h("p", { class: "small" }, "for ", seats.map(([agent, seat], n) => [n > 0 && ", ", h("a", { href: seat }, `${agent}’s seat`)]));
  return run.why ? h("p", { class: `small ${run.state === "failed" ? "refused" : ""}` }, run.why) : null;
}

function nothing(all) {
  return h("p", { class: "empty" }, all.length ? "No run is like that." : "There are no runs yet: coop run escape_room plays one.");
}

/** Replace an element's children; the child with the focused child's name gets the focus. */
function redrawn(place, children) {
  const called = (one) => one.getAttribute("aria-label") ?? one.textContent.replace(/ [↑↓]$/, "");
  const had = place.contains(document.activeElement) ? called(document.activeElement) : null;
  place.replaceChildren(...children);
  if (had) [...place.querySelectorAll("a, button, input, select")].find((one) => called(one) === had)?.focus();
}
