"""Composing one receipt: the print of a merchant's layout, and the truth of its four fields."""

import datetime
import random
from dataclasses import dataclass, field

from naoshi.demo.generator.layouts import Layout
from naoshi.demo.generator.merchants import GeneratedMerchant
from naoshi.demo.generator.slips import PrintedLine
from naoshi.demo.generator.values import date_text, money_text

_WIDTH = 640
_LINE_HEIGHT = 24
_PITCH = 11
_WIDE_PITCH = 20
_FIRST_DAY = datetime.date(2023, 1, 9)
_CLERKS_EN = ("CASHIER: MAYA", "SERVED BY JON", "CLERK 04 TESS", "COUNTER 2", "CASHIER: RAVI")
_GREETINGS = {
    "en": ("WELCOME", "HELLO AGAIN", "GOOD FOOD, GOOD DAY"),
    "ja": ("いらっしゃいませ", "毎度ありがとうございます"),
}
_TAX_RATE = {"en": 6, "ja": 10}


@dataclass(frozen=True, kw_only=True)
class ComposedReceipt:
    """The lines of a receipt before any slip, and the truth."""

    lines: tuple[PrintedLine, ...]
    company: str
    date: str
    address: str
    total: str


@dataclass(kw_only=True)
class _Page:
    """Print being set from the top; each call of `put` fills one row."""

    chance: random.Random
    lines: list[PrintedLine] = field(default_factory=list[PrintedLine])
    height: int = 40

    def put(self, *texts: str, centred: bool = False, tall: bool = False) -> None:
        size = _LINE_HEIGHT * 3 // 2 if tall else _LINE_HEIGHT
        count = len(texts)
        for place, text in enumerate(texts):
            width = sum(_PITCH if sign.isascii() else _WIDE_PITCH for sign in text)
            left = 30 if count == 1 or place == 0 else 30 + (_WIDTH - 60) * place // count
            if place and place == count - 1:
                left = _WIDTH - 30 - width
            if centred:
                left = (_WIDTH - width) // 2
            top = self.height + self.chance.randint(-2, 2)
            self.lines.append(
                PrintedLine(text=text, left=max(4, left), top=top, right=max(4, left) + width, bottom=top + size)
            )
        self.height += size + 10


def compose_receipt(merchant: GeneratedMerchant, layout: Layout, *, chance: random.Random) -> ComposedReceipt:
    """Compose one receipt of *merchant* in *layout*; day, goods and sums come from *chance*."""
    page = _Page(chance=chance)
    day = _FIRST_DAY + datetime.timedelta(days=chance.randrange(900))
    date = date_text(day, layout.date)
    for part in layout.header:
        _put_header(page, part, merchant, layout, date)
    if layout.date_place == "row":
        slip = f"{_word(layout, 'NO.', '伝票')} {chance.randrange(1000, 99999)}"
        page.put(slip, f"{layout.date_label} {date} {_clock(chance)}")
    if layout.date_place == "alone":
        page.put(f"{layout.date_label} {date}".strip(), _clock(chance))
    total = _put_goods_and_sums(page, merchant, layout)
    if layout.date_place == "foot":
        page.put(f"{date} {_clock(chance)}", f"#{chance.randrange(100, 9999)}")
    for note in layout.notes:
        page.put(note, centred=True)
    return ComposedReceipt(
        lines=tuple(page.lines),
        company=" ".join(merchant.company),
        date=date,
        address=" ".join(merchant.address),
        total=total,
    )


def _put_header(page: _Page, part: str, merchant: GeneratedMerchant, layout: Layout, date: str) -> None:
    chance = page.chance
    if part == "company+registration":
        page.put(f"{' '.join(merchant.company)} ({merchant.registration})", centred=True)
    elif part in {"company", "address"}:
        for line in merchant.company if part == "company" else merchant.address:
            page.put(line, centred=True, tall=part == "company" and layout.name in {"plain", "屋号"})
    else:
        texts = {
            "brand": merchant.brand,
            "branch": _word(layout, "MAIN BRANCH", "本店"),
            "clerk": chance.choice(_CLERKS_EN),
            "greeting": chance.choice(_GREETINGS[layout.language]) if chance.random() < 0.6 else "",
            "phone": layout.phone.format(merchant.phone),
            "postcode": f"〒{merchant.phone[-4:-1]}-{merchant.phone[-4:]}",
            "registration": layout.registration.format(merchant.registration),
            "slip": f"{_word(layout, 'SLIP', 'No.')} {chance.randrange(10000, 999999)}",
            "title": layout.title,
        }
        if texts[part]:
            page.put(texts[part], centred=True, tall=part == "brand")
    if part == "title" and layout.date_place == "header":
        page.put(f"{layout.date_label} {date}".strip(), _clock(chance))


def _put_goods_and_sums(page: _Page, merchant: GeneratedMerchant, layout: Layout) -> str:
    """Print the goods and the sums under them; return the total as it stands in the truth."""
    chance, minor = page.chance, layout.language == "en"

    def money(amount: int) -> str:
        return money_text(amount, layout.money, minor=minor)

    net = pieces = 0
    for name in chance.sample(merchant.goods, chance.randint(1, 4)):
        count, price = chance.choice((1, 1, 1, 2, 3)), chance.randrange(90, 4200)
        price -= 0 if minor else price % 10
        page.put(name, f"{count} {_word(layout, 'X', '点')}", money(count * price))
        net, pieces = net + count * price, pieces + count
    tax = net * _TAX_RATE[layout.language] // 100
    rounding = -((net + tax) % 5) if minor and any(kind == "rounding" for kind, _ in layout.sums) else 0
    total = net + tax + rounding
    note = 1000 if layout.language == "ja" else 500
    cash = -(-total // note) * note
    amounts = {
        "subtotal": money(net), "tax": money(tax), "rounding": money(rounding), "total": money(total),
        "cash": money(cash), "change": money(cash - total), "card": money(total), "discount": money(0),
        "quantity": str(pieces),
    }  # fmt: skip
    for kind, label in layout.sums:
        if kind == "total" and layout.total_place == "below":
            page.put(label, tall=True)
            page.put(amounts[kind], tall=True)
        else:
            page.put(label, amounts[kind])
    return money_text(total, "{:,.2f}" if minor else "{:,.0f}", minor=minor)


def _word(layout: Layout, english: str, japanese: str) -> str:
    return english if layout.language == "en" else japanese


def _clock(chance: random.Random) -> str:
    return f"{chance.randrange(8, 22):02d}:{chance.randrange(60):02d}"
