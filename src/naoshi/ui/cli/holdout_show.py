"""What the holdout was asked, and what is left of its budget."""

from naoshi.flow.holdout import holdout_use
from naoshi.flow.loop import Loop
from naoshi.ui.cli.output import Output, counted, one_line

_SHOWN = 20


def show_holdout(loop: Loop, out: Output) -> None:
    """Show the latest evaluations on the holdout, and how many are left in this cycle and this month."""
    use = holdout_use(loop)
    if use.queries:
        if len(use.queries) > _SHOWN:
            out.say(f"the latest {_SHOWN} of {len(use.queries)} (all of them with --json)")
        out.table(
            ("when", "who", "commit", "cases", "counts", "why"),
            [
                (
                    query.at.isoformat(timespec="seconds"),
                    one_line(query.who, most=30),
                    one_line(query.commit, most=12),
                    query.cases,
                    "yes" if query.counted else "no",
                    one_line(query.why, most=60),
                )
                for query in use.queries[-_SHOWN:]
            ],
        )
    else:
        out.say("the holdout has not been asked yet")
    out.say(
        f"{counted(use.in_month, 'query', 'queries')} in {use.month} (UTC), {use.per_month} allowed; "
        f"{use.in_cycle} in the open cycle, {use.per_cycle} allowed"
    )
    out.result(use)
