// The page of a party: its letter, and a place to answer it.

import { announce, h } from "./dom.js";

const app = document.getElementById("app");
const here = location.pathname;
const EVERY = 3000;

const ANSWERS = { accept: "Accept", edit: "Send my own version", response: "Answer", ignore: "Pass" };
const KINDS = { respond: "response" };

let drawn = "";

async function look() {
  const response = await fetch(here, { headers: { accept: "application/json" } });
  const letter = response.ok ? await response.json() : null;
  // What is being typed is not taken away by a second look at the same letter.
  const now = JSON.stringify(letter);
  if (now === drawn) return;
  drawn = now;
  if (letter) ask(letter);
  else wait();
}

function wait() {
  app.replaceChildren(
    h("main", { class: "seat" }, h("h1", {}, "Nothing to answer now"), h("p", {}, "This page looks again by itself.")),
  );
}

function ask(letter) {
  const text = h("textarea", { id: "answer", rows: 8, required: true, "aria-describedby": "reason" });
  const kinds = (letter.actions ?? ["respond"]).map((kind) => KINDS[kind] ?? kind);
  app.replaceChildren(
    h(
      "main",
      { class: "seat" },
      h("h1", {}, letter.agent ? `${letter.agent}, you are asked` : "You are asked"),
      letter.deadline && h("p", {}, `Until ${letter.deadline}; after that you pass.`),
      h("p", { id: "reason", class: "mark refused", role: "alert" }, letter.reason ?? ""),
      h("details", {}, h("summary", {}, "The table and its rules"), h("pre", {}, letter.letter?.system ?? "")),
      h("pre", {}, letter.letter?.user ?? ""),
      h("label", { for: "answer" }, "Your answer"),
      text,
      h(
        "p",
        { class: "buttons" },
        kinds.map((kind) =>
          h("button", { type: "button", onclick: () => send(kind, text.value) }, ANSWERS[kind] ?? kind),
        ),
      ),
    ),
  );
  announce("A letter is here.");
}

async function send(type, args) {
  const response = await fetch(here, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ type, args }),
  });
  const told = await response.json();
  if (!response.ok) {
    document.getElementById("reason").textContent = told.detail ?? "This answer cannot stand.";
    return;
  }
  await look();
}

look();
setInterval(look, EVERY);
