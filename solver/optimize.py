"""The best legal assignment for objectives that a player names, proven by CP-SAT."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Final, NamedTuple

import msgspec

from rules.board import Assignment, Board, read_names
from rules.checks import MAX_NUMBER
from rules.editions import edition
from rules.errors import BadRequest, did_you_mean, shown
from rules.lethal import (
    NEVER,
    counted_at_assignment,
    current_might,
    deaths,
    excess_of,
    need,
)
from solver import dynamic, explain
from solver.exact import Legal
from solver.limits import Clock

OBJECTIVES: Final = ("kills", "might", "value", "excess")
_FEW_UNITS: Final = 16
"""Up to so many units, who can die is gone through set by set."""
TIES_SHOWN: Final = 1000
"""Ties are counted up to here; beyond it, that there are at least so many is all that is said."""


class Best(msgspec.Struct, frozen=True, kw_only=True):
    """The best assignment, or why there is none.

    `score` has the value of each objective in order: deaths, units of Might, the values given,
    points of excess. `optimal` says whether it is proven that nothing is better; `ties` is the
    number of assignments with that score, None where it is not known and then `ties_at_least` were
    found. `because` are the ids of the rules that forbid what was demanded.
    """

    feasible: bool
    assignment: Assignment | None = None
    score: tuple[int | Fraction, ...] = ()
    optimal: bool = False
    ties: int | None = None
    ties_at_least: int = 0
    because: tuple[str, ...] = ()


def best(
    board: Board,
    maximize: Sequence[str] = ("kills",),
    *,
    value: Mapping[str, float | Fraction] | None = None,
    kill: Iterable[str] = (),
    spare: Iterable[str] = (),
    time_limit: float | None = None,
) -> Best:
    """The legal assignment that is best for the objectives, the first mattering most.

    Objectives are "kills" (units that die), "might" (current Might of those), "value" (the sum of
    `value` of those; 0 for units not named) and "excess". `kill` and `spare` name units that must
    and must not die. Raises `BadRequest` for unknown words, and `LimitReached` when the time limit,
    in seconds, comes before any assignment was found.
    """
    goals = read_objectives(maximize, value)
    worth = read_values(board, value)
    kill = read_names(board.units, kill, "$.kill")
    spare = read_names(board.units, spare, "$.spare")
    asked = _Asked(board, goals, worth, kill, spare)
    from solver.search import optimum, tally

    clock = Clock(time_limit)
    try:
        model, objectives, scale = asked.stated()
        found = optimum(model, objectives, clock.left())
    except BadRequest:
        by_sets = asked.by_kill_sets()
        if by_sets is None:
            raise
        return by_sets
    if found is None:
        because = explain.forbidding(board, kill, spare, clock.left())
        return Best(feasible=False, because=tuple(because))
    score = tuple(
        _simple(Fraction(number, scale if goal == "value" else 1))
        for goal, number in zip(goals, found.score, strict=True)
    )
    ties: int | None = None
    at_least = 1
    if found.proven:
        ties = asked.ties()
    if found.proven and ties is None:
        model, objectives, _ = asked.stated()
        for objective, number in zip(objectives, found.score, strict=True):
            model.cp.add(objective == number) if not isinstance(objective, int) else None
        at_least, all_found = tally(model, TIES_SHOWN, clock.left())
        ties = at_least if all_found else None
    return Best(
        feasible=True,
        assignment=found.assignment,
        score=score,
        optimal=found.proven,
        ties=ties,
        ties_at_least=ties or at_least,
    )


def read_objectives(
    maximize: object, value: Mapping[str, float | Fraction] | None = None
) -> tuple[str, ...]:
    """The objectives, checked: known words, each once, and values where "value" is asked for."""
    if isinstance(maximize, str) or not isinstance(maximize, Sequence):
        raise BadRequest("expected a list of objectives", "$.maximize")
    for i, word in enumerate(maximize):
        if word not in OBJECTIVES:
            raise BadRequest(
                f"an objective is one of {', '.join(OBJECTIVES)}, not {shown(word)}"
                f"{did_you_mean(str(word), OBJECTIVES)}",
                f"$.maximize[{i}]",
            )
        if word in maximize[:i]:
            raise BadRequest(f"the objective {word} is given twice", f"$.maximize[{i}]")
    if "value" in maximize and not value:
        raise BadRequest('the objective "value" needs the units\' values', "$.value")
    if value and "value" not in maximize:
        raise BadRequest('values are given, but "value" is no objective', "$.maximize")
    return tuple(maximize)


def read_values(board: Board, value: object) -> dict[str, Fraction]:
    """Exact values by name. Raises `BadRequest` for unknown units and for what is no number."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadRequest("values are an object of name to number", "$.value")
    exact = {}
    for name, number in value.items():
        where = f"$.value.{shown(name)}"
        if name not in board.names:
            hint = did_you_mean(str(name), board.names)
            raise BadRequest(f"there is no unit {shown(name)}{hint}", where)
        if isinstance(number, bool) or not isinstance(number, (int, float, Fraction)):
            raise BadRequest(f"expected a number, not {shown(number)}", where)
        try:
            exact[name] = Fraction(str(number)) if isinstance(number, float) else Fraction(number)
        except ValueError:
            raise BadRequest(f"expected a number, not {shown(number)}", where) from None
        if abs(exact[name]) > MAX_NUMBER:
            raise BadRequest("numbers are at most 10^18 in size", where, "limit")
    return exact


