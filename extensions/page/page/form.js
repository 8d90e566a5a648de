// The form of an answer: the current choices, a draft that survives a reload, and a preview.

import { folded, h, whether } from "./dom.js";
import { editor, orders } from "./editor.js";
import { findWrong, number, pick } from "./fields.js";
import { inline, tabled } from "./letter.js";
import { drop, keep, kept } from "./stored.js";
import { reasoned, reasoning, text } from "./thoughts.js";

const PAUSE = 350;
const NO_ANSWER = "You then give no answer here, and the run goes on without one.";
const NOTHING_DONE = "You then do nothing in this turn. If the deal asks you for an action, that breaks it.";
/** More actions than this are shown as a list instead of buttons. */
const MANY_ACTIONS = 16;

/**
 * Return the form for a letter.
 * @param {object} letter the letter, as JSON.
 * @param {function} send gets a reply, and a callback that drops the reply's draft.
 * @param {function} post returns the server's answer to a draft.
 */
export function answerable(letter, send, post) {
  const form = letter.form ?? { fields: [] };
  const key = draftOf(letter);
  const filled = { clauses: [], drops: [], holds: {}, orders: [], ...kept(key) };
  const told = h("section", { class: "preview", "aria-label": "What it would come to", "aria-live": "polite" });
  let timer = 0;
  let asked = 0;

  function changed() {
    keep(key, filled);
    document.getElementById("reason")?.replaceChildren();
    later();
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => preview().catch(() => {}), PAUSE);
  }

  async function preview() {
    const number = ++asked;
    // What cannot be sent is not foreseen, either.
    if (!decided(form, filled) || wrong()) return told.replaceChildren();
    const draft = (args) => post({ type: "draft", args });
    const own = answer(letter, filled);
    const found = await draft(own);
    // Who accepts an offer gets what its clauses would bring if they were proposed.
    const accepts = filled.decision === "accept" && form.offer && !found.refused;
    const offered = accepts && !found.outlook && (await draft({ ...own, decision: "counter", clauses: form.offer.clauses, drops: form.offer.drops }).catch(() => null));
    if (number === asked) told.replaceChildren(...foreseen(offered && !offered.refused ? offered : found, accepts));
  }

  /** Return the first field that is filled in wrongly; if asked, say beside each what is wrong. */
  function wrong(tell) {
    return findWrong(made, tell);
  }

  function submit(event) {
    event.preventDefault();
    const first = wrong(true);
    if (first) return first.focus();
    const go = () => reply("fields", answer(letter, filled));
    if (unmoved(form.trade, filled)) whether("You have changed nothing: this proposes that all keep what they have. Send it?", "Yes, send it", go);
    else go();
  }

  const reply = (type, args) => send({ id: letter.id, type, args }, () => drop(key));
  const pass = () => whether(`Pass? ${letter.act === "act" ? NOTHING_DONE : NO_ANSWER}`, "Yes, pass", () => reply("ignore", null));
  const made = h(
    "form",
    {
      "aria-label": "Your answer",
      novalidate: true,
      // Enter in a field would send the whole letter unasked.
      onkeydown: (event) => event.key === "Enter" && event.target.matches("input") && event.preventDefault(),
      onsubmit: submit,
    },
    h("h2", { tabindex: -1 }, "Your answer"),
    decision(form, filled, changed),
    actions(form, filled, changed, letter.act === "elect" ? "Your vote" : "Your action"),
    deal(form, filled, changed),
    trade(form, filled, changed),
    form.market && orders(form.market, filled.orders, form.unit || "points", changed),
    percent(form, filled, changed),
    told,
    reasoning(letter, form, filled, changed),
    form.fields.includes("speech") && speech(filled, changed),
    form.fields.includes("notes") && folded("Private notes", text("Notes for yourself", "notes", "Your next letters show them to you alone.", filled, changed)),
    h(
      "p",
      { class: "buttons send" },
      form.fields.length > 0 && h("button", { type: "submit", class: "primary" }, "Send"),
      letter.answers.includes("ignore") && h("button", { type: "button", onclick: pass }, "Pass"),
    ),
  );
  if (kept(key)) later();
  return made;
}

/** Return the field for what is said to all, which is the proposal if it is in words alone. */
function speech(filled, changed) {
  const field = text("What you say to all", "speech", "It binds nobody.", filled, changed);
  const [label, input, hint] = field.children;
  const spoken = [label.textContent, hint.textContent];
  input.dataset.missing = "Write your proposal here.";
  const show = () => {
    input.required = filled.decision === "words";
    [label.textContent, hint.textContent] = input.required ? PROPOSED : spoken;
  };
  document.addEventListener("decided", () => field.isConnected && show());
  show();
  return field;
}

const PROPOSED = ["Your proposal in words", "If all accept it, somebody impartial drafts its clauses for all to sign."];

/** Return the key of the draft of a letter's answer. */
function draftOf({ act }) {
  return `coop seat ${location.pathname} ${act}`;
}

