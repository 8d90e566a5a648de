// The page of a party's seat: the party's letter, and a form for the answer.

import { announce, folded, h } from "./dom.js";
import { answerable } from "./form.js";
import { written } from "./letter.js";
import { delivered, keyChoice } from "./signing.js";

const app = document.getElementById("app");
const here = location.pathname;
const EVERY = 3000;

let shown = null;

/** The text that a party with a key signs if it accepts the letter's offer. */
let toSign = null;

async function look() {
  const response = await fetch(here, { headers: { accept: "application/json" } });
  if (!response.ok && response.status !== 404) throw new Error(`The server answered ${response.status}.`);
  const letter = response.ok ? await response.json() : {};
  // A new drawing of the same letter would clear a half-written reply.
  if (letter.id === shown) return;
  shown = letter.id;
  if (letter.id) ask(letter);
  else wait();
}

function wait(sent = "") {
  document.title = "Nothing to answer now";
  const told = h("h1", { tabindex: -1 }, "Nothing to answer now");
  app.replaceChildren(h("main", { class: "seat waits" }, told, h("p", { class: "sent" }, sent), h("p", {}, "This page looks for a letter by itself. When it is your turn, the letter appears here.")));
}

function ask(letter) {
  toSign = letter.to_sign;
  const asked = `${letter.agent}, ${letter.title}`;
  // On the letter's page, the sentence that a letter waits is superfluous.
  const news = (letter.description ?? "").replace(/^.*? own seat\.\s*/, "");
  document.title = asked;
  const problem = h("div", { id: "reason", class: "fault", role: "alert", tabindex: -1 }, letter.why && written(letter.why, 3));
  app.replaceChildren(
    h(
      "main",
      { class: "seat" },
      h("header", { class: "head" }, h("h1", {}, asked), news && h("p", { class: "about" }, news)),
      h(
        "div",
        { class: "desk" },
        h(
          "article",
          { class: "letter panel", "aria-label": "Your letter" },
          letter.sections.map(section),
        ),
        h("div", { class: "answer panel" }, problem, answerable(letter, send)),
      ),
      folded("Sign with a key of your own", keyChoice()),
    ),
  );
  announce("A letter is here.");
}

/** Return a section of the letter; a section that seldom matters is folded. */
function section({ title, text, folded: closed }) {
  return closed ? folded(title, written(text, 3)) : h("section", {}, h("h2", {}, title), written(text, 3));
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
    if (!place.textContent.trim()) place.replaceChildren(...written(error.message, 3));
    place.focus();
    return;
  }
  forget();
  shown = undefined;
  wait("Your answer was sent.");
  announce("Your answer was sent.");
  app.querySelector("h1").focus();
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
  setTimeout(keepLooking, EVERY);
}

keepLooking();
