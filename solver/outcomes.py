"""Both sides of a combat: what each may assign, every way it can end, and who can force what.

Which assignments are legal to one side does not depend on the other's, and how a combat ends
depends only on who dies. So the outcomes are the pairs of one kill set of each side, and a pair
stands for as many pairs of assignments as the product of the two counts. Result, control and
Conquer depend on even less, on whether anybody of either side is left: what a side can be sure of
is known without a single kill set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Final, overload

import msgspec

from rules.board import SIDES, Assignment, Board, Combat, Side, check_combat
from rules.editions import TABLE, edition
from rules.lethal import Need, dead, need
from rules.resolution import OTHER, ROLES, Ending, Outcome, ending, question, resolve
from rules.rule import Violation
from solver import exact, explain, limits
from solver.explain import check
from solver.limits import Clock, LimitReached

Names = tuple[str, ...]
KillSets = dict[Names, int]
"""Sets of units that can die, by name, each with the number of assignments that kill it."""
Pair = tuple[Assignment, Assignment]
"""What the Attacker assigns, and what the Defender assigns."""
Facts = dict[str, tuple[object, ...]]
"""For `result`, `control` and `conquer` the values that somebody can bring about."""

FACTS: Final = ("result", "control", "conquer")


class Way(Ending, frozen=True, kw_only=True):
    """One way a combat can end, how many pairs of assignments lead there, and one of them."""

    ways: int
    example: Pair


class Ways(Sequence[Way]):
    """All pairs of a kill set of each side as ways to end; each is made only when it is read.

    Those with most of the defenders dead come first. Reading raises `LimitReached`, with how many
    ways there are, where the time limit is over.
    """

    def __init__(
        self,
        combat: Combat,
        sets: Mapping[Side, KillSets],
        example: Callable[[Side, Names], Assignment],
    ) -> None:
        self._combat = combat
        self._mine = list(sets["attacker"].items())
        self._theirs = list(sets["defender"].items())
        self._example = example

    def __len__(self) -> int:
        return len(self._mine) * len(self._theirs)

    def __repr__(self) -> str:
        return f"<{len(self)} ways to end>"

    @overload
    def __getitem__(self, index: int) -> Way: ...
    @overload
    def __getitem__(self, index: slice) -> list[Way]: ...
    def __getitem__(self, index: int | slice) -> Way | list[Way]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        of_mine, of_theirs = divmod(range(len(self))[index], len(self._theirs))
        (mine, number), (theirs, other) = self._mine[of_mine], self._theirs[of_theirs]
        try:
            example = self._example("attacker", mine), self._example("defender", theirs)
        except LimitReached as cut:
            raise LimitReached(cut.why, len(self)) from None
        end = ending(self._combat, (*mine, *theirs))
        return Way(**msgspec.structs.asdict(end), ways=number * other, example=example)


class CombatAnswer:
    """Everything about a combat, each part worked out when it is first asked for; see the module.

    By side: `boards`, the two questions; `chosen`, the assignments given, if they are legal;
    `illegal`, the violations of those that are not.

    The time limit, in seconds, is one for everything and runs from now on. What it cuts off raises
    `LimitReached`, as does what is too large a question; the rest is still answered.
    """

    def __init__(self, combat: Combat, time_limit: float | None = None) -> None:
        self.combat = combat
        self._clock = Clock(time_limit)
        self._found: dict[Side, KillSets] = {}
        self._single: dict[Side, KillSets | None] = {}
        self._examples: dict[tuple[Side, Names], Assignment] = {}
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
        with self._clock.running():
            return {side: exact.legal(board).count() for side, board in self.boards.items()}

    @property
    def kill_sets(self) -> dict[Side, KillSets]:
        """By assigning side: the sets of the other's units that it can kill, with their counts."""
        return self._sets({})

    def _kill_sets_of(self, side: Side) -> KillSets:
        if only := self._only(side):
            return only
        if side not in self._found:
            with self._clock.running():
                self._found[side] = exact.legal(self.boards[side]).kill_sets()
        return self._found[side]

    def _only(self, side: Side) -> KillSets | None:
        """The one kill set of a side without a choice about who dies; None if there are more.

        That is told by counting: no other kill set is looked for.
        """
        if side not in self._single:
            with self._clock.running():
                limits.check()
                board = self.boards[side]
                legal = exact.legal(board)
                killed = dead(board, next(iter(legal)))
                number = exact.legal(board, killed, _others(board, killed)).count()
                self._single[side] = {killed: number} if number == legal.count() else None
        return self._single[side]

    def _sets(self, chosen: Mapping[Side, Assignment]) -> dict[Side, KillSets]:
        """The same, a side that has chosen having only what it chose.

        Raises `LimitReached` with the number of pairs that there are at least.
        """
        sets: dict[Side, KillSets] = {}
        at_least, cut = 1, ""
        for side, board in self.boards.items():
            try:
                if side in chosen:
                    sets[side] = {dead(board, chosen[side]): 1}
                else:
                    sets[side] = self._kill_sets_of(side)
                at_least *= len(sets[side])
            except LimitReached as reached:
                at_least *= max(1, reached.at_least)
                cut = reached.why
        if cut:
            raise LimitReached(cut, at_least)
        return sets

    @cached_property
    def outcomes(self) -> Ways:
        """Every way the combat can end, those with most of the defenders dead first."""
        return Ways(self.combat, self.kill_sets, self._first)

    @cached_property
    def remaining(self) -> Ways:
        """The ways that are left when a side that has chosen keeps to what it chose."""
        return Ways(self.combat, self._sets(self.chosen), self._chosen_or_first)

    def _chosen_or_first(self, side: Side, killed: Names) -> Assignment:
        return self.chosen[side] if side in self.chosen else self._first(side, killed)

    def _first(self, side: Side, killed: Names) -> Assignment:
        """The first assignment that kills just these units."""
        if (side, killed) not in self._examples:
            with self._clock.running():
                limits.check()
                board = self.boards[side]
                legal = exact.Legal(board, killed, _others(board, killed))
                self._examples[side, killed] = next(iter(legal))
        return self._examples[side, killed]

    @cached_property
    def outcome(self) -> Outcome | None:
        """The combat played to its end; None unless both assignments are chosen and legal."""
        if len(self.chosen) < len(SIDES):
            return None
        return resolve(self.combat, {side: self.chosen[side] for side in SIDES})

    @cached_property
    def endings(self) -> dict[tuple[bool, bool], Ending]:
        """An ending for each of what can be: do all defenders die, do all attackers die?

        All endings of a kind have the same result, control and Conquer, and are staged again or
        not; who is dead and recalled in this one is an example.
        """
        kinds, everybody = {}, {}
        for side, board in self.boards.items():
            everybody[side] = {True: board.names, False: ()}
            with self._clock.running():
                all_die = exact.legal(board, board.names, ()).count()
                left = exact.legal(board).count() - all_die
            kinds[side] = [kind for kind, number in ((True, all_die), (False, left)) if number]
        return {
            (mine, theirs): ending(
                self.combat, (*everybody["attacker"][mine], *everybody["defender"][theirs])
            )
            for mine in kinds["attacker"]
            for theirs in kinds["defender"]
        }

    @property
    def endings_left(self) -> list[Ending]:
        """Of these endings the ones that are left when a side that has chosen keeps to it."""
        chosen = self.chosen.items()
        all_die = {side: len(dead(self.boards[side], x)) == len(x) for side, x in chosen}
        return [
            end
            for kinds, end in self.endings.items()
            if all(all_die.get(s, kind) == kind for s, kind in zip(SIDES, kinds, strict=True))
        ]

    @cached_property
    def guarantees(self) -> dict[Side, Facts]:
        """What each side can bring about whatever the other assigns: results, control, Conquer.

        The Attacker assigns first, so the Defender may answer what they see [465.2.c].
        """
        result: dict[Side, Facts] = {"attacker": {}, "defender": {}}
        for fact in FACTS:
            rows: dict[bool, dict[object, None]] = {}
            for (mine, _), end in self.endings.items():
                rows.setdefault(mine, {})[getattr(end, fact)] = None
            values = dict.fromkeys(value for row in rows.values() for value in row)
            result["attacker"][fact] = tuple(
                value for value in values if any(row.keys() == {value} for row in rows.values())
            )
            result["defender"][fact] = tuple(
                value for value in values if all(value in row for row in rows.values())
            )
        return result

    @cached_property
    def decides(self) -> tuple[Side, ...]:
        """The sides that can force every outcome, since the other has no choice about who dies.

        Where the other has a choice, no outcome can be forced as a whole; where neither has one,
        there is one outcome, and both sides are here.
        """
        return tuple(side for side in SIDES if self._only(OTHER[side]))

    @property
    def forced(self) -> Way | None:
        """The one way the combat can end, where neither side has a choice about it."""
        return self.outcomes[0] if len(self.decides) == len(SIDES) else None

    @property
    def in_play(self) -> list[str]:
        """The ids of the rules that concern this combat, in the table's order.

        A rule about an end is here if that end is left when a side that has chosen keeps to it.
        """
        attackers, defenders = self.combat.attackers, self.combat.defenders
        ends = self.endings_left
        settled = [end for end in ends if not end.restaged]
        fought = bool(attackers and defenders)
        concerned = {
            "stun_no_contribution": any(unit.stunned for unit in (*attackers, *defenders)),
            "damage_step_condition": not fought,
            "sum_attackers": fought,
            "sum_defenders": fought,
            "deal_simultaneously": fought,
            "combat_special_cleanup": True,
            "cleanup_kill_3b": True,
            "cleanup_recall_3d": any(end.recalled for end in ends),
            "result_win": any(end.result != "no_result" for end in ends),
            "result_none": any(end.result == "no_result" for end in ends),
            "result_restage": any(end.restaged for end in ends),
            "establish_control": any(end.control != "uncontrolled" for end in settled),
            "uncontrolled_if_empty": any(end.control == "uncontrolled" for end in settled),
            "conquer_on_control": any(end.conquer for end in ends),
            "score_once_per_turn": bool(self.combat.scored_this_turn),
            "assault_bonus": any(unit.assault for unit in attackers),
            "shield_bonus": any(unit.shield for unit in defenders),
        }
        here = {slug for slug, so in concerned.items() if so}
        if fought:
            here.update(*map(explain.in_play, self.boards.values()))
        return [slug for slug in TABLE if slug in here and slug in edition(self.combat.edition)]


def _others(board: Board, killed: Names) -> Names:
    named = set(killed)
    return tuple(name for name in board.names if name not in named)


def combat(fight: Combat, *, time_limit: float | None = None) -> CombatAnswer:
    """Both sides of a combat: pools, needs, counts, outcomes, and who can force what.

    What needs every kill set raises `LimitReached` when the time limit, in seconds, comes first.
    `outcomes` is a lazy sequence: as long as there are outcomes, none of them made before it is
    read.

    >>> from rules import parse
    >>> answer = combat(parse("5A2 3Z vs Caitlyn:3B 4TS1"))
    >>> answer.pools
    {'attacker': 7, 'defender': 8}
    >>> [(way.dead, way.result) for way in answer.outcomes]
    [(('A1', 'D2'), 'no_result'), (('A2', 'D2'), 'no_result')]
    """
    check_combat(fight)
    return CombatAnswer(fight, time_limit)
