// The editor of a deal: each clause is a sentence with choices, so people write no JSON.

import { h } from "./dom.js";
import { number, pick } from "./fields.js";

/** The payer or payee that stands for all other agents, each with an equal part. */
const OTHERS = "others";

const BLANK = {
  do: ({ agents, actions }) => ({ kind: "do", agent: agents[0], action: actions[agents[0]]?.[0] ?? "" }),
  forbid: ({ agents, actions }) => ({ kind: "forbid", agent: agents[0], action: actions[agents[0]]?.[0] ?? "" }),
  pay: ({ agents }) => ({ kind: "pay", payer: agents[0], payee: agents[1], amount: "", per: "once" }),
  give: ({ agents, goods }) => ({ kind: "give", giver: agents[0], receiver: agents[1], good: goods[0], quantity: 1 }),
  share: ({ agents, norms, amounts }) => {
    if (agents.every((agent) => agent in amounts)) return { kind: "share", fractions: { ...amounts } };
    return norms.length ? { kind: "share", norm: norms[0] } : { kind: "share", fractions: Object.fromEntries(agents.map((agent) => [agent, `1/${agents.length}`])) };
  },
};

/** Condition → [its words, whether it needs several turns, the function for its first value]. */
const WHENS = {
  always: ["in any case", false, () => undefined],
  turn: ["at turn", true, ({ turn }) => ({ turn })],
  span: ["from turn … to …", true, ({ turn, turns }) => ({ from: turn, to: turns })],
  every: ["every so many turns", true, ({ turn }) => ({ every: 2, start: turn })],
  last: ["if somebody does", false, (known) => ({ last: somebody(known) })],
  count: ["once somebody has done", true, (known) => ({ count: somebody(known), at_least: 1 })],
  earned: ["once somebody has earned", true, ({ agents }) => ({ earned: agents[0], at_least: 1 })],
};

const NORMS = { shapley: "by what each one adds (Shapley value)", equal: "evenly" };

function somebody({ agents, actions }) {
  return { agent: agents[0], action: actions[agents[0]]?.[0] ?? "" };
}

/** Return a whole number as such; anything else stays as it was written. */
function counted(value) {
  return /^\d+$/.test(value) ? Number(value) : value;
}

function kindOf(when) {
  if (when == null || when === "always") return "always";
  if ("from" in when) return "span";
  return Object.keys(WHENS).find((key) => key in when) ?? "other";
}

/**
 * Return an editor that changes a list of clauses in place.
 * @param {object} known the names for clauses: agents, actions, goods, turns, norms; kinds and per by their labels.
 * @param {object} labels the words for codes of actions and goods.
 * @param {object[]} clauses the clauses in wire format.
 * @param {string} unit the unit of amounts.
 * @param {() => void} changed called after every change.
 */
