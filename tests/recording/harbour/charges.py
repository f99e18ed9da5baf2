"""What BK-20931 costs: worked out from the story's own tariff, so that the told amount is the computed one."""

import csv
from decimal import Decimal

from tests.recording.harbour.files import tariff

CODES = ("T003", "T027", "T039")  # lift on, lashing, customs gate for a 40HC
BOXES = 212


def amount() -> str:
    """EUR, two decimals, no separators."""
    rows = {row["code"]: Decimal(row["export_eur"]) for row in csv.DictReader(tariff().splitlines())}
    return f"{sum(rows[code] for code in CODES) * BOXES:.2f}"


def spoken() -> str:
    """As people write it: EUR 18,240.50."""
    return f"EUR {Decimal(amount()):,.2f}"
