"""An agent that puts out `vars.output`, at the cost of `vars.cost`."""

import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    answer = {"case_id": request["case_id"], "output": request["vars"]["output"]}
    if "cost" in request["vars"]:
        answer["cost"] = request["vars"]["cost"]
    print(json.dumps(answer), flush=True)
