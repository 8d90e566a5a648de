// The fields for private reasoning, and for any other text of an answer.

import { folded, h } from "./dom.js";
import { number, pick } from "./fields.js";

/** Result of the reasoning → its name in the answer, its name for a person. */
const RESULTS = {
  payoff: ["Collective payoff", "What you earn together"],
  externality: ["Externality", "How it affects the others"],
  price: ["Price", "What you should be paid"],
};

/** Return the fields for private thoughts, if the letter asks for them. */
export function reasoning(letter, form, filled, changed) {
  if (!form.fields.includes("thoughts")) return null;
  const alone = ["reason", "consider"].includes(letter.act);
  const thoughts = text(alone ? "Your thoughts" : "Private thoughts", "thoughts", "Nobody else reads them.", filled, changed, letter.act === "consider");
  if (!alone) return folded("Private thoughts", thoughts);
  if (letter.act !== "reason") return thoughts;
  const line = (name, hint, input) => h("div", { class: "field" }, h("label", { for: `result-${name}` }, RESULTS[name][1]), input, h("p", { class: "small" }, hint));
  const figure = (name) => number(RESULTS[name][1], filled[name], (value) => ((filled[name] = value), changed()), { id: `result-${name}`, mode: "text", unit: form.unit || "points" });
  const signs = { "+": "+ it helps the others", "-": "− it harms the others", 0: "0 it changes nothing for them" };
  const sign = pick(RESULTS.externality[1], ["+", "-", "0"], filled.externality ?? "", (value) => ((filled.externality = value), changed()), signs);
  sign.id = "result-externality";
  return [
    thoughts,
    line("payoff", "All of you, if all goes as you plan it.", figure("payoff")),
    line("externality", "What you plan to do.", sign),
    line("price", "On balance; with a minus, what you should pay.", figure("price")),
  ];
}

/** Return the thoughts, followed by the three results that the letter asks for. */
export function reasoned(filled) {
  const results = Object.entries(RESULTS).filter(([key]) => filled[key]).map(([key, [name]]) => `${name}: ${filled[key]}`);
  return [filled.thoughts, ...results].filter(Boolean).join("\n");
}

/** Return a field for a text, with a hint. */
export function text(label, key, hint, filled, changed, required = false) {
  const id = `field-${key}`;
  const input = h("textarea", { id, required, rows: key === "thoughts" ? 4 : 2, "aria-describedby": `${id}-hint`, oninput: () => ((filled[key] = input.value), changed()) });
  input.value = filled[key] ?? "";
  return h("div", { class: "field" }, h("label", { for: id }, label), input, h("p", { id: `${id}-hint`, class: "small" }, hint));
}
