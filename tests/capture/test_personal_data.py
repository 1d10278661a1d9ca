"""What is masked as personal data, and what looks like it and has to stay."""

import json
import re
import string
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.capture import ALL_KINDS, Masking, PersonalData, mask_personal_data, record
from naoshi.capture.check_digits import is_card, is_my_number, length_of_iban
from naoshi.capture.personal_data import MASKS

EXAMPLES = {
    PersonalData.email: [
        "taro.yamada+shop@example.co.jp",
        "a@b.museum",
        "x_1%y@sub-domain.example.com",
        "hanako＠example.jp",
    ],
    PersonalData.phone: [
        "03-1234-5678",
        "06-6123-4567",
        "045-123-4567",
        "0123-45-6789",
        "01234-5-6789",
        "090-1234-5678",
        "07012345678",
        "050-1234-5678",
        "0120-123-456",
        "0120-12-3456",
        "0800-123-4567",
        "0570-064-000",
        "(03) 1234-5678",
        "03(1234)5678",
        "０９０−１２３４−５６７８",
        "（０３）１２３４－５６７８",
        "+81 90-1234-5678",
        "+81-3-1234-5678",
        "+1 (415) 555-2671",
        "+14155552671",
        "+60 12-345 6789",
        "+44 20 7946 0958",
        "＋４９ ３０ １２３４５６",
    ],
    PersonalData.my_number: ["1234-5678-9018", "1234 5678 9018"],
    PersonalData.card: [
        "4111111111111111",
        "4111 1111 1111 1111",
        "5555-5555-5555-4444",
        "2223003122003222",
        "378282246310005",
        "3782 822463 10005",
        "3566002020360505",
        "6011111111111117",
        "30569309025904",
        "６０１１１１１１１１１１１１１７",
    ],
    PersonalData.iban: [
        "DE89370400440532013000",
        "DE89 3704 0044 0532 0130 00",
        "GB82 WEST 1234 5698 7654 32",
        "FR14 2004 1010 0505 0001 3M02 606",
        "NO9386011117947",
        "MT84MALT011000012345MTLCAST001S",
    ],
}
LABELLED = [
    (PersonalData.phone, "TEL: {}", "012-345 6789"),
    (PersonalData.phone, "Phone no. {}", "(607) 123 4567"),
    (PersonalData.phone, "TEL : {}", "03 - 7781 8333"),
    (PersonalData.phone, "TEL : {}", "+ 6 03 2026 6386"),
    (PersonalData.phone, "FAX：{}まで", "0312345678"),
    (PersonalData.phone, "携帯 {}", "９０１２３４５６７８"),
    (PersonalData.phone, "電話 {}（代表）", "（0120）123456"),
    (PersonalData.phone, '{{"tel": "{}"}}', "0312345678"),
    (PersonalData.my_number, "マイナンバー：{}です", "123456789018"),
    (PersonalData.my_number, "My Number is {}", "1234-5678-9018"),
    (PersonalData.my_number, "個人番号 {}", "１２３４５６７８９０１８"),
    (PersonalData.postal_code, "〒{} どこか", "100-0001"),
    (PersonalData.postal_code, "〒{}", "1000001"),
    (PersonalData.postal_code, "郵便番号 {}", "１００−０００１"),
    (PersonalData.postal_code, "{} 東京都千代田区", "100-0001"),
    (PersonalData.postal_code, "{}神奈川県横浜市", "220-0011"),
    (PersonalData.postal_code, "Zip code: {}", "100-0001"),
]
LOOKALIKES = [
    "TOTAL 12.00 CASH 20.00 CHANGE 8.00",
    "RM 1,234,567.89 / ¥12,345,678",
    "+1 234 567.89 and +12,345,678",
    "2026-05-01 10:30, 01-05-2026, 05/01/2026, 20260501, 2026年5月1日",
    "2026-05-01T12:00:00+09:00",
    "1767225600, 1767225600000, 1767225600000000, 1767225600000000000",
    "登録番号 T1234567890123 / T1-2345-6789-0123",
    "GST REG NO: 001234567890",
    "CO. REG NO 123456-7, INV 03-12345678, PO 2026-0501-0012",
    "ISBN 978-4-10-101001-4, JAN 4901234567894, JAN 4512345678906",
    "case_0312345678 change_4111111111111111 run_09012345678",
    "84559aaf5d124026b1da35a7a66d9e94 79d500bda507440f8a237682",
    "00000000000000000000000000000000 0000000000000000 0000-0000-0000-0000",
    "5d124026-0312-4567-8901-84559aaf5d12",
    "box/0312345678.csv mails/090-1234-5678.txt 03-1234-5678.pdf",
    "version 1.2.3, 10.0.0.1, 192.168.100.200, 0.0312345678",
    "pkg@1.2.3 @app.get user@localhost taro@example array@[0]",
    "1234-5678-9012 4111 1111 1111 1112 4111111111111112",
    "DE89370400440532013001 XX89370400440532013000 DE8937040044053201300",
    "123-4567 and 100-0001, Tokyo",
    "01 1000 2000 3000",
    "hotel 12345678, shell 0312345678",
    "llm.token_count.total: 123456789",
    "",
]


