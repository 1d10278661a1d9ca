"""Every text of the report and of the rows, in both languages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from naoshi.records.language import Language


@dataclass(frozen=True, kw_only=True)
class ReportWords:
    """The texts of one language. Those with braces are formats."""

    title: str
    lead: str
    figure_loop: str
    figure_naive: str
    figure_regressions: str
    figure_naive_regressions: str
    figure_kept_out: str
    curve: str
    curve_note: str
    naive_note: str
    at_least_75: str
    at_least_90: str
    all: str
    at_least_90_and_all: str
    share_of_documents: str
    naive_series: str
    by_field: str
    by_field_note: str
    fields: Mapping[str, str]
    cycles: str
    cycles_note: str
    naive_cycles: str
    cycle: str
    version: str
    version_short: str
    outcome: str
    start: str
    released: str
    refused: str
    cases: str
    questions: str
    overridden: str
    corrections: str
    refused_corrections: str
    seconds: str
    loops: str
    loops_note: str
    loop_column: str
    naive_column: str
    fields_right: str
    changes_refused: str
    wrong_cases: str
    wrong_of_cases: str
    kept_out: str
    kept_out_summary: str
    kept_out_column: str
    right_refused_column: str
    files: str
    artifacts: Mapping[str, str]
    settings: str
    setting_names: Mapping[str, str]
    on: str
    off: str
    footer: str


_ENGLISH: Final = ReportWords(
    title="Naoshi demo: an agent gets better from corrections",
    lead="An agent reads receipts and fills in four fields. People correct it; what is a real defect becomes a "
    "permanent test, and a change is released only when the tests say it is better. The documents scored here are "
    "held out: they are never used to decide anything.",
    figure_loop="of held-out documents have at least 75 % of fields right, before and after",
    figure_naive="the same in the naive loop, which believes every correction",
    figure_regressions="regressions shipped",
    figure_naive_regressions="regressions shipped by the naive loop",
    figure_kept_out="of wrong corrections kept out of the tests",
    curve="Held-out documents read well, by cycle",
    curve_note="{documents} held-out documents. A field is right when letters and digits are equal; case and spacing "
    "do not count.",
    naive_note="Dashed: the naive loop, which believes every correction.",
    at_least_75="≥ 75 % of fields",
    at_least_90="≥ 90 % of fields",
    all="all fields",
    at_least_90_and_all="≥ 90 % and all fields",
    share_of_documents="share of documents",
    naive_series="{}, naive loop",
    by_field="Right by field",
    by_field_note="Share of held-out documents in which the field is right.",
    fields={"company": "company", "date": "date", "address": "address", "total": "total"},
    cycles="The cycles",
    cycles_note="Version and score are those in force after the cycle.",
    naive_cycles="The cycles of the naive loop",
    cycle="cycle",
    version="version",
    version_short="ver.",
    outcome="outcome",
    start="start",
    released="released",
    refused="not released",
    cases="cases",
    questions="asked",
    overridden="overridden",
    corrections="corrections",
    refused_corrections="refused",
    seconds="seconds",
    loops="With triage and without",
    loops_note="After the last cycle. The naive loop tells the coding agent that every case is true as it stands.",
    loop_column="with triage",
    naive_column="every correction believed",
    fields_right="held-out fields right",
    changes_refused="cycles without a release",
    wrong_cases="wrong cases in the suite",
    wrong_of_cases="{wrong} of {cases} ({share})",
    kept_out="Wrong corrections",
    kept_out_summary="{wrong} of {all} triaged corrections were wrong. {kept} of these were kept out of the tests "
    "({share}); of the {right} right ones {refused} were refused too. Only this report knows which were "
    "wrong; the loop never does.",
    kept_out_column="wrong kept out",
    right_refused_column="right refused",
    files="Files",
    artifacts={
        "handoff": "Handoff to the coding agent",
        "task": "Task of the coding agent",
        "suite": "Suite of eval cases (YAML)",
        "suites": "Suites of eval cases (YAML)",
        "evals": "Suites of eval cases (YAML)",
        "ledger": "Ledger of all decisions",
        "report": "This report",
        "json": "These figures as JSON",
        "agent": "The agent's repository",
        "workspace": "Workspace",
        "documents": "Documents",
        "holdout": "Held-out documents",
        "harness": "Harness of the agent",
    },
    settings="Settings",
    setting_names={
        "documents": "documents",
        "holdout": "held-out documents",
        "noise": "share of wrong corrections",
        "cycles": "cycles",
        "seed": "seed",
        "triage": "triage",
        "deviate": "share of questions answered against the proposal",
        "interactive": "interactive",
    },
    on="on",
    off="off",
    footer="Written by naoshi demo.",
)

_JAPANESE: Final = ReportWords(
    title="Naoshi デモ：修正から育つエージェント",
    lead="レシートを読んで4つの項目を埋めるエージェントです。人が直した内容のうち、本当の不具合だけが恒久的なテストになり、"
    "テストで良くなったと確かめられた変更だけがリリースされます。ここで採点している文書は取り分けてあり、"
    "何の判断にも使っていません。",
    figure_loop="取り分けた文書のうち、項目の75%以上が正しいもの（開始時 → 終了時）",
    figure_naive="すべての修正を信じる単純なループの場合",
    figure_regressions="悪くなった版のリリース（件）",
    figure_naive_regressions="単純なループで悪くなった版のリリース（件）",
    figure_kept_out="テストに入れずに済んだ誤った修正の割合",
    curve="正しく読めた文書の割合（サイクルごと）",
    curve_note="取り分けた文書は{documents}件。文字と数字が一致すれば正しいとみなし、大文字・小文字と空白の違いは数えません。",
    naive_note="破線は、すべての修正を信じる単純なループです。",
    at_least_75="75%以上の項目",
    at_least_90="90%以上の項目",
    all="全項目",
    at_least_90_and_all="90%以上・全項目",
    share_of_documents="文書の割合",
    naive_series="{}（単純なループ）",
    by_field="項目ごとの正しさ",
    by_field_note="取り分けた文書のうち、その項目が正しいものの割合。",
    fields={"company": "会社", "date": "日付", "address": "住所", "total": "合計"},
    cycles="サイクルごとの結果",
    cycles_note="版と点数は、そのサイクルが終わった時点で使われているものです。",
    naive_cycles="単純なループのサイクル",
    cycle="回",
    version="版",
    version_short="版",
    outcome="結果",
    start="開始時",
    released="リリース",
    refused="見送り",
    cases="ケース",
    questions="質問",
    overridden="覆した提案",
    corrections="修正",
    refused_corrections="不採用",
    seconds="秒",
    loops="判定あり・なしの比較",
    loops_note="最後のサイクルが終わった時点の値です。単純なループは、どのケースもそのまま正しいとコーディングエージェントに伝えます。",
    loop_column="判定あり",
    naive_column="すべての修正を信じる",
    fields_right="取り分けた文書の正しい項目",
    changes_refused="リリースのないサイクル",
    wrong_cases="テスト中の誤ったケース",
    wrong_of_cases="{cases}件中{wrong}件（{share}）",
    kept_out="誤った修正",
    kept_out_summary="判定した修正{all}件のうち{wrong}件が誤りでした。そのうち{kept}件（{share}）をテストに入れずに済み、"
    "正しい{right}件のうち{refused}件も不採用になりました。どれが誤りかを知っているのはこのレポートだけで、ループは知りません。",
    kept_out_column="誤りの除外",
    right_refused_column="正しいのに不採用",
    files="ファイル",
    artifacts={
        "handoff": "コーディングエージェントへの引き継ぎ",
        "task": "コーディングエージェントへの課題",
        "suite": "評価ケース（YAML）",
        "suites": "評価ケース（YAML）",
        "evals": "評価ケース（YAML）",
        "ledger": "すべての判断の台帳",
        "report": "このレポート",
        "json": "同じ数値のJSON",
        "agent": "エージェントのリポジトリ",
        "workspace": "作業フォルダ",
        "documents": "文書",
        "holdout": "取り分けた文書",
        "harness": "エージェントのハーネス",
    },
    settings="設定",
    setting_names={
        "documents": "文書",
        "holdout": "取り分けた文書",
        "noise": "誤った修正の割合",
        "cycles": "サイクル数",
        "seed": "シード",
        "triage": "判定",
        "deviate": "提案に従わない質問の割合",
        "interactive": "対話",
    },
    on="はい",
    off="いいえ",
    footer="naoshi demo が書き出しました。",
)

_WORDS: Final[Mapping[Language, ReportWords]] = {"en": _ENGLISH, "ja": _JAPANESE}


def words_in(language: Language) -> ReportWords:
    """Return the texts in *language*."""
    return _WORDS[language]
