"""The legal set of a board as one compiled object, without a solver.

`solver.cells` parts the set into cells in which every unit has a menu of its own. A cell is
accepted by an automaton that reads the units in board order and remembers how many points are left
and two flags. Counting, ranking, sampling and listing are walks on these automata; the number of
ways to go on from a state is a coefficient of a counting series (`solver.series`).
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from heapq import merge
from itertools import groupby, islice
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple, overload

from rules.board import Assignment, Board, read_names
from rules.errors import BadRequest, shown
from rules.lethal import NEVER, deaths
from solver import counting
from solver.cells import Cell, compiled, demanded, total_of
from solver.limits import Clock, LimitReached
from solver.series import Packed, PackedCoefficients, Series, Sparse, SparseCoefficients

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PACKED_BITS: Final = 1 << 30
"""Size of one packed series beyond which sparse ones are used instead."""
_FEW: Final = 64
"""Up to so many different sums, sparse series are quick whatever the pool."""
_TAILS: Final = 256
"""A listing makes up to so many assignments at a time, fewer at its beginning."""
_DEPTH: Final = 200
"""Of so many units the ends of assignments are made at once, unit within unit."""
_AMOUNTS: Final = 1 << 20
"""Marginals tell up to so many different amounts of a unit."""
_ROWS: Final = 1 << 14
"""Rows of the arrays in which a listing comes, unless told otherwise."""


Coefficients = PackedCoefficients | SparseCoefficients


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

    def __init__(self, cell: Cell, total: int) -> None:
        self.cell = cell
        self.total = total
        self._algebra = _algebra(cell, total)
        exceptions = any(menu.exception for menu in cell.menus)
        self._flags = [(o, k) for o in {True, not exceptions} for k in {False, bool(cell.lacking)}]
        self._table: list[dict[tuple[bool, bool], Series]] = []
        self._opened: dict[tuple[int, bool, bool], Coefficients] = {}
        self._moves: dict[tuple[int, bool, bool], list[Move]] = {}

    def moves(self, unit: int, is_open: bool, lacking: bool) -> list[Move]:
        """The choices for a unit, least points first within each kind."""
        key = (unit, is_open, lacking)
        if key not in self._moves:
            self._moves[key] = self._moves_of(*key)
        return self._moves[key]

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
        if not self._possible():
            return 0
        start = (True, bool(self.cell.lacking))
        series = self._end()
        for unit in reversed(range(len(self.cell.menus))):
            series = self._before(unit, series)
        return int(self._algebra.at(series[start], self.total))

    def accepts(self) -> bool:
        """Is there any assignment in the cell?"""
        return self._possible() and self.ways(0, True, bool(self.cell.lacking), self.total) > 0

    def _possible(self) -> bool:
        """Do the least and the most that the menus allow leave room for the total?"""
        least = most = 0
        for amounts, exception, free in self.cell.menus:
            ends = [*amounts, *(exception or ()), *(free or ())]
            if not ends:
                return False
            least += min(end for end in ends if end is not None)
            most += self.total if None in ends else max(end for end in ends if end is not None)
        return least <= self.total <= most

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
            if move.low != move.high:
                yield from self._amounts_of(move, unit, points)
            elif self._coefficients(unit + 1, move.open, move.lacking).at(points - move.low):
                yield move.low, move.open, move.lacking

    def _amounts_of(self, move: Move, unit: int, points: int) -> Iterator[tuple[int, bool, bool]]:
        onwards = self._coefficients(unit + 1, move.open, move.lacking)
        high = points if move.high is None else min(move.high, points)
        for left in onwards.support(points - high, points - move.low):
            yield points - left, move.open, move.lacking

    def _series(self, unit: int, is_open: bool, lacking: bool) -> Series:
        if not self._table:
            table = [self._end()]
            for each in reversed(range(len(self.cell.menus))):
                table.append(self._before(each, table[-1]))
            self._table = table[::-1]
        return self._table[unit][is_open, lacking]

    def marginal(self, unit: int) -> Iterator[tuple[int, int]]:
        """Amounts that the unit is given, each with the number of assignments that do so.

        An amount may come more than once. Raises `BadRequest` (`limit`) where there are too many.
        """
        algebra = self._algebra
        for flags, spent in self._before_unit(unit).items():
            for low, high, is_open, lacking in self.moves(unit, *flags):
                onwards = self._series(unit + 1, is_open, lacking)
                others = algebra.opened(algebra.multiply(spent, onwards))
                high = self.total if high is None else min(high, self.total)
                left = others.support(self.total - high, self.total - low)
                for number, rest in enumerate(left):
                    if number > _AMOUNTS:
                        raise BadRequest("too many different amounts to tell", "$.pool", "limit")
                    yield self.total - rest, others.at(rest)

    def _before_unit(self, unit: int) -> dict[tuple[bool, bool], Series]:
        """For the flags with which a unit can be reached, the ways to get there."""
        algebra = self._algebra
        reached = {(True, bool(self.cell.lacking)): algebra.one}
        for each in range(unit):
            onwards: dict[tuple[bool, bool], Series] = {}
            for flags, spent in reached.items():
                for low, high, *after in self.moves(each, *flags):
                    key = (after[0], after[1])
                    step = algebra.spread(spent, low, high)
                    onwards[key] = algebra.add(onwards.get(key, algebra.zero), step)
            reached = onwards
        return reached

    def _coefficients(self, unit: int, is_open: bool, lacking: bool) -> Coefficients:
        key = (unit, is_open, lacking)
        if key not in self._opened:
            self._opened[key] = self._algebra.opened(self._series(*key))
        return self._opened[key]

    def _end(self) -> dict[tuple[bool, bool], Series]:
        """After the last unit: one way, if no exception is due and nobody has to lack any more."""
        zero, one = self._algebra.zero, self._algebra.one
        return {(o, k): zero if k or (o and self.cell.due) else one for o, k in self._flags}

    def _before(
        self, unit: int, after: dict[tuple[bool, bool], Series]
    ) -> dict[tuple[bool, bool], Series]:
        """The series from a unit on, given those from the next."""
        algebra = self._algebra
        result = {}
        for flags in self._flags:
            total = algebra.zero
            for low, high, is_open, lacking in self.moves(unit, *flags):
                onwards = after[is_open, lacking]
                total = algebra.add(total, algebra.spread(onwards, low, high))
            result[flags] = total
        return result


class Marginal(NamedTuple):
    """One unit's part in a legal set: how many assignments give it how much; how many kill it."""

    points: dict[int, int]
    kills: int