@pytest.mark.parametrize(
    ("kind", "example"), [(kind, example) for kind, examples in EXAMPLES.items() for example in examples]
)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "to {} end",
        "直{}直",
        "({})",
        "a\n{}\nb",
        "{}, {}",
        "{}/{}",
        "{}。",
        '{{"k":"{}"}}',
        '{{"k":"a\\n{}\\u3042"}}',
    ],
)
def test_a_known_form_is_masked_wherever_it_stands(kind: PersonalData, example: str, around: str) -> None:
    """Each kind has a mask of its own, and nothing around it may hide it."""
    assert mask_personal_data(around.format(example, example)) == around.format(MASKS[kind], MASKS[kind])


@pytest.mark.parametrize(("kind", "text", "example"), LABELLED)
def test_a_label_says_what_a_bare_number_is(kind: PersonalData, text: str, example: str) -> None:
    """What has no form of its own is masked where a label before it, or an address after it, says what it is."""
    assert mask_personal_data(text.format(example)) == text.format(MASKS[kind])


@pytest.mark.parametrize("text", LOOKALIKES)
def test_what_only_looks_like_it_stays(text: str) -> None:
    """Amounts, dates, registration numbers, identifiers, files: evidence that is masked by mistake is lost."""
    assert mask_personal_data(text) == text


def test_several_numbers_after_one_label_are_masked() -> None:
    """A receipt has two telephone numbers behind one label."""
    assert mask_personal_data("TEL: 07-123 4567 / 012-345 6789") == "TEL: [phone number] / [phone number]"
    assert mask_personal_data("TEL: 07-123 4567 12 pcs") == "TEL: [phone number] 12 pcs"


def test_names_of_fields_say_what_their_values_are() -> None:
    """In a record the name is the label; identifiers stay whatever they look like; numbers are looked at as well."""
    value = {
        "phone": "312345678",
        "faxNo": "0312345678",
        "myNumber": "123456789018",
        "card": 4111111111111111,
        "total": 12.5,
        "quantity": 12,
        "trace_id": "4111111111111111",
        "caseId": "4111111111111111",
        "commit": "4111111111111111",
        "paid": True,
        "note": None,
    }
    assert Masking()(value) == value | {
        "phone": "[phone number]",
        "faxNo": "[phone number]",
        "myNumber": "[individual number]",
        "card": "[card number]",
    }


