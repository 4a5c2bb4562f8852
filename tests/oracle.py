"""Damage assignment by brute force: an oracle that shares no code with the product.

It follows the written specification literally and slowly. Boards are plain dictionaries in the
JSON shape of the interface, fields may be absent, and every answer comes from trying everything:
all amounts of damage, all vectors of the right sum, all choices of tier for the dual units.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Board: TypeAlias = Mapping[str, Any]
Unit: TypeAlias = Mapping[str, Any]
Vector: TypeAlias = Sequence[int]
Need: TypeAlias = int | Literal["never", "exempt"]
Death: TypeAlias = int | Literal["never"]

TANK, PLAIN, BACKLINE = 0, 1, 2

DEFAULT_READINGS = {
    "undamageable": "skip",
    "only_undamageable": "assign",
    "prevent_all": "sink",
    "leftover": "any",
    "must_kill": "no",
    "already_lethal": "zero",
    "excess": "applied",
}

FOLDED_INTO_ASSIGNMENT: dict[str, tuple[str, ...]] = {
    "439": (),
    "443": (),
    "460": ("prevent",),
    "465": ("prevent", "double"),
    "467": ("prevent", "double"),
}


# --- what the board says ------------------------------------------------------------------------


def units_of(board: Board) -> Sequence[Unit]:
    """Return the enemy units in order."""
    units: Sequence[Unit] = board["units"]
    return units


def reading(board: Board, switch: str) -> str:
    """Return the value of a reading, its default where the board is silent."""
    return str(board.get("readings", {}).get(switch, DEFAULT_READINGS[switch]))


def any_damage_is_lethal(board: Board) -> bool:
    """Tell whether any damage the assigner deals is lethal."""
    return bool(board.get("assigner", {}).get("any_damage_is_lethal", False))


def position_name(position: int) -> str:
    """Return A, B, ..., Z, AA, ... for the positions 0, 1, ...."""
    before, letter = divmod(position, 26)
    return (position_name(before - 1) if before else "") + chr(ord("A") + letter)


def names(board: Board) -> list[str]:
    """Return the names of the enemy units in order."""
    return [unit.get("name", position_name(i)) for i, unit in enumerate(units_of(board))]


def current_might(unit: Unit, *, attacking: bool) -> int:
    """Return Might with the one of Assault and Shield that counts."""
    return int(unit["might"]) + int(unit.get("assault" if attacking else "shield", 0))


def contribution(unit: Unit, *, attacking: bool) -> int:
    """Return what a unit adds to the pool of its own side."""
    if unit.get("stunned", False) or unit.get("no_combat_damage", False):
        return 0
    return max(0, current_might(unit, attacking=attacking))


def might_on(board: Board, unit: Unit) -> int:
    """Return the current Might of an enemy unit."""
    return current_might(unit, attacking=board.get("units_are", "defenders") == "attackers")


# --- replacement effects, need and death --------------------------------------------------------


def all_replacements(unit: Unit) -> list[str]:
    """Return the whole pipeline of a unit, which acts when damage is dealt."""
    return list(unit.get("replacements", []))


def folded(board: Board, unit: Unit) -> list[str]:
    """Return the part of the pipeline that the edition counts at assignment."""
    kinds = FOLDED_INTO_ASSIGNMENT[board.get("edition", "465")]
    return [step for step in all_replacements(unit) if step.split()[0] in kinds]


def through(pipeline: Sequence[str], damage: int) -> int:
    """Push an amount of damage through replacement effects in order."""
    for step in pipeline:
        if step == "double":
            damage *= 2
        elif step == "prevent all":
            damage = 0
        else:
            damage = max(0, damage - int(step.removeprefix("prevent ")))
    return damage


def enough(pipeline: Sequence[str], wanted: int) -> range:
    """Return amounts of which the last leaves at least `wanted` unless all is prevented.

    A Prevent takes at most its value away and a Double takes nothing.
    """
    values = [step.removeprefix("prevent ") for step in pipeline if step != "double"]
    return range(wanted + sum(int(value) for value in values if value != "all") + 1)


def is_exempt(board: Board, unit: Unit) -> bool:
    """Tell whether a unit is left out of the mandatory assignment."""
    if unit.get("undamageable", False):
        return True
    return reading(board, "prevent_all") == "exempt" and "prevent all" in folded(board, unit)


def lethal_damage(board: Board, unit: Unit) -> int:
    """Return h, the points of dealt damage that are lethal."""
    h = max(0, max(1, might_on(board, unit)) - int(unit.get("marked", 0)))
    if h > 0 and any_damage_is_lethal(board):
        return 1
    return max(1, h) if reading(board, "already_lethal") == "one" else h


def unit_need(board: Board, unit: Unit) -> Need:
    """Return the least raw whose applied is lethal."""
    if is_exempt(board, unit):
        return "exempt"
    pipeline, h = folded(board, unit), lethal_damage(board, unit)
    for raw in enough(pipeline, h):
        if through(pipeline, raw) >= h:
            return raw
    return "never"


def need(board: Board) -> list[Need]:
    """Return the need of every enemy unit."""
    return [unit_need(board, unit) for unit in units_of(board)]


def dies(board: Board, unit: Unit, raw: int) -> bool:
    """Tell whether a unit dies in the cleanup after `raw` points on it were dealt."""
    dealt = 0 if unit.get("undamageable", False) else through(all_replacements(unit), raw)
    damage = int(unit.get("marked", 0)) + dealt
    if any_damage_is_lethal(board) and dealt >= 1:
        return True
    return damage > 0 and damage >= might_on(board, unit)


def unit_death(board: Board, unit: Unit) -> Death:
    """Return the least raw that kills a unit when it is dealt."""
    for raw in enough(all_replacements(unit), max(1, might_on(board, unit))):
        if dies(board, unit, raw):
            return raw
    return "never"


def death(board: Board) -> list[Death]:
    """Return for every enemy unit the least raw that kills it when it is dealt."""
    return [unit_death(board, unit) for unit in units_of(board)]


def deaths(board: Board, vector: Vector) -> tuple[str, ...]:
    """Return the names of the units that die when an assignment is dealt."""
    rows = zip(names(board), units_of(board), vector, strict=True)
    return tuple(name for name, unit, raw in rows if dies(board, unit, raw))


def unit_excess(board: Board, unit: Unit, raw: int) -> int:
    """Return the damage beyond lethal on one unit."""
    least = unit_need(board, unit)
    if not isinstance(least, int):
        return 0
    if reading(board, "excess") == "raw":
        return max(0, raw - least)
    pipeline = folded(board, unit)
    return max(0, through(pipeline, raw) - through(pipeline, least))


def excess(board: Board, vector: Vector) -> int:
    """Return the excess of an assignment."""
    rows = zip(units_of(board), vector, strict=True)
    return sum(unit_excess(board, unit, raw) for unit, raw in rows)


# --- tiers --------------------------------------------------------------------------------------


def possible_tiers(board: Board, unit: Unit) -> tuple[int, ...]:
    """Return the tiers a non-exempt unit may be given, two for a dual unit."""
    ignored = board.get("assigner", {}).get("ignores", [])
    tank = unit.get("tank", False) and "tank" not in ignored
    backline = unit.get("backline", False) and "backline" not in ignored
    if tank and backline:
        return (TANK, BACKLINE)
    return (TANK,) if tank else (BACKLINE,) if backline else (PLAIN,)


def tier_choices(board: Board) -> Iterator[dict[int, int]]:
    """Yield every choice of tiers as a map from the non-exempt positions."""
    units = units_of(board)
    open_to_damage = [i for i, unit in enumerate(units) if not is_exempt(board, unit)]
    options = [possible_tiers(board, units[i]) for i in open_to_damage]
    for choice in itertools.product(*options):
        yield dict(zip(open_to_damage, choice, strict=True))


# --- legality -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class View:
    """A vector seen under one choice of tiers; only non-exempt units have a tier."""

    points: Vector
    needs: list[Need]
    tier: dict[int, int]

    def lethal(self, i: int) -> bool:
        """Tell whether the points on a unit are lethal."""
        least = self.needs[i]
        return isinstance(least, int) and self.points[i] >= least

    def partial(self, i: int) -> bool:
        """Tell whether a unit has points that are not lethal."""
        return self.points[i] > 0 and not self.lethal(i)

    def exceeds(self, i: int) -> bool:
        """Tell whether a unit has more points than its need."""
        least = self.needs[i]
        return isinstance(least, int) and self.points[i] > least

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield every ordered pair of different non-exempt units."""
        return itertools.permutations(self.tier, 2)


