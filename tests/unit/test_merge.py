"""Identity over versions, what is replaced, what is settled."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from models.kinds import EntryKind, Who
from service.domain.cut import legal_cuts
from service.domain.ledger import Entry, Evidence, Ledger
from service.domain.merge import MOST_EVIDENCE, merge
from service.domain.scan import scan
from service.domain.transcript import Record
from service.domain.verify import verify
from tests.unit.talk import agent, calls, gives, job, of, says, use


def identifier(value: str, seq: int, salience: float = 2.0, session: str | None = None) -> Entry:
    return Entry(EntryKind.IDENTIFIER, value, (Evidence(seq, value, session),), "id: used", salience=salience)


def test_the_same_value_is_one_entry_with_its_first_evidence_and_its_best_salience() -> None:
    ledger = merge(Ledger(), [identifier("BK-1", 3, 4.0)], 3, "s-1")
    (entry,) = merge(ledger, [identifier("BK-1", 9, 2.0)], 9, "s-1").entries
    assert [piece.seq for piece in entry.evidence] == [3, 9]
    assert entry.salience == 4.0


def test_values_one_character_apart_never_collapse() -> None:
    assert len(merge(Ledger(), [identifier("BK-1", 1), identifier("BK-2", 1)], 1, "s-1").entries) == 2


def test_carried_evidence_keeps_its_session_and_our_own_is_stored_without_one() -> None:
    ledger = Ledger((identifier("BK-1", 3, session="s-0"),))
    (entry,) = merge(ledger, [identifier("BK-1", 1, session="s-1")], 1, "s-1").entries
    assert [(piece.session_id, piece.seq) for piece in entry.evidence] == [("s-0", 3), (None, 1)]


def test_evidence_does_not_pile_up() -> None:
    ledger = Ledger()
    for seq in range(10):
        ledger = merge(ledger, [identifier("BK-1", seq)], seq, "s-1")
    seqs = [piece.seq for piece in ledger.entries[0].evidence]
    assert len(seqs) == MOST_EVIDENCE
    assert (seqs[0], seqs[-1]) == (0, 9)


def test_what_is_true_of_the_moment_is_replaced() -> None:
    question = Entry(EntryKind.WAITING_ON, "Shall I?", (Evidence(1, "Shall I?"),), who=Who.USER)
    task = Entry(EntryKind.OPEN_TASK, "Book it", (Evidence(0, "Book it"),))
    ledger = merge(Ledger(), [task, question], 1, "s-1")
    assert [entry.kind for entry in merge(ledger, [identifier("BK-1", 2)], 2, "s-1").entries] == [
        EntryKind.OPEN_TASK,
        EntryKind.IDENTIFIER,
    ], "a task stays open until another one is asked for; a question is over once the talk goes on"
    newer = replace(task, value="Cancel it", evidence=(Evidence(3, "Cancel it"),))
    assert [entry.value for entry in of(merge(ledger, [newer], 3, "s-1").entries, "open_task")] == ["Cancel it"]


def test_a_call_that_works_at_last_is_no_longer_unknown_or_failed() -> None:
    for kind in (EntryKind.UNKNOWN_OUTCOME, EntryKind.FAILED):
        ledger = merge(Ledger(), [Entry(kind, "send INV-7", (Evidence(1, "INV-7"),))], 1, "s-1")
        done = Entry(EntryKind.DONE, "send INV-7", (Evidence(4, "INV-7"),))
        assert [entry.kind for entry in merge(ledger, [done], 4, "s-1").entries] == [EntryKind.DONE]


def test_a_call_that_is_cut_after_it_had_worked_once_is_unknown_again() -> None:
    done = Entry(EntryKind.DONE, "send INV-7", (Evidence(1, "INV-7"),))
    cut = Entry(EntryKind.UNKNOWN_OUTCOME, "send INV-7", (Evidence(4, "INV-7"),))
    assert {entry.kind for entry in merge(Ledger(), [done, cut], 4, "s-1").entries} == {done.kind, cut.kind}


def test_merging_nothing_new_gives_the_same_ledger_and_the_watermark_never_falls() -> None:
    ledger = merge(Ledger(), [identifier("BK-1", 3)], 3, "s-1")
    assert merge(ledger, [], 3, "s-1") is ledger
    assert merge(ledger, [], 1, "s-1").watermark == 3
    assert merge(ledger, [identifier("BK-1", 3)], 3, "s-1") == ledger


def day(turns: list[int]) -> list[Record]:
    """Turns of a desk: each asks, looks up, changes something, tells; odd ones also forbid something."""
    records: list[Record] = []
    for number in turns:
        seq = len(records)
        rule = f" Never touch berth {number}." if number % 2 else ""
        records += [
            says(seq, f"Please move vessel MV-{number:04} to another berth.{rule}"),
            calls(seq + 1, use(f"l{seq}", "get_vessel", vessel_id=f"MV-{number:04}")),
            gives(seq + 2, f"l{seq}", f'{{"vessel_id": "MV-{number:04}", "owner_id": "ow_{number}"}}'),
            calls(seq + 3, use(f"w{seq}", "move_vessel", vessel_id=f"MV-{number:04}")),
            gives(seq + 4, f"w{seq}", f'{{"move_id": "mv_{seq}"}}' if number % 5 else "Error: berth is taken"),
            agent(seq + 5, "Moved. Anything else?"),
        ]
    return records


def extracted(records: list[Record], slices: list[int]) -> Ledger:
    ledger = Ledger()
    for end in [*slices, len(records)]:
        fresh = [record for record in records[:end] if record.seq > ledger.watermark]
        if not fresh:
            continue
        given_job = job(*fresh, ledger=ledger)
        cuts = legal_cuts(fresh)
        kept = verify(scan(given_job), given_job).kept
        ledger = merge(ledger, kept, cuts[-1] - 1 if cuts else ledger.watermark, "s-1")
    return ledger


@given(
    turns=st.lists(st.integers(1, 30), min_size=1, max_size=6),
    data=st.data(),
)
def test_any_slicing_of_the_records_agrees_on_what_matters(turns: list[int], data: st.DataObject) -> None:
    records = day(turns)
    slices = sorted(data.draw(st.lists(st.integers(1, len(records)), max_size=4)))
    whole, sliced = extracted(records, []), extracted(records, slices)

    def matters(ledger: Ledger) -> dict[str, set[str]]:
        return {kind: {entry.value for entry in of(ledger.entries, kind)} for kind in EntryKind}

    assert matters(sliced) == matters(whole)
    assert sliced.watermark == whole.watermark
