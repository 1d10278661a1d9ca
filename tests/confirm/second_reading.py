"""A second reading of replies, written from the rules alone: character by character, with lists instead of patterns.

It shares nothing with `naoshi.confirm`. It finds enclosed numbers by their Unicode names, and knows the forms as
whole strings. Where the two readings differ, one of them is wrong.
"""

import unicodedata
from functools import lru_cache

SPACES = {" ", "\u3000", "\u00a0", "\u2007", "\u202f"}
INVISIBLE = {0xAD, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF}
COUNTED = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
ORDERED = ["", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
WORDS = {word: words.index(word) for words in (COUNTED, ORDERED) for word in words if word}
ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", *"ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻ"]
BRACKETS = ["()", "[]", "「」", "『』", "【】", "〔〕", "“”", "‘’", '""', "''"]
STOPS = ["!!!", "!!", "!", ".", ",", "。", "、"]
WORD_PREFIXES = ["option", "choice", "number", "no.", "#", "№", "その", "選択肢", "オプション", "옵션", "선택지",
                 "选项", "選項", "选", "選", "选择", "選擇", "我选", "我選", "我选择", "我選擇"]  # fmt: skip
PREFIXES = ["", *WORD_PREFIXES, *[word + " " for word in WORD_PREFIXES]]
POLITE = [
    "", "で", "です", "でお願い", "でお願いします", "でお願いいたします", "でお願い致します",
    "でおねがいします", "でよろしく", "でよろしくお願いします", "でいいです", "でいきます", "で行きます",
    "で進めて", "で進めてください", "で進めて下さい", "がいい", "がいいです", "にします", "にする", "を選択",
    "を選択します", "を選びます", "を選ぶ", "をお願いします", "をおねがいします", "お願いします",
    "おねがいします",
]  # fmt: skip
KOREAN = [
    "", "으로", "이요", "요", "입니다", "이에요", "선택", " 선택", "선택합니다", " 선택합니다", "선택할게요",
    " 선택할게요", "을선택합니다", "을 선택합니다", "으로할게요", "으로 할게요", "으로해주세요",
    "으로 해주세요", "으로해 주세요", "으로 해 주세요", "으로부탁해요", "으로 부탁해요", "으로부탁합니다",
    "으로 부탁합니다", "으로부탁드립니다", "으로 부탁드립니다",
]  # fmt: skip
SUFFIXES = {
    *(first + counter + second + tail for first in ("", " ") for counter in ("", "番", "番目", "ばん")
      for second in ("", " ") for tail in POLITE if len(first + counter + second) < 2 + len(counter) or counter),
    *(space + "번" + tail for space in ("", " ") for tail in KOREAN),
    "please", " please", ", please", ",please",
} - {"please"}  # fmt: skip
SUFFIXES |= {"  " + tail for tail in POLITE}
ENCLOSED_FAMILIES = ("CIRCLED DIGIT ", "CIRCLED NUMBER ", "NEGATIVE CIRCLED DIGIT ", "NEGATIVE CIRCLED NUMBER ",
                     "DOUBLE CIRCLED DIGIT ", "DOUBLE CIRCLED NUMBER ", "PARENTHESIZED DIGIT ", "PARENTHESIZED NUMBER ",
                     "DINGBAT CIRCLED SANS-SERIF ", "DINGBAT NEGATIVE CIRCLED ")  # fmt: skip


def second_reading(reply: str, labels: list[str]) -> int | None:
    """Return the 1-based choice that *reply* (at most 12 characters) certainly means, or None."""
    if len(reply) > 12:
        return None
    text = "".join(map(narrow, trim(reply)))
    for candidate in [text, *unwrapped(text)]:
        for stop in ["", *STOPS]:
            if candidate.endswith(stop) and any(
                unicodedata.numeric(c, None) is not None or c == "🔟" for c in candidate
            ):
                found = framed(candidate[: len(candidate) - len(stop)] if stop else candidate)
                if found is not None:
                    return None if contradicted(found, text, labels) else found
    return None


def trim(text: str) -> str:
    """Return *text* without white space and invisible characters at its ends."""
    start, end = 0, len(text)
    while start < end and is_blank(text[start]):
        start += 1
    while end > start and is_blank(text[end - 1]):
        end -= 1
    return text[start:end]


def is_blank(character: str) -> bool:
    """Return whether *character* is white space or invisible."""
    return character.isspace() or ord(character) in INVISIBLE


def narrow(character: str) -> str:
    """Return the ordinary form of a full-width character, space or half-width mark."""
    if character in SPACES:
        return " "
    kind = unicodedata.decomposition(character)
    if kind.startswith("<wide>") or (kind.startswith("<narrow>") and character in "｡､｢｣"):
        return chr(int(kind.split()[1], 16))
    return character


def unwrapped(text: str) -> list[str]:
    """Return what stands between a pair of brackets around all of *text*, a stop after them aside."""
    found: list[str] = []
    for opened, closed in BRACKETS:
        body = text[:-1] if text and text[-1] in ".。,、!" else text
        if len(body) > 2 and body[0] == opened and body[-1] == closed:
            found.append(trim(body[1:-1]))
    return found


def framed(text: str) -> int | None:
    """Return the number of prefix, number and suffix."""
    small = lowered(text)
    for prefix in PREFIXES:
        if small.startswith(prefix):
            found = numbered(text[len(prefix) :])
            if found is not None:
                return found
    for chosen in ("", "选", "選", "选择", "選擇") if "第" in text else ():
        for me in ("", "我") if chosen else ("",):
            for space in ("", " "):
                found = ordinal(text, me + chosen + space if chosen else "")
                if found is not None:
                    return found
    return None


def ordinal(text: str, prefix: str) -> int | None:
    """Return the number of 第 N 个."""
    for head in (prefix + "第", prefix + "第 "):
        for tail in ("个", "個", "项", "項", " 个", " 個", " 项", " 項"):
            if text.startswith(head) and text.endswith(tail) and len(text) > len(head + tail):
                number, rest = leading(text[len(head) : len(text) - len(tail)])
                if number is not None and not rest:
                    return number
    return None


def numbered(text: str) -> int | None:
    """Return the number at the start of *text* where only a known suffix follows."""
    opened = text[:1]
    closing = next((pair[1] for pair in BRACKETS if pair[0] == opened), None)
    number, rest = leading(text[1:] if closing else text)
    if number is None:
        return None
    if closing:
        return number if rest[:1] == closing and rest[1:].lower() in SUFFIXES else None
    if rest.startswith(")"):
        rest = rest[1:]
    return number if lowered(rest) in SUFFIXES else None


def lowered(text: str) -> str:
    """Return *text* with its ASCII letters small."""
    return "".join(character.lower() if character.isascii() else character for character in text)


def leading(text: str) -> tuple[int | None, str]:
    """Return the plain number at the start of *text* and what follows it."""
    if not text:
        return None, text
    if text[0] == "🔟":
        return 10, unvaried(text[1:])
    name = unicodedata.name(text[0], "")
    is_list_mark = name.startswith(("DIGIT ", "NUMBER ")) and name.endswith(" FULL STOP")
    if (name.startswith(ENCLOSED_FAMILIES) and "BLACK SQUARE" not in name) or is_list_mark:
        return int(unicodedata.numeric(text[0])), unvaried(text[1:])
    end = 0
    while end < len(text) and "0" <= text[end] <= "9":
        end += 1
    digits, rest = text[:end], unvaried(text[end:])
    keycap = rest.startswith("\u20e3")
    if not digits or (len(digits) > 1 and (digits[0] == "0" or keycap)):
        return None, text
    return int(digits), rest[1:] if keycap else rest


def unvaried(text: str) -> str:
    """Return *text* without one variation selector at its start."""
    return text[1:] if text[:1] in ("\ufe0e", "\ufe0f") else text


def contradicted(number: int, text: str, labels: list[str]) -> bool:
    """Return whether *number* is no choice, or the text of another choice is called by it or is the reply."""
    if not 1 <= number <= len(labels):
        return True
    plain = ["".join(map(narrow, trim(label))) for label in labels]
    counted = unlettered(plain)
    for place, label in enumerate(plain, start=1):
        if place == number:
            continue
        if lowered(text) == lowered(label) or number in called(lowered(label)):
            return True
        mine = counted[place - 1]
        if any(number in told_apart(mine, other) for at, other in enumerate(counted, start=1) if at != place):
            return True
    return False


def unlettered(labels: list[str]) -> list[str]:
    """Return *labels*, those that count as A, B, C rather than as I, II, III without these letters."""
    blanked = [blank_letters(label) for label in labels]
    result = list(labels)
    for place, (bare, _) in enumerate(blanked):
        alike = [letters for other, letters in blanked if other == bare]
        if len(alike) > 1 and any(letter not in "IVX" for letters in alike for letter in letters):
            result[place] = bare.replace("\0", "_")
    return result


def blank_letters(label: str) -> tuple[str, str]:
    """Return *label* lowered, with a mark for each capital letter that stands alone, and these letters."""
    bare, letters = "", ""
    for place, character in enumerate(label):
        before, after = label[:place][-1:], label[place + 1 : place + 2]
        alone = is_latin(character) and character.isupper() and not is_latin(before)
        if (alone and not is_latin(after) and after not in ("'", "’")) or "Ⓐ" <= character <= "ⓩ":
            bare, letters = bare + "\0", letters + character
        else:
            bare += lowered(character)
    return bare, letters


@lru_cache(maxsize=1000)
def called(label: str) -> list[int]:
    """Return the numbers that stand at the start of *label*, bare or after a word."""
    found: list[int] = []
    for start in (label, next((label[len(word) :] for word in WORD_PREFIXES if label.startswith(word)), "")):
        while start and not start[0].isalnum():
            start = start[1:]
        found += [WORDS[word] for word in WORDS if start.startswith(word) and stands_alone(start + " ", 0, len(word))]
        number, after = leading(start)
        grouped = after[:1] == "," and after[1:4].isdecimal() and len(after[1:4]) == 3 and not is_digit(after[4:5])
        parted = grouped or (after[:1] == "." and is_digit(after[1:2]))
        if number is not None and not parted and not start[len(str(number)) :][:1].isdigit():
            found.append(number)
    while label and not label[0].isalnum():
        label = label[1:]
    rest = label.lstrip("".join(c for c in label if c.isalpha()))
    length = len(label) - len(rest)
    if label[:1] == "第" and length == 1:
        rest = rest.removeprefix(" ")
    elif 1 <= length <= 12:
        rest = rest[1:] if rest[:1] in (" ", ".", "-") else rest
    else:
        return found
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    after = rest[len(digits) :]
    if digits and not (after[:1].isascii() and after[:1].isalpha()):
        tail = after.removeprefix(" ")
        if not tail or tail[0] in "(:、,–—「【[案番号つをにではがの":
            found.append(int(digits))
    return found


def told_apart(label: str, other: str) -> list[int]:
    """Return the numbers of *label* that *other* has not, where the two are the same but for numbers."""
    mine, theirs = skeleton(label), skeleton(other)
    if mine[0] != theirs[0]:
        return []
    return [one for one, two in zip(mine[1], theirs[1], strict=True) if one is not None and one != two]


@lru_cache(maxsize=1000)
def skeleton(label: str) -> tuple[str, list[int | None]]:
    """Return *label* with a mark in place of each number and without the s of plurals, and the numbers."""
    bare, values, at = "", list[int | None](), 0
    while at < len(label):
        end = at
        while is_digit(label[end : end + 1]) or (
            end > at and label[end : end + 1] in (".", ",") and is_digit(label[end + 1 : end + 2])
        ):
            end += 1
        word = next((w for w in WORDS if lowered(label[at:]).startswith(w) and stands_alone(label, at, len(w))), None)
        roman = next((w for w in ROMAN if label[at:].startswith(w) and stands_alone(label, at, len(w))), None)
        if end > at:
            whole = label[at:end].split(".")[0]
            values.append(int(whole) if whole.isdigit() else None)
            ordinal_end = lowered(label[end : end + 2]) in ("st", "nd", "rd", "th")
            end += 2 if ordinal_end and not is_latin(label[end + 2 : end + 3]) else 0
        elif label[at] in "〇一二三四五六七八九十":
            values.append("〇一二三四五六七八九十".index(label[at]))
            end = at + 1
        elif unicodedata.numeric(label[at], None) is not None and leading(label[at])[0] is not None:
            values.append(leading(label[at])[0])
            end = at + 1
        elif word:
            values.append(WORDS[word])
            end = at + len(word)
        elif roman:
            values.append(ROMAN.index(roman) % 12 + 1)
            end = at + len(roman)
        else:
            bare += label[at]
            at += 1
            continue
        bare, at = bare + "\0", end
    kept = ""
    for place, character in enumerate(bare):
        after = bare[place + 1 : place + 2]
        is_plural = character in "sS" and is_latin(bare[:place][-1:]) and not (after.isascii() and after.isalnum())
        kept += "" if is_plural and after != "_" else character
    return lowered(kept), values


def stands_alone(label: str, at: int, length: int) -> bool:
    """Return whether no ASCII letter stands beside the part of *label*."""
    return not is_latin(label[:at][-1:]) and not is_latin(label[at + length :][:1])


def is_latin(character: str) -> bool:
    """Return whether *character* is an ASCII letter."""
    return character.isascii() and character.isalpha()


def is_digit(character: str) -> bool:
    """Return whether *character* is an ASCII digit."""
    return character.isascii() and character.isdigit()
