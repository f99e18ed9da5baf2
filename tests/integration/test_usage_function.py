"""The judge function on a real server: marks, order, repetition, and that every crossing is recorded once."""

import random
import struct
import threading
import uuid
from collections import Counter
from collections.abc import Iterator

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.kinds import Crossing, Verdict
from service.adapters.redis import functions
from service.adapters.redis.connections import connect
from service.adapters.redis.gauges import RedisGauges
from service.adapters.redis.usage_call import Defaults
from service.domain.gauge import MAX_TOKENS, UsageEvent, UsageTokens, VerdictAnswer
from service.ports import SessionMarks
from tests.integration.redis_server import RedisServer, running
from tests.integration.usage_state import KEYS, event, gauge, judge, pending, queued


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    yield from running()


@pytest.fixture
def client(server: RedisServer) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(server.url) as opened:
        opened.flushall()
        yield opened


def declare(client: redis.Redis, window: int | None, threshold: float, backstop: float, session: str = "s") -> None:
    RedisGauges(client).declare(SessionMarks(session, "a", window, threshold, backstop))


def test_below_at_and_past_the_marks(client: redis.Redis):
    found = judge(
        client, event("1", 1, 139_999), event("2", 2, 140_000), event("3", 3, 155_999), event("4", 4, 156_000)
    )
    assert [answer.verdict for answer in found] == ["continue", "prepare", "prepare", "end_turn"]
    assert [answer.crossed for answer in found] == [None, Crossing.THRESHOLD, None, Crossing.BACKSTOP]
    assert found[1] == VerdictAnswer("2", Verdict.PREPARE, 140_000, 200_000, 0.7, Crossing.THRESHOLD, False)
    assert pending(client) == ["s"]


