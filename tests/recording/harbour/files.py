"""The desk's folder as the agent finds it."""

import random
import struct
import zlib
from pathlib import Path

HANDOVER = """# Handover, week 49

- MV Aurora Baltica (IMO 9811000): call on 3 December, no berth booked yet. Customer: Łódź Cargo Sp. z o.o. (CUS-4471).
- INV-2026-0409 (EUR 4,120.00, Łódź Cargo) is drafted and waits for the office's OK.
- Berth 4 has a history of double bookings; check before promising it.
- MV Sakura Maru (IMO 9456123) of 東京海運 is expected on 4 December.
- November's reconciliation is due at month end: movements/2026-11.csv against the bookings.
- Tariff sheet: https://sheets.nordkai.example/d/1xQv7Lk2mZrT9bWcD4yHs8NfJ0aPeUgK3iVoXq5R6tBw
"""

SERVICES = (
    "Lift on", "Lift off", "Storage day", "Reefer plug", "Lashing", "Weighing", "Customs gate", "Shunting",
    "Hazard surcharge", "Night shift",
)  # fmt: skip
SIZES = ("20DC", "40DC", "40HC", "45HC", "20RF", "40RF")
BOOKINGS = ("BK-20902", "BK-20911", "BK-20917", "BK-20925")
VESSELS = ("IMO9811000", "IMO9456123", "IMO9340427")
OWNERS = ("MSKU", "TCLU", "HLXU", "GESU", "TRIU")
MOVES = 860


def lay_out(folder: Path) -> None:
    """Write everything the story needs into an empty folder."""
    for name in ("notes", "tariffs", "movements", "exports", "archive/2025", "reports", "mails", "scripts", "bookings"):
        (folder / name).mkdir(parents=True)
    (folder / "notes/handover.md").write_text(HANDOVER, encoding="utf-8")
    (folder / "tariffs/tariff-2026.csv").write_text(tariff(), encoding="utf-8")
    (folder / "movements/2026-11.csv").write_text(movements(), encoding="utf-8")
    (folder / "bookings/november.txt").write_text("\n".join(BOOKINGS) + "\n", encoding="utf-8")
    for month in ("2025-11", "2025-12", "2026-09", "2026-10"):
        (folder / f"exports/{month}.csv").write_text("move_id,container\n", encoding="utf-8")
    for quarter in ("q1", "q2", "q3", "q4"):
        (folder / f"archive/2025/{quarter}.csv").write_text("move_id,container\n", encoding="utf-8")


def tariff() -> str:
    """Sixty priced services; one price is not a number, as in most real sheets."""
    chance = random.Random(4471)
    rows = ["code,service,size,import_eur,export_eur,transit_eur"]
    for index, (service, size) in enumerate((service, size) for service in SERVICES for size in SIZES):
        prices = [f"{chance.randrange(900, 9_000) / 100:g}" for _ in range(3)]
        if index == 37:
            prices[2] = "n/a"
        rows.append(f"T{index + 1:03d},{service},{size},{','.join(prices)}")
    return "\n".join(rows) + "\n"


def movements() -> str:
    """A month of container moves, with three of the desk's own mistakes in it."""
    chance = random.Random(20931)
    rows = ["move_id,container,size,direction,vessel,booking,weight_kg,moved_at,status"]
    for number in range(1, MOVES + 1):
        day, hour, minute = 1 + number * 30 // (MOVES + 1), chance.randrange(24), chance.randrange(60)
        booking, weight = chance.choice(BOOKINGS), chance.randrange(2_400, 30_480)
        if number == 118:
            booking = "BK-20971"  # digits swapped
        if number == 655:
            weight = 0
        rows.append(
            f"M-11-{number:04d},{_container(chance)},{chance.choice(SIZES)},{chance.choice(('import', 'export'))},"
            f"{chance.choice(VESSELS)},{booking},{weight},2026-11-{day:02d}T{hour:02d}:{minute:02d}Z,closed"
        )
    first, rest = rows[401].split(",", 1)
    rows[402] = f"{first[:-4]}0402,{rest}"  # the same move entered twice
    return "\n".join(rows) + "\n"


def _container(chance: random.Random) -> str:
    return f"{chance.choice(OWNERS)}{chance.randrange(10_000_000):07d}"


def berth_board(width: int = 240, height: int = 120) -> bytes:
    """A PNG of a board with coloured cells: the picture the person sends."""
    rows = []
    for y in range(height):
        row = bytearray([0])
        for x in range(width):
            cell = (x * 8 // width + 3 * (y * 4 // height)) % 5
            line = x % (width // 8) < 2 or y % (height // 4) < 2
            row += bytes((40, 44, 52)) if line else bytes((200 - 30 * cell, 120 + 20 * cell, 90 + 25 * cell))
        rows.append(bytes(row))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
