"""The legal set of a board as one compiled object, without a solver.

Why it is right. Take the units that are not exempt and need at least one point; a unit that needs
none gets points only when everybody is lethal. Let T, P, B and D be the Tanks, the plain, the
Backline and the dual units. A legal assignment either makes everybody lethal, and then each unit
has its need and what is left over is split as the reading `leftover` allows; or somebody is not
lethal, and then no unit has more than its need, so that each has 0, its need, or, one unit at most,
something between. Which of these are open to a unit depends on how far the points came:

    somebody in T is not lethal      T and D free, nobody else has points
    T is lethal, not all of P        P free, D at 0 or need (the lethal ones count as Tank, the
                                     others as Backline); or nobody in P has points and one unit in
                                     D, counting as Tank, is the partial one
    T and P are lethal               B and D free (a partial one in D counts as Backline)

Here "free" means 0, need or partial. The cases exclude each other, and in each of them every unit
has a menu of its own; the only ties between units are that their points add up to the pool, that at
most one is partial and that somebody of a group is not lethal. So the set is a disjoint union of a
few cells, and each cell is accepted by an automaton that reads the units in board order and
remembers the points left and two flags. Counting, ranking, sampling and listing are walks on it,
and the number of ways to go on from a state is a coefficient of a series (`solver.series`).
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, Final, NamedTuple, overload

from rules.board import Assignment, Board, read_names
from rules.errors import BadRequest, shown
from rules.lethal import NEVER, deaths
from rules.position import Position
from solver.series import Packed, Series, Sparse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PACKED_BITS: Final = 1 << 30
"""Size of one packed series beyond which sparse ones are used instead."""
_FEW: Final = 64
"""Up to so many different sums, sparse series are quick whatever the pool."""
_TAILS: Final = 256
"""A listing makes up to so many assignments at a time."""
_AMOUNTS: Final = 1 << 20
"""Marginals tell up to so many different amounts of a unit."""
_ROWS: Final = 1 << 14
"""Rows of the arrays in which a listing comes, unless told otherwise."""

Range = tuple[int, int | None]
"""From so many points to so many; None for no upper end."""


class Menu(NamedTuple):
    """What one unit may be given in a cell: certain amounts, a range by exception, or a range.

    At most one unit of a cell takes its `exception`; a `free` range is there for every unit.
    """

    amounts: tuple[int, ...] = ()
    exception: Range | None = None
    free: Range | None = None

    def within(self, low: int, high: int | None) -> Menu:
        """What is left of the menu between two amounts."""
        amounts = tuple(x for x in self.amounts if low <= x and (high is None or x <= high))
        return Menu(amounts, _meet(self.exception, low, high), _meet(self.free, low, high))


NOTHING: Final = Menu((0,))


class Cell(NamedTuple):
    """A part of the legal set in which every unit has a menu of its own.

    At most one unit takes its exception, and exactly one if that is `due`. Unless `lacking` is
    empty, somebody in it is given other than the need that stands beside it.
    """

    menus: Sequence[Menu]
    due: bool = False
    lacking: Mapping[int, int] = {}


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
        self._flags = [(o, k) for o in (False, True) for k in {False, bool(cell.lacking)}]
        self._table: list[dict[tuple[bool, bool], Series]] = []

    def moves(self, unit: int, is_open: bool, lacking: bool) -> list[Move]:
        """The choices for a unit, least points first within each kind."""
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
        return int(self._algebra.at(self._series(unit, is_open, lacking), points))

    def ways_up_to(self, unit: int, is_open: bool, lacking: bool, points: int, most: int) -> int:
        """The number of ways to go on in which this unit is given at most `most` points."""
        total = 0
        for move in self.moves(unit, is_open, lacking):
            high = min(most, points if move.high is None else move.high, points)
            if move.low <= high:
                onwards = self._series(unit + 1, move.open, move.lacking)
                total += self._algebra.between(onwards, points - high, points - move.low)
        return total

    def amounts(
        self, unit: int, is_open: bool, lacking: bool, points: int
    ) -> Iterator[tuple[int, bool, bool]]:
        """The points a unit may be given so that there is a way to go on, with the flags then."""
        for move in self.moves(unit, is_open, lacking):
            onwards = self._series(unit + 1, move.open, move.lacking)
            high = points if move.high is None else min(move.high, points)
            for left in self._algebra.support(onwards, points - high, points - move.low):
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
                others = algebra.multiply(spent, self._series(unit + 1, is_open, lacking))
                high = self.total if high is None else min(high, self.total)
                left = algebra.support(others, self.total - high, self.total - low)
                for number, rest in enumerate(left):
                    if number > _AMOUNTS:
                        raise BadRequest("too many different amounts to tell", "$.pool", "limit")
                    yield self.total - rest, int(algebra.at(others, rest))

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


class Legal(Sequence[Assignment]):
    """The legal assignments of a board in lexicographic order; none of them is stored.

    A sequence of tuples of raw points that can be iterated, indexed, sliced and searched, however
    many there are; `count()` is their number (`len` works up to the size that Python allows).
    """

    def __init__(self, board: Board, kill: Iterable[str] = (), spare: Iterable[str] = ()) -> None:
        self.board = board
        self.kill = read_names(board.units, kill, "$.kill")
        self.spare = read_names(board.units, spare, "$.spare")
        cells: Sequence[Cell]
        cells, self.total = compiled(board)
        self._units = len(board.units)
        if self.kill or self.spare:
            killed = [u for u, name in enumerate(board.names) if name in self.kill]
            spared = [u for u, name in enumerate(board.names) if name in self.spare]
            cells = demanded(cells, deaths(board), killed, spared)
        self._automata = [Automaton(cell, self.total) for cell in cells]
        self._tails: dict[tuple[int, States, int], list[Assignment]] = {}

    def count(self, value: object = None) -> int:
        """How many legal assignments there are, an integer of any size.

        With a value, as for any sequence, how often that is one of them: 1 or 0.
        """
        return self._count if value is None else int(value in self)

    @cached_property
    def _count(self) -> int:
        return sum(automaton.count() for automaton in self._automata)

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        return self._count > 0

    def __repr__(self) -> str:
        return f"<{self._count} legal assignments: {self.board}>"

    @cached_property
    def _start(self) -> States:
        return tuple(
            (number, True, bool(automaton.cell.lacking))
            for number, automaton in enumerate(self._automata)
            if automaton.count()
        )

    def _ways(self, unit: int, states: States, points: int) -> int:
        return sum(self._automata[n].ways(unit, o, k, points) for n, o, k in states)

    def _ways_up_to(self, unit: int, states: States, points: int, most: int) -> int:
        return sum(self._automata[n].ways_up_to(unit, o, k, points, most) for n, o, k in states)

    def _steps(self, unit: int, states: States, points: int) -> list[tuple[int, States]]:
        """The amounts the unit may be given, ascending, each with the states after it."""
        after: dict[int, list[tuple[int, bool, bool]]] = {}
        for n, o, k in states:
            for amount, is_open, lacking in self._automata[n].amounts(unit, o, k, points):
                after.setdefault(amount, []).append((n, is_open, lacking))
        return [(amount, tuple(after[amount])) for amount in sorted(after)]

    def _step(self, unit: int, states: States, points: int, amount: int) -> States:
        """The states after giving the unit that amount."""
        return tuple(
            (n, move.open, move.lacking)
            for n, o, k in states
            for move in self._automata[n].moves(unit, o, k)
            if move.low <= amount and (move.high is None or amount <= move.high)
        )

    def __iter__(self) -> Iterator[Assignment]:
        pending: list[tuple[Assignment, States, int]] = []
        if self._start:
            pending.append(((), self._start, self.total))
        while pending:
            prefix, states, points = pending.pop()
            unit = len(prefix)
            if self._ways(unit, states, points) <= _TAILS:
                yield from map(prefix.__add__, self._tail(unit, states, points))
            else:
                steps = self._steps(unit, states, points)
                pending += [((*prefix, x), after, points - x) for x, after in reversed(steps)]

    def _tail(self, unit: int, states: States, points: int) -> list[Assignment]:
        """All ways to go on from a unit, kept: the same ends are needed again and again."""
        if unit == self._units:
            return [()]
        key = (unit, states, points)
        tail = self._tails.get(key)
        if tail is None:
            tail = self._tails[key] = [
                (amount, *rest)
                for amount, after in self._steps(unit, states, points)
                for rest in self._tail(unit + 1, after, points - amount)
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
        states, points = self._start, self.total
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
        states, points, rank = self._start, self.total, 0
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

    def kill_sets(self) -> dict[tuple[str, ...], int]:
        """The sets of units that can die, each with the number of assignments that do it.

        Largest first, then in unit order.
        """
        names = self.board.names
        least = deaths(self.board)
        cells = [automaton.cell for automaton in self._automata]
        found: dict[tuple[int, ...], int] = {}
        pending: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ())]
        while pending:
            killed, spared = pending.pop()
            so_far = demanded(cells, least, killed, spared)
            number = sum(Automaton(cell, self.total).count() for cell in so_far)
            decided = len(killed) + len(spared)
            if number and decided == self._units:
                found[killed] = number
            elif number:
                pending.append((killed, (*spared, decided)))
                pending.append(((*killed, decided), spared))
        order = sorted(found, key=lambda killed: (-len(killed), killed))
        return {tuple(names[u] for u in killed): found[killed] for killed in order}

    def marginals(self) -> dict[str, Marginal]:
        """For each unit, by its name: in how many assignments it is given how much, and dies."""
        least = deaths(self.board)
        result = {}
        for unit, name in enumerate(self.board.names):
            found: dict[int, int] = {}
            for automaton in self._automata:
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
        self._fill(rows, 0, self._start, self.total, {})
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


def demanded(
    cells: Iterable[Cell],
    least: Sequence[int | str],
    killed: Iterable[int],
    spared: Iterable[int],
) -> list[Cell]:
    """The cells with nothing on their menus but what kills these units and spares those.

    `least` is for each unit the least raw of which it dies, in points or "never".
    """
    limits: dict[int, tuple[int, int | None]] = {}
    for u in killed:
        limits[u] = (0, -1) if least[u] == NEVER else (int(least[u]), None)
    for u in spared:
        if least[u] != NEVER:
            limits[u] = (limits.get(u, (0, None))[0], int(least[u]) - 1)
    result = []
    for cell in cells:
        menus = list(cell.menus)
        for u, (low, high) in limits.items():
            menus[u] = menus[u].within(low, high)
        result.append(cell._replace(menus=tuple(menus)))
    return result


@lru_cache(maxsize=1024)
def compiled(board: Board) -> tuple[tuple[Cell, ...], int]:
    """The legal set of a board as cells that do not overlap, and the points they spend."""
    still = Position(board, (0,) * len(board.units))
    exempt = {u for u in still.units if still.exempt[u]}
    if len(exempt) == len(board.units):
        if exempt and board.readings.only_undamageable == "assign":
            return (Cell((Menu(free=(0, None)),) * len(exempt)),), board.pool
        return (Cell((NOTHING,) * len(exempt)),), 0
    return tuple(_Tiers(board, still).cells()), board.pool


class _Tiers:
    """The units of a board by tier, and the cells that follow from it (see the module)."""

    def __init__(self, board: Board, still: Position) -> None:
        self.readings = board.readings
        self.pool = board.pool
        self.needs = {
            u: n if isinstance(n, int) else None
            for u, n in enumerate(still.needs)
            if not still.exempt[u]
        }
        self.size = len(board.units)
        self.dual = {u for u in self.needs if still.dual[u]}
        self.tank = {u for u in self.needs if still.tank[u]} - self.dual
        self.backline = {u for u in self.needs if still.backline[u]} - self.dual
        self.plain = self.needs.keys() - self.dual - self.tank - self.backline
        self.optional = (
            {u for u in still.units if still.exempt[u]}
            if self.readings.undamageable == "optional"
            else set()
        )

    def cells(self) -> Iterator[Cell]:
        if None not in self.needs.values():
            yield self._all_lethal()
        short = {u for u, n in self.needs.items() if n != 0}
        tank, plain = self.tank & short, self.plain & short
        backline, dual = self.backline & short, self.dual & short
        strict = self.readings.must_kill == "yes"
        yield from self._short(
            full=set(), subset=tank | dual, partial=tank | dual, lacking=tank, rivals=tank
        )
        if self._finite(tank):
            yield from self._short(
                full=tank,
                subset=plain | dual,
                partial=plain,
                lacking=plain,
                rivals=plain,
                optional=True,
            )
            if plain or strict:
                yield from self._short(full=tank, subset=dual, partial=dual, due=True)
        if self._finite(tank | plain):
            last = backline | dual
            splits = strict and not plain
            yield from self._short(
                full=tank | plain,
                subset=last,
                partial=backline if splits else last,
                lacking=last,
                rivals=last,
                optional=True,
            )
            if splits and (backline or self.optional):
                yield from self._short(
                    full=tank,
                    subset=last,
                    partial=dual,
                    rivals=last,
                    due=True,
                    hit=backline | self.optional,
                    optional=True,
                )

    def _finite(self, units: Iterable[int]) -> bool:
        return all(self.needs[u] is not None for u in units)

    def _all_lethal(self) -> Cell:
        """Everybody has their need, and what is left over goes where the reading lets it."""
        menus = [Menu(free=(0, None)) if u in self.optional else NOTHING for u in range(self.size)]
        for u, least in self.needs.items():
            assert least is not None
            if self.readings.leftover == "any":
                menus[u] = Menu(free=(least, None))
            elif self.readings.leftover == "one_unit" or self._may_be_last(u):
                menus[u] = Menu((least,), exception=(least + 1, None))
            else:
                menus[u] = Menu((least,))
        return Cell(tuple(menus))

    def _may_be_last(self, u: int) -> bool:
        """Some choice for the dual units puts the unit in the highest tier there is."""
        if u in self.backline or u in self.dual:
            return True
        return not self.backline and (u in self.plain or not self.plain)

    def _short(
        self,
        *,
        full: set[int],
        subset: set[int],
        partial: set[int],
        lacking: Iterable[int] = (),
        rivals: Iterable[int] = (),
        due: bool = False,
        hit: Iterable[int] = (),
        optional: bool = False,
    ) -> Iterator[Cell]:
        """Cells in which somebody is not lethal, one unless `must_kill` asks for more.

        `full` units have their need, those of `subset` their need or nothing, one of `partial` may
        have something between (must, if that is `due`), somebody in `lacking` is not lethal,
        somebody in `hit` has points, and exempt units may have some if `optional`. Under
        `must_kill` the partial unit must have less than any of its `rivals` without points needs.
        """
        watched = dict.fromkeys(hit, 0)
        if not due:
            if not lacking:
                return
            if self._finite(lacking):
                watched = {u: self._need(u) for u in lacking}
        menus = [NOTHING] * self.size
        for u in self.optional if optional else ():
            menus[u] = Menu(free=(0, None))
        for u in full:
            menus[u] = Menu((self._need(u),))
        for u in subset:
            menus[u] = NOTHING if self.needs[u] is None else Menu((0, self._need(u)))
        if self.readings.must_kill == "no":
            yield Cell(self._with_partial(menus, partial, 1, None), due, watched)
            return
        if not due:
            yield Cell(tuple(menus), False, watched)
        floors = [0, *sorted({n for u in rivals if (n := self.needs[u]) is not None})]
        for floor, above in zip(floors, [*floors[1:], None], strict=True):
            finished = {u for u in rivals if (n := self.needs[u]) is not None and n <= floor}
            between = list(menus)
            for u in finished:
                between[u] = Menu((self._need(u),))
            high = None if above is None else above - 1
            partials = self._with_partial(between, partial - finished, max(1, floor), high)
            yield Cell(partials, True, watched)

    def _with_partial(
        self, menus: Sequence[Menu], units: Iterable[int], low: int, high: int | None
    ) -> tuple[Menu, ...]:
        """The menus with the exception of being partial, between two amounts, for these units."""
        result = list(menus)
        for u in units:
            below = None if self.needs[u] is None else self._need(u) - 1
            result[u] = result[u]._replace(exception=_meet((low, high), 0, below))
        return tuple(result)

    def _need(self, u: int) -> int:
        least = self.needs[u]
        assert least is not None
        return least


def _meet(span: Range | None, low: int, high: int | None) -> Range | None:
    """The part of a range between two amounts, None where there is none."""
    if span is None:
        return None
    low = max(low, span[0])
    ends = [end for end in (high, span[1]) if end is not None]
    top = min(ends) if ends else None
    return None if top is not None and top < low else (low, top)


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
