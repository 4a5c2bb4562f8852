"""The best legal assignment for objectives that a player names, proven, with the number of ties.

Where the legal set can be sorted by score at once it is; what is left is CP-SAT's. Both give the
same answer, and tests compare them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from math import lcm
from typing import Any, Final, NamedTuple

import msgspec

from rules.board import Assignment, Board, check_board, read_names
from rules.checks import MAX_NUMBER
from rules.editions import edition
from rules.errors import BadRequest, did_you_mean, no_unit, shown
from rules.lethal import (
    EXEMPT,
    NEVER,
    counted_at_assignment,
    current_might,
    deaths,
    excess_of,
    need,
)
from solver import dynamic, fates, limits
from solver.cells import Menu
from solver.demands import Demand
from solver.exact import Legal
from solver.limits import TOO_LARGE, LimitReached
from solver.reasons import Reason, forbidden

OBJECTIVES: Final = ("kills", "might", "value", "excess")
TIES_SHOWN: Final = 1000
"""Ties are counted up to here; beyond it, that there are at least so many is all that is said."""


class Best(msgspec.Struct, frozen=True, kw_only=True):
    """The best assignment, or why there is none.

    `score` has the value of each objective in order: deaths, units of Might, the values given,
    points of excess. `optimal` says whether it is proven that nothing is better; `ties` is the
    number of assignments with that score, None where it is not known and then `ties_at_least` were
    found. `reason` is what forbids what was demanded, None where a limit kept it from being found.
    """

    feasible: bool
    assignment: Assignment | None = None
    score: tuple[int | Fraction, ...] = ()
    optimal: bool = False
    ties: int | None = None
    ties_at_least: int = 0
    reason: Reason | None = None

    @property
    def because(self) -> tuple[str, ...] | None:
        """The ids of the rules of that reason; none where the demand contradicts itself."""
        if self.feasible:
            return ()
        return None if self.reason is None else self.reason.ids


def best(
    board: Board,
    maximize: Sequence[str] = ("kills",),
    *,
    value: Mapping[str, float | Fraction] | None = None,
    kill: Iterable[str] = (),
    spare: Iterable[str] = (),
    engine: str = "exact",
    time_limit: float | None = None,
) -> Best:
    """The legal assignment that is best for the objectives, the first mattering most.

    Objectives are "kills" (units that die), "might" (current Might of those), "value" (the sum of
    `value` of those; 0 for units not named) and "excess". `kill` and `spare` name units that must
    and must not die. The engine "exact" leaves to CP-SAT what is too large for it, "cp-sat" leaves
    it everything. Raises `BadRequest` for unknown words, and `LimitReached` when the time limit, in
    seconds, comes before any assignment was found.
    """
    check_board(board)
    goals = read_objectives(maximize, value)
    worth = read_values(board, value)
    kill = read_names(board.units, kill, "$.kill")
    spare = read_names(board.units, spare, "$.spare")
    if engine not in ("exact", "cp-sat"):
        raise BadRequest(f"an engine is exact or cp-sat, not {shown(engine)}", "$.engine")
    asked = _Asked(board, goals, worth, kill, spare)
    with limits.deadline(time_limit):
        found = None
        if engine == "exact":
            with suppress(LimitReached):
                found = asked.exactly()
        return found or asked.by_cpsat()


def score_of(
    board: Board,
    assignment: Assignment,
    maximize: Sequence[str] = ("kills",),
    value: Mapping[str, float | Fraction] | None = None,
) -> tuple[int | Fraction, ...]:
    """What an assignment is worth for each objective, legal or not."""
    return _Asked(board, maximize, read_values(board, value), (), ()).scores(assignment)


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
                f"{did_you_mean(word, OBJECTIVES)}",
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
            raise BadRequest(no_unit(name, board.names), where)
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

    def exactly(self) -> Best | None:
        """The best as the legal set sorted by score tells it; None where it is too large."""
        legal = Legal(self.board, self.kill, self.spare)
        if not legal:
            return self._impossible()
        short = self._nothing_is_left_over()
        if short or "excess" not in self.goals:
            found = fates.optimum(legal.automata, deaths(self.board), self._weights())
            if found is not None:
                return self._answer(found.assignment, found.ties)
        elif (richest := _richest(legal)) is not None:
            return self._answer(next(iter(richest)), richest.count())
        by_points = dynamic.optimum(legal, [self._score(goal) for goal in self.goals])
        return None if by_points is None else self._answer(by_points.assignment, by_points.ties)

    def _impossible(self) -> Best:
        reason = None
        with suppress(LimitReached):
            reason = forbidden(self.board, Demand(self.kill, self.spare))
        return Best(feasible=False, reason=reason)

    def _nothing_is_left_over(self) -> bool:
        needs = need(self.board)
        return NEVER in needs or self.board.pool <= sum(n for n in needs if isinstance(n, int))

    def _weights(self) -> list[int]:
        """One whole number for the death of each unit, in which earlier goals outweigh later."""
        tables = []
        for goal in self.goals:
            if goal != "excess":
                gains = [Fraction(gain) for gain in self.gains(goal).values()]
                scale = lcm(*(gain.denominator for gain in gains))
                tables.append([int(gain * scale) for gain in gains])
        weights, outweighed = [0] * len(self.board.units), 1
        for table in reversed(tables):
            weights = [w + gain * outweighed for w, gain in zip(weights, table, strict=True)]
            outweighed *= 2 * sum(map(abs, table)) + 1
        return weights

    def _score(self, goal: str) -> dynamic.Score:
        units = self.board.units
        if goal == "excess":
            return lambda u, x: excess_of(units[u], x, self.board)
        least, gains = deaths(self.board), list(self.gains(goal).values())
        return lambda u, x: gains[u] if least[u] != NEVER and x >= int(least[u]) else 0

    def scores(self, assignment: Assignment) -> tuple[int | Fraction, ...]:
        """What an assignment is worth for each goal."""
        places = range(len(assignment))
        worth = (sum(map(self._score(goal), places, assignment)) for goal in self.goals)
        return tuple(_simple(Fraction(one)) for one in worth)

    def _answer(self, assignment: Assignment, ties: int | None) -> Best:
        """An assignment that is proven to be the best."""
        return Best(
            feasible=True,
            assignment=assignment,
            score=self.scores(assignment),
            optimal=True,
            ties=ties,
            ties_at_least=ties or 1,
        )

    def by_cpsat(self) -> Best:
        """The best as CP-SAT finds it, proven if the deadline does not come first."""
        from solver.search import optimum, tally

        model, objectives, scale = self.stated()
        found = optimum(model, objectives)
        if found is None:
            return self._impossible()
        score = tuple(
            _simple(Fraction(number, scale if goal == "value" else 1))
            for goal, number in zip(self.goals, found.score, strict=True)
        )
        ties, at_least = None, 1
        if found.proven:
            model, objectives, _ = self.stated()
            for objective, number in zip(objectives, found.score, strict=True):
                if not isinstance(objective, int):
                    model.cp.add(objective == number)
            at_least, all_found = tally(model, TIES_SHOWN)
            ties = at_least if all_found else None
        return Best(
            feasible=True,
            assignment=found.assignment,
            score=score,
            optimal=found.proven,
            ties=ties,
            ties_at_least=max(1, at_least),
        )


def _richest(legal: Legal) -> Legal | None:
    """Those of a legal set that make the most excess, where everybody is lethal and dies of it.

    What a unit has beyond its need counts with the factor of its replacements, so that all that is
    left over is on units with the largest. None where it is not as simple, as where exempt units
    may take points so that others are not lethal.
    """
    board, within = legal.board, edition(legal.board.edition)
    if board.readings.undamageable == "optional" and EXEMPT in need(board):
        return None
    cells = [legal.cells[number] for number, *_ in legal.start]
    slopes = []
    for unit, least, dies in zip(board.units, need(board), deaths(board), strict=True):
        if not isinstance(least, int):
            slopes.append(0)
            continue
        factor, less = counted_at_assignment(unit, within)
        if dies == NEVER or int(dies) > least or (least == 0 and less > 0):
            return None
        slopes.append(1 if board.readings.excess == "raw" else factor)
    if len(cells) != 1:
        return None
    menus = cells[0].menus
    open_to = [u for u, menu in enumerate(menus) if menu.free or menu.exception]
    steepest = max((slopes[u] for u in open_to), default=0)
    narrowed = list(menus)
    for u in open_to:
        if slopes[u] < steepest:
            narrowed[u] = Menu(menus[u].amounts or (menus[u].free or (0, 0))[:1])
    return legal.narrowed([cells[0]._replace(menus=tuple(narrowed))])


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
            raise LimitReached(TOO_LARGE)
        part = model.cp.new_int_var(0, highest, "")
        model.cp.add_max_equality(part, [factor * raw - less, 0])
        total += part
    return total


def _simple(number: Fraction) -> int | Fraction:
    return int(number) if number.denominator == 1 else number
