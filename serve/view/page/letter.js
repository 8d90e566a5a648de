// A letter's words as elements: headings, tables, lists, quotations. Whatever it holds stays text.

import { h } from "./dom.js";

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*/g;
const ITEM = /^(\s*)(?:[-*]|\d+\.)\s+(.*)$/;
const BEGINS = /^(#+ |\||```|>)/;
/** Letters fill their lines up to about a hundred characters. */
const FULL = 70;
const RULE = /^\|?[\s:|-]+\|?$/;

/** The elements of a letter; headings begin at the level that is given. */
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

/** Code and bold words within a line; all else as it is. */
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

/** A text with its line breaks as elements. */
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

/** Lines go on in the next one where they fill theirs; short ones end there. */
function paragraph(rows) {
  let text = rows[0];
  let before = rows.shift();
  while (rows.length && rows[0].trim() && !BEGINS.test(rows[0]) && !ITEM.test(rows[0])) {
    text += `${before.length < FULL ? "\n" : " "}${rows[0]}`;
    before = rows.shift();
  }
  return inline(text);
}

function quotation(rows) {
  const taken = [];
  while (rows.length && rows[0].startsWith(">")) taken.push(rows.shift().replace(/^> ?/, ""));
  return h("blockquote", {}, taken.join("\n"));
}

/** Items may go on below, indented. */
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

/** A table of cells; the first of a row names it. */
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

/** Cells between bars; a bar that a word holds is written \| there. */
function cells(row) {
  const split = row.replaceAll("\\|", "\u0000").split("|").map((cell) => cell.replaceAll("\u0000", "|").trim());
  return split.slice(1, split.at(-1) === "" ? -1 : undefined);
}
