"""The checks that every noun makes of its fields at the door."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from rules.errors import BadRequest, described, shown

MAX_NUMBER: Final = 10**18
MAX_NAME: Final = 100
MAX_TEXT: Final = 500


def number(value: object, where: str, *, least: int = 0) -> int:
    """The value if it is a whole number from `least` to 10^18. Raises `BadRequest` if not."""
    if type(value) is int and least <= value <= MAX_NUMBER:
        return value
    if type(value) is not int:
        raise BadRequest(f"expected a whole number, not {described(value)}", where)
    if value < least and least == 0 and value >= -MAX_NUMBER:
        raise BadRequest(f"expected 0 or more, not {value}", where)
    raise BadRequest("numbers are at most 10^18 in size", where, "limit")


def whole(value: object) -> object:
    """The value as an `int` where it is a whole number of another type, numpy's for one."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return value
    try:
        return operator.index(value)
    except TypeError:
        return value


def flag(value: object, where: str) -> bool:
    """The value if it is a Python bool. Raises `BadRequest` if not."""
    if value is True or value is False:
        return value
    raise BadRequest(f"expected true or false, not {described(value)}", where)


def sequence(value: object, where: str) -> tuple[Any, ...]:
    """The value as a tuple if it is a list of some kind. Raises `BadRequest` if not."""
    if type(value) is tuple:
        return value
    try:
        if not isinstance(value, (str, bytes, Mapping)):
            return tuple(cast(Iterable[Any], value))
    except TypeError:
        pass
    raise BadRequest(f"expected a list, not {described(value)}", where)


def check_name(name: object, where: str = "$.name") -> None:
    """Raise `BadRequest` unless this can be the name of a unit, a player or a battlefield."""
    name = check_text(name, where, "a name", MAX_NAME)
    if name.isdigit():
        raise BadRequest(f"a name is not only digits, like {shown(name)}", where)
    if name in ("into", "vs"):
        raise BadRequest(f'"{name}" cannot be a name, it is a word of the notation', where)


def check_text(text: object, where: str, noun: str, most: int = MAX_TEXT) -> str:
    """The text if it has 1 to `most` characters that can be printed on one line.

    Raises `BadRequest`, in which `noun` says what it is, if not.
    """
    if type(text) is not str:
        raise BadRequest(f"{noun} is a text, not {shown(text)}", where)
    if not 1 <= len(text) <= most:
        raise BadRequest(f"{noun} has 1 to {most} characters, not {len(text)}", where)
    if not text.isprintable():
        raise BadRequest(f"{noun} has printable characters only, unlike {shown(text)}", where)
    return text
