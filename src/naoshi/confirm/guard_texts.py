"""The guard's own words: to the person who is asked, and to the model whose action waits."""

from dataclasses import dataclass

from naoshi.confirm.context_texts import Language
from naoshi.confirm.permit import PermitState


@dataclass(frozen=True, kw_only=True)
class GuardTexts:
    """One language's sentences. ``told`` has one for each state in which an action is not done."""

    question: str
    yes: str
    no: str
    failed: str
    unknown: str
    happened: str
    do_it_now: str
    leave_it: str
    may_be_done: str
    cut: str
    told: dict[PermitState, str]


GUARD_TEXTS = {
    Language.english: GuardTexts(
        question="Run {tool}?",
        yes="Run it",
        no="Do not run it",
        failed="The last attempt ended with an error ({error}); it may have had an effect.",
        unknown=(
            "{tool} began at {when}, and nothing says how it ended. It may or may not have happened. "
            "Please look, then choose."
        ),
        happened="It happened; leave it",
        do_it_now="It did not happen; run it now",
        leave_it="It did not happen; do not run it",
        may_be_done="It did not happen; it may be run",
        cut="… ({count} characters in all)",
        told={
            PermitState.asked: (
                "[action: not done, a person is asked] It cannot be undone, so a person is asked the question below. "
                "Do not call it again before they have answered, and do not reach its effect another way."
            ),
            PermitState.waiting: (
                "[action: not done, another question is open] A person is being asked the question below. When they "
                "have answered it, call this action again; it is asked about then."
            ),
            PermitState.refused: (
                "[action: refused] A person refused this action. Do not do it, do not ask again, and do not reach its "
                "effect another way. Go on without it."
            ),
            PermitState.running: "[action: under way] This action is being done. Do not call it again.",
            PermitState.done: "[action: done already] This action was done on the person's word. Do not call it again.",
            PermitState.outcome_unknown: (
                "[action: outcome unknown] This action began once, and nothing says how it ended. A person is asked "
                "what they find. Do not do it again, nor reach its effect another way, before they have answered."
            ),
        },
    ),
    Language.japanese: GuardTexts(
        question="{tool} を実行しますか？",
        yes="実行する",
        no="実行しない",
        failed="前回は途中でエラーになりました（{error}）。すでに影響が出ているかもしれません。",
        unknown=(
            "{tool} は {when} に始まりましたが、どう終わったか分かりません。"
            "実行されたかもしれず、されていないかもしれません。確かめてから選んでください。"
        ),
        happened="実行されていた。何もしない",
        do_it_now="実行されていなかった。今、実行する",
        leave_it="実行されていなかった。実行しない",
        may_be_done="実行されていなかった。実行してよい",
        cut="…（全{count}文字）",
        told={
            PermitState.asked: (
                "[操作: 未実行。人に確認中] 取り消せない操作のため、下の質問で人に確認しています。"
                "返事があるまで同じ操作を呼ばず、別の方法で同じ結果を得ようともしないでください。"
            ),
            PermitState.waiting: (
                "[操作: 未実行。別の質問が未決] 人に下の質問をしているところです。"
                "その返事があってからこの操作をもう一度呼んでください。そのときに確認します。"
            ),
            PermitState.refused: (
                "[操作: 拒否] 人がこの操作を断りました。実行せず、もう一度尋ねず、別の方法で同じ結果を得ようともせず、"
                "この操作なしで進めてください。"
            ),
            PermitState.running: "[操作: 実行中] この操作は実行中です。もう一度呼ばないでください。",
            PermitState.done: "[操作: 実行済み] 人の承認を得て実行しました。もう一度呼ばないでください。",
            PermitState.outcome_unknown: (
                "[操作: 結果不明] この操作は一度始まりましたが、どう終わったか分かりません。人に確かめています。"
                "返事があるまで、もう一度実行したり、別の方法で同じ結果を得ようとしたりしないでください。"
            ),
        },
    ),
}
