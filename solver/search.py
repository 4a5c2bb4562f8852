"""Listing and optimizing with CP-SAT.

One worker and a fixed seed throughout: the same question has the same answer, byte for byte.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any, Final, NamedTuple

from ortools.sat.python import cp_model

from rules.board import Assignment
from solver import limits
from solver.cpsat import attempt, new_solver, run
from solver.encoding import Model
from solver.legal_set import LegalSet
from solver.limits import OUT_OF_TIME, LimitReached

_AHEAD: Final = 1024
"""How many assignments a listing may run ahead of whoever reads it."""


class Legal(LegalSet):
    """The legal assignments of a board as CP-SAT finds them: lazy, ordered, nothing twice.

    The solver branches on the units in order, least points first. It runs in a thread of its own, a
    little ahead of the reader, and stops with it. What else is asked is told from the whole list.
    """

    def __iter__(self) -> Generator[Assignment]:
        with limits.deadline(self.time_limit):
            model = Model(self.board)
            model.demand(self.kill, self.spare)
            return solutions(model)


def solutions(model: Model) -> Generator[Assignment]:
    """The assignments that satisfy a model, once each and in order; see `Legal`."""
    if not model.raw:
        return (each for each in [()] if run(model.cp) is not None)
    model.cp.add_decision_strategy(model.raw, cp_model.CHOOSE_FIRST, cp_model.SELECT_MIN_VALUE)
    solver = new_solver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.search_branching = cp_model.FIXED_SEARCH
    solver.parameters.cp_model_presolve = False
    return _solved(solver, model)


def _solved(solver: cp_model.CpSolver, model: Model) -> Generator[Assignment]:
    """The solutions as they are found."""
    found: queue.Queue[Assignment | None] = queue.Queue(maxsize=_AHEAD)
    stop = threading.Event()
    collector = _Collector(model, found.put, stop)
    status: list[Any] = []

    def work() -> None:
        try:
            status.append(solver.solve(model.cp, collector))
        finally:
            found.put(None)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    seen, last = 0, None
    try:
        while (assignment := found.get()) is not None:
            if last is not None and assignment <= last:
                raise RuntimeError(f"CP-SAT listed {assignment} after {last}")
            yield assignment
            seen, last = seen + 1, assignment
    finally:
        stop.set()
        solver.stop_search()
        while thread.is_alive():
            _drain(found)
            thread.join(0.01)
    if status[0] not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        raise LimitReached(OUT_OF_TIME, seen)


def tally(model: Model, most: int) -> tuple[int, bool]:
    """How many assignments satisfy a model, counted up to `most`, and whether that is all."""
    solver = new_solver()
    solver.parameters.enumerate_all_solutions = True
    counter = _Counter(most)
    status = solver.solve(model.cp, counter)
    return counter.found, status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)


class _Counter(cp_model.CpSolverSolutionCallback):
    def __init__(self, most: int) -> None:
        super().__init__()
        self.found = 0
        self._most = most

    def on_solution_callback(self) -> None:
        if self.found == self._most:
            self.stop_search()
        else:
            self.found += 1


def _drain(found: queue.Queue[Assignment | None]) -> None:
    while not found.empty():
        found.get_nowait()


class _Collector(cp_model.CpSolverSolutionCallback):
    def __init__(
        self, model: Model, emit: Callable[[Assignment], None], stop: threading.Event
    ) -> None:
        super().__init__()
        self._model = model
        self._emit = emit
        self._stop = stop

    def on_solution_callback(self) -> None:
        if self._stop.is_set():
            self.stop_search()
        else:
            self._emit(self._model.read(self))


class Optimum(NamedTuple):
    """The best assignment found, its value for each objective, and whether both are proven best."""

    assignment: Assignment
    score: list[int]
    proven: bool


def optimum(model: Model, objectives: Sequence[Any]) -> Optimum | None:
    """The best assignment under the objectives in their order; None where the model has none.

    Every objective is a linear expression or a number, is made as large as possible and then held
    there; of several best assignments the lexicographically smallest is taken. When the deadline
    ends the search, the best found so far is not proven. Raises `LimitReached` when it comes before
    anything is found.
    """
    solver, status = attempt(model.cp)
    if status == cp_model.INFEASIBLE:
        return None
    if status == cp_model.UNKNOWN:
        raise LimitReached
    best = model.read(solver)
    steps = [(objective, 1) for objective in objectives] + [(raw, -1) for raw in model.raw]
    for goal, direction in steps:
        if isinstance(goal, int) or (direction < 0 and solver.value(goal) == 0):
            if direction < 0:
                model.cp.add(goal == 0)
            continue
        model.cp.maximize(direction * goal)
        better, status = attempt(model.cp)
        model.cp.clear_objective()  # type: ignore[no-untyped-call]
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            solver = better
            best = model.read(solver)
        if status != cp_model.OPTIMAL:
            return Optimum(best, [_value(solver, each) for each in objectives], False)
        model.cp.add(goal == solver.value(goal))
    return Optimum(best, [_value(solver, each) for each in objectives], True)


def _value(solver: cp_model.CpSolver, objective: Any) -> int:
    return objective if isinstance(objective, int) else int(solver.value(objective))
