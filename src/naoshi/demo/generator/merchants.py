"""The invented merchants whose receipts are generated; none is meant to be a real business."""

from dataclasses import dataclass
from typing import Final

from naoshi.records.language import Language


@dataclass(frozen=True, kw_only=True)
class GeneratedMerchant:
    """A merchant: ``company`` and ``address`` are line by line as its receipts print them."""

    language: Language
    brand: str
    company: tuple[str, ...]
    address: tuple[str, ...]
    phone: str
    registration: str
    goods: tuple[str, ...]


_GOODS_EN: Final = {
    "food": (
        "FLAT WHITE",
        "TOAST SET",
        "FISH AND CHIPS",
        "LEMON TEA",
        "CHICKEN RICE",
        "SOUP OF THE DAY",
        "PIE",
    ),
    "shop": (
        "A4 PAPER 80GSM",
        "BALL PEN BLUE",
        "GLUE STICK",
        "ARCH FILE 75MM",
        "STAPLES NO.10",
        "ENVELOPE DL",
    ),
    "home": (
        "HEX BOLT M8",
        "PAINT BRUSH 2IN",
        "EXTENSION CORD",
        "WALL PLUG 8MM",
        "SPRAY OIL 400ML",
        "LED BULB 9W",
    ),
    "mart": (
        "MILK 1L",
        "BREAD WHOLEMEAL",
        "EGGS X12",
        "RICE 5KG",
        "ORANGE JUICE",
        "TISSUE 3PLY",
        "BATTERY AA",
    ),
}
_GOODS_JA: Final = {
    "food": (
        "ブレンドコーヒー",
        "日替わり定食",
        "醤油ラーメン",
        "餃子",
        "生ビール",
        "抹茶ラテ",
        "天ざるそば",
    ),
    "shop": ("コピー用紙A4", "ボールペン黒", "付箋", "クリアファイル", "封筒長3", "電池単3"),
    "mart": ("牛乳", "食パン", "卵10個", "おにぎり鮭", "緑茶500ml", "洗剤詰替", "りんご"),
}

