"""In what two legal sets of one and the same units differ, without listing either.

Cells of one set do not overlap, so that what the sets have in common is made up of what each cell
of the one has in common with each of the other. That is read by both automata at once, and counted
as one of them is counted (`solver.automaton`). What a set has beyond the other is then a
subtraction, for the whole set as well as for every beginning of an assignment.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product

import msgspec

from rules.board import Assignment
from solver import limits
from solver.automaton import Automaton, Coefficients, Flags
from solver.cells import Cell
from solver.exact import Legal
from solver.limits import TOO_LARGE, LimitReached
from solver.series import Series


class Part(msgspec.Struct, frozen=True):
    """The assignments of one set that another lacks: how many, and the smallest of them."""

    count: int = 0
    first: Assignment | None = None


class Difference:
    """What one legal set has that another lacks: `gone` from the one, `new` in the other.

    It is true where there is any. Raises `LimitReached` where a deadline comes first, and for sets
    that are too large.
    """

    def __init__(self, one: Legal, other: Legal) -> None:
        self._one, self._other = one, other
        self._disjoint = one.total != other.total
        shared = [] if self._disjoint else [cell for cell in one.cells if cell in other.cells]
        self._left = _products(one, [cell for cell in one.cells if cell not in shared])
        self._right = _products(other, [cell for cell in other.cells if cell not in shared])

    def __bool__(self) -> bool:
        return self._number(self._left) > 0 or self._number(self._right) > 0

    @property
    def gone(self) -> Part:
        """The assignments of the one set that the other lacks."""
        return self._part(self._left)

    @property
    def new(self) -> Part:
        """The assignments of the other set that the one lacks."""
        return self._part(self._right)

    @cached_property
    def _both(self) -> list[_Product]:
        """What the sets have in common, but for the cells that they share."""
        if self._disjoint:
            return []
        pairs = product(self._left, self._right)
        return [both for a, b in pairs if (both := _Product(*a.automata, *b.automata)).accepts()]

    def _number(self, products: Sequence[_Product]) -> int:
        return _count(products) - _count(self._both)

    def _part(self, products: Sequence[_Product]) -> Part:
        number = self._number(products)
        return Part(number, self._first(products) if number else None)

    def _first(self, products: Sequence[_Product]) -> Assignment:
        """The smallest assignment of these that is not in both sets."""
        own = [(one, one.start) for one in products if one.accepts()]
        both = [(one, one.start) for one in self._both]
        points, chosen = own[0][0].total, []
        for unit in range(len(self._one.board.units)):
            amount = bisect_left(
                range(points + 1),
                1,
                key=lambda most: _up_to(own, unit, points, most) - _up_to(both, unit, points, most),
            )
            own, both = _after(own, unit, amount), _after(both, unit, amount)
            points -= amount
            chosen.append(amount)
        return tuple(chosen)


State = tuple[Flags, ...]
"""The flags of each automaton that reads."""


class _Product:
    """What several automata of the same total all accept; of one alone, what that accepts."""

    def __init__(self, *automata: Automaton) -> None:
        self.automata = automata
        self.total = automata[0].total
        self.start: State = tuple(automaton.start for automaton in automata)
        self._algebra = automata[0].algebra
        self._units = len(automata[0].cell.menus)
        self._opened: dict[tuple[int, State], Coefficients] = {}

    def accepts(self) -> bool:
        """Is there any assignment that all accept?"""
        return self.count > 0

    @cached_property
    def count(self) -> int:
        """The number of assignments that all accept."""
        if not self._reached:
            return 0
        return int(self._algebra.at(self._levels[0][self.start], self.total))

    def up_to(self, unit: int, state: State, points: int, most: int) -> int:
        """The number of ways to go on in which this unit is given at most `most` points."""
        ways = 0
        for low, high, after in self._moves(unit, state):
            high = min(most, points if high is None else high, points)
            if low <= high and after in self._reached[unit + 1]:
                ways += self._coefficients(unit + 1, after).between(points - high, points - low)
        return ways

    def after(self, unit: int, state: State, amount: int) -> Iterator[State]:
        """The states after giving the unit that amount."""
        for low, high, after in self._moves(unit, state):
            if low <= amount and (high is None or amount <= high):
                yield after

    def _moves(self, unit: int, state: State) -> Iterator[tuple[int, int | None, State]]:
        kinds = (a.moves(unit, *flags) for a, flags in zip(self.automata, state, strict=True))
        for moves in product(*kinds):
            low = max(move.low for move in moves)
            high = min((move.high for move in moves if move.high is not None), default=None)
            if high is None or low <= high:
                yield low, high, tuple((move.open, move.lacking) for move in moves)

    @cached_property
    def _reached(self) -> list[set[State]]:
        """The states before each unit and after the last; empty where none is accepted there."""
        reached = [{self.start}]
        for unit in range(self._units):
            limits.check()
            moves = (move for state in reached[-1] for move in self._moves(unit, state))
            reached.append({after for _, _, after in moves})
        ends = {state for state in reached[-1] if self._is_end(state)}
        return [*reached[:-1], ends] if ends else []

    def _is_end(self, state: State) -> bool:
        return all(flags in a.ends() for a, flags in zip(self.automata, state, strict=True))

    @cached_property
    def _levels(self) -> list[dict[State, Series]]:
        """From every unit on the ways to go on, by state."""
        if any(automaton.is_heavy for automaton in self.automata):
            raise LimitReached(TOO_LARGE)
        algebra = self._algebra
        levels = [dict.fromkeys(self._reached[-1], algebra.one)]
        for unit in reversed(range(self._units)):
            limits.check()
            level = {}
            for state in self._reached[unit]:
                ways = algebra.zero
                for low, high, after in self._moves(unit, state):
                    if after in levels[-1]:
                        ways = algebra.add(ways, algebra.spread(levels[-1][after], low, high))
                level[state] = ways
            levels.append(level)
        return levels[::-1]

    def _coefficients(self, unit: int, state: State) -> Coefficients:
        key = (unit, state)
        if key not in self._opened:
            self._opened[key] = self._algebra.opened(self._levels[unit][state])
        return self._opened[key]


Reading = list[tuple[_Product, State]]
"""Automata on their way through an assignment, with the states they are in."""


def _products(of: Legal, cells: Sequence[Cell]) -> list[_Product]:
    return [_Product(Automaton(cell, of.total)) for cell in cells]


def _count(products: Sequence[_Product]) -> int:
    return sum(one.count for one in products)


def _up_to(reading: Reading, unit: int, points: int, most: int) -> int:
    return sum(one.up_to(unit, state, points, most) for one, state in reading)


def _after(reading: Reading, unit: int, amount: int) -> Reading:
    return [(one, after) for one, state in reading for after in one.after(unit, state, amount)]
