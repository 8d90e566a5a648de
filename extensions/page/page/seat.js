// The page of a party's seat: the party's letter and a form for the answer, or how the run stands.

import { announce, folded, h } from "./dom.js";
import { answerable, programs } from "./form.js";
import { inline, tabled, written } from "./letter.js";
import { delivered, keyChoice } from "./signing.js";
import { kept, keep } from "./stored.js";

const app = document.getElementById("app");
const notice = document.getElementById("notice");
const here = location.pathname;
const EVERY = 3000;

const AWAY = "The table is not reached. What you typed stays here; it goes on by itself when the table is back.";
const UNSENT = "The table is not reached. What you typed stays here: send it again when the table is back.";
const UNREAD = "The server’s answer cannot be read. What you typed stays here; this page tries again by itself.";
const UNASKED = "Your answer is not asked for just now: the table is busy, you answered in another window, or the time is over. What you typed stays here.";
const ELSEWHERE = "You answered this letter in another window.";
const REPLACED = "The letter that was here is answered, or its time was over.";
const SENT = "Your answer was sent.";

/** The letter that is shown, by its id, or how the run stands, as JSON. */
let shown = null;

/** The id of a letter that is shown and not answered. */
let open = null;

/** What became of the letter before: the line with which the next one begins. */
let before = "";

/** Whether the run has ended, so that no letter will come. */
let over = false;

/** What is said while the table is not reached. */
let away = AWAY;

let sending = false;

/** The text that a party with a key signs if it accepts the letter's offer. */
let toSign = null;

/** Return the status and the content of an answer of the server. */
async function called(how) {
  const response = await fetch(here, { cache: "no-store", ...how }).catch(() => null);
  // An address of a table that is not served, or not any more, has no `over`.
  if (!response || response.status >= 500) throw new Error(away);
  const told = await response.json().catch(() => Promise.reject(new Error(UNREAD)));
  if (response.status === 404 && !("over" in told)) throw new Error(away);
  return [response, told];
}

/** Return the letter, or how the run stands. */
async function readLetter() {
  // A browser that goes back takes what it has stored, which may be this page's HTML.
  const [response, found] = await called({ headers: { accept: "application/json" } });
  if (!response.ok && response.status !== 404) throw new Error(found.detail ?? `The server answered ${response.status}.`);
  away = AWAY;
  return found;
}

async function post(reply) {
  const [response, told] = await called({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(reply) });
  if (!response.ok) throw new Error(told.detail ?? "This reply is refused.");
  return told;
}

function notify(text) {
  if (notice.textContent !== text) notice.textContent = text;
}

async function look() {
  const found = await readLetter();
  if (!sending) show(found);
}

/** Draw a letter or how the run stands, if it is another one; `became` says what became of an open letter. */
function show(found, became = REPLACED) {
  const name = found.id ?? JSON.stringify(found);
  const unasked = open && !found.id && !found.over;
  notify(unasked ? UNASKED : "");
  // A new drawing of the same letter would clear a half-written reply.
  if (unasked || name === shown) return;
  if (open) before = became;
  shown = name;
  over = found.over === true;
  const focused = app.contains(document.activeElement);
  if (found.id) ask(found);
  else wait(found);
  if (!focused) return;
  // Who has just answered knows the game: what is new, and the next question, stand in one panel.
  const next = found.id && before === SENT && app.querySelector(".answer");
  if (next) {
    next.scrollIntoView({ behavior: "instant" });
    return next.querySelector("h2").focus({ preventScroll: true });
  }
  scrollTo({ top: 0, behavior: "instant" });
  app.querySelector("h1").focus();
}

/** Say how the run stands while nothing is asked of this seat's party. */
function wait({ title = "Nothing to answer now", told = [], ends, run }) {
  open = null;
  document.title = title;
  const lines = told.map((line) => h("p", {}, line));
  const onward = run && h("p", {}, h("a", { href: `../../view/?run=${encodeURIComponent(run)}` }, "The whole run, with all that was said and done"));
  const looks = h("p", {}, "This page looks for a letter by itself. When it is your turn, the letter appears here.");
  const said = !over && before;
  app.replaceChildren(h("main", { class: "seat waits" }, h("h1", { tabindex: -1 }, title), said && h("p", { class: "sent" }, said), ends && [tabled(ends.columns, ends.rows), ends.how && h("p", {}, ends.how)], lines, over ? onward : looks));
  announce([said, title, ...told].filter(Boolean).join(" "));
}

