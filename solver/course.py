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
from solver import exact, limits
from solver.limits import LimitReached


def course(situation: Situation, time_limit: float | None = None) -> Flow:
    """The course of the next combat, played to its end where nothing is left to choose.

    A side that has not assigned and has one legal assignment alone is given it. The status is
    "unknown" where a limit, of which `time_limit` is in seconds, comes before it is known whether a
    side has a choice.
    """
    flow = play(situation)
    if flow.status != "open" or flow.combat is None:
        return flow
    forced: dict[str, Assignment] = {}
    try:
        with limits.deadline(time_limit):
            for side in SIDES:
                field = f"{side}_assigns"
                if getattr(situation, field) is None:
                    only = only_legal(question(flow.combat, side))
                    if only is not None:
                        forced[field] = only
    except LimitReached:
        return replace(flow, status="unknown")
    return play(replace(situation, **forced)) if forced else flow


def only_legal(board: Board) -> Assignment | None:
    """The one legal assignment of a board, None where there is a choice.

    Raises `LimitReached` where a limit comes first.

    >>> from rules import parse
    >>> only_legal(parse("3 into 3T 2")), only_legal(parse("3 into 3 2"))
    ((3, 0), None)
    """
    # Most boards have a choice that is seen at once, many of these too large to be compiled.
    seen: set[Assignment] = set()
    for points in _obvious(board):
        limits.check()
        if points not in seen and not violations(Position(board, points)):
            seen.add(points)
        if len(seen) > 1:
            return None
    first, *others = islice(exact.legal(board), 2)
    return None if others else first


def _obvious(board: Board) -> Iterator[Assignment]:
    """Assignments that are probably legal, by the order in which the units of a tier are looked at.

    Dual units are taken as Tank, then as Backline.
    """
    known = standing(board)
    units = range(len(known.needs))
    takers = [u for u in units if not known.exempt[u]] or list(units)
    needs = [least if isinstance(least, int) else board.pool + 1 for least in known.needs]
    by_need = sorted(takers, key=needs.__getitem__)
    for dual in (0, 2):
        tiers = [
            dual if both else 2 * last + (not (first or last))
            for both, first, last in zip(known.dual, known.tank, known.backline, strict=True)
        ]
        for order in (takers, takers[::-1], by_need, by_need[::-1]):
            by_tier = [[u for u in order if tiers[u] == tier] for tier in range(3)]
            last = next(filter(None, reversed(by_tier)), order)
            taker = last if board.readings.leftover == "last_unit" else order
            yield _filled(board.pool, needs, by_tier, taker[:1])


def _filled(pool: int, needs: list[int], tiers: list[list[int]], taker: list[int]) -> Assignment:
    """In each tier all whose need the pool still has get it, until a tier has others.

    The first of those takes what is left, which is lethal to none of them; where there are none,
    the taker does.
    """
    points = [0] * len(needs)
    for tier in tiers:
        short = []
        for unit in tier:
            if needs[unit] <= pool:
                points[unit] = needs[unit]
                pool -= needs[unit]
            else:
                short.append(unit)
        if short:
            taker = short[:1]
            break
    for unit in taker:
        points[unit] += pool
    return tuple(points)
