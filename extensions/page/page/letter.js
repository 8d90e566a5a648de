// Draws a letter as elements: headings, tables, lists, quotations. Its content stays plain text.

import { h } from "./dom.js";

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*/g;
const ITEM = /^(\s*)(?:[-*]|\d+\.)\s+(.*)$/;
const BEGINS = /^(#+ |\||```|>)/;
/** A shorter line ends with a line break, unless the next one goes on in lower case. */
const FULL = 70;
const RULE = /^\|?[\s:|-]+\|?$/;

/** Return the elements of a letter; the highest headings have the given level. */
export function written(text, level = 2) {
  const rows = text.replaceAll("\r", "").split("\n");
  const found = [];
  while (rows.length) {
    const row = rows[0];
    if (!row.trim()) rows.shift();
    else if (row.startsWith("```")) found.push(fenced(rows));
    else if (/^#+ /.test(row)) found.push(headline(rows.shift(), level));
    else if (row.startsWith("|")) found.push(grid(rows));
    else if (row.startsWith(">")) found.push(quotation(rows));
    else if (ITEM.test(row)) found.push(listing(rows));
    else found.push(h("p", {}, paragraph(rows)));
  }
  return found;
}

/** Return the parts of a line: code and bold words as elements, and the text between them. */
export function inline(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [tag, words] = match[1] == null ? ["strong", match[2]] : ["code", match[1]];
    parts.push(text.slice(from, match.index), h(tag, {}, words.replaceAll("\n", " ")));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)].flatMap((part) => (typeof part === "string" ? ended(part) : [part])).filter((part) => part !== "");
}

/** Return a text with its line breaks as elements. */
function ended(text) {
  return text.split("\n").flatMap((line, n) => (n ? [h("br"), line] : [line]));
}

function headline(row, level) {
  const [, marks, text] = /^(#+) (.*)$/.exec(row);
  return h(`h${Math.min(6, level + marks.length - 1)}`, {}, inline(text));
}

function fenced(rows) {
  rows.shift();
  const end = rows.findIndex((row) => row.startsWith("```"));
  const inside = rows.splice(0, end < 0 ? rows.length : end);
  rows.shift();
  return h("pre", {}, inside.join("\n"));
}

/** Return a paragraph: a long line continues in the next line, a short line ends with a break. */
function paragraph(rows) {
  let text = rows[0];
  let before = rows.shift();
  while (rows.length && rows[0].trim() && !BEGINS.test(rows[0]) && !ITEM.test(rows[0])) {
    text += `${before.length < FULL && !/^[a-z]/.test(rows[0]) ? "\n" : " "}${rows[0]}`;
    before = rows.shift();
  }
  return inline(text);
}

function quotation(rows) {
  const taken = [];
  while (rows.length && rows[0].startsWith(">")) taken.push(rows.shift().replace(/^> ?/, ""));
  return h("blockquote", {}, taken.join("\n"));
}

/** Return a list; indented lines below an item belong to the item. */
function listing(rows) {
  const ordered = /^\s*\d/.test(rows[0]);
  const items = [];
  while (rows.length && rows[0].trim() && !BEGINS.test(rows[0])) {
    const item = ITEM.exec(rows[0]);
    if (item) items.push([item[2]]);
    else items.at(-1).push(rows[0].trim());
    rows.shift();
  }
  return h(ordered ? "ol" : "ul", { class: "listed" }, items.map((words) => h("li", {}, inline(words.join(" ")))));
}

function grid(rows) {
  const taken = [];
  while (rows.length && rows[0].startsWith("|")) taken.push(cells(rows.shift()));
  const ruled = taken.length > 1 && taken[1].every((cell) => RULE.test(cell));
  const [head, body] = ruled ? [taken[0], taken.slice(2)] : [null, taken];
  return tabled(head, body);
}

/** Return a table; the first cell of a row is the row's header. */
export function tabled(head, body) {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": head ? head.filter(Boolean).join(", ") : "A table" },
    h(
      "table",
      {},
      head && h("thead", {}, h("tr", {}, head.map((cell) => h("th", { scope: "col" }, inline(cell))))),
      h("tbody", {}, body.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, inline(first)), rest.map((cell) => h("td", {}, inline(cell)))))),
    ),
  );
}

/** Return the cells between the bars of a row; \| is a bar within a cell's text. */
function cells(row) {
  const split = row.replaceAll("\\|", "\u0000").split("|").map((cell) => cell.replaceAll("\u0000", "|").trim());
  return split.slice(1, split.at(-1) === "" ? -1 : undefined);
}
