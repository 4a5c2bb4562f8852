"""The orders in which the replacement effects on a unit can act, and what depends on them.

The order is not the assigner's choice: it belongs to the controller of the unit, to its owner in
older editions [372]. Doubling after a Prevent doubles what that takes off, so the order can change
what a unit needs, of how much it dies, and how much of what it is assigned it is dealt. What is
left of the replacements is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import product
from typing import Final, Generic, NamedTuple, TypeVar

from msgspec.structs import replace

from rules.board import Board, Combat, Unit
from rules.editions import edition
from rules.lethal import Need, death_of, is_exempt, need_of
from rules.replacements import parse_replacement, pipeline
from rules.resolution import boards_of
from solver import limits
from solver.limits import LimitReached

Asked = TypeVar("Asked", bound=Board | Combat)
Steps = tuple[str, ...]

SECONDS: Final = 1.0
"""How long other orders are looked at."""
MOST_BOARDS: Final = 256
"""So many boards that differ in an order are looked at; that there are more is said."""
_MOST_ORDERS: Final = 32
"""So many orders of one unit are told apart, the least and the greatest need among them."""
_MOST_SUMS: Final = 1024

Outcome = tuple[Need, ...]
"""What a unit needs, of how much it dies and, where amounts matter, how much is taken off."""


class Ordering(NamedTuple, Generic[Asked]):
    """A question that differs from another by the order of replacements on some units, by name."""

    asked: Asked
    steps: dict[str, Steps]


class Orderings(Generic[Asked]):
    """Other orders than those on a board or in a combat, one for each different outcome.

    `units` are the names of those with a choice, of these `only`. Told first are those in which
    many change at once and those of the units `first` asked about. With `amounts` it matters how
    much is dealt, also where nobody needs more or less for it; `growing` is a unit by name that may
    have any Might. Where it is not `complete` there are even more. Raises `LimitReached` where a
    deadline comes before the units are known.
    """

    def __init__(
        self,
        asked: Asked,
        first: Collection[str] = (),
        only: Collection[str] | None = None,
        *,
        amounts: bool = False,
        growing: str | None = None,
    ) -> None:
        self._asked = asked
        self._amounts = amounts
        self._growing = growing
        self._places: dict[str, tuple[Unit, Board]] = {}
        self._ends: dict[str, tuple[Steps, Steps]] = {}
        for board in boards_of(asked):
            for unit in board.units:
                limits.check()
                if len(unit.replacements) > 1 and (only is None or unit.name in only):
                    fewest, most = ends(unit, board, amounts=self._are_told_apart(unit))
                    if fewest is not most:
                        self._places[unit.name] = unit, board
                        self._ends[unit.name] = fewest.replacements, most.replacements
        self.units = tuple(self._places)
        self._first = [name for name in self.units if name in first]
        self._rest = [name for name in self.units if name not in first]

    def __bool__(self) -> bool:
        return bool(self.units)

    def __iter__(self) -> Iterator[Ordering[Asked]]:
        told: set[frozenset[tuple[str, Steps]]] = {frozenset()}
        for steps in self._changes():
            changed = {
                name: to for name, to in steps.items() if to != self._places[name][0].replacements
            }
            if (key := frozenset(changed.items())) not in told:
                told.add(key)
                yield self.ordering(changed)

    def _changes(self) -> Iterator[dict[str, Steps]]:
        """Orders by unit: those of the greatest and the least needs, of single units, and all."""
        for theirs, mine in product(self._extremes(self._rest), self._extremes(self._first)):
            yield mine | theirs
        for name in (*self._first, *self._rest):
            yield from ({name: unit.replacements} for unit in self._outcomes[name].units.values())
        names = [*self._rest, *self._first]
        for units in product(*(self._outcomes[name].units.values() for name in names)):
            yield {name: unit.replacements for name, unit in zip(names, units, strict=True)}

    @cached_property
    def _outcomes(self) -> dict[str, Outcomes]:
        return {
            name: outcomes(unit, board, amounts=self._are_told_apart(unit))
            for name, (unit, board) in self._places.items()
        }

    def _are_told_apart(self, unit: Unit) -> bool:
        """Are orders that take off different amounts told apart, for all that the unit needs now?

        Some Might tells them apart by what it needs.
        """
        return self._amounts or unit.name == self._growing

    @property
    def complete(self) -> bool:
        """Are these all the orders there are, one for each different outcome?"""
        return all(found.complete for found in self._outcomes.values())

    def _extremes(self, names: Iterable[str]) -> list[dict[str, Steps]]:
        """As it is, and all with the greatest or all with the least need."""
        return [{}, *({name: self._ends[name][end] for name in names} for end in (1, 0))]

    def ordering(self, steps: dict[str, Steps]) -> Ordering[Asked]:
        """The question with the replacements on some units in that order."""

        def ordered(units: tuple[Unit, ...]) -> tuple[Unit, ...]:
            return tuple(
                replace(unit, replacements=steps[unit.name]) if unit.name in steps else unit
                for unit in units
            )

        asked = self._asked
        fields = ("units",) if isinstance(asked, Board) else ("attackers", "defenders")
        changed = {field: ordered(getattr(asked, field)) for field in fields}
        return Ordering(replace(asked, **changed), steps)


class Outcomes(NamedTuple):
    """What can come of the order on one unit, each with the unit in such an order.

    The order on the board comes first, then the others from the least need to the greatest.
    """

    units: dict[Outcome, Unit]
    complete: bool


def outcomes(unit: Unit, board: Board, *, amounts: bool = False) -> Outcomes:
    """The outcomes of the orders of a unit's replacements, the present one first."""
    found = {_outcome(unit, board, amounts): unit}
    prevents, doubles = _parted(unit)
    if _comes_to_the_same(unit, board):
        return Outcomes(found, True)
    orders, complete = _orders(prevents, len(doubles))
    others: dict[Outcome, Unit] = {}
    for steps in orders:
        limits.check()
        reordered = replace(unit, replacements=steps)
        others.setdefault(_outcome(reordered, board, amounts), reordered)
    others[_outcome(reordered, board, amounts)] = reordered
    others.pop(next(iter(found)), None)
    if len(others) > _MOST_ORDERS:
        ranked = [*others.items()]
        others = dict([*ranked[: _MOST_ORDERS - 1], ranked[-1]])
        complete = False
    return Outcomes({**found, **others}, complete)


