"""How answers are found: the public verbs on boards. OR-Tools is imported only where it is used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from rules.board import Board, check_board, read_names
from rules.errors import BadRequest, shown
from rules.lethal import need
from rules.precedence import precedence_graph as precedence
from solver import counting, exact
from solver.explain import Verdict, check
from solver.legal_set import LegalSet
from solver.limits import LimitReached, check_seconds
from solver.makeup import Makeup, what
from solver.outcomes import CombatAnswer, combat

if TYPE_CHECKING:
    from solver.comparison import Comparison, compare
    from solver.encoding import Model
    from solver.margins import Margin, margin
    from solver.optimize import Best, best
    from solver.reasons import Answer, why

__all__ = [
    "Answer",
    "Best",
    "CombatAnswer",
    "Comparison",
    "LimitReached",
    "Makeup",
    "Margin",
    "Model",
    "Verdict",
    "best",
    "check",
    "combat",
    "compare",
    "count",
    "kills",
    "legal",
    "margin",
    "model",
    "need",
    "precedence",
    "what",
    "why",
]

_LAZY = {
    "Answer": "reasons",
    "Best": "optimize",
    "best": "optimize",
    "Margin": "margins",
    "margin": "margins",
    "Comparison": "comparison",
    "compare": "comparison",
    "Model": "encoding",
    "why": "reasons",
}


@overload
def legal(
    board: Board,
    *,
    kill: Iterable[str] = ...,
    spare: Iterable[str] = ...,
    engine: Literal["exact"] = ...,
    time_limit: float | None = ...,
) -> exact.Legal: ...
@overload
def legal(
    board: Board,
    *,
    kill: Iterable[str] = ...,
    spare: Iterable[str] = ...,
    engine: str,
    time_limit: float | None = ...,
) -> LegalSet: ...
def legal(
    board: Board,
    *,
    kill: Iterable[str] = (),
    spare: Iterable[str] = (),
    engine: str = "exact",
    time_limit: float | None = None,
) -> LegalSet:
    """The legal assignments of a board, lazily: tuples of raw points in lexicographic order.

    `kill` and `spare` name units that must and must not die. With a time limit, in seconds,
    whatever is asked of them raises `LimitReached` when that comes first. Raises `BadRequest` for
    unknown names.

    >>> from rules import parse
    >>> list(legal(parse("3 into Sentinel:3T Volunteer:2")))
    [(3, 0)]
    """
    check_board(board)
    kill = read_names(board.units, kill, "$.kill")
    spare = read_names(board.units, spare, "$.spare")
    if engine == "exact":
        if time_limit is not None:
            return exact.Legal(board, kill, spare, time_limit=time_limit)
        return exact.legal(board, kill, spare)
    if engine != "cp-sat":
        raise BadRequest(f"an engine is exact or cp-sat, not {shown(engine)}", "$.engine")
    from solver import search

    return search.Legal(board, kill, spare, time_limit=time_limit)


def count(
    board: Board,
    *,
    kill: Iterable[str] = (),
    spare: Iterable[str] = (),
    engine: str = "exact",
    time_limit: float | None = None,
) -> int:
    """The number of legal assignments, under the demands if there are any.

    Raises `LimitReached`, with how many there are at least, when the time limit comes first.
    """
    check_seconds(time_limit)
    try:
        plain = engine == "exact" and kill == spare == () and time_limit is None
        if plain and isinstance(board, Board):
            at_once = counting.count(board)
            if at_once is not None:
                return at_once
        return legal(board, kill=kill, spare=spare, engine=engine, time_limit=time_limit).count()
    except LimitReached as cut:
        # There always is a legal assignment, if nothing else is demanded.
        sure = 0 if kill or spare else 1
        raise LimitReached(cut.why, max(cut.at_least, sure)) from None


def kills(
    board: Board, *, engine: str = "exact", time_limit: float | None = None
) -> dict[tuple[str, ...], int]:
    """The distinct sets of units that can die, each with the number of assignments that do it.

    Largest sets first, then in unit order. Raises `LimitReached` when the time limit, in seconds,
    comes first.
    """
    return legal(board, engine=engine, time_limit=time_limit).kill_sets()


def model(board: Board, *, guarded: bool = False) -> Model:
    """The CP-SAT model of a board, open to constraints and objectives of your own."""
    from solver.encoding import Model

    check_board(board)
    return Model(board, guarded=guarded)


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"solver.{_LAZY[name]}"), name)