class _Asked(NamedTuple):
    """A question for the best assignment, checked."""

    board: Board
    goals: Sequence[str]
    worth: Mapping[str, Fraction]
    kill: tuple[str, ...]
    spare: tuple[str, ...]

    def stated(self) -> tuple[Any, list[Any], int]:
        """The model with its demands, an expression for each goal, the scale of values."""
        from solver.encoding import Model

        model = Model(self.board)
        model.demand(self.kill, self.spare)
        scale = lcm(*(number.denominator for number in self.worth.values()))
        objectives = []
        for goal in self.goals:
            if goal == "excess":
                objectives.append(_excess(model))
            else:
                gain = self.gains(goal)
                by = scale if goal == "value" else 1
                objectives.append(_weighted(model, {n: int(g * by) for n, g in gain.items()}))
        return model, objectives, scale

    def gains(self, goal: str) -> dict[str, int | Fraction]:
        """What the death of each unit counts for a goal."""
        if goal == "value":
            return {name: self.worth.get(name, Fraction(0)) for name in self.board.names}
        role = self.board.units_are
        return {
            unit.name: 1 if goal == "kills" else current_might(unit, role)
            for unit in self.board.units
        }

    def ties(self) -> int | None:
        """The number of best assignments, exactly; None where that is too much to work out."""
        scores = [self._score(goal) for goal in self.goals]
        best = dynamic.optimum(Legal(self.board, self.kill, self.spare), scores)
        if best is not None:
            return best.ties
        by_sets = self.by_kill_sets()
        return None if by_sets is None else by_sets.ties

    def _score(self, goal: str) -> Callable[[int, int], int | Fraction]:
        units = self.board.units
        if goal == "excess":
            return lambda u, x: excess_of(units[u], x, self.board)
        least, gains = deaths(self.board), list(self.gains(goal).values())
        return lambda u, x: gains[u] if least[u] != NEVER and x >= int(least[u]) else 0

    def by_kill_sets(self) -> Best | None:
        """The best by going through who can die; None where that does not decide, or is too long.

        It decides where no goal is excess, or nothing can be left over.
        """
        needs = need(self.board)
        whole = sum(n for n in needs if isinstance(n, int))
        short = NEVER in needs or self.board.pool <= whole
        if len(needs) > _FEW_UNITS or not (short or "excess" not in self.goals):
            return None
        sets = Legal(self.board, self.kill, self.spare).kill_sets()
        if not sets:
            because = explain.forbidding(self.board, self.kill, self.spare)
            return Best(feasible=False, because=tuple(because))
        tables = [self.gains(goal) if goal != "excess" else {} for goal in self.goals]
        scores = {
            killed: tuple(_simple(Fraction(sum(t.get(n, 0) for n in killed))) for t in tables)
            for killed in sets
        }
        top = max(scores.values())
        best = [killed for killed in sets if scores[killed] == top]
        ties = sum(sets[killed] for killed in best)
        return Best(
            feasible=True,
            assignment=min(self._first(killed) for killed in best),
            score=top,
            optimal=True,
            ties=ties,
            ties_at_least=ties,
        )

    def _first(self, killed: tuple[str, ...]) -> Assignment:
        spared = tuple(name for name in self.board.names if name not in killed)
        return Legal(self.board, killed, spared)[0]


def _weighted(model: Any, weights: Mapping[str, int]) -> Any:
    return sum(weight * model.dead[name] for name, weight in weights.items() if weight)


def _excess(model: Any) -> Any:
    """Points of excess, as a linear expression over new variables of the model.

    Beyond its need what comes out of a unit's pipeline grows by its factor with every point; with a
    need of 0 it may first have to make up for what is prevented.
    """
    board = model.board
    within = edition(board.edition)
    needs = need(board)
    left = board.pool - sum(n for n in needs if isinstance(n, int))
    total: Any = 0
    if left <= 0 or NEVER in needs:
        return total
    for unit, raw, least in zip(board.units, model.raw, needs, strict=True):
        if not isinstance(least, int):
            continue
        factor, less = counted_at_assignment(unit, within)
        if board.readings.excess == "raw":
            factor, less = 1, least
        elif least:
            less = factor * least
        highest = factor * left
        if highest > MAX_NUMBER:
            raise BadRequest("the numbers are too large for CP-SAT", "$", "limit")
        part = model.cp.new_int_var(0, highest, "")
        model.cp.add_max_equality(part, [factor * raw - less, 0])
        total += part
    return total


def _simple(number: Fraction) -> int | Fraction:
    return int(number) if number.denominator == 1 else number
