"""The lexicographically first legal assignment of a small board, from its needs alone and at once.

The cases are those of `solver.cells`, by how far the points come. Here they may overlap, since the
first of all is the first of the firsts, so that nobody has to lack their need: with all units of
one case lethal an assignment belongs to the next, and is as legal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rules.board import Assignment, Board
from rules.lethal import EXEMPT, needs_of
from solver.counting import tier_of
from solver.series import Reach

_BITS: Final = 1 << 20
"""Units times points up to which this is the quickest way."""


class _Taker(NamedTuple):
    """A unit with what it needs, in points, if anything is enough; may it be the partial one?"""

    unit: int
    least: int | None
    divides: bool = True


def first(board: Board) -> Assignment | None:
    """The smallest legal assignment; None for a board that is large or rarer of kind.

    Rarer are the readings `must_kill`, `undamageable=optional` and `leftover=last_unit`, and boards
    on which no unit can be dealt damage.
    """
    readings, pool, size = board.readings, board.pool, len(board.units)
    needs = needs_of(board)
    open_to_points = [u for u, least in enumerate(needs) if least != EXEMPT]
    if (
        not open_to_points
        or (pool + 1) * size > _BITS
        or readings.must_kill == "yes"
        or readings.undamageable == "optional"
        or readings.leftover == "last_unit"
    ):
        return None
    total = 0
    tiers: tuple[list[_Taker], ...] = ([], [], [], [])
    for u in open_to_points:
        least = needs[u]
        if least != 0:
            finite = least if isinstance(least, int) else None
            tiers[tier_of(board.units[u], board.assigner.ignores)].append(_Taker(u, finite))
            total += pool + 1 if finite is None else finite
    if pool >= total:
        given = [least if isinstance(least, int) else 0 for least in needs]
        given[open_to_points[-1]] += pool - total
        return tuple(given)
    return min(_firsts(pool, size, *tiers))


def _firsts(
    pool: int,
    size: int,
    plain: list[_Taker],
    tank: list[_Taker],
    backline: list[_Taker],
    dual: list[_Taker],
) -> Iterator[Assignment]:
    """The first assignment of each case in which somebody is not lethal."""
    whole = [taker._replace(divides=False) for taker in dual if taker.least is not None]
    full: list[_Taker] = []
    for tier, others in ((tank, dual), (plain, whole), (backline, dual)):
        given = [0] * size
        for unit, least, _ in full:
            given[unit] = least or 0
        left = pool - sum(given)
        if left < 0 or any(least is None for _, least, _ in full):
            return
        if _fill(given, sorted((*tier, *others)), left):
            yield tuple(given)
        full += tier


def _fill(given: list[int], takers: Sequence[_Taker], points: int) -> bool:
    """Give these units just so many points, the least first; False where that is not possible.

    Each gets nothing or its need, and one at most something between.
    """
    # From each unit on the sums there can be: with whole needs, and with a partial unit if any.
    sums = Reach(points)
    whole = either = sums.one
    onwards = [(whole, either)]
    for _, least, divides in reversed(takers):
        partial = sums.zero
        if divides and least != 1:
            partial = sums.spread(whole, 1, None if least is None else least - 1)
        if least is not None:
            whole = sums.add(whole, sums.shift(whole, least))
            either = sums.add(either, sums.shift(either, least))
        either = sums.add(either, partial)
        onwards.append((whole, either))
    if not sums.at(either, points):
        return False
    undivided = True
    for unit, least, divides in takers:
        onwards.pop()
        whole, either = onwards[-1]
        if sums.at(either if undivided else whole, points):
            continue
        rest = None
        if undivided and divides:
            rest = sums.highest(whole, 0 if least is None else points - least + 1, points - 1)
        if rest is None:
            rest = points - (least or 0)
        else:
            undivided = False
        given[unit] = points - rest
        points = rest
    return True
