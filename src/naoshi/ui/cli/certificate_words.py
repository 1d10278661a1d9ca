"""What `naoshi certificate` says, in English and in Japanese."""

from collections.abc import Mapping
from typing import Final

from naoshi.records.language import Language

WORDS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "none": "there is no certificate yet; `naoshi repair` makes one",
        "certificate": "certificate",
        "change": "change",
        "base": "base",
        "made": "made",
        "result": "result",
        "mends": "mends",
        "worse": "worse",
        "granted": "granted",
        "refused": "refused",
        "files": "files",
        "commits": "commits",
        "protected": "protected",
        "protected_files": "{count} files, hashed",
        "digest": "digest",
        "change_gone": "not in the store any more",
        "check": "check",
        "held": "holds",
        "seen": "what was seen",
        "yes": "yes",
        "NO": "NO",
        "unknown": "not asked",
        "then": "then",
        "now": "now",
        "whole": "the record holds: digest, change, commit and both runs are what was certified",
        "broken": "WRONG: {problem}",
        "prove_again": "to prove it again: naoshi certificate verify {name} --rerun",
        "was_refused": "the change was refused; what was seen stands above",
        "judging": "judging change {change} again, {place}",
        "base_settings": "the base commit has no usable naoshi.toml ({reason}); the present settings are used",
        "same": "the same holds: {checks} checks and {cases} cases were run again",
        "differs": "NOT THE SAME: {names}",
        "other": "{count} of {cases} cases ended in another state than then: {names}",
        "missing": "CANNOT BE COMPARED: {count} cases of the certified run are no longer as they were: {names}",
        "holdout": "holdout: {cases} cases; {then} passed then, {now} pass now",
    },
    "ja": {
        "none": "証明書はまだありません。`naoshi repair` が作ります",
        "certificate": "証明書",
        "change": "変更",
        "base": "基準",
        "made": "作成",
        "result": "結果",
        "mends": "直した数",
        "worse": "悪化",
        "granted": "発行",
        "refused": "却下",
        "files": "ファイル",
        "commits": "コミット",
        "protected": "保護対象",
        "protected_files": "{count} ファイル（ハッシュ済み）",
        "digest": "ダイジェスト",
        "change_gone": "保存先にもうありません",
        "check": "検査",
        "held": "成立",
        "seen": "確認した内容",
        "yes": "はい",
        "NO": "いいえ",
        "unknown": "未実施",
        "then": "当時",
        "now": "現在",
        "whole": "記録は正しいままです。ダイジェスト、変更、コミット、二つの実行は証明時のものと一致します",
        "broken": "不一致: {problem}",
        "prove_again": "もう一度証明するには: naoshi certificate verify {name} --rerun",
        "was_refused": "この変更は却下されています。理由は上のとおりです",
        "judging": "変更 {change} をもう一度判定しています（{place}）",
        "base_settings": "基準のコミットに使える naoshi.toml がありません（{reason}）。現在の設定を使います",
        "same": "同じ結果です。{checks} 項目の検査と {cases} 件のケースをもう一度実行しました",
        "differs": "結果が違います: {names}",
        "other": "{cases} 件中 {count} 件のケースの結果が当時と違います: {names}",
        "missing": "比較できません。証明した実行のケースのうち {count} 件が当時のままでは残っていません: {names}",
        "holdout": "ホールドアウト: {cases} 件のうち、当時の合格は {then} 件、現在の合格は {now} 件です",
    },
}

_CHECKS: Final[Mapping[str, tuple[str, str]]] = {
    "targets_failed_before": ("the target cases failed before", "対象のケースは変更前に失敗していた"),
    "targets_mended": ("a target case passes now", "対象のケースが合格するようになった"),
    "diagnose_kept": ("nothing that passed fails now", "合格していたケースは失敗していない"),
    "validate_not_worse": ("the hidden cases are not worse", "見せていないケースは悪化していない"),
    "no_new_errors": ("no case ends in a new error", "新しいエラーで終わるケースがない"),
    "every_case_ran": ("every case ran, as it is written", "すべてのケースが書かれたとおりに実行された"),
    "runs_comparable": ("both runs can be compared", "二つの実行は比較できる"),
    "protected_kept": ("the agent altered no protected file", "エージェントは保護されたファイルを変えていない"),
    "repository_kept": ("the repository was left alone", "リポジトリに手が加えられていない"),
    "protected_same": ("the protected files are those certified", "保護されたファイルは証明時と同じ"),
    "nothing_for_graders": ("no output speaks to a grader", "採点者に向けた出力がない"),
    "not_from_memory": ("the answers are not remembered", "答えを覚えているのではない"),
    "judged_apart": ("where the agent was run", "エージェントを実行した場所"),
    "runs_pinned": ("both runs are pinned", "二つの実行を固定した"),
    "scan_clean": ("the diff holds nothing forbidden", "差分に禁じられたものがない"),
}

_PROBLEMS: Final[Mapping[str, str]] = {
    "it is not the certificate of this change": "この変更の証明書ではありません",
    "the certificate was altered after it was made": "証明書は作成後に書き換えられています",
    "it is granted though nothing is mended or nothing was checked": "何も直さず、または検査せずに発行されています",
    "whether it is granted does not follow from its checks": "発行の可否が検査の結果と合いません",
    "the run before the change is not the one that was certified": "変更前の実行が証明時のものではありません",
    "the run after the change is not the one that was certified": "変更後の実行が証明時のものではありません",
    "what it says is mended or worse does not follow from its runs": "直したもの・悪化したものが実行の結果と合いません",
    "the commit is not one step from the base that it was certified on": "コミットが証明時の基準の次ではありません",
    "the commit holds other files than were certified": "コミットのファイルが証明時のものと違います",
    "the commit shows another diff than is on record": "コミットの差分が記録と違います",
    "the change touches protected paths": "変更が保護されたパスに触れています",
}


def check_title(name: str, language: Language) -> str:
    """Return in words what the check *name* is about; one that is not known keeps its name."""
    titles = _CHECKS.get(name)
    return titles[language == "ja"] if titles else name


def problem_told(problem: str, language: Language) -> str:
    """Return *problem* (what is wrong with a certificate, in English) in *language*."""
    what, separator, rest = problem.partition(": ")
    known = _PROBLEMS.get(what)
    return f"{known}{separator}{rest}" if language == "ja" and known else problem
