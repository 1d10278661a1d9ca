"""Where things stand, in words."""

from naoshi.flow.loop import Loop
from naoshi.flow.standing import Standing, standing
from naoshi.ui.cli.output import Output, counted, one_line


def show_status(loop: Loop, out: Output) -> None:
    """Show version, counts, what waits for a person, and the next step."""
    now = standing(loop)
    counts = (
        ("version", f"{now.version or 'none yet'}  ({counted(now.releases, 'release')})"),
        ("traces", f"{now.traces}  ({counted(now.quarantined, 'line')} in quarantine)"),
        ("corrections", f"{now.corrections}  ({now.untriaged} not triaged)"),
        ("cases", _cases(now)),
        ("cycles", f"{now.cycles}" + (f"  (the last one: {_last_cycle(now)})" if now.cycle_state else "")),
        *([("change", now.last_change)] if now.last_change else []),
    )
    out.say(*(f"{name:<12} {text}" for name, text in counts))
    for item in now.waiting:
        out.say(f"waiting      {item}")
    for alarm in now.alarms:
        out.say(f"ALARM        {alarm}")
    out.say(f"next         {now.next_step}")
    out.result(now)


def _cases(now: Standing) -> str:
    told = "not run yet" if now.passing is None else f"{now.passing} of {now.run_cases} passing in the last run"
    if now.run_cases and now.run_cases > now.cases:
        told += ", which has what people left as it was too"
    aside = f"  ({now.set_aside} without a say in the gate)" if now.set_aside else ""
    return f"{now.cases}  ({told}){aside}"


def _last_cycle(now: Standing) -> str:
    state = (now.cycle_state or "").replace("_", " ")
    return one_line("; ".join([state, *now.cycle_reasons]), most=200)
