"""How full a window is: the host's gauge and the API's bill, side by side, neither trusted alone."""

from dataclasses import dataclass

from models.kinds import Crossing, Verdict
from service.domain.transcript import Usage


@dataclass(frozen=True, slots=True)
class UsageEvent:
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


@dataclass(frozen=True, slots=True)
class VerdictAnswer:
    """What a usage event is answered with. `share` is a ratio; `crossed` is set on the one event that crossed."""

    event_id: str
    verdict: Verdict
    used_tokens: int
    window_tokens: int
    share: float
    crossed: Crossing | None = None
    duplicate: bool = False
