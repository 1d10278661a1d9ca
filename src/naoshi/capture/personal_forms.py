"""The forms of personal data: where in a text each kind stands. Pure, and linear in the text.

Forms without a check digit are found only where their punctuation, or a label before them, says what they are: a
masked amount or order number is evidence lost. All patterns are written for a `shadow` of the text (see there), in
which there is one way to write a digit, a hyphen, a break of a line, and something that is masked.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final, TypeAlias

from naoshi.capture.check_digits import is_card, is_my_number, length_of_iban

Place: TypeAlias = tuple[int, int]
"""Where something begins, and where it has ended."""


class PersonalData(StrEnum):
    """A kind of personal data.

    ``email``; ``phone`` (international with a plus sign, Japanese, any after a label such as TEL); ``postal_code``
    (Japanese); ``my_number`` (the Japanese individual number, with its check digit); ``card`` (payment cards, with the
    check digit of Luhn); ``iban`` (with its checksum).
    """

    email = "email"
    iban = "iban"
    card = "card"
    my_number = "my_number"
    postal_code = "postal_code"
    phone = "phone"


HIDDEN: Final = "\ue000"
"""What stands in a shadow for each character of something that is masked: part of no form, and as good as a digit."""

_ONE_WRITING: Mapping[int, str] = {
    ord(HIDDEN): " ",
    **{
        ord(mark): plain
        for mark, plain in zip("０１２３４５６７８９（）＋＠．：／　", "0123456789()+@.:/ ", strict=True)
    },
    **{ord(mark): "-" for mark in "‐‑‒–—―−ｰー－"},
}
_ESCAPES = re.compile(r"\\(?:[nrt]|u[0-9a-fA-F]{4})")

# A number goes on before a letter or a digit; what comes after a letter and a slash is the name of a file.
_BEGIN = rf"(?<![0-9A-Za-z_\\{HIDDEN}])(?<![A-Za-z_./:]/)(?<![0-9{HIDDEN}]\.)(?<![0-9A-Za-z{HIDDEN}]-)"
_END = rf"(?![0-9A-Za-z_{HIDDEN}]|-[0-9{HIDDEN}]|\.[0-9a-z{HIDDEN}])"
_LABEL_END = r"[\s:.#\-\"'\\=/]{0,6}"

_EMAIL = re.compile(
    rf"(?<![A-Za-z0-9._%+'\\{HIDDEN}-])[A-Za-z0-9_][A-Za-z0-9._%+'-]{{0,63}}+@(?:[A-Za-z0-9][A-Za-z0-9-]{{0,62}}+\.){{1,8}}"
    rf"[A-Za-z]{{2,24}}+(?![A-Za-z0-9_{HIDDEN}-])"
)
_IBAN = re.compile(rf"(?<![0-9A-Za-z_\\{HIDDEN}])(?=([A-Z]{{2}}[0-9]{{2}}(?:[ -]?[A-Z0-9]){{11,30}}))[A-Z]")
# A look ahead finds numbers that overlap, of which only one has the right check digit.
_CARD = re.compile(
    rf"{_BEGIN}(?=((?:\d{{4}}([ -])\d{{4}}\2\d{{4}}\2\d{{4}}|\d{{4}}([ -])\d{{6}}\3\d{{4,5}}|\d{{14,19}}){_END}))",
    re.ASCII,
)
_MY_NUMBER_LABEL = r"(?:個人番号|マイナンバ-?|(?i:my[ _-]?number|individual[ _]number))"
_LABELLED_MY_NUMBER = re.compile(
    rf"{_MY_NUMBER_LABEL}[^0-9\n{HIDDEN}]{{0,20}}(\d{{12}}|\d{{4}}([ -])\d{{4}}\2\d{{4}}){_END}", re.ASCII
)
_ONE_MY_NUMBER = re.compile(r"\d{12}|\d{4}([ -])\d{4}\1\d{4}", re.ASCII)
_GROUPED_MY_NUMBER = re.compile(
    rf"{_BEGIN}(?<![0-9{HIDDEN}] )(?!19|20)\d{{4}}([ -])\d{{4}}\1\d{{4}}{_END}(?! [0-9{HIDDEN}])", re.ASCII
)
_POSTAL_LABEL = r"(?:郵便番号|(?<![A-Za-z])(?i:zip[ _]code|zip|postal[ _]code|postcode))"
_LABELLED_POSTAL = re.compile(rf"(?:〒\s?|{_POSTAL_LABEL}{_LABEL_END})(\d{{3}}-?\d{{4}}){_END}", re.ASCII)
_POSTAL_OF_ADDRESS = re.compile(
    rf"{_BEGIN}\d{{3}}-\d{{4}}(?=[ \n]{{0,2}}(?:東京都|北海道|大阪府|京都府|[一-龥]{{2,3}}県))", re.ASCII
)
_PHONE_LABEL = (
    r"(?:(?<![A-Za-z])(?i:telephone|tel|mobile|phone|fax|whatsapp|h/?p|ｔｅｌ|ｆａｘ)(?i:[ _]?(?:no|number))?"
    r"|電話(?:番号)?|携帯(?:電話)?(?:番号)?|ファッ?クス)"
)
# No space after the ninth digit: what follows there is another number.
_ANY_PHONE = r"(?:[+(]{1,2} ?)?\d(?:[ ().-]{0,3}\d){6,8}(?:[().-]{0,2}\d){0,6}"
_LABELLED_PHONES = re.compile(
    rf"{_PHONE_LABEL}{_LABEL_END}({_ANY_PHONE}{_END}(?:\s?[/,、]\s?{_ANY_PHONE}{_END}){{0,3}})", re.ASCII
)
_ONE_PHONE = re.compile(_ANY_PHONE, re.ASCII)
_INTERNATIONAL = re.compile(
    rf"(?<![0-9A-Za-z_\\+{HIDDEN}])\+[1-9](?:[ ().-]{{0,3}}\d){{7,8}}(?:[().-]{{0,2}}\d){{0,6}}{_END}", re.ASCII
)
_SIGNED_AMOUNT = re.compile(r"\+\d{1,3}(?: \d{3})*\.\d{1,2}")
_AREAS = "|".join(
    rf"0[1-9]\d{{{more}}}-\d{{{4 - more}}}-\d{{4}}|\(0[1-9]\d{{{more}}}\) ?\d{{{4 - more}}}-\d{{4}}"
    rf"|0[1-9]\d{{{more}}}\(\d{{{4 - more}}}\)\d{{4}}"
    for more in range(4)
)
_JAPANESE = re.compile(
    rf"{_BEGIN}(?:{_AREAS}|0[25789]0-?\d{{4}}-?\d{{4}}|0(?:12|57)0-(?:\d{{3}}-\d{{3}}|\d{{2}}-\d{{4}})"
    rf"|0800-\d{{3}}-\d{{4}}){_END}",
    re.ASCII,
)
_NAMES_PHONE = re.compile(rf"(?:^|[._\-\s]){_PHONE_LABEL}$")
_NAMES_MY_NUMBER = re.compile(rf"{_MY_NUMBER_LABEL}$")
_SEVEN_DIGITS = re.compile(r"(?:[^0-9０-９]*+[0-9０-９]){7}")
_IBAN_HEAD = re.compile(r"[A-Z]{2}[0-9]{2}")
_GOES_ON = re.compile(rf"[0-9A-Za-z_{HIDDEN}]")
_SEPARATORS = re.compile(r"[^0-9]")


def shadow(text: str, masks: re.Pattern[str]) -> str:
    """Return *text*, as long as it is, in one writing: full-width marks are ASCII, each dash is a hyphen.

    What of it matches *masks* is `HIDDEN`. The escapes of JSON for breaks of a line and for letters are breaks of a
    line, since no number goes on over them.
    """
    written = text if text.isascii() else text.translate(_ONE_WRITING)
    if "[" in written:
        written = masks.sub(lambda found: HIDDEN * len(found[0]), written)
    return _ESCAPES.sub(lambda found: "\n" * len(found[0]), written) if "\\" in written else written


def places_of(kind: PersonalData, text: str) -> Iterable[Place]:
    """Return where *kind* stands in *text*, which is a shadow; in order, none in another."""
    return _PLACES[kind](text)


def may_hold_any(text: str) -> bool:
    """Return whether *text* could hold anything personal: cheap, since most texts of a trace cannot."""
    return "@" in text or "＠" in text or _SEVEN_DIGITS.match(text) is not None or _IBAN_HEAD.search(text) is not None


def kind_named(name: str) -> PersonalData | None:
    """Return the kind that *name* (of a field) says its value is of, None where it says nothing."""
    if _NAMES_PHONE.search(name):
        return PersonalData.phone
    return PersonalData.my_number if _NAMES_MY_NUMBER.search(name) else None


def is_wholly(kind: PersonalData, text: str) -> bool:
    """Return whether all of *text* (a shadow) may be of *kind*, which a name says that it is."""
    if kind is PersonalData.phone:
        return _ONE_PHONE.fullmatch(text.strip()) is not None
    return _ONE_MY_NUMBER.fullmatch(text.strip()) is not None and is_my_number(_digits(text))


def _digits(text: str) -> str:
    return _SEPARATORS.sub("", text)


def _emails(text: str) -> Iterator[Place]:
    if "@" in text:
        yield from (found.span() for found in _EMAIL.finditer(text))


def _ibans(text: str) -> Iterator[Place]:
    found = [(item.start(), item.start() + length_of_iban(item[1])) for item in _IBAN.finditer(text)]
    return _without_overlap([place for place in found if place[1] > place[0] and not _GOES_ON.match(text, place[1])])


def _cards(text: str) -> Iterator[Place]:
    return _without_overlap([found.span(1) for found in _CARD.finditer(text) if is_card(_digits(found[1]))])


def _my_numbers(text: str) -> Iterator[Place]:
    found = [item.span(1) for item in _LABELLED_MY_NUMBER.finditer(text) if is_my_number(_digits(item[1]))]
    alone = [item.span() for item in _GROUPED_MY_NUMBER.finditer(text) if is_my_number(_digits(item[0]))]
    return _without_overlap(found, alone)


def _postal_codes(text: str) -> Iterator[Place]:
    labelled = [found.span(1) for found in _LABELLED_POSTAL.finditer(text)]
    return _without_overlap(labelled, [found.span() for found in _POSTAL_OF_ADDRESS.finditer(text)])


def _phones(text: str) -> Iterator[Place]:
    labelled = [
        found.span()
        for several in _LABELLED_PHONES.finditer(text)
        for found in _ONE_PHONE.finditer(text, *several.span(1))
    ]
    abroad = [found.span() for found in _INTERNATIONAL.finditer(text) if not _SIGNED_AMOUNT.fullmatch(found[0])]
    return _without_overlap(labelled, abroad, [found.span() for found in _JAPANESE.finditer(text)])


def _without_overlap(*found: Iterable[Place]) -> Iterator[Place]:
    """Yield the places in order; of those that overlap the one that begins first, and that is longer."""
    done = 0
    for begin, end in sorted({place for places in found for place in places}, key=lambda place: (place[0], -place[1])):
        if begin >= done:
            yield begin, end
            done = end


_PLACES = {
    PersonalData.email: _emails,
    PersonalData.iban: _ibans,
    PersonalData.card: _cards,
    PersonalData.my_number: _my_numbers,
    PersonalData.postal_code: _postal_codes,
    PersonalData.phone: _phones,
}
