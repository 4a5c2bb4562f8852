"""How many legal assignments a small board has, from its needs alone and at once.

The cases are those of `solver.cells`. The number depends only on which needs each tier has, not on
which unit has which, so nothing is compiled: in each case it is a coefficient of a product of
(1 + z^need), in which one factor at most is replaced by z + … + z^(need - 1), the partial unit. The
products are integers with a fixed number of bits for each coefficient (Kronecker substitution).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import chain
from math import comb
from typing import Final

from rules.board import Board, Keyword, Unit
from rules.lethal import EXEMPT, NEVER, needs_of
from solver import limits
from solver.series import TERM_BITS, Packed

_BITS: Final = 1 << 26
"""Bits of a product beyond which this is not the quickest way."""
_FEW_BITS: Final = 1 << 17
"""Bits of a product up to which it is at any rate."""
_FEW: Final = 48
"""Up to so many units nothing beyond the points is cut off."""

Needs = list[int | None]
"""Needs in points, None for a unit that is never lethal."""


def count(board: Board) -> int | None:
    """The number of legal assignments; None for a board that is large or rarer of kind.

    Rarer are the reading `must_kill`, exempt units that may be given points, and units that need
    none under `leftover=last_unit`. Raises `LimitReached` when a deadline comes first.
    """
    tiers: tuple[Needs, Needs, Needs, Needs] = ([], [], [], [])
    plain, tank, backline, dual = tiers
    ignores = board.assigner.ignores
    total = zeros = exempt = 0
    sinks = False
    for unit, least in zip(board.units, needs_of(board), strict=True):
        if type(least) is int:
            if not least:
                zeros += 1
                continue
            total += least
        elif least == EXEMPT:
            exempt += 1
            continue
        else:
            sinks = True
        tier = tier_of(unit, ignores) if unit.tank or unit.backline else 0
        tiers[tier].append(None if least == NEVER else least)
    units = len(plain) + len(tank) + len(backline) + len(dual)
    pool, readings = board.pool, board.readings
    if not units + zeros:
        if readings.only_undamageable == "nothing" or not exempt:
            return 1
        return comb(pool + exempt - 1, exempt - 1)
    if exempt and readings.undamageable == "optional":
        return None
    if not sinks and pool >= total:
        if zeros and readings.leftover == "last_unit":
            return None
        return _leftover(pool - total, units + zeros, tiers, readings.leftover)
    if readings.must_kill == "yes" or not _is_small(pool, units, tiers):
        return None
    return _short(pool, plain, tank, backline, dual)


def tier_of(unit: Unit, ignores: Collection[Keyword]) -> int:
    """0 for a plain unit, 1 for a Tank, 2 for Backline, 3 for both, as far as not ignored [766]."""
    return (unit.tank and "tank" not in ignores) + 2 * (unit.backline and "backline" not in ignores)


def _is_small(pool: int, units: int, tiers: Iterable[Needs]) -> bool:
    """Are there few points, at least for the sums of the units' needs?"""
    bits = (pool + 1) * (units + 8)
    if not _FEW_BITS < bits <= _BITS:
        return bits <= _FEW_BITS
    sums, most = {0}, bits // (2 * TERM_BITS)
    for least in chain(*tiers):
        limits.check()
        if least is not None:
            sums |= {some + least for some in sums if some + least <= pool}
            if len(sums) > most:
                return True
    return False


def _leftover(left: int, units: int, tiers: tuple[Needs, ...], reading: str) -> int:
    """Everybody is lethal; so many points are left over for them to share [465.2.c.4]."""
    if reading == "any":
        return comb(left + units - 1, units - 1)
    if left == 0:
        return 1
    if reading == "one_unit":
        return units
    plain, tank, backline, dual = map(len, tiers)
    return dual + (backline or plain or tank)


def _short(pool: int, plain: Needs, tank: Needs, backline: Needs, dual: Needs) -> int:
    """Somebody is not lethal: the cases by how far the points came."""
    if not dual:
        return _short_in_one(pool, tank, plain, backline)
    number, rest = 0, pool
    if tank:
        number += sum(_ways(tank + dual, [], rest))
        if None in tank:
            return number
        rest -= sum(tank)  # type: ignore[arg-type]
        if rest < 0:
            return number
    whole, partial = _ways(dual, [], rest)
    if tank:
        number -= whole + partial
    if plain:
        number += sum(_ways(plain, dual, rest)) + partial
        if None in plain:
            return number
        rest -= sum(plain)  # type: ignore[arg-type]
        if rest < 0:
            return number
        number -= _ways([], dual, rest)[0]
    return number + sum(_ways(backline + dual, [], rest))


def _short_in_one(pool: int, *tiers: Needs) -> int:
    """The same where each unit has its tier: they run short in one, and all before it are full."""
    for tier in tiers:
        if None in tier:
            break
        needed = sum(tier)  # type: ignore[arg-type]
        if pool < needed:
            break
        pool -= needed
    return sum(_ways(tier, [], pool))


def _ways(either: Needs, whole: Needs, points: int) -> tuple[int, int]:
    """The ways to spend just so many points without a partial unit, and with one.

    Units of `either` have nothing, their need, or are the partial one; units of `whole` have
    nothing or their need.
    """
    units = len(either) + len(whole)
    if not units or not points:
        return int(points == 0), 0
    if units > _FEW or points * units > _FEW_BITS:
        return _many_ways(either, whole, points)
    # What is beyond the points does no harm, and with few units costs less than to cut it off.
    width = units + units.bit_length() + 1
    none, one = 1, 0
    for least in either:
        if least is None or least > points:
            one += none * _span(width, points)
        else:
            partial = none * _span(width, least - 1) if least > 1 else 0
            one += (one << least * width) + partial
            none += none << least * width
    for least in whole:
        if least is not None and least <= points:
            one += one << least * width
            none += none << least * width
    place, slot = points * width, (1 << width) - 1
    return none >> place & slot, one >> place & slot


@lru_cache(maxsize=4096)
def _span(width: int, most: int) -> int:
    """z + z^2 + … + z^most."""
    return ((1 << most * width) - 1) // ((1 << width) - 1) << width if most else 0


def _many_ways(either: Needs, whole: Needs, points: int) -> tuple[int, int]:
    """The same for many units; those of them that need the same are taken together."""
    units = len(either) + len(whole)
    series = Packed(points, (points + 1) * (units + 1) << units)

    def whole_or_not(ways: int, least: int) -> int:
        return int(series.add(ways, series.shift(ways, least)))

    none, one = series.one, series.zero
    for least, alike in Counter(either).items():
        if least is None or least > points:
            one = series.add(one, series.multiply(series.spread(none, 1, None), alike))
            continue
        for _ in range(alike - 1):
            limits.check()
            none, one = whole_or_not(none, least), whole_or_not(one, least)
        partial = series.multiply(series.spread(none, 1, least - 1), alike)
        none, one = whole_or_not(none, least), series.add(whole_or_not(one, least), partial)
    for least in whole:
        if least is not None and least <= points:
            limits.check()
            none, one = whole_or_not(none, least), whole_or_not(one, least)
    return series.at(none, points), series.at(one, points)
