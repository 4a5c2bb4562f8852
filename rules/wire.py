"""JSON and TOML in and out: bytes to plain data to the nouns, faults with their path."""

from __future__ import annotations

import copy
import json
import re
from functools import lru_cache
from itertools import count
from typing import Any, Final, TypeVar

import msgspec

from rules.board import Arrivals, Assigner, Board, Combat, Unit, letters, named_units
from rules.checks import check_name
from rules.errors import BadRequest, did_you_mean, shown
from rules.readings import read_readings
from rules.situation import Battlefield, Situation

Noun = TypeVar("Noun", bound=msgspec.Struct)


def decode_json(raw: bytes | str) -> Any:
    """Plain data from JSON.

    Raises `BadRequest` for anything that is not (`bad_json`), and for a key given twice.
    """
    data = parse_json(raw)
    refuse_repeated_keys(raw, data)
    return data


def parse_json(raw: bytes | str) -> Any:
    """Plain data from JSON, the last of keys given twice. Raises `BadRequest` (`bad_json`).

    Of a number beyond all bounds only that it is one is read; as an `id` it stays as it is written.
    """
    try:
        try:
            return msgspec.json.decode(raw)
        except msgspec.ValidationError:
            raw = raw.encode() if isinstance(raw, str) else raw
            data = msgspec.json.decode(_TEXT_OR_LONG_NUMBER.sub(_clamped, raw))
            if isinstance(data, dict) and "id" in data:
                data["id"] = _ID.decode(raw).id
            return data
    except RecursionError:
        raise BadRequest("the JSON is nested too deeply", "$", "bad_json") from None
    except UnicodeError:
        raise BadRequest("the JSON is not UTF-8 text", "$", "bad_json") from None
    except msgspec.ValidationError:
        raise BadRequest("numbers are at most 10^18 in size", "$", "limit") from None
    except msgspec.DecodeError as fault:
        reason = str(fault).removeprefix("JSON is malformed: ")
        raise BadRequest(f"this is not JSON: {reason.lower()}", "$", "bad_json") from None


_TEXT_OR_LONG_NUMBER = re.compile(
    rb'"(?:[^"\\]|\\.)*"|(?<![0-9.eE+])[0-9]{1000,}(?![0-9.eE])', re.DOTALL
)


def _clamped(found: re.Match[bytes]) -> bytes:
    """A text as it is; for a long number one that is refused for its size wherever it stands."""
    return found[0] if found[0].startswith(b'"') else (b"1" + b"0" * 20).ljust(len(found[0]))


class _Id(msgspec.Struct):
    """Of an object with an id its JSON."""

    id: msgspec.Raw


_ID: Final = msgspec.json.Decoder(_Id)


def _keys_on_top(data: object) -> int:
    """The keys of an object and of the objects in it, not deeper: quick, and mostly all."""
    if type(data) is not dict:
        return -1
    number = len(data)
    for value in data.values():
        if type(value) is list:
            for item in value:
                if type(item) is dict:
                    number += len(item)
        elif type(value) is dict:
            number += len(value)
    return number


def _keys(data: object) -> int:
    if type(data) is dict:
        return len(data) + sum(map(_keys, data.values()))
    if type(data) is list:
        return sum(map(_keys, data))
    return 0


class _Repeated:
    def __init__(self, key: str) -> None:
        self.key = key


def refuse_repeated_keys(raw: bytes | str, data: object) -> None:
    """Raise `BadRequest` where an object of the JSON has a key twice; `data` is what it means."""
    try:
        colons = raw.count(b":" if isinstance(raw, bytes) else ":")  # type: ignore[arg-type]
        # More colons than keys: a key given twice, or a colon inside a text.
        if _keys_on_top(data) != colons and _keys(data) != colons:
            _find_repeated_key(raw)
    except RecursionError:
        raise BadRequest("the JSON is nested too deeply", "$", "bad_json") from None