def ends(unit: Unit, board: Board, *, amounts: bool = False) -> tuple[Unit, Unit]:
    """The unit in the orders of the least and the greatest need: all its Doubles first, and last.

    Where that comes to what the present order does it is the unit itself; both are if none matters.
    """
    if _comes_to_the_same(unit, board):
        return unit, unit
    here = _outcome(unit, board, amounts)

    def ordered(steps: list[str]) -> Unit:
        other = replace(unit, replacements=tuple(steps))
        return unit if _outcome(other, board, amounts) == here else other

    prevents, doubles = _parted(unit)
    return ordered(doubles + prevents), ordered(prevents + doubles)


def _parted(unit: Unit) -> tuple[list[str], list[str]]:
    """The Prevents of a unit, and its Doubles."""
    steps = unit.replacements
    return [one for one in steps if one != "double"], [one for one in steps if one == "double"]


def _comes_to_the_same(unit: Unit, board: Board) -> bool:
    """Do all orders come to the same, whatever the amounts are?"""
    kinds = {"double" if step == "double" else "prevent" for step in unit.replacements}
    return len(kinds) < 2 or "prevent all" in unit.replacements or is_exempt(unit, board)


def _outcome(unit: Unit, board: Board, amounts: bool) -> Outcome:
    outcome = need_of(unit, board), death_of(unit, board)
    return (*outcome, pipeline(unit.replacements).less) if amounts else outcome


