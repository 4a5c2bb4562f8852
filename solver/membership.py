"""Whether an assignment on an ordinary board is legal, from the needs alone and at once.

The cases are those of `solver.cells`, by how far the points come.
"""

from __future__ import annotations

from math import inf
from operator import ge, gt

from rules.board import Assignment, Board
from rules.lethal import EXEMPT, NEVER, needs_of
from solver.counting import tier_of


def contains(board: Board, points: Assignment) -> bool | None:
    """Is the assignment one of the legal ones? None for a board that is rarer of kind.

    Rarer are exempt units, the reading `must_kill`, and others of `leftover` than `any`.
    """
    needs, readings = needs_of(board), board.readings
    if EXEMPT in needs or readings.must_kill != "no" or readings.leftover != "any":
        return None
    if sum(points) != (board.pool if needs else 0):
        return False
    least = [inf if n == NEVER else n for n in needs] if NEVER in needs else needs
    if all(map(ge, points, least)):
        return True
    if any(map(gt, points, least)):
        return False
    ignores = board.assigner.ignores
    has_points, is_short = [False] * 4, [False] * 4
    partial: int | None = None
    for unit, given, enough in zip(board.units, points, least, strict=True):
        tier = tier_of(unit, ignores) if unit.tank or unit.backline else 0
        if given:
            has_points[tier] = True
        if given != enough:
            is_short[tier] = True
            if given:
                if partial is not None:
                    return False
                partial = tier
    plain, tank, backline, dual = range(4)
    if is_short[tank]:
        return not (has_points[plain] or has_points[backline])
    if is_short[plain]:
        return not (has_points[backline] or (has_points[plain] and partial == dual))
    return True
