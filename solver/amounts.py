"""For every amount of a pool, or of one unit's Might, whether what is wished for comes true.

Legality is not monotone in either: a larger pool must be spent all the same, so that sparing gets
harder. Hence nothing is assumed of how the answer depends on the amount. `solver.pools` has it for
all pools; of a unit's Might only its need, the least points it dies of and what it adds to its own
side's pool matter, none of them farther than the points that can be put on it and the last pool at
which something changes for its side. So the Mights are parted into runs in which nothing changes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, NamedTuple, get_args

from msgspec.structs import replace

from rules.board import SIDES, Assignment, Board, Combat, Side, Unit
from rules.checks import MAX_NUMBER
from rules.lethal import contribution, current_might, death_of, need, need_of
from rules.resolution import OTHER, ROLES, ending, question, units_of
from solver import exact, limits
from solver.limits import TOO_LARGE, LimitReached
from solver.optimize import best
from solver.pools import Demand, Fate, Known, Pools

Goal = Literal["stay", "win", "control", "conquer", "no_recall", "no_result"]
How = Literal["possible", "forced", "certain"]
Names = tuple[str, ...]
Span = tuple[int | None, int | None]
"""Amounts from the first to the last, None where there is no end."""
Example = tuple[Board, Assignment]
"""What a side has to decide, and what it may assign then."""
Kinds = list[bool]
"""The kinds of assignments that a side can make: those that meet its demand, those that miss it."""
Run = tuple[int, bool]
"""An amount from which on it is so, or is not."""

GOALS: Final[tuple[Goal, ...]] = get_args(Goal)
"""What a side can want of the end of a combat.