def _orders(prevents: list[str], doubles: int) -> tuple[list[tuple[str, ...]], bool]:
    """Orders of so many Doubles among these Prevents, one for each sum that is taken off at last.

    A Prevent takes off twice as much for each Double after it, and each can stand anywhere. From
    the least to the greatest: from all Doubles first to all Prevents first.
    """
    sums: dict[int, tuple[int, ...]] = {0: ()}
    complete = True
    for step in prevents:
        value = parse_replacement(step)
        assert isinstance(value, int)
        limits.check()
        longer: dict[int, tuple[int, ...]] = {}
        for less, after in sums.items():
            for behind in range(doubles + 1):
                longer.setdefault(less + (value << behind), (*after, behind))
        ranked = sorted(longer.items())
        if len(ranked) > _MOST_SUMS:
            ranked, complete = [*ranked[: _MOST_SUMS - 1], ranked[-1]], False
        sums = dict(ranked)
    return [_placed(prevents, after, doubles) for _, after in sorted(sums.items())], complete


def _placed(prevents: list[str], after: tuple[int, ...], doubles: int) -> tuple[str, ...]:
    """The steps in order, each Prevent with so many Doubles after it."""
    steps: list[str] = []
    for left in range(doubles, -1, -1):
        steps += [step for step, behind in zip(prevents, after, strict=True) if behind == left]
        if left:
            steps.append("double")
    return tuple(steps)


def chooser(board: Board | Combat) -> str:
    """Who orders the replacements on a unit: its controller, in older editions its owner."""
    by_controller = "replacement_order_by_controller" in edition(board.edition)
    return "controller" if by_controller else "owner"


def in_words(order: Ordering[Asked]) -> str:
    """`A's double comes before its prevent 2`."""
    return " and ".join(
        f"{name}'s {steps[0]} comes before its {steps[1]}"
        if len(steps) == 2
        else f"{name}'s replacements are ordered {', '.join(steps)}"
        for name, steps in order.steps.items()
    )


class Robust(NamedTuple, Generic[Asked]):
    """Whether an answer is the same in every order of replacements, and one in which it is not.

    None where that is not known: then there are more orders than the `looked` that were looked at,
    or a limit came first. `units` are those with a choice of order, by name.
    """

    in_every_order: bool | None
    otherwise: Ordering[Asked] | None
    units: tuple[str, ...]
    looked: int


def could_matter(asked: Board | Combat) -> bool:
    """Has any unit several replacements, so that their order could matter? That is seen at once."""
    sides = (asked.units,) if isinstance(asked, Board) else (asked.attackers, asked.defenders)
    for units in sides:
        for unit in units:
            if len(unit.replacements) > 1:
                return True
    return False


def robust(
    asked: Asked,
    is_same: Callable[[Asked], bool],
    first: Collection[str] = (),
    *,
    only: Collection[str] | None = None,
    amounts: bool = False,
    growing: str | None = None,
) -> Robust[Asked] | None:
    """How far an answer depends on the order of replacements; None where no order matters.

    The other orders are those of `Orderings`, at most `MOST_BOARDS` of them. A limit does not end
    it but leaves it unknown.
    """
    if not could_matter(asked):
        return None
    units: tuple[str, ...] = ()
    looked = 0
    try:
        with limits.deadline(SECONDS):
            found = Orderings(asked, first, only, amounts=amounts, growing=growing)
            if not found:
                return None
            units = found.units
            for other in found:
                if looked == MOST_BOARDS:
                    return Robust(None, None, units, looked)
                limits.check()
                if not is_same(other.asked):
                    return Robust(False, _fewest(found, other, is_same), units, looked)
                looked += 1
    except LimitReached:
        return Robust(None, None, units, looked)
    return Robust(True if found.complete else None, None, units, looked)


def _fewest(
    found: Orderings[Asked], other: Ordering[Asked], is_same: Callable[[Asked], bool]
) -> Ordering[Asked]:
    """An order with the same answer and no more units changed than needed, as far as time allows.

    Half of them at a time are left as they are where that can be, then fewer and fewer.
    """
    size = len(other.steps) // 2
    with suppress(LimitReached):
        while size:
            names = [*other.steps]
            for start in range(0, len(names), size):
                kept = {*names[:start], *names[start + size :]}
                fewer = {name: steps for name, steps in other.steps.items() if name in kept}
                limits.check()
                if fewer and not is_same((less := found.ordering(fewer)).asked):
                    other = less
            size //= 2
    return other