def _find_repeated_key(raw: bytes | str) -> None:
    def pairs(items: list[tuple[str, Any]]) -> Any:
        seen: dict[str, Any] = {}
        for key, value in items:
            if key in seen:
                return _Repeated(key)
            seen[key] = value
        return seen

    def look(data: object, path: str) -> None:
        if isinstance(data, _Repeated):
            raise BadRequest("this key is given twice", f"{path}.{shown(data.key)}")
        if isinstance(data, dict):
            for key, value in data.items():
                look(value, f"{path}.{key}")
        if isinstance(data, list):
            for i, value in enumerate(data):
                look(value, f"{path}[{i}]")

    look(json.loads(raw, object_pairs_hook=pairs, parse_int=len), "$")


class _Texts(msgspec.Struct):
    """Of an object with units the JSON of each."""

    units: list[msgspec.Raw]


_TEXTS: Final = msgspec.json.Decoder(_Texts)
_UNIT: Final = msgspec.json.Decoder(Unit)
_VALUE: Final = msgspec.json.Decoder()


def recognized(raw: bytes) -> dict[str, Any] | None:
    """An object of JSON with the units of a board as units, each text of one read only once.

    The lines of a stream speak of the same units again and again. None for what is read the usual
    way, because it has no such units or because something may be wrong with it.
    """
    try:
        texts = _TEXTS.decode(raw).units
        data: dict[str, Any] = _VALUE.decode(raw)
        if _keys_on_top(data) != raw.count(b":"):
            return None
        data["units"] = tuple(map(_unit, map(bytes, texts), count()))
    except (RecursionError, ValueError):
        return None
    return data


@lru_cache(maxsize=1 << 14)
def _unit(raw: bytes, place: int) -> Unit:
    """A unit of a board, named by its place if it has no name, from JSON without repeated keys."""
    unit = _UNIT.decode(raw)
    if unit.name == "" and (b"name" in raw or b"\\" in raw):
        raise BadRequest("a name is not empty")
    (named,) = named_units([unit], iter([letters(place)]))
    return named


def decode_text(raw: bytes) -> str:
    """Text from bytes. Raises `BadRequest` for anything that is not UTF-8."""
    try:
        return raw.decode()
    except UnicodeError:
        raise BadRequest("this is not UTF-8 text", "$", "bad_json") from None


def decode_toml(text: str) -> Any:
    """Plain data from TOML. Raises `BadRequest` for anything that is not."""
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as fault:
        if "integer string conversion" in str(fault):
            raise BadRequest("numbers are at most 10^18 in size", "$", "limit") from None
        reason = " ".join(str(fault).split())
        raise BadRequest(f"this is neither JSON nor TOML: {reason}", "$", "bad_json") from None


def read_board(data: object) -> Board:
    """A board from plain data of the JSON shape. Raises `BadRequest` with the path of a fault."""
    return _read(data, Board)


def read_combat(data: object) -> Combat:
    """A combat from plain data of the JSON shape. Raises `BadRequest` with the path of a fault."""
    return _read(data, Combat)


def read_situation(data: object) -> Situation:
    """A situation from plain data of the JSON shape. Raises `BadRequest` with a fault's path."""
    sites = data.get("battlefields") if isinstance(data, dict) else None
    for i, site in enumerate(sites if type(sites) is list else ()):
        for field, by_player in site.items() if type(site) is dict else ():
            _refuse_empty_names(by_player, f"$.battlefields[{i}].{field}")
    return _read(data, Situation)


def read(data: object) -> Board | Combat:
    """A combat where the data speaks of attackers or defenders, else a board."""
    if isinstance(data, dict) and ("attackers" in data or "defenders" in data):
        return read_combat(data)
    return read_board(data)


def plain(question: Board | Combat) -> dict[str, Any]:
    """The question as plain data of the JSON shape, every field spelled out."""
    data: dict[str, Any] = msgspec.to_builtins(question)
    return {k: v for k, v in data.items() if not (k.endswith("_assigns") and v is None)}


def _read(data: object, noun: type[Noun]) -> Noun:
    _refuse_empty_names(data, "$")
    if isinstance(data, dict):
        _refuse_empty_names(data.get("arrivals"), "$.arrivals")
    try:
        return msgspec.convert(data, noun)
    except msgspec.ValidationError as fault:
        raise _explained(fault, data, noun) from None


