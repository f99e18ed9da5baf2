"""The whole story."""

from tests.recording.harbour.first_turns import BOOKING, RULES, TARIFF, TIDY
from tests.recording.harbour.last_turns import CLOSE, HOLD, INVOICE, MONTH_END, NOTICE

WINDOW_TOKENS = 200_000
WINDOW_BEFORE = 31_400
"""Tokens of the fixed prefix (system prompt, tools), as the script bills it."""

SYSTEM_PROMPT = (
    "You run the harbour desk of Nordkai, a small harbour logistics firm: berths, bookings, invoices, reports. Work in "
    "the desk's folder and with the desk's tools. Say what you did, with exact ids."
)

TURNS = (RULES, BOOKING, TARIFF, TIDY, NOTICE, INVOICE, MONTH_END, CLOSE, HOLD)
