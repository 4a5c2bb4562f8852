"""What a legal set answers about itself, whichever engine finds it; here by listing it.

`solver.search` finds the assignments with CP-SAT and answers so. `solver.exact` answers the same
questions without listing anything.
"""

from __future__ import annotations

import operator
import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, overload

from rules.board import Assignment, Board, read_names
from rules.errors import shown
from rules.lethal import dead
from solver import limits
from solver.limits import check_seconds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROWS: Final = 1 << 14
"""Rows of the arrays in which a listing comes, unless told otherwise."""


class Marginal(NamedTuple):
    """One unit's part in a legal set: how many assignments give it how much; how many kill it."""

    points: dict[int, int]
    kills: int


class LegalSet(Sequence[Assignment]):
    """The legal assignments of a board in lexicographic order, those that meet the demands.

    A sequence of tuples of raw points that can be iterated, indexed, sliced and searched; `count()`
    is their number (`len` works up to the size that Python allows). `kill` and `spare` name the
    units that must and must not die. With a time limit, in seconds, whatever is asked raises
    `LimitReached` when that comes first.
    """

    def __init__(
        self,
        board: Board,
        kill: Iterable[str] = (),
        spare: Iterable[str] = (),
        *,
        time_limit: float | None = None,
    ) -> None:
        self.board = board
        self.kill = read_names(board.units, kill, "$.kill")
        self.spare = read_names(board.units, spare, "$.spare")
        check_seconds(time_limit)
        self.time_limit = time_limit

    @abstractmethod
    def __iter__(self) -> Iterator[Assignment]: ...

    @cached_property
    def _listed(self) -> tuple[Assignment, ...]:
        return tuple(self)

    @overload
    def __getitem__(self, index: int) -> Assignment: ...
    @overload
    def __getitem__(self, index: slice) -> list[Assignment]: ...
    def __getitem__(self, index: int | slice) -> Assignment | list[Assignment]:
        with limits.deadline(self.time_limit):
            if isinstance(index, slice):
                return [self._at(i) for i in range(*index.indices(self._count))]
            place = operator.index(index)
            place += self._count if place < 0 else 0
            if not 0 <= place < self._count:
                raise IndexError(f"there are {self._count} legal assignments, none at {index}")
            return self._at(place)

    def _at(self, place: int) -> Assignment:
        """The assignment before which there are so many others."""
        return self._listed[place]

    @cached_property
    def _count(self) -> int:
        return sum(1 for _ in self)

    def count(self, value: object = None) -> int:
        """How many legal assignments there are, an integer of any size.

        With a value, as for any sequence, how often that is one of them: 1 or 0. Raises
        `LimitReached` with how many there are at least.
        """
        return self._count if value is None else int(value in self)

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        return self._count > 0

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """The place of an assignment in the order. Raises `ValueError` for one not in the set."""
        with limits.deadline(self.time_limit):
            place = self._place(value)
            if place is None or place not in range(*slice(start, stop).indices(self._count)):
                raise ValueError(f"{shown(value)} is not among the legal assignments")
            return place

    def __contains__(self, value: object) -> bool:
        with limits.deadline(self.time_limit):
            return self._place(value) is not None

    def _place(self, value: object) -> int | None:
        points = self._read(value)
        return self._listed.index(points) if points in self._listed else None

    def _read(self, value: object) -> Assignment | None:
        """The value as an assignment; None if it is no list of points for these units."""
        if not isinstance(value, Sequence) or len(value) != len(self.board.units):
            return None
        try:
            points = tuple(map(operator.index, value))
        except TypeError:
            return None
        return None if any(type(x) is bool for x in value) else points

    def sample(self, n: int, *, seed: int) -> list[Assignment]:
        """`n` legal assignments drawn independently, each exactly as likely as any other.

        The same seed draws the same ones. Raises `ValueError` where there is none to draw.
        """
        if n < 0:
            raise ValueError(f"a number to draw is 0 or more, not {n}")
        with limits.deadline(self.time_limit):
            if n and not self._count:
                raise ValueError("there is no legal assignment to draw from")
            draw = random.Random(seed)
            return [self._at(draw.randrange(self._count)) for _ in range(n)]

    def kill_sets(self) -> dict[tuple[str, ...], int]:
        """The sets of units that can die, each with the number of assignments that do it.

        Largest first, then in unit order. Raises `LimitReached`, with the number of sets found,
        when the time limit comes first.
        """
        place = {name: u for u, name in enumerate(self.board.names)}
        found = Counter(dead(self.board, assignment) for assignment in self)
        order = sorted(found, key=lambda names: (-len(names), [place[name] for name in names]))
        return {names: found[names] for names in order}

    def marginals(self) -> dict[str, Marginal]:
        """For each unit, by its name: in how many assignments it is given how much, and dies."""
        killed = Counter(name for each in self._listed for name in dead(self.board, each))
        result = {}
        for u, name in enumerate(self.board.names):
            points = Counter(assignment[u] for assignment in self._listed)
            result[name] = Marginal(dict(sorted(points.items())), killed[name])
        return result

    def to_numpy(self) -> NDArray[np.int64]:
        """All legal assignments as one array, a row for each, a column for each unit.

        Raises `OverflowError` for points beyond 64 bits and `MemoryError` where it does not fit.
        """
        import numpy as np

        rows = np.empty((self._count, len(self.board.units)), dtype=np.int64)
        top = 0
        for block in self.blocks():
            rows[top : top + len(block)] = block
            top += len(block)
        return rows

    def blocks(self, rows: int = ROWS) -> Iterator[NDArray[np.int64]]:
        """The array of `to_numpy` piece by piece, `rows` rows at a time."""
        import numpy as np

        if rows < 1:
            raise ValueError(f"a block has at least one row, not {rows}")
        listed = iter(self)
        while piece := list(islice(listed, rows)):
            yield np.array(piece, dtype=np.int64).reshape(len(piece), len(self.board.units))