To stay is to have a unit left there that is not recalled; nobody is recalled who is dead.
"""
HOWS: Final[tuple[How, ...]] = get_args(How)
"""Some assignments lead to it; the side can make sure of it; all assignments lead to it."""

_MOST_STEPS: Final = 1 << 13
"""So many states of one unit are told apart."""


class Wish(NamedTuple):
    """What is wanted: units of either side to kill and to spare, a least excess, or a goal."""

    kill: Names = ()
    spare: Names = ()
    excess: int = 0
    goal: Goal | None = None

    def on(self, board: Board, *, asking: bool = True) -> Demand:
        """The part of it that is decided on a board; the excess is that of the side that asks.

        A goal depends on who is left there at all, which is whether everybody dies.
        """
        names = board.names
        if self.goal is not None:
            return Demand(kill=range(len(names)))
        kill, spare = (
            [u for u, name in enumerate(names) if name in wanted]
            for wanted in (self.kill, self.spare)
        )
        return Demand(kill, spare, self.excess if asking else 0)


class OnBoard(NamedTuple):
    """A wish on a board, by its pool or, if there is one, by the Might of a unit."""

    question: Board
    wish: Wish
    how: How
    unit: Unit | None

    @property
    def now(self) -> int:
        """The present amount, in points or in units of Might."""
        return self.question.pool if self.unit is None else self.unit.might

    def runs(self) -> Iterator[Run]:
        """Where it begins to be so and not to be so, ascending."""
        board = self.question
        demand = self.wish.on(board)
        if self.unit is None:
            for pool, fate in Pools(board, demand).runs():
                yield pool, self._comes_true(fate)
            return
        matters = _Matters(self.unit, board, demand)
        for might in matters.mights():
            yield might, self._comes_true(matters.fate(might))

    def extremes(self) -> Iterator[Board]:
        """Boards among which one shows it if a reading could matter at any of the amounts."""
        board = self.question
        return _at_all_pools(board) if self.unit is None else _at_all_mights(board, self.unit)

    def _comes_true(self, fate: Fate) -> bool:
        return fate.met if self.how == "possible" else not fate.missed

    def example(self, amount: int) -> Example | None:
        """An assignment that does it at an amount at which it is possible; none if all do."""
        board = self.question
        if self.how == "certain":
            return None
        if self.unit is None:
            board = replace(board, pool=amount)
        else:
            board = _with_might(board, self.unit, amount)
        return first(board, self.wish.on(board))


class InCombat(NamedTuple):
    """A wish of one side of a combat, by its pool or by the Might of a unit of either side."""

    question: Combat
    wish: Wish
    side: Side
    how: How
    unit: Unit | None

    @property
    def now(self) -> int:
        """The present amount, in points or in units of Might."""
        return question(self.question, self.side).pool if self.unit is None else self.unit.might

    def runs(self) -> Iterator[Run]:
        """Where it begins to be so and not to be so, ascending."""
        boards = {side: question(self.question, side) for side in SIDES}
        demands = {side: self.demand(side, board) for side, board in boards.items()}
        mine = self.side if self.unit is None else self._owner
        theirs = OTHER[mine]
        if self.unit is None:
            fixed = fate_of(boards[theirs], demands[theirs])
            # Without units of its own a side assigns nothing, whatever is added [465.1].
            most = MAX_NUMBER if units_of(self.question, mine) else 0
            for amount, fate in Pools(boards[mine], demands[mine], most).runs():
                yield amount, self._with_fates({mine: fate, theirs: fixed})
            return
        pools = Pools(boards[mine], demands[mine])
        without = boards[mine].pool - contribution(self.unit, ROLES[mine])
        *_, (most, _) = pools.runs()
        matters = _Matters(self.unit, boards[theirs], demands[theirs], without, most)
        for might in matters.mights():
            fates = {mine: pools.at(matters.pool(might)), theirs: matters.fate(might)}
            yield might, self._with_fates(fates)

    def extremes(self) -> Iterator[Board]:
        """Boards among which one shows it if a reading could matter at any of the amounts."""
        mine = self.side if self.unit is None else self._owner
        board, other = (question(self.question, side) for side in (mine, OTHER[mine]))
        yield from _at_all_pools(board)
        if self.unit is None:
            yield other
        else:
            yield from _at_all_mights(other, self.unit)

    @property
    def _owner(self) -> Side:
        return next(side for side in SIDES if self.unit in units_of(self.question, side))

    def demand(self, side: Side, board: Board) -> Demand:
        """The part of the wish that is decided by what a side assigns."""
        return self.wish.on(board, asking=side == self.side)

    def _with_fates(self, fates: Mapping[Side, Fate]) -> bool:
        return self.comes_true(kinds_of(fates[self.side]), kinds_of(fates[OTHER[self.side]]))

    def comes_true(self, mine: Kinds, theirs: Kinds) -> bool:
        """Does it come true, where both sides can assign in these ways and in no other?"""
        enough = self._enough(mine, theirs)
        if self.how == "certain":
            return len(enough) == len(mine)
        if enough or self.how == "possible" or self.side == "attacker":
            return bool(enough)
        # The Attacker assigns first, and the Defender may answer what they see [465.2.c].
        return all(any(self.is_good(m, t) for m in mine) for t in theirs)

    def _enough(self, mine: Kinds, theirs: Kinds) -> Kinds:
        """With which kinds of assignment of one's own it comes true.

        Whatever the other assigns, unless it only has to be possible.
        """
        quantifier = any if self.how == "possible" else all
        return [m for m in mine if quantifier(self.is_good(m, t) for t in theirs)]

    def is_good(self, mine: bool, theirs: bool) -> bool:
        """Does it come true where both sides' assignments meet their demands, or do not?"""
        goal, side = self.wish.goal, self.side
        if goal is None:
            return mine and theirs
        units = (*units_of(self.question, OTHER[side]) * mine,
                 *units_of(self.question, side) * theirs)  # fmt: skip
        end = ending(self.question, (unit.name for unit in units))
        return {
            "stay": not theirs and not (side == "attacker" and end.recalled),
            "win": end.result == f"{side}_won",
            "control": end.control == side,
            "conquer": end.conquer and end.control == side,
            "no_recall": not end.recalled,
            "no_result": end.result == "no_result",
        }[goal]

    def example(self, amount: int) -> Example | None:
        """An assignment of the side that asks that does it at an amount; none if all do.

        None too where the Defender has to see first what the Attacker assigns.
        """
        if self.how == "certain":
            return None
        boards = {side: self._board(side, amount) for side in SIDES}
        demands = {side: self.demand(side, board) for side, board in boards.items()}
        mine, theirs = (
            kinds_of(fate_of(boards[side], demands[side])) for side in (self.side, OTHER[self.side])
        )
        enough = self._enough(mine, theirs)
        if not enough:
            return None
        return first(boards[self.side], demands[self.side], met=enough[0])

    def _board(self, side: Side, amount: int) -> Board:
        """What a side has to decide at that amount."""
        board = question(self.question, side)
        if self.unit is None:
            return replace(board, pool=amount) if side == self.side else board
        if side == self._owner:
            added = contribution(replace(self.unit, might=amount), ROLES[side])
            return replace(board, pool=board.pool - contribution(self.unit, ROLES[side]) + added)
        return _with_might(board, self.unit, amount)


