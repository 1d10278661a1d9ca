"""A coding agent of a few lines: learns the label before a corrected value when two mails agree on it."""

import json
import pathlib
import re
from collections import defaultdict

blocks = re.findall(r"```json\n(.*?)\n```", pathlib.Path("codex_handoff.md").read_text(), re.S)
place = pathlib.Path("harness/labels.json")
labels = json.loads(place.read_text())
seen = defaultdict(set)
for case in json.loads(blocks[-1])["cases"]:
    for found in case["places"]:
        label = found["quote"].partition(case["expected"])[0].strip()
        if label:
            seen[case["field"], label].add(found["path"])
for (field, label), mails in sorted(seen.items()):
    if len(mails) >= 2 and label not in labels[field]:
        labels[field].append(label)
place.write_text(json.dumps(labels, indent=2) + "\n")
