// The page of a party's seat: the party's letter and a form for the answer, or how the run stands.

import { announce, folded, h } from "./dom.js";
import { answerable } from "./form.js";
import { written } from "./letter.js";
import { delivered, keyChoice } from "./signing.js";
import { kept, keep } from "./stored.js";

const app = document.getElementById("app");
const here = location.pathname;
const EVERY = 3000;

/** The letter that is shown, by its id, or how the run stands, as JSON. */
let shown = null;

/** Whether the run has ended, so that no letter will come. */
let over = false;

/** The text that a party with a key signs if it accepts the letter's offer. */
let toSign = null;

async function look(sent) {
  const response = await fetch(here, { headers: { accept: "application/json" } });
  if (!response.ok && response.status !== 404) throw new Error(`The server answered ${response.status}.`);
  const found = await response.json();
  const name = found.id ?? JSON.stringify(found);
  // A new drawing of the same letter would clear a half-written reply.
  if (name === shown) return;
  shown = name;
  over = found.over === true;
  if (found.id) ask(found);
  else wait(found, sent);
}

/** Say how the run stands while nothing is asked of this seat's party. */
function wait({ title = "Nothing to answer now", told = [], run }, sent = app.querySelector(".sent")?.textContent) {
  document.title = title;
  const focused = app.contains(document.activeElement);
  const heading = h("h1", { tabindex: -1 }, title);
  const lines = told.map((line) => h("p", {}, line));
  const onward = run && h("p", {}, h("a", { href: `../../view/?run=${encodeURIComponent(run)}` }, "The whole run: what everybody did and got"));
  const looks = h("p", {}, "This page looks for a letter by itself. When it is your turn, the letter appears here.");
  app.replaceChildren(h("main", { class: "seat waits" }, heading, !over && h("p", { class: "sent" }, sent), lines, over ? onward : looks));
  announce([!over && sent, title, ...told].filter(Boolean).join(" "));
  if (focused) heading.focus();
}

function ask(letter) {
  toSign = letter.to_sign;
  const asked = `${letter.agent}, ${letter.title}`;
  const until = letter.deadline && new Date(1000 * letter.deadline).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  document.title = asked;
  const problem = h("div", { id: "reason", class: "fault", role: "alert", tabindex: -1 }, letter.why && refused(letter.why));
  app.replaceChildren(
    h(
      "main",
      { class: "seat" },
      h("header", { class: "head" }, h("h1", {}, asked), until && h("p", { class: "about" }, `Without an answer by ${until} it counts as a pass.`)),
      h(
        "div",
        { class: "desk" },
        h("article", { class: "letter panel", "aria-label": "Your letter" }, sections(letter)),
        h("div", { class: "answer panel" }, problem, answerable(letter, send)),
      ),
      folded("Sign with a key of your own", keyChoice()),
    ),
  );
  announce("A letter is here.");
}

/** Return the letter's sections; those of the rules that an earlier letter showed are folded. */
function sections({ id, sections: all }) {
  const key = `coop seat ${here} rules`;
  const seen = kept(key) ?? {};
  const old = all.filter(({ rules, text }) => rules && seen[text] && seen[text] !== id);
  for (const { rules, text } of all) if (rules) seen[text] ??= id;
  keep(key, seen);
  return [old.length > 0 && folded("The rules, as in your first letter", old.map(section)), all.filter((one) => !old.includes(one)).map(section)];
}

/** Return a section of the letter; a section that seldom matters is folded. */
function section({ title, text, folded: closed }) {
  return closed ? folded(title, written(text, 3)) : h("section", {}, h("h2", {}, title), written(text, 3));
}

function refused(why) {
  return [h("p", {}, h("strong", {}, "This was not sent."), " What you filled in is still here."), written(why, 3)];
}

/** Send a reply; a refused reply stays in the form, below the reason of the refusal. */
async function send(reply, forget) {
  const problem = document.getElementById("reason");
  try {
    const told = await delivered(reply, toSign, post);
    if (told.refused) throw new Error(told.why ?? told.refused);
  } catch (error) {
    // After a refusal the letter has a new id; its text is the same plus the reason.
    await look().catch(() => {});
    const place = document.getElementById("reason") ?? problem;
    place.replaceChildren(...refused(error.message).flat());
    place.focus();
    return;
  }
  forget();
  shown = undefined;
  const sent = "Your answer was sent.";
  wait({}, sent);
  app.querySelector("h1").focus();
  await look(sent).catch(() => {});
}

async function post(reply) {
  const response = await fetch(here, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(reply) });
  const told = await response.json();
  if (!response.ok) throw new Error(told.detail ?? "This reply is refused.");
  return told;
}

async function keepLooking() {
  try {
    await look();
  } catch (error) {
    announce(error.message);
    const idle = app.querySelector(".waits .sent");
    if (idle) idle.textContent = "The server does not answer now. All that you sent has arrived.";
  }
  if (!over) setTimeout(keepLooking, EVERY);
}

keepLooking();
