"""The boards within bounds: what the laboratory's claims range over.

A unit has Might, damage marked on it, keywords and a pipeline of replacement effects. Assault and
Shield only change Might, and stun only the other side's pool, so that no unit here has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

import msgspec

from rules.board import MAX_UNITS, Assigner, Board, Keyword, Unit
from rules.errors import BadRequest, shown
from rules.lethal import Need
from rules.notation import write, write_unit
from rules.position import standing
from solver import limits

MOST_KINDS: Final = 20_000
"""Beyond so many kinds of units the bounds are refused."""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """How large the boards are that a claim is about; each number is the most there may be.

    `units` on the board; `might` and `least_might` of a unit, in units of Might; `marked`, damage
    marked on a unit; `replacements` of a unit, each of them Double, Prevent all or a Prevent of at
    most `prevent`; `pool` in points. Assignments have no bound. The assigner may ignore keywords,
    and any damage may be lethal. Raises `BadRequest`.
    """

    units: int = 4
    might: int = 4
    least_might: int = 1
    marked: int = 2
    replacements: int = 2
    prevent: int = 2
    pool: int = 10

    def __post_init__(self) -> None:
        for field, most in _MOST.items():
            value = getattr(self, field)
            least = -most if field in ("might", "least_might") else int(field == "units")
            if type(value) is not int or not least <= value <= most:
                sentence = f"expected a whole number from {least} to {most}, not {shown(value)}"
                raise BadRequest(sentence, f"$.{field}")
        if self.least_might > self.might:
            sentence = f"no Might is between {self.least_might} and {self.might}"
            raise BadRequest(sentence, "$.least_might")
        if _count_kinds(self) > MOST_KINDS:
            sentence = f"at most {MOST_KINDS:,} kinds of units, not {_count_kinds(self):,}"
            raise BadRequest(sentence, "$", "limit")

    @property
    def points(self) -> int:
        """The most points on a unit that need be looked at: one more than any pool and any need.

        Whoever gives a unit more breaks the same rules with as many: the unit has more than its
        need, and all units together have more than the pool.
        """
        need = max(1, self.might) + self.replacements * self.prevent
        return max(self.pool, need) + 1

    def __str__(self) -> str:
        return (
            f"up to {self.units} units, Might {self.least_might} to {self.might}, "
            f"{self.marked} marked, {self.replacements} replacements a unit "
            f"(Prevent up to {self.prevent}), pool up to {self.pool}"
        )


_MOST: Final = {
    "units": 12,
    "might": 100,
    "least_might": 100,
    "marked": 100,
    "replacements": 4,
    "prevent": 20,
    "pool": 500,
}
"""The largest bounds, beyond which nothing would come of it."""


def _count_kinds(bounds: Bounds) -> int:
    steps = bounds.prevent + 2
    pipes = sum(int(steps**length) for length in range(bounds.replacements + 1))
    return (bounds.might - bounds.least_might + 1) * (bounds.marked + 1) * 8 * pipes


SWEPT: Final = Bounds(units=3, might=3, marked=1, replacements=1, pool=8)
"""What is swept board by board unless told otherwise."""


@lru_cache(maxsize=8)
def pipelines(bounds: Bounds) -> tuple[tuple[str, ...], ...]:
    """All pipelines of replacement effects within the bounds, the empty one first."""
    values = [f"prevent {value}" for value in range(1, bounds.prevent + 1)]
    steps = ["double", *values, "prevent all"]
    return tuple(
        pipe for length in range(bounds.replacements + 1) for pipe in product(steps, repeat=length)
    )


@lru_cache(maxsize=8)
def kinds(bounds: Bounds) -> tuple[Unit, ...]:
    """All units within the bounds, in the order of their notation.

    A blank comes before all that a unit is written with, so that of two boards of as many units
    the one with the smaller unit at the first place where they differ has the smaller notation.
    """
    flags = (False, True)
    units = (
        Unit(
            might=might,
            marked=marked,
            tank=tank,
            backline=backline,
            replacements=steps,
            undamageable=undamageable,
        )
        for might in range(bounds.least_might, bounds.might + 1)
        for marked in range(bounds.marked + 1)
        for tank, backline, undamageable in product(flags, repeat=3)
        for steps in pipelines(bounds)
    )
    return tuple(sorted(units, key=write_unit))


def assigners(board: Board) -> tuple[Assigner, ...]:
    """All that can hold for an assigner, as the notation of a board like this one orders it."""
    ignored: tuple[tuple[Keyword, ...], ...] = ((), ("tank",), ("backline",), ("tank", "backline"))
    options = (
        Assigner(ignores=ignores, any_damage_is_lethal=anyhow)
        for ignores, anyhow in product(ignored, (False, True))
    )
    bare = msgspec.structs.replace(board, pool=0, units=())
    return tuple(
        sorted(options, key=lambda one: write(msgspec.structs.replace(bare, assigner=one)))
    )


class Known(NamedTuple):
    """What is known of a unit before any points are assigned, in the words of `Facts`."""

    need: Need
    exempt: bool
    tank: bool
    backline: bool
    doubled: bool


def known(units: Sequence[Unit], settings: Board) -> Iterator[Known]:
    """What the rulebook knows of each of the units under the settings of a board.

    Nothing in it depends on which other units are there, so that they are asked about together.
    """
    for start in range(0, len(units), MAX_UNITS):
        limits.check()
        batch = tuple(units[start : start + MAX_UNITS])
        still = standing(msgspec.structs.replace(settings, pool=0, units=batch))
        columns = (still.needs, still.exempt, still.tank, still.backline, still.doubled)
        yield from map(Known, *columns)


def features(unit: Unit) -> int:
    """How many keywords, replacements and marks a unit has; damage marked on it is one mark."""
    flags = (unit.tank, unit.backline, unit.undamageable, unit.marked > 0)
    return sum(flags) + len(unit.replacements)
