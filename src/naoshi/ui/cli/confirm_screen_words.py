"""What `naoshi confirm list|show|stats|check|what-if|mine` puts on screen, in the language of whoever watches."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from naoshi.app.settings import CONFIG_NAME, read_settings
from naoshi.confirm import Detector
from naoshi.confirm.context_texts import Language
from naoshi.records.confirmation import ClaimState


@dataclass(frozen=True, kw_only=True)
class ScreenWords:
    """One language's texts. Those with braces are formats; pairs are of one and of many.

    ``figures`` are the lines of the statistics, ``meaning`` says what each detector found.
    """

    open_columns: tuple[str, ...]
    none_open: str
    open: str
    expired: str
    asked: str
    asked_by: str
    once: str
    times: str
    settled: str
    someone: str
    begun: str
    no_end: str
    ended: Mapping[ClaimState, str]
    figures: tuple[str, ...]
    reply: tuple[str, str]
    no_share: str
    seconds: str
    rule_columns: tuple[str, ...]
    waved_through: str
    meaning: Mapping[Detector, str]
    nothing_found: str
    unread: str
    line: tuple[str, str]
    fewer: str
    more: str
    action: tuple[str, str]
    missed: str
    missed_why: str
    relaxed: str
    suggested: str
    proven: str
    changes_rows: str
    row: tuple[str, str]
    meant_otherwise: str
    none_mined: str


_ENGLISH: Final = ScreenWords(
    open_columns=("conversation", "question", "asked", "last asked", "rule"),
    none_open="no question is open",
    open="open:",
    expired="expired:",
    asked="asked {times}, last at {at}",
    asked_by="asked {times}, by the rule {rule}, last at {at}",
    once="once",
    times="{count} times",
    settled="settled by {who} at {at}: {chosen}",
    someone="a person",
    begun="approval {id}: begun at {at}{ended}",
    no_end=", and no word of its end",
    ended={ClaimState.done: ", done at {at}", ClaimState.failed: ", failed at {at}"},
    figures=(
        "questions           {questions}, {settled} of them settled",
        "read by machine     {share} of {replies}",
        "settled by a model  {proposed}, by its reading of a reply",
        "time to decide      {median} (median)",
        "asked again         {again} of the questions",
    ),
    reply=("reply", "replies"),
    no_share="none",
    seconds="{seconds:.1f} s",
    rule_columns=("rule", "asked", "approved", "refused", "median", ""),
    waved_through="fast and never refused: ask less, or look",
    meaning={
        Detector.repeated: "put several times and not settled",
        Detector.replaced: "put aside by another question before anyone decided it",
        Detector.reasked_after_resolution: "asked again though it was settled",
        Detector.unanswered: "expired without an answer",
        Detector.store_error: "the state could not be read or written",
        Detector.rules_fault: "new rules were broken; the old ones stay in force",
    },
    nothing_found="nothing found",
    unread="{lines} of the log cannot be read: {numbers}",
    line=("line", "lines"),
    fewer="{actions}: {then} asked then, {now} under {rules}, {difference} fewer",
    more="{actions}: {then} asked then, {now} under {rules}, {difference} more",
    action=("action", "actions"),
    missed="MISSED: {tool} {arguments} was refused in {conversation}",
    missed_why="        now {why}",
    relaxed="note: {tool} was refused once, and would no longer always be asked about",
    suggested="could be asked less: {tool} (rule {rule}), {approved} approvals and never a refusal",
    proven="seen {seen}×; {checked} rows checked, none changes",
    changes_rows="REFUSED: changes {rows}, such as {first}",
    row=("row", "rows"),
    meant_otherwise="REFUSED: meant something else {times}×",
    none_mined="no unread reply became certain often enough",
)
_JAPANESE: Final = ScreenWords(
    open_columns=("会話", "質問", "回数", "最後に尋ねた時刻", "ルール"),
    none_open="開いている質問はありません",
    open="開いている質問:",
    expired="期限切れ:",
    asked="{times}尋ねました。最後は {at}",
    asked_by="ルール {rule} により{times}尋ねました。最後は {at}",
    once="1回",
    times="{count}回",
    settled="{who}が {at} に決めました: {chosen}",
    someone="人",
    begun="承認 {id}: {at} に使い始め{ended}",
    no_end="、終わったかどうかは分かりません",
    ended={ClaimState.done: "、{at} に完了", ClaimState.failed: "、{at} に失敗"},
    figures=(
        "質問: {questions} 件、うち決着 {settled} 件",
        "機械が読んだ返事: {replies}のうち {share}",
        "モデルが返事を読んで決着: {proposed} 件",
        "決まるまでの時間: {median}（中央値）",
        "もう一度尋ねた質問: {again}",
    ),
    reply=("件", "件"),
    no_share="なし",
    seconds="{seconds:.1f} 秒",
    rule_columns=("ルール", "質問", "承認", "拒否", "中央値", ""),
    waved_through="すぐに承認され、拒否が一度もない: 尋ねる回数を減らすか、確かめる",
    meaning={
        Detector.repeated: "何度も尋ねられ、決まっていません",
        Detector.replaced: "誰も決めないうちに、別の質問に置き換えられました",
        Detector.reasked_after_resolution: "決まったのに、もう一度尋ねられました",
        Detector.unanswered: "返事がないまま期限が切れました",
        Detector.store_error: "状態を読み書きできませんでした",
        Detector.rules_fault: "新しいルールは壊れていました。古いルールが有効なままです",
    },
    nothing_found="何も見つかりませんでした",
    unread="ログの {lines}は読めません: {numbers}",
    line=("行", "行"),
    fewer="{actions}: 当時の質問 {then} 件、{rules} では {now} 件（{difference} 件減る）",
    more="{actions}: 当時の質問 {then} 件、{rules} では {now} 件（{difference} 件増える）",
    action=("件の操作", "件の操作"),
    missed="見逃し: {tool} {arguments} は {conversation} で拒否されています",
    missed_why="        新しいルールでは: {why}",
    relaxed="注意: {tool} は一度拒否されていますが、いつも尋ねるとは限らなくなります",
    suggested="尋ねる回数を減らせます: {tool}（ルール {rule}）、承認 {approved} 件、拒否なし",
    proven="{seen} 回見られました。{checked} 行を確かめ、変わる行はありません",
    changes_rows="不可: {rows}の読み方が変わります（例: {first}）",
    row=("行", "行"),
    meant_otherwise="不可: 別の意味だったことが {times} 回あります",
    none_mined="意味が十分に確かになった返事はありません",
)
WORDS: Final = {Language.english: _ENGLISH, Language.japanese: _JAPANESE}


def language_here(language: str | None) -> Language:
    """Return the language named *language* (`en`, `ja`); without one that of naoshi.toml here, else of NAOSHI_LANGUAGE.

    Raises:
        ConfigError: the naoshi.toml in this folder is wrong.
    """
    config = Path(CONFIG_NAME)
    if not language:
        language = read_settings(config).language if config.is_file() else os.environ.get("NAOSHI_LANGUAGE")
    return Language.japanese if language == "ja" else Language.english


def screen_words(language: str | None) -> ScreenWords:
    """Return the texts in the language that `language_here` names.

    Raises:
        ConfigError: the naoshi.toml in this folder is wrong.
    """
    return WORDS[language_here(language)]
