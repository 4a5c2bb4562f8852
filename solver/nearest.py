"""The legal assignment nearest to another: the least sum of absolute differences.

In a cell of the legal set most units are given one of two amounts, and the rest have a range. With
the one exception decided beforehand, how far the units with a range are from what was given depends
only on how many points they share: as far as their ends force them, and then a point for every
point more or less. What is left is to choose amounts, a knapsack over their sums, from which
everything is dropped that cannot beat the best so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from math import inf
from typing import Final, NamedTuple

from rules.board import Assignment, Board
from solver import limits
from solver.cells import Cell, Menu, compiled, total_of
from solver.limits import TOO_LARGE, LimitReached

_SUMS: Final = 1 << 20
"""So many sums of amounts, over all units, are looked at for one cell."""


def nearest(board: Board, given: Assignment) -> Assignment:
    """The legal assignment nearest to what was given, of several the lexicographically smallest.

    Raises `LimitReached` when the deadline comes first, and for what is too large.
    """
    total = total_of(board)
    tasks = [
        _Task(menus, lacking, given, total)
        for cell in compiled(board)
        for menus, lacking in _decided(cell)
    ]
    best: tuple[int, Assignment] | None = None
    for task in sorted(tasks, key=lambda task: task.at_least):
        if best is None or task.at_least <= best[0]:
            found = task.solve(None if best is None else best[0])
            if found is not None and (best is None or found < best):
                best = found
    if best is None:
        raise RuntimeError(f"no assignment is legal on {board!r}")
    return best[1]


def _decided(cell: Cell) -> Iterator[tuple[list[Menu], Mapping[int, int]]]:
    """The menus of a cell, no exception among them, for every way to decide who takes it.

    With each comes what is left of `lacking`: empty where somebody has a range that satisfies it.
    """
    plain = [Menu(menu.amounts, free=menu.free) for menu in cell.menus]
    cases = [] if cell.due else [(plain, cell.lacking)]
    for u, menu in enumerate(cell.menus):
        if menu.exception:
            lacking = {} if u in cell.lacking else cell.lacking
            cases.append(([*plain[:u], Menu(free=menu.exception), *plain[u + 1 :]], lacking))
    for menus, lacking in cases:
        watched = [u for u in lacking if menus[u].free]
        still = [Menu((lacking[u],)) if u in watched else menu for u, menu in enumerate(menus)]
        yield still, lacking
        for u in watched:
            beyond = menus[u].within(lacking[u] + 1, None)
            if beyond.free:
                yield [*menus[:u], beyond, *menus[u + 1 :]], {}


class _Ranges(NamedTuple):
    """What some units with a range can share: from `low` to `high` points.

    They are `base` points from what was given where they share just `ideal`, and one point further
    for every point more or less.
    """

    low: int = 0
    high: int = 0
    ideal: int = 0
    base: int = 0

    def apart(self, points: int) -> int | None:
        """How far they are from what was given when they share so many; None where they cannot."""
        if self.low <= points <= self.high:
            return self.base + abs(points - self.ideal)
        return None


class _Task:
    """One cell with its exception decided: every unit has certain amounts, or a range.

    Unless `lacking` is empty, somebody in it is given other than what stands beside them there.
    """

    def __init__(
        self, menus: Sequence[Menu], lacking: Mapping[int, int], given: Assignment, total: int
    ) -> None:
        self._menus = menus
        self._lacking = lacking
        self._given = given
        self._total = total
        self._ranges = [_Ranges()]
        for menu, wanted in zip(reversed(menus), reversed(given), strict=True):
            ranges = self._ranges[-1]
            if menu.free:
                low, high = menu.free[0], total if menu.free[1] is None else menu.free[1]
                ideal = max(low, min(wanted, high))
                more = (low, high, ideal, abs(ideal - wanted))
                ranges = _Ranges(*(a + b for a, b in zip(ranges, more, strict=True)))
            self._ranges.append(ranges)
        self._ranges.reverse()
        self._amounts = [() if menu.free else menu.amounts for menu in menus]
        pairs = list(zip(self._amounts, given, strict=True))
        # What the units before each unit, and all those with a range, are apart at least.
        least = (min((abs(x - g) for x in amounts), default=0) for amounts, g in pairs)
        self._least = list(accumulate(least, initial=self._ranges[0].base))
        in_ranges = sum(g for amounts, g in pairs if not amounts)
        sums = (g if amounts else 0 for amounts, g in pairs)
        self._wanted = list(accumulate(sums, initial=in_ranges))
        self.at_least = self._least[-1]

    def solve(self, most: int | None) -> tuple[int, Assignment] | None:
        """The distance and the nearest assignment; None where none is at most so far away."""
        sums = self._sums(most)
        due, left = bool(self._lacking), self._total
        apart = self._to_go(0, sums[0], left, due)
        if apart is None or (most is not None and apart > most):
            return None
        to_go, assignment = apart, []
        for u, given in enumerate(self._given):
            if self._menus[u].free:
                amount = self._least_in_range(u, sums[u + 1], left, due, to_go)
            else:
                amount = next(
                    x
                    for x in self._amounts[u]
                    if abs(x - given) + self._after(u, sums[u + 1], left - x, due, x) == to_go
                )
                due = due and self._keeps_lacking(u, amount)
            assignment.append(amount)
            left -= amount
            to_go -= abs(amount - given)
        return apart, tuple(assignment)

    def _sums(self, most: int | None) -> list[_Sums]:
        """From every unit on: sums of amounts, each with whether somebody lacks, and the distance.

        Without those that lead further away than `most`.
        """
        levels: list[_Sums] = [{(0, False): 0}]
        room = _SUMS
        for u in reversed(range(len(self._given))):
            limits.check()
            if self._menus[u].free:
                levels.append(levels[-1])
                continue
            given, least, wanted = self._given[u], self._least[u], self._wanted[u]
            level: _Sums = {}
            for (points, lacks), apart in levels[-1].items():
                for x in self._amounts[u]:
                    now, left = apart + abs(x - given), self._total - points - x
                    if left < 0:
                        continue
                    if most is not None and now + max(least, abs(left - wanted)) > most:
                        continue
                    key = (points + x, lacks or not self._keeps_lacking(u, x))
                    if now < level.get(key, now + 1):
                        level[key] = now
            levels.append(level)
            room -= len(level)
            if room < 0:
                raise LimitReached(TOO_LARGE)
        return levels[::-1]

    def _keeps_lacking(self, u: int, amount: int) -> bool:
        """Must somebody else lack, if this unit is given so much?"""
        return self._lacking.get(u, amount) == amount

    def _to_go(self, u: int, sums: _Sums, left: int, due: bool) -> int | None:
        """The least distance of the units from one on, with so many points for them."""
        ranges = self._ranges[u]
        distances = [
            apart + beyond
            for (points, lacks), apart in sums.items()
            if (lacks or not due) and (beyond := ranges.apart(left - points)) is not None
        ]
        return min(distances, default=None)

    def _after(self, u: int, sums: _Sums, left: int, due: bool, amount: int) -> int | float:
        """The least distance of the units after one that is given an amount."""
        apart = self._to_go(u + 1, sums, left, due and self._keeps_lacking(u, amount))
        return inf if apart is None else apart

    def _least_in_range(self, u: int, sums: _Sums, left: int, due: bool, to_go: int) -> int:
        """The least points for a unit with a range, with which the distance is still `to_go`."""
        own, rest, given = self._ranges[u], self._ranges[u + 1], self._given[u]
        lowest, highest = own.low - rest.low, own.high - rest.high
        best = highest
        for (points, lacks), apart in sums.items():
            shared = left - points
            low, high = max(lowest, shared - rest.high), min(highest, shared - rest.low)
            if low > high or (due and not lacks):
                continue
            # Two distances add up here; they are least between the two points they are from.
            amount = max(low, min(given, shared - rest.ideal, high))
            beyond = rest.apart(shared - amount)
            if beyond is not None and apart + abs(amount - given) + beyond == to_go:
                best = min(best, amount)
        return best


_Sums = dict[tuple[int, bool], int]
"""A sum of amounts, and whether somebody lacks, to the least distance."""