def _refuse_empty_names(data: object, where: str) -> None:
    """An empty name means "none" inside the house; from outside it is a fault like any other."""
    for field, value in data.items() if isinstance(data, dict) else ():
        for i, unit in enumerate(value if type(value) is list else ()):
            if type(unit) is dict and unit.get("name") == "":
                check_name("", f"{where}.{field}[{i}].name")


_FAULT = re.compile(r"(?P<what>.*?)(?: - at `(?P<path>.*)`)?", re.DOTALL)
_WORDS = {
    "int": "a whole number",
    "float": "a number with a fraction",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def _explained(
    fault: msgspec.ValidationError, data: object, noun: type[msgspec.Struct]
) -> BadRequest:
    """The decoder's complaint as our own: one sentence, the whole path, a hint."""
    match = _FAULT.fullmatch(str(fault))
    assert match is not None, "it matches every text"
    what, path = match["what"], match["path"] or "$"
    if "[...]" in path:
        path = _with_key(path, str(fault), data, noun)
    if isinstance(fault.__cause__, BadRequest):
        return fault.__cause__.under(path)
    if path.startswith("$.readings") and isinstance(data, dict):
        try:
            read_readings(data["readings"])
        except BadRequest as reading:
            return reading.under("$.readings")
    if "unknown field" in what:
        field = what.partition("`")[2].removesuffix("`")
        hint = did_you_mean(field, _fields(path, noun))
        return BadRequest(f"there is no field {shown(field)}{hint}", f"{path}.{shown(field)}")
    if "missing required field" in what:
        return BadRequest("this field is required", f"{path}.{what.split('`')[1]}")
    if what.startswith("Expected"):
        wanted, got = what.removeprefix("Expected ").split(", got ")
        return BadRequest(f"expected {_worded(wanted)}, not {_worded(got)}", path)
    if what.startswith("Invalid enum value"):
        return _invalid_choice(path, what.removeprefix("Invalid enum value "))
    return BadRequest(f"{what[:1].lower()}{what[1:]}", path)


def _with_key(path: str, complaint: str, data: object, noun: type[msgspec.Struct]) -> str:
    """The path with the key that the decoder left out: the one that is refused alone."""
    head = path.partition("[...]")[0]
    alone = {"$": data}
    holder: Any = alone
    for name, index in re.findall(r"([^.[\]]+)|\[(\d+)\]", head):
        # Only what is on the way is copied: the rest may be as deep as it likes.
        key = name or int(index)
        holder[key] = copy.copy(holder[key])
        holder = holder[key]
    for key, value in list(holder.items()):
        holder.clear()
        holder[key] = value
        try:
            msgspec.convert(alone["$"], noun)
        except msgspec.ValidationError as fault:
            if str(fault) == complaint:
                return path.replace("[...]", f".{shown(key)}")
    return path


def _worded(types: str) -> str:
    return " or ".join(_WORDS.get(t, t) for t in types.strip("`").split(" | "))


def _fields(path: str, noun: type[msgspec.Struct]) -> list[str]:
    places: list[tuple[str, type[msgspec.Struct]]] = [
        (r".*\.(units|attackers|defenders|arrives_\w+)\b.*\]", Unit),
        (r".*\.(assigner|attacker|defender|assigners\..*)", Assigner),
        (r"\$\.battlefields\[\d+\]", Battlefield),
        (r"\$\.arrivals", Arrivals),
    ]
    found = next((inner for place, inner in places if re.fullmatch(place, path)), noun)
    return [field.encode_name for field in msgspec.structs.fields(found)]


def _invalid_choice(path: str, value: str) -> BadRequest:
    choices = {
        "units_are": "the units are attackers or defenders",
        "ignores": "tank or backline can be ignored",
        "control": "control is attacker, defender or none",
        "scored_this_turn": "a side is attacker or defender",
    }
    inner = re.sub(r"\[[^]]*\]", "", path).rpartition(".")[2]
    return BadRequest(f"{choices[inner]}, not {value}", path)
