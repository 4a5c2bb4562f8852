"""From two assignments to the end of a combat: dealing, cleanup, result, control, conquer.

465.2.c.1, 465.2.d, 466 and, for Prevent, 437.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

import msgspec

from rules.board import SIDES, Assignment, Board, Combat, Role, Side, Unit
from rules.editions import edition
from rules.lethal import counted_at_assignment, current_might, excess_of, is_exempt, pool
from rules.replacements import parse_replacement

Result = Literal["attacker_won", "defender_won", "no_result"]
Control = Literal["attacker", "defender", "uncontrolled", "other"]
"""Who controls a battlefield; "other", a player who is no side, only in a `rules.flow.Flow`."""

ROLES: Final[dict[Side, Role]] = {"attacker": "attackers", "defender": "defenders"}
OTHER: Final[dict[Side, Side]] = {"attacker": "defender", "defender": "attacker"}


def units_of(combat: Combat, side: Side) -> tuple[Unit, ...]:
    """The units that side has in the combat."""
    return combat.attackers if side == "attacker" else combat.defenders


def question(combat: Combat, side: Side) -> Board:
    """What that side has to decide: its pool, and the other side's units to assign it among.

    [465.2.a, 465.2.b, 465.2.c] Raises `BadRequest` (`limit`) for a pool beyond 10^18.
    """
    other = OTHER[side]
    return Board(
        pool=pool(units_of(combat, side), ROLES[side]),
        units=units_of(combat, other),
        units_are=ROLES[other],
        assigner=combat.attacker if side == "attacker" else combat.defender,
        edition=combat.edition,
        readings=combat.readings,
    )


def boards_of(asked: Board | Combat) -> list[Board]:
    """The board that is asked about, or the two of a combat, the Attacker's first."""
    return [asked] if isinstance(asked, Board) else [question(asked, side) for side in SIDES]


class Dealt(NamedTuple):
    """What became of the points assigned to one unit.

    `points` is the damage dealt, `doubled` what Double added on the way and `prevented` what was
    prevented, so that raw + doubled - prevented = points; `left` are the replacements that are
    still there, a Prevent Value lowered by what it prevented.
    """

    points: int
    doubled: int
    prevented: int
    left: tuple[str, ...]


def deal(unit: Unit, raw: int, board: Board) -> Dealt:
    """Send points through a unit's replacement effects in their order, once, in every edition.

    [465.2.d, 437.3, 437.3.a, 437.3.c] Nothing is dealt to a unit that cannot be dealt damage, and
    nothing is used up where nothing would be dealt.
    """
    if raw == 0 or is_exempt(unit, board):
        return Dealt(0, 0, raw, unit.replacements)
    points, doubled, prevented = raw, 0, 0
    left = []
    for text in unit.replacements:
        match parse_replacement(text):
            case "double":
                doubled += points
                points *= 2
                left.append(text)
            case None:
                prevented += points
                points = 0
                left.append(text)
            case value:
                stopped = min(points, value)
                prevented += stopped
                points -= stopped
                if value > stopped:
                    left.append(f"prevent {value - stopped}")
    return Dealt(points, doubled, prevented, tuple(left))


def dies(unit: Unit, dealt: int, board: Board) -> bool:
    """Does the unit die in the cleanup after being dealt so much? [466.1.a, 143.2.a, 142.4.c]

    The board is the one on which the points were assigned.
    """
    if board.assigner.any_damage_is_lethal and dealt > 0:
        return True
    marked = unit.marked + dealt
    return marked > 0 and marked >= current_might(unit, board.units_are)


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a combat ends, by the names of its units.

    `control` is who controls the battlefield after; `restaged` says that units of both sides are
    there, so that the combat is staged again [466.3.d.1].
    """

    dead: tuple[str, ...]
    recalled: tuple[str, ...]
    result: Result
    control: Control
    conquer: bool
    restaged: bool


def ending(combat: Combat, dead: Iterable[str]) -> Ending:
    """The end of a combat in which these units have lethal damage in the cleanup.

    [466.5.d, 466.5.e] Only gaining control is a Conquer, whoever contested the battlefield.
    """
    killed = set(dead)
    attackers = [u.name for u in combat.attackers if u.name not in killed]
    defenders = [u.name for u in combat.defenders if u.name not in killed]
    recalled = tuple(attackers) if defenders else ()
    attacking = bool((attackers and not recalled) or combat.arrivals.attackers)
    defending = bool(defenders or combat.arrivals.defenders)
    restaged = attacking and defending
    control = _control(combat, attacking, defending)
    gained = control not in (combat.control, "uncontrolled")
    return Ending(
        dead=tuple(u.name for u in (*combat.attackers, *combat.defenders) if u.name in killed),
        recalled=recalled,
        result=_result(attacking, defending, bool(recalled)),
        control=control,
        conquer=gained and not restaged and control not in combat.scored_this_turn,
        restaged=restaged,
    )


def _result(attacking: bool, defending: bool, recalled: bool) -> Result:
    """[466.3.a, 466.3.b, 466.3.d] Judged after the recall; no result is tested first."""
    if recalled or attacking == defending:
        return "no_result"
    return "attacker_won" if attacking else "defender_won"


def _control(combat: Combat, attacking: bool, defending: bool) -> Control:
    """[466.5, 466.5.b] With something staged there, control stays what it was."""
    if attacking and defending:
        return combat.control if combat.control in ("attacker", "defender") else "uncontrolled"
    if attacking:
        return "attacker"
    return "defender" if defending else "uncontrolled"


class Outcome(Ending, frozen=True, kw_only=True):
    """One combat played to its end, for the assignments that both sides chose.

    By unit name: `applied`, points after the replacements that the edition counts at assignment;
    `dealt`, damage dealt; `left`, the replacements left. `excess` is by assigning side, in points.
    """

    applied: dict[str, int]
    dealt: dict[str, int]
    left: dict[str, tuple[str, ...]]
    excess: dict[str, int]


def resolve(combat: Combat, assignments: dict[Side, Assignment]) -> Outcome:
    """Play a combat from both assignments, taken as legal, to its end [465.2.d, 466].

    The damage of both sides is dealt at one time [465.2.c.1.a]; then comes the cleanup.
    """
    applied: dict[str, int] = {}
    dealt: dict[str, Dealt] = {}
    excess: dict[str, int] = {}
    dead: list[str] = []
    within = edition(combat.edition)
    for side, assignment in assignments.items():
        board = question(combat, side)
        excess[side] = 0
        for unit, raw in zip(board.units, assignment, strict=True):
            counts = not is_exempt(unit, board)
            counted = counted_at_assignment(unit, within).applied(raw) if counts else 0
            applied[unit.name] = counted
            dealt[unit.name] = deal(unit, raw, board)
            excess[side] += excess_of(unit, raw, board)
            if dies(unit, dealt[unit.name].points, board):
                dead.append(unit.name)
    end = ending(combat, dead)
    order = [unit.name for unit in (*combat.attackers, *combat.defenders)]
    return Outcome(
        applied={name: applied[name] for name in order},
        dealt={name: dealt[name].points for name in order},
        left={name: dealt[name].left for name in order},
        excess=excess,
        **msgspec.structs.asdict(end),
    )
