"""Both sides of a combat: what each may assign, every way it can end, and who can force what.

Which assignments are legal to one side does not depend on the other's, and how a combat ends
depends only on who dies. So the outcomes are the pairs of one kill set of each side, and a pair
stands for as many pairs of assignments as the product of the two counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

import msgspec
from msgspec.structs import replace

from rules.board import SIDES, Assignment, Combat, Side
from rules.flow import Flow, play
from rules.lethal import Need, dead, need
from rules.resolution import OTHER, ROLES, Ending, Outcome, ending, question, resolve
from rules.rule import Violation
from rules.situation import Situation
from solver import exact
from solver.explain import check

Names = tuple[str, ...]
KillSets = dict[Names, int]
"""Sets of units that can die, by name, each with the number of assignments that kill it."""
Pair = tuple[Assignment, Assignment]
"""What the Attacker assigns, and what the Defender assigns."""

FACTS: Final = ("result", "control", "conquer")


class Way(Ending, frozen=True, kw_only=True):
    """One way a combat can end, how many pairs of assignments lead there, and one of them."""

    ways: int
    example: Pair


class CombatAnswer:
    """Everything about a combat; see the module.

    By side: `boards`, the two questions; `chosen`, the assignments given, if they are legal;
    `illegal`, the violations of those that are not.
    """

    def __init__(self, combat: Combat, time_limit: float | None = None) -> None:
        self.combat = combat
        self._time_limit = time_limit
        self.boards = {side: question(combat, side) for side in SIDES}
        self.chosen: dict[Side, Assignment] = {}
        self.illegal: dict[Side, tuple[Violation, ...]] = {}
        given_by = {"attacker": combat.attacker_assigns, "defender": combat.defender_assigns}
        for side in SIDES:
            given = given_by[side]
            if isinstance(given, tuple):
                verdict = check(self.boards[side], given)
                if verdict.legal:
                    self.chosen[side] = given
                else:
                    self.illegal[side] = verdict.violations

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What is against the rules in the assignments chosen."""
        return tuple(violation for broken in self.illegal.values() for violation in broken)

    @property
    def pools(self) -> dict[Side, int]:
        """Points each side has to assign [465.2.a, 465.2.b]."""
        return {side: board.pool for side, board in self.boards.items()}

    @property
    def needs(self) -> dict[str, list[Need]]:
        """The needs of the attackers and of the defenders, in unit order."""
        return {ROLES[OTHER[side]]: need(self.boards[side]) for side in reversed(SIDES)}

    @cached_property
    def counts(self) -> dict[Side, int]:
        """The number of legal assignments that each side has among the other's units."""
        return {side: exact.legal(board).count() for side, board in self.boards.items()}

    @cached_property
    def kill_sets(self) -> dict[Side, KillSets]:
        """By assigning side: the sets of the other's units that it can kill, with their counts.

        Raises `LimitReached` when the time limit, in seconds for each side, comes first.
        """
        return {
            side: exact.legal(board).kill_sets(self._time_limit)
            for side, board in self.boards.items()
        }

    @cached_property
    def _endings(self) -> dict[tuple[Names, Names], Ending]:
        """The ending for each pair of kill sets: the Attacker's, the Defender's."""
        return {
            (mine, theirs): ending(self.combat, (*mine, *theirs))
            for mine in self.kill_sets["attacker"]
            for theirs in self.kill_sets["defender"]
        }

    @cached_property
    def outcomes(self) -> list[Way]:
        """Every way the combat can end, those with most of the defenders dead first."""
        first = {
            side: {killed: self._first(side, killed) for killed in sets}
            for side, sets in self.kill_sets.items()
        }
        return self._ways(self.kill_sets, first)

    @cached_property
    def remaining(self) -> list[Way]:
        """The ways that are left when a side that has chosen keeps to what it chose."""
        sets, examples = dict(self.kill_sets), {}
        for side, board in self.boards.items():
            if side in self.chosen:
                assignment = self.chosen[side]
                killed = dead(board, assignment)
                sets[side], examples[side] = {killed: 1}, {killed: assignment}
            else:
                examples[side] = {killed: self._first(side, killed) for killed in sets[side]}
        return self._ways(sets, examples)

    def _ways(
        self,
        sets: Mapping[Side, KillSets],
        examples: Mapping[Side, Mapping[Names, Assignment]],
    ) -> list[Way]:
        return [
            Way(
                **msgspec.structs.asdict(self._endings[mine, theirs]),
                ways=number * other,
                example=(examples["attacker"][mine], examples["defender"][theirs]),
            )
            for mine, number in sets["attacker"].items()
            for theirs, other in sets["defender"].items()
        ]

    def _first(self, side: Side, killed: Names) -> Assignment:
        """The first assignment that kills just these units."""
        board = self.boards[side]
        spared = tuple(name for name in board.names if name not in killed)
        return exact.Legal(board, killed, spared)[0]

    @cached_property
    def outcome(self) -> Outcome | None:
        """The combat played to its end; None unless both assignments are chosen and legal."""
        if len(self.chosen) < len(SIDES):
            return None
        return resolve(self.combat, {side: self.chosen[side] for side in SIDES})

    @cached_property
    def guarantees(self) -> dict[Side, dict[str, tuple[object, ...]]]:
        """What each side can bring about whatever the other assigns: results, control, Conquer.

        The Attacker assigns first, so the Defender may answer what they see [465.2.c].
        """
        mine, theirs = self.kill_sets["attacker"], self.kill_sets["defender"]
        result: dict[Side, dict[str, tuple[object, ...]]] = {"attacker": {}, "defender": {}}
        for fact in FACTS:
            table = [[getattr(self._endings[k, d], fact) for d in theirs] for k in mine]
            values = dict.fromkeys(value for row in table for value in row)
            result["attacker"][fact] = tuple(
                value for value in values if any(set(row) == {value} for row in table)
            )
            result["defender"][fact] = tuple(
                value for value in values if all(value in row for row in table)
            )
        return result

    @property
    def forced(self) -> Way | None:
        """The one way the combat can end, where neither side has a choice about it."""
        return self.outcomes[0] if len(self._endings) == 1 else None


def course(situation: Situation) -> Flow:
    """The course of the next combat; where neither side has a choice, played to its end."""
    flow = play(situation)
    if flow.status != "open" or flow.combat is None or flow.violations:
        return flow
    counts = {side: exact.legal(question(flow.combat, side)) for side in SIDES}
    if any(legal.count() > 1 for legal in counts.values()):
        return flow
    forced = {f"{side}_assigns": legal[0] for side, legal in counts.items()}
    open_ones = {k: v for k, v in forced.items() if getattr(situation, k) is None}
    return play(replace(situation, **open_ones))


def combat(fight: Combat, *, time_limit: float | None = None) -> CombatAnswer:
    """Both sides of a combat: pools, needs, counts, outcomes, and who can force what.

    What needs every kill set raises `LimitReached` when the time limit, in seconds, comes first.

    >>> from rules import parse
    >>> answer = combat(parse("5A2 3Z vs Caitlyn:3B 4TS1"))
    >>> answer.pools
    {'attacker': 7, 'defender': 8}
    >>> [(way.dead, way.result) for way in answer.outcomes]
    [(('A1', 'D2'), 'no_result'), (('A2', 'D2'), 'no_result')]
    """
    return CombatAnswer(fight, time_limit)
