"""Who dies: the sets of units that can die, and the best of them.

A unit dies or lives by the points it is given alone, so every choice for a unit is cut where its
death begins. Both questions then walk the automata of a legal set: forwards, with the ways to spend
points so that just these units have died; backwards, with the ways to go on, sorted by what the
deaths to come are worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rules.board import Assignment
from rules.lethal import NEVER
from solver import limits
from solver.automaton import Algebra, Automaton, Flags, Move
from solver.limits import TOO_LARGE, LimitReached
from solver.series import Packed, Reach, Series, Sparse

_DENSE: Final = 1 << 20
"""Points up to which it is kept bit by bit what can be spent at all."""
_SCORES: Final = 1 << 16
"""So many different scores, over all units, are told apart."""
_BITS: Final = 1 << 32
"""Size of the series that are kept for that, in bits."""
_QUICK_BITS: Final = 1 << 14
"""Size of a packed series up to which it is quicker than a sparse one of a few sums."""
_SPARSE_BITS: Final = 1 << 12
"""Size that a sparse series is taken to have."""

Least = Sequence[int | str]
"""For each unit the least raw of which it dies, in points or "never"."""
Scores = dict[int, Series]
"""For each score that can still be reached the ways to reach it."""


class Piece(NamedTuple):
    """From so many points to so many (None: no upper end), all of which kill or none."""

    low: int
    high: int | None
    dies: bool


class Optimum(NamedTuple):
    """The lexicographically smallest of the best assignments; their number, None if not known."""

    assignment: Assignment
    ties: int | None


def pieces(move: Move, least: int | str) -> list[Piece]:
    """A choice for a unit, cut where its death begins."""
    low, high = move.low, move.high
    if least == NEVER or (high is not None and high < int(least)):
        return [Piece(low, high, False)]
    dies = int(least)
    if low >= dies:
        return [Piece(low, high, True)]
    return [Piece(low, dies - 1, False), Piece(dies, high, True)]


def kill_sets(automata: Sequence[Automaton], least: Least) -> dict[tuple[int, ...], int]:
    """The sets of units that can die, each with its number of assignments.

    Largest first, then in unit order. Raises `LimitReached` with the number of sets found.
    """
    found: dict[tuple[int, ...], int] = {}
    try:
        for killed, number in _kill_sets(automata, least):
            found[killed] = number
    except LimitReached as cut:
        raise LimitReached(cut.why, len(found)) from None
    order = sorted(found, key=lambda killed: (-len(killed), killed))
    return {killed: found[killed] for killed in order}


def _kill_sets(
    automata: Sequence[Automaton], least: Least
) -> Iterator[tuple[tuple[int, ...], int]]:
    """The sets as they are found."""
    walks = [_Walk(automaton) for automaton in automata]
    begun = [(walk, spent) for walk in walks if (spent := walk.begin())]
    pending: list[tuple[int, tuple[int, ...], list[tuple[_Walk, Spent]]]] = []
    if begun:
        pending.append((0, (), begun))
    while pending:
        limits.check()
        unit, killed, reached = pending.pop()
        if unit == len(least):
            yield killed, sum(walk.number(spent) for walk, spent in reached)
            continue
        for dies in (False, True):
            onwards = [
                (walk, after)
                for walk, spent in reached
                if (after := walk.go_on(unit, spent, least[unit], dies))
            ]
            if onwards:
                pending.append((unit + 1, (*killed, unit) if dies else killed, onwards))


Spent = dict[Flags, tuple[Series, Series]]
"""For the flags that can be reached, the points that can be spent, and in how many ways."""


class _Walk:
    """One automaton, walked forwards, never to where there is no way on."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._total = total = automaton.total
        self._reach: Reach | Sparse = Reach(total) if total <= _DENSE else Sparse(total)
        # Who has died says nearly how much was spent, so that few sums are left to tell apart.
        packed = isinstance(automaton.algebra, Packed) and automaton.algebra.bits <= _QUICK_BITS
        self._ways = automaton.algebra if packed else Sparse(total)
        self._onwards = automaton.levels(self._reach)
        if isinstance(self._reach, Reach):
            self._onwards = [
                {flags: _reversed(series, total) for flags, series in level.items()}
                for level in self._onwards
            ]

    def begin(self) -> Spent:
        """Nothing is spent yet; empty where the automaton accepts nothing."""
        start = {self._automaton.start: (self._reach.one, self._ways.one)}
        return self._open(0, start)

    def go_on(self, unit: int, spent: Spent, least: int | str, dies: bool) -> Spent:
        """What can be spent with one more unit, which dies or lives; empty if there is no way."""
        after: Spent = {}
        reach, ways = self._reach, self._ways
        for flags, (points, number) in spent.items():
            for move in self._automaton.moves(unit, *flags):
                for low, high, kills in pieces(move, least):
                    if kills == dies:
                        then = (move.open, move.lacking)
                        sum_points, sum_number = after.get(then, (reach.zero, ways.zero))
                        after[then] = (
                            reach.add(sum_points, reach.spread(points, low, high)),
                            ways.add(sum_number, ways.spread(number, low, high)),
                        )
        return self._open(unit + 1, after)

    def _open(self, unit: int, spent: Spent) -> Spent:
        """What is left of it where there is a way on."""
        rest = self._onwards[unit]
        if isinstance(self._reach, Reach):
            return {flags: both for flags, both in spent.items() if both[0] & rest[flags]}
        sparse = self._reach
        return {
            flags: both
            for flags, both in spent.items()
            if sparse.at(sparse.multiply(both[0], rest[flags]), self._total)
        }

    def number(self, spent: Spent) -> int:
        """The number of ways to have spent all."""
        return sum(int(self._ways.at(number, self._total)) for _, number in spent.values())


