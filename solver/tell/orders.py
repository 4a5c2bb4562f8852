"""In words: what other orders of replacements change about an answer."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rich.console import Console

from rules.board import SIDES, Board, Combat
from rules.editions import edition
from rules.position import enumerate_words, given
from rules.resolution import units_of
from solver.depends import Again, AgainBest
from solver.orders import Asked, Robust, chooser, in_words


def ordered(
    out: Console,
    asked: Asked,
    found: Robust[Asked],
    answer: str,
    same: str = "The same",
    but: str = "",
) -> None:
    """Whether the order of replacements matters for what was said; what is true in another one.

    `but` is added to what is the same.
    """
    names = enumerate_words([*found.units])
    chosen = _chosen(asked, found)
    if found.otherwise is not None:
        out.print(f"  If {in_words(found.otherwise)} ({chosen}): {answer}.")
    elif found.in_every_order:
        out.print(f"  {same} in every order of the replacements of {names} ({chosen}){but}.")
    elif found.looked:
        out.print(
            f"  {same} in the first {found.looked} orders of the replacements of {names} looked "
            f"at ({chosen}); there are more."
        )
    else:
        out.print("  Whether it is the same in every order of replacements is not known in time.")


def but_with(out: Console, asked: Asked, found: Robust[Asked], head: str, answer: str) -> None:
    """What is true in every order, but for a part of it that is another one in some order."""
    if found.otherwise is not None:
        names = enumerate_words([*found.units])
        out.print(
            f"  {head} in every order of the replacements of {names} ({_chosen(asked, found)}); if "
            f"{in_words(found.otherwise)}, {answer}."
        )


def _chosen(asked: Board | Combat, found: Robust[Asked]) -> str:
    """Whose choice the order is, with the rule that says so."""
    rule = edition(asked.edition).cite("replacement_order_chooser")
    concerned = found.units if found.otherwise is None else [*found.otherwise.steps]
    each = "each its " if _on_both_sides(asked, concerned) else ""
    return f"{each}{chooser(asked)}'s choice, {rule}"


def _on_both_sides(asked: Board | Combat, names: Collection[str]) -> bool:
    """Are these names of units of both sides of a combat?"""
    return isinstance(asked, Combat) and all(
        any(unit.name in names for unit in units_of(asked, side)) for side in SIDES
    )


def otherwise(
    out: Console, again: Again[Asked, Any], same: str = "The same", but: str = ""
) -> None:
    """Whether an answer is the same in every order of replacements, and what is true if not."""
    if again.orders is not None:
        _otherwise(out, again, again.orders, same, but)


def best(out: Console, again: AgainBest) -> None:
    """Whether the best assignment is so in every order, or as good a one, and which if not."""
    known, found = again.as_good, again.orders
    if known and known.in_every_order and found and found.otherwise is not None:
        instead = again.answer(found.otherwise.asked).assignment
        answer = f"with {given(again.asked, instead or ())}"
        but_with(out, again.asked, found, "As good", answer)
    else:
        otherwise(out, again)


def _otherwise(
    out: Console,
    again: Again[Asked, Any],
    found: Robust[Asked],
    same: str = "The same",
    but: str = "",
) -> None:
    other = found.otherwise
    answer = "" if other is None else f"that {again.told(other)}"
    ordered(out, again.asked, found, answer, same, but)


def reordered(out: Console, again: Again[Combat, Any]) -> None:
    """What the orders of the replacements on the units of both sides change about how it ends.

    Where those of one side are enough for a change, the other's are also told if they are.
    """
    otherwise(out, again, same="It ends in the same ways")
    if again.orders is None or (other := again.orders.otherwise) is None:
        return
    for side in SIDES:
        names = [unit.name for unit in units_of(again.asked, side)]
        if other.steps.keys().isdisjoint(names):
            also = again.orders_on(names)
            if also is not None and also.in_every_order is not True:
                _otherwise(out, again, also)
