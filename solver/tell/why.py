"""Answers to `why` and `what` for people."""

from __future__ import annotations

from contextlib import suppress

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
        # Reasons of different facts may read the same.
        told = list({reason.because: reason for reason in reversed(found.reasons)}.values())[::-1]
        for place, reason in enumerate(told, start=1):
            head = f"Reason {place}" if len(told) > 1 else "Impossible"
            impossible(out, board, reason, head)
        if all_reasons and not found.complete:
            out.print(f"The first {counted(len(told), 'reason')}; there may be more.")
        elif all_reasons and len(told) == 1:
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
        told = [there.contradiction] if there.contradiction else []
        for because in [*told, *(one.because for one in there.reasons or ())]:
            return f"since {because}"
    return f"with another {'example' if found.possible else 'reason'}"


def what(out: Console, board: Board, made: list[Makeup]) -> None:
    """What needs are made of, in the present order of replacements and in others that matter."""
    cite = edition(board.edition).cite
    if not made:
        out.print(NO_UNIT)
    for one in made:
        out.print(f"{one.unit} {_needs(one)}.")
        out.print(f"  {makeup.in_words(one.terms, board)}")
        for order in one.orders:
            out.print(f"  In the order {', '.join(order.replacements)} it {_needs(order)}.")
            out.print(f"    {makeup.in_words(order.terms, board)}")
        if one.orders:
            rule = cite("replacement_order_chooser")
            out.print(f"  The order is its {one.ordered_by}'s choice [{rule}].")


def _needs(one: Makeup | InOrder) -> str:
    """`needs 3`, with the points of which the unit dies where these are others."""
    words = {"exempt": "is exempt", "never": "is never lethal"}
    told = words.get(str(one.need), f"needs {one.need}")
    if one.need == one.dies_of or one.need == "exempt":
        return told
    return f"{told} and {'never dies' if one.dies_of == 'never' else f'dies of {one.dies_of}'}"