/** Return the letter that a model gets, and a field for an answer with tags. */
export function programs(letter, send) {
  if (!letter.answers.includes("response")) return null;
  const raw = h("textarea", { id: "message", rows: 5 });
  const go = () => (raw.value.trim() ? send({ id: letter.id, type: "response", args: raw.value }, () => drop(draftOf(letter))) : raw.focus());
  return [
    h("h2", {}, "For programs: the letter that a model gets, and an answer with tags"),
    h("pre", { tabindex: 0, role: "region", "aria-label": "The letter that a model gets" }, letter.letter),
    h("div", { class: "field" }, h("label", { for: "message" }, "Your message, with its tags"), raw),
    h("p", { class: "buttons" }, h("button", { type: "button", onclick: go }, "Send the message")),
  ];
}

/** Return the values that a person has filled in, for the fields of the letter's answer. */
function answer(letter, filled) {
  const { fields = [] } = letter.form ?? {};
  const clauses = ["offer", "counter"].includes(filled.decision) ? filled.clauses : null;
  const given = {
    thoughts: letter.act === "reason" ? reasoned(filled) : filled.thoughts,
    action: filled.action,
    content: filled.content || null,
    decision: filled.decision,
    clauses: clauses?.length ? clauses : null,
    drops: clauses && filled.drops.length ? filled.drops : null,
    allocation: filled.decision === "accept" || letter.form?.trade?.final ? null : held(letter.form?.trade, filled),
    orders: filled.orders.length ? filled.orders : null,
    // With its sign, 0.5 is half a percent and not a half.
    percent: filled.percent ? `${filled.percent}%` : null,
    speech: filled.speech || null,
    notes: filled.notes || null,
  };
  const named = Object.entries(given).filter(([key]) => fields.includes(key));
  // The decision is sent too, so that the server refuses an offer without clauses.
  return { ...Object.fromEntries(named), ...(letter.form?.deal && filled.decision && { decision: filled.decision }) };
}

/** Return whether enough is filled in for a preview. */
function decided({ fields, deal: known }, { decision: chosen, clauses, orders: placed, action, percent: part, speech }) {
  if (fields.includes("orders")) return placed.length > 0;
  if (fields.includes("action")) return Boolean(action);
  if (fields.includes("percent")) return Boolean(part);
  if (chosen === "words") return Boolean(speech);
  if (known && ["offer", "counter"].includes(chosen)) return clauses.length > 0;
  return Boolean(chosen);
}

// The choices

/** Return exclusive choices as buttons. */
function choices(legend, name, options, chosen, take) {
  const one = ([value, label]) => {
    const id = `${name}-${value}`.replace(/\W+/g, "-");
    const input = h("input", { type: "radio", name, id, value, required: true, onchange: () => take(value) });
    input.checked = value === chosen;
    return h("label", { class: "choice", for: id }, input, h("span", {}, label));
  };
  return h("fieldset", { class: "choices" }, h("legend", {}, legend), h("div", {}, options.map(one)));
}

function decision(form, filled, changed) {
  const values = Object.keys(form.decisions ?? {});
  if (!values.length) return null;
  // A decision about an earlier offer does not apply to this offer.
  const about = form.offer?.revision ?? 0;
  if (filled.about !== about) filled.decision = undefined;
  filled.about = about;
  if (!values.includes(filled.decision)) filled.decision = values.length === 1 || values[0] === "offer" ? values[0] : undefined;
  if (values.length === 1) return null;
  const pending = form.trade?.pending;
  const legend = values[0] === "offer" ? "What you do" : pending ? `${pending.by}’s proposal` : form.offer ? `Offer ${form.offer.revision}, by ${form.offer.by}` : "The offer that stands";
  return choices(legend, "decision", Object.entries(form.decisions), filled.decision, (value) => {
    filled.decision = value;
    // A counter-offer starts with the clauses of the offer that it answers.
    if (value === "counter" && filled.clauses.length === 0 && form.offer) filled.clauses.push(...structuredClone(form.offer.clauses));
    document.dispatchEvent(new CustomEvent("decided"));
    changed();
  });
}

function actions({ legal, carries, labels }, filled, changed, legend) {
  if (!legal) return null;
  if (!legal.includes(filled.action)) filled.action = undefined;
  const take = (value) => {
    filled.action = value || undefined;
    changed();
  };
  const chooser = legal.length > MANY_ACTIONS
    ? h("p", { class: "field" }, h("label", { for: "actions" }, legend), Object.assign(pick(legend, legal, filled.action ?? "", take, labels), { id: "actions" }))
    : choices(legend, "action", legal.map((one) => [one, labels[one] ?? one]), filled.action, take);
  return [chooser, carries && text("What it carries", "content", "As the rules say: files, code, a message. Many actions carry nothing.", filled, changed)];
}

