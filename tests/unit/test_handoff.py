"""The seed: whole values, within budget, what counts first, and honest about what is missing."""

from hypothesis import given
from hypothesis import strategies as st

from models.kinds import Author, EntryKind, Who
from service.adapters.transcripts.authorship import text_blocks
from service.domain.handoff import SEED_MARK, render_seed
from service.domain.ledger import DeclaredInterrupt, Entry, Evidence, Ledger
from service.domain.merge import merge
from service.domain.occurrence import stands_in
from tests.unit.talk import calls, found, gives, rejected, says, use


def ledger_of(*entries: Entry) -> Ledger:
    return merge(Ledger(), entries, 0, "s-1")


def entry(kind: EntryKind, value: str, detail: str = "", **fields: object) -> Entry:
    return Entry(kind, value, (Evidence(0, value),), detail, **fields)  # type: ignore[arg-type]


def seed(*entries: Entry, budget: int = 4_000) -> str:
    return render_seed(ledger_of(*entries), budget_chars=budget, session_id="s-1", agent_id="desk", generation=3)


def test_it_begins_with_the_mark_that_readers_know_it_by() -> None:
    text = seed(entry(EntryKind.RULE, "Never change the tariff."))
    assert text.startswith(SEED_MARK)
    assert [block.author for block in text_blocks(text)] == [Author.SUMMARY]


def test_it_reads_rules_task_unknown_waiting_done_values_in_this_order() -> None:
    cut = (DeclaredInterrupt("backstop", ("t2",), after_seq=3),)
    text = seed(
        *found(
            says(0, "Never change the tariff. Book berth 14 for MV-2207 and send the invoice."),
            calls(1, use("t1", "create_booking", vessel="MV-2207", berth=14)),
            gives(2, "t1", '{"booking_id": "BK-20931"}'),
            calls(3, use("t2", "send_invoice", booking_id="BK-20931", amount=1250)),
            rejected(4, "t2"),
            interrupts=cut,
        )
    )
    order = [
        "Never change the tariff.",
        "- send_invoice BK-20931 amount=1250",
        "> Never change the tariff. Book berth 14",
        "- create_booking MV-2207 berth=14 (gave booking_id BK-20931)",
    ]
    places = [text.rindex(piece) for piece in order]
    assert places[1:] == sorted(places[1:])
    assert "cut by the runtime (backstop), not by a person; check the live effect before repeating" in text
    assert "user" not in text[places[1] - 150 : places[1]], "nobody is blamed"


def test_a_value_is_shown_whole_or_not_at_all() -> None:
    values = [f"order-{number:06}-{'x' * (number % 40)}" for number in range(400)]
    entries = [entry(EntryKind.IDENTIFIER, value, "order_id: used in get_order", salience=2.5) for value in values]
    text = seed(*entries, budget=1_500)
    line = next(line for line in text.splitlines() if line.startswith("order_id: "))
    assert set(line.removeprefix("order_id: ").split(", ")) <= set(values)
    assert values[-1] in text, "the newest first"


def test_what_did_not_fit_is_counted_and_can_be_looked_up() -> None:
    entries = [entry(EntryKind.DONE, f"send_letter L-{number:05}", status="proven") for number in range(300)]
    text = seed(*entries, budget=1_200)
    left_out = 300 - text.count("L-0")
    assert f"{left_out} done calls" in text
    assert "carryforward ledger show --session s-1" in text


def test_nothing_is_left_out_in_silence_and_nothing_is_said_when_all_is_there() -> None:
    assert "Left out" not in seed(entry(EntryKind.DONE, "send_letter L-1"))


def test_a_value_that_stands_in_a_call_is_not_said_twice() -> None:
    text = seed(
        entry(EntryKind.DONE, "cancel_order #W2378156"),
        entry(EntryKind.IDENTIFIER, "#W2378156", "order_id: acted on by cancel_order", salience=4.5),
        entry(EntryKind.IDENTIFIER, "#W237815", "order_id: used in get_order", salience=2.5),
    )
    assert text.count("#W2378156") == 1
    assert stands_in(text, "#W237815"), "a piece of a longer value is no mention of the shorter"


def test_strong_rules_stay_when_there_is_no_room_for_wishes() -> None:
    wishes = [
        entry(EntryKind.RULE, f"I would prefer seat number {n} if at all possible.", salience=1.0) for n in range(80)
    ]
    text = seed(entry(EntryKind.RULE, "Never change the tariff.", salience=2.5), *wishes, budget=1_200)
    assert "- Never change the tariff." in text


def test_a_lifted_rule_stays_visible_as_lifted() -> None:
    rule = entry(
        EntryKind.RULE, "Never change the tariff.", 'lifted later: "You may now."', status="revoked", salience=2.5
    )
    assert '- Never change the tariff. [lifted later: "You may now."]' in seed(rule)


def test_whom_it_waits_for_is_told_apart() -> None:
    text = seed(
        entry(EntryKind.WAITING_ON, "Shall I book it?", "asked", who=Who.USER),
        entry(EntryKind.WAITING_ON, "send_letter L-1", "no result yet", who=Who.TOOL),
    )
    assert text.index("Asked of the user") < text.index("Shall I book it?") < text.index("## Waiting for")


def test_an_empty_ledger_is_a_short_seed() -> None:
    assert len(seed()) < 400


_entries = st.lists(
    st.builds(
        entry,
        st.sampled_from(EntryKind),
        st.text(min_size=1, max_size=120),
        st.sampled_from(["", "order_id: used in x", "said by the user", "cut by the runtime"]),
        who=st.sampled_from([None, *Who]),
        status=st.sampled_from(["", "revoked", "rejected"]),
        salience=st.floats(0, 5),
    ),
    max_size=60,
)


@given(_entries, st.integers(0, 5_000))
def test_it_is_never_longer_than_its_budget_and_always_the_same(entries: list[Entry], budget: int) -> None:
    text = seed(*entries, budget=budget)
    assert len(text) <= budget
    assert text == seed(*entries, budget=budget)
