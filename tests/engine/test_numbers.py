"""Numbers that are somebody's are found in English and Chinese, and ordinary numbers are let be."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from memd.engine.keep.scan.numbers import CARD, IBAN, IDENTITY, SSN, find_numbers


@pytest.mark.parametrize(
    ("text", "rule", "number"),
    [
        ("My visa is 4111 1111 1111 1111, exp 12/27", CARD, "4111 1111 1111 1111"),
        ("card: 4111111111111111", CARD, "4111111111111111"),
        ("5555-5555-5555-4444", CARD, "5555-5555-5555-4444"),
        ("4111 1111 1111 1111 123", CARD, "4111 1111 1111 1111"),
        ("Pay with amex 378282246310005 please", CARD, "378282246310005"),
        ("3782 822463 10005", CARD, "3782 822463 10005"),
        ("2223003122003222 is my new debit card", CARD, "2223003122003222"),
        ("工商银行卡号：6222 0200 0000 0000 000，有效期 08/29", CARD, "6222 0200 0000 0000 000"),
        ("信用卡 ４１１１１１１１１１１１１１１１ 请记住", CARD, "４１１１１１１１１１１１１１１１"),
        ("ssn 123-45-6789", SSN, "123-45-6789"),
        ("It is 536-90-4399.", SSN, "536-90-4399"),
        ("Social security number: 536904399", SSN, "536904399"),
        ("社会安全号 536 90 4399", SSN, "536 90 4399"),
        ("身份证号：11010519491231002X。", IDENTITY, "11010519491231002X"),
        ("我的身份证是440308199901101512", IDENTITY, "440308199901101512"),
        ("id 110105 19491231 002x here", IDENTITY, "110105 19491231 002x"),
        ("老身份证 110105491231002", IDENTITY, "110105491231002"),
        ("DE89 3704 0044 0532 0130 00", IBAN, "DE89 3704 0044 0532 0130 00"),
        ("转到 GB82WEST12345698765432 就行", IBAN, "GB82WEST12345698765432"),
        ("iban de89370400440532013000 please", IBAN, "de89370400440532013000"),
        ("FR14 2004 1010 0505 0001 3M02 606 IS MINE", IBAN, "FR14 2004 1010 0505 0001 3M02 606"),
    ],
)
def test_a_number_that_is_somebodys_is_found_whole(text: str, rule: str, number: str) -> None:
    assert [(one.rule, text[one.start : one.stop]) for one in find_numbers(text)] == [(rule, number)]


@pytest.mark.parametrize(
    "text",
    [
        "order 4111111111111111 was shipped",
        "订单号：4111111111111111",
        "4111111111111111",
        "card 4111 1111 1111 1112",
        "4111 1111 1111 1111 1111 1111 are six blocks",
        "sha 94111111111111111a and v4.4111111111111111",
        "https://shop.example/card/4111111111111111",
        "IMEI 353879234252633, phone +49 4111 111111111",
        "987-65-4320 and 000-12-3456 and 123-00-4567 and 123-45-0000",
        "part 123-45-6789",
        "call 212-555-0123 or 2024-11-21",
        "536904399",
        "11010519491231002Y 110105194913310021 110105194912310021",
        "110105491231002",
        "DE89 3704 0044 0532 0130 01",
        "at 1700000000000 ms, ISBN 978-3-16-148410-0, 20261121093015123",
        "550e8400-e29b-41d4-a716-446655440000",
    ],
)
def test_other_numbers_are_let_be(text: str) -> None:
    assert list(find_numbers(text)) == []


def test_random_numbers_in_ordinary_forms_are_hardly_ever_taken_for_somebodys() -> None:
    chance = random.Random(5)

    def figures(count: int) -> str:
        return "".join(chance.choices("0123456789", k=count))

    forms: tuple[Callable[[], str], ...] = (
        lambda: f"order {figures(16)} is late",
        lambda: f"Your parcel {figures(12)} comes on Friday.",
        lambda: f"took {1_600_000_000_000 + chance.randrange(10**11)} ms",
        lambda: f"snowflake {figures(18)} in the log",
        lambda: f"{figures(16)} rows",
        lambda: f"call {figures(3)}-{figures(3)}-{figures(4)}",
        lambda: f"电话 138{figures(8)}，单号 {figures(13)}",
        lambda: f"ISBN 978-{figures(1)}-{figures(2)}-{figures(6)}-{figures(1)}",
        lambda: f"id {chance.getrandbits(128):032x}",
    )
    taken = [text for _ in range(2000) for form in forms if list(find_numbers(text := form()))]
    assert taken == []