export function editor(known, labels, clauses, unit, changed) {
  // Once the play is over, a payment has neither a condition nor another turn.
  const over = known.turn > known.turns;
  const list = h("ol", { class: "editor" });
  const anew = h("p", { class: "small" }, "Your split divides the total anew: it replaces the payments of the deal.");
  const condition = h("button", { type: "button", onclick: () => restrict(clauses[current]) });
  const add = h(
    "p",
    { class: "buttons", role: "group", "aria-label": "Add a clause" },
    h("span", {}, "Add:"),
    Object.entries(known.kinds).map(([kind, label]) => h("button", { type: "button", onclick: () => append(kind) }, label)),
    condition,
  );
  /** The clause that had the focus last, which the button for a condition is about. */
  let current = clauses.length - 1;
  list.addEventListener("focusin", ({ target }) => name([...list.children].indexOf(target.closest("li"))));

  function append(kind) {
    const made = BLANK[kind](known);
    // What somebody does is said once: the next such clause waits for another choice.
    if (clauses.some(({ agent, action }) => agent && agent === made.agent && action === made.action)) Object.assign(made, { agent: "", action: "" });
    clauses.push(made);
    draw();
    changed();
    list.lastElementChild.querySelector("select, input").focus();
  }

  /** Put a clause under a condition, whose fields then stand in its sentence. */
  function restrict(clause) {
    const [, , first] = known.turns > 1 ? WHENS.turn : WHENS.last;
    clause.when = first(known);
    draw();
    changed();
    list.children[current].querySelector("[aria-label=When]").focus();
  }

  /** Let the button for a condition name a clause; it is hidden if that clause cannot have another. */
  function name(n) {
    current = n;
    condition.textContent = `A condition for c${n + 1} …`;
    condition.hidden = !clauses[n] || clauses[n].kind === "share" || over || kindOf(clauses[n].when) !== "always";
  }

  function draw() {
    list.replaceChildren(...clauses.map(row));
    name(Math.min(Math.max(current, 0), clauses.length - 1));
    anew.hidden = !(over && known.drops.length > 0 && clauses.some(({ kind }) => kind === "share"));
  }

  function row(clause, n) {
    const remove = h("button", { type: "button", class: "remove", "aria-label": `Remove clause ${n + 1}`, onclick: () => (clauses.splice(n, 1), draw(), changed(), add.querySelector("button").focus()) }, "✕");
    return h("li", { "aria-label": `Clause ${n + 1}: ${known.kinds[clause.kind] ?? clause.kind}`, role: "group" }, remove, h("div", { class: "sentence" }, h("span", { class: "small" }, `c${n + 1}`), sentence(clause, n)));
  }

  function sentence(clause, n) {
    const set = (key, value, anew = false) => {
      if (value === undefined) delete clause[key];
      else clause[key] = value;
      if (anew) {
        const label = document.activeElement?.getAttribute("aria-label");
        draw();
        const fields = [...list.children[n].querySelectorAll("select, input")];
        (fields.find((one) => one.getAttribute("aria-label") === label) ?? fields.at(-1)).focus();
      }
      changed();
    };
    const agent = (key, label) => pick(label, known.agents, clause[key], (value) => set(key, value, true));
    const several = known.agents.length > 2 || clause.payer === OTHERS || clause.payee === OTHERS;
    // Whoever is chosen on one side changes places with the other side.
    const side = (key, other, label, names) => pick(label, names, clause[key], (value) => {
      if (value === clause[other]) clause[other] = clause[key];
      set(key, value, true);
    }, { [OTHERS]: "all others, evenly" });
    const parties = [...known.agents, ...(several ? [OTHERS] : [])];
    switch (clause.kind) {
      case "do":
      case "forbid":
        return [agent("agent", "Who"), clause.kind === "do" ? "does" : "must not do", action(clause, (value) => set("action", value)), ...timed(clause, set)];
      case "pay":
        return [side("payer", "payee", "Who pays", parties), "pays", side("payee", "payer", "Who is paid", parties), number("Amount", clause.amount, (value) => set("amount", value), clause.per === "reward" ? { part: true, mode: "text" } : { unit }), !over && pick("How often", often(clause.per), clause.per ?? "once", (value) => set("per", value, true), known.per), ...timed(clause, set)];
      case "give": {
        const count = number("How many", clause.quantity, (value) => set("quantity", counted(value)), { mode: "numeric", whole: true });
        return [side("giver", "receiver", "Who gives", known.agents), "gives", side("receiver", "giver", "Who receives", known.agents), count, pick("What", known.goods, clause.good, (value) => set("good", value), labels), "once", ...timed(clause, set)];
      }
      default:
        return split(clause, set);
    }
  }

  /** Return the ways to pay; in a game of one turn, a payment for each turn is one. */
  function often(given = "once") {
    return Object.keys(known.per).filter((per) => per !== "turn" || known.turns > 1 || per === given);
  }

  function action(event, set) {
    const names = known.actions[event.agent] ?? [];
    return pick("Does what", names.includes(event.action) ? names : [event.action, ...names].filter(Boolean), event.action, set, labels);
  }

  /** Return the choice of a clause's condition; a condition unknown here stays unchanged. */
  function timed(clause, set) {
    const kind = kindOf(clause.when);
    if (kind === "always") return [];
    const given = Object.entries(WHENS).filter(([key, [, longer]]) => !longer || known.turns > 1 || key === kind);
    const names = Object.fromEntries([...given.map(([key, [words]]) => [key, words]), ...(kind === "other" ? [["other", "as it was offered"]] : [])]);
    const kinds = pick("When", Object.keys(names), kind, (value) => value !== "other" && set("when", WHENS[value][2](known), true), names);
    const put = (change, anew) => set("when", { ...clause.when, ...change }, anew);
    const whole = (label, key) => number(label, clause.when[key], (value) => put({ [key]: counted(value) }), { mode: "numeric", whole: true });
    switch (kind) {
      case "turn":
        return [kinds, whole("Turn", "turn")];
      case "span":
        return [kinds, whole("From turn", "from"), "to", whole("To turn", "to")];
      case "every":
        return [kinds, whole("Every", "every"), "turns, from turn", whole("Beginning with turn", "start")];
      case "last":
      case "count": {
        const event = clause.when[kind];
        const hears = (change, anew) => put({ [kind]: { ...event, ...change } }, anew);
        const who = pick("If who", known.agents, event.agent, (value) => hears({ agent: value, action: known.actions[value]?.[0] ?? "" }, true));
        const what = action(event, (value) => hears({ action: value }));
        return kind === "last" ? [kinds, who, what] : [kinds, who, what, whole("How many times", "at_least"), "times or more"];
      }
      case "earned":
        return [kinds, pick("Who earned", [...known.agents, "everyone"], clause.when.earned, (value) => put({ earned: value })), number("At least", clause.when.at_least, (value) => put({ at_least: value }), { mode: "text", unit })];
      default:
        return [kinds];
    }
  }

  function split(clause, set) {
    const ways = { ...Object.fromEntries(known.norms.map((norm) => [norm, NORMS[norm] ?? `by the rule ${norm}`])), fractions: "by fixed parts" };
    const way = pick("How it is split", Object.keys(ways), clause.norm ?? "fractions", (value) => {
      const parts = BLANK.share({ ...known, norms: [] }).fractions;
      Object.assign(clause, value === "fractions" ? { fractions: parts, norm: undefined } : { norm: value, fractions: undefined });
      set("kind", "share", true);
    }, ways);
    const parts = clause.norm ? [] : known.agents.map((agent) => h("span", { class: "part" }, agent, number(`${agent}’s part`, clause.fractions?.[agent] ?? "", (value) => set("fractions", { ...clause.fractions, [agent]: value }), { mode: "text", ...(agent in known.amounts ? { unit, share: true } : { part: true }) })));
    return ["In the end the total is split", way, ...parts];
  }

  draw();
  return { element: h("div", { class: "clauses-of" }, list, anew, add), draw };
}

