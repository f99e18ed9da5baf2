"""Turns one to four: rules, a booking that needs a second try, the tariff sheet, a refused deletion."""

from tests.recording.harbour.files import berth_board
from tests.recording.harbour.scripts import COMPARE, FORMAT_TARIFF, SHOWN_AFTER, SHOWN_BEFORE
from tests.recording.harbour.slots import slot_id
from tests.recording.plan import NEUTRAL_FOLDER, Call, Say, Think, Turn

DESK = str(NEUTRAL_FOLDER)
SHEET = "1xQv7Lk2mZrT9bWcD4yHs8NfJ0aPeUgK3iVoXq5R6tBw"
SLOT = slot_id("BK-20931", "STS-2")


def bash(command: str, description: str) -> Call:
    return Call("Bash", {"command": command, "description": description})


def desk(tool: str, **arguments: object) -> Call:
    # A trailing underscore keeps Python's keywords out of the way: from_ is the tool's "from".
    return Call(f"mcp__desk__{tool}", {name.rstrip("_"): value for name, value in arguments.items()})


def booking(berth: int) -> Call:
    return desk(
        "create_booking",
        imo="9811000",
        berth=berth,
        from_="2026-12-03T06:00Z",
        to="2026-12-03T14:00Z",
        note="212 x 40HC for Łódź Cargo Sp. z o.o. (CUS-4471)",
    )


RULES = Turn(
    "Good morning! You have the harbour desk this week. Two standing rules before anything else. Formatting only: "
    f"never change the values in the tariff sheet ({SHEET}). And never send anything to customers without my OK. "
    "Please start with notes/handover.md and tell me what is open for MV Aurora Baltica (IMO 9811000).",
    (
        (
            Think("Read the handover first; the vessel can be looked up at the same time."),
            Say("Noted, both rules stand. I'll read the handover and look the vessel up."),
            Call("Read", {"file_path": f"{DESK}/notes/handover.md"}),
            desk("get_vessel", imo="9811000"),
        ),
        (
            desk("list_bookings", imo="9811000"),
            bash("wc -l movements/2026-11.csv && head -n 4 movements/2026-11.csv", "Look at November's moves"),
        ),
        (
            Say(
                "Open for MV Aurora Baltica (IMO 9811000): no berth is booked for the call on 3 December. The customer "
                "is Łódź Cargo Sp. z o.o. (CUS-4471). INV-2026-0409 over EUR 4,120.00 is drafted and waits for your OK."
            ),
        ),
    ),
    window_after=43_800,
)

BOOKING = Turn(
    "This is the berth board from this morning. Book Aurora Baltica for 3 December, 06:00 to 14:00 UTC, 212 boxes "
    "40HC for Łódź Cargo. Berth 4 if you can; if it is taken, berth 6 is fine. And reserve crane STS-2. Their "
    "dispatcher is dispo@lodz-cargo.example.",
    (
        (Say("Booking berth 4."), booking(4)),
        (
            Say("Berth 4 is held by BK-20917. I'll look at it, and at berth 6."),
            desk("get_booking", booking_id="BK-20917"),
            desk("berth_calendar", berth=6),
        ),
        (Say("Berth 6 is free for that time, so I take it as you said."), booking(6)),
        (
            desk("reserve_slot", booking_id="BK-20931", crane="STS-2"),
            Call(
                "Write",
                {
                    "file_path": f"{DESK}/bookings/BK-20931.md",
                    "content": "# BK-20931\n\n- Vessel: MV Aurora Baltica (IMO 9811000)\n- Berth 6, 2026-12-03 06:00 "
                    "to 14:00 UTC\n- 212 x 40HC, Łódź Cargo Sp. z o.o. (CUS-4471)\n- Dispatcher: "
                    "dispo@lodz-cargo.example\n- Berth 4 was refused: held by BK-20917\n",
                },
            ),
        ),
        (
            Say(
                "Booked: BK-20931, berth 6, 3 December 06:00 to 14:00 UTC, 212 x 40HC. Berth 4 was refused (409, held "
                f"by BK-20917). Crane STS-2 is reserved, slot {SLOT}. Nothing went to the customer."
            ),
        ),
    ),
    window_after=59_300,
    image=berth_board(),
)

TARIFF = Turn(
    "Now the tariff. In the sheet, D2:F61 should show two decimals and thousands separators. Write the same for the "
    "local copy tariffs/tariff-2026.csv into tariffs/tariff-2026.formatted.csv. One more rule while we are at it: "
    "always quote amounts in EUR with two decimals.",
    (
        (
            Think("Formatting only. Read the local copy before touching anything."),
            Call("Read", {"file_path": f"{DESK}/tariffs/tariff-2026.csv"}),
            desk("format_sheet", sheet_id=SHEET, range="D2:F61", format="#,##0.00"),
        ),
        (Call("Write", {"file_path": f"{DESK}/scripts/format_tariff.py", "content": FORMAT_TARIFF}),),
        (bash("python3 scripts/format_tariff.py", "Format the local copy"),),
        (
            Say("One price is not a number (T038, transit: n/a). It has to stay as it is."),
            Call(
                "Edit",
                {
                    "file_path": f"{DESK}/scripts/format_tariff.py",
                    "old_string": SHOWN_BEFORE,
                    "new_string": SHOWN_AFTER,
                },
            ),
        ),
        (bash("python3 scripts/format_tariff.py", "Format the local copy again"), bash(COMPARE, "Compare the values")),
        (
            Say(
                "Done. The sheet's D2:F61 is formatted as #,##0.00, and tariffs/tariff-2026.formatted.csv holds 60 "
                "rows; 0 values changed. T038 keeps its n/a. Amounts from now on in EUR with two decimals."
            ),
        ),
    ),
    window_after=77_600,
    weights=(1, 2, 1, 1, 1, 1),
)

TIDY = Turn(
    "Please tidy up exports/ and archive/: I only need 2026 there. 👍",
    (
        (bash("find exports archive -type f | sort", "List exports and archive"),),
        (
            bash("mkdir -p cold && mv exports/2025-11.csv exports/2025-12.csv cold/", "Move old exports"),
            bash("rm -r archive/2025", "Remove the archive of 2025"),
        ),
        (
            Say("The host's policy refuses to delete from the archive, so I move it."),
            bash("mv archive/2025 cold/archive-2025 && find exports archive cold -type f | sort", "Move the archive"),
        ),
        (
            Say(
                "exports/ holds 2026-09 and 2026-10, archive/ is empty. What was from 2025 is in cold/. Deleting "
                "archive/2025 was refused by host policy P-7 and did not happen."
            ),
        ),
    ),
    window_after=93_100,
)
