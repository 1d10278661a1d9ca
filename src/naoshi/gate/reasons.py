"""Every reason that the gate gives, in English and in Japanese.

A verdict keeps its reasons in English; the Japanese is found by the same table, so that old verdicts can be told too.
"""

import re
from collections.abc import Sequence
from functools import cache

_TEXTS: dict[str, tuple[str, str]] = {
    "of_category": ("{category}: {reason}", "{category}: {reason}"),
    "at_or_above": ("at or above the baseline", "基準と同じか、それ以上です"),
    "nothing_to_compare": ("nothing to compare with", "比べる相手がありません"),
    "share_blocks": (
        "{failing} of {cases} cases do not pass, more than the {block} that block",
        "{cases} 件中 {failing} 件が合格せず、止める基準の {block} を超えています",
    ),
    "source_share_blocks": (
        "{share} do not pass when each source counts once, more than the {block} that block",
        "出所ごとに一件と数えると {share} が合格せず、止める基準の {block} を超えています",
    ),
    "source_share_doubtful": (
        "{share} do not pass when each source counts once, more than the {allow} that is allowed but not than the "
        "{block} that block",
        "出所ごとに一件と数えると {share} が合格せず、許容の {allow} を超えていますが、"
        "止める基準の {block} は超えていません",
    ),
    "share_doubtful": (
        "{failing} of {cases} cases do not pass, more than the {allow} that is allowed but not than the {block} "
        "that block",
        "{cases} 件中 {failing} 件が合格せず、許容の {allow} を超えていますが、止める基準の {block} は超えていません",
    ),
    "drop": (
        "{after} of {cases} pass, {before} did in the baseline",
        "{cases} 件中の合格は {after} 件（基準では {before} 件）です",
    ),
    "drop_beyond": (
        "{after} of {cases} pass, {before} did in the baseline; a drop of {allowed} is allowed",
        "{cases} 件中の合格は {after} 件（基準では {before} 件）で、許容の低下 {allowed} を超えています",
    ),
    "error_rise": (
        "the agent gave no answer to {after} cases, to {before} in the baseline",
        "エージェントが {after} 件に応答しませんでした（基準では {before} 件）",
    ),
    "unknown_now": (
        "{count} of {cases} cases were not run or not judged",
        "{cases} 件中 {count} 件が実行または採点されていません",
    ),
    "unknown_then": (
        "{count} of {cases} cases were not run or not judged in the baseline",
        "基準では {cases} 件中 {count} 件が実行または採点されていません",
    ),
    "first_run_errors": (
        "the agent gave no answer to {count} of {cases} cases",
        "エージェントが {cases} 件中 {count} 件に応答しませんでした",
    ),
    "repeated": (
        "the {run} run has more than one result for {named}",
        "実行（{run}）に同じケースの結果が複数あります: {named}",
    ),
    "empty": ("the candidate run has no results", "候補の実行に結果がありません"),
    "graded_differently": (
        "the two runs were not graded alike (judge, rubric or runner differ)",
        "二つの実行は採点の条件（審査役、採点基準、実行方法）が違います",
    ),
    "nothing_in_common": ("the two runs have no case in common", "二つの実行に共通のケースがありません"),
    "no_answer_at_all": (
        "the agent answered none of {cases} cases",
        "エージェントは {cases} 件のどれにも応答しませんでした",
    ),
    "too_many_worse": (
        "{count} cases stopped passing, allowed are {allowed}: {named}",
        "{count} 件が合格しなくなりました（許容は {allowed} 件）: {named}",
    ),
    "left_out": (
        "{count} cases that the baseline passed were not run as they were: {named}",
        "基準で合格した {count} 件が同じ内容で実行されていません: {named}",
    ),
    "first_run": (
        "first run: nothing to fall below; {passing} of {cases} cases pass",
        "初回の実行なので、比べる基準がありません。{cases} 件中 {passing} 件が合格です",
    ),
    "passes": (
        "no category is below the baseline; of {cases} cases in both, {before} passed and {after} pass now",
        "基準を下回る区分はありません。共通の {cases} 件のうち、合格は {before} 件から {after} 件になりました",
    ),
    "confirmed_drop": (
        "{count} of {cases} cases passed and fail each time they are run again, {times} times on both versions: "
        "{named}",
        "{cases} 件中 {count} 件は合格していましたが、両方の版で {times} 回やり直しても毎回不合格です: {named}",
    ),
    "confirmed_silence": (
        "{count} of {cases} cases had an answer and get none each time they are run again, {times} times on both "
        "versions: {named}",
        "{cases} 件中 {count} 件は応答がありましたが、両方の版で {times} 回やり直しても毎回応答がありません: {named}",
    ),
    "passes_fell": (
        "the pass rate of {cases} cases fell from {before} to {after}, beyond chance (p {p})",
        "{cases} 件の合格率が {before} から {after} に下がり、偶然とは言えません（p {p}）",
    ),
    "answers_fell": (
        "the share of {cases} cases that get an answer fell from {before} to {after}, beyond chance (p {p})",
        "{cases} 件のうち応答のある割合が {before} から {after} に下がり、偶然とは言えません（p {p}）",
    ),
    "scores_fell": (
        "the mean score of {cases} cases fell from {before} to {after}, beyond chance (p {p})",
        "{cases} 件の平均点が {before} から {after} に下がり、偶然とは言えません（p {p}）",
    ),
    "not_reproduced": (
        "the fall from {before} to {after} over {cases} cases did not show when they were run again",
        "{cases} 件での {before} から {after} への低下は、やり直すと現れませんでした",
    ),
    "waits_for_rerun": (
        "{count} of {cases} cases flipped; run again on both versions they tell chance from a regression: {named}",
        "{cases} 件中 {count} 件の結果が変わりました。偶然か後退かは、両方の版でやり直すと分かります: {named}",
    ),
    "rerun_says_nothing": (
        "{count} of {cases} cases flipped, and {rounds} rounds of re-runs did not settle them: {named}",
        "{cases} 件中 {count} 件の結果が変わり、{rounds} 回やり直しても決着しませんでした: {named}",
    ),
    "unsafe_again": (
        "{count} of {cases} cases fail, and again when repeated, where none may: {named}",
        "一件も許されない不合格が {cases} 件中 {count} 件あり、繰り返しても不合格です: {named}",
    ),
    "unsafe_once": (
        "{count} of {cases} cases failed where none may, not again in {times} re-runs; a person has to look: {named}",
        "一件も許されない不合格が {cases} 件中 {count} 件あり、{times} 回のやり直しでは出ませんでした。"
        "人の確認が必要です: {named}",
    ),
    "unsafe_so_far": (
        "{count} of {cases} cases failed where none may; run again they tell whether they fail for good: {named}",
        "一件も許されない不合格が {cases} 件中 {count} 件あります。やり直すと確かめられます: {named}",
    ),
    "too_few": (
        "{cases} cases are too few to certify",
        "{cases} 件では少なすぎて保証できません",
    ),
    "not_worse": (
        "not worse beyond chance",
        "偶然を超えて悪くなってはいません",
    ),
    "rerun_graded_differently": (
        "the re-runs were not graded as the runs were (judge, rubric or runner differ)",
        "やり直しの採点の条件（審査役、採点基準、実行方法）が元の実行と違います",
    ),
    "paired_passes": (
        "no category is worse beyond chance; of {cases} cases in both, {before} passed and {after} pass now",
        "偶然を超えて悪くなった区分はありません。"
        "共通の {cases} 件のうち、合格は {before} 件から {after} 件になりました",
    ),
}
_NAMED = 5
_MORE = re.compile(r" and (\d+) more$")
_HOLE = re.compile(r"\{(\w+)\}")


