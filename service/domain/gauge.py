"""How full a window is: the host's gauge and the API's bill, side by side, neither trusted alone.

The two types are msgspec structs, which are plain frozen values that cost a tenth of a frozen dataclass to make: every
message of every agent makes one of each.
"""

from msgspec import Struct

from models.kinds import Crossing, Verdict
from service.domain.transcript import Usage

MILLION = 1_000_000
"""Shares are compared as whole parts per million: 0.70 of 200,000 tokens is 140,000 exactly, on every machine."""

MAX_ID_CHARS = 200
MAX_SEQ = 2**31 - 1
MAX_TOKENS = 500_000_000
"""Most tokens one count may say. Four counts add up to less than 2**31 (a SQL integer), and times a million to less
than 2**53 (the last whole number a double, hence Lua, holds exactly)."""


def parts_per_million(share: float) -> int:
    """A share (0..1) as whole parts per million, nearest."""
    return round(share * MILLION)


class UsageEvent(Struct, frozen=True, gc=False):
    """One model response's report. `seq` orders events within a session; tokens are whole numbers.

    One of `gauge_tokens` and `usage` is set. `window_tokens` None: the window the session declared.
    """

    event_id: str
    session_id: str
    agent_id: str
    seq: int
    gauge_tokens: int | None = None
    usage: Usage | None = None
    window_tokens: int | None = None

    @property
    def used_tokens(self) -> int:
        """The larger of gauge and usage: a window is never emptier than either says."""
        return max(self.gauge_tokens or 0, self.usage.total_tokens if self.usage else 0)


class VerdictAnswer(Struct, frozen=True, gc=False):
    """What a usage event is answered with.

    `used_tokens`, `window_tokens` and `share` (a ratio) are the event's own; `verdict` is the session's, as it stands
    after this event. `crossed` is set on the one event that crossed.
    """

    event_id: str
    verdict: Verdict
    used_tokens: int
    window_tokens: int
    share: float
    crossed: Crossing | None = None
    duplicate: bool = False
