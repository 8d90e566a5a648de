// Checks all files of a list in one process: node check_files.mjs PROGRAM LIST
//
// PROGRAM is the page's modules without its drawing, as one module. LIST is JSON: for each file its
// path and its keys (name → PEM). Each printed line is one file's verdict and findings in JSON.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , program, list] = process.argv;
const { check } = await import(pathToFileURL(program).href);
for (const { file, keys } of JSON.parse(readFileSync(list, "utf8"))) {
  const { findings } = await check(readFileSync(file), new Map(Object.entries(keys)));
  const states = new Set(findings.map(({ state }) => state));
  const verdict = states.has("wrong") ? "refused" : states.has("unknown") ? "partly" : "sound";
  console.log(JSON.stringify({ file, verdict, findings: findings.filter(({ state }) => state !== "ok") }));
}
