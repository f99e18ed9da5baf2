"""Identifiers by position and by shape, with the role they played."""

import pytest

from service.domain.identifiers import ACTED, CALLED, LISTED, SAID
from service.domain.ledger import Entry
from service.domain.shapes import named_in
from tests.unit.talk import calls, found, gives, of, says, use


def values(entries: tuple[Entry, ...]) -> dict[str, Entry]:
    return {entry.value: entry for entry in of(entries, "identifier")}


def test_salience_follows_what_happened_to_a_value() -> None:
    got = values(
        found(
            says(0, "Please move order #W2378156 for me"),
            calls(1, use("t1", "get_customer", customer_id="cust_77")),
            gives(2, "t1", '{"customer_id": "cust_77", "orders": ["#W2378156", "#W5555555"]}'),
            calls(3, use("t2", "update_order", order_id="#W5555555", slot="A-12")),
            gives(4, "t2", '{"confirmation_id": "cf-901"}'),
        )
    )
    assert got["#W5555555"].salience >= got["cf-901"].salience >= ACTED
    assert SAID <= got["#W2378156"].salience < ACTED
    assert CALLED <= got["cust_77"].salience < SAID
    assert got["cf-901"].detail == "confirmation_id: made by update_order"


def test_a_name_without_a_digit_is_found_by_its_field_or_its_capitals() -> None:
    got = values(
        found(
            says(0, "My reservation is IFOYYZ"),
            calls(1, use("t1", "get_reservation", reservation_id="HATHAT")),
            gives(2, "t1", '{"reservation_id": "HATHAT", "user_id": "mia_li"}'),
        )
    )
    assert {"IFOYYZ", "HATHAT", "mia_li"} <= set(got)
    assert LISTED <= got["mia_li"].salience < CALLED


def test_an_echoed_id_is_not_taken_for_one_that_the_call_made() -> None:
    got = values(
        found(
            calls(1, use("t1", "get_user", user_id="u-1")),
            gives(2, "t1", '{"user_id": "u-1", "account_id": "acc-5"}'),
            calls(3, use("t2", "update_user", user_id="u-1")),
            gives(4, "t2", '{"user_id": "u-1", "account_id": "acc-5"}'),
        )
    )
    assert got["acc-5"].salience < CALLED


def test_two_ids_one_character_apart_stay_two() -> None:
    left, right = "7f3c2a10-9d41-4f0e-8c55-0b1d2e3f4a5b", "7f3c2a10-9d41-4f0e-8c55-0b1d2e3f4a5c"
    got = values(found(calls(1, use("t1", "list_runs")), gives(2, "t1", f'{{"runs": ["{left}", "{right}"]}}')))
    assert {left, right} <= set(got)


def test_numbers_stay_exactly_as_written() -> None:
    got = values(
        found(calls(1, use("t1", "list_orders")), gives(2, "t1", '{"id": 12345678901234567890, "total": 19.90}'))
    )
    assert {"12345678901234567890", "19.90"} <= set(got)


def test_what_was_met_last_stands_last() -> None:
    got = list(
        values(found(says(0, "look at AB-1001 and AB-1002"), says(1, "and AB-1003"), says(2, "AB-1001 again please")))
    )
    assert got == ["AB-1002", "AB-1003", "AB-1001"]


def test_bytes_of_a_binary_file_are_no_names() -> None:
    got = found(
        calls(1, use("t1", "read_file", path="/a/b.xlsx")),
        gives(2, "t1", "PK\x03\x04\x00\x01\x02\x05\x06\x07\x08 x9y8 \ufffd" * 9),
    )
    assert set(values(got)) == {"/a/b.xlsx"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("see https://example.org/a/?q=1.", "https://example.org/a/?q=1"),
        ("mail ops.team@example.org, please", "ops.team@example.org"),
        ("open /srv/data/tariff 2.csv", "/srv/data/tariff"),
        ("in docs/guide.md too", "docs/guide.md"),
        ("fill in `record.csv`", "record.csv"),
        ("订单20931号", "20931"),
        ("رقم الطلب INV-2044", "INV-2044"),
        ("🚢 MV-2207 🚢", "MV-2207"),
        (r"at C:\work\tariff.xlsx", r"C:\work\tariff.xlsx"),
    ],
)
def test_shapes_in_prose_of_any_language(text: str, name: str) -> None:
    assert name in list(named_in(text))


def test_an_amount_is_not_cut_into_pieces_that_mean_something_else() -> None:
    assert not {"$1", "786.50"} & set(named_in("pay $1,786.50 now"))


def test_a_piece_of_a_masked_value_is_no_value() -> None:
    assert list(named_in("projects/t********n/logs/x9")) == []
