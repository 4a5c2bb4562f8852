"""The nouns of a question: units, the board of one side, the combat of two.

All are frozen, hashable and validated where they are made, in Python as well as from JSON; inside
the house their contents are trusted. The fields are those of the JSON shape.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, cast

import msgspec
from msgspec.structs import force_setattr

from rules.checks import MAX_NUMBER, check_name, flag, number, sequence, whole
from rules.editions import CANONICAL, edition
from rules.errors import BadRequest, described, did_you_mean, no_unit, shown
from rules.readings import Readings
from rules.replacements import parse_replacement

Side = Literal["attacker", "defender"]
Role = Literal["attackers", "defenders"]
Keyword = Literal["tank", "backline"]
Assignment = tuple[int, ...]
"""Raw points, one number per unit in the order of the board."""

SIDES: Final[tuple[Side, Side]] = ("attacker", "defender")
MAX_UNITS: Final = 1000
MAX_REPLACEMENTS: Final = 64


class Unit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One unit as it stands at the battlefield. Only `might` must be given.

    `name` is empty until a board gives it one; `might` is printed Might with all that changes it
    but Assault and Shield; `marked` is damage marked on it before this step; `replacements` are the
    effects on damage it would take, in the order in which they are applied.
    """

    name: str = ""
    might: int
    marked: int = 0
    tank: bool = False
    backline: bool = False
    replacements: tuple[str, ...] = ()
    undamageable: bool = False
    assault: int = 0
    shield: int = 0
    stunned: bool = False
    no_combat_damage: bool = False

    def __post_init__(self) -> None:
        # All at once where everything is as it should be; one by one to say what is not.
        if not (
            type(self.tank) is type(self.backline) is type(self.undamageable) is bool
            and type(self.stunned) is type(self.no_combat_damage) is bool
            and type(self.might) is type(self.marked) is type(self.assault) is int
            and type(self.shield) is int
            and -MAX_NUMBER <= self.might <= MAX_NUMBER
            and 0 <= self.marked <= MAX_NUMBER
            and 0 <= self.assault <= MAX_NUMBER
            and 0 <= self.shield <= MAX_NUMBER
        ):
            self._check_fields()
        if self.name != "":
            check_name(self.name)
        if self.replacements != ():
            self._check_replacements()

    def _check_fields(self) -> None:
        number(self.might, "$.might", least=-MAX_NUMBER)
        for amount in ("marked", "assault", "shield"):
            number(getattr(self, amount), f"$.{amount}")
        for word in ("tank", "backline", "undamageable", "stunned", "no_combat_damage"):
            flag(getattr(self, word), f"$.{word}")

    def _check_replacements(self) -> None:
        steps = sequence(self.replacements, "$.replacements")
        if len(steps) > MAX_REPLACEMENTS:
            raise BadRequest(
                f"at most {MAX_REPLACEMENTS} replacements a unit, not {len(steps)}",
                "$.replacements",
                "limit",
            )
        tidy = []
        for i, step in enumerate(steps):
            where = f"$.replacements[{i}]"
            if type(step) is not str:
                raise BadRequest(f"expected a text, not {shown(step)}", where)
            try:
                value = parse_replacement(step)
            except BadRequest as fault:
                raise fault.under(where) from None
            tidy.append(f"prevent {value}" if isinstance(value, int) else step)
        force_setattr(self, "replacements", tuple(tidy))


def units_in(value: object, where: str) -> tuple[Unit, ...]:
    """The value as units if it is a list of them. Raises `BadRequest` if not."""
    units = sequence(value, where)
    if len(units) > MAX_UNITS:
        raise BadRequest(f"at most {MAX_UNITS} units a side, not {len(units)}", where, "limit")
    for i, unit in enumerate(units):
        if type(unit) is not Unit:
            raise BadRequest(f"expected a unit, not {described(unit)}", f"{where}[{i}]")
    return cast(tuple[Unit, ...], units)


