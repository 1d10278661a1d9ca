def is_short(output, context):
    return {"pass": len(output) < 20, "score": 0.5, "reason": f"{len(output)} characters"}
