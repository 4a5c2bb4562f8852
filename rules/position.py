"""A board with an assignment on it: every unit's state as plain truth values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Literal

from rules.board import Assignment, Board
from rules.editions import edition
from rules.lethal import EXEMPT, need

Tier = Literal["tank", "backline"]


class Position:
    """The facts of one assignment, in the words of `rules.rule.Facts`.

    A dual unit counts as Tank or as Backline [465.2.c.8], and which of the two can be told from the
    assignment: nothing is lost by taking a unit with lethal points as Tank, a unit without points
    as Backline, and a partial one as Tank as long as nobody who must wait for Tanks has points.
    `tiers` (name to tier) overrides this choice.
    """

    def __init__(
        self, board: Board, points: Assignment, tiers: Mapping[str, Tier] | None = None
    ) -> None:
        self.board = board
        self.points = points
        self.edition = edition(board.edition)
        self.readings = board.readings
        self.units = range(len(board.units))
        self.needs = need(board)
        self.exempt = [n == EXEMPT for n in self.needs]
        self.hit = [x > 0 for x in points]
        self.lethal = [type(n) is int and x >= n for x, n in zip(points, self.needs, strict=True)]
        self.over = [type(n) is int and x > n for x, n in zip(points, self.needs, strict=True)]
        self.partial = [
            hit and not (lethal or exempt)
            for hit, lethal, exempt in zip(self.hit, self.lethal, self.exempt, strict=True)
        ]
        self._tiers = tiers or {}

    @cached_property
    def doubled(self) -> list[bool]:
        return ["double" in unit.replacements for unit in self.board.units]

    @cached_property
    def absent(self) -> list[bool]:
        return [False for _ in self.units]

    @cached_property
    def tank(self) -> list[bool]:
        """Tank is in force [465.2.c.10, 766]."""
        ignored = "tank" in self.board.assigner.ignores
        return [
            unit.tank and not ignored and not exempt
            for unit, exempt in zip(self.board.units, self.exempt, strict=True)
        ]

    @cached_property
    def backline(self) -> list[bool]:
        """Backline is in force [465.2.c.10, 766]."""
        ignored = "backline" in self.board.assigner.ignores
        return [
            unit.backline and not ignored and not exempt
            for unit, exempt in zip(self.board.units, self.exempt, strict=True)
        ]

    @cached_property
    def dual(self) -> list[bool]:
        return [t and b for t, b in zip(self.tank, self.backline, strict=True)]

    @cached_property
    def bound(self) -> list[bool]:
        """The order of tiers holds for the unit: it is not exempt, or points on it are optional."""
        optional = self.readings.undamageable == "optional"
        return [optional or not exempt for exempt in self.exempt]

    @cached_property
    def first(self) -> list[bool]:
        return [
            tank and (not dual or self._as_tank(u))
            for u, (tank, dual) in enumerate(zip(self.tank, self.dual, strict=True))
        ]

    @cached_property
    def last(self) -> list[bool]:
        return [b and not f for b, f in zip(self.backline, self.first, strict=True)]

    def _as_tank(self, u: int) -> bool:
        chosen = self._tiers.get(self.board.units[u].name)
        if chosen is not None:
            return chosen == "tank"
        if self._all_lethal and self.readings.leftover == "last_unit":
            return not self.over[u]
        return self.hit[u] and (self.lethal[u] or not self._outsider_hit)

    @cached_property
    def _all_lethal(self) -> bool:
        return all(self.lethal[u] or self.exempt[u] for u in self.units)

    @cached_property
    def _outsider_hit(self) -> bool:
        """Somebody who must wait for the Tanks has points."""
        return any(self.hit[u] and self.bound[u] and not self.tank[u] for u in self.units)

    @staticmethod
    def no(literal: bool) -> bool:
        return not literal

    @staticmethod
    def all(literals: Iterable[bool]) -> bool:
        return all(literals)

    @staticmethod
    def any(literals: Iterable[bool]) -> bool:
        return any(literals)

    @staticmethod
    def several(literals: Iterable[bool]) -> bool:
        return sum(literals) > 1

    def reaches(self, giver: int, taker: int) -> bool:
        """The points on `giver` would be enough to make `taker` lethal."""
        least = self.needs[taker]
        return type(least) is int and self.points[giver] >= least

    def name(self, u: int) -> str:
        return self.board.units[u].name

    def tally(self, u: int) -> str:
        """The unit's points beside what it needs: `A 2 of 3`."""
        least = self.needs[u]
        if least == EXEMPT:
            return f"{self.name(u)} {self.points[u]} (cannot be dealt damage)"
        if least == "never":
            return f"{self.name(u)} {self.points[u]} (never lethal)"
        return f"{self.name(u)} {self.points[u]} of {least}"

    def tallies(self, units: Iterable[int]) -> str:
        """Several tallies as one phrase, the tail of a long list counted instead of told."""
        return enumerate_words([self.tally(u) for u in units])


def enumerate_words(words: list[str], most: int = 6) -> str:
    """`A, B and C`; beyond `most` words the rest is counted: `A, B, C and 9 more`."""
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)