def _reversed(bits: int, total: int) -> int:
    """Bit p of the result is bit `total - p`."""
    return int(f"{bits:0{total + 1}b}"[::-1], 2)


def optimum(automata: Sequence[Automaton], least: Least, gains: Sequence[int]) -> Optimum | None:
    """The assignments with the largest sum of `gains` over the units that die.

    None where there are too many different sums to tell apart. Raises `ValueError` where no
    assignment is accepted.
    """
    graded = [_Graded(one, least, gains) for one in automata]
    if not all(one.is_small() for one in graded):
        return None
    tops = [top for one in graded if (top := one.top()) is not None]
    if not tops:
        raise ValueError("no assignment is accepted")
    best = [one for one in graded if one.top() == max(tops)]
    first = min(one.first(max(tops)) for one in best)
    try:
        return Optimum(first, sum(one.ties(max(tops)) for one in best))
    except LimitReached:
        return Optimum(first, None)


class _Graded:
    """One automaton, its ways to go on sorted by what the deaths to come are worth."""

    def __init__(self, automaton: Automaton, least: Least, gains: Sequence[int]) -> None:
        self._automaton = automaton
        self._total = total = automaton.total
        self._least = least
        self._gains = gains
        self._reach: Reach | Sparse = Reach(total) if total <= _DENSE else Sparse(total)
        self._levels: list[Level] = []

    def is_small(self) -> bool:
        """Are there few enough scores to keep them all? Then they are worked out."""
        width = self._total + 1 if isinstance(self._reach, Reach) else _SPARSE_BITS
        scores = 0
        for level in self._backwards(self._reach):
            self._levels.append(level)
            scores += sum(map(len, level.values()))
            if scores > _SCORES or scores * width > _BITS:
                return False
        self._levels.reverse()
        return True

    def top(self) -> int | None:
        """The best score that can be reached, None where nothing is accepted."""
        scores = self._levels[0].get(self._automaton.start, {})
        reached = (s for s, points in scores.items() if self._reach.at(points, self._total))
        return max(reached, default=None)

    def first(self, top: int) -> Assignment:
        """The lexicographically smallest assignment with that score."""
        states, left = {(self._automaton.start, top)}, self._total
        assignment = []
        for unit in range(len(self._least)):
            choices = [
                (left - most, low, high, then, score)
                for flags, score_left in states
                for low, high, then, score in self._steps(unit, flags, score_left)
                if (most := self._most(unit + 1, then, score, left, low, high)) is not None
            ]
            amount = min(choices)[0]
            states = {(then, score) for x, _, _, then, score in choices if x == amount}
            left -= amount
            assignment.append(amount)
        return tuple(assignment)

    def ties(self, top: int) -> int:
        """The number of assignments with that score."""
        ways = self._automaton.algebra
        level: Level = {}
        for level in self._backwards(ways, top):
            if isinstance(ways, Packed):
                scores = sum(map(len, level.values()))
                if scores * ways.bits > _BITS:
                    raise LimitReached(TOO_LARGE)
        return int(ways.at(level[self._automaton.start][top], self._total))

    def _steps(
        self, unit: int, flags: Flags, score: int
    ) -> Iterator[tuple[int, int | None, Flags, int]]:
        """The choices for a unit, each with the flags and the score that are then to come."""
        for move in self._automaton.moves(unit, *flags):
            for low, high, dies in pieces(move, self._least[unit]):
                gain = self._gains[unit] if dies else 0
                yield low, high, (move.open, move.lacking), score - gain

    def _most(
        self, unit: int, flags: Flags, score: int, left: int, low: int, high: int | None
    ) -> int | None:
        """The most points to go on with from so many, after the unit before took some of them."""
        onwards = self._levels[unit].get(flags, {}).get(score)
        if onwards is None:
            return None
        lowest = 0 if high is None else left - high
        return self._reach.highest(onwards, lowest, left - low)

    def _backwards(self, algebra: Algebra, top: int | None = None) -> Iterator[Level]:
        """The levels from the end to the start; with a top only those scores that lead to it."""
        automaton = self._automaton
        level: Level = {flags: {0: algebra.one} for flags in automaton.ends()}
        yield level
        for unit in reversed(range(len(self._least))):
            limits.check()
            before = self._gains[:unit]
            lowest = sum(gain for gain in before if gain < 0)
            highest = sum(gain for gain in before if gain > 0)
            after, level = level, {}
            for flags in automaton.flags:
                scores: Scores = {}
                for low, high, then, loss in self._steps(unit, flags, 0):
                    for score, onwards in after.get(then, {}).items():
                        reached = score - loss
                        if top is None or lowest <= top - reached <= highest:
                            ways = algebra.spread(onwards, low, high)
                            if reached in scores:
                                scores[reached] = algebra.add(scores[reached], ways)
                            elif ways:
                                scores[reached] = ways
                if scores:
                    level[flags] = scores
            yield level


Level = dict[Flags, Scores]
"""From one unit on: for the flags with which it can be reached, the ways to each score."""
