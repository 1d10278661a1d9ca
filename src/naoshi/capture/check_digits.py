"""The check digits of payment cards, of the Japanese individual number, and of IBANs. Pure."""

from typing import Final

_LENGTHS: Final = {
    word[:2]: int(word[2:])
    for word in (
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
        "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 "
        "LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 "
        "PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 "
        "YE30"
    ).split()
}
"""The length of an IBAN by country, from the registry that SWIFT keeps (ISO 13616)."""

_AS_DIGITS = {ord("A") + number: str(10 + number) for number in range(26)}
_SECOND_SERIES = range(2221, 2721)


def is_card(digits: str) -> bool:
    """Return whether *digits* (ASCII) are the number of a payment card: of a known issuer, with the digit of Luhn."""
    return _has_known_issuer(digits) and _luhn(digits)


def is_my_number(digits: str) -> bool:
    """Return whether *digits* (ASCII) are a Japanese individual number: twelve with the right check digit.

    The formula is that of the Ministry of Internal Affairs (order no. 85 of 2014, article 5).
    """
    if len(digits) != 12 or len(set(digits)) == 1:
        return False
    weights = (*range(2, 8), *range(2, 7))
    rest = sum(int(digit) * weight for digit, weight in zip(reversed(digits[:11]), weights, strict=True)) % 11
    return int(digits[11]) == (0 if rest <= 1 else 11 - rest)


def length_of_iban(text: str) -> int:
    """Return how many characters at the beginning of *text* are an IBAN, 0 where none is.

    *text* is of capital letters, digits, spaces and hyphens, the last two of which count. The checksum is that of
    ISO 7064 (mod 97-10).
    """
    wanted, count = _LENGTHS.get(text[:2], 0), 0
    for end, mark in enumerate(text, start=1):
        count += mark not in " -"
        if count == wanted:
            plain = text[:end].replace(" ", "").replace("-", "")
            return end if int((plain[4:] + plain[:4]).translate(_AS_DIGITS)) % 97 == 1 else 0
    return 0


def _has_known_issuer(digits: str) -> bool:
    if not digits.isascii() or not digits.isdigit() or len(set(digits)) == 1:
        return False
    count, two, three, four = len(digits), int(digits[:2]), int(digits[:3]), int(digits[:4])
    sixteen_or_more = 16 <= count <= 19
    return (
        (digits[0] == "4" and count in (16, 19))
        or ((51 <= two <= 55 or four in _SECOND_SERIES) and count == 16)
        or (two in (34, 37) and count == 15)
        or ((300 <= three <= 305 or two in (36, 38, 39)) and count == 14)
        or ((3528 <= four <= 3589 or four == 6011 or 644 <= three <= 659 or two in (62, 81)) and sixteen_or_more)
    )


def _luhn(digits: str) -> bool:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0