_EN: Final = (
    ("HARBOUR BEAN", "HARBOUR BEAN COFFEE LTD", "12 QUAY STREET|OLD DOCKS|BRISTOL BS1 4RW", "food"),
    ("", "FENWICK & DALE STATIONERS", "48 MARKET ROW|NORWICH NR2 1TF", "shop"),
    (
        "",
        "NORTHGATE HARDWARE SUPPLIES LTD",
        "UNIT 7, NORTHGATE ESTATE|LEEDS ROAD|HUDDERSFIELD HD1 6QX",
        "home",
    ),
    ("GREENLEAF", "GREENLEAF GROCERS PTE LTD", "BLK 204 TOA PAYOH NORTH #01-112|SINGAPORE 310204", "mart"),
    ("", "ORCHID LANE BAKERY PTE LTD", "31 ORCHID LANE|#02-05 LUCKY COURT|SINGAPORE 238907", "food"),
    ("", "SUMMIT OFFICE WORLD INC", "900 SUMMIT AVENUE|SUITE 14|DENVER CO 80203", "shop"),
    ("BLUE KETTLE", "BLUE KETTLE DINER LLC", "2217 RIVER ROAD|PORTLAND OR 97201", "food"),
    (
        "",
        "TAMAN HIJAU MINI MARKET SDN BHD",
        "NO. 18, JALAN HIJAU 3/4,|TAMAN HIJAU,|43200 CHERAS, SELANGOR",
        "mart",
    ),
    ("", "KEDAI BUKU CAHAYA", "LOT 5, JALAN BESAR,|45600 BESTARI JAYA,|SELANGOR", "shop"),
    ("", "WESTFIELD TOOL HIRE & HARDWARE", "3 CANAL WHARF|WIGAN WN3 4BD", "home"),
    ("CORNER 55", "LIM BROTHERS TRADING SDN BHD", "55, LORONG SERI 2,|TAMAN SERI,|81100 JOHOR BAHRU", "mart"),
    ("", "THE PAPER MILL (HOLDINGS) LTD", "1 MILL YARD|KENDAL LA9 6EW", "shop"),
    ("", "MARIGOLD TEA ROOMS", "77 CHURCH LANE|STOW ON THE WOLD|GL54 1AB", "food"),
    ("", "EASTERN SPICE RESTAURANT SDN BHD", "22G, JALAN MAWAR 8,|BANDAR MAWAR,|47100 PUCHONG", "food"),
    ("QUICKSTOP", "QUICKSTOP RETAIL GROUP PTY LTD", "410 GEORGE STREET|SYDNEY NSW 2000", "mart"),
    ("", "HENDERSON ELECTRICAL FACTORS", "86 FORTH STREET|EDINBURGH EH1 3LE", "home"),
    ("", "PENINSULA FRESH MART INC", "1450 EL CAMINO REAL|SAN CARLOS CA 94070", "mart"),
    ("", "ATLAS DO IT YOURSELF LTD", "RETAIL PARK WEST|UNIT 3|COVENTRY CV5 6HW", "home"),
    ("", "SILVER SPOON CATERING", "9 BRIDGE COURT|YORK YO1 7HB", "food"),
    ("", "MEADOW STATIONERY PTE LTD", "8 MEADOW LINK|#B1-22|SINGAPORE 768812", "shop"),
)
_JA: Final = (
    ("", "株式会社みなと珈琲", "東京都港区芝浦3-12-5|みなとビル1F", "food"),
    ("そば処 山月", "有限会社山月", "長野県松本市中央2-4-18", "food"),
    ("", "青葉文具株式会社", "宮城県仙台市青葉区本町1-7-2|青葉第二ビル", "shop"),
    ("マルヨシ", "株式会社丸吉ストア", "大阪府吹田市江坂町4-22-1", "mart"),
    ("", "ひだまり商店", "京都府京都市左京区田中里ノ内町63", "mart"),
    ("", "株式会社北星堂書店", "北海道札幌市中央区南一条西5-8|北星ビルB1F", "shop"),
    ("麺屋 はやぶさ", "はやぶさフーズ株式会社", "福岡県福岡市博多区住吉2-9-14", "food"),
    ("", "合同会社つばめマート", "新潟県燕市東太田1120-3", "mart"),
    ("", "株式会社さくら薬品", "埼玉県川越市新富町2-6-1|川越駅前店", "mart"),
    ("", "喫茶こもれび", "神奈川県鎌倉市小町1-5-27", "food"),
    ("オフィスデポ森", "株式会社森事務機", "愛知県名古屋市中区栄3-31-8|森ビル2F", "shop"),
    ("", "浜田水産株式会社", "高知県高知市はりまや町2-1-10", "food"),
    ("", "有限会社藤井酒店", "広島県広島市南区宇品海岸1-3-6", "mart"),
    ("デイリー大和", "大和商事株式会社", "奈良県大和郡山市南郡山町520", "mart"),
    ("", "株式会社うみかぜ", "沖縄県那覇市牧志3-2-15|うみかぜ国際通り店", "food"),
    ("", "東雲紙業株式会社", "静岡県富士市本市場新田111-1", "shop"),
    ("", "株式会社くらしの友", "千葉県船橋市本町7-1-1|船橋南口店", "mart"),
    ("味処 藤乃", "株式会社藤乃", "石川県金沢市片町1-12-8", "food"),
    ("", "株式会社ことり雑貨", "兵庫県神戸市中央区三宮町2-11-1|三宮センター店", "shop"),
    ("", "朝日青果有限会社", "岡山県岡山市北区表町1-4-64", "mart"),
)


def generated_merchants() -> tuple[GeneratedMerchant, ...]:
    """Return all merchants, English and Japanese in turn, so that the frequent ones are of both."""
    english = [_english(number, *row) for number, row in enumerate(_EN)]
    japanese = [_japanese(number, *row) for number, row in enumerate(_JA)]
    return tuple(merchant for pair in zip(english, japanese, strict=True) for merchant in pair)


def _english(number: int, brand: str, company: str, address: str, goods: str) -> GeneratedMerchant:
    return GeneratedMerchant(
        language="en",
        brand=brand,
        company=_two_lines(company) if number % 7 == 5 else (company,),
        address=tuple(address.split("|")),
        phone=f"0{2 + number % 7}-{4108233 + number * 73127:07d}",
        registration=f"{413200 + number * 5417}-{'ABDHKMPTVW'[number % 10]}",
        goods=_GOODS_EN[goods],
    )


def _japanese(number: int, brand: str, company: str, address: str, goods: str) -> GeneratedMerchant:
    return GeneratedMerchant(
        language="ja",
        brand=brand,
        company=(company,),
        address=tuple(address.split("|")),
        phone=f"0{3 + number % 6}{number % 9}-{2310 + number * 137}-{4502 + number * 211}",
        registration=f"T{5010401000000 + number * 73912345}",
        goods=_GOODS_JA[goods],
    )


def _two_lines(company: str) -> tuple[str, ...]:
    words = company.split(" ")
    return (" ".join(words[:2]), " ".join(words[2:]))
