# ruff: noqa: RUF001
import pytest

from service.domain.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("The quick brown fox jumps over the lazy dog. " * 20, 180, 250),
        ("订单已经取消，请确认是否继续。" * 100, 1_300, 1_600),  # R18: not a quarter of its characters
        ("予約を変更しました。" * 100, 900, 1_100),
        ("Заказ отменён, подтвердите." * 100, 1_000, 1_700),
        ("🚢" * 100, 100, 100),
    ],
)
def test_about_as_many_as_a_tokenizer_would_count(text: str, low: int, high: int) -> None:
    assert low <= estimate_tokens(text) <= high
