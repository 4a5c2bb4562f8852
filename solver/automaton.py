"""A cell of the legal set as an automaton that reads the units in board order.

Its state is how many points are left and two flags. The number of ways to go on from a state is a
coefficient of a counting series (`solver.series`), so that counting, ranking and listing are walks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from heapq import merge
from math import prod
from typing import Final, NamedTuple

from solver import limits
from solver.cells import Cell, Range
from solver.limits import TOO_LARGE, LimitReached
from solver.series import (
    MOST_TERMS,
    TERM_BITS,
    Packed,
    PackedCoefficients,
    Reach,
    ReachCoefficients,
    Series,
    Sparse,
    SparseCoefficients,
)

_PACKED_BITS: Final = 1 << 29
"""Size of one packed series beyond which sparse ones are used instead."""
_TABLE_BITS: Final = 1 << 33
"""Size of a packed series for every unit beyond which it is not made."""
_SMALL_BITS: Final = 1 << 17
"""Size of a packed series up to which nothing is quicker."""
_AMOUNTS: Final = 1 << 20
"""Marginals tell up to so many different amounts of a unit."""

Flags = tuple[bool, bool]
"""May an exception still be taken? Has nobody been found yet who lacks their need?"""
Level = dict[Flags, Series]
"""The ways to go on from one unit, by the flags with which it is reached."""
Algebra = Packed | Sparse | Reach
Coefficients = PackedCoefficients | SparseCoefficients | ReachCoefficients


class Move(NamedTuple):
    """One kind of choice for a unit: from `low` to `high` points, and the flags after it."""

    low: int
    high: int | None
    open: bool
    lacking: bool


class Automaton:
    """A cell as an automaton that reads the units in order.

    Its state is how many points are left and two flags: `open`, an exception may still be taken;
    `lacking`, nobody has been found yet who is not given their need.
    """

    def __init__(self, cell: Cell, total: int, algebra: Algebra | None = None) -> None:
        self.cell = cell
        self.total = total
        self.algebra = algebra or _algebra(cell, total)
        exceptions = any(menu.exception for menu in cell.menus)
        self.flags = [(o, k) for o in {True, not exceptions} for k in {False, bool(cell.lacking)}]
        self.start: Flags = (True, bool(cell.lacking))
        self._opened: dict[tuple[int, bool, bool], Coefficients] = {}
        self._moves: dict[tuple[int, bool, bool], list[Move]] = {}

    def moves(self, unit: int, is_open: bool, lacking: bool) -> list[Move]:
        """The choices for a unit, least points first within each kind."""
        key = (unit, is_open, lacking)
        moves = self._moves.get(key)
        if moves is None:
            moves = self._moves[key] = self._moves_of(*key)
        return moves

    def _moves_of(self, unit: int, is_open: bool, lacking: bool) -> list[Move]:
        menu = self.cell.menus[unit]
        plain = self.cell.lacking.get(unit) if lacking else None
        moves = [Move(x, x, is_open, lacking and plain in (None, x)) for x in menu.amounts]
        if menu.exception and is_open:
            moves.append(Move(*menu.exception, False, lacking and plain is None))
        if menu.free:
            low, high = menu.free
            if plain is not None:
                moves.append(Move(low, low, is_open, lacking and plain == low))
                low += 1
            moves.append(Move(low, high, is_open, lacking and plain is None))
        return moves

    def count(self) -> int:
        """The number of assignments in the cell."""
        return self._count

    @cached_property
    def _count(self) -> int:
        level = self._end(self.algebra)
        for unit in reversed(range(len(self.cell.menus))):
            level = self._before(unit, level, self.algebra)
        return int(self.algebra.at(level[self.start], self.total))

    def accepts(self) -> bool:
        """Is there any assignment in the cell?"""
        return self.ways(0, *self.start, self.total) > 0

    def ways(self, unit: int, is_open: bool, lacking: bool, points: int) -> int:
        """The number of ways to go on from a unit with so many points left."""
        return self._coefficients(unit, is_open, lacking).at(points)

    def ways_up_to(self, unit: int, is_open: bool, lacking: bool, points: int, most: int) -> int:
        """The number of ways to go on in which this unit is given at most `most` points."""
        total = 0
        for move in self.moves(unit, is_open, lacking):
            high = min(most, points if move.high is None else move.high, points)
            if move.low <= high:
                onwards = self._coefficients(unit + 1, move.open, move.lacking)
                total += onwards.between(points - high, points - move.low)
        return total

    def amounts(
        self, unit: int, is_open: bool, lacking: bool, points: int
    ) -> Iterator[tuple[int, bool, bool]]:
        """The points from which there is a way to go on, ascending, with the flags after them.

        Lazily, however many there are.
        """
        kinds = [
            self._amounts_of(move, unit, points) for move in self.moves(unit, is_open, lacking)
        ]
        return kinds[0] if len(kinds) == 1 else merge(*kinds)

    def unordered(
        self, unit: int, is_open: bool, lacking: bool, points: int
    ) -> Iterator[tuple[int, bool, bool]]:
        """The same, one kind of choice after the other."""
        for move in self.moves(unit, is_open, lacking):
            low, high, now_open, now_lacking = move
            if low != high:
                yield from self._amounts_of(move, unit, points)
            elif self._coefficients(unit + 1, now_open, now_lacking).at(points - low):
                yield low, now_open, now_lacking

    def _amounts_of(self, move: Move, unit: int, points: int) -> Iterator[tuple[int, bool, bool]]:
        onwards = self._coefficients(unit + 1, move.open, move.lacking)
        high = points if move.high is None else min(move.high, points)
        for left in onwards.support(points - high, points - move.low):
            yield points - left, move.open, move.lacking

    def levels(self, algebra: Algebra) -> list[Level]:
        """From every unit on, and after the last, the ways to go on: a series for all flags."""
        levels = [self._end(algebra)]
        for unit in reversed(range(len(self.cell.menus))):
            limits.check()
            levels.append(self._before(unit, levels[-1], algebra))
        return levels[::-1]

    @property
    def is_heavy(self) -> bool:
        """Are the series for all units too large to be kept?"""
        each = 0 if isinstance(self.algebra, Sparse) else self.algebra.bits
        return each * len(self.flags) * len(self.cell.menus) > _TABLE_BITS

    @cached_property
    def _levels(self) -> list[Level]:
        if self.is_heavy:
            raise LimitReached(TOO_LARGE)
        return self.levels(self.algebra)

    def _series(self, unit: int, is_open: bool, lacking: bool) -> Series:
        return self._levels[unit][is_open, lacking]

    def marginal(self, unit: int) -> Iterator[tuple[int, int]]:
        """Amounts that the unit is given, each with the number of assignments that do so.

        An amount may come more than once. Raises `LimitReached` where there are too many.
        """
        algebra = self.algebra
        for flags, spent in self._before_unit(unit).items():
            for low, high, is_open, lacking in self.moves(unit, *flags):
                limits.check()
                onwards = self._series(unit + 1, is_open, lacking)
                others = algebra.opened(algebra.multiply(spent, onwards))
                high = self.total if high is None else min(high, self.total)
                left = others.support(self.total - high, self.total - low)
                for number, rest in enumerate(left):
                    limits.check()
                    if number > _AMOUNTS:
                        raise LimitReached(TOO_LARGE)
                    yield self.total - rest, others.at(rest)

    def _before_unit(self, unit: int) -> dict[Flags, Series]:
        """For the flags with which a unit can be reached, the ways to get there."""
        algebra = self.algebra
        reached = {self.start: algebra.one}
        for each in range(unit):
            onwards: dict[Flags, Series] = {}
            for flags, spent in reached.items():
                for low, high, *after in self.moves(each, *flags):
                    key = (after[0], after[1])
                    step = algebra.spread(spent, low, high)
                    onwards[key] = algebra.add(onwards.get(key, algebra.zero), step)
            reached = onwards
        return reached

    def _coefficients(self, unit: int, is_open: bool, lacking: bool) -> Coefficients:
        key = (unit, is_open, lacking)
        opened = self._opened.get(key)
        if opened is None:
            opened = self._opened[key] = self.algebra.opened(self._series(*key))
        return opened

    def ends(self) -> list[Flags]:
        """The flags that are accepted after the last unit.

        No exception is due any more, and nobody has to lack their need.
        """
        return [flags for flags in self.flags if not (flags[1] or (flags[0] and self.cell.due))]

    def _end(self, algebra: Algebra) -> Level:
        return dict.fromkeys(self.flags, algebra.zero) | dict.fromkeys(self.ends(), algebra.one)

    def _before(self, unit: int, after: Level, algebra: Algebra) -> Level:
        """The series from a unit on, given those from the next."""
        result = {}
        for flags in self.flags:
            total = algebra.zero
            for low, high, is_open, lacking in self.moves(unit, *flags):
                onwards = after[is_open, lacking]
                total = algebra.add(total, algebra.spread(onwards, low, high))
            result[flags] = total
        return result


def _algebra(cell: Cell, total: int) -> Packed | Sparse:
    """The algebra that is quicker for a cell: sparse where there are few sums for the points."""
    ways = prod(max(1, len(menu.amounts)) for menu in cell.menus) * (total + 1)
    ways *= (total + 1) ** sum(menu.free is not None for menu in cell.menus)
    ways *= len(cell.menus) + 1
    bits = ways.bit_length() * (total + 1)
    if bits <= _SMALL_BITS:
        return Packed(total, ways)
    if bits > _PACKED_BITS or _has_few_terms(cell, total, bits // TERM_BITS):
        return Sparse(total)
    return Packed(total, ways)


def _has_few_terms(cell: Cell, total: int, most: int) -> bool:
    """Do sparse series of a cell have at most so many terms?"""
    most = min(most, MOST_TERMS)
    before, taken = {0}, set[int]()
    for menu in cell.menus:
        limits.check()
        amounts = {*menu.amounts, *_ends(menu.free)}
        taken = _sums(taken, amounts, total) | _sums(before, _ends(menu.exception), total)
        before = _sums(before, amounts, total)
        if len(before) + len(taken) > most:
            return False
    return True


def _ends(points: Range | None) -> set[int]:
    """Where a range of points begins, and where it is over."""
    low, high = points or (None, None)
    return {end for end in (low, None if high is None else high + 1) if end is not None}


def _sums(some: Iterable[int], others: Collection[int], total: int) -> set[int]:
    return {one + other for one in some for other in others if one + other <= total}
