"""What is lethal to a unit, and what a side's pool is: the arithmetic of the damage step.

Might, Assault and Shield (143.2, 807, 814), stun (423.1), lethal damage (142.4), and the
replacement effects that count while points are assigned (437, 465.2.c.4.a, .5 and .10).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal

from rules.board import Assignment, Board, Role, Unit, check_board
from rules.checks import MAX_NUMBER
from rules.editions import Edition, edition
from rules.errors import BadRequest
from rules.replacements import Pipeline, pipeline

NEVER: Final = "never"
EXEMPT: Final = "exempt"
Need = int | Literal["never", "exempt"]
"""Points of raw, or "never" lethal, or "exempt": the unit cannot be dealt damage."""

_AS_IT_IS: Final = Pipeline(1, 0)


def current_might(unit: Unit, role: Role) -> int:
    """Might with Assault while attacking or Shield while defending, in units of Might.

    [807.1.c, 814.1.c] It may be negative [143.2.b.1].
    """
    return unit.might + (unit.assault if role == "attackers" else unit.shield)


def contribution(unit: Unit, role: Role) -> int:
    """Points the unit adds to its own side's pool.

    [143.2.b, 423.1.b] 0 if it is stunned or deals no combat damage, and never less than 0.
    """
    if unit.stunned or unit.no_combat_damage:
        return 0
    return max(0, current_might(unit, role))


def pool(units: Iterable[Unit], role: Role) -> int:
    """Points that a side with these units has to assign [465.2.a, 465.2.b].

    Raises `BadRequest` (`limit`) beyond 10^18.
    """
    points = sum(contribution(unit, role) for unit in units)
    if points > MAX_NUMBER:
        sentence = f"the Might of the {role} adds up to a pool of more than 10^18 points"
        raise BadRequest(sentence, f"$.{role}", "limit")
    return points


def already_lethal(unit: Unit, role: Role) -> bool:
    """Is the damage already marked lethal, so that the unit dies whatever is assigned? [143.2.a]"""
    return unit.marked > 0 and unit.marked >= current_might(unit, role)


def lethal_damage(unit: Unit, board: Board) -> int:
    """Points of dealt damage that make the unit lethal, whatever its replacements [142.4].

    0 where marked damage is lethal already; 1 under an any-damage-is-lethal effect [142.4.c].
    """
    might = current_might(unit, board.units_are)
    if unit.marked and unit.marked >= might:
        return 0
    if board.assigner.any_damage_is_lethal:
        return 1
    return (might if might > 1 else 1) - unit.marked


def counted_at_assignment(unit: Unit, within: Edition) -> Pipeline:
    """The replacements that the edition already counts while points are assigned.

    [465.2.c.5] From 465 on all of them; [437.5.a, 437.5.b] in 460 Prevent but not Double; before
    that none: they act when damage is dealt.
    """
    return _counted(unit.replacements, within) if unit.replacements else _AS_IT_IS


def _counted(replacements: tuple[str, ...], within: Edition) -> Pipeline:
    if "replacements_apply_to_assignment" in within:
        return pipeline(replacements)
    if "prevent_lethal_includes_value" in within:
        return pipeline(tuple(step for step in replacements if step != "double"))
    return _AS_IT_IS


def is_exempt(unit: Unit, board: Board) -> bool:
    """Can the unit not be dealt damage, as the board reads it? [465.2.c.10]"""
    return need_of(unit, board) == EXEMPT


def need_of(unit: Unit, board: Board) -> Need:
    """The smallest raw that is lethal to the unit, in points [465.2.c.4.a, 465.2.c.5]."""
    if unit.undamageable:
        return EXEMPT
    wanted = lethal_damage(unit, board)
    if wanted == 0 and board.readings.already_lethal == "one":
        wanted = 1
    if not unit.replacements:
        return wanted
    return _raw(unit.replacements, wanted, board.edition, board.readings.prevent_all)


@lru_cache(maxsize=4096)
def _raw(replacements: tuple[str, ...], wanted: int, edition_key: str, prevent_all: str) -> Need:
    """The smallest raw of which so many points come out, as an edition and a reading count it."""
    within = edition(edition_key)
    if (
        prevent_all == "exempt"
        and "prevent all" in replacements
        and "prevent_all_never_lethal" in within
    ):
        return EXEMPT
    least = _counted(replacements, within).least(wanted)
    return NEVER if least is None else least


def death_of(unit: Unit, board: Board) -> int | Literal["never"]:
    """The least raw, in points, of which the unit dies once all damage is dealt [466.1.a].

    In 465 and 467 this is its need. Before, replacements that do not count at assignment act when
    damage is dealt, so that lethal and dead are two things. 0 where marked damage kills it anyway.
    """
    wanted = lethal_damage(unit, board)
    if wanted > 0 and unit.undamageable:
        return NEVER
    least = pipeline(unit.replacements).least(wanted)
    return NEVER if least is None else least


def needs_of(board: Board) -> tuple[Need, ...]:
    """As `need`, worked out anew: what is asked once of a board costs less than to remember it."""
    if board.assigner.any_damage_is_lethal:
        return tuple([need_of(unit, board) for unit in board.units])
    attacking = board.units_are == "attackers"
    # A unit with nothing but Might is the common case, and is spared what others have to ask.
    return tuple(
        [
            need_of(unit, board)
            if unit.marked or unit.replacements or unit.undamageable
            else (might if might > 1 else 1)
            for unit in board.units
            for might in [unit.might + (unit.assault if attacking else unit.shield)]
        ]
    )


_remembered_needs = lru_cache(maxsize=1024)(needs_of)


@lru_cache(maxsize=1024)
def deaths(board: Board) -> tuple[int | Literal["never"], ...]:
    """For each unit the least raw of which it dies [466.1.a], in points or "never"."""
    return tuple(death_of(unit, board) for unit in board.units)


def dead(board: Board, assignment: Assignment) -> tuple[str, ...]:
    """The names of the units that die of an assignment in points, in unit order [466.1.a, 143.2.a].

    Units whose marked damage is lethal already are among them, whatever they are assigned.
    """
    return tuple(
        name
        for name, least, raw in zip(board.names, deaths(board), assignment, strict=True)
        if least != NEVER and raw >= int(least)
    )


def need(board: Board) -> list[Need]:
    """For each unit its need in points, "never" or "exempt" [465.2.c.4, 465.2.c.5, 465.2.c.10].

    The needs of the last boards are remembered. Raises `BadRequest` for what is no board.

    >>> from rules import parse
    >>> need(parse("12 into 4T/1 3x2 2P3 5Pall 6!"))
    [3, 2, 5, 'never', 'exempt']
    """
    if not isinstance(board, Board):
        check_board(board)
    return list(_remembered_needs(board))


def excess_of(unit: Unit, raw: int, board: Board) -> int:
    """Points of excess on one unit that was given `raw`; 0 for units never lethal or exempt.

    Counted after the replacements that act on the assignment, or in raw points, as the reading
    `excess` says.
    """
    least = need_of(unit, board)
    if not isinstance(least, int):
        return 0
    if board.readings.excess == "raw":
        return max(0, raw - least)
    through = counted_at_assignment(unit, edition(board.edition))
    return max(0, through.applied(raw) - through.applied(least))


def oddities(board: Board) -> list[str]:
    """Sentences about what is odd on the board but accepted."""
    return [
        f"{unit.name} already has lethal damage: {unit.marked} marked, Might "
        f"{current_might(unit, board.units_are)}; it dies in the cleanup whatever it is assigned"
        for unit in board.units
        if unit.marked and already_lethal(unit, board.units_are)
    ]
