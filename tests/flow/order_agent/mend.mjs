// A coding agent of a few lines: learns the label that stands before a corrected value, when two mails agree on it.
import { readFileSync, writeFileSync } from "node:fs";

const blocks = [...readFileSync("codex_handoff.md", "utf8").matchAll(/```json\n([\s\S]*?)\n```/g)];
const handoff = JSON.parse(blocks.at(-1)[1]);
const labels = JSON.parse(readFileSync("harness/labels.json", "utf8"));
const seen = {};
for (const { field, expected, places } of handoff.cases)
  for (const { quote } of places ?? []) {
    const label = quote.slice(0, quote.indexOf(expected)).trim();
    if (label) (seen[`${field}\t${label}`] ??= new Set()).add(places[0].path);
  }
for (const [key, mails] of Object.entries(seen)) {
  const [field, label] = key.split("\t");
  if (mails.size >= 2 && !labels[field].includes(label)) labels[field].push(label);
}
writeFileSync("harness/labels.json", JSON.stringify(labels, null, 2) + "\n");
