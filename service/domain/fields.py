"""What the name of a JSON field says about its values."""

import re
from functools import lru_cache

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_NAMES = """
    id ids uid uuid uuids guid key keys number numbers no ref refs reference references code codes sha hash digest url
    urls uri link links href slug path paths file files filename filenames folder directory email emails mail login
    username handle account ticket token isbn sku serial branch tag commit version
"""
_NAMES_A_THING = frozenset(_NAMES.split())

_NAMES_A_THING_AT_ITS_END = ("path", "url", "uri", "uuid", "filename", "email")


@lru_cache(maxsize=10_000)
def is_id_field(field: str) -> bool:
    """Whether values of a field of this name name things: order_id, formId, sha, html_url, item_ids ..."""
    words = field_words(field)
    return bool(words) and (words[-1] in _NAMES_A_THING or words[-1].endswith(_NAMES_A_THING_AT_ITS_END))


def field_words(field: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _PARTS.findall(field[:80]))
