"""How receipts are laid out: what stands in which order, under which words, in which form."""

from dataclasses import dataclass
from typing import Final, Literal

from naoshi.records.language import Language

DatePlace = Literal["header", "row", "foot", "alone"]
TotalPlace = Literal["right", "below"]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One point-of-sale program's way to print a receipt.

    ``header`` names the parts from the top; ``sums`` the lines under the goods as (what, its label), where
    *what* is one of subtotal, tax, quantity, rounding, discount, total, cash, change, card. ``date`` is a
    `strftime`-like form (see `naoshi.demo.generator.values.date_text`).
    """

    name: str
    language: Language
    header: tuple[str, ...]
    date: str
    date_label: str
    date_place: DatePlace
    sums: tuple[tuple[str, str], ...]
    money: str
    total_place: TotalPlace = "right"
    registration: str = "({})"
    phone: str = "TEL: {}"
    title: str = "RECEIPT"
    notes: tuple[str, ...] = ("THANK YOU",)


def _sums(*pairs: str) -> tuple[tuple[str, str], ...]:
    return tuple((pair.split("=", 1)[0], pair.split("=", 1)[1]) for pair in pairs)


LAYOUTS: Final = (
    Layout(
        name="plain",
        language="en",
        header=("company", "address", "phone", "title"),
        date="%d/%m/%Y",
        date_label="DATE:",
        date_place="row",
        sums=_sums("subtotal=SUBTOTAL", "tax=VAT 20%", "total=TOTAL", "cash=CASH", "change=CHANGE"),
        money="{:.2f}",
    ),
    Layout(
        name="registered",
        language="en",
        header=("company", "registration", "address", "phone", "title"),
        date="%d-%m-%Y",
        date_label="DATE :",
        date_place="row",
        sums=_sums(
            "quantity=TOTAL QTY:",
            "subtotal=TOTAL (EXCLUDING GST):",
            "tax=TOTAL GST:",
            "rounding=ROUNDING:",
            "total=TOTAL PAYABLE:",
            "cash=CASH :",
            "change=CHANGE :",
        ),
        money="{:.2f}",
        registration="CO. REG: {}",
        title="TAX INVOICE",
        notes=("GOODS SOLD ARE NOT RETURNABLE", "THANK YOU"),
    ),
    Layout(
        name="branded",
        language="en",
        header=("greeting", "brand", "company", "address", "title"),
        date="%d %b %Y",
        date_label="",
        date_place="header",
        sums=_sums("subtotal=SUB TOTAL", "tax=SERVICE TAX 6%", "total=GRAND TOTAL", "card=VISA"),
        money="${:.2f}",
        title="CUSTOMER COPY",
        notes=("PLEASE COME AGAIN",),
    ),
    Layout(
        name="clerk first",
        language="en",
        header=("clerk", "company+registration", "address", "phone", "title"),
        date="%d-%m-%y",
        date_label="",
        date_place="foot",
        sums=_sums(
            "subtotal=TOTAL SALES (EXCL. GST)",
            "tax=GST 7%",
            "total=TOTAL SALES (INCL. GST)",
            "cash=TENDERED",
            "change=CHANGE DUE",
        ),
        money="{:.2f}",
        title="SIMPLIFIED TAX INVOICE",
    ),
    Layout(
        name="number first",
        language="en",
        header=("slip", "company", "address", "registration", "phone"),
        date="%Y-%m-%d",
        date_label="INVOICE DATE",
        date_place="row",
        sums=_sums("subtotal=NET", "tax=TAX", "discount=TOTAL SAVINGS", "total=AMOUNT DUE", "card=MASTERCARD"),
        money="{:,.2f}",
        phone="PHONE {}",
        registration="REG NO {}",
    ),
    Layout(
        name="till roll",
        language="en",
        header=("company", "phone", "address", "title"),
        date="%m/%d/%y",
        date_label="",
        date_place="alone",
        sums=_sums("subtotal=SUBTOTAL", "tax=SALES TAX", "total=BALANCE DUE", "cash=CASH", "change=CHANGE"),
        money="{:.2f}",
        total_place="below",
        title="*** SALE ***",
        notes=("RETURNS WITHIN 30 DAYS",),
    ),
    Layout(
        name="領収書",
        language="ja",
        header=("title", "company", "address", "phone", "registration"),
        date="%Y年%-m月%-d日",
        date_label="日付",
        date_place="row",
        sums=_sums("subtotal=小計", "tax=消費税(10%)", "total=合計", "cash=お預り", "change=お釣り"),
        money="¥{:,.0f}",
        registration="登録番号 {}",
        title="領収書",
        notes=("ありがとうございました",),
    ),
    Layout(
        name="屋号",
        language="ja",
        header=("brand", "company", "address", "phone"),
        date="%E%-m月%-d日",
        date_label="",
        date_place="alone",
        sums=_sums(
            "quantity=合計点数",
            "subtotal=小計",
            "tax=内消費税等",
            "total=お会計",
            "cash=現金",
            "change=おつり",
        ),
        money="{:,.0f}円",
        phone="電話 {}",
        registration="登録番号:{}",
        notes=("またのご来店をお待ちしております",),
    ),
    Layout(
        name="レシート",
        language="ja",
        header=("greeting", "company", "postcode", "address", "phone", "registration"),
        date="%Y/%m/%d",
        date_label="",
        date_place="foot",
        sums=_sums("subtotal=税抜合計", "tax=外税額", "total=税込合計", "card=クレジット"),
        money="¥{:,.0f}",
        phone="TEL {}",
        registration="事業者登録番号 {}",
        notes=("担当:レジ2",),
    ),
    Layout(
        name="領収証",
        language="ja",
        header=("title", "address", "company", "phone", "registration"),
        date="%E%-m月%-d日",
        date_label="発行日",
        date_place="header",
        sums=_sums("total=領収金額", "tax=内消費税", "subtotal=税抜金額", "cash=現金お預り", "change=お釣"),
        money="{:,.0f}",
        registration="{}",
        title="領収証",
        notes=("上記正に領収いたしました",),
    ),
    Layout(
        name="全角",
        language="ja",
        header=("company", "branch", "address", "phone", "slip"),
        date="%W",
        date_label="取引日",
        date_place="row",
        sums=_sums("subtotal=小計額", "discount=値引合計", "total=ご請求額", "card=電子マネー", "cash=ポイント利用"),
        money="￥{:,.0f}",
        phone="☎{}",
        registration="登録番号{}",
        notes=("ポイント残高",),
    ),
)
"""Every layout; a merchant keeps to one."""
