"""The texts of the step summary, in both languages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from naoshi.gate.reasons import in_japanese
from naoshi.gate.turns import Turn
from naoshi.records import ResultState, VerdictOutcome
from naoshi.records.language import Language


@dataclass(frozen=True, kw_only=True)
class SummaryWords:
    """The texts of one language; those with braces are formats. ``told`` puts a reason of the gate into it."""

    outcomes: Mapping[VerdictOutcome, str]
    scopes: Mapping[str, str]
    states: Mapping[ResultState, str]
    turns: Mapping[Turn, str]
    category_columns: tuple[str, ...]
    state_columns: tuple[str, ...]
    all_cases: str
    quarantined: str
    more: str
    other: str
    told: Callable[[str], str]


_ENGLISH: Final = SummaryWords(
    outcomes={outcome: outcome.value for outcome in VerdictOutcome},
    scopes={},
    states={state: state.value for state in ResultState},
    turns={
        Turn.worse: "Got worse",
        Turn.better: "Got better",
        Turn.unknown: "Not run or not judged in one of the runs",
    },
    category_columns=("category", "cases", "baseline", "now", "verdict"),
    state_columns=("category", "sources", "by source"),
    all_cases="all",
    quarantined="In quarantine, run and without a say",
    more="and {count} more",
    other="By the policy {policy} it would be: {outcome}",
    told=str,
)

_JAPANESE: Final = SummaryWords(
    outcomes={
        VerdictOutcome.pass_: "合格",
        VerdictOutcome.regression: "後退",
        VerdictOutcome.inconclusive: "判定不能",
        VerdictOutcome.incomparable: "比較不能",
    },
    scopes={"smoke suite": "スモークスイート", "all cases": "全ケース"},
    states={
        ResultState.pass_: "合格",
        ResultState.fail: "不合格",
        ResultState.agent_error: "応答なし",
        ResultState.judge_error: "採点失敗",
        ResultState.not_run: "未実行",
    },
    turns={
        Turn.worse: "悪くなったケース",
        Turn.better: "良くなったケース",
        Turn.unknown: "どちらかの実行で未実行または採点失敗のケース",
    },
    category_columns=("区分", "件数", "基準", "今回", "判定"),
    state_columns=("区分", "出所", "出所ごとの合格率"),
    all_cases="合計",
    quarantined="隔離中または引退（実行のみ、判定に使わない）",
    more="ほか {count} 件",
    other="方針 {policy} による場合: {outcome}",
    told=in_japanese,
)

_WORDS: Final[Mapping[Language, SummaryWords]] = {"en": _ENGLISH, "ja": _JAPANESE}


def summary_words(language: Language) -> SummaryWords:
    """Return the texts in *language*."""
    return _WORDS[language]
