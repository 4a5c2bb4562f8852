"""The course of a combat as far as it is determined: who has no choice assigns what they must."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from rules.board import SIDES, Assignment, Board
from rules.flow import Flow, play
from rules.position import Position, standing
from rules.resolution import question
from rules.rulebook import violations
from rules.situation import Situation
from solver import exact
from solver.limits import LimitReached, within


def course(situation: Situation, time_limit: float | None = None) -> Flow:
    """The course of the next combat, played to its end where nothing is left to choose.

    A side that has not assigned and has one legal assignment alone is given it. The status is
    "unknown" where a limit, of which `time_limit` is in seconds for each side, comes before it is
    known whether a side has a choice.
    """
    flow = play(situation)
    if flow.status != "open" or flow.combat is None:
        return flow
    forced: dict[str, Assignment] = {}
    for side in SIDES:
        field = f"{side}_assigns"
        if getattr(situation, field) is not None:
            continue
        try:
            only = only_legal(question(flow.combat, side), time_limit)
        except LimitReached:
            return replace(flow, status="unknown")
        if only is not None:
            forced[field] = only
    return play(replace(situation, **forced)) if forced else flow


def only_legal(board: Board, time_limit: float | None = None) -> Assignment | None:
    """The one legal assignment of a board, None where there is a choice.

    Raises `LimitReached` when the time limit, in seconds, or one of the engine comes first.

    >>> from rules import parse
    >>> only_legal(parse("3 into 3T 2")), only_legal(parse("3 into 3 2"))
    ((3, 0), None)
    """
    # Most boards have a choice that is seen at once, many of these too large to be compiled.
    seen = {points for points in _obvious(board) if not violations(Position(board, points))}
    if len(seen) > 1:
        return None
    first, *others = within(time_limit, islice(exact.legal(board), 2))
    return None if others else first


def _obvious(board: Board) -> Iterator[Assignment]:
    """Assignments that are probably legal: tier by tier, from the first unit or from the last.

    Dual units are taken as Tank, then as Backline; within a tier also those with least need first.
    """
    if not board.units:
        return
    known = standing(board)
    takers = [u for u, skip in enumerate(known.exempt) if not skip] or list(range(len(known.needs)))
    most = board.pool + 1
    needs = [least if isinstance(least, int) else most for least in known.needs]
    for dual in (0, 2):
        tiers = [
            dual if both else 2 * last + (not (first or last))
            for both, first, last in zip(known.dual, known.tank, known.backline, strict=True)
        ]
        for units in (takers, takers[::-1]):
            yield _filled(board.pool, needs, sorted(units, key=lambda u: tiers[u]))
            yield _filled(board.pool, needs, sorted(units, key=lambda u: (tiers[u], needs[u])))


def _filled(pool: int, needs: list[int], order: list[int]) -> Assignment:
    """Each unit its need in that order while the pool lasts; what is over to the last."""
    points = [0] * len(needs)
    for u in order:
        points[u] = min(needs[u], pool)
        pool -= points[u]
    points[order[-1]] += pool
    return tuple(points)
