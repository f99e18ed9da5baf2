"""Turns five to nine: an amended rule, an invoice with the person's OK, month end, and a question left open."""

from tests.recording.harbour.charges import BOXES, CODES, amount, spoken
from tests.recording.harbour.first_turns import DESK, bash, desk
from tests.recording.harbour.scripts import RECONCILE
from tests.recording.harbour.slots import slot_id
from tests.recording.plan import Call, Say, Think, Turn

SECOND_SLOT = slot_id("BK-20933", "STS-1")
QUESTION = f"Shall I send INV-2026-0417 ({spoken()}) to dispo@lodz-cargo.example?"
_SUM = (
    f"awk -F, '$1 ~ /^({'|'.join(CODES)})$/ {{ line = $5 * {BOXES}; sum += line; "
    f'printf "%s %s %s: {BOXES} x %s = %.2f\\n", $1, $2, $3, $5, line }} '
    'END { printf "EUR %.2f\\n", sum }\' tariffs/tariff-2026.csv'
)

NOTICE = Turn(
    "One change to what I said about customers: berth-time notices may go out without asking me. Invoices, quotes and "
    "everything else still need my OK. So: 東京海運 (Tokyo Kaiun, CUS-5120) has MV Sakura Maru 🌸 (IMO 9456123) coming "
    "in on 4 December. Book berth 2 from 07:00 to 17:00 UTC and send them the notice to ops@tokyo-kaiun.example. The "
    "call is at https://portal.nordkai.example/v/9456123?call=2026-12-04",
    (
        (
            desk("get_vessel", imo="9456123"),
            desk("berth_calendar", berth=2),
            bash("grep IMO9456123 movements/2026-11.csv | head -n 120", "November's moves of the vessel"),
        ),
        (
            desk(
                "create_booking",
                imo="9456123",
                berth=2,
                from_="2026-12-04T07:00Z",
                to="2026-12-04T17:00Z",
                note="東京海運 (CUS-5120)",
            ),
        ),
        (
            desk(
                "send_notice",
                to="ops@tokyo-kaiun.example",
                booking_id="BK-20932",
                text="MV Sakura Maru: berth 2, 4 December 2026, 07:00 to 17:00 UTC. / さくら丸: 2番バース",
            ),
        ),
        (
            Say(
                "Understood: berth-time notices go out without asking, everything else still needs your OK. BK-20932 "
                "is confirmed, berth 2, 4 December 07:00 to 17:00 UTC, and the notice NTC-88213 went to "
                "ops@tokyo-kaiun.example."
            ),
        ),
    ),
    window_after=108_900,
    weights=(1, 3, 1, 1),
)

INVOICE = Turn(
    "I checked INV-2026-0409. Yes, send it to ap@lodz-cargo.example. Then draft the invoice for BK-20931: lift on, "
    "lashing and customs gate, export prices, 212 boxes.",
    (
        (desk("send_invoice", invoice_id="INV-2026-0409", to="ap@lodz-cargo.example"),),
        (bash(_SUM, "Work out the charges of BK-20931"),),
        (desk("create_invoice", booking_id="BK-20931", customer="CUS-4471", amount=amount(), currency="EUR"),),
        (
            Say(
                f"INV-2026-0409 is sent to ap@lodz-cargo.example. INV-2026-0417 for BK-20931 is drafted over {spoken()}"
                "; it has not been sent."
            ),
        ),
    ),
    window_after=122_400,
)

