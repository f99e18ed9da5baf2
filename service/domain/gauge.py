"""How full a window is: the host's gauge and the API's bill, side by side, neither trusted alone.

Every message of every agent makes one event and one answer, so they are msgspec structs: frozen values that are decoded
from JSON as they stand, bounds checked, at a tenth of a frozen dataclass's cost.
"""

from typing import Annotated

from msgspec import Meta, Struct

from models.kinds import Crossing, Verdict

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


Id = Annotated[str, Meta(min_length=1, max_length=MAX_ID_CHARS)]
Tokens = Annotated[int, Meta(ge=0, le=MAX_TOKENS)]


class UsageTokens(Struct, frozen=True, gc=False):
    """The API's own `usage` object, as it is: fields it has beyond these are ignored, null counts as 0.

    Cached tokens count.
    """

    input_tokens: Tokens
    cache_read_input_tokens: Tokens | None = 0
    cache_creation_input_tokens: Tokens | None = 0
    output_tokens: Tokens | None = 0

    @property
    def total_tokens(self) -> int:
        return (
            self.input_tokens
            + (self.cache_read_input_tokens or 0)
            + (self.cache_creation_input_tokens or 0)
            + (self.output_tokens or 0)
        )


class UsageEvent(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One model response's report. One of `gauge_tokens` and `usage` at least; tokens are whole numbers."""

    event_id: Annotated[Id, Meta(description="Identifies the event: one model response, one id.")]
    session_id: Id
    agent_id: Id
    seq: Annotated[int, Meta(ge=0, le=MAX_SEQ, description="Orders events within the session.")]
    gauge_tokens: Annotated[Tokens | None, Meta(description="The host's own estimate of tokens in the window.")] = None
    usage: UsageTokens | None = None
    window_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_TOKENS)] | None,
        Meta(description="May be left out where the session declared it."),
    ] = None

    @property
    def used_tokens(self) -> int:
        """The larger of gauge and usage: a window is never emptier than either says."""
        gauge, usage = self.gauge_tokens or 0, self.usage
        if usage is None:
            return gauge
        total = usage.total_tokens
        return total if total > gauge else gauge


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