def one_partial_at_most(view: View) -> bool:
    """State lethal_in_full_before_next."""
    return not any(view.partial(u) and view.partial(v) for u, v in view.pairs())


def no_over_assignment(view: View) -> bool:
    """State no_over_assignment."""
    return all(view.lethal(u) for u, v in view.pairs() if view.exceeds(v))


def tank_first(view: View) -> bool:
    """State tank_first."""
    return all(
        view.lethal(u)
        for u, v in view.pairs()
        if view.points[v] > 0 and view.tier[u] == TANK and view.tier[v] != TANK
    )


def backline_last(view: View) -> bool:
    """State backline_last."""
    return all(
        view.lethal(u)
        for u, v in view.pairs()
        if view.points[v] > 0 and view.tier[v] == BACKLINE and view.tier[u] != BACKLINE
    )


def exempt_units_respected(view: View, undamageable: str) -> bool:
    """State undamageable_exempt, beside at least one non-exempt unit."""
    on_exempt = any(x > 0 for i, x in enumerate(view.points) if i not in view.tier)
    if undamageable == "skip":
        return not on_exempt
    tanks = [u for u, tier in view.tier.items() if tier == TANK]
    return not on_exempt or all(view.lethal(u) for u in tanks)


def leftover_respected(view: View, leftover: str) -> bool:
    """State the reading of where points beyond every need may go."""
    exceeding = [u for u in view.tier if view.exceeds(u)]
    if leftover == "any":
        return True
    if len(exceeding) > 1:
        return False
    if leftover == "one_unit":
        return True
    return all(view.tier[u] == max(view.tier.values()) for u in exceeding)


