"""From the words of a command line to boards, combats and assignments."""

from __future__ import annotations

import re
import sys
from codecs import BOM_UTF8
from collections.abc import Collection, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from rules import notation, wire
from rules.board import Board, Unit
from rules.errors import BadRequest, shown
from rules.notation import Question
from rules.situation import Situation

_PAIR = re.compile(r".+=\s*[-+0-9.eE]+\s*")
_PATHS: Final = {
    "--assign": "$.assignment",
    "--attacker-assigns": "$.attacker_assigns",
    "--defender-assigns": "$.defender_assigns",
    "--give": "$.give",
}
"""Where the assignment of an option stands in JSON."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?")
_NOTATION = re.compile(r"\s*-?[0-9]+\s+into\b|[^={}]*\svs\s")


def read_question(tokens: Sequence[str], options: Collection[str]) -> Question:
    """The question of the arguments: one line, tokens, a file, or `-` for standard input.

    `options` are the spellings of the options that there are, to hint at for one that is not.
    """
    for token in tokens:
        spelled = token.partition("=")[0]
        if notation.is_option(token) and spelled in options:
            raise BadRequest(f'{spelled} stands after "--", where only the board does')
        if notation.is_option(token):
            raise notation.unknown_option(spelled, options)
    if not tokens:
        raise BadRequest('a board is missing; write one like "5 into 3 3 3 3"')
    if len(tokens) > 1:
        return notation.parse(tokens)
    if any(character.isspace() for character in tokens[0]):
        return notation.parse(tokens[0])
    return read_file(tokens[0])


def read_file(name: str) -> Question:
    """A question from a file of JSON, TOML or notation; `-` is standard input."""
    raw = _bytes(name, "no board, and no file")
    if not name.endswith((".json", ".toml")) and not _is_json(raw):
        text = wire.decode_text(raw)
        if _NOTATION.match(text):
            return notation.parse(text)
    return wire.read(_data(name, raw))


def read_situation(name: str) -> Situation:
    """A situation from a file of JSON or TOML; `-` is standard input."""
    return wire.read_situation(_data(name, _bytes(name, "no file")))


def _bytes(name: str, not_this: str) -> bytes:
    try:
        if name != "-":
            return Path(name).read_bytes().removeprefix(BOM_UTF8)
        if sys.stdin is None:
            raise BadRequest("standard input is closed")
        return sys.stdin.buffer.read().removeprefix(BOM_UTF8)
    except BadRequest:
        raise
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or "no such name"
        raise BadRequest(f"{shown(name)} is {not_this} that can be read: {reason}") from None


def _data(name: str, raw: bytes) -> Any:
    if name.endswith(".json") or (not name.endswith(".toml") and _is_json(raw)):
        return wire.decode_json(raw)
    return wire.decode_toml(wire.decode_text(raw))


def _is_json(raw: bytes) -> bool:
    return raw.lstrip()[:1] in (b"{", b"[")


def read_points(
    given: Sequence[str], option: str, units: Sequence[Unit]
) -> list[int] | dict[str, int]:
    """The assignment among the units that an option means: one list of points, or points by name.

    Raises `BadRequest` for what is neither, with the path that the assignment has in JSON.
    """
    where = _PATHS[option]
    if not given:
        raise BadRequest(f"{option} is missing: give the points, like {option} 2,1,1,1")
    if len(given) == 1 and "=" not in given[0]:
        return [_points(text, where) for text in given[0].split(",")] if given[0].strip() else []
    known = {unit.name for unit in units}
    points: dict[str, int] = {}
    for text in [pair for one in given for pair in _pairs(one, known, where)]:
        name, equals, value = text.rpartition("=")
        if not equals:
            raise BadRequest(
                f"{option} {shown(text)} is mixed with others: write NAME=POINTS in each"
            )
        if name in points:
            raise BadRequest(f"{option} gives {shown(name)} points twice")
        points[name] = _points(value, where)
    return points


def _pairs(text: str, known: Collection[str], where: str) -> list[str]:
    """The pairs of `A=3,B=2`, parted at the commas if every part is one.

    Raises `BadRequest` where a unit whose name has such a comma leaves it open what is meant.
    """
    pairs = re.split(r",\s*", text)
    if len(pairs) == 1 or not all(_PAIR.fullmatch(pair) for pair in pairs):
        return [text]
    if not any("," in name and name in text for name in known):
        return pairs
    if text.rpartition("=")[0] in known and not all(p.rpartition("=")[0] in known for p in pairs):
        return [text]
    raise BadRequest(
        f"{shown(text)} can be read in more than one way, since a name has a comma; "
        "give the unit a name without",
        where,
    )


def _points(text: str, where: str) -> int:
    tidy = text.strip()
    if not (tidy.removeprefix("-").isdecimal() and tidy.isascii()) or len(tidy) > 20:
        raise BadRequest(f"points are whole numbers, unlike {shown(tidy)}", where)
    return int(tidy)


def read_way(text: str, settings: Board) -> Board:
    """The settings with another edition, readings, or both: `460` or `460,undamageable=optional`.

    Raises `BadRequest` for what is neither, and for two editions.
    """
    words = text.split(",")
    if "" in words:
        raise BadRequest(
            f"{shown(text)} has an empty part; write an edition, readings or both, "
            "like 460,undamageable=optional"
        )
    readings = notation.read_readings([w for w in words if "=" in w], settings.readings)
    editions = [word for word in words if "=" not in word]
    if len(editions) > 1:
        raise BadRequest(f"{shown(text)} has more than one edition")
    return replace(settings, readings=readings, edition=(editions or [settings.edition])[0])


def read_worth(given: Sequence[str], units: Sequence[Unit]) -> dict[str, Fraction] | None:
    """What `--value NAME=NUMBER` says each unit is worth; None where it is not given."""
    known = {unit.name for unit in units}
    values: dict[str, Fraction] = {}
    for text in [pair for one in given for pair in _pairs(one, known, "$.value")]:
        name, equals, number = text.rpartition("=")
        if not equals or name in values:
            raise BadRequest(f"--value is NAME=NUMBER, once for each unit, not {shown(text)}")
        if not _NUMBER.fullmatch(number.strip()):
            raise BadRequest(f"a value is a number, not {shown(number)}", "$.value")
        values[name] = Fraction(number)
    return values or None
