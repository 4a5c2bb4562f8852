"""Is there always a legal assignment? A sweep over every board within bounds.

Of units that the rules cannot tell apart, as what is known of them before any points are assigned
(`rules.position.Standing`) is the same, one stands for all; and boards that differ only in the
order of their units count as one. A legal assignment is put together by taking the units in the
order of their tiers, and is shown to be legal by the rules; the set of all legal assignments is
asked only where that fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import combinations_with_replacement, product
from math import comb
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from rules.board import Assigner, Assignment, Board, Unit
from rules.lethal import NEVER
from rules.notation import write
from rules.position import Position, standing
from rules.readings import SWITCHES, read_readings
from rules.rulebook import violations
from solver import exact, limits
from solver.lab.bounds import SWEPT, Bounds, assigners, kinds, known
from solver.limits import LimitReached
from solver.sweep import State, sweep

_TOGETHER: Final = 2
"""So many units are fixed in one part of a sweep, the others and the pool run through it."""


class Possible(NamedTuple):
    """What came of a sweep: how many boards were looked at, and those without a legal assignment.

    `complete`: they were all there are within the bounds.
    """

    settings: tuple[Board, ...]
    bounds: Bounds
    boards: int
    impossible: tuple[str, ...]
    complete: bool


class Part(NamedTuple):
    """Boards to look at together: the settings, who assigns, and which units come first."""

    settings: Board
    assigner: Assigner
    first: tuple[int, ...]


def every_reading(settings: Board) -> tuple[Board, ...]:
    """The settings with every combination of readings; `excess` decides no assignment."""
    switches = {name: values for name, values in SWITCHES.items() if name != "excess"}
    return tuple(
        replace(settings, readings=read_readings(dict(zip(switches, values, strict=True))))
        for values in product(*switches.values())
    )


def always_possible(
    settings: Sequence[Board],
    bounds: Bounds = SWEPT,
    *,
    state: Path | None = None,
    workers: int | None = None,
    time_limit: float | None = None,
) -> Possible:
    """Sweep over all boards within bounds, in each of the settings; see `Possible`.

    With `state`, a file, what is done is kept and not done again. Raises `BadRequest` for a file
    of another sweep.
    """
    parts = _parts(settings, bounds)

    def is_part(number: int, found: Any) -> bool:
        return number < len(parts) and _can_be_of(bounds, parts[number], found)

    done = State(state, _header(settings, bounds), is_part)
    complete = True
    try:
        with limits.deadline(time_limit):
            sweep(partial(_look, bounds), parts, done, workers=workers)
    except LimitReached:
        complete = False
    results = [done.parts[number] for number in sorted(done.parts)]
    impossible = [text for _, texts in results for text in texts]
    boards = sum(number for number, _ in results)
    return Possible(tuple(settings), bounds, boards, tuple(impossible), complete)


def _header(settings: Sequence[Board], bounds: Bounds) -> dict[str, Any]:
    ways = [[one.edition, msgspec.to_builtins(one.readings)] for one in settings]
    return {"always possible": msgspec.to_builtins(bounds), "ways": ways}


def _parts(settings: Sequence[Board], bounds: Bounds) -> list[Part]:
    return [
        Part(one, assigner, first)
        for one in settings
        for assigner in _telling_assigners(bounds, one)
        for first in combinations_with_replacement(
            range(len(_representatives(bounds, one, assigner)) + 1), min(_TOGETHER, bounds.units)
        )
    ]


def _telling_assigners(bounds: Bounds, settings: Board) -> list[Assigner]:
    """Those who can assign, without those for whom units are nothing that they are not for others.

    An ignored keyword is as good as absent, so that as a rule one without effects is left.
    """
    seen = {one: frozenset(_known(bounds, settings, one)) for one in assigners(settings)}
    telling: list[Assigner] = []
    for one in sorted(seen, key=lambda one: -len(seen[one])):
        if not any(seen[one] <= seen[other] for other in telling):
            telling.append(one)
    return telling


@lru_cache(maxsize=1024)
def _known(bounds: Bounds, settings: Board, assigner: Assigner) -> dict[Any, Unit]:
    """Every unit within the bounds by what is known of it, the first of each in the notation.

    A need beyond every pool is one that is never met.
    """
    found: dict[Any, Unit] = {}
    units = kinds(bounds)
    for unit, still in zip(units, known(units, replace(settings, assigner=assigner)), strict=True):
        beyond = isinstance(still.need, int) and still.need > bounds.pool
        least = NEVER if beyond else still.need
        found.setdefault((least, still.tank, still.backline), unit)
    return found


def _representatives(bounds: Bounds, settings: Board, assigner: Assigner) -> list[Unit]:
    return list(_known(bounds, settings, assigner).values())


def _look(bounds: Bounds, part: Part) -> tuple[int, list[str]]:
    """How many boards the part has, and those of them that have no legal assignment."""
    looked, impossible = 0, []
    for board in _boards(bounds, part):
        looked += 1
        if not is_possible(board):
            impossible.append(write(board))
    return looked, impossible


def _can_be_of(bounds: Bounds, part: Part, found: Any) -> bool:
    """Can this have come of looking at the part? It has as many boards, whatever they are."""
    match found:
        case [int(looked), [*texts]]:
            return looked == _size(bounds, part) and all(isinstance(text, str) for text in texts)
    return False


def _size(bounds: Bounds, part: Part) -> int:
    """How many boards the part has."""
    units = _representatives(bounds, part.settings, part.assigner)
    places, choices = bounds.units - len(part.first), len(units) + 1 - part.first[-1]
    return comb(choices + places - 1, places) * (bounds.pool + 1)


def _boards(bounds: Bounds, part: Part) -> Iterator[Board]:
    """All boards of the part; the number behind the last unit stands for an empty place."""
    units = _representatives(bounds, part.settings, part.assigner)
    later = range(part.first[-1], len(units) + 1)
    for rest in combinations_with_replacement(later, bounds.units - len(part.first)):
        group = tuple(units[n] for n in (*part.first, *rest) if n < len(units))
        for pool in range(bounds.pool + 1):
            yield replace(part.settings, pool=pool, units=group, assigner=part.assigner)


def is_possible(board: Board) -> bool:
    """Has the board a legal assignment?"""
    if not violations(Position(board, _in_turn(board))):
        return True
    found = next(iter(exact.legal(board)), None)
    return found is not None and not violations(Position(board, found))


def _in_turn(board: Board) -> Assignment:
    """An assignment that takes the units tier by tier, in each tier the least need first.

    Dual units are taken as Tank. The last unit gets what is left over.
    """
    still = standing(board)
    points = [0] * len(board.units)
    left = board.pool

    def turn(u: int) -> tuple[int, float]:
        tier = 0 if still.tank[u] else 2 if still.backline[u] else 1
        return tier, still.enough[u]

    takers = sorted((u for u in range(len(points)) if not still.exempt[u]), key=turn)
    for u in takers:
        least = still.needs[u]
        points[u] = min(left, least) if isinstance(least, int) else left
        left -= points[u]
    if takers:
        points[takers[-1]] += left
    elif points and board.readings.only_undamageable == "assign":
        points[0] = left
    return tuple(points)