@pytest.mark.parametrize("percent", range(1, 101))
def test_every_whole_percent_of_an_odd_window_crosses_at_its_exact_token(client: redis.Redis, percent: int):
    window = 199_999
    first = -(-window * percent // 100)  # the smallest whole number of tokens that is this share or more
    marks = Defaults(window, percent / 100, 1.0)
    below, at = judge(client, event("1", 1, first - 1), event("2", 2, first), defaults=marks)
    assert below.verdict == "continue"
    assert at.verdict == ("end_turn" if percent == 100 else "prepare")


def test_the_largest_numbers_are_exact(client: redis.Redis):
    most = UsageTokens(MAX_TOKENS, MAX_TOKENS, MAX_TOKENS, MAX_TOKENS)
    huge = UsageEvent("1", "s", "a", 2**31 - 1, MAX_TOKENS, most, MAX_TOKENS)
    (answer,) = judge(client, huge)
    assert (answer.used_tokens, answer.window_tokens, answer.share) == (4 * MAX_TOKENS, MAX_TOKENS, 4.0)
    below, at = judge(
        client,
        event("1", 1, 349_999_999, session="b", window=MAX_TOKENS),
        event("2", 2, 350_000_000, session="b", window=MAX_TOKENS),
    )
    assert (below.verdict, at.verdict) == ("continue", "prepare")
    assert gauge(client, "s") == (2**31 - 1, 4 * MAX_TOKENS, MAX_TOKENS, 2)


def test_cached_tokens_count(client: redis.Redis):
    (answer,) = judge(client, UsageEvent("1", "s", "a", 1, None, UsageTokens(2, 130_000, 9_998, 0)))
    assert (answer.used_tokens, answer.verdict) == (140_000, "prepare")
    (reading,) = queued(client)
    assert (reading.gauge_tokens, reading.cache_read_input_tokens, reading.used_tokens) == (None, 130_000, 140_000)
    assert (reading.share, reading.verdict) == (0.7, "prepare")


def test_the_same_event_five_times_moves_everything_once(client: redis.Redis):
    found = judge(client, *[event("1", 1, 150_000)] * 3)
    found += judge(client, event("1", 1, 150_000)) + judge(client, event("1", 1, 150_000))
    assert [answer.duplicate for answer in found] == [False, True, True, True, True]
    assert [answer.crossed for answer in found] == [Crossing.THRESHOLD, None, None, None, None]
    assert {answer.verdict for answer in found} == {"prepare"}
    assert len(queued(client)) == 1


def test_a_duplicate_with_other_numbers_is_still_a_duplicate(client: redis.Redis):
    judge(client, event("1", 1, 10))
    (answer,) = judge(client, event("1", 9, 199_000))
    assert (answer.duplicate, answer.verdict) == (True, "continue")
    assert gauge(client, "s") == (1, 10, 0, 0)


def test_event_ids_are_a_sessions_own(client: redis.Redis):
    found = judge(
        client, event("1", 1, 1, session="x"), event("1", 1, 1, session="y"), event("g", 2, 1), event("m", 3, 1)
    )
    assert not any(answer.duplicate for answer in found)


def test_straight_past_the_backstop_is_one_crossing_and_no_threshold_follows(client: redis.Redis):
    found = judge(client, event("1", 1, 190_000), event("2", 2, 145_000), event("3", 3, 199_000), event("4", 4, 10))
    assert [answer.crossed for answer in found] == [Crossing.BACKSTOP, None, None, None]
    assert [answer.verdict for answer in found] == ["end_turn", "prepare", "end_turn", "prepare"]
    assert pending(client) == ["s"]


def test_a_crossing_taken_does_not_come_back(client: redis.Redis):
    gauges = RedisGauges(client)
    judge(client, event("1", 1, 145_000), event("1", 1, 145_000, session="t"))
    assert gauges.pending_crossings(older_than_seconds=60, limit=10) == []
    assert sorted(gauges.pending_crossings(older_than_seconds=0, limit=10)) == ["s", "t"]
    assert len(gauges.pending_crossings(older_than_seconds=0, limit=1)) == 1
    gauges.crossing_taken("s")
    judge(client, event("2", 2, 150_000), event("3", 3, 190_000))  # the backstop, after the threshold was taken
    assert gauges.pending_crossings(older_than_seconds=0, limit=10) == ["t"]


def test_a_late_event_is_queued_and_answered_with_the_current_verdict(client: redis.Redis):
    judge(client, event("5", 5, 190_000))
    (late,) = judge(client, event("4", 4, 1_000))
    assert (late.verdict, late.used_tokens, late.crossed, late.duplicate) == ("end_turn", 1_000, None, False)
    assert gauge(client, "s") == (5, 190_000, 0, 2)
    assert [reading.event_id for reading in queued(client)] == ["5", "4"]


def test_a_late_event_past_a_mark_crosses_it(client: redis.Redis):
    """Else the same events would end differently in another order: the session did cross."""
    judge(client, event("5", 5, 1_000))
    (late,) = judge(client, event("4", 4, 150_000))
    assert (late.verdict, late.crossed) == ("prepare", Crossing.THRESHOLD)
    assert gauge(client, "s") == (5, 1_000, 0, 1)


def test_declared_marks_hold_over_the_defaults_and_a_changed_window_is_judged_on_the_next_event(client: redis.Redis):
    declare(client, 1_000_000, 0.5, 0.6)
    first, second = judge(client, event("1", 1, 499_999), event("2", 2, 500_000, session="other"))
    assert (first.verdict, first.window_tokens) == ("continue", 1_000_000)
    assert (second.verdict, second.window_tokens) == ("end_turn", 200_000)
    declare(client, 500_000, 0.5, 0.6)
    (same,) = judge(client, event("3", 3, 300_000))
    assert (same.verdict, same.crossed, same.window_tokens) == ("end_turn", Crossing.BACKSTOP, 500_000)


def test_a_window_named_by_the_event_holds_over_the_declared_one(client: redis.Redis):
    declare(client, 1_000_000, 0.7, 0.78)
    named, unnamed = judge(client, event("1", 1, 150_000, window=200_000), event("2", 2, 150_000))
    assert (named.verdict, named.window_tokens) == ("prepare", 200_000)
    assert (unnamed.verdict, unnamed.window_tokens, unnamed.share) == ("prepare", 1_000_000, 0.15)


def test_marks_without_a_window_leave_the_default_window(client: redis.Redis):
    declare(client, None, 0.1, 0.2)
    (answer,) = judge(client, event("1", 1, 20_000))
    assert (answer.verdict, answer.window_tokens) == ("prepare", 200_000)


def test_a_session_lives_its_ttl_from_its_last_event_without_an_expire_for_each(client: redis.Redis):
    key, marks = KEYS.session("s"), Defaults(session_ttl_seconds=600)
    judge(client, event("1", 1, 1), defaults=marks)
    assert 636 <= client.ttl(key) <= 638
    client.expire(key, 605)
    judge(client, event("2", 2, 1), defaults=marks)
    assert client.ttl(key) <= 605  # set moments ago: left alone
    seq, used, named, level, set_at = struct.unpack("<dddBd", client.hget(key, "g"))
    client.hset(key, "g", struct.pack("<dddBd", seq, used, named, level, set_at - 38))
    judge(client, event("3", 3, 1), defaults=marks)
    assert 636 <= client.ttl(key) <= 638


def test_the_library_is_loaded_when_the_server_does_not_know_it(client: redis.Redis):
    client.function_flush()
    judge(client, event("1", 1, 1))
    client.function_flush()
    declare(client, 1_000, 0.7, 0.78)
    assert [library[b"library_name"] for library in map(pairs, client.function_list())] == [
        f"carryforward_{functions.VERSION}".encode()
    ]


def pairs(flat: object) -> dict[bytes, object]:
    return flat if isinstance(flat, dict) else dict(zip(flat[::2], flat[1::2], strict=True))  # type: ignore[index]


# Any order, any repetition, any grouping, several clients: one state.


def final_state(events: list[UsageEvent]) -> tuple[int, int, int, int]:
    seq, used, named = max((e.seq, e.used_tokens, e.window_tokens or 0) for e in events)
    shares = [e.used_tokens * 100 - m * (e.window_tokens or 200_000) for m in (70, 78) for e in events]
    half = len(events)
    return seq, used, named, 2 if max(shares[half:]) >= 0 else 1 if max(shares[:half]) >= 0 else 0


usage_events = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from([0, 1_000, 139_999, 140_000, 155_999, 156_000, 199_000]),
        st.sampled_from([None, None, 200_000, 180_000]),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=usage_events, data=st.data())
