"""At which pools a demand can be met, and at which it can fail: all pools in one pass.

The cells of a legal set do not depend on the pool: it only says to how much the points of an
assignment add up. So an automaton that keeps the totals that can be reached, as spans of numbers,
answers for all pools at once, however large; and since the last span may have no end, nothing has
to be assumed of how the answer depends on the pool.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from rules.board import Board, Unit
from rules.checks import MAX_NUMBER
from rules.editions import edition
from rules.lethal import counted_at_assignment, deaths, need_of
from solver import limits
from solver.automaton import Automaton, Move
from solver.cells import Cell, compiled, total_of
from solver.fates import pieces
from solver.limits import TOO_LARGE, LimitReached
from solver.series import Reach

_GRADES: Final = 1 << 22
"""Size of the question, units times excess squared, up to which an excess is told apart."""
_MOST_SPANS: Final = 1 << 16
"""Totals that fall into more spans than this are beyond reach, and that is said."""

Totals = list[tuple[int, int]]
"""Numbers of points as spans from the first to the last, ascending, never side by side."""
State = tuple[bool, bool, bool, int]
"""The two flags of an automaton, whether the demand is missed, and the excess so far."""
Reached = dict[State, Totals]
"""The totals that can have been spent, by state."""
Known = dict[tuple[object, ...], Reached]
"""What is reached before the last unit, by all that it depends on."""


class Demand(NamedTuple):
    """Units by position that must die and that must live, and a least excess in points."""

    kill: Collection[int] = ()
    spare: Collection[int] = ()
    excess: int = 0


class Fate(NamedTuple):
    """Does some legal assignment meet the demand, and does some miss it? One of the two does."""

    met: bool
    missed: bool


class Pools:
    """The fates of a demand at every pool of a board, whose own pool does not matter.

    With `most` only pools up to there are asked for, which costs less; boards that differ in their
    last unit alone, asked with the same demand, may share what is `known` of the units before it.
    Raises `LimitReached` for what is too large, and when the deadline comes first.
    """

    def __init__(
        self, board: Board, demand: Demand, most: int = MAX_NUMBER, known: Known | None = None
    ) -> None:
        anyhow = replace(board, pool=1)
        self._demand = demand
        self._least = deaths(anyhow)
        if len(board.units) * demand.excess**2 > _GRADES:
            raise LimitReached(TOO_LARGE)
        self._grades = [_grades(unit, anyhow, demand.excess) for unit in board.units]
        self._most = most if total_of(anyhow) else 0
        self._known: Known = {} if known is None else known
        met: Totals = []
        missed: Totals = []
        for cell in compiled(anyhow):
            for (fails, excess), totals in self._read(cell):
                (missed if fails or excess < demand.excess else met).extend(totals)
        self._met, self._missed = _joined(met), _joined(missed)

    def at(self, pool: int) -> Fate:
        """The fate of the demand at that pool."""
        total = min(pool, self._most)
        return Fate(_is_in(total, self._met), _is_in(total, self._missed))

    def runs(self) -> Iterator[tuple[int, Fate]]:
        """From which pool on there is which fate, ascending; the last goes on without end."""
        ends = {
            0,
            *(point for span in (*self._met, *self._missed) for point in (span[0], span[1] + 1)),
        }
        for start in sorted(point for point in ends if point <= self._most):
            yield start, self.at(start)

    def _read(self, cell: Cell) -> Iterator[tuple[tuple[bool, int], Totals]]:
        """The totals of a cell, by whether kill or spare is missed and how much excess there is."""
        automaton = Automaton(cell, self._most, Reach(0))  # its own series are not asked for
        last = len(cell.menus) - 1
        reached: Reached = {(*automaton.start, False, 0): [(0, 0)]}
        if last >= 0:
            others = tuple(item for item in sorted(cell.lacking.items()) if item[0] != last)
            key = (tuple(cell.menus[:last]), bool(cell.lacking), others)
            if key not in self._known:
                for unit in range(last):
                    reached = self._after(unit, reached, automaton)
                self._known[key] = reached
            reached = self._after(last, self._known[key], automaton)
        ends = automaton.ends()
        for (is_open, lacking, missed, excess), totals in reached.items():
            if (is_open, lacking) in ends:
                yield (missed, excess), totals

    def _after(self, unit: int, reached: Reached, automaton: Automaton) -> Reached:
        """What can have been spent with one more unit."""
        limits.check()
        after: Reached = {}
        for (is_open, lacking, missed, excess), totals in reached.items():
            for move in automaton.moves(unit, is_open, lacking):
                for low, high, amiss, more in self._parts(unit, move, excess):
                    state = (move.open, move.lacking, missed or amiss, excess + more)
                    after.setdefault(state, []).extend(self._further(totals, low, high))
        return {state: _joined(totals) for state, totals in after.items() if totals}

    def _further(self, totals: Totals, low: int, high: int | None) -> Iterator[tuple[int, int]]:
        """The totals with from `low` to `high` points more, None for no upper end."""
        for first, last in totals:
            if first + low > self._most:
                return
            yield first + low, self._most if high is None else last + high

    def _parts(
        self, unit: int, move: Move, excess: int
    ) -> Iterator[tuple[int, int | None, bool, int]]:
        """A choice for a unit in parts: is the demand missed by it, and how much excess it adds.

        Excess counts as far as it is asked for.
        """
        for low, high, dies in pieces(move, self._least[unit]):
            amiss = unit in (self._demand.spare if dies else self._demand.kill)
            grades = self._grades[unit][: self._demand.excess - excess]
            for more, start in enumerate([low, *grades]):
                end = high if more == len(grades) else grades[more] - 1
                end = end if high is None or end is None else min(end, high)
                if end is None or max(low, start) <= end:
                    yield max(low, start), end, amiss, more


def _grades(unit: Unit, board: Board, excess: int) -> list[int]:
    """The least raw of which the unit has an excess of 1, of 2 and so on; empty if it never has."""
    least = need_of(unit, board)
    if not isinstance(least, int):
        return []
    wanted = range(1, excess + 1)
    if board.readings.excess == "raw":
        return [least + more for more in wanted]
    through = counted_at_assignment(unit, edition(board.edition))
    raw = [through.least(through.applied(least) + more) for more in wanted]
    return [points for points in raw if points is not None]


def _joined(totals: Iterable[tuple[int, int]]) -> Totals:
    """The same numbers as spans in order. Raises `LimitReached` where there are too many."""
    joined: Totals = []
    for first, last in sorted(totals):
        if joined and first <= joined[-1][1] + 1:
            if last > joined[-1][1]:
                joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    if len(joined) > _MOST_SPANS:
        raise LimitReached(TOO_LARGE)
    return joined


def _is_in(total: int, totals: Totals) -> bool:
    place = bisect_right(totals, total, key=lambda span: span[0])
    return place > 0 and total <= totals[place - 1][1]