class _Matters:
    """A unit by its Might, as far as that matters on the board where it may be assigned points.

    It also adds to the pool of its own side, which has `without` points besides and for which no
    more than `most` points matter.
    """

    def __init__(
        self, unit: Unit, board: Board, demand: Demand, without: int = 0, most: int = 0
    ) -> None:
        self._unit = unit
        self._board = board
        self._without = without
        self._most = most
        # The unit is the last, so that what is known of the others holds for all its Mights.
        self._others = tuple(one for one in board.units if one.name != unit.name)
        names = [*(one.name for one in self._others), unit.name]
        place = [names.index(name) for name in board.names]
        kill, spare = ([place[u] for u in units] for units in (demand.kill, demand.spare))
        self._demand = Demand(kill, spare, demand.excess)
        self._known: Known = {}

    def fate(self, might: int) -> Fate:
        """The fate of the demand with that Might on the unit."""
        units = (*self._others, replace(self._unit, might=might))
        board = replace(self._board, units=units)
        return Pools(board, self._demand, board.pool, self._known).at(board.pool)

    def pool(self, might: int) -> int:
        """The points of the unit's own side, with that Might on it."""
        return self._without + contribution(replace(self._unit, might=might), self._board.units_are)

    def mights(self) -> Iterator[int]:
        """The Mights from which on something else holds, ascending, the first for all below it.

        None of what matters decreases as Might grows, and none changes below a current Might of 0.
        Raises `LimitReached` where there are too many.
        """
        bonus = current_might(self._unit, self._board.units_are) - self._unit.might
        might, steps = max(-bonus, -MAX_NUMBER), 0
        while might <= MAX_NUMBER:
            limits.check()
            if steps == _MOST_STEPS:
                raise LimitReached(TOO_LARGE)
            yield might
            might, steps = self._end_of(might), steps + 1

    def _end_of(self, might: int) -> int:
        """The first Might above this one with which something else holds."""
        here, width = self._state(might), 1
        while might + width <= MAX_NUMBER and self._state(might + width) == here:
            width *= 2
        ahead = range(might, min(might + width, MAX_NUMBER) + 1)
        return might + bisect_right(ahead, here, key=self._state)

    def _state(self, might: int) -> tuple[int, int, int]:
        """The unit's need, the least it dies of and its side's pool, each as far as it matters."""
        unit = replace(self._unit, might=might)
        need, dies = need_of(unit, self._board), death_of(unit, self._board)
        beyond = self._board.pool + 1
        return (
            min(need, beyond) if isinstance(need, int) else beyond,
            min(dies, beyond) if isinstance(dies, int) else beyond,
            min(self.pool(might), self._most),
        )


def spans(runs: Iterable[Run]) -> tuple[Span, ...]:
    """The amounts at which it is so; all below the first run are as those in it."""
    starts: list[Run] = []
    for start, so in runs:
        if not starts or so != starts[-1][1]:
            starts.append((start, so))
    ends = [start - 1 for start, _ in starts[1:]]
    lows = [None, *(start for start, _ in starts[1:])]
    pairs = zip(starts, lows, [*ends, None], strict=True)
    return tuple((low, high) for (_, so), low, high in pairs if so)


def _at_all_pools(board: Board) -> Iterator[Board]:
    """The board with the largest pool, and with the largest that leaves one unit short of lethal.

    A reading that could matter with another pool could with one of these.
    """
    finite = sum(least for least in need(board) if isinstance(least, int))
    yield replace(board, pool=MAX_NUMBER)
    yield replace(board, pool=min(max(0, finite - 1), MAX_NUMBER))


def _at_all_mights(board: Board, unit: Unit) -> Iterator[Board]:
    """The board with the least and the greatest Might on a unit, and the least it can live with.

    A reading that could matter with another Might could with one of these.
    """
    bonus = current_might(unit, board.units_are) - unit.might
    for might in (0, unit.marked + 1, MAX_NUMBER):
        yield _with_might(board, unit, max(might - bonus, -MAX_NUMBER))


def _with_might(board: Board, unit: Unit, might: int) -> Board:
    """The board with that Might on one of its units."""
    changed = replace(unit, might=might)
    units = tuple(changed if one.name == unit.name else one for one in board.units)
    return replace(board, units=units)


def fate_of(board: Board, demand: Demand) -> Fate:
    """Whether a demand can be met, and missed, at the pool that a board has."""
    return Pools(board, demand, board.pool).at(board.pool)


def kinds_of(fate: Fate) -> Kinds:
    """Whether the demand is met, in all the ways that there are."""
    return [kind for kind, possible in ((True, fate.met), (False, fate.missed)) if possible]


def first(board: Board, demand: Demand, *, met: bool = True) -> Example | None:
    """The first assignment that meets a demand, for an excess the best; or one that misses it.

    What is missed is that everybody dies: then somebody is spared.
    """
    kill, spare = (tuple(board.names[u] for u in units) for units in (demand.kill, demand.spare))
    assignment: Assignment | None
    if not met:
        alive = (exact.Legal(board, (), (name,)) for name in kill)
        assignment = next((next(iter(legal)) for legal in alive if legal), None)
    elif demand.excess:
        assignment = best(board, ("excess",), kill=kill, spare=spare).assignment
    else:
        assignment = next(iter(exact.Legal(board, kill, spare)), None)
    return None if assignment is None else (board, assignment)
