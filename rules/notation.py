"""The one-line notation: `5 into 3 3 3 3` to a board, `5A2 3Z vs Caitlyn:3B` to a combat, and back.

    unit  = [name ":"] might flag*      might = "-"? digits
    flag  = "/" digits | "T" | "B" | "P" (digits | "all" | "*") | "x2" | "!"
          | ("A" | "S") digits? | "Z" | "N"

Longest match, upper case except `x2` and `all`; `P` and `x2` act in the order written. Options may
stand anywhere between the tokens: `--ignore tank`, `--edition 460`, ….
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from rules.board import MAX_REPLACEMENTS, Arrivals, Assigner, Board, Combat, Unit, letters
from rules.editions import CANONICAL
from rules.errors import BadRequest, did_you_mean, shown
from rules.readings import DEFAULTS, SWITCHES, Readings

Question = Board | Combat

_MIGHT = re.compile(r"-?[0-9]+")
_FLAG = re.compile(
    r"/(?P<marked>[0-9]+)|(?P<word>[TB!ZN])|P(?P<prevent>[0-9]+|all|\*)|(?P<double>x2)"
    r"|(?P<bonus>[AS])(?P<by>[0-9]*)"
)
_NEARLY = re.compile(
    r"(?P<Pall>(?:p(?:revents?)?[-_]?)?(?:all|\*)|p(?:revents?)?[-_]?al?(?![a-z0-9]))"
    r"|(?P<P>prevents?)|(?P<x2>doubled?)|(?P<T>tank)|(?P<B>backline)|(?P<A>assault)|(?P<S>shield)"
    r"|(?P<Z>stun(?:ned)?)|(?P<other>x[0-9]*|[a-z])",
    re.IGNORECASE,
)
"""What people write for flags, in groups named as the flags are spelled."""
_WORDS: Final = {
    "T": "tank",
    "B": "backline",
    "!": "undamageable",
    "Z": "stunned",
    "N": "no_combat_damage",
}
_BONUS: Final = {"A": "assault", "S": "shield"}
_DIGITS: Final = 19
_FEW: Final = 2
"""Up to so many flags, a token behind a unit is taken for flags of it rather than for a name."""
_WORDS_OF_NAME: Final = 5
_UNIT: Final = 'a unit is [NAME:]MIGHT and flags, like "3", "Caitlyn:3TB", "4/1" or "2x2P2"'

_MEANT: Final = {
    **dict.fromkeys(("into", "in", "to", "->", "=>"), "into"),
    **dict.fromkeys(("vs", "vs.", "v", "v.", "versus", "against"), "vs"),
}
"""What people write between pool and units or between two sides, and what it means."""

BOARD_OPTIONS: Final = ("ignore", "any_damage_is_lethal", "units_are")
COMBAT_OPTIONS: Final = (
    "attacker_ignore",
    "defender_ignore",
    "attacker_any_damage_is_lethal",
    "defender_any_damage_is_lethal",
    "control",
    "scored",
)
SHARED_OPTIONS: Final = ("edition", "reading")
OPTIONS: Final = (*BOARD_OPTIONS, *COMBAT_OPTIONS, *SHARED_OPTIONS)
_SWITCHES: Final = {option for option in OPTIONS if option.endswith("any_damage_is_lethal")}
_REPEATED: Final = {
    option for option in OPTIONS if option.endswith(("ignore", "scored", "reading"))
}


def _spelled(option: str) -> str:
    return "--" + option.replace("_", "-")


def parse(text: str | Sequence[str]) -> Question:
    """The board or the combat that the notation means, its options included.

    `text` is one line, in which a name with blanks stands in double quotes, or the tokens of one.
    Raises `BadRequest` with the nearest right spelling where there is one.

    >>> parse("3 into Sentinel:3T Volunteer:2").units[0].tank
    True
    """
    tokens, options = _options(_split(text) if isinstance(text, str) else _tokens(text))
    return apply_options(_question(tokens), options)


def parse_unit(token: str) -> Unit:
    """The unit that one token means. Raises `BadRequest` with the nearest right spelling."""
    try:
        return _unit(token)
    except BadRequest as fault:
        raise _hinted(fault, _spellings(token)) from None


def write(question: Question) -> str:
    """The question in notation, so that `parse(write(q)) == q` and any shell can quote it.

    Raises `BadRequest` for what notation cannot express: a name with a colon, a double quote or the
    looks of an option, chosen assignments, and arrivals.
    """
    options = " ".join(_written_options(question))
    if isinstance(question, Board):
        line = f"{question.pool} into {write_units(question.units, map(letters, _positions()))}"
    else:
        attackers = write_units(question.attackers, (f"A{i + 1}" for i in _positions()))
        defenders = write_units(question.defenders, (f"D{i + 1}" for i in _positions()))
        line = f"{attackers} vs {defenders}"
    return f"{line.strip()} {options}".strip()


def write_units(units: Iterable[Unit], unnamed: Iterable[str] = ()) -> str:
    """The units in notation; `unnamed` are the names that need not be written, by position."""
    return " ".join(write_unit(u, name) for u, name in zip(units, unnamed, strict=False))


def write_unit(unit: Unit, unnamed: str = "") -> str:
    """One unit in notation, without its name where that is `unnamed`."""
    name = ""
    if unit.name not in ("", unnamed):
        if not is_writable(unit.name):
            raise BadRequest(f"the name {shown(unit.name)} cannot be written in notation")
        name = f"{unit.name}:"
    text = f"{name}{unit.might}"
    if unit.marked:
        text += f"/{unit.marked}"
    text += "T" * unit.tank + "B" * unit.backline
    for step in unit.replacements:
        text += "x2" if step == "double" else "P" + step.removeprefix("prevent ")
    for flag, value in (("A", unit.assault), ("S", unit.shield)):
        if value:
            text += flag if value == 1 else f"{flag}{value}"
    text += "Z" * unit.stunned + "N" * unit.no_combat_damage + "!" * unit.undamageable
    return f'"{text}"' if " " in text else text


def is_writable(name: str) -> bool:
    """Can the name of a unit be written in notation?"""
    return not set(':"') & set(name) and not is_option(f"{name}:")


def apply_options(question: Question, options: Mapping[str, Any]) -> Question:
    """The question with options of the notation put on it.

    `options` maps names of `OPTIONS` to values: lists for those that may be repeated, True for
    those without a value. Raises `BadRequest` for an option that the question does not have.
    """
    given = {name: value for name, value in options.items() if value}
    alien = COMBAT_OPTIONS if isinstance(question, Board) else BOARD_OPTIONS
    for name in given:
        if name in alien:
            kind = "a combat" if isinstance(question, Board) else "a board (one side's question)"
            raise BadRequest(f"{_spelled(name)} is for {kind}, and this is none")
    changes: dict[str, Any] = {}
    if isinstance(question, Board):
        changes["assigner"] = _assigner(question.assigner, given, "")
        if "units_are" in given:
            changes["units_are"] = given["units_are"]
    else:
        changes["attacker"] = _assigner(question.attacker, given, "attacker_")
        changes["defender"] = _assigner(question.defender, given, "defender_")
        if "control" in given:
            changes["control"] = given["control"]
        if "scored" in given:
            changes["scored_this_turn"] = (*question.scored_this_turn, *given["scored"])
    if "edition" in given:
        changes["edition"] = given["edition"]
    if "reading" in given:
        changes["readings"] = read_readings(given["reading"], question.readings)
    return replace(question, **changes) if given else question


def _assigner(assigner: Assigner, given: Mapping[str, Any], prefix: str) -> Assigner:
    ignored = given.get(f"{prefix}ignore", ())
    anyhow = given.get(f"{prefix}any_damage_is_lethal", False)
    try:
        return Assigner(
            ignores=(*assigner.ignores, *ignored),
            any_damage_is_lethal=assigner.any_damage_is_lethal or anyhow,
        )
    except BadRequest as fault:
        raise fault.under(f"$.{prefix.rstrip('_') or 'assigner'}") from None


def read_readings(given: Iterable[str], readings: Readings = DEFAULTS) -> Readings:
    """Readings with those changed that are written `NAME=VALUE`. Raises `BadRequest`."""
    changes: dict[str, str] = {}
    for text in given:
        switch, equals, value = text.partition("=")
        if switch not in SWITCHES:
            raise BadRequest(
                f"there is no reading {shown(switch)}; known are {', '.join(SWITCHES)}"
                f"{did_you_mean(switch, SWITCHES)}",
                "$.readings",
                "unknown_reading",
            )
        if not equals:
            values = " or ".join(f"{switch}={v}" for v in SWITCHES[switch])
            raise BadRequest(f"a reading is written {values}", "$.readings", "unknown_reading")
        if changes.setdefault(switch, value) != value:
            raise BadRequest(f"the reading {switch} is given twice", f"$.readings.{switch}")
    try:
        return replace(readings, **changes)
    except BadRequest as fault:
        raise fault.under("$.readings") from None


def _split(line: str) -> list[str]:
    """The tokens of a line: blanks part them except inside double quotes."""
    if line.count('"') % 2:
        raise BadRequest('a double quote (") is not closed')
    parts = re.findall(r'(?:"[^"]*"|[^\s"])+', line)
    return [part.replace('"', "") for part in parts]


def _tokens(given: object) -> list[str]:
    """The tokens as a list. Raises `BadRequest` where they are no list of texts."""
    wanted = 'notation is a text, like "5 into 3 3 3", or a list of its tokens'
    if not isinstance(given, Iterable) or isinstance(given, (bytes, Mapping)):
        raise BadRequest(f"{wanted}, not {shown(given)}")
    tokens = list(given)
    for token in tokens:
        if not isinstance(token, str):
            raise BadRequest(f"{wanted}; {shown(token)} is no text")
    return tokens


def _options(tokens: list[str]) -> tuple[list[str], dict[str, Any]]:
    """Options taken out of the tokens, wherever they stand."""
    rest: list[str] = []
    options: dict[str, Any] = {}
    remaining = iter(tokens)
    for token in remaining:
        if not is_option(token):
            rest.append(token)
            continue
        spelled, equals, value = token.partition("=")
        name = spelled[2:].replace("-", "_")
        if name not in OPTIONS or spelled != _spelled(name):
            raise unknown_option(spelled)
        if name in _SWITCHES:
            if equals:
                raise BadRequest(f"{spelled} takes no value")
            options[name] = True
            continue
        if not equals:
            value = next(remaining, "")
        if not value or value.startswith("--"):
            raise BadRequest(f"{spelled} needs a value")
        if name in _REPEATED:
            options.setdefault(name, []).append(value)
        else:
            options[name] = value
    return rest, options


def is_option(token: str) -> bool:
    """Is the token an option, well spelled or not, and no unit whose name begins like one?"""
    return re.match(r"-(-|[^\W\d])", token) is not None and ":" not in token.partition("=")[0]


def unknown_option(
    spelled: str, known: Iterable[str] = tuple(map(_spelled, OPTIONS))
) -> BadRequest:
    """The refusal of an option that does not exist, with the nearest that does."""
    return BadRequest(f"there is no option {shown(spelled)}{did_you_mean(spelled, known)}")


def _question(tokens: list[str]) -> Question:
    words = [token for token in tokens if token in ("into", "vs")]
    if words == ["into"]:
        left, right = _around("into", tokens)
        if len(left) != 1:
            raise BadRequest(
                f'one number, the pool, stands before "into", not {shown(" ".join(left))}', "$.pool"
            )
        return Board(pool=_pool(left[0]), units=_units(right, "$.units"))
    if words == ["vs"]:
        left, right = _around("vs", tokens)
        return Combat(attackers=_units(left, "$.attackers"), defenders=_units(right, "$.defenders"))
    if len(words) > 1:
        raise BadRequest(f'"{words[1]}" stands where a unit should; there is one "into" or "vs"')
    near = next((_MEANT[t.lower()] for t in tokens if t.lower() in _MEANT), None)
    hint = f'; did you mean "{near}"?' if near else ""
    raise BadRequest(
        'a board is written "5 into 3 3 3" (a pool, then units), '
        f'a combat "5 vs 3 3" (attackers, then defenders){hint}'
    )


def _around(word: str, tokens: list[str]) -> tuple[list[str], list[str]]:
    at = tokens.index(word)
    return tokens[:at], tokens[at + 1 :]


def _pool(token: str) -> int:
    if not _MIGHT.fullmatch(token):
        raise BadRequest(f"the pool is a whole number of points, not {shown(token)}", "$.pool")
    if token.startswith("-"):
        raise BadRequest(f"the pool cannot be negative, like {token}", "$.pool")
    return _integer(token, "$.pool")


def _units(tokens: list[str], where: str) -> tuple[Unit, ...]:
    units = []
    for i, token in enumerate(tokens):
        try:
            units.append(_unit(token))
        except BadRequest as fault:
            raise _hinted(fault, _spellings_among(tokens, i)).under(f"{where}[{i}]") from None
    return tuple(units)


def _hinted(fault: BadRequest, spellings: Iterable[str]) -> BadRequest:
    """The fault with the first of the right spellings, if it is about spelling."""
    if fault.code == "limit":
        return fault
    near = next(iter(spellings), None)
    hint = f'; did you mean "{near}"?' if near else ""
    return BadRequest(f"{fault.message}{hint}", fault.path)


def _is_unit(token: str) -> bool:
    try:
        _unit(token)
    except BadRequest:
        return False
    return True


def _spellings_among(tokens: list[str], i: int) -> Iterator[str]:
    """What a wrong token may have been meant for, its neighbours considered.

    `3T` for `3 T`, `3 3` for `3,3`, `Stone Sentinel:3T` for `Stone Sentinel 3T`.
    """
    parts = tokens[i].split(",")
    if all(map(_is_unit, parts)):
        yield " ".join(parts)
    if i > 0 and _is_unit(tokens[i - 1]) and not tokens[i][:1].isdigit():
        yield from filter(_is_unit, _with_flags(tokens[i - 1], tokens[i]))
    yield from _spellings(tokens[i])
    for end in range(i + 1, min(len(tokens), i + _WORDS_OF_NAME + 1)):
        name, last = " ".join(tokens[i:end]), tokens[end]
        near = f"{name} {last}" if ":" in last else f"{name.removesuffix(':')}:{last}"
        if _is_unit(near):
            yield near


def _with_flags(unit: str, flags: str) -> Iterator[str]:
    """The unit before a token with what that may have been meant to add to it."""
    tidy = _NEARLY.sub(_tidied, flags)
    for spelled in (flags, tidy, re.sub(r"x[0-9]*", "x2", tidy)):
        if len(re.sub(r"[0-9/]|all", "", spelled)) <= _FEW:
            yield unit + spelled


def _unit(token: str) -> Unit:
    if '"' in token:
        raise BadRequest(f"a name in notation has no double quote, unlike {shown(token)}", "$")
    name, colon, body = token.rpartition(":")
    if colon and (not name or ":" in name):
        raise BadRequest(f"a name in notation has no colon and is not empty: {shown(token)}", "$")
    might = _MIGHT.match(body)
    if might is None:
        raise BadRequest(f"{shown(token)} has no Might; {_UNIT}", "$")
    fields: dict[str, Any] = {"name": name, "might": _integer(might[0], "$.might")}
    if colon and not name.isprintable():
        raise BadRequest(f"a name has printable characters only, unlike {shown(name)}", "$.name")
    at = might.end()
    while at < len(body):
        flag = _FLAG.match(body, at)
        if flag is None:
            raise BadRequest(f"{shown(body[at:])} is no flag in {shown(token)}", "$")
        _take(flag, fields, token)
        at = flag.end()
    return Unit(**fields)


def _take(flag: re.Match[str], fields: dict[str, Any], token: str) -> None:
    """Put what one flag says into the fields of the unit."""
    if flag["marked"]:
        if "marked" in fields:
            raise BadRequest(f"marked damage is given twice in {shown(token)}", "$.marked")
        fields["marked"] = _integer(flag["marked"], "$.marked")
    elif flag["word"]:
        fields[_WORDS[flag["word"]]] = True
    elif flag["bonus"]:
        field = _BONUS[flag["bonus"]]
        by = _integer(flag["by"], f"$.{field}") if flag["by"] else 1
        fields[field] = fields.get(field, 0) + by
    else:
        value = flag["prevent"]
        step = "double" if flag["double"] else "prevent all"
        if value and value not in ("all", "*"):
            step = f"prevent {_integer(value, '$.replacements')}"
        steps = fields.setdefault("replacements", [])
        steps.append(step)
        if len(steps) > MAX_REPLACEMENTS:
            sentence = f"at most {MAX_REPLACEMENTS} replacements a unit"
            raise BadRequest(sentence, "$.replacements", "limit")


def _integer(digits: str, where: str) -> int:
    if len(digits.lstrip("-")) > _DIGITS:
        raise BadRequest("numbers are at most 10^18 in size", where, "limit")
    return int(digits)


def _tidied(flag: re.Match[str]) -> str:
    if flag.lastgroup != "other":
        return str(flag.lastgroup)
    return flag[0].lower() if flag[0][0] in "xX" else flag[0].upper()


def _spellings(token: str) -> Iterator[str]:
    """The right spellings of a wrong token, the nearest first."""
    yield from filter(_is_unit, _guesses(token))


def _guesses(token: str) -> Iterator[str]:
    name, colon, body = token.rpartition(":")
    body = body.replace("\N{MINUS SIGN}", "-").replace("\N{MULTIPLICATION SIGN}", "x")
    tidy = _NEARLY.sub(_tidied, body)
    prefix = name.replace(":", " ").strip() + colon if name else ""
    yield prefix + tidy
    yield prefix + re.sub(r"P(?![0-9a*])", "P1", tidy)
    yield prefix + re.sub(r"x[0-9]*", "x2", tidy)
    before_might = "TBZN!AS" if colon else "TBZN!"
    yield prefix + re.sub(rf"^([{before_might}]+)(-?[0-9]+)$", r"\2\1", tidy)
    yield re.sub(r"^(?!x[0-9])([^\W\d]+)(-?[0-9].*)$", r"\1:\2", token)
    right = _MIGHT.match(tidy)
    at = right.end() if right else 0
    while right and (flag := _FLAG.match(tidy, at)):
        at = flag.end()
    yield prefix + tidy[:at]


def _positions() -> Iterator[int]:
    index = 0
    while True:
        yield index
        index += 1


def _written_options(question: Question) -> Iterator[str]:
    if isinstance(question, Board):
        yield from _written_assigner(question.assigner, "")
        if question.units_are != "defenders":
            yield f"--units-are {question.units_are}"
    else:
        chosen = (question.attacker_assigns, question.defender_assigns)
        if question.arrivals != Arrivals() or chosen != (None, None):
            raise BadRequest("arrivals and assignments cannot be written in notation")
        yield from _written_assigner(question.attacker, "attacker-")
        yield from _written_assigner(question.defender, "defender-")
        if question.control != "defender":
            yield f"--control {question.control or 'none'}"
        yield from (f"--scored {side}" for side in question.scored_this_turn)
    if question.edition != CANONICAL:
        yield f"--edition {question.edition}"
    yield from (f"--reading {name}={value}" for name, value in question.readings.changed().items())


def _written_assigner(assigner: Assigner, prefix: str) -> Iterator[str]:
    yield from (f"--{prefix}ignore {keyword}" for keyword in assigner.ignores)
    if assigner.any_damage_is_lethal:
        yield f"--{prefix}any-damage-is-lethal"


__all__ = ["OPTIONS", "apply_options", "parse", "parse_unit", "write", "write_unit"]
