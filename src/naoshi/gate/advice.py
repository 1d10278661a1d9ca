"""What to do about a verdict, in English and in Japanese: a line for each kind of reason that it gives."""

from naoshi.gate.reasons import key_of
from naoshi.gate.turns import Turn, turn_of
from naoshi.records.verdict import Certainty, Verdict, VerdictOutcome

_NAMED = 5

_MEND = (
    "Mend the cases that got worse and judge again. If a case asks for the wrong thing, correct it in the suite: then "
    "it is another case, and blocks nobody.",
    "悪くなったケースを直して、もう一度判定してください。ケースの求める内容が誤りなら、スイートの側を直します"
    "（別のケースになり、止める理由ではなくなります）。",
)
_LOWER = (
    "Cases still pass, with lower scores. Put the outputs of both versions side by side, mend what became worse, and "
    "judge again.",
    "合格のままでも点が下がったケースがあります。両方の版の出力を見比べ、悪くなったところを直して、"
    "もう一度判定してください。",
)
_ANSWER = (
    "Run the agent by hand on one of the cases without an answer, and read what it says on its error stream.",
    "応答のないケースを一つ、手でエージェントに渡し、エラー出力を確かめてください。",
)
_SHARE = (
    "Mend failing cases of this category. [gate.categories] says how many may fail; no average makes up for it.",
    "この区分の不合格を直してください。許される数は [gate.categories] で決まり、平均が良くても補えません。",
)
_RERUN = (
    "Run the cases that flipped again, on both versions. `naoshi gate` does so by itself; beside two files, give the "
    "results of both re-runs with --again.",
    "結果が変わったケースを両方の版でやり直してください。`naoshi gate` は自動でやり直します。"
    "二つのファイルを比べる場合は、両方のやり直しの結果を --again で渡します。",
)
_GRADE = (
    "See to it that every case is run and graded (the agent, the runner, the judge), and run again.",
    "すべてのケースが実行され採点されるように（エージェント、実行、審査役を）確かめて、もう一度実行してください。",
)
_LOOK = (
    "A person has to look at these cases; no further run is going to settle them.",
    "人がこれらのケースを見て決める必要があります。やり直しでは決まりません。",
)
_WHOLE = (
    "Run what was left out too. If cases were changed on purpose, run the baseline on the suite as it is now.",
    "抜けているケースも実行してください。意図して変えたり消したりした場合は、今のスイートで基準も実行します。",
)
_MORE = (
    "Add cases of this category from other sources, or run each more often.",
    "この区分に、別の出所のケースを加えるか、各ケースの試行を増やしてください。",
)
_ALIKE = (
    "Run both versions with the same judge, rubric and runner; only what was graded alike can be compared.",
    "審査役、採点基準、実行方法をそろえて両方の版を実行してください。同じ条件の採点だけが比べられます。",
)
_SAME_SUITE = (
    "Run both versions on the same suite.",
    "同じスイートで両方の版を実行してください。",
)
_DOUBLES = (
    "Give each case an identifier of its own, and each trial of it a number.",
    "ケースごとに固有の識別子を、試行ごとに番号を付けてください。",
)
_RUN_FIRST = ("Run the suite on the candidate first.", "まず候補でスイートを実行してください。")
_FIRST = (
    "Nothing: this run can become the baseline that later ones are held against.",
    "することはありません。この実行が、次からの基準になります。",
)
_NOTHING = ("Nothing: a person reviews the change next.", "することはありません。次は人による確認です。")
_CERTIFY = (
    "Nothing blocks, but there are too few cases to certify {named}: add cases from other sources to rule out a small "
    "loss.",
    "止める理由はありませんが、{named} は件数が少なく保証できません。小さな悪化まで否定するには、"
    "別の出所のケースを加えてください。",
)
_NOTHING_TO_LOSE = (
    "No case passed in the baseline, so that nothing could get worse: this pass says nothing. Look why none passes.",
    "基準で合格したケースがなく、悪くなりようがないため、この合格は何も意味しません。合格がない原因を確かめてください。",
)
_NOTHING_TO_LOSE_IN = (
    "Nothing could get worse in {named}: no case of it passed in the baseline. Look why none passes.",
    "{named} では基準で合格したケースがなく、悪くなりようがありません。合格がない原因を確かめてください。",
)
_UNSETTLED = (
    "Most trials of these cases pass no more, and so few cases do not show whether that is chance: {named}. Look at "
    "them, or run each case more often (`trials` under [evals]).",
    "試行の多くが合格しなくなったケースがあります: {named}。件数が少なく、偶然かどうかは分かりません。"
    "中身を確かめるか、[evals] の `trials` を増やしてください。",
)
_GUARDS_NOTHING = (
    "No case passes: a baseline of such a run guards nothing. Look why none passes.",
    "合格したケースがなく、この実行を基準にしても何も守れません。合格がない原因を確かめてください。",
)
_FLAKY = (
    "Of the flips, some do not always show: {named}. An agent with chance does this; look whether the cases are sound.",
    "毎回は現れない変化があります: {named}。偶然によるものですが、ケースに無理がないか確かめてください。",
)

