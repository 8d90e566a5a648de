// The page of a party: its letter, and a place to answer it.

import { announce, folded, h } from "./dom.js";
import { ownKey, signed, useKey } from "./signing.js";
import { title } from "./words.js";

const app = document.getElementById("app");
const here = location.pathname;
const EVERY = 3000;

const FIELDS = {
  reason: ["consider"],
  propose: ["speech", "proposal", "reject"],
  propose_split: ["speech", "proposal", "reject"],
  answer: ["speech", "accept", "reject", "proposal"],
  answer_split: ["speech", "accept", "reject", "proposal"],
  act: ["speech", "action"],
};

/** The rules of the game, with which every letter begins, up to what is of the moment. */
const SAME_FOR_ALL = /^[\s\S]*?(?=\n# So far\n)/;

/** What a refusal asks to be signed. */
const TO_SIGN = /\{[^{}]*\}/;

let shown = null;

async function look() {
  const response = await fetch(here, { headers: { accept: "application/json" } });
  const letter = response.ok ? await response.json() : {};
  // Drawing the same letter again would clear a half-written reply.
  if (letter.id === shown) return;
  shown = letter.id;
  if (letter.id) ask(letter);
  else wait();
}

function wait() {
  app.replaceChildren(
    h("main", { class: "seat" }, h("h1", {}, "Nothing to answer now"), h("p", {}, "This page checks for a letter by itself.")),
  );
}

function ask(letter) {
  const inputs = fields(letter);
  const message = h("textarea", { id: "message", rows: 6 });
  const mine = () => ({ action: letter.act, args: read(inputs) });
  app.replaceChildren(
    h(
      "main",
      { class: "seat" },
      h("h1", {}, `${letter.agent}, you are asked to ${letter.act.replaceAll("_", " ")}`),
      h("p", {}, letter.description),
      opened(letter.letter),
      h("p", { id: "reason", class: "mark refused", role: "alert" }),
      inputs.map(({ label, input, hint }) => h("div", { class: "field" }, label, input, hint)),
      h(
        "p",
        { class: "buttons" },
        button(letter, "edit", "Send", mine),
        button(letter, "accept", "Accept the current offer", () => null),
        button(letter, "ignore", "Pass", () => null),
      ),
      folded(
        "Write the message yourself",
        h("label", { for: "message" }, "Your message, with its tags"),
        message,
        h("p", { class: "buttons" }, button(letter, "response", "Send the message", () => message.value)),
      ),
      folded("Sign with a key of your own", signing()),
    ),
  );
  announce("A letter is here.");
}

/** Choose the key that acceptances are signed with; it stays in this browser. */
function signing() {
  const told = h("p", { id: "key", role: "status" }, "");
  const say = (own) => (told.textContent = own ? `Your answers are signed by key ${own.keyid}.` : "No key is chosen.");
  const file = h("input", { id: "key-file", type: "file", accept: ".pem" });
  file.addEventListener("change", async () => {
    try {
      say(await useKey(await file.files[0].text()));
    } catch (error) {
      told.textContent = error.message;
    }
  });
  ownKey().then(say);
  const label = h("label", { for: "key-file" }, "A file of a private key (PEM). It is not sent anywhere.");
  return [told, h("div", { class: "field" }, label, file)];
}

/** The letter, with what all of them begin with folded. */
function opened(text) {
  const [same] = SAME_FOR_ALL.exec(text) ?? [""];
  const own = h("pre", { tabindex: 0, role: "region", "aria-label": "Your letter" }, text.slice(same.length).trim());
  return [same && folded("The game and the message format", h("pre", {}, same)), own];
}

/** One input for each field of an answer that makes sense now. */
function fields({ act, fields: schema }) {
  const all = Object.entries(schema?.properties ?? {});
  const wanted = FIELDS[act];
  return all
    .filter(([name]) => !wanted || wanted.includes(name))
    .map(([name, field]) => {
      const id = `field-${name}`;
      const described = { id, "aria-describedby": `${id}-hint` };
      return {
        name,
        field,
        label: h("label", { for: id }, field.title ?? title(name)),
        input: field.type === "boolean" ? h("input", { type: "checkbox", ...described }) : h("textarea", { rows: 2, ...described }),
        hint: h("p", { id: `${id}-hint`, class: "small" }, field.description ?? ""),
      };
    });
}

/** What was filled in; what is not text is JSON. */
function read(inputs) {
  const given = {};
  for (const { name, field, input } of inputs) {
    if (field.type === "boolean") given[name] = input.checked;
    else if (!input.value.trim()) continue;
    else given[name] = field.type === "string" ? input.value : JSON.parse(input.value);
  }
  return given;
}

function button(letter, type, label, args) {
  if (!letter.answers.includes(type)) return null;
  return h("button", { type: "button", onclick: () => send(letter, type, args) }, label);
}

async function send(letter, type, args) {
  try {
    const reply = { id: letter.id, type, args: args() };
    if (letter.to_sign && accepts(reply)) reply.signature = (await signed(letter.to_sign)) ?? undefined;
    const told = await post(reply);
    const toSign = told.refused === "SIGN" && TO_SIGN.exec(told.why);
    const signature = toSign && (await signed(JSON.parse(toSign[0])));
    // What is read in one's own proposal is known only now; the letter has another name by then.
    if (signature) await post({ type, args: reply.args, signature });
  } catch (error) {
    const why = error instanceof SyntaxError ? "The proposal is no JSON." : error.message;
    document.getElementById("reason").textContent = why;
    return;
  }
  announce("Your answer was sent.");
  wait();
}

async function post(reply) {
  const body = JSON.stringify(reply);
  const response = await fetch(here, { method: "POST", headers: { "content-type": "application/json" }, body });
  const told = await response.json();
  if (!response.ok) throw new Error(told.detail ?? "This reply is refused.");
  return told;
}

/** Whether a reply accepts the offer of its letter. */
function accepts({ type, args }) {
  return type === "accept" || Boolean(args?.args?.accept) || /<accept/i.test(String(args));
}

look();
setInterval(look, EVERY);
