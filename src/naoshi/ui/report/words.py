"""Every text of the page, in both languages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from naoshi.records import Certainty, ResultState, VerdictOutcome
from naoshi.records.language import Language


@dataclass(frozen=True, kw_only=True)
class ReportWords:
    """The texts of one language. Those with braces are formats."""

    title: str
    lead: str
    made_at: str
    latest_figure: str
    cases_figure: str
    verdict_figure: str
    verdict: str
    verdict_of: str
    no_verdict: str
    policy: str
    other_policy: str
    why: str
    outcomes: Mapping[VerdictOutcome, str]
    marks: Mapping[VerdictOutcome, str]
    certainty: Mapping[Certainty, str]
    states: Mapping[ResultState, str]
    before: str
    after: str
    category: str
    cases: str
    sources: str
    rate: str
    interval: str
    outcome: str
    version: str
    run_at: str
    candidate: str
    flips: str
    flips_note: str
    no_flips: str
    hidden_flips: str
    more_flips: str
    confirmed: str
    contradicted: str
    quarantined: str
    asked: str
    no_output: str
    reason: str
    cut: str
    by_category: str
    by_category_note: str
    all_cases: str
    totals: str
    totals_note: str
    not_alike: str
    left: str
    left_note: str
    left_line: str
    matrix: str
    matrix_note: str
    legend: str
    changed: str
    absent: str
    always: str
    held_out: str
    gone: str
    empty: str
    footer: str


_ENGLISH: Final = ReportWords(
    title="Evals of {project}",
    lead="Every version of the agent on the cases that people's corrections became, and what the gate said last.",
    made_at="Written {at} UTC.",
    latest_figure="of {cases} cases pass with {name}, the latest version (95 % interval: {interval})",
    cases_figure="versions",
    verdict_figure="latest verdict",
    verdict="The latest verdict",
    verdict_of="{after} against {before}, {at} UTC.",
    no_verdict="The gate has not judged anything yet.",
    policy="policy {policy}",
    other_policy="The policy {policy} would say: {outcome}.",
    why="Why",
    outcomes={
        VerdictOutcome.pass_: "pass",
        VerdictOutcome.regression: "regression",
        VerdictOutcome.inconclusive: "inconclusive",
        VerdictOutcome.incomparable: "incomparable",
    },
    marks={
        VerdictOutcome.pass_: "ok",
        VerdictOutcome.regression: "blocks",
        VerdictOutcome.inconclusive: "unclear",
        VerdictOutcome.incomparable: "not comparable",
    },
    certainty={Certainty.certified: "can vouch for it", Certainty.too_few: "too few to certify"},
    states={
        ResultState.pass_: "pass",
        ResultState.fail: "fail",
        ResultState.agent_error: "no answer",
        ResultState.judge_error: "judge failed",
        ResultState.not_run: "not run",
    },
    before="before",
    after="after",
    category="category",
    cases="cases",
    sources="sources",
    rate="pass rate",
    interval="95 % interval",
    outcome="outcome",
    version="version",
    run_at="run at (UTC)",
    candidate="candidate",
    flips="Cases that flipped",
    flips_note="Cases whose state is another one after the change, with both outputs. Lines that differ are marked.",
    no_flips="No case became another state.",
    hidden_flips="{count} more flipped, {worse} of them for the worse and {better} for the better. They are not shown, "
    "so that the holdout stays unseen.",
    more_flips="{count} more flipped:",
    confirmed="re-runs bear it out",
    contradicted="re-runs do not bear it out",
    quarantined="in quarantine, has no say",
    asked="Asked",
    no_output="There is no output.",
    reason="Why not",
    cut="… and {count} more characters",
    by_category="Pass rate by category",
    by_category_note="The share of cases that pass, version by version, with 95 % intervals (Wilson). The interval "
    "counts independent sources, not cases: thirty cases of one document say little more than one.",
    all_cases="all cases",
    totals="Every total in five states",
    totals_note="A case that was not answered, not judged or not run never counts as passed and never leaves a total.",
    not_alike="graded otherwise than the one before (another judge, rubric or runner), so that the two do not compare",
    left="What needs a person",
    left_note="No attempt of a repair mended these groups of failures. None is tried again before another case fails "
    "in it, or somebody says so with `naoshi attempts --again`.",
    left_line="{cases} cases, after {attempts} attempts",
    matrix="Cases and versions",
    matrix_note="The newest version is on the right. Within a category, what went wrong most lately stands first.",
    legend="Marks",
    changed="asks for something else than before",
    absent="empty: not in that run",
    always="{count} cases that passed in every run",
    held_out="{count} cases of the holdout are in all totals and are never shown one by one.",
    gone="{count} cases that are in no suite any more are in the totals alone, since they may have been held out.",
    empty="No version has been run yet. `naoshi evals run` runs the one in force.",
    footer="Written by naoshi evals report. This file needs neither network nor scripts, and allows none.",
)

_JAPANESE: Final = ReportWords(
    title="{project} の評価",
    lead="人の修正から作られたケースで測った、エージェントの全バージョンの成績と、ゲートの最新の判定です。",
    made_at="作成: {at} UTC。",
    latest_figure="最新の {name} で合格（全{cases}件、95 % 区間 {interval}）",
    cases_figure="バージョン",
    verdict_figure="最新の判定",
    verdict="最新の判定",
    verdict_of="{before} に対する {after}（{at} UTC）。",
    no_verdict="ゲートはまだ何も判定していません。",
    policy="方針 {policy}",
    other_policy="方針 {policy} による場合: {outcome}。",
    why="理由",
    outcomes={
        VerdictOutcome.pass_: "合格",
        VerdictOutcome.regression: "後退",
        VerdictOutcome.inconclusive: "判定不能",
        VerdictOutcome.incomparable: "比較不能",
    },
    marks={
        VerdictOutcome.pass_: "問題なし",
        VerdictOutcome.regression: "止める",
        VerdictOutcome.inconclusive: "不明",
        VerdictOutcome.incomparable: "比較不能",
    },
    certainty={Certainty.certified: "保証できる", Certainty.too_few: "保証には件数不足"},
    states={
        ResultState.pass_: "合格",
        ResultState.fail: "不合格",
        ResultState.agent_error: "応答なし",
        ResultState.judge_error: "採点失敗",
        ResultState.not_run: "未実行",
    },
    before="前",
    after="後",
    category="区分",
    cases="ケース",
    sources="出所",
    rate="合格率",
    interval="95 % 区間",
    outcome="結果",
    version="バージョン",
    run_at="実行日時（UTC）",
    candidate="候補",
    flips="状態が変わったケース",
    flips_note="変更の後で状態が変わったケースと、前後の出力です。違う行に印が付いています。",
    no_flips="状態が変わったケースはありません。",
    hidden_flips="ほかに {count} 件が変わりました（悪化 {worse} 件、改善 {better} 件）。"
    "取り分けたケースを見せないため表示しません。",
    more_flips="ほかに {count} 件が変わりました:",
    confirmed="やり直しても毎回同じ",
    contradicted="やり直すと毎回同じではない",
    quarantined="隔離中で、判定に使わない",
    asked="入力",
    no_output="出力はありません。",
    reason="理由",
    cut="… ほか {count} 文字",
    by_category="区分別の合格率",
    by_category_note="合格したケースの割合をバージョンごとに、95 % 区間（Wilson）とともに示します。"
    "区間はケースの数ではなく独立した出所の数によります。同じ文書の三十件は、一件とあまり変わりません。",
    all_cases="全ケース",
    totals="すべての合計（五つの状態）",
    totals_note="応答なし、採点失敗、未実行のケースは、合格に数えず、合計から除くこともありません。",
    not_alike="直前とは採点の仕方（審査役、基準、実行方法）が違うため、比べられません",
    left="人の対応が必要なもの",
    left_note="これらの失敗のグループは、修理をどう試みても直りませんでした。別のケースがそこで失敗するか、"
    "誰かが `naoshi attempts --again` で指示するまで、再び試みられることはありません。",
    left_line="{cases} 件、試行 {attempts} 回の後",
    matrix="ケースとバージョン",
    matrix_note="右端が最新のバージョンです。区分の中では、最近うまくいかなかったものから並んでいます。",
    legend="印",
    changed="問う内容が前と違う",
    absent="空欄: その実行にはない",
    always="すべての実行で合格した {count} 件",
    held_out="取り分けた {count} 件は、すべての合計に含まれ、一件ずつ表示されることはありません。",
    gone="もうどのスイートにもない {count} 件は、取り分けられていたかもしれないため、合計にだけ含まれます。",
    empty="まだどのバージョンも実行されていません。`naoshi evals run` で現行のバージョンを実行できます。",
    footer="naoshi evals report が書き出しました。このファイルはネットワークもスクリプトも使わず、許しもしません。",
)

_WORDS: Final[Mapping[Language, ReportWords]] = {"en": _ENGLISH, "ja": _JAPANESE}


def words_in(language: Language) -> ReportWords:
    """Return the texts in *language*."""
    return _WORDS[language]
