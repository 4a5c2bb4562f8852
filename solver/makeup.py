"""What a need is made of: Might and what changes it, then back through the replacement effects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from rules.board import Board, Unit, check_board
from rules.editions import edition
from rules.errors import BadRequest, no_unit
from rules.lethal import (
    NEVER,
    Need,
    already_lethal,
    current_might,
    death_of,
    is_exempt,
    lethal_damage,
    need_of,
)
from rules.replacements import parse_replacement
from solver.facts import replacement_rule
from solver.orders import chooser, ends, outcomes


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """One step towards a need: what it is, the rule it comes from, and the points so far.

    `need` is what is lethal counting this and the terms before it; None for an effect that does not
    count at assignment. Replacements come in reverse, the last to act first.
    """

    text: str
    rule: str | None = None
    number: str | None = None
    need: Need | None = None


class InOrder(msgspec.Struct, frozen=True, kw_only=True):
    """A unit's need in another order of its replacements, and its terms."""

    replacements: tuple[str, ...]
    need: Need
    dies_of: int | Literal["never"]
    terms: tuple[Term, ...]


class Makeup(msgspec.Struct, frozen=True, kw_only=True):
    """A unit's need in points and what it is made of.

    `dies_of` is the least raw of which it dies. `orders` has one order of its replacements for
    each other need or death, from the least to the greatest; `orders_complete` says whether that
    is all of them, and `ordered_by` whose choice the order is [372].
    """

    unit: str
    need: Need
    dies_of: int | Literal["never"]
    terms: tuple[Term, ...]
    orders: tuple[InOrder, ...] = ()
    orders_complete: bool = True
    ordered_by: str | None = None


def what(board: Board, unit: str | None = None) -> list[Makeup]:
    """What the needs of all units are made of, or of the one that is named.

    Raises `BadRequest` for a name that is not on the board.

    >>> from rules import parse
    >>> [(term.text, term.need) for term in what(parse("9 into 4S/1x2P2"))[0].terms]
    [('Might 4', 4), ('Shield 1', 5), ('1 marked', 4), ('prevent 2', 6), ('double', 3)]
    """
    check_board(board)
    if unit is not None and unit not in board.names:
        raise BadRequest(no_unit(unit, board.names), "$.unit")
    return [_makeup(one, board) for one in board.units if unit in (None, one.name)]


def spans(board: Board) -> dict[str, tuple[int, int]]:
    """The least and the greatest need of the units for which the order of replacements matters."""
    found = {}
    for unit in board.units:
        if len(unit.replacements) > 1:
            fewest, most = (need_of(one, board) for one in ends(unit, board))
            if isinstance(fewest, int) and isinstance(most, int) and fewest < most:
                found[unit.name] = (fewest, most)
    return found


def _makeup(unit: Unit, board: Board) -> Makeup:
    found = outcomes(unit, board)
    _, *others = found.units.values()
    return Makeup(
        unit=unit.name,
        need=need_of(unit, board),
        dies_of=death_of(unit, board),
        terms=tuple(terms(unit, board)),
        orders=tuple(
            InOrder(
                replacements=other.replacements,
                need=need_of(other, board),
                dies_of=death_of(other, board),
                terms=tuple(terms(other, board)),
            )
            for other in others
        ),
        orders_complete=found.complete,
        ordered_by=chooser(board) if others else None,
    )


def terms(unit: Unit, board: Board) -> Iterator[Term]:
    """The terms of a unit's need, the last of them that counts with the need itself."""
    within = edition(board.edition)

    def term(text: str, need: Need | None, rule: str | None = None) -> Term:
        return Term(text=text, rule=rule, number=rule and within.number(rule), need=need)

    if unit.undamageable:
        yield term("cannot be dealt damage", "exempt", "undamageable_exempt")
        return
    yield term(f"Might {unit.might}", unit.might)
    for bonus, keyword, role in (
        (unit.assault, "Assault", "attackers"),
        (unit.shield, "Shield", "defenders"),
    ):
        if bonus and board.units_are == role:
            rule = f"{keyword.lower()}_bonus"
            yield term(f"{keyword} {bonus}", current_might(unit, board.units_are), rule)
    if unit.marked:
        yield term(f"{unit.marked} marked", current_might(unit, board.units_are) - unit.marked)
    least = lethal_damage(unit, board)
    if already_lethal(unit, board.units_are):
        yield term("lethal already", 0, "might_kill_check")
        if board.readings.already_lethal == "one":
            least = 1
            yield term("reading already_lethal=one", 1)
    elif board.assigner.any_damage_is_lethal:
        yield term("any damage is lethal", least, "lethal_value_alterable")
    elif current_might(unit, board.units_are) <= 0:
        yield term("lethal is at least 1", least, "lethal_nonzero_ge_might")
    yield from _back_through(unit, board, least)


def _back_through(unit: Unit, board: Board, least: Need) -> Iterator[Term]:
    """The need before each replacement, from the last to the first."""
    within = edition(board.edition)
    for step in reversed(unit.replacements):
        rule = replacement_rule(step, within)
        counted = "replacements_apply_to_assignment" in within or (
            step != "double" and "prevent_lethal_includes_value" in within
        )
        if counted and step == "prevent all" and is_exempt(unit, board):
            least = "exempt"
        elif counted and isinstance(least, int) and least:
            least = _before(step, least)
        yield Term(
            text=step, rule=rule, number=within.number(rule), need=least if counted else None
        )


def _before(step: str, wanted: int) -> Need:
    """The least that must come in for so much to go on behind a replacement."""
    if step == "double":
        return -(-wanted // 2)
    value = parse_replacement(step)
    return NEVER if value is None else wanted + int(value)


def in_words(made: Sequence[Term], board: Board) -> str:
    """The terms as one line: `Might 4 + Shield 1 [814.1.c] - 1 marked = 4; double [...]: 2`."""
    cite = edition(board.edition).cite
    might, rest = [], []
    for term in made:
        cited = f"{term.text} [{cite(term.rule)}]" if term.rule else term.text
        if term.text.endswith("marked"):
            might.append(f"- {cited}")
        elif term.text.startswith(("Might", "Assault", "Shield")):
            might.append(f"+ {cited}" if might else cited)
        elif term.need is None:
            rest.append(f"{term.text} (only once dealt)")
        elif might:
            rest.append(f"{cited}: {term.need}")
        else:
            rest.append(cited)
    sum_up = f" = {made[len(might) - 1].need}" if len(might) > 1 else ""
    return "; ".join([*([" ".join(might) + sum_up] if might else []), *rest])
