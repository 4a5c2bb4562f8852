"""Other ways to the same answers: two with CP-SAT, an answer set program, a library, brute force.

Each lists, counts and, some of them, checks a board in the JSON shape, and raises `TooSlow` when
its time is over.
"""

from __future__ import annotations

import itertools
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

from rules import Board
from solver.limits import LimitReached

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

Json = Mapping[str, Any]
Assignment = tuple[int, ...]
TANK, BACKLINE = 0, 2


class TooSlow(Exception):
    """A rival did not finish in the time it had."""


class Question(NamedTuple):
    """A board as the noun and as plain data."""

    board: Board
    data: Json


class Rival(NamedTuple):
    """One other way, by what it can do; the number is the seconds it has for it."""

    name: str
    listing: Callable[[Question, float], list[Assignment]]
    counting: Callable[[Question, float], int]
    checking: Callable[[Question, Assignment], bool] | None = None


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` in the block when it takes longer; for whatever runs in Python."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- CP-SAT as the product runs it ----------------------------------------------------------------


def engine_listing(question: Question, seconds: float) -> list[Assignment]:
    import solver

    try:
        return list(solver.legal(question.board, engine="cp-sat", time_limit=seconds))
    except LimitReached:
        raise TooSlow from None


def engine_counting(question: Question, seconds: float) -> int:
    import solver

    try:
        return solver.count(question.board, engine="cp-sat", time_limit=seconds)
    except LimitReached:
        raise TooSlow from None


def engine_checking(question: Question, assignment: Assignment) -> bool:
    import solver

    model = solver.model(question.board)
    for variable, points in zip(model.raw, assignment, strict=True):
        model.cp.add(variable == points)
    return model.solve() is not None


# --- the same model, enumerated by nothing but a callback -----------------------------------------


def bare_listing(question: Question, seconds: float) -> list[Assignment]:
    return _enumerated(question, seconds, reads=True)


def bare_counting(question: Question, seconds: float) -> int:
    return len(_enumerated(question, seconds, reads=False))


def _enumerated(question: Question, seconds: float, *, reads: bool) -> list[Assignment]:
    from ortools.sat.python import cp_model

    from solver.encoding import Model

    model = Model(question.board)
    found: list[Assignment] = []

    class Collector(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found.append(model.read(self) if reads else ())

    model.cp.add_decision_strategy(model.raw, cp_model.CHOOSE_FIRST, cp_model.SELECT_MIN_VALUE)
    cp = cp_model.CpSolver()
    cp.parameters.num_workers = 1
    cp.parameters.enumerate_all_solutions = True
    cp.parameters.search_branching = cp_model.FIXED_SEARCH
    cp.parameters.cp_model_presolve = False
    cp.parameters.max_time_in_seconds = seconds
    if cp.solve(model.cp, Collector()) != cp_model.OPTIMAL:
        raise TooSlow
    return found


# --- clingo ---------------------------------------------------------------------------------------


def clingo_listing(question: Question, seconds: float) -> list[Assignment]:
    import clingo_oracle

    with deadline(seconds):
        return clingo_oracle.legal(question.data)


def clingo_counting(question: Question, seconds: float) -> int:
    import clingo_oracle

    models = itertools.count()
    control = clingo_oracle.grounded(question.data, "--models=0", "--project=show")
    with deadline(seconds):
        control.solve(on_model=lambda model: next(models) >= 0)
    return next(models)


def clingo_checking(question: Question, assignment: Assignment) -> bool:
    import clingo
    import clingo_oracle

    given = "".join(f":- not give({u},{points}).\n" for u, points in enumerate(assignment))
    facts = "".join(f"{fact}.\n" for fact in clingo_oracle.board_facts(question.data))
    control = clingo.Control()
    control.add("base", [], clingo_oracle.PROGRAM + facts + given)
    control.ground([("base", [])])
    return bool(control.solve().satisfiable)


# --- the rules as a predicate ---------------------------------------------------------------------


class Sheet:
    """The rules of `rules.md`, section 5, at the default readings, as plain Python functions."""

    def __init__(self, data: Json) -> None:
        import oracle

        self.pool = int(data["pool"])
        self.needs = oracle.need(data)
        self.tiers = list(oracle.tier_choices(data))
        self.takers = list(self.tiers[0])
        self.size = len(self.needs)

    def lethal(self, u: int, points: int) -> bool:
        least = self.needs[u]
        return isinstance(least, int) and points >= least

    def agree(self, tier: Mapping[int, int], u: int, v: int, x: int, y: int) -> bool:
        """May unit u have x points while unit v has y?"""
        lethal_u, lethal_v = self.lethal(u, x), self.lethal(v, y)
        if x > 0 and y > 0 and not lethal_u and not lethal_v:
            return False
        return (lethal_u or self.waits(tier, u, v, y)) and (lethal_v or self.waits(tier, v, u, x))

    def waits(self, tier: Mapping[int, int], u: int, v: int, y: int) -> bool:
        """Unit u is not lethal: are the y points on unit v possible all the same?"""
        least = self.needs[v]
        if isinstance(least, int) and y > least:
            return False
        if tier[u] == TANK != tier[v] or tier[v] == BACKLINE != tier[u]:
            return y == 0
        return True

    def most(self, u: int) -> int:
        """The most points that a unit could be given."""
        return self.pool if not self.takers or u in self.takers else 0

    def legal(self, assignment: Assignment) -> bool:
        """Is it a legal assignment for some choice of a tier for each dual unit?"""
        if sum(assignment) != self.pool or len(assignment) != self.size:
            return False
        if any(points > self.most(u) for u, points in enumerate(assignment)):
            return False
        return any(
            all(
                self.agree(tier, u, v, assignment[u], assignment[v])
                for u, v in itertools.combinations(self.takers, 2)
            )
            for tier in self.tiers
        )


def constraint_listing(question: Question, seconds: float) -> list[Assignment]:
    """A variable per unit and a constraint per pair of units, once for each choice of tiers."""
    import constraint

    sheet = Sheet(question.data)
    units = list(range(sheet.size))
    found: set[Assignment] = set()
    with deadline(seconds):
        for tier in sheet.tiers:
            problem = constraint.Problem()
            for u in units:
                problem.addVariable(u, range(sheet.most(u) + 1))
            problem.addConstraint(constraint.ExactSumConstraint(sheet.pool), units)
            for u, v in itertools.combinations(sheet.takers, 2):
                problem.addConstraint(_pair(sheet, tier, u, v), (u, v))
            found.update(tuple(one[u] for u in units) for one in problem.getSolutions())
    return sorted(found)


def _pair(sheet: Sheet, tier: Mapping[int, int], u: int, v: int) -> Callable[[int, int], bool]:
    def agree(x: int, y: int) -> bool:
        return sheet.agree(tier, u, v, x, y)

    return agree


def brute_listing(question: Question, seconds: float) -> list[Assignment]:
    """Every way to split the pool, tried one after the other."""
    import oracle

    sheet = Sheet(question.data)
    with deadline(seconds):
        return [x for x in oracle.compositions(sheet.pool, sheet.size) if sheet.legal(x)]


def predicate_checking(question: Question, assignment: Assignment) -> bool:
    return Sheet(question.data).legal(assignment)


def _counted(
    listing: Callable[[Question, float], list[Assignment]],
) -> Callable[[Question, float], int]:
    return lambda question, seconds: len(listing(question, seconds))


ENGINE: Final = Rival("CP-SAT", engine_listing, engine_counting, engine_checking)
BARE: Final = Rival("CP-SAT bare", bare_listing, bare_counting)
CLINGO: Final = Rival("clingo", clingo_listing, clingo_counting, clingo_checking)
CONSTRAINT: Final = Rival("constraint2", constraint_listing, _counted(constraint_listing))
BRUTE: Final = Rival("brute force", brute_listing, _counted(brute_listing), predicate_checking)
RIVALS: Final = (ENGINE, BARE, CLINGO, CONSTRAINT, BRUTE)
