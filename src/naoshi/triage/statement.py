"""What each rule says to a person, in Japanese and English. The names are those of the rules."""

from collections.abc import Mapping
from typing import Final

from naoshi.triage.settings import Language

STATEMENTS: Final[Mapping[str, tuple[str, str]]] = {
    "run_unknown": (
        "この訂正が指す実行の記録がないため、確かめられません。",
        "There is no record of the run that this corrects, so it cannot be checked.",
    ),
    "unchanged": (
        "訂正の前後で値が変わっていません。",
        "The value is the same before and after.",
    ),
    "superseded": (
        "{who}が後で同じ項目を{other}に訂正し直しています。",
        "{who} later corrected the same field to {other}.",
    ),
    "disagreement": (
        "同じ項目を{who}は{other}に訂正しており、人によって食い違っています。",
        "{who} corrected the same field to {other}: people disagree.",
    ),
    "outvoted": (
        "同じ項目を、より多くの人({who})が{other}に訂正しています。",
        "More people ({who}) corrected the same field to {other}.",
    ),
    "equal_after_normalising": (
        "大文字小文字・空白・全角半角・記号の違いだけで、値は同じです。",
        "Only case, spacing, width or punctuation differ; the value is the same.",
    ),
    "value_from_nowhere": (
        "実行の値{submitted}は元の文書のどこにもなく、空に訂正されています。",
        "The run's value {submitted} stands nowhere in the source, and was struck out.",
    ),
    "emptied": (
        "実行の値{submitted}は元の文書にありますが、空に訂正されています。業務上の判断と考えられます。",
        "The run's value {submitted} stands in the source but was struck out: a judgement of the business.",
    ),
    "unsupported_run": (
        "実行はこの文書から何も得られませんでした({why})。この種類の文書に対応していません。",
        "The run got nothing at all for this document ({why}): this kind is not supported.",
    ),
    "no_source": (
        "実行が読んだ文書が記録されていないため、値を確かめられません。",
        "What the run read is not recorded, so the value cannot be checked.",
    ),
    "ambiguous_date": (
        "{submitted}と{corrected}は日と月の読み方によっては同じ日付です。どちらとも決められません。",
        "{submitted} and {corrected} are one date or two, depending on which number is the month.",
    ),
    "written_as_in_source": (
        "値は同じですが、元の文書は{corrected}と書いており、実行の書き方{submitted}は文書にありません。",
        "The value is the same, but the source writes {corrected}; the run's {submitted} does not stand there.",
    ),
    "format_preference": (
        "{submitted}と{corrected}は同じ値の別の書き方です。書式の好みと考えられます。",
        "{submitted} and {corrected} are one value written in two ways: a preference of format.",
    ),
    "written_otherwise": (
        "元の文書ではこの値は{near}と書かれており、{corrected}とは書かれていません。書式の好みと考えられます。",
        "The source writes this value {near}, not {corrected}: a preference of format.",
    ),
    "shortened": (
        "元の文書ではすぐ隣に{word}がありますが、省かれています。この項目の他の訂正はほとんど省いていません。",
        "It leaves out {word}, which stands beside it; nearly all other corrections of this field keep it.",
    ),
    "unlike_others": (
        "{corrected}は、通貨や小数部の書き方がこの項目の他の訂正のほとんどと違います。書式の好みと考えられます。",
        "{corrected} differs in currency or decimals from nearly all corrections of the field: a preference of format.",
    ),
    "misread_source": (
        "{corrected}は元の文書に{near}として現れます。似た文字の読み違いを除けば同じです。",
        "{corrected} stands in the source as {near}: the same, but for characters that are misread for one another.",
    ),
    "corroborated": (
        "元の文書の{near}に近く、別の人({who})が別の文書で同じ値に訂正しています。",
        "It is close to {near} in the source, and {who} gave the same value for other documents.",
    ),
    "copied_from_previous": (
        "元の文書になく、{who}の直前の訂正(別の文書)と同じ値です。写し間違いと考えられます。",
        "It does not stand in the source and equals {who}'s last correction, of another document: copied over.",
    ),
    "near_miss": (
        "元の文書のどこにもなく、{near}と{distance}文字違いです。入力の誤りかもしれません。",
        "It stands nowhere in the source, and differs from {near} in {distance} character(s): perhaps a slip.",
    ),
    "stands_nowhere": (
        "訂正後の値{corrected}は元の文書のどこにもありません。",
        "The corrected value {corrected} stands nowhere in the source.",
    ),
    "practitioner_bias": (
        "{who}によるこの項目の訂正はすべて同じ変え方({why})ですが、他の人は一度もそうしていません。",
        "All of {who}'s corrections of this field make one change ({why}) that nobody else makes.",
    ),
    "copied_from_other_field": (
        "別の項目{other}の値と同じで、元の文書ではその場所にしかありません。近道をしたと考えられます。",
        "It equals the field {other} and stands in the source only where that was taken from: a shortcut.",
    ),
    "unsupported_document": (
        "{corrected}は元の文書の{place}にありますが、実行はこの文書から何も得られませんでした。",
        "{corrected} stands in the source ({place}), but the run got nothing at all for this document.",
    ),
    "swapped_field": (
        "{corrected}は元の文書の{place}にあり、実行はそれを別の項目{other}に入れていました。",
        "{corrected} stands in the source ({place}); the run put it into the field {other}.",
    ),
    "missed": (
        "{corrected}は元の文書の{place}にありますが、実行はこの項目を空にしました。",
        "{corrected} stands in the source ({place}), but the run left the field empty.",
    ),
    "wrong_extent": (
        "{corrected}は元の文書の{place}にあり、実行はその一部、または余分を含めて{submitted}としました。",
        "{corrected} stands in the source ({place}); the run took too little or too much of it: {submitted}.",
    ),
    "other_label": (
        "{corrected}は元の文書の{place}にあり、実行は別の見出し{other}の値{submitted}を取りました。",
        "{corrected} stands in the source ({place}); the run took {submitted}, at another label: {other}.",
    ),
    "other_place": (
        "{corrected}は元の文書の{place}にあり、実行は別の場所の値{submitted}を取りました。",
        "{corrected} stands in the source ({place}); the run took {submitted} from elsewhere.",
    ),
    "invented": (
        "{corrected}は元の文書の{place}にあり、実行の値{submitted}は元の文書のどこにもありません。",
        "{corrected} stands in the source ({place}); the run's {submitted} stands nowhere in it.",
    ),
}
"""For each rule the Japanese and the English sentence."""


def statement(rule: str, language: Language, words: Mapping[str, str]) -> str:
    """Return what *rule* says, with *words* (already quoted for people) put in."""
    japanese, english = STATEMENTS[rule]
    return (japanese if language is Language.ja else english).format_map(words)
