"""At which pools a demand can be met, and at which it can fail: all pools in one pass.

The cells of a legal set do not depend on the pool: it only says to how much the points of an
assignment add up. So an automaton that keeps a bit for every total answers for all of them at once.

Where it ends. Let M be, for each unit, an amount from which on nothing about the unit changes: above
all that its menus name, its death and the excess that is asked for. Of an assignment with more
points than the sum of all M some unit has more than its M, and can be given one more or one less: at
all totals beyond that sum, the horizon, the answer is the same. So nothing is lost by not looking
farther, and nothing has to be assumed of how the answer depends on the pool.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from msgspec.structs import replace

from rules.board import Board, Unit
from rules.editions import edition
from rules.lethal import NEVER, counted_at_assignment, deaths, need_of
from solver import limits
from solver.automaton import Automaton, Move
from solver.cells import Cell, compiled, total_of
from solver.fates import pieces
from solver.limits import TOO_LARGE, LimitReached
from solver.series import Reach

_DENSE: Final = 1 << 22
"""Totals up to which they are kept, a bit for each."""
_GRADES: Final = 1 << 22
"""Size of the question, units times excess squared, up to which an excess is told apart."""


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

    With `most` only pools up to there are asked for, which costs less. Raises `LimitReached` for
    what is too large, and when the deadline comes first.
    """

    def __init__(self, board: Board, demand: Demand, most: int | None = None) -> None:
        anyhow = replace(board, pool=1)
        self._demand = demand
        self._least = deaths(anyhow)
        if len(board.units) * demand.excess**2 > _GRADES:
            raise LimitReached(TOO_LARGE)
        self._grades = [_grades(unit, anyhow, demand.excess) for unit in board.units]
        cells = compiled(anyhow)
        self.horizon = self._horizon(cells) if total_of(anyhow) else 0
        self._size = self.horizon if most is None else min(self.horizon, most)
        if self._size > _DENSE:
            raise LimitReached(TOO_LARGE)
        self._met = self._missed = 0
        for cell in cells:
            self._read(cell)

    def at(self, pool: int) -> Fate:
        """The fate of the demand at that pool."""
        total = min(pool, self._size)
        return Fate(bool(self._met >> total & 1), bool(self._missed >> total & 1))

    def runs(self) -> Iterator[tuple[int, Fate]]:
        """From which pool on there is which fate, ascending; the last goes on without end."""
        width = self._size + 1
        met, missed = (f"{bits:0{width}b}"[::-1] for bits in (self._met, self._missed))
        for fate, run in groupby(range(width), key=lambda p: (met[p] == "1", missed[p] == "1")):
            yield next(run), Fate(*fate)

    def _horizon(self, cells: Collection[Cell]) -> int:
        horizon = 0
        for unit, dies in enumerate(self._least):
            ends = [0 if dies == NEVER else int(dies), *self._grades[unit][-1:]]
            for cell in cells:
                amounts, exception, free = cell.menus[unit]
                ends += [*amounts, cell.lacking.get(unit, 0)]
                ends += [end for end in (*(exception or ()), *(free or ())) if end is not None]
            horizon += max(ends) + 1
        return horizon

    def _read(self, cell: Cell) -> None:
        """Add the totals of a cell at which the demand can be met, and at which it can fail."""
        reach = Reach(self._size)
        automaton = Automaton(cell, self._size, reach)
        reached = {(*automaton.start, False, 0): reach.one}
        for unit in range(len(cell.menus)):
            limits.check()
            after: dict[tuple[bool, bool, bool, int], int] = {}
            for (is_open, lacking, missed, excess), spent in reached.items():
                for move in automaton.moves(unit, is_open, lacking):
                    for low, high, amiss, more in self._parts(unit, move, excess):
                        state = (move.open, move.lacking, missed or amiss, excess + more)
                        further = reach.spread(spent, low, high)
                        after[state] = after.get(state, 0) | further
            reached = after
        for (is_open, lacking, missed, excess), spent in reached.items():
            if (is_open, lacking) in automaton.ends():
                if missed or excess < self._demand.excess:
                    self._missed |= spent
                else:
                    self._met |= spent

    def _parts(
        self, unit: int, move: Move, excess: int
    ) -> Iterator[tuple[int, int | None, bool, int]]:
        """A choice for a unit in parts: is the demand missed by it, and how much excess it adds.

        Excess counts as far as it is asked for.
        """
        for low, high, dies in pieces(move, self._least[unit]):
            amiss = unit in (self._demand.spare if dies else self._demand.kill)
            grades = self._grades[unit][: self._demand.excess - excess]
            starts = [low, *(max(low, start) for start in grades)]
            for more, start in enumerate(starts):
                end = high if more == len(grades) else grades[more] - 1
                end = end if high is None or end is None else min(end, high)
                if end is None or start <= end:
                    yield start, end, amiss, more


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
