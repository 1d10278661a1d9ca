"""A person decides what becomes of a flaky case: it stays, is mended, or is retired."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from naoshi.errors import NotFoundError
from naoshi.evals.suites.health import Repeats
from naoshi.evals.suites.standing import DECIDED, CaseStanding, Standing
from naoshi.flow.asking import ask
from naoshi.flow.loop import Loop
from naoshi.flow.people import Question
from naoshi.flow.quarantine import BlocksStill, case_histories, case_key, case_standings, enter_standing, flaky_cases
from naoshi.flow.suites import judged_cases
from naoshi.records import EvalCase, Split, content_id
from naoshi.records.language import Language

_CHOICES = (CaseStanding.counts, CaseStanding.being_fixed, CaseStanding.retired)
_TO_KEEP, _TO_FIX = 1, 2
_LONGEST = 200
_LABELS: Final[Mapping[Language, tuple[str, str, str]]] = {
    "en": (
        "Keep it: it has its say in the gate",
        "Fix it: it has no say until the case itself has been changed",
        "Retire it: it stays in the suite and in every list, and has no say any more",
    ),
    "ja": (
        "残す: ゲートの判定に使う",
        "直す: ケースそのものが直されるまで判定に使わない",
        "引退させる: スイートと一覧には残し、以後の判定には使わない",
    ),
}
_TEXTS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "asked": "Case {case} ({category}) is flaky. What becomes of it?",
        "again": "Case {case} ({category}) is {standing}. What becomes of it?",
        "about": "It says: {description}",
        "hidden": "It is in the holdout, so that what it says is not shown.",
        "flips": "{flips} of {repeats} identical runs of {version} (same commit, suite and grading) said otherwise.",
        "out": "Until you decide it is run and listed, and has no say in the gate.",
        "in": "Until you decide it keeps its say in the gate: {why}.",
    },
    "ja": {
        "asked": "ケース {case}（{category}）の結果が安定しません。どうしますか。",
        "again": "ケース {case}（{category}）の現在の扱いは {standing} です。どうしますか。",
        "about": "内容: {description}",
        "hidden": "ホールドアウトのケースなので、内容は表示しません。",
        "flips": "{version} を同じ条件（コミット・スイート・採点）で {repeats} 回実行し直し、{flips} 回変わりました。",
        "out": "決まるまで、実行と一覧には残りますが、ゲートの判定には使いません。",
        "in": "決まるまで、ゲートの判定に使い続けます（{why}）。",
    },
}

_WHY: Final[Mapping[Language, Mapping[BlocksStill, str]]] = {
    "en": {
        BlocksStill.no_failure_allowed: "nothing may fail in its category",
        BlocksStill.not_before_changes: "it was not seen to flip before coding agents began to change this agent",
        BlocksStill.kept_before: "a person kept it before",
    },
    "ja": {
        BlocksStill.no_failure_allowed: "この分類では一件の不合格も許されないため",
        BlocksStill.not_before_changes: "コーディングエージェントが変更を始める前には、結果の変化が見られなかったため",
        BlocksStill.kept_before: "以前に人が残すと決めたため",
    },
}


@dataclass(frozen=True, kw_only=True)
class CaseQuestion:
    """What is asked about one case."""

    case: EvalCase
    question: Question


@dataclass(frozen=True, kw_only=True)
class CaseDecision:
    """What a person decided about a case."""

    case: EvalCase
    standing: CaseStanding
    actor: str


def case_questions(loop: Loop) -> tuple[CaseQuestion, ...]:
    """Return the questions about flaky cases that nobody has answered. Nothing is asked by this."""
    told, language = case_standings(loop), loop.settings.language
    blocking = {case_key(item.case): item for item in flaky_cases(loop)}
    histories = case_histories(loop)
    found: list[CaseQuestion] = []
    for case in judged_cases(loop):
        key = case_key(case)
        standing = told.get(key)
        times = standing.times if standing else 0
        if key in blocking:
            item = blocking[key]
            why, proposed = item.blocks_still, _TO_KEEP if item.blocks_still else _TO_FIX
            lines = _lines(language, case, item.repeats, why)
        elif standing is not None and standing.standing is CaseStanding.quarantined:
            seen = histories[key].by_version if key in histories else ()
            worst = max(seen, key=lambda one: one.flips, default=Repeats(version=""))
            lines, proposed = _lines(language, case, worst, None), _TO_FIX
        else:
            continue
        found.append(_question(case, "\n".join(lines), language, times, proposed))
    return tuple(found)


def review_cases(loop: Loop) -> tuple[tuple[CaseDecision, ...], tuple[CaseQuestion, ...]]:
    """Ask whoever is there about every flaky case; return what was decided, and the questions that stay open."""
    made: list[CaseDecision] = []
    unanswered: list[CaseQuestion] = []
    for item in case_questions(loop):
        decision = _settled(loop, item)
        if decision is None:
            unanswered.append(item)
        else:
            made.append(decision)
    return tuple(made), tuple(unanswered)


def review_again(loop: Loop, name: str) -> CaseDecision | CaseQuestion:
    """Ask once more about the case called *name*, decided or not; return the decision, or the question left open.

    Raises:
        NotFoundError: there is no such case, or nothing was ever decided about it.
    """
    case = next((case for case in judged_cases(loop) if case.case_id == name), None)
    standing = case_standings(loop).get(case_key(case)) if case else None
    if case is None or standing is None:
        raise NotFoundError(f"nothing was decided about a case {name}", hint="`naoshi cases list` shows what there is")
    language = loop.settings.language
    text = "\n".join(_again(language, case, standing))
    item = _question(case, text, language, standing.times, _TO_KEEP)
    return _settled(loop, item) or item


def _settled(loop: Loop, item: CaseQuestion) -> CaseDecision | None:
    decision = ask(loop, item.question)
    if decision is None:
        return None
    standing = _CHOICES[decision.choice - 1]
    payload = {"confirmation_id": decision.confirmation_id}
    enter_standing(loop, item.case, kind=DECIDED[standing], actor=decision.actor, payload={**payload})
    return CaseDecision(case=item.case, standing=standing, actor=decision.actor)


def _question(case: EvalCase, text: str, language: Language, times: int, proposed: int) -> CaseQuestion:
    question = Question(
        conversation_id=content_id("flaky", case.case_id, case.content_hash, times),
        kind="flaky",
        text=text,
        labels=_LABELS[language],
        proposed=proposed,
        subjects=(case.case_id,),
    )
    return CaseQuestion(case=case, question=question)


def _lines(language: Language, case: EvalCase, repeats: Repeats, why: BlocksStill | None) -> Sequence[str]:
    texts = _TEXTS[language]
    told = texts["out"] if why is None else texts["in"].format(why=_WHY[language][why])
    figures = {"flips": repeats.flips, "repeats": repeats.repeats, "version": repeats.version}
    return [
        texts["asked"].format(case=case.case_id, category=case.category),
        _about(language, case),
        texts["flips"].format(**figures),
        told,
    ]


def _again(language: Language, case: EvalCase, standing: Standing) -> Sequence[str]:
    named = {"case": case.case_id, "category": case.category, "standing": standing.standing.value}
    return [_TEXTS[language]["again"].format(**named), _about(language, case)]


def _about(language: Language, case: EvalCase) -> str:
    if case.split is Split.holdout:
        return _TEXTS[language]["hidden"]
    return _TEXTS[language]["about"].format(description=" ".join(case.description.split())[:_LONGEST] or "–")