def kills_what_it_can(view: View, must_kill: str) -> bool:
    """State the reading that points which could kill within a tier must."""
    if must_kill == "no":
        return True
    for p, u in view.pairs():
        least = view.needs[u]
        killable = isinstance(least, int) and least <= view.points[p]
        same_tier = view.tier[u] == view.tier[p]
        if view.partial(p) and same_tier and not view.lethal(u) and killable:
            return False
    return True


def is_legal_under(board: Board, view: View) -> bool:
    """Tell whether every condition holds under one choice of tiers."""
    return (
        one_partial_at_most(view)
        and no_over_assignment(view)
        and tank_first(view)
        and backline_last(view)
        and exempt_units_respected(view, reading(board, "undamageable"))
        and leftover_respected(view, reading(board, "leftover"))
        and kills_what_it_can(view, reading(board, "must_kill"))
    )


def views(board: Board, vector: Vector) -> Iterator[View]:
    """Yield a vector under every choice of tiers that makes it legal."""
    needs = need(board)
    for tier in tier_choices(board):
        view = View(vector, needs, tier)
        if is_legal_under(board, view):
            yield view


def required_total(board: Board) -> int:
    """Return the sum that an assignment must have."""
    units = units_of(board)
    nobody = all(is_exempt(board, unit) for unit in units)
    nothing = reading(board, "only_undamageable") == "nothing"
    return 0 if not units or (nobody and nothing) else int(board["pool"])


def is_legal(board: Board, vector: Vector) -> bool:
    """Tell whether a vector is a legal assignment."""
    units = units_of(board)
    if len(vector) != len(units) or any(x < 0 for x in vector):
        return False
    if sum(vector) != required_total(board):
        return False
    if all(is_exempt(board, unit) for unit in units):
        return True
    return any(True for _ in views(board, vector))


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every vector of `parts` amounts with that sum, ascending."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def legal(board: Board) -> list[tuple[int, ...]]:
    """Return every legal assignment, ascending."""
    candidates = compositions(required_total(board), len(units_of(board)))
    return [vector for vector in candidates if is_legal(board, vector)]


def dual_tiers(board: Board, vector: Vector) -> dict[str, str]:
    """Return for each dual unit the tiers that occur in choices making a legal vector legal."""
    if not is_legal(board, vector):
        raise ValueError(f"not a legal assignment: {tuple(vector)}")
    chosen = [view.tier for view in views(board, vector)]
    answer = {}
    for i, (name, unit) in enumerate(zip(names(board), units_of(board), strict=True)):
        if is_exempt(board, unit) or len(possible_tiers(board, unit)) == 1:
            continue
        tiers = {tier[i] for tier in chosen}
        answer[name] = "either" if len(tiers) == 2 else "tank" if tiers == {TANK} else "backline"
    return answer
