"""The values of usage: what is used, and that no number leaves the range in which everything is exact."""

import pytest

from service.domain.gauge import MAX_SEQ, MAX_TOKENS, MILLION, UsageEvent, UsageTokens, parts_per_million


def event(gauge_tokens: int | None = None, usage: UsageTokens | None = None) -> UsageEvent:
    return UsageEvent("e", "s", "a", 1, gauge_tokens, usage)


def test_cached_tokens_count_and_the_larger_of_gauge_and_usage_is_used():
    usage = UsageTokens(2, 130_000, 9_000, 310)
    assert event(usage=usage).used_tokens == 139_312
    assert event(gauge_tokens=141_000, usage=usage).used_tokens == 141_000
    assert event(gauge_tokens=100, usage=usage).used_tokens == 139_312


def test_a_share_of_three_digits_is_exact_in_parts_per_million():
    assert [parts_per_million(n / 1000) for n in range(1, 1001)] == [n * 1000 for n in range(1, 1001)]


def test_the_largest_event_is_exact_in_a_sql_integer_and_in_a_double():
    assert 4 * MAX_TOKENS < 2**31
    assert 4 * MAX_TOKENS * MILLION < 2**53
    assert MAX_SEQ < 2**31


def test_an_event_is_a_value():
    assert event(1) == event(1)
    with pytest.raises(AttributeError):
        event(1).seq = 2  # type: ignore[misc]
