"""The legal set of a board as one compiled object, without a solver.

`solver.cells` parts the set into cells in which every unit has a menu of its own, and a cell is
accepted by an automaton (`solver.automaton`). Counting, ranking, sampling and listing are walks on
these automata; who dies is asked of them in `solver.fates`.

What is asked most has a short cut on ordinary boards, from the needs alone and by the same cases:
how many there are (`solver.counting`), which is the first (`solver.first`), and whether an
assignment is one of them (`solver.membership`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Literal

from rules.board import Assignment, Board
from rules.lethal import NEVER, deaths
from solver import counting, fates, limits
from solver.automaton import Automaton
from solver.cells import Cell, compiled, demanded, total_of
from solver.first import first
from solver.legal_set import LegalSet, Marginal
from solver.series import Reach

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TAILS: Final = 256
"""A listing makes up to so many assignments at a time, fewer at its beginning."""
_TAILS_KEPT: Final = 1 << 14
"""So many ends are kept, since the same are needed again and again."""
_DEPTH: Final = 200
"""Of so many units the ends of assignments are made at once, unit within unit."""
_KEPT: Final = 8
"""So many legal sets are kept with what they know; that of a large board takes megabytes."""
_DIGITS: Final = 30
"""Longer numbers are told by their size where an object shows itself."""

States = tuple[tuple[int, bool, bool], ...]
"""The automata that can still accept, by number, each with its flags."""
Tails = dict[tuple[int, States, int], list[Assignment]]


class Legal(LegalSet):
    """The legal assignments of a board, none of them stored, however many there are."""

    _is_narrowed = False

    @cached_property
    def _units(self) -> int:
        return len(self.board.units)

    @property
    def _is_whole(self) -> bool:
        """Nothing is demanded and no part is taken."""
        return not (self.kill or self.spare or self._is_narrowed)

    def narrowed(self, cells: Sequence[Cell]) -> Legal:
        """Those of the assignments that are in these cells, which are parts of its own."""
        part = Legal(self.board, self.kill, self.spare, time_limit=self.time_limit)
        part.cells = part._with_room(cells)
        part._is_narrowed = True
        return part

    @cached_property
    def cells(self) -> Sequence[Cell]:
        """The parts of the set, those left out in which its points cannot be spent."""
        cells: Sequence[Cell] = compiled(self.board)
        if not self._is_whole:
            names = self.board.names
            killed = [u for u, name in enumerate(names) if name in self.kill]
            spared = [u for u, name in enumerate(names) if name in self.spare]
            cells = demanded(cells, deaths(self.board), killed, spared)
        return self._with_room(cells)

    def _with_room(self, cells: Iterable[Cell]) -> list[Cell]:
        return [cell for cell in cells if cell.has_room(self.total)]

    @cached_property
    def automata(self) -> list[Automaton]:
        """An automaton for each cell of the set, compiled when something is asked that needs it."""
        return [Automaton(cell, self.total) for cell in self.cells]

    @cached_property
    def total(self) -> int:
        """The points that every legal assignment spends: the pool, or 0 if nobody takes any."""
        return total_of(self.board)

    @cached_property
    def _count(self) -> int:
        with limits.deadline(self.time_limit):
            at_once = counting.count(self.board) if self._is_whole else None
            if at_once is not None:
                return at_once
            return sum(automaton.count() for automaton in self.automata)

    def __repr__(self) -> str:
        digits = self._count.bit_length() * 3 // 10
        number = str(self._count) if digits < _DIGITS else f"about 10^{digits}"
        return f"<{number} legal assignments of {self.total} points to {self._units} units>"

    @cached_property
    def start(self) -> States:
        """The states in which nothing has been given and everything is possible."""
        return tuple(
            (number, *automaton.start)
            for number, automaton in enumerate(self.automata)
            if automaton.accepts()
        )

    def _ways(self, unit: int, states: States, points: int) -> int:
        return sum(self.automata[n].ways(unit, o, k, points) for n, o, k in states)

    def _ways_up_to(self, unit: int, states: States, points: int, most: int) -> int:
        return sum(self.automata[n].ways_up_to(unit, o, k, points, most) for n, o, k in states)

    def _steps(self, unit: int, states: States, points: int) -> Iterator[tuple[int, States]]:
        """The amounts the unit may be given, ascending, each with the states after it."""
        kinds = [
            _numbered(n, self.automata[n].amounts(unit, is_open, lacking, points))
            for n, is_open, lacking in states
        ]
        in_order = kinds[0] if len(kinds) == 1 else merge(*kinds)
        for amount, same in groupby(in_order, key=itemgetter(0)):
            yield amount, tuple(state for _, state in same)

    def _all_steps(self, unit: int, states: States, points: int) -> list[tuple[int, States]]:
        """As `_steps`, at once: for where there are few."""
        after: dict[int, States] = {}
        for n, is_open, lacking in states:
            for amount, now_open, now_lacking in self.automata[n].unordered(
                unit, is_open, lacking, points
            ):
                after[amount] = (*after.get(amount, ()), (n, now_open, now_lacking))
        return sorted(after.items())

    def _step(self, unit: int, states: States, amount: int) -> States:
        """The states after giving the unit that amount."""
        return tuple(
            (n, move.open, move.lacking)
            for n, o, k in states
            for move in self.automata[n].moves(unit, o, k)
            if move.low <= amount and (move.high is None or amount <= move.high)
        )

    def __iter__(self) -> Iterator[Assignment]:
        if self.time_limit is None:
            return self._in_order()
        return limits.within(self.time_limit, self._in_order())

    def _in_order(self) -> Iterator[Assignment]:
        at_once = first(self.board) if self._is_whole else None
        if at_once is not None:
            yield at_once
        yield from islice(self._compiled_in_order(), int(at_once is not None), None)

    def _compiled_in_order(self) -> Iterator[Assignment]:
        if any(automaton.is_heavy for automaton in self.automata):
            return self._without_counts()._walked(at_a_time=0)
        return self._walked(at_a_time=1)

    def _without_counts(self) -> Legal:
        """The same set, which knows of its ways to go on only whether there is any."""
        part = self.narrowed(self.cells)
        reach = Reach(self.total)
        part.automata = [Automaton(cell, self.total, reach) for cell in self.cells]
        return part

    def _walked(self, at_a_time: int) -> Iterator[Assignment]:
        """The assignments in order, so many at a time at first, 0 for one at a time throughout."""
        if not self._units:
            yield ()
            return
        if not self.start:
            return
        tails: Tails = {}
        pending: list[tuple[Assignment, int, Iterator[tuple[int, States]]]] = []
        pending.append(((), self.total, self._steps(0, self.start, self.total)))
        while pending:
            prefix, points, steps = pending[-1]
            step = next(steps, None)
            if step is None:
                pending.pop()
                continue
            amount, states = step
            unit, left = len(prefix) + 1, points - amount
            if unit == self._units:
                yield (*prefix, amount)
                continue
            near = at_a_time and self._units - unit <= _DEPTH
            if near and self._ways(unit, states, left) <= at_a_time:
                yield from map((*prefix, amount).__add__, self._tail(unit, states, left, tails))
                at_a_time = min(2 * at_a_time, _TAILS)
            else:
                pending.append(((*prefix, amount), left, self._steps(unit, states, left)))

    def _tail(self, unit: int, states: States, points: int, tails: Tails) -> list[Assignment]:
        """All ways to go on from a unit."""
        if unit == self._units:
            return [()]
        key = (unit, states, points)
        tail = tails.get(key)
        if tail is None:
            if len(tails) >= _TAILS_KEPT:
                tails.clear()
            tail = tails[key] = [
                (amount, *rest)
                for amount, after in self._all_steps(unit, states, points)
                for rest in self._tail(unit + 1, after, points - amount, tails)
            ]
        return tail

    def _at(self, place: int) -> Assignment:
        chosen: list[int] = []
        states, points = self.start, self.total
        for unit in range(self._units):
            limits.check()
            amount = bisect_right(
                range(points + 1),
                place,
                key=lambda most: self._ways_up_to(unit, states, points, most),
            )
            if amount:
                place -= self._ways_up_to(unit, states, points, amount - 1)
            states = self._step(unit, states, amount)
            points -= amount
            chosen.append(amount)
        return tuple(chosen)

    def __contains__(self, value: object) -> bool:
        given = self._read(value)
        if given is None or sum(given) != self.total:
            return False
        states = tuple((n, *automaton.start) for n, automaton in enumerate(self.automata))
        for unit, amount in enumerate(given):
            states = self._step(unit, states, amount)
        return any((o, k) in self.automata[n].ends() for n, o, k in states)

    def _place(self, value: object) -> int | None:
        given = self._read(value)
        if given is None:
            return None
        states, points, place = self.start, self.total, 0
        for unit, amount in enumerate(given):
            if not 0 <= amount <= points:
                return None
            if amount:
                place += self._ways_up_to(unit, states, points, amount - 1)
            states = self._step(unit, states, amount)
            points -= amount
        return place if self._ways(self._units, states, points) else None

    def kill_sets(self) -> dict[tuple[str, ...], int]:
        names = self.board.names
        with limits.deadline(self.time_limit):
            found = fates.kill_sets(self.automata, deaths(self.board))
        return {tuple(names[u] for u in killed): number for killed, number in found.items()}

    def marginals(self) -> dict[str, Marginal]:
        with limits.deadline(self.time_limit):
            pairs = zip(self.board.names, deaths(self.board), strict=True)
            return {name: self._marginal(u, least) for u, (name, least) in enumerate(pairs)}

    def _marginal(self, unit: int, least: int | Literal["never"]) -> Marginal:
        found: dict[int, int] = {}
        for automaton in self.automata:
            for amount, number in automaton.marginal(unit):
                found[amount] = found.get(amount, 0) + number
        kills = 0 if least == NEVER else sum(n for x, n in found.items() if x >= int(least))
        return Marginal(dict(sorted(found.items())), kills)

    def to_numpy(self) -> NDArray[np.int64]:
        with limits.deadline(self.time_limit):
            return self._as_array()

    def _as_array(self) -> NDArray[np.int64]:
        import numpy as np

        rows = np.empty((self._count, self._units), dtype=np.int64)
        # Unit by unit: the states that can be reached, and which of them each beginning is in.
        reached = [(self.start, self.total)]
        place = np.zeros(min(1, self._count), dtype=np.intp)
        for unit in range(self._units):
            after: dict[tuple[States, int], int] = {}
            given, onwards, ends = [], [], [0]
            for states, points in reached:
                limits.check()
                for amount, states_after in self._all_steps(unit, states, points):
                    given.append(amount)
                    onwards.append(after.setdefault((states_after, points - amount), len(after)))
                ends.append(len(given))
            first = np.array(ends[:-1], dtype=np.intp)[place]
            number = np.diff(ends)[place]
            begin = np.cumsum(number) - number
            choice = np.arange(number.sum()) + np.repeat(first - begin, number)
            place = np.array(onwards, dtype=np.intp)[choice]
            ways = np.array([self._ways(unit + 1, *state) for state in after], dtype=np.intp)
            rows[:, unit] = np.repeat(np.array(given, dtype=np.int64)[choice], ways[place])
            reached = list(after)
        return rows


def _numbered(
    automaton: int, amounts: Iterable[tuple[int, bool, bool]]
) -> Iterator[tuple[int, tuple[int, bool, bool]]]:
    """Amounts with the states after them, the number of the automaton put in."""
    for amount, is_open, lacking in amounts:
        yield amount, (automaton, is_open, lacking)


@lru_cache(maxsize=_KEPT)
def legal(board: Board, kill: tuple[str, ...] = (), spare: tuple[str, ...] = ()) -> Legal:
    """The legal set of a board; asked for again it is the same object, with what it knows."""
    return Legal(board, kill, spare)
