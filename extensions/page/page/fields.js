// The fields of forms, and what is wrong with them, said beside each.

import { h } from "./dom.js";

/** Return a drop-down list with a label. Without a value, the person has to choose one. */
export function pick(label, values, value, chosen, names = {}) {
  const options = [...(value === "" ? [""] : []), ...values].map((one) => h("option", { value: one, selected: one === value }, names[one] ?? (one || "choose…")));
  return h("select", { "aria-label": label, required: value === "", onchange: (event) => chosen(event.target.value) }, options);
}

/**
 * Return a field for a number, with its unit beside it. A decimal comma counts as a point.
 * @param {object} how its `id`, if it has a label of its own; its `mode`, which is "text" where a
 *   minus, a percent sign or a fraction is legal, as the number pads of phones lack them; and what
 *   `read` takes.
 */
export function number(label, value, given, { id, mode = "decimal", ...how } = {}) {
  const check = () => {
    const [found, wrong = ""] = read(input.value, how);
    input.setCustomValidity(wrong);
    return found;
  };
  const late = () => input.value && !input.validity.valid && say(input);
  const input = h("input", { class: "number-of", id, "data-missing": EXAMPLES[kindRead(how)], "aria-label": id ? null : label, inputmode: mode, required: true, autocomplete: "off", value: value ?? "", placeholder: "0", oninput: () => given(check()), onchange: () => setTimeout(late, LATE) });
  check();
  return how.unit ? h("span", { class: "part" }, input, how.unit) : input;
}

/** Milliseconds until a field that was left says what is wrong: at once, it would push away the button that is pressed. */
const LATE = 300;
const NUMBER = /^[-+]?(\d+(\.\d+)?|\.\d+)(\/\d+)?$/;
/** Matches what is a thousand to some people and a small number to others. */
const THOUSANDS = /^[-+]?[1-9]\d{0,2}(,\d{3}|\.\d\d0)$/;
const SIGNS = { EUR: "€", USD: "$", GBP: "£", JPY: "¥" };

/**
 * Return a number as the server reads it; a wrong one as it is, and what would be right.
 * @param {object} how `percent`: from 0 to 100; `part`: from 0 to 1, or in percent; `share`: an
 *   amount, or as a part; `whole`: no decimals; `unit`: what may stand before or after it.
 */
export function read(text, { percent, part, share, whole, unit }) {
  const [bare, named] = alone(text, percent || part ? ["%"] : [unit, SIGNS[unit], share && "%"]);
  const most = percent || (part && named) ? 100 : part ? 1 : Infinity;
  const point = bare.replace(",", ".");
  const [over, under = 1] = point.split("/").map(Number);
  if (most === Infinity && THOUSANDS.test(bare)) return [text, `Is it ${over} or ${bare.replace(/[.,]/, "")}? Write the one or the other.`];
  const legal = (whole ? /^\d+$/ : NUMBER).test(point) && (most === Infinity || (over >= 0 && over / under <= most));
  if (!legal) return [text, bare && EXAMPLES[kindRead({ percent, part, share, whole })]];
  if (percent && point.includes("/")) return [text, `Write ${Math.round((1000 * over) / under) / 10}.`];
  return [named === "%" && !percent ? `${point}%` : point];
}

function kindRead(how) {
  return ["percent", "part", "share", "whole"].find((kind) => how[kind]) ?? "number";
}

const EXAMPLES = {
  percent: "Write a number from 0 to 100, as in 30 or 33.3 %.",
  part: "Write a part from 0 to 1, or in percent, as in 0.6 or 60 %.",
  share: "Write an amount, or a part of the whole in percent, as in 200 or 40 %.",
  whole: "Write a whole number, as in 2.",
  number: "Write a number, as in 3 or 1.5.",
};

/** Return a text without the unit around it, and the unit, if there was one. */
function alone(text, units) {
  const bare = text.trim().replace("−", "-");
  const upper = bare.toUpperCase();
  const unit = units.find((one) => one && (upper.startsWith(one.toUpperCase()) || upper.endsWith(one.toUpperCase())));
  if (!unit) return [bare];
  return [(upper.endsWith(unit.toUpperCase()) ? bare.slice(0, -unit.length) : bare.slice(unit.length)).trim(), unit];
}

// What is wrong

const MISSING = { radio: "Choose one of these.", text: EXAMPLES.number };

/** Return the first control of a form that is filled in wrongly; if asked, say beside each why. */
export function findWrong(form, tell) {
  const wrong = [...form.elements].filter((one) => one.willValidate && !one.validity.valid);
  const once = wrong.filter((one, n) => one.type !== "radio" || wrong.findIndex(({ name }) => name === one.name) === n);
  if (tell) once.forEach(say);
  return once[0];
}

let count = 0;

/** Say beside a control what is wrong with it, until it changes. */
function say(control) {
  if (control.hasAttribute("aria-invalid")) return;
  const why = control.validity.customError ? control.validationMessage : control.matches("select") ? `Choose: ${control.getAttribute("aria-label").toLowerCase()}.` : control.dataset.missing ?? MISSING[control.type] ?? "Write something here.";
  const place = control.closest(".choices, .field, .sentence");
  const hint = control.getAttribute("aria-describedby");
  const told = h("p", { id: `wrong-${++count}`, class: "wrong" }, why);
  const clear = () => {
    told.remove();
    control.removeAttribute("aria-invalid");
    control.setAttribute("aria-describedby", hint ?? "");
  };
  place.append(told);
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", [told.id, hint].filter(Boolean).join(" "));
  (control.type === "radio" ? place : control).addEventListener("input", clear, { once: true });
}
