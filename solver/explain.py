"""Verdicts on assignments, in rules, units and amounts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice, product
from typing import Final, NamedTuple

from rules.board import Assignment, Board, check_board, read_assignment
from rules.editions import edition
from rules.lethal import already_lethal
from rules.position import Position, Tier
from rules.rule import Violation
from rules.rulebook import DECIDING, violations
from solver import limits, orders
from solver.limits import LimitReached
from solver.membership import contains
from solver.sequence import witness

Tiers = dict[str, str]
"""Names of dual units to "tank", "backline" or, where both choices are legal, "either"."""


NEAREST_SECONDS: Final = 5.0
"""How long the nearest legal assignments are looked for, unless told otherwise."""
_NEAREST: Final = 10
"""So many of the nearest legal assignments are told."""
_TRIED: Final = 4
"""Up to so many dual units every choice of their tiers is tried."""


class Nearest(NamedTuple):
    """The legal assignments at the least distance, in lexicographic order.

    `complete` says that there are no others: it is not cut after the first few, or by a limit.
    """

    assignments: tuple[Assignment, ...]
    complete: bool


class Trial(NamedTuple):
    """A choice for the dual units, by name, and what an assignment then breaks."""

    tiers: dict[str, Tier]
    violations: tuple[Violation, ...]


class Tried(NamedTuple):
    """The choices for the dual units that were tried; `complete` says that those are all."""

    trials: tuple[Trial, ...]
    complete: bool


class Verdict:
    """Whether an assignment is legal, and all that is known about it.

    `legal`. The rest is worked out only when it is read: `violations`, every broken rule with its
    number, the units concerned and the reason; `tiers`, what each dual unit counts as; of an
    illegal assignment `nearest` and `all_nearest`, the legal ones at the least distance, and
    `tried`, why each choice for the dual units fails; of a legal one `order`, how it can be made;
    `orders`, whether it is so in every order of replacements.
    """

    def __init__(
        self, board: Board, assignment: Assignment, time_limit: float | None = NEAREST_SECONDS
    ) -> None:
        self.board = board
        self.assignment = assignment
        self._time_limit = time_limit
        legal = contains(board, assignment)
        self.legal = not self.violations if legal is None else legal

    def __bool__(self) -> bool:
        return self.legal

    def __repr__(self) -> str:
        broken = ", ".join(str(v.number or v.rule) for v in self.violations)
        return f"<Verdict {'legal' if self.legal else f'illegal: {broken}'}>"

    @cached_property
    def _position(self) -> Position:
        return Position(self.board, self.assignment)

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """Every rule that is broken, in the order of their numbers; none if it is legal."""
        return tuple(violations(self._position))

    @cached_property
    def tiers(self) -> Tiers:
        """What each dual unit counts as [465.2.c.8]: "tank", "backline" or "either"."""
        p = self._position
        duals = [p.name(u) for u in p.units if p.dual[u]]
        taken: dict[str, Tier] = {
            p.name(u): "tank" if p.first[u] else "backline" for u in p.units if p.dual[u]
        }
        if not self.legal:
            return dict(taken)
        return {name: "either" if self._also_other(name, taken) else taken[name] for name in duals}

    def _also_other(self, name: str, taken: Mapping[str, Tier]) -> bool:
        """Would the assignment be legal with this one dual unit decided the other way?

        What the others should be taken as does not depend on it, except for a partial one.
        """
        other: Tier = "backline" if taken[name] == "tank" else "tank"
        p = self._position
        partial = [p.name(u) for u in p.units if p.partial[u] and p.dual[u] and p.name(u) != name]
        trials: list[dict[str, Tier]] = [{}, dict.fromkeys(partial, "tank")]
        trials.append(dict.fromkeys(partial, "backline"))
        return any(
            not any(
                violations(Position(self.board, self.assignment, {**taken, **trial, name: other}))
            )
            for trial in trials[: 3 if partial else 1]
        )

    @cached_property
    def orders(self) -> orders.Robust[Board] | None:
        """Whether every order of replacements [372] has the same verdict; None if none matters."""
        return orders.robust(
            self.board,
            lambda other: self.legal != bool(violations(Position(other, self.assignment))),
        )

    @cached_property
    def nearest(self) -> Assignment | None:
        """A legal assignment with the least sum of absolute differences, in points.

        Of several the lexicographically smallest; None where it is not found within the time limit
        or the question is too large.
        """
        return next(iter(self.all_nearest.assignments), None)

    @cached_property
    def all_nearest(self) -> Nearest:
        """All legal assignments with the least sum of absolute differences, at most the first ten.

        None of them where they are not found within the time limit or the question is too large.
        """
        if self.legal:
            return Nearest((self.assignment,), complete=True)
        from solver.nearest import nearest

        found: list[Assignment] = []
        try:
            with limits.deadline(self._time_limit):
                for assignment in islice(nearest(self.board, self.assignment), _NEAREST + 1):
                    found.append(assignment)
        except LimitReached:
            return Nearest(tuple(found[:_NEAREST]), complete=False)
        return Nearest(tuple(found[:_NEAREST]), len(found) <= _NEAREST)

    @cached_property
    def tried(self) -> Tried:
        """Why an illegal assignment stays so whatever the dual units count as [465.2.c.8].

        Every choice of their tiers with the deciding rules that are then broken; beyond four dual
        units only the choice that fits best. No choice where there is none to make, or no need.
        """
        p = self._position
        duals = [u for u in p.units if p.dual[u]]
        if self.legal or not duals:
            return Tried((), complete=True)
        complete = len(duals) <= _TRIED
        fits: tuple[Tier, ...] = tuple("tank" if p.first[u] else "backline" for u in duals)
        either: tuple[Tier, Tier] = ("tank", "backline")
        choices = product(either, repeat=len(duals)) if complete else [fits]
        names = [p.name(u) for u in duals]
        return Tried(
            tuple(self._trial(dict(zip(names, choice, strict=True))) for choice in choices),
            complete,
        )

    def _trial(self, tiers: dict[str, Tier]) -> Trial:
        position = Position(self.board, self.assignment, tiers)
        deciding = DECIDING[self.board.edition]
        return Trial(tiers, tuple(v for rule in deciding for v in rule.violations(position)))

    @cached_property
    def order(self) -> tuple[tuple[str, int], ...]:
        """One order in which a legal assignment can be made, unit by unit: names with points.

        A unit that is given what is left over comes twice. Empty for an illegal assignment.
        """
        return witness(self._position) if self.legal else ()


def check(
    board: Board,
    assignment: Sequence[int] | Mapping[str, int],
    *,
    time_limit: float | None = NEAREST_SECONDS,
) -> Verdict:
    """The verdict on an assignment, by the predicates of the rules alone, without a solver.

    `assignment` is points in unit order or a mapping of names to points; the time limit, in
    seconds, is for the nearest legal one when it is read. Raises `BadRequest` for an assignment
    that does not fit the board.

    >>> from rules import parse
    >>> check(parse("5 into 3 3 3 3"), (2, 1, 1, 1)).violations[0].number
    '465.2.c.3'
    """
    check_board(board)
    return Verdict(board, read_assignment(board.units, assignment, "$.assignment"), time_limit)


def in_play(board: Board) -> list[str]:
    """The ids of the rules that have something to say about this board, in the table's order.

    A rule without a unit it could concern is left out; one that is here need not decide anything.
    """
    still = Position(board, (0,) * len(board.units))
    takers = [unit for unit, exempt in zip(board.units, still.exempt, strict=True) if not exempt]
    steps = {step for unit in takers for step in unit.replacements}
    contested = len(takers) > 1
    concerned = {
        "lethal_value_alterable": board.assigner.any_damage_is_lethal,
        "might_kill_check": any(already_lethal(unit, board.units_are) for unit in board.units),
        "prevent_lethal_includes_value": any(step[-1].isdigit() for step in steps),
        "prevent_all_never_lethal": "prevent all" in steps,
        "assign_total": True,
        "lethal_in_full_before_next": contested,
        "no_over_assignment": contested,
        "min_applied_when_increased": "double" in steps,
        "replacements_apply_to_assignment": bool(steps),
        "obey_requirements": contested
        and any(still.backline)
        and "backline_last" not in edition(board.edition),
        "exclusionary_choose_one": any(still.dual),
        "exclusionary_each_unit": sum(still.dual) > 1,
        "undamageable_exempt": any(still.exempt),
        "ignore_effects": bool(board.assigner.ignores),
        "tank_first": contested and any(still.tank),
        "tank_multiple": sum(still.tank) > 1,
        "backline_last": contested and any(still.backline),
        "backline_multiple": sum(still.backline) > 1,
    }
    return [slug for slug, so in concerned.items() if so and slug in edition(board.edition)]
