"""The legal assignment nearest to another: the least sum of absolute differences.

In a cell of the legal set most units are given one of two amounts, and the rest have a range. With
the one exception decided beforehand, how far the units with a range are from what was given depends
only on how many points they share: as far as their ends force them, and then a point for every
point more or less. What is left is to choose amounts, a knapsack over their sums, from which
everything is dropped that cannot beat the best so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from itertools import accumulate
from typing import Final, NamedTuple

from rules.board import Assignment, Board
from solver import limits
from solver.cells import Cell, Menu, compiled, total_of
from solver.limits import TOO_LARGE, LimitReached

_SUMS: Final = 1 << 20
"""So many sums of amounts, over all units, are looked at for one cell."""


def nearest(board: Board, given: Assignment) -> Iterator[Assignment]:
    """The legal assignments nearest to what was given, all at one distance, in order, lazily.

    Raises `LimitReached` when the deadline comes first, and for what is too large.
    """
    total = total_of(board)
    tasks = [
        _Task(menus, lacking, given, total)
        for cell in compiled(board)
        for menus, lacking in _decided(cell)
        if Cell(menus).has_room(total)
    ]
    least: int | None = None
    found: list[tuple[_Task, int]] = []
    for task in sorted(tasks, key=lambda task: task.at_least):
        if least is None or task.at_least <= least:
            apart = task.distance(least)
            if apart is not None:
                least = apart
                found.append((task, apart))
    if least is None:
        raise RuntimeError(f"no assignment is legal on {board!r}")
    # Cells do not overlap, and neither do the ways to decide one: nothing comes twice.
    return merge(*(task.walk(least) for task, apart in found if apart == least))


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


class _State(NamedTuple):
    """On the way through the units: points left, must somebody still lack, distance left."""

    left: int
    due: bool
    to_go: int


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

    def distance(self, most: int | None) -> int | None:
        """The least distance of an assignment; None where none is at most so far away."""
        self._levels = self._sums(most)
        apart = self._to_go(0, self._levels[0], self._total, bool(self._lacking))
        return None if apart is None or (most is not None and apart > most) else apart

    def walk(self, apart: int) -> Iterator[Assignment]:
        """The assignments at the least distance, which `distance` has found, in order."""
        if not self._given:
            yield ()
            return
        start = _State(self._total, bool(self._lacking), apart)
        chosen: list[int] = []
        pending = [self._steps(0, start)]
        while pending:
            limits.check()
            step = next(pending[-1], None)
            if step is None:
                pending.pop()
                if chosen:
                    chosen.pop()
            elif len(pending) == len(self._given):
                yield (*chosen, step[0])
            else:
                chosen.append(step[0])
                pending.append(self._steps(len(chosen), step[1]))

    def _steps(self, u: int, state: _State) -> Iterator[tuple[int, _State]]:
        """The amounts for a unit, ascending, from which the distance to go can be kept."""
        amounts = self._in_range if self._menus[u].free else self._listed
        for amount, due in amounts(u, self._levels[u + 1], state):
            to_go = state.to_go - abs(amount - self._given[u])
            yield amount, _State(state.left - amount, due, to_go)

    def _listed(self, u: int, sums: _Sums, state: _State) -> Iterator[tuple[int, bool]]:
        left, due, to_go = state
        for x in self._amounts[u]:
            still_due = due and self._keeps_lacking(u, x)
            beyond = self._to_go(u + 1, sums, left - x, still_due)
            if beyond is not None and abs(x - self._given[u]) + beyond == to_go:
                yield x, still_due

    def _in_range(self, u: int, sums: _Sums, state: _State) -> Iterator[tuple[int, bool]]:
        amount = self._least_in_range(u, sums, state, 0)
        while amount is not None:
            yield amount, state.due
            amount = self._least_in_range(u, sums, state, amount + 1)

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

    def _least_in_range(self, u: int, sums: _Sums, state: _State, beyond: int) -> int | None:
        """The least points from `beyond` on with which the distance to go can be kept."""
        own, rest, given = self._ranges[u], self._ranges[u + 1], self._given[u]
        lowest, highest = max(beyond, own.low - rest.low), own.high - rest.high
        best: int | None = None
        for (points, lacks), apart in sums.items():
            shared = state.left - points
            low, high = max(lowest, shared - rest.high), min(highest, shared - rest.low)
            if low > high or (state.due and not lacks):
                continue
            # Two distances add up here; they are least between the two points they are from.
            amount = max(low, min(given, shared - rest.ideal, high))
            further = rest.apart(shared - amount)
            if further is None or apart + abs(amount - given) + further != state.to_go:
                continue
            if best is None or amount < best:
                best = amount
        return best


_Sums = dict[tuple[int, bool], int]
"""A sum of amounts, and whether somebody lacks, to the least distance."""
