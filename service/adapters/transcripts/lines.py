"""One stored line to one JSON object, whatever its bytes are."""

import json
import re

import orjson

from service.domain.skips import SkipReason

_LONG_NUMBER = re.compile(rb"[:,\[]\s*-?[0-9]{19}")
_SURROGATES = re.compile(
    r"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"  # an escaped backslash, a whole pair: kept
    r"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"  # half a pair
)
_BLANK = b" \t\r\n\x00"


def parse_object(line: bytes) -> dict[str, object] | SkipReason:
    """The line's JSON object, or the reason why it has none. Never raises.

    Every string of the object can be encoded as UTF-8: half surrogate pairs and bytes that are no UTF-8 become
    U+FFFD. Leading NUL bytes (a preallocated block after a crash) and a byte order mark are stripped.
    """
    line = line.lstrip(_BLANK).removeprefix(b"\xef\xbb\xbf")
    if not line.rstrip(_BLANK):
        return SkipReason.EMPTY
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            value = _parse_leniently(line)
        except (ValueError, RecursionError):
            return SkipReason.NOT_JSON
    else:
        # orjson turns integers beyond 64 bits into floats; ids must stay exact.
        if _LONG_NUMBER.search(line):
            value = _parse_again(line, value)
    return value if isinstance(value, dict) else SkipReason.NOT_AN_OBJECT


def _parse_leniently(line: bytes) -> object:
    """What orjson refuses and real files hold: NaN, half surrogate pairs, foreign bytes, control characters."""
    text = line.decode("utf-8", "replace")
    return json.loads(_SURROGATES.sub(lambda match: match[1] or "\\ufffd", text), strict=False)


def _parse_again(line: bytes, fallback: object) -> object:
    try:
        return _parse_leniently(line)
    except (ValueError, RecursionError):
        return fallback
