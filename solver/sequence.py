"""An order in which a legal assignment can be made, one unit after the other."""

from __future__ import annotations

from collections.abc import Iterator

from rules.position import Position


def witness(position: Position) -> tuple[tuple[str, int], ...]:
    """One order in which the points of a legal position can be assigned: names with points.

    Lethal Tanks, the other units by tier, the unit that is left short of lethal, and then what is
    left over [465.2.c.3, 465.2.c.4, 465.2.c.6]; a unit that has some of that comes twice.
    """
    return tuple((position.name(u), points) for u, points in _steps(position) if points)


def _steps(p: Position) -> Iterator[tuple[int, int]]:
    in_turn = sorted(p.units, key=lambda u: (p.partial[u], not p.first[u], p.last[u], u))
    for u in in_turn:
        yield u, _needed(p, u)
    for u in in_turn:
        yield u, p.points[u] - _needed(p, u)


def _needed(p: Position, u: int) -> int:
    """The points on a unit without those that are left over."""
    least = p.needs[u]
    return least if p.over[u] and isinstance(least, int) else p.points[u]
