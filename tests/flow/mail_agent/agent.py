"""Reads an order mail and fills order_number and quantity: the smallest agent that keeps the contract."""

import hashlib
import json
import os
import pathlib
import sys

LABELS = json.loads(pathlib.Path("harness/labels.json").read_text())
ROOT = pathlib.Path(os.environ.get("NAOSHI_DATA_ROOT", "."))
VERSION = os.environ.get("NAOSHI_AGENT_VERSION", "")
NOW = "2026-01-05T00:00:00Z"


def find(lines, field):
    for label in LABELS[field]:
        for number, line in enumerate(lines, start=1):
            if line.startswith(label):
                return {"value": line[len(label) :].strip(), "line": number, "quote": line, "rule": label}
    return None


def identifier(*parts, size):
    return hashlib.sha256(json.dumps([VERSION, *parts], sort_keys=True).encode()).hexdigest()[:size]


def span(variables, name, kind, parent, attributes):
    return {
        "trace_id": identifier("trace", variables, size=32),
        "span_id": identifier(name, variables, size=16),
        "parent_span_id": parent,
        "name": name,
        "start_time": NOW,
        "end_time": NOW,
        "status": {"code": "STATUS_CODE_OK", "message": ""},
        "resource": {"attributes": {"service.name": "mails", "service.version": VERSION}},
        "attributes": {"openinference.span.kind": kind, **attributes},
    }


for request in map(json.loads, sys.stdin):
    mail = request["vars"]["mail"]
    lines = (ROOT / mail).read_text().split("\n")
    output, claims = {}, []
    for field in LABELS:
        hit = find(lines, field)
        output[field] = hit["value"] if hit else None
        if hit:
            place = {"path": mail, "line": hit["line"], "quote": hit["quote"]}
            claims.append({"field": field, "value": hit["value"], "rule": hit["rule"], "citations": [place]})
    artifacts = {"fields": output, "claims": claims}
    facts = {"naoshi.vars": request["vars"], "naoshi.output": output, "naoshi.artifacts": artifacts}
    run = span(request["vars"], "run", "AGENT", "", {name: json.dumps(value) for name, value in facts.items()})
    source = {"naoshi.source.path": mail, "output.value": "\n".join(lines)}
    spans = [run, span(request["vars"], "read_mail", "TOOL", run["span_id"], source)]
    answer = {"case_id": request["case_id"], "output": output, "artifacts": artifacts, "spans": spans}
    print(json.dumps(answer), flush=True)
