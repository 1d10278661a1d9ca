"""Random replies: forms of the grammar, forms beside it, and both cut up."""

import random

PIECES_BEFORE = [
    "", "", "", "", "その", "No.", "no. ", "NO.", "№", "#", "＃", "option ", "Option", "choice ", "number ",
    "選択肢", "オプション", "我选", "选", "選擇", "第", "选第", "옵션 ", "not ", "たぶん", "じゃあ", "-",
    "+", "no ", "はい、", "案", "約", "(", "「", "[", "（", "\u200b", "\ufeff", " ", "　", "\n",
]  # fmt: skip
NUMBERS = [
    "1", "2", "3", "4", "5", "0", "9", "10", "11", "12", "13", "01", "1.5", "1,3", "1 2", "１", "２", "３",
    "１２", "1２", "①", "②", "③", "⑫", "❶", "❷", "➊", "⓵", "⓫", "⑴", "⒈", "1️⃣", "2⃣", "🔟", "12⃣", "½", "²",
    "٣", "一", "二", "Ⅱ", "㊁", "壱", "one", "l", "①②", "1-2", "1と2", "1/2", "1e0", "0x1", "1_0", "②\ufe0e",
    "🄂", "㉈", "⓪", "\U0001d7cf",
]  # fmt: skip
PIECES_AFTER = [
    "", "", "", "", "番", "番目", "で", "です", "番です", "でお願いします", "番で", "にします", "にして",
    "がいい", "でいい", " please", ", please", "please", "번", "번으로", "번 더", "번이요", "号", "个", "個",
    "项", "じゃない", "以外", "は?", "？", "?", "か", "かも", "円", "分待って", "時に", "つ", "つ目", "回",
    "人", "ばん", ")", "）", "」", "]", ".", "。", "、", "!", "！！", "…", "~", "\ufe0f", "\u20e3", " ",
    "　", "\n", "\u200b", "\x00", "お願いします", "を選択",
]  # fmt: skip
LABEL_SETS = [
    ["この内容で登録する", "修正する", "やめる"],
    [f"Option {letter}" for letter in "ABCDEFGHIJKL"],
    ["Continue"],
    ["2人", "3人"],
    ["2", "3", "4"],
    ["② 送る", "① 止める"],
    ["1日1回", "1日2回", "2日に1回"],
    [f"option {number}" for number in range(4)],
    ["登録する", "No.1 を直す", "１を消す"],
    ["(2) 前へ", "「1」へ", "#3"],
    ["プラン2", "プラン1", "プラン3（月2回）"],
    ["第2案", "第3案", "やめる"],
    ["Send 2 copies", "Send 3 copies", "Send ① copy"],
    ["Retry in 5 minutes", "Retry in 1 minute", "Stop"],
    ["約二時間", "約三時間", "約1時間"],
    ["3月2日", "3月1日", "中止"],
    ["1,200円", "3,000円", "5円"],
    ["Plan II", "Plan I", "Plan IV"],
    ["Plan X", "Plan I", "Plan V"],
    ["Plan A", "Plan I", "Plan X"],
    [f"label {letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"],
    ["the 2nd", "the 1st", "the 3rd"],
    ["Second draft", "First draft", "v2.0"],
    ["v2.0", "v1.0", "v1.5"],
    ["Retry 2 more times", "Delete report1.pdf", "合計 1 件"],
]


def random_reply(source: random.Random) -> str:
    """Return a reply that is often in the grammar, often just beside it, and sometimes noise."""
    number = source.choice(NUMBERS[:3] if source.random() < 0.3 else NUMBERS)
    before = source.choice(PIECES_BEFORE) if source.random() < 0.5 else ""
    text = before + number + source.choice(PIECES_AFTER)
    if source.random() < 0.3:
        text += source.choice(PIECES_AFTER)
    if source.random() < 0.1:
        text = source.choice(PIECES_BEFORE) + text
    for _ in range(source.choice((0, 0, 0, 0, 1, 2))):
        text = _mutated(text, source)
    return text


def _mutated(text: str, source: random.Random) -> str:
    place = source.randrange(len(text) + 1)
    kind = source.randrange(5)
    if kind == 0:
        return text[:place] + text[place + 1 :]
    if kind == 1:
        return text[:place] + text[place : place + 1] + text[place:]
    if kind == 2:
        return text[:place] + source.choice(PIECES_BEFORE + NUMBERS + PIECES_AFTER) + text[place:]
    if kind == 3:
        return text[:place] + chr(source.choice((source.randrange(0x3000), source.randrange(0xD800)))) + text[place:]
    middle = text[place:]
    return middle + text[:place]
