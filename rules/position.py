"""A board with an assignment on it: every unit's state as plain truth values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import inf
from operator import and_, ge, gt, not_
from typing import Literal, NamedTuple

from rules.board import Assignment, Board
from rules.editions import EDITIONS
from rules.lethal import EXEMPT, Need, needs_of

Tier = Literal["tank", "backline"]


class Standing(NamedTuple):
    """What is known of the units before any points are assigned, in the words of `Facts`."""

    needs: tuple[Need, ...]
    enough: tuple[float, ...]
    """The need in points, without end where there is none."""
    short: tuple[float, ...]
    """Less than this is too little: the need, but nothing for a unit that is exempt."""
    exempt: tuple[bool, ...]
    tank: tuple[bool, ...]
    """Tank is in force [465.2.c.10, 766]."""
    backline: tuple[bool, ...]
    """Backline is in force [465.2.c.10, 766]."""
    dual: tuple[bool, ...]
    bound: tuple[bool, ...]
    doubled: tuple[bool, ...]
    absent: tuple[bool, ...]


@lru_cache(maxsize=1024)
def standing(board: Board) -> Standing:
    """What is known of the units of a board before any points are assigned."""
    needs, ignores = needs_of(board), board.assigner.ignores
    nobody, everybody = (False,) * len(needs), (True,) * len(needs)
    exempt = tuple([n == EXEMPT for n in needs]) if EXEMPT in needs else nobody
    pairs = list(zip(board.units, exempt, strict=True))
    tank = nobody if "tank" in ignores else tuple([u.tank and not skip for u, skip in pairs])
    backline = (
        nobody if "backline" in ignores else tuple([u.backline and not skip for u, skip in pairs])
    )
    enough = tuple([n if isinstance(n, int) else inf for n in needs])
    is_bound = board.readings.undamageable == "optional" or exempt is nobody
    return Standing(
        needs=needs,
        enough=enough,
        short=tuple([0 if skip else n for n, skip in zip(enough, exempt, strict=True)]),
        exempt=exempt,
        tank=tank,
        backline=backline,
        dual=tuple(map(and_, tank, backline)),
        bound=everybody if is_bound else tuple(map(not_, exempt)),
        doubled=tuple(["double" in unit.replacements for unit in board.units]),
        absent=nobody,
    )


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
        self.edition = EDITIONS[board.edition]
        self.readings = board.readings
        self.units = range(len(points))
        (
            self.needs,
            enough,
            short,
            self.exempt,
            self.tank,
            self.backline,
            self.dual,
            self.bound,
            self.doubled,
            self.absent,
        ) = standing(board)
        self.hit = list(map(bool, points))
        self.lethal = list(map(ge, points, enough))
        self.over = list(map(gt, points, enough))
        self.partial = [0 < x < least for x, least in zip(points, short, strict=True)]
        self.first: Sequence[bool] = self.tank
        self.last: Sequence[bool] = self.backline
        if any(self.dual):
            self._settle(tiers or {})

    def _settle(self, tiers: Mapping[str, Tier]) -> None:
        """Say for each dual unit whether it counts as Tank or as Backline."""
        outsider_hit = any(
            hit and bound and not tank
            for hit, bound, tank in zip(self.hit, self.bound, self.tank, strict=True)
        )
        if self.readings.leftover == "last_unit" and all(
            lethal or exempt for lethal, exempt in zip(self.lethal, self.exempt, strict=True)
        ):
            as_tank = [not over for over in self.over]
        else:
            as_tank = [
                hit and (lethal or not outsider_hit)
                for hit, lethal in zip(self.hit, self.lethal, strict=True)
            ]
        for u in self.units if tiers else ():
            if self.name(u) in tiers:
                as_tank[u] = tiers[self.name(u)] == "tank"
        self.first = [
            tank and (taken or not dual)
            for tank, taken, dual in zip(self.tank, as_tank, self.dual, strict=True)
        ]
        self.last = [
            backline and not first
            for backline, first in zip(self.backline, self.first, strict=True)
        ]

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


def given(board: Board, assignment: Assignment) -> str:
    """Who is given how much, the others left out: `A 3, C 2`."""
    points = [f"{n} {x}" for n, x in zip(board.names, assignment, strict=True) if x]
    return ", ".join(points) or "nothing to anybody"


def enumerate_words(words: list[str], most: int = 6) -> str:
    """`A, B and C`; beyond `most` words the rest is counted: `A, B, C and 9 more`."""
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