function ask(letter) {
  open = letter.id;
  toSign = letter.to_sign;
  const asked = `${letter.agent}, ${letter.title}`;
  const until = letter.deadline && new Date(1000 * letter.deadline).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  document.title = asked;
  const problem = h("div", { id: "reason", class: "fault", role: "alert", tabindex: -1 }, letter.why && refused(letter.why));
  const since = happened(letter);
  app.replaceChildren(
    h(
      "main",
      { class: "seat" },
      h("header", { class: "head" }, h("h1", { tabindex: -1 }, asked), until && h("p", { class: "about" }, `Without an answer by ${until} it counts as a pass.`)),
      h(
        "div",
        { class: "desk" },
        h("article", { class: "letter panel", "aria-label": "Your letter" }, sections(letter)),
        h("div", { class: "answer panel" }, before && h("p", { class: "sent" }, before), since && h("p", { class: "since" }, inline(`Since then: ${since}`)), problem, answerable(letter, send, post)),
      ),
      folded("More", programs(letter, send), h("h2", {}, "Sign with a key of your own"), keyChoice()),
    ),
  );
  announce(`${before} A letter is here.`.trim());
}

/** Return in one line the last that was said since the letter before, or "". */
function happened({ id, sections: all }) {
  const seen = { now: [], last: [], ...kept(`coop seat ${here} read`) };
  const last = seen.id === id ? seen.last : seen.now;
  const added = all.flatMap(({ text }) => {
    const known = last.find((one) => text.startsWith(`${one}\n`));
    return known ? text.slice(known.length).split("\n") : [];
  });
  return added.filter((line) => SAID.test(line)).slice(-MOST_TOLD).join("; ");
}

/** Matches a line of prose: no heading, no row of a table, no item of a list. */
const SAID = /^[^\s*|#\d>-]/;
const MOST_TOLD = 2;

/** Return the letter's sections: first what is new since the letter before, and last the rules. */
function sections({ id, sections: all }) {
  const key = `coop seat ${here} read`;
  const seen = { rules: {}, now: [], last: [], ...kept(key) };
  const texts = all.map(({ text }) => text);
  if (seen.id !== id) Object.assign(seen, { id, last: seen.now, now: texts });
  for (const { rules, text } of all) if (rules) seen.rules[text] ??= id;
  keep(key, seen);
  if (seen.last.length === 0) return all.map(section);
  const rules = all.filter((one) => one.rules && seen.rules[one.text] !== id);
  const others = all.filter((one) => !rules.includes(one));
  const late = (one) => one.rules || seen.last.includes(one.text);
  return [
    others.filter((one) => !late(one)).map((one) => news(one, seen.last)),
    others.filter(late).sort((one, other) => one.rules - other.rules).map(section),
    rules.length > 0 && folded("The rules, as in your first letter", rules.map(section)),
  ];
}

/** Return a section; the part that the letter before had, too, is folded below what is new. */
function news(one, last) {
  const known = last.find((text) => one.text.startsWith(`${text}\n\n`));
  if (!known) return section(one);
  const added = section({ ...one, title: "New since your last letter", text: one.text.slice(known.length) });
  return [added, folded(`${one.title}, before that`, written(known, 3))];
}

/** Return a section of the letter; a section that seldom matters is folded. */
function section({ title, text, folded: closed }) {
  return closed ? folded(title, written(text, 3)) : h("section", {}, h("h2", {}, title), written(text, 3));
}

function refused(why) {
  return [h("p", {}, h("strong", {}, "This was not sent."), " What you filled in is still here."), written(why, 3)];
}

/** Send a reply; `forget` drops its draft. A refused reply stays in the form, below the reason. */
async function send(reply, forget) {
  if (sending) return;
  sending = true;
  try {
    const told = await delivered(reply, toSign, post);
    sending = false;
    if (told.refused) return await sentBack(told.why ?? told.refused);
  } catch (error) {
    sending = false;
    return unsent(error.message, reply, forget);
  }
  forget();
  shown = null;
  before = "";
  wait({ title: SENT });
  before = SENT;
  app.querySelector("h1").focus();
  await look().catch((error) => notify(error.message));
}

/** Show the reason of a refusal above the form; the letter has a new id, and the same questions. */
async function sentBack(why) {
  const found = await readLetter().catch(() => null);
  if (found) show(found, "");
  blame(refused(why));
}

/** Say why a reply was not taken: often the letter has been answered elsewhere meanwhile. */
async function unsent(why, reply, forget) {
  const found = await readLetter().catch(() => null);
  // Without the table, nobody knows whether the reply has arrived.
  if (!found) {
    away = UNSENT;
    return notify(away);
  }
  if (found.id === reply.id) return blame(refused(why));
  forget();
  open = null;
  before = ELSEWHERE;
  show(found);
}

function blame(told) {
  const place = document.getElementById("reason");
  place.replaceChildren(...told.flat());
  place.focus();
}

async function keepLooking() {
  try {
    await look();
  } catch (error) {
    notify(error.message);
  }
  if (!over) setTimeout(keepLooking, EVERY);
}

// What became of an earlier answer is not said of the next one, which may be refused.
app.addEventListener("submit", () => app.querySelector(".sent")?.remove());

keepLooking();
