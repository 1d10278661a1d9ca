"""Reports as HALO writes them, in either layout."""

import json
from typing import Any

from tests.repair.engines.failing_receipts import BAD, GOOD


def seven_sections(*entries: dict[str, Any], table: str = "") -> str:
    """Return a report in seven sections with *entries* in its machine-readable summary."""
    return f"""Some words before it.

## Executive summary
The harness reads totals beside TOTAL. The gate does not pass.

## Top 3 changes to implement first
1. Read the value beside AMOUNT DUE

## Ranked recommendation table
| rank | recommendation | impact | confidence | effort | evidence | validation |
|---|---|---|---|---|---|---|
| 1 | Read the value beside AMOUNT DUE | 1.0 | 0.9 | low | trace_003, box/003.csv:4 | the cases pass |
{table}
## Supporting diagnosis and evidence
- Read the value beside AMOUNT DUE: a requirement missing from the harness (trace_003, trace_004).

## Detailed recommendations
### Behavior contract
#### Prompt
Nothing.
#### Skills
Nothing.
### Runtime implementation
#### Tools
1. Read the value beside AMOUNT DUE: add the label in harness/labels.json:2.
#### Control flow
Check the sum: the items of case_004_total do not add up (correction_004_total).
#### Routing
Nothing.
### Output contract
#### Artifact schema
Nothing.
### Observability and evals
#### Observability
Nothing.
#### Evals
Nothing.

## Insights by feedback source
- human feedback: two corrections.

## Machine-readable summary
```json
{json.dumps({"top_priorities": list(entries)})}
```
"""


WHOLE = seven_sections(GOOD, BAD)

FOUR_SECTIONS = """\
## HALO Diagnosis
1. [HIGH] Totals beside AMOUNT DUE are not read (2/2 runs): the requirement is missing from the harness
   - evidence: trace_003 span_003, box/003.csv:4
2. [LOW] Claims do not say where they stand

## Recommended Changes
- Add the label AMOUNT DUE to the mapping in harness/labels.json:2
- Improve observability of claims (trace_999)

## Supporting Traces
- Trace: trace_003
- Trace: trace_004

## Implementation Guidance
- Append one label.
"""