def reason(key: str, **values: object) -> str:
    """Return the reason called *key* in English, filled with *values*."""
    return _TEXTS[key][0].format(**values)


def number(value: float) -> str:
    """Return a count of cases as a person writes it: whole, or with two digits where trials make parts of a case."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def chance(p_value: float) -> str:
    """Return a p-value as it follows the letter p; one that four digits cannot show is not written as nothing."""
    return "< 0.0001" if p_value < 0.0001 else f"= {p_value:.4f}"


def named(case_ids: Sequence[str]) -> str:
    """Return the first few of *case_ids*, and how many more there are."""
    more = f" and {len(case_ids) - _NAMED} more" if len(case_ids) > _NAMED else ""
    return ", ".join(case_ids[:_NAMED]) + more


def key_of(text: str) -> str:
    """Return which reason *text* is (English, as `reason` gave it, with or without its category); empty if none."""
    while text:
        for key, pattern in _patterns().items():
            if pattern.fullmatch(text):
                return key
        text = text.partition(": ")[2]
    return ""


def in_japanese(text: str) -> str:
    """Return the reason *text* (English, as `reason` gave it) in Japanese; an unknown text comes back as it is."""
    for key, pattern in _patterns().items():
        found = pattern.fullmatch(text)
        if found:
            holes = found.groupdict()
            if "named" in holes:
                holes["named"] = _MORE.sub(r" ほか \1 件", holes["named"])
            return _TEXTS[key][1].format(**holes)
    category, separator, rest = text.partition(": ")
    inner = in_japanese(rest) if separator else rest
    return text if inner == rest else f"{category}: {inner}"


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {key: _pattern(english) for key, (english, _) in _TEXTS.items() if key != "of_category"}


def _pattern(english: str) -> re.Pattern[str]:
    parts = _HOLE.split(english)
    written = [_hole(part) if index % 2 else re.escape(part) for index, part in enumerate(parts)]
    return re.compile("".join(written), re.DOTALL)


def _hole(name: str) -> str:
    filling = {"named": ".+", "run": r"\w+", "p": r"[<=] [\d.]+"}.get(name, r"[\d.]+%?")
    return f"(?P<{name}>{filling})"