class Assigner(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds for the player who assigns: keywords they ignore, and any damage being lethal."""

    ignores: tuple[Keyword, ...] = ()
    any_damage_is_lethal: bool = False

    def __post_init__(self) -> None:
        given = sequence(self.ignores, "$.ignores")
        for i, keyword in enumerate(given):
            if keyword not in ("tank", "backline"):
                hint = did_you_mean(keyword, ("tank", "backline"))
                raise BadRequest(
                    f"tank or backline can be ignored, not {shown(keyword)}{hint}",
                    f"$.ignores[{i}]",
                )
        force_setattr(self, "ignores", tuple(k for k in ("tank", "backline") if k in given))
        flag(self.any_damage_is_lethal, "$.any_damage_is_lethal")


class Board(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, cache_hash=True):
    """One side's question: a pool of points and the enemy units it is assigned among.

    Units without a name are named by position: A, B, … Z, AA, ….
    """

    pool: int
    units: tuple[Unit, ...]
    units_are: Role = "defenders"
    assigner: Assigner = Assigner()
    edition: str = CANONICAL
    readings: Readings = Readings()

    def __post_init__(self) -> None:
        number(self.pool, "$.pool")
        units = units_in(self.units, "$.units")
        names = [unit.name for unit in units]
        if "" in names:
            units = named_units(units, map(letters, range(len(units))))
        if "" in names or len(set(names)) < len(names):
            check_distinct({"$.units": units})
        force_setattr(self, "units", units)
        if self.units_are not in ("attackers", "defenders"):
            raise BadRequest(
                f"the units are attackers or defenders, not {shown(self.units_are)}", "$.units_are"
            )
        _check_shared(self)

    @property
    def names(self) -> tuple[str, ...]:
        """The units' names in order."""
        return tuple(u.name for u in self.units)

    def __str__(self) -> str:
        from rules.notation import write

        return write(self)


class Arrivals(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Units that arrive after the combat cleanup, by side [466.3.d.1]."""

    attackers: tuple[Unit, ...] = ()
    defenders: tuple[Unit, ...] = ()

    def __post_init__(self) -> None:
        for role in ("attackers", "defenders"):
            force_setattr(self, role, units_in(getattr(self, role), f"$.{role}"))


class Combat(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, cache_hash=True
):
    """Both sides of a combat. Units without a name are A1, A2, … and D1, D2, … by position.

    `control` says who controls the battlefield before (None: nobody), `scored_this_turn` which
    sides have scored it this turn. `attacker_assigns` and `defender_assigns` are the assignments
    chosen, if they are: points in the order of the other side's units.
    """

    attackers: tuple[Unit, ...]
    defenders: tuple[Unit, ...]
    attacker: Assigner = Assigner()
    defender: Assigner = Assigner()
    control: Literal["attacker", "defender", "none"] | None = "defender"
    scored_this_turn: tuple[Side, ...] = ()
    arrivals: Arrivals = Arrivals()
    edition: str = CANONICAL
    readings: Readings = Readings()
    attacker_assigns: tuple[int, ...] | dict[str, int] | None = None
    defender_assigns: tuple[int, ...] | dict[str, int] | None = None

    def __post_init__(self) -> None:
        self._name_units()
        for side in SIDES:
            if not isinstance(getattr(self, side), Assigner):
                raise BadRequest("expected an assigner", f"$.{side}")
        if self.control not in (*SIDES, "none", None):
            hint = did_you_mean(self.control, (*SIDES, "none"))
            raise BadRequest(
                f"control is attacker, defender or none, not {shown(self.control)}{hint}",
                "$.control",
            )
        if self.control == "none":
            force_setattr(self, "control", None)
        scored = sequence(self.scored_this_turn, "$.scored_this_turn")
        for i, side in enumerate(scored):
            if side not in SIDES:
                raise BadRequest(
                    f"a side is attacker or defender, not {shown(side)}",
                    f"$.scored_this_turn[{i}]",
                )
        force_setattr(self, "scored_this_turn", tuple(s for s in SIDES if s in scored))
        _check_shared(self)
        for field, units in (("attacker_assigns", self.defenders),
                             ("defender_assigns", self.attackers)):  # fmt: skip
            given = getattr(self, field)
            if given is not None:
                force_setattr(self, field, read_assignment(units, given, f"$.{field}"))

    def _name_units(self) -> None:
        """Give every unit of both sides its name; late arrivals count on where their side ends."""
        if not isinstance(self.arrivals, Arrivals):
            raise BadRequest("expected arrivals by side", "$.arrivals")
        named: dict[str, tuple[Unit, ...]] = {}
        for role, initial in (("attackers", "A"), ("defenders", "D")):
            units = units_in(getattr(self, role), f"$.{role}")
            late = getattr(self.arrivals, role)
            numbers = (f"{initial}{i}" for i in range(1, len(units) + len(late) + 1))
            named[f"$.{role}"] = named_units(units, numbers)
            named[f"$.arrivals.{role}"] = named_units(late, numbers)
        check_distinct(named)
        force_setattr(self, "attackers", named["$.attackers"])
        force_setattr(self, "defenders", named["$.defenders"])
        late_units = {role: named[f"$.arrivals.{role}"] for role in ("attackers", "defenders")}
        force_setattr(self, "arrivals", Arrivals(**late_units))

    def __str__(self) -> str:
        from rules.notation import write

        return write(self)


def check_board(question: object) -> None:
    """Raise `BadRequest` unless this is a board."""
    if not isinstance(question, Board):
        given = "a combat" if isinstance(question, Combat) else described(question)
        raise BadRequest(f"expected a board, not {given}; rules.parse makes one of a text")


def check_combat(question: object) -> None:
    """Raise `BadRequest` unless this is a combat."""
    if not isinstance(question, Combat):
        given = "a board" if isinstance(question, Board) else described(question)
        raise BadRequest(f"expected a combat, not {given}; rules.parse makes one of a text")


def letters(index: int) -> str:
    """The name of the unit at that position on a board: A, B, … Z, AA, AB, …."""
    if index < len(string.ascii_uppercase):
        return string.ascii_uppercase[index]
    name = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        name = string.ascii_uppercase[letter] + name
    return name


def check_distinct(groups: Mapping[str, Sequence[Unit]]) -> None:
    """Raise `BadRequest` where two units share a name; `groups` maps a path to its units."""
    names = [unit.name for units in groups.values() for unit in units]
    if len(set(names)) == len(names):
        return
    seen: dict[str, str] = {}
    for where, units in groups.items():
        for i, unit in enumerate(units):
            path = f"{where}[{i}].name"
            if unit.name in seen:
                raise BadRequest(
                    f"the name {shown(unit.name)} is also {seen[unit.name]}; names are unique "
                    "(a unit without one is named by its position)",
                    path,
                )
            seen[unit.name] = path


def read_assignment(units: Sequence[Unit], given: object, where: str) -> Assignment:
    """Points in unit order, from a list in that order or an object of name to points.

    Raises `BadRequest` for points that are no whole number or negative, for a list of another
    length and for unknown names; units left out of an object get 0.
    """
    if type(given) in (list, tuple) and len(given) == len(units):  # type: ignore[arg-type]
        plain = tuple(cast(Sequence[int], given))
        if set(map(type, plain)) == {int} and min(plain) >= 0 and max(plain) <= MAX_NUMBER:
            return plain
    if isinstance(given, Mapping):
        position = {u.name: i for i, u in enumerate(units)}
        by_name = [0] * len(units)
        for name, value in given.items():
            if name not in position:
                raise BadRequest(no_unit(name, position), f"{where}.{shown(name)}")
            by_name[position[name]] = number(whole(value), f"{where}.{name}")
        return tuple(by_name)
    if isinstance(given, (str, bytes)) or not hasattr(given, "__getitem__"):
        raise BadRequest("an assignment is a list of points or an object of name to points", where)
    points = sequence(given, where)
    if len(points) != len(units):
        raise BadRequest(
            f"{_many(len(points), 'amount')} for {_many(len(units), 'unit')}; one for each", where
        )
    return tuple(number(whole(v), f"{where}[{i}]") for i, v in enumerate(points))


def read_names(units: Sequence[Unit], given: object, where: str) -> tuple[str, ...]:
    """Names of units that are there, in their order on the board, each once."""
    names = sequence(given, where)
    known = [u.name for u in units]
    for i, name in enumerate(names):
        if name not in known:
            raise BadRequest(no_unit(name, known), f"{where}[{i}]")
    return tuple(name for name in known if name in names)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def named_units(units: Iterable[Unit], names: Iterator[str]) -> tuple[Unit, ...]:
    """The units, those without a name given the next of `names` at their place."""
    result = []
    for unit, name in zip(units, names, strict=False):
        if not unit.name:
            unit = unit.__copy__()  # type: ignore[attr-defined]
            force_setattr(unit, "name", name)
        result.append(unit)
    return tuple(result)


def _check_shared(question: Board | Combat) -> None:
    if not isinstance(question.readings, Readings):
        raise BadRequest("expected readings", "$.readings")
    if isinstance(question, Board) and not isinstance(question.assigner, Assigner):
        raise BadRequest("expected an assigner", "$.assigner")
    check_edition(question.edition, "$.edition")


def check_edition(key: str, where: str) -> None:
    """Raise `BadRequest` (`unknown_edition`) unless there is such an edition."""
    try:
        edition(key)
    except BadRequest as fault:
        raise fault.under(where) from None
