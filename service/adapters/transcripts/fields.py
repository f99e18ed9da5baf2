"""Reading single fields of foreign JSON objects, whatever type they turn out to have."""

from collections.abc import Mapping
from typing import TypeGuard

Object = Mapping[str, object]


def is_object(value: object) -> TypeGuard[Object]:
    return isinstance(value, dict)


def text_of(source: Object, key: str) -> str | None:
    """The field, if it is a string that says something."""
    value = source.get(key)
    return value if isinstance(value, str) and value else None


def object_of(source: Object, key: str) -> Object:
    value = source.get(key)
    return value if is_object(value) else {}


def strings_in(value: object) -> list[str]:
    """A string, a list of strings, or the `text` and `content` of a list of objects; the rest is passed over."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return []
    found: list[str] = []
    for item in value:
        if is_object(item):
            item = item.get("text", item.get("content"))
        if isinstance(item, str):
            found.append(item)
    return found
