"""One call of the judge function: keys and arguments from usage events, answers from the integers it returns."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.kinds import Crossing
from service.adapters.redis.functions import JUDGE
from service.adapters.redis.keys import Keys
from service.adapters.redis.usage_entry import VERDICTS, encode_event
from service.domain.gauge import UsageEvent, VerdictAnswer, parts_per_million

_CROSSINGS = (None, Crossing.THRESHOLD, Crossing.BACKSTOP)


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds for a session that declared nothing. Window in tokens; threshold and backstop are shares."""

    window_tokens: int = 200_000
    threshold: float = 0.70
    backstop: float = 0.78
    session_ttl_seconds: int = 7 * 86_400


class JudgeCall:
    """Builds calls and reads answers for one set of keys and defaults."""

    def __init__(self, keys: Keys, defaults: Defaults) -> None:
        self._heads = tuple(
            (
                [keys.usage_queue(shard), keys.crossings(shard)],
                [
                    defaults.window_tokens,
                    parts_per_million(defaults.threshold),
                    parts_per_million(defaults.backstop),
                    defaults.session_ttl_seconds,
                    len(keys.session_prefix(shard)),
                ],
                keys.session_prefix(shard),
            )
            for shard in range(keys.shards)
        )

    def command(self, shard: int, events: Sequence[UsageEvent]) -> tuple[tuple[str | int | bytes, ...], list[int]]:
        """One whole FCALL, and each event's used tokens. The events all belong to this shard."""
        queue_and_crossings, head, prefix = self._heads[shard]
        words: list[str | int | bytes] = ["FCALL", JUDGE, len(events) + 2, *queue_and_crossings]
        words += [prefix + event.session_id for event in events]
        words += head
        all_used = [event.used_tokens for event in events]
        for event, used in zip(events, all_used, strict=True):
            words += ("e" + event.event_id, event.seq, used, event.window_tokens or 0, encode_event(event))
        return tuple(words), all_used

    @staticmethod
    def answers(events: Sequence[UsageEvent], all_used: Sequence[int], reply: Sequence[int]) -> list[VerdictAnswer]:
        return [
            VerdictAnswer(
                event.event_id,
                VERDICTS[code & 3],
                used,
                code >> 6,
                used / (code >> 6),
                _CROSSINGS[code >> 2 & 3],
                code & 16 != 0,
            )
            for event, used, code in zip(events, all_used, reply, strict=True)
        ]
