// Functions that make elements: an agent's words become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** Return an HTML element. Children are elements or text; text is never parsed as HTML. */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Return an SVG element. */
export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** Announce a change to screen readers. */
export function announce(text) {
  document.getElementById("news").textContent = text;
}

/** Return a text that only screen readers read. */
export function unseen(text) {
  return h("span", { class: "unseen" }, text);
}

/** Return a folded section with a summary line. */
export function folded(summary, ...children) {
  return h("details", {}, h("summary", {}, summary), ...children);
}

/** Ask a question in a dialog, and do `then` if the answer is yes. */
export function whether(question, yes, then) {
  const choose = (label, act, primary) => h("button", { type: "button", class: primary && "primary", onclick: () => (dialog.close(), act?.()) }, label);
  const buttons = h("p", { class: "buttons" }, choose("No, go back", null, true), choose(yes, then));
  const dialog = h("dialog", { "aria-labelledby": "question", onclose: () => dialog.remove() }, h("p", { id: "question" }, question), buttons);
  document.body.append(dialog);
  dialog.showModal();
}

/** On narrow screens the cells of a row are stacked in a table of more columns than this. */
const FEWEST = 3;

/**
 * Return a table with a caption, a header row, and a header cell in each row. Each cell names its
 * column for narrow screens, where the style stacks cells; ARIA roles keep it a table even then.
 */
export function table(caption, columns, rows) {
  const head = columns.map((column) => h("th", { scope: "col", role: "columnheader" }, column));
  const heads = head.slice(1).map((one) => one.textContent);
  const body = rows.map(([first, ...rest]) =>
    h(
      "tr",
      { role: "row" },
      h("th", { scope: "row", role: "rowheader" }, first),
      ...rest.map((cell, n) => h("td", { role: "cell", "data-head": heads[n] }, cell)),
    ),
  );
  return h(
    "div",
    { class: columns.length > FEWEST ? "scroll stacks" : "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { role: "table" },
      h("caption", { class: "unseen" }, caption),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...head)),
      h("tbody", { role: "rowgroup" }, ...body),
    ),
  );
}

/** Return a section of the page. */
export function panel(id, title, aside, ...children) {
  return h(
    "section",
    { class: "panel", id, "aria-labelledby": `${id}-title` },
    h("header", {}, h("h2", { id: `${id}-title` }, title), aside && h("p", { class: "aside" }, aside)),
    ...children,
  );
}

/** Replace the panels in a container; elements that were open or had the focus stay so. */
export function redraw(container, panels) {
  const named = (one) => `${one.closest(".panel").id}: ${one.getAttribute("aria-label") ?? one.textContent}`;
  const within = (selector) => [...container.querySelectorAll(selector)];
  const opened = new Set(within("details[open] > summary").map(named));
  const focused = container.contains(document.activeElement) && named(document.activeElement);
  container.replaceChildren(...panels);
  for (const summary of within("summary")) summary.parentElement.open = opened.has(named(summary));
  if (focused) within("summary, [tabindex]").find((one) => named(one) === focused)?.focus();
}
