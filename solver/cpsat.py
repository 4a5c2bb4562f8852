"""Running CP-SAT: one worker and a fixed seed, so that the same question has the same answer."""

from __future__ import annotations

import threading
from typing import Any, Final

from ortools.sat.python import cp_model

from solver import limits
from solver.limits import LimitReached

TOO_LARGE_FOR_CPSAT: Final = "the numbers are too large for CP-SAT"


def run(cp: cp_model.CpModel, *, presolve: bool = True) -> cp_model.CpSolver | None:
    """Solve to the end: a solver that holds an (optimal) solution, None where there is none.

    Without `presolve` small models with many tables are solved sooner. Raises `LimitReached` when
    the deadline comes first, and for numbers that are too large.
    """
    solver, status = attempt(cp, presolve=presolve)
    if status in (cp_model.FEASIBLE, cp_model.UNKNOWN):
        raise LimitReached
    return solver if status == cp_model.OPTIMAL else None


def attempt(cp: cp_model.CpModel, *, presolve: bool = True) -> tuple[cp_model.CpSolver, Any]:
    """Solve as far as the deadline lets: the solver and its status.

    Raises `LimitReached` for numbers beyond the solver's arithmetic.
    """
    solver = new_solver()
    solver.parameters.cp_model_presolve = presolve
    status = _solve(solver, cp)
    if status == cp_model.MODEL_INVALID:
        raise LimitReached(TOO_LARGE_FOR_CPSAT)
    return solver, status


def new_solver() -> cp_model.CpSolver:
    """A solver with one worker and a fixed seed, which stops at the deadline."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.catch_sigint_signal = False
    left = limits.left()
    if left is not None:
        solver.parameters.max_time_in_seconds = left
    return solver


def _solve(solver: cp_model.CpSolver, cp: cp_model.CpModel) -> Any:
    """Solve in a thread of its own, so that an interruption is heard meanwhile."""
    status: list[Any] = []
    done = threading.Event()

    def work() -> None:
        try:
            status.append(solver.solve(cp))
        finally:
            done.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        # Not `thread.join`: interrupted, it takes the thread for finished.
        while not done.wait(0.1):
            pass
    except BaseException:
        while not done.wait(0.1):
            solver.stop_search()
        raise
    thread.join()
    return status[0]