def test_only_the_kinds_that_are_wanted_are_masked() -> None:
    """Each kind is off or on by itself, and secrets are masked whatever is wanted."""
    text = "taro@example.com 03-1234-5678 password: hunter22"
    assert Masking(kinds=())(text) == "taro@example.com 03-1234-5678 password: [redacted]"
    assert Masking(kinds=(PersonalData.email,))(text) == "[e-mail address] 03-1234-5678 password: [redacted]"
    assert Masking()(text) == "[e-mail address] [phone number] password: [redacted]"


def test_an_agent_records_with_it_if_it_says_so(tmp_path: Path) -> None:
    """Whoever may not keep personal data never writes it down."""
    with record(tmp_path / "t.jsonl", agent="mails", redact=Masking(kinds=(PersonalData.email,))) as run:
        run.output({"mail": "taro@example.com", "tel": "03-1234-5678"})
    text = (tmp_path / "t.jsonl").read_text()
    assert "taro@example.com" not in text and "[e-mail address]" in text and "03-1234-5678" in text


def luhn_completed(digits: str) -> str:
    return next(f"{digits}{last}" for last in string.digits if _luhn_sum(f"{digits}{last}") % 10 == 0)


def _luhn_sum(digits: str) -> int:
    return sum(
        int(digit) if place % 2 == 0 else (2 * int(digit) - 9 if int(digit) > 4 else 2 * int(digit))
        for place, digit in enumerate(reversed(digits))
    )


def of_digits(count: int) -> st.SearchStrategy[str]:
    return st.text(string.digits, min_size=count, max_size=count)


cards = st.builds(lambda rest: luhn_completed(f"4{rest}"), of_digits(14)).filter(lambda card: len(set(card)) > 1)
my_numbers = st.builds(
    lambda rest: next(f"{rest}{last}" for last in string.digits if is_my_number(f"{rest}{last}")),
    of_digits(11).filter(lambda rest: len(set(rest)) > 1),
)
ibans = st.builds(
    lambda bank, account: f"GB{98 - int(f'{_as_digits(bank)}{account}161100') % 97:02}{bank}{account}",
    st.text(string.ascii_uppercase, min_size=4, max_size=4),
    of_digits(14),
)
mobiles = st.builds(lambda kind, rest: f"0{kind}0-{rest[:4]}-{rest[4:]}", st.sampled_from("789"), of_digits(8))
emails = st.builds(
    lambda local, domain: f"{local}@{domain}.example.com",
    st.text(string.ascii_letters + string.digits, min_size=1, max_size=20),
    st.text(string.ascii_lowercase, min_size=1, max_size=20),
)


def _as_digits(text: str) -> str:
    return "".join(str(int(mark, 36)) for mark in text)


@given(
    item=st.one_of(
        cards.map(lambda text: (PersonalData.card, text, "{}")),
        my_numbers.map(lambda text: (PersonalData.my_number, text, "マイナンバー {}")),
        ibans.map(lambda text: (PersonalData.iban, text, "{}")),
        mobiles.map(lambda text: (PersonalData.phone, text, "{}")),
        emails.map(lambda text: (PersonalData.email, text, "{}")),
    ),
    before=st.text(max_size=10),
    after=st.text(max_size=10),
)
def test_masking_is_total(item: tuple[PersonalData, str, str], before: str, after: str) -> None:
    """Whatever the digits, and whatever text is beside them: all of it is masked, and all else stays."""
    kind, example, label = item
    masked = mask_personal_data(f"{before} {label.format(example)} {after}")
    assert example not in masked
    assert f" {label.format(MASKS[kind])} " in masked


@given(text=st.text(st.characters(exclude_characters="@＠〒", exclude_categories=("Nd", "No", "Nl"))))
def test_text_without_digits_stays(text: str) -> None:
    """No kind but an address of mail has no digit."""
    assert mask_personal_data(text) == text


