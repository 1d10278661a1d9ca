// Reads an order mail and fills order_number and quantity. One JSON object a line in, one a line out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createHash } from "node:crypto";
import { join } from "node:path";

const labels = JSON.parse(readFileSync("harness/labels.json", "utf8"));
const root = process.env.NAOSHI_DATA_ROOT ?? ".";
const version = process.env.NAOSHI_AGENT_VERSION ?? "";

function find(lines, field) {
  for (const label of labels[field])
    for (const [index, line] of lines.entries())
      if (line.startsWith(label)) return { value: line.slice(label.length).trim(), line: index + 1, quote: line, rule: label };
  return null;
}

for await (const text of createInterface({ input: process.stdin })) {
  const { case_id, vars } = JSON.parse(text);
  const lines = readFileSync(join(root, vars.mail), "utf8").split("\n");
  const output = {}, claims = [];
  for (const field of Object.keys(labels)) {
    const hit = find(lines, field);
    output[field] = hit?.value ?? null;
    if (hit) claims.push({ field, value: hit.value, rule: hit.rule, citations: [{ path: vars.mail, line: hit.line, quote: hit.quote }] });
  }
  const id = (name, size) => createHash("sha256").update(JSON.stringify([version, vars, name])).digest("hex").slice(0, size);
  const now = new Date().toISOString(), artifacts = { fields: output, claims };
  const span = (name, kind, parent, attributes) => ({
    trace_id: id("trace", 32), span_id: id(name, 16), parent_span_id: parent, name, kind: "SPAN_KIND_INTERNAL",
    start_time: now, end_time: now, status: { code: "STATUS_CODE_OK", message: "" },
    resource: { attributes: { "service.name": "orders", "service.version": version } }, scope: { name: "orders", version: "1" },
    attributes: { "openinference.span.kind": kind, ...attributes } });
  const run = span("run", "AGENT", "", { "naoshi.vars": JSON.stringify(vars), "naoshi.output": JSON.stringify(output), "naoshi.artifacts": JSON.stringify(artifacts) });
  const read = span("read_mail", "TOOL", run.span_id, { "naoshi.source.path": vars.mail, "output.value": lines.join("\n") });
  console.log(JSON.stringify({ case_id, output, artifacts, spans: [run, read] }));
}