_ADVICE: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("drop", "drop_beyond", "confirmed_drop", "too_many_worse", "passes_fell"), _MEND),
    **dict.fromkeys(
        ("error_rise", "confirmed_silence", "answers_fell", "no_answer_at_all", "first_run_errors"), _ANSWER
    ),
    **dict.fromkeys(("share_blocks", "unsafe_again"), _SHARE),
    **dict.fromkeys(("waits_for_rerun", "unsafe_so_far"), _RERUN),
    **dict.fromkeys(("unknown_now", "unknown_then", "rerun_says_nothing"), _GRADE),
    **dict.fromkeys(("share_doubtful", "not_reproduced", "unsafe_once"), _LOOK),
    **dict.fromkeys(("graded_differently", "rerun_graded_differently"), _ALIKE),
    "scores_fell": _LOWER,
    "left_out": _WHOLE,
    "too_few": _MORE,
    "nothing_in_common": _SAME_SUITE,
    "repeated": _DOUBLES,
    "empty": _RUN_FIRST,
    "first_run": _FIRST,
}


def advice(verdict: Verdict, language: str) -> tuple[str, ...]:
    """Return what to do next about *verdict*, in English or, with ``ja``, in Japanese; there is always something."""
    place = 1 if language == "ja" else 0
    keys = [key_of(told) for told in verdict.reasons]
    found = [_ADVICE[key][place] for key in keys if key in _ADVICE]
    doubted = [
        item.category
        for item in verdict.categories
        if item.statistics is not None and item.statistics.certainty is Certainty.too_few
    ]
    found = _about_reruns(found, verdict, place)
    if verdict.outcome is VerdictOutcome.pass_ and verdict.baseline_run_id is not None:
        found += _nothing_to_lose(verdict, place)
        found.append(_CERTIFY[place].format(named=_first(doubted)) if doubted else _NOTHING[place])
    if verdict.outcome is VerdictOutcome.pass_:
        found += _beside_a_pass(verdict, place)
    flaky = [flip.case_id for flip in verdict.flips if flip.confirmed is False]
    if flaky:
        found.append(_FLAKY[place].format(named=_first(flaky)))
    return tuple(dict.fromkeys(found)) or (_LOOK[place],)


def _about_reruns(found: list[str], verdict: Verdict, place: int) -> list[str]:
    """Return what was *found* with the re-runs where they would still say something, and without them elsewhere."""
    if verdict.outcome in (VerdictOutcome.regression, VerdictOutcome.incomparable) and not verdict.rerun:
        return [line for line in found if line != _RERUN[place]]
    return [*found, _RERUN[place]] if verdict.rerun else found


def _beside_a_pass(verdict: Verdict, place: int) -> list[str]:
    """Return what a reader of a pass must not miss."""
    unsettled = [flip.case_id for flip in verdict.flips if flip.confirmed is None and turn_of(flip) is Turn.worse]
    found = [_UNSETTLED[place].format(named=_first(unsettled))] if unsettled else []
    if verdict.baseline_run_id is None and not any(item.candidate_rate for item in verdict.categories):
        found.append(_GUARDS_NOTHING[place])
    return found


def _nothing_to_lose(verdict: Verdict, place: int) -> list[str]:
    empty = [item.category for item in verdict.categories if item.cases and not item.baseline_rate]
    if len(empty) == len(verdict.categories):
        return [_NOTHING_TO_LOSE[place]]
    return [_NOTHING_TO_LOSE_IN[place].format(named=_first(empty))] if empty else []


def _first(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