PIECES = [
    *(example for examples in EXAMPLES.values() for example in examples),
    *(text.format(example) for _, text, example in LABELLED),
    *(MASKS.values()),
    *'+-./:,([ \\"0１a@T〒=\n',
    "[redacted]",
    "TEL",
    "my number",
    "\ue000",
    "東京都",
    "\\n",
    "4111",
    "03-",
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8).map("".join)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(-1e9, 1e9)
    | texts
    | st.sampled_from([4111111111111111, -4111111111111111, 1234567.5, -12345678.25]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(texts | st.sampled_from(["phone", "trace_id", "my_number"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(value=values)
def test_masking_twice_is_masking_once(value: object) -> None:
    """What is exported and read again does not change."""
    once = Masking()(value)  # type: ignore[arg-type]
    assert Masking()(once) == once


@given(value=values)
def test_masked_json_text_is_still_json(value: object) -> None:
    """Attributes hold JSON as text, at times JSON in JSON; a mask must not break it."""
    held = {"value": value}
    for told in (json.dumps(held), json.dumps(held, ensure_ascii=False, separators=(",", ":"))):
        json.loads(Masking().text(told))
        json.loads(json.loads(Masking().text(json.dumps(told))))


@given(text=texts)
def test_only_masks_are_new(text: str) -> None:
    """Between the masks stands what stood there before, in order."""
    rest = re.split("|".join(map(re.escape, MASKS.values())), mask_personal_data(text))
    place = 0
    for part in rest:
        place = text.find(part.removeprefix("0").removesuffix("0"), place)
        assert place >= 0


def test_check_digits() -> None:
    """The formulas, on numbers that their issuers publish as examples and on each with one digit altered."""
    assert is_card("4111111111111111") and not is_card("4111111111111112") and not is_card("")
    assert is_my_number("123456789018") and not is_my_number("123456789019") and not is_my_number("12345678901")
    assert length_of_iban("GB82 WEST 1234 5698 7654 32 AND MORE") == 27 and length_of_iban("GB82WEST1234569876543") == 0


@pytest.mark.parametrize(
    "piece",
    [
        "a@",
        "a@a.",
        "+1",
        "090",
        "4111 ",
        "DE89 ",
        "AB12",
        "TEL:",
        "my number ",
        "〒",
        "(",
        "tel: 03-1234-5678, ",
        "\\u3042",
    ],
)
def test_no_text_makes_masking_slow(piece: str) -> None:
    """Agents' output is hostile: a text made to trap a pattern is masked in linear time."""
    begun = time.process_time()
    mask_personal_data(piece * (250_000 // len(piece)), ALL_KINDS)
    assert time.process_time() - begun < 2


def test_on_real_receipts_only_what_is_personal_is_masked(shared_data: Path) -> None:
    """Four hundred scanned receipts, full of numbers: what is right in them stays, telephone numbers do not."""
    keys = [json.loads(path.read_text()) for path in sorted((shared_data / "receipts" / "key").glob("*.json"))]
    assert len(keys) > 300
    assert [mask_personal_data(value) for key in keys for value in key.values()] == [
        value for key in keys for value in key.values()
    ]
    lines = [
        line.split(",", 8)[-1]
        for path in sorted((shared_data / "receipts" / "box").glob("*.csv"))
        for line in path.read_text(errors="replace").splitlines()
    ]
    labelled = [line for line in lines if re.search(r"\b(TEL|FAX|PHONE)\b\D*[0-9+]", line)]
    told = [line for line in labelled if len(re.findall(r"\d", line)) >= 9]
    assert len(told) > 200
    missed = {line for line in told if MASKS[PersonalData.phone] not in mask_personal_data(line)}
    assert all(re.search(r"\d-[A-Z]{4}", line) for line in missed), "only a number that is spelt in letters is missed"
    unlabelled = [line for line in lines if not re.search(r"TEL|FAX|PHONE|HP|H/P|MOBILE|[@+]", line)]
    assert sum(mask_personal_data(line) != line for line in unlabelled) <= 0.001 * len(unlabelled)
