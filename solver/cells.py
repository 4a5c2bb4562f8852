"""The legal set of a board as a disjoint union of cells.

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
few cells, and `solver.exact` makes an automaton of each.

Two readings make cells of their own: `leftover` in the first case, and `must_kill`, under which
the amount of the partial unit decides which of its rivals must have their need; the cases are then
parted further by that amount.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from rules.board import Board
from rules.lethal import EXEMPT, NEVER, need
from rules.position import Position

KNOWN: Final = frozenset(
    {
        "assign_total",
        "backline_last",
        "lethal_in_full_before_next",
        "no_over_assignment",
        "obey_requirements",
        "tank_first",
        "undamageable_exempt",
    }
)
"""The rules by which the cells are cut; a test compares them with those that decide."""

Range = tuple[int, int | None]
"""From so many points to so many; None for no upper end."""


class Menu(NamedTuple):
    """What one unit may be given in a cell: certain amounts, a range by exception, or a range.

    At most one unit of a cell takes its `exception`; a `free` range is there for every unit.
    """

    amounts: tuple[int, ...] = ()
    exception: Range | None = None
    free: Range | None = None

    @property
    def ends(self) -> Range:
        """The least and the most of it; None for no upper end. It must not be empty."""
        ends = [*self.amounts, *(self.exception or ()), *(self.free or ())]
        least = min(end for end in ends if end is not None)
        return least, None if None in ends else max(end for end in ends if end is not None)

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

    def has_room(self, total: int) -> bool:
        """Is the total between the least and the most that the menus allow?"""
        least = most = 0
        for menu in self.menus:
            if menu is NOTHING:
                continue
            if not any(menu):
                return False
            low, high = menu.ends
            least += low
            most += total if high is None else high
        return least <= total <= most


def demanded(
    cells: Iterable[Cell],
    least: Sequence[int | str] | Mapping[int, int | str],
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
def compiled(board: Board) -> tuple[Cell, ...]:
    """The legal set of a board as cells that do not overlap."""
    still = Position(board, (0,) * len(board.units))
    if not all(still.exempt):
        return tuple(_Tiers(board, still).cells())
    menu = Menu(free=(0, None)) if total_of(board) else NOTHING
    return (Cell((menu,) * len(board.units)),)


def total_of(board: Board) -> int:
    """The points that every legal assignment of a board spends, its pool if anybody takes them."""
    takers = need(board)
    if board.readings.only_undamageable == "nothing":
        takers = [least for least in takers if least != EXEMPT]
    return board.pool if takers else 0


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