MONTH_END = Turn(
    "Month end. Reconcile November: every container move against its booking, list the differences and write "
    "reports/2026-11-reconciliation.md. Don't correct anything in movements/ yet.",
    (
        (
            Think("The whole file first, then in parts: 860 moves are more than one output shows."),
            Say("I'll read all of November's moves first."),
            bash("cat movements/2026-11.csv", "Read November's moves"),
        ),
        (bash("sed -n '2,221p' movements/2026-11.csv", "Moves 1 to 220"),),
        (bash("sed -n '222,441p' movements/2026-11.csv", "Moves 221 to 440"),),
        (
            Say("Now the bookings these moves name."),
            desk("get_booking", booking_id="BK-20917"),
            desk("get_booking", booking_id="BK-20925"),
            Call("Read", {"file_path": f"{DESK}/bookings/november.txt"}),
        ),
        (Call("Write", {"file_path": f"{DESK}/scripts/reconcile.py", "content": RECONCILE}),),
        (bash("python3 scripts/reconcile.py", "Reconcile November"),),
        (
            Say("Three differences. I'll write the report."),
            Call(
                "Write",
                {
                    "file_path": f"{DESK}/reports/2026-11-reconciliation.md",
                    "content": "# Reconciliation, November 2026\n\n860 rows, 859 moves, 3 differences.\n\n"
                    "| move | what | value | state |\n| --- | --- | --- | --- |\n"
                    "| M-11-0118 | unknown booking | BK-20971 (BK-20917?) | open |\n"
                    "| M-11-0402 | entered twice | as M-11-0401 | open |\n"
                    "| M-11-0655 | no weight | 0 kg | open |\n",
                },
            ),
        ),
        (bash("wc -l movements/2026-11.csv && sha256sum reports/2026-11-reconciliation.md", "Check the files"),),
        (
            Say(
                "November is reconciled: 859 moves, 3 differences, all in reports/2026-11-reconciliation.md. M-11-0118 "
                "names BK-20971, M-11-0402 repeats M-11-0401, M-11-0655 has no weight. movements/ is untouched."
            ),
        ),
    ),
    window_after=152_600,
    weights=(2, 2, 5, 5, 2, 2, 2, 1, 1),
)

CLOSE = Turn(
    "Good work. M-11-0118 belongs to BK-20917, correct it, and drop M-11-0402. Leave M-11-0655 until the terminal "
    "calls back. Then write the mail for INV-2026-0417, but don't send it.",
    (
        (
            bash(
                "sed -i -e '/^M-11-0118,/s/BK-20971/BK-20917/' -e '/^M-11-0402,/d' movements/2026-11.csv "
                "&& grep -c . movements/2026-11.csv && grep '^M-11-0118,' movements/2026-11.csv",
                "Correct two moves",
            ),
        ),
        (
            Call("Read", {"file_path": f"{DESK}/reports/2026-11-reconciliation.md"}),
            bash("python3 scripts/reconcile.py", "Reconcile again"),
        ),
        (
            Call(
                "Edit",
                {
                    "file_path": f"{DESK}/reports/2026-11-reconciliation.md",
                    "old_string": "BK-20971 (BK-20917?) | open |\n| M-11-0402 | entered twice | as M-11-0401 | open |",
                    "new_string": "BK-20971, corrected to BK-20917 | closed |\n"
                    "| M-11-0402 | entered twice | as M-11-0401, dropped | closed |",
                },
            ),
            Call(
                "Write",
                {
                    "file_path": f"{DESK}/mails/INV-2026-0417.txt",
                    "content": "To: dispo@lodz-cargo.example\nSubject: INV-2026-0417, BK-20931\n\nDzień dobry,\n\n"
                    f"please find attached invoice INV-2026-0417 over {spoken()} for BK-20931 (MV Aurora Baltica, "
                    "berth 6, 3 December 2026, 212 x 40HC).\n\nNordkai harbour desk\n",
                },
            ),
        ),
        (
            Say(
                "M-11-0118 is corrected to BK-20917 and M-11-0402 is dropped; M-11-0655 waits for the terminal. The "
                f"mail is in mails/INV-2026-0417.txt. {QUESTION}"
            ),
        ),
    ),
    window_after=163_700,
)

HOLD = Turn(
    "Before I answer that: is berth 6 free on 5 December, 08:00 to 12:00 UTC? If so, hold it for Sakura Maru with "
    "crane STS-1.",
    (
        (desk("berth_calendar", berth=6), bash("cat bookings/BK-20931.md", "Look at BK-20931")),
        (
            desk(
                "create_booking",
                imo="9456123",
                berth=6,
                from_="2026-12-05T08:00Z",
                to="2026-12-05T12:00Z",
                note="held for 東京海運 (CUS-5120)",
            ),
        ),
        (desk("reserve_slot", booking_id="BK-20933", crane="STS-1"),),
        (
            Say(
                "Yes, it was free. BK-20933 holds berth 6 on 5 December, 08:00 to 12:00 UTC, for MV Sakura Maru, with "
                f"crane STS-1, slot {SECOND_SLOT}. Still open: {QUESTION}"
            ),
        ),
    ),
    window_after=171_200,
)
