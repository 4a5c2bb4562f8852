"""Answers to `why` and `what` for people."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from msgspec.structs import replace
from rich.console import Console

from rules.board import Board
from rules.editions import edition
from rules.position import given
from solver import makeup, reasons
from solver.limits import LimitReached
from solver.makeup import InOrder, Makeup
from solver.orders import SECONDS
from solver.reasons import Answer
from solver.tell.boards import impossible
from solver.tell.orders import but_with, ordered
from solver.tell.show import NO_UNIT, counted, listing

_MOST_ORDERS: Final = 3
"""So many other orders of a unit's replacements are told term by term, of more only the ends."""


def why(out: Console, found: Answer, *, all_reasons: bool) -> None:
    """An example where the demand can be met; if not, what forbids it."""
    board = found.board
    if found.example == ():
        out.print(f"Possible. {NO_UNIT}")
    elif found.example is not None:
        out.print("Possible, for example:")
        listing(out, board, [found.example])
    elif found.contradiction is not None:
        out.print(f"Impossible, the demand contradicts itself: {found.contradiction}.")
    elif found.reasons is None:
        impossible(out, board, None)
    else:
        told: dict[str, int] = {}
        for place, reason in enumerate(found.reasons, start=1):
            head = f"Reason {place}" if len(found.reasons) > 1 else "Impossible"
            first = told.setdefault(reason.because, place)
            because = f"as reason {first}, by other facts" if first < place else reason.because
            impossible(out, board, replace(reason, because=because), head)
        if all_reasons and not found.complete:
            out.print(f"The first {counted(len(found.reasons), 'reason')}; there may be more.")
        elif all_reasons and len(found.reasons) == 1:
            out.print("No other reason was found that holds on the board as it is printed.")
    _in_other_orders(out, found)


def _in_other_orders(out: Console, found: Answer) -> None:
    """Whether it is possible or not in every order, and where it is so for another reason."""
    if found.orders is None:
        return
    state = "Possible" if found.possible else "Impossible"
    grounds = found.grounds
    if grounds is None or grounds.otherwise is None:
        same = "The same" if found.possible else state
        ordered(
            out, found.board, found.orders, "impossible" if found.possible else "possible", same
        )
    elif found.orders.in_every_order:
        but_with(out, found.board, grounds, state, _there(found, grounds.otherwise.asked))
    else:
        there = _there(found, grounds.otherwise.asked)
        ordered(out, found.board, grounds, f"{state.lower()} {there}")


def _there(found: Answer, other: Board) -> str:
    """How what is demanded is possible in another order, or why it is not."""
    demand = found.demand
    with suppress(LimitReached):
        there = reasons.why(
            other, kill=demand.kill, spare=demand.spare, give=demand.give, time_limit=SECONDS
        )
        if there.example is not None:
            return f"with {given(other, there.example)}"
        told = [there.contradiction or "", *(one.because for one in there.reasons or ())]
        here = [reason.because for reason in found.reasons or ()]
        others = [because for because in told if because and because not in here]
        return f"for another reason: {others[0]}" if others else "for fewer reasons"
    return "with another example" if found.possible else "for another reason"


def what(out: Console, board: Board, made: list[Makeup]) -> None:
    """What needs are made of, in the present order of replacements and in others that matter."""
    cite = edition(board.edition).cite
    if not made:
        out.print(NO_UNIT)
    for one in made:
        in_full = _die_otherwise([one, *one.orders])
        out.print(f"{one.unit} {_needs(one, in_full=in_full)}.")
        out.print(f"  {makeup.in_words(one.terms, board)}")
        told, between = one.orders, one.orders[1:-1]
        if len(told) > _MOST_ORDERS or not one.orders_complete:
            told = (told[0], told[-1])
        for order in told:
            steps, needs = ", ".join(order.replacements), _needs(order, in_full=in_full)
            out.print(f"  In the order {steps} it {needs}.")
            out.print(f"    {makeup.in_words(order.terms, board)}")
        if told != one.orders:
            more = "" if one.orders_complete else "; there are more"
            out.print(f"  In orders between these it {_either(between)}{more}.")
        if one.orders:
            rule = cite("replacement_order_chooser")
            out.print(f"  The order is its {one.ordered_by}'s choice [{rule}].")


def _either(orders: Sequence[InOrder]) -> str:
    """`needs 3, 4 or 5`, with the points of which the unit dies where these are others."""
    in_full = _die_otherwise(orders)
    first, *rest = (_needs(order, in_full=in_full) for order in orders)
    if not in_full:
        rest = [str(order.need) for order in orders[1:]]
    return f"{', '.join([first, *rest[:-1]])} or {rest[-1]}" if rest else first


def _die_otherwise(made: Sequence[Makeup | InOrder]) -> bool:
    """Does the unit die of other points than it needs, in some order?"""
    return any(one.need != one.dies_of for one in made)


def _needs(one: Makeup | InOrder, *, in_full: bool) -> str:
    """`needs 3`, in full also the points of which the unit dies."""
    words = {"exempt": "is exempt", "never": "is never lethal"}
    told = words.get(str(one.need), f"needs {one.need}")
    if not in_full or one.need == "exempt":
        return told
    return f"{told} and {'never dies' if one.dies_of == 'never' else f'dies of {one.dies_of}'}"