def test_any_shuffle_and_repetition_ends_in_the_same_state(client: redis.Redis, server: RedisServer, rows, data):
    session = uuid.uuid4().hex
    events = [event(f"e{n}", seq, used, session=session, window=w) for n, (seq, used, w) in enumerate(rows)]
    repeated = events + data.draw(st.lists(st.sampled_from(events), max_size=8))
    delivered = data.draw(st.permutations(repeated))
    answers = []
    with redis.Redis.from_url(server.url) as other:
        while delivered:
            size = data.draw(st.integers(1, len(delivered)))
            answers += judge(data.draw(st.sampled_from([client, other])), *delivered[:size])
            delivered = delivered[size:]

    assert gauge(client, session) == final_state(events)
    level = final_state(events)[3]
    crossed = [answer.crossed for answer in answers if answer.crossed]
    assert (
        crossed in ([[]], [[Crossing.THRESHOLD]], [[Crossing.BACKSTOP], [Crossing.THRESHOLD, Crossing.BACKSTOP]])[level]
    )
    assert (session in pending(client)) == (level > 0)
    assert Counter(r.event_id for r in queued(client) if r.session_id == session) == Counter(e.event_id for e in events)
    assert sum(answer.duplicate for answer in answers) == len(repeated) - len(events)
    assert judge(client, events[0])[0].duplicate


def test_four_clients_at_once_record_each_crossing_once(client: redis.Redis, server: RedisServer):
    sessions = [f"s{n}" for n in range(40)]
    events = [event(f"e{seq}", seq, seq * 10_000, session=s) for s in sessions for seq in range(20)]
    crossed: list[tuple[str, Crossing]] = []

    def deliver(seed: int) -> None:
        mine = events * 2
        random.Random(seed).shuffle(mine)
        with connect(server.url) as own:
            for start in range(0, len(mine), 25):
                group = mine[start : start + 25]
                for sent, answer in zip(group, judge(own, *group), strict=True):
                    if answer.crossed:
                        crossed.append((sent.session_id, answer.crossed))

    threads = [threading.Thread(target=deliver, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = Counter(crossed)
    assert set(times.values()) == {1}
    assert {session for session, which in times if which == Crossing.BACKSTOP} == set(sessions)
    assert sorted(pending(client)) == sorted(sessions)
    assert len(queued(client)) == len(events)
    assert {gauge(client, session) for session in sessions} == {(19, 190_000, 0, 2)}
