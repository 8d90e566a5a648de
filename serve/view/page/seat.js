// The page of a party: its letter, and a form that writes its answer.

import { announce, folded, h } from "./dom.js";
import { answerable } from "./form.js";
import { written } from "./letter.js";
import { delivered, keyChoice } from "./signing.js";

const app = document.getElementById("app");
const here = location.pathname;
const EVERY = 3000;

let shown = null;

/** What an acceptance of the letter's offer is a signature of, for a party with a key. */
let toSign = null;

async function look() {
  const response = await fetch(here, { headers: { accept: "application/json" } });
  if (!response.ok && response.status !== 404) throw new Error(`The server answered ${response.status}.`);
  const letter = response.ok ? await response.json() : {};
  // Drawing the same letter again would clear a half-written reply.
  if (letter.id === shown) return;
  shown = letter.id;
  if (letter.id) ask(letter);
  else wait();
}

function wait() {
  document.title = "Nothing to answer now";
  const told = h("h1", { tabindex: -1 }, "Nothing to answer now");
  app.replaceChildren(h("main", { class: "seat waits" }, told, h("p", {}, "This page looks for a letter by itself. When it is your turn, the letter appears here.")));
}

function ask(letter) {
  toSign = letter.to_sign;
  const asked = `${letter.agent}, ${letter.title}`;
  // That a letter waits here needs no words on the letter's own page.
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

/** A part of the letter; what seldom matters is folded. */
function section({ title, text, folded: closed }) {
  return closed ? folded(title, written(text, 3)) : h("section", {}, h("h2", {}, title), written(text, 3));
}

/** Send a reply; a refused one stays in the form, with the words of whoever refused it. */
async function send(reply, forget) {
  const problem = document.getElementById("reason");
  try {
    const told = await delivered(reply, toSign, post);
    if (told.refused) throw new Error(told.why ?? told.refused);
  } catch (error) {
    // The refused letter has another name now: it is the same letter, with the reason in it.
    await look().catch(() => {});
    const place = document.getElementById("reason") ?? problem;
    if (!place.textContent.trim()) place.replaceChildren(...written(error.message, 3));
    place.focus();
    return;
  }
  forget();
  shown = undefined;
  wait();
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
  }
  setTimeout(keepLooking, EVERY);
}

keepLooking();
