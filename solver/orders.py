"""The orders in which the replacement effects on a unit can act, and what depends on them.

The order is not the assigner's choice: it belongs to the controller of the unit, to its owner in
older editions [372]. Doubling after a Prevent doubles what that takes off, so the order can change
what a unit needs and of how much it dies; for nothing else does it matter here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice, product
from typing import Final, Literal, NamedTuple

from msgspec.structs import replace

from rules.board import Board, Unit
from rules.editions import edition
from rules.lethal import Need, death_of, is_exempt, need_of
from rules.replacements import parse_replacement
from solver import limits

MOST_BOARDS: Final = 256
"""So many boards that differ in an order are looked at; that there are more is said."""
_MOST_ORDERS: Final = 32
"""So many orders of one unit are told apart, the least and the greatest need among them."""
_MOST_SUMS: Final = 1024

Outcome = tuple[Need, int | Literal["never"]]
"""What a unit needs and of how much it dies."""


class Ordering(NamedTuple):
    """A board that differs from another by the order of replacements on some units, by name."""

    board: Board
    steps: dict[str, tuple[str, ...]]


class Orderings(NamedTuple):
    """Other orders than the one on the board, one for each different outcome.

    `complete` is false where there are more than are looked at.
    """

    others: tuple[Ordering, ...]
    complete: bool

    @property
    def units(self) -> list[str]:
        """The units whose replacements are ordered differently in some of them."""
        return list(dict.fromkeys(name for each in self.others for name in each.steps))


NONE: Final = Orderings((), True)


def orderings(board: Board) -> Orderings:
    """The boards that differ from this one by an order of replacements that matters."""
    if not any(len(unit.replacements) > 1 for unit in board.units):
        return NONE
    return _orderings(board)


@lru_cache(maxsize=256)
def _orderings(board: Board) -> Orderings:
    choices = [outcomes(unit, board) for unit in board.units]
    complete = all(found.complete for found in choices)
    boards = _combined(board, [list(found.units.values()) for found in choices])
    others = tuple(islice(boards, MOST_BOARDS))
    return Orderings(others, complete and next(boards, None) is None)


def _combined(board: Board, choices: list[list[Unit]]) -> Iterator[Ordering]:
    """Every choice of an order for each unit but the one on the board."""
    for units in product(*choices):
        steps = {
            new.name: new.replacements
            for new, old in zip(units, board.units, strict=True)
            if new is not old
        }
        if steps:
            yield Ordering(replace(board, units=units), steps)


class Outcomes(NamedTuple):
    """What can come of the order on one unit, each with the unit in such an order.

    The order on the board comes first, then the others from the least need to the greatest.
    """

    units: dict[Outcome, Unit]
    complete: bool


def outcomes(unit: Unit, board: Board) -> Outcomes:
    """The outcomes of the orders of a unit's replacements, the present one first."""
    found = {_outcome(unit, board): unit}
    prevents = [step for step in unit.replacements if step != "double"]
    doubles = unit.replacements.count("double")
    if not (doubles and prevents) or "prevent all" in unit.replacements or is_exempt(unit, board):
        return Outcomes(found, True)
    orders, complete = _orders(prevents, doubles)
    others: dict[Outcome, Unit] = {}
    for steps in orders:
        reordered = replace(unit, replacements=steps)
        others.setdefault(_outcome(reordered, board), reordered)
    others[_outcome(reordered, board)] = reordered
    others.pop(next(iter(found)), None)
    if len(others) > _MOST_ORDERS:
        ends = [*others.items()]
        others = dict([*ends[: _MOST_ORDERS - 1], ends[-1]])
        complete = False
    return Outcomes({**found, **others}, complete)


def _outcome(unit: Unit, board: Board) -> Outcome:
    return need_of(unit, board), death_of(unit, board)


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


def chooser(board: Board) -> str:
    """Who orders the replacements on a unit: its controller, in older editions its owner."""
    by_controller = "replacement_order_by_controller" in edition(board.edition)
    return "controller" if by_controller else "owner"


def in_words(order: Ordering) -> str:
    """`A's double comes before its prevent 2`."""
    return " and ".join(
        f"{name}'s {steps[0]} comes before its {steps[1]}"
        if len(steps) == 2
        else f"{name}'s replacements are ordered {', '.join(steps)}"
        for name, steps in order.steps.items()
    )


class Robust(NamedTuple):
    """Whether an answer is the same in every order of replacements, and one in which it is not.

    None where that is not known, since there are more orders than are looked at.
    """

    in_every_order: bool | None
    otherwise: Ordering | None


def robust(board: Board, here: bool, ask: Callable[[Board], bool]) -> Robust | None:
    """How far a yes or no depends on the order of replacements; None where no order matters."""
    found = orderings(board)
    if not found.others:
        return None
    for other in found.others:
        limits.check()
        if ask(other.board) != here:
            return Robust(False, other)
    return Robust(True if found.complete else None, None)