function deal({ deal: known, labels, offer, unit }, filled, changed) {
  if (!known) return null;
  const made = editor(known, labels, filled.clauses, unit || "points", changed);
  const begin = () => (filled.clauses.splice(0, Infinity, ...structuredClone(offer.clauses)), made.draw(), changed());
  const own = () => filled.clauses.length > 0 && JSON.stringify(filled.clauses) !== JSON.stringify(offer.clauses);
  const anew = () => (own() ? whether(`This throws your own clauses away, and begins with ${offer.by}’s. Do it?`, "Yes, begin with them", begin) : begin());
  const from = offer && h("p", { class: "buttons from" }, h("button", { type: "button", onclick: anew }, `Begin with ${offer.by}’s offer ${offer.revision}`));
  // A redistribution after the play ends no clause.
  const ends = (known.turn > known.turns ? [] : known.drops).map(({ id, says }) => {
    const box = h("input", { type: "checkbox", onchange: () => ((filled.drops = box.checked ? [...filled.drops, id] : filled.drops.filter((one) => one !== id)), changed()) });
    box.checked = filled.drops.includes(id);
    return h("label", { class: "ends" }, box, h("span", {}, `Your offer ends ${id}: ${says}`));
  });
  const whole = h("fieldset", { class: "dealt" }, h("legend", {}, "Your offer"), made.element, ends, from);
  const show = () => {
    whole.disabled = whole.hidden = !["offer", "counter"].includes(filled.decision);
    made.draw();
  };
  document.addEventListener("decided", () => whole.isConnected && show());
  show();
  return whole;
}

function trade({ trade: known }, filled, changed) {
  if (!known) return null;
  const rows = known.tasks.map(({ says, name, held: by }) => {
    const holder = pick(name, known.agents, filled.holds[says] ?? by, (agent) => ((filled.holds[says] = agent), changed()));
    return h("li", {}, h("span", {}, name), holder);
  });
  const now = h("p", { class: "small" }, `As it is now, your tasks are worth ${rounded(known.worth)} to you.`);
  const mine = h("fieldset", { class: "tasks" }, h("legend", {}, "Who is to do what"), h("ul", {}, rows), now);
  if (!known.pending) return mine;
  const { by, worth } = known.pending;
  const proposed = known.tasks.filter((task) => task.proposed).map((task) => h("li", {}, h("span", {}, task.name), h("b", {}, task.proposed)));
  const compared = worth != null && h("p", { class: "small" }, `Your tasks would be worth ${rounded(worth)} to you; as it is now, ${rounded(known.worth)}.`);
  const theirs = h("section", { class: "tasks", "aria-label": `What ${by} proposes` }, h("p", {}, `${by} proposes:`), h("ul", {}, proposed), compared);
  // Only who rejects the proposal allocates the tasks anew.
  const show = () => (mine.hidden = known.final || filled.decision !== "reject");
  document.addEventListener("decided", () => mine.isConnected && show());
  show();
  return [theirs, mine];
}

function rounded(worth) {
  return String(Number(worth.toFixed(3)));
}

/** Return whether a proposal leaves each task with its present holder. */
function unmoved(known, { decision: chosen, holds }) {
  return known && !known.final && chosen !== "accept" && known.tasks.every(({ says, held: by }) => (holds[says] ?? by) === by);
}

/** Return the fields that allocate each task to an agent. */
function held(known, filled) {
  if (!known) return null;
  const by = (agent) => known.tasks.filter((task) => (filled.holds[task.says] ?? task.held) === agent).map((task) => task.says);
  return known.agents.map((agent) => ({ agent, tasks: by(agent) }));
}

function percent({ fields }, filled, changed) {
  if (!fields.includes("percent")) return null;
  const label = "What part was your doing, in percent";
  const input = number(label, filled.percent, (value) => ((filled.percent = value), changed()), { id: "percent", percent: true, unit: "%" });
  input.firstElementChild.setAttribute("aria-describedby", "percent-hint");
  return h("div", { class: "field" }, h("label", { for: "percent" }, label), h("p", { class: "claimed" }, input), h("p", { id: "percent-hint", class: "small" }, "From 0 to 100. A claim pays nothing by itself."));
}

// The preview of a draft, computed by the server

function foreseen({ refused, why, words, repairs, outlook, why_not: reason, worth }, accepts) {
  if (refused) return [h("h3", {}, "It would be sent back"), h("p", { class: "refused" }, inline(why))];
  return [
    words.length > 0 && !accepts && h("h3", {}, "What it says"),
    words.length > 0 && !accepts && h("ol", { class: "terms" }, words.map((one) => h("li", {}, one))),
    repairs?.length > 0 && h("p", { class: "small" }, repairs.join("; ")),
    outlook && h("h3", {}, accepts ? "What each gets if you accept" : "What each would get"),
    outlook && tabled(outlook.columns, outlook.rows),
    outlook?.how && h("p", { class: "small" }, outlook.how),
    reason && h("p", { class: "small" }, `What it would pay cannot be computed: ${reason}.`),
    worth != null && h("p", {}, "Your tasks would be worth ", h("strong", {}, rounded(worth)), " to you."),
    words.length > 0 && !accepts && h("p", { class: "small" }, "Nobody else sees this before you send it."),
  ].filter(Boolean);
}
