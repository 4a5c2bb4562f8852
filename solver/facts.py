"""What is printed on the units of a board, fact by fact, and the board on which some are missing.

A fact is a keyword, a replacement, marked damage, or that a unit cannot be dealt damage. Might, the
pool and what holds for the assigner are no facts: without them there is no question.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec
from msgspec.structs import replace

from rules.board import Board, Unit
from rules.editions import Edition, edition


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing printed on a unit, with the rule that gives it its meaning.

    `kind` is tank, backline, assault, shield, marked, replacement or undamageable, `text` the fact
    in words, and `step` the place of a replacement among those of its unit.
    """

    unit: str
    kind: str
    text: str
    rule: str
    number: str | None
    step: int | None = None

    def __str__(self) -> str:
        verb = "" if self.kind == "undamageable" else "has "
        return f"{self.unit} {verb}{self.text}"


def facts_of(board: Board) -> tuple[Fact, ...]:
    """All facts of a board that count for the assigner, unit by unit."""
    within = edition(board.edition)
    return tuple(
        Fact(
            unit=unit.name,
            kind=kind,
            text=text,
            rule=rule,
            number=within.number(rule),
            step=step,
        )
        for unit in board.units
        for kind, text, rule, step in _printed(unit, board, within)
    )


def _printed(
    unit: Unit, board: Board, within: Edition
) -> Iterator[tuple[str, str, str, int | None]]:
    """Kind, words, rule and place of all that is printed on a unit."""
    if unit.tank and "tank" not in board.assigner.ignores:
        yield "tank", "Tank", "tank_first", None
    if unit.backline and "backline" not in board.assigner.ignores:
        rule = "backline_last" if "backline_last" in within else "obey_requirements"
        yield "backline", "Backline", rule, None
    if unit.assault and board.units_are == "attackers":
        yield "assault", f"Assault {unit.assault}", "assault_bonus", None
    if unit.shield and board.units_are == "defenders":
        yield "shield", f"Shield {unit.shield}", "shield_bonus", None
    if unit.marked:
        yield "marked", f"{unit.marked} marked", "lethal_nonzero_ge_might", None
    for place, step in enumerate(unit.replacements):
        yield "replacement", step, replacement_rule(step, within), place
    if unit.undamageable:
        yield "undamageable", "cannot be dealt damage", "undamageable_exempt", None


def replacement_rule(step: str, within: Edition) -> str:
    """The id of the rule by which an edition counts a replacement effect, at the latest when dealt.

    [437.5.a, 437.5.b, 465.2.c.4.a]
    """
    if step == "double":
        counted, acts = "min_applied_when_increased", "double_attribute"
    elif step == "prevent all":
        counted, acts = "prevent_all_never_lethal", "prevent_all"
    else:
        counted, acts = "prevent_lethal_includes_value", "prevent_value"
    return counted if counted in within else acts


def lacking(board: Board, missing: Collection[Fact]) -> Board:
    """The same board with units that lack those facts."""
    if not missing:
        return board
    gone: dict[str, list[Fact]] = {}
    for fact in missing:
        gone.setdefault(fact.unit, []).append(fact)
    units = (_without(u, gone[u.name]) if u.name in gone else u for u in board.units)
    return replace(board, units=tuple(units))


def _without(unit: Unit, missing: Collection[Fact]) -> Unit:
    kinds = {fact.kind for fact in missing}
    steps = {fact.step for fact in missing if fact.kind == "replacement"}
    return replace(
        unit,
        tank=unit.tank and "tank" not in kinds,
        backline=unit.backline and "backline" not in kinds,
        assault=0 if "assault" in kinds else unit.assault,
        shield=0 if "shield" in kinds else unit.shield,
        marked=0 if "marked" in kinds else unit.marked,
        undamageable=unit.undamageable and "undamageable" not in kinds,
        replacements=tuple(r for i, r in enumerate(unit.replacements) if i not in steps),
    )