States = tuple[tuple[int, bool, bool], ...]
"""The automata that can still accept, by number, each with its flags."""
Tails = dict[tuple[int, States, int], list[Assignment]]


class Legal(Sequence[Assignment]):
    """The legal assignments of a board in lexicographic order; none of them is stored.

    A sequence of tuples of raw points that can be iterated, indexed, sliced and searched, however
    many there are; `count()` is their number (`len` works up to the size that Python allows).
    """

    def __init__(self, board: Board, kill: Iterable[str] = (), spare: Iterable[str] = ()) -> None:
        self.board = board
        self.kill = read_names(board.units, kill, "$.kill")
        self.spare = read_names(board.units, spare, "$.spare")
        self._units = len(board.units)

    @cached_property
    def automata(self) -> list[Automaton]:
        """An automaton for each cell of the set, compiled when something is asked that needs it."""
        cells: Sequence[Cell] = compiled(self.board)
        if self.kill or self.spare:
            names = self.board.names
            killed = [u for u, name in enumerate(names) if name in self.kill]
            spared = [u for u, name in enumerate(names) if name in self.spare]
            cells = demanded(cells, deaths(self.board), killed, spared)
        return [Automaton(cell, self.total) for cell in cells]

    @cached_property
    def total(self) -> int:
        """The points that every legal assignment spends: the pool, or 0 if nobody takes any."""
        return total_of(self.board)

    def count(self, value: object = None) -> int:
        """How many legal assignments there are, an integer of any size.

        With a value, as for any sequence, how often that is one of them: 1 or 0.
        """
        return self._count if value is None else int(value in self)

    @cached_property
    def _count(self) -> int:
        at_once = None if self.kill or self.spare else counting.count(self.board)
        if at_once is not None:
            return at_once
        return sum(automaton.count() for automaton in self.automata)

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        return self._count > 0

    def __repr__(self) -> str:
        return f"<{self._count} legal assignments: {self.board}>"

    @cached_property
    def start(self) -> States:
        """The states in which nothing has been given and everything is possible."""
        return tuple(
            (number, True, bool(automaton.cell.lacking))
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

    def _step(self, unit: int, states: States, points: int, amount: int) -> States:
        """The states after giving the unit that amount."""
        return tuple(
            (n, move.open, move.lacking)
            for n, o, k in states
            for move in self.automata[n].moves(unit, o, k)
            if move.low <= amount and (move.high is None or amount <= move.high)
        )

    def __iter__(self) -> Iterator[Assignment]:
        if not self._units:
            yield ()
            return
        if not self.start:
            return
        tails: Tails = {}
        at_a_time = 1
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
            near = self._units - unit <= _DEPTH
            if near and self._ways(unit, states, left) <= at_a_time:
                yield from map((*prefix, amount).__add__, self._tail(unit, states, left, tails))
                at_a_time = min(2 * at_a_time, _TAILS)
            else:
                pending.append(((*prefix, amount), left, self._steps(unit, states, left)))

    def _tail(self, unit: int, states: States, points: int, tails: Tails) -> list[Assignment]:
        """All ways to go on from a unit; kept, since the same are needed again and again."""
        if unit == self._units:
            return [()]
        key = (unit, states, points)
        tail = tails.get(key)
        if tail is None:
            tail = tails[key] = [
                (amount, *rest)
                for amount, after in self._all_steps(unit, states, points)
                for rest in self._tail(unit + 1, after, points - amount, tails)
            ]
        return tail

    @overload
    def __getitem__(self, index: int) -> Assignment: ...
    @overload
    def __getitem__(self, index: slice) -> list[Assignment]: ...
    def __getitem__(self, index: int | slice) -> Assignment | list[Assignment]:
        if isinstance(index, slice):
            return [self._unranked(i) for i in range(*index.indices(self._count))]
        place = index + self._count if index < 0 else index
        if not 0 <= place < self._count:
            raise IndexError(f"there are {self._count} legal assignments, none at {index}")
        return self._unranked(place)

    def _unranked(self, rank: int) -> Assignment:
        """The assignment before which there are `rank` others."""
        chosen: list[int] = []
        states, points = self.start, self.total
        for unit in range(self._units):
            amount = bisect_right(
                range(points + 1),
                rank,
                key=lambda most: self._ways_up_to(unit, states, points, most),
            )
            if amount:
                rank -= self._ways_up_to(unit, states, points, amount - 1)
            states = self._step(unit, states, points, amount)
            points -= amount
            chosen.append(amount)
        return tuple(chosen)

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """The place of an assignment in the order. Raises `ValueError` for one not in the set."""
        rank = self._rank(value)
        if rank is None or not start <= rank < (self._count if stop is None else stop):
            raise ValueError(f"{shown(value)} is not among the legal assignments")
        return rank

    def __contains__(self, value: object) -> bool:
        return self._rank(value) is not None

    def _rank(self, value: object) -> int | None:
        if not isinstance(value, Sequence) or len(value) != self._units:
            return None
        states, points, rank = self.start, self.total, 0
        for unit, amount in enumerate(value):
            if type(amount) is not int or not 0 <= amount <= points:
                return None
            if amount:
                rank += self._ways_up_to(unit, states, points, amount - 1)
            states = self._step(unit, states, points, amount)
            points -= amount
        return rank if self._ways(self._units, states, points) else None

    def sample(self, n: int, *, seed: int) -> list[Assignment]:
        """`n` legal assignments drawn independently, each exactly as likely as any other.

        The same seed draws the same ones. Raises `ValueError` where there is none to draw.
        """
        if n and not self._count:
            raise ValueError("there is no legal assignment to draw from")
        draw = random.Random(seed)
        return [self._unranked(draw.randrange(self._count)) for _ in range(n)]

    def kill_sets(self, time_limit: float | None = None) -> dict[tuple[str, ...], int]:
        """The sets of units that can die, each with the number of assignments that do it.

        Largest first, then in unit order. Raises `LimitReached` with the number of sets found when
        the time limit, in seconds, comes first.
        """
        names, least = self.board.names, deaths(self.board)
        found: dict[tuple[int, ...], int] = {}
        clock = Clock(time_limit)
        everything = [automaton.cell for automaton in self.automata]
        pending: list[tuple[int, tuple[int, ...], list[Cell], int]] = []
        if self._count:
            pending.append((0, (), everything, self._count))
        while pending:
            if clock.is_over():
                raise LimitReached(len(found))
            unit, killed, cells, number = pending.pop()
            if unit == self._units:
                found[killed] = number
                continue
            dead, deadly = self._deadly(cells, unit, least[unit], number)
            if dead < number:
                alive = demanded(cells, least, (), (unit,))
                pending.append((unit + 1, killed, alive, number - dead))
            if dead:
                pending.append((unit + 1, (*killed, unit), deadly, dead))
        order = sorted(found, key=lambda killed: (-len(killed), killed))
        return {tuple(names[u] for u in killed): found[killed] for killed in order}

    def _deadly(
        self, cells: list[Cell], unit: int, least: int | str, number: int
    ) -> tuple[int, list[Cell]]:
        """How many of so many assignments in the cells kill the unit, and the cells of those."""
        if least == NEVER:
            return 0, []
        if least == 0:
            return number, cells
        total, deadly = 0, []
        for cell in demanded(cells, {unit: least}, (unit,), ()):
            count = Automaton(cell, self.total).count()
            if count:
                total += count
                deadly.append(cell)
        return total, deadly

    def marginals(self) -> dict[str, Marginal]:
        """For each unit, by its name: in how many assignments it is given how much, and dies."""
        least = deaths(self.board)
        result = {}
        for unit, name in enumerate(self.board.names):
            found: dict[int, int] = {}
            for automaton in self.automata:
                for amount, number in automaton.marginal(unit):
                    found[amount] = found.get(amount, 0) + number
            dead = 0 if least[unit] == NEVER else int(least[unit])
            kills = sum(n for x, n in found.items() if x >= dead and least[unit] != NEVER)
            result[name] = Marginal(dict(sorted(found.items())), kills)
        return result

    def to_numpy(self) -> NDArray[np.int64]:
        """All legal assignments as one array, a row for each, a column for each unit.

        Raises `OverflowError` for points beyond 64 bits and `MemoryError` where it does not fit.
        """
        import numpy as np

        rows = np.empty((self._count, self._units), dtype=np.int64)
        if self._units > _DEPTH:
            top = 0
            for block in self.blocks():
                rows[top : top + len(block)] = block
                top += len(block)
            return rows
        self._fill(rows, 0, self.start, self.total, {})
        return rows

    def blocks(self, rows: int = _ROWS) -> Iterator[NDArray[np.int64]]:
        """The array of `to_numpy` piece by piece, `rows` rows at a time."""
        import numpy as np

        if rows < 1:
            raise ValueError(f"a block has at least one row, not {rows}")
        listed = iter(self)
        while piece := list(islice(listed, rows)):
            yield np.array(piece, dtype=np.int64).reshape(len(piece), self._units)

    def _fill(
        self,
        rows: NDArray[np.int64],
        unit: int,
        states: States,
        points: int,
        made: dict[tuple[int, States, int], NDArray[np.int64]],
    ) -> None:
        """Write all ways to go on from a unit; small pieces are made once and copied."""
        if unit == self._units:
            return
        key = (unit, states, points)
        if key in made:
            rows[:] = made[key]
            return
        top = 0
        for amount, after in self._steps(unit, states, points):
            end = top + self._ways(unit + 1, after, points - amount)
            rows[top:end, 0] = amount
            self._fill(rows[top:end, 1:], unit + 1, after, points - amount, made)
            top = end
        if len(rows) <= _ROWS:
            made[key] = rows.copy()


def _numbered(
    automaton: int, amounts: Iterable[tuple[int, bool, bool]]
) -> Iterator[tuple[int, tuple[int, bool, bool]]]:
    """Amounts with the states after them, the number of the automaton put in."""
    for amount, is_open, lacking in amounts:
        yield amount, (automaton, is_open, lacking)


@lru_cache(maxsize=256)
def legal(board: Board, kill: tuple[str, ...] = (), spare: tuple[str, ...] = ()) -> Legal:
    """The legal set of a board; asked for again it is the same object, with what it knows."""
    return Legal(board, kill, spare)


def _algebra(cell: Cell, total: int) -> Packed | Sparse:
    """The algebra that is quicker for a cell: sparse where there are few sums or many points."""
    sums = prod(len(menu.amounts) + bool(menu.exception) + bool(menu.free) for menu in cell.menus)
    if sums <= _FEW:
        return Sparse(total)
    ways = prod(max(1, len(menu.amounts)) for menu in cell.menus) * (total + 1)
    ways *= (total + 1) ** sum(menu.free is not None for menu in cell.menus)
    ways *= len(cell.menus) + 1
    if ways.bit_length() * (total + 1) > _PACKED_BITS:
        return Sparse(total)
    return Packed(total, ways)