/**
 * Return an editor that changes a list of orders to a call market in place.
 * @param {object} known the goods, and the quantity of each good that the agent holds.
 * @param {object[]} placed the orders in wire format.
 * @param {string} unit the unit of prices.
 * @param {() => void} changed called after every change.
 */
export function orders({ goods, holds }, placed, unit, changed) {
  const list = h("ol", { class: "editor" });
  const add = h("button", { type: "button", onclick: () => (placed.push({ side: "buy", good: goods[0], quantity: 1, price: "" }), draw(), changed(), list.lastElementChild.querySelector("select").focus()) }, "+ order");
  const held = Object.fromEntries(goods.map((good) => [good, `${good} (you hold ${holds[good] ?? 0})`]));

  function row(order, n) {
    const set = (key) => (value) => ((order[key] = value), changed());
    const remove = h("button", { type: "button", class: "remove", "aria-label": `Remove order ${n + 1}`, onclick: () => (placed.splice(n, 1), draw(), changed(), add.focus()) }, "✕");
    const sentence = [
      pick("Buy or sell", ["buy", "sell"], order.side, set("side")),
      "up to",
      number("How many", order.quantity, (value) => set("quantity")(counted(value)), { mode: "numeric", whole: true }),
      pick("Of what", goods, order.good, set("good"), held),
      "for",
      number("Price of one", order.price, set("price"), { unit }),
      "or better each",
    ];
    return h("li", { "aria-label": `Order ${n + 1}`, role: "group" }, remove, h("div", { class: "sentence" }, sentence));
  }

  function draw() {
    list.replaceChildren(...placed.map(row));
  }

  draw();
  const hint = h("p", { class: "small" }, "Without an order you trade nothing. Nobody else sees what you order.");
  return h("fieldset", { class: "dealt" }, h("legend", {}, "Your orders"), h("div", { class: "clauses-of" }, list, h("p", { class: "buttons" }, add)), hint);
}
