"""Counting series: how many ways there are to spend each number of points.

A series has a coefficient for every number of points from 0 to a limit. Two algebras offer the same
few operations on them. `Packed` keeps all coefficients side by side in one big integer, so that a
whole series is shifted or added at the speed of one machine-level operation (Kronecker
substitution); its cost grows with the limit. `Sparse` keeps terms c * z^e / (1 - z)^m; a range of
points costs it two terms however long the range is, so that its cost does not depend on the limit,
but grows with the number of different sums. `Reach` only tells what can be spent at all, in one bit
for each number of points.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from math import comb
from typing import Any, ClassVar, Final, Literal

from solver import limits
from solver.limits import TOO_LARGE, LimitReached

_WORDS: Final[dict[int, Literal["B", "H", "I", "Q"]]] = (
    {1: "B", 2: "H", 4: "I", 8: "Q"} if sys.byteorder == "little" else {}
)
"""The numbers of bytes that the machine can read as one number, with the names of these kinds."""
MOST_TERMS: Final = 1 << 17
"""A sparse series longer than this is beyond reach, and that is said."""
TERM_BITS: Final = 512
"""So many bits of a packed series take about as long as one term of a sparse one."""

Series = Any
"""What an algebra computes with: an integer of `Packed`, a dict of `Sparse`."""


class Packed:
    """Series as integers with a fixed number of bytes for each coefficient."""

    def __init__(self, limit: int, most_ways: int) -> None:
        self.limit = limit
        least = (most_ways.bit_length() + 8) // 8
        self._bytes = next((width for width in _WORDS if width >= least), least)
        self._bits = 8 * self._bytes
        self.bits = (limit + 1) * self._bits
        self._mask = (1 << self.bits) - 1
        self._slot = (1 << self._bits) - 1

    zero: ClassVar[Series] = 0
    one: ClassVar[Series] = 1

    def shift(self, series: Series, points: int) -> Series:
        """The series of spending so many points more."""
        return (series << points * self._bits) & self._mask if points <= self.limit else 0

    def add(self, left: Series, right: Series) -> Series:
        """The series of ways of either kind."""
        return left + right

    def multiply(self, left: Series, right: Series) -> Series:
        """The series of spending points in one way and in the other."""
        return (left * right) & self._mask

    def spread(self, series: Series, low: int, high: int | None) -> Series:
        """The series of spending from `low` to `high` points more, None for no upper end."""
        if low == high:
            return self.shift(series, low)
        high = self.limit if high is None else min(high, self.limit)
        length, result, done = high - low + 1, 0, 0
        block, size = series, 1
        while length > 0:
            limits.check()
            if length & 1:
                result += (block << done * self._bits) & self._mask
                done += size
            length >>= 1
            if length:
                block += (block << size * self._bits) & self._mask
                size *= 2
        return self.shift(result, low)

    def at(self, series: Series, points: int) -> int:
        """The number of ways to spend just so many points."""
        return int(series >> points * self._bits) & self._slot if points <= self.limit else 0

    def opened(self, series: Series) -> PackedCoefficients:
        """The series for reading many of its coefficients."""
        return PackedCoefficients(series, self.limit, self._bytes)


class PackedCoefficients:
    """The coefficients of a packed series, each to be had at once."""

    def __init__(self, series: Series, limit: int, width: int) -> None:
        self._limit = limit
        raw = series.to_bytes((limit + 1) * width, "little")
        self._all: Sequence[int] = (
            memoryview(raw).cast(_WORDS[width]) if width in _WORDS else _Slices(raw, width)
        )

    def at(self, points: int) -> int:
        """The number of ways to spend just so many points."""
        return self._all[points] if 0 <= points <= self._limit else 0

    def support(self, low: int, high: int) -> Iterator[int]:
        """The numbers of points from `high` down to `low` that can be spent."""
        each = self._all
        return (p for p in range(min(high, self._limit), max(low, 0) - 1, -1) if each[p])

    def between(self, low: int, high: int) -> int:
        """The number of ways to spend from `low` to `high` points."""
        up_to = self._up_to
        high = min(high, self._limit)
        if high < max(low, 0):
            return 0
        return up_to[high] - up_to[low - 1] if low > 0 else up_to[high]

    @cached_property
    def _up_to(self) -> Sequence[int]:
        """For each number of points the number of ways to spend that many or fewer."""
        try:
            return array("Q", accumulate(self._all))
        except OverflowError:
            return list(accumulate(self._all))


class _Slices(Sequence[int]):
    """Numbers of so many bytes each that stand side by side."""

    def __init__(self, raw: bytes, width: int) -> None:
        self._raw = raw
        self._width = width

    def __len__(self) -> int:
        return len(self._raw) // self._width

    def __getitem__(self, place: Any) -> Any:
        start = place * self._width
        if start >= len(self._raw):
            raise IndexError(place)
        return int.from_bytes(self._raw[start : start + self._width], "little")


class Reach:
    """Series as integers of one bit for each coefficient: whether there is a way at all."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.bits = limit + 1
        self._mask = (1 << self.bits) - 1

    zero: ClassVar[Series] = 0
    one: ClassVar[Series] = 1

    def shift(self, series: Series, points: int) -> Series:
        """The series of spending so many points more."""
        return series << points & self._mask if points <= self.limit else 0

    def add(self, left: Series, right: Series) -> Series:
        """The series of ways of either kind."""
        return left | right

    def spread(self, series: Series, low: int, high: int | None) -> Series:
        """The series of spending from `low` to `high` points more, None for no upper end."""
        if low > self.limit:
            return 0
        result, reached = series << low, 1
        wanted = self.limit + 1 if high is None else min(high, self.limit) - low + 1
        while reached < wanted:
            further = min(reached, wanted - reached)
            result |= result << further
            reached += further
        return result & self._mask

    def at(self, series: Series, points: int) -> int:
        """1 if there is a way to spend just so many points, else 0."""
        return int(series >> points & 1)

    def multiply(self, left: Series, right: Series) -> Series:
        """The series of spending points in one way and in the other."""
        result = 0
        while right:
            result |= left << right.bit_length() - 1
            right ^= 1 << right.bit_length() - 1
        return result & self._mask

    def highest(self, series: Series, low: int, high: int) -> int | None:
        """The most points from `low` to `high` that can be spent; None where none can."""
        low = max(low, 0)
        between = (series >> low) & ((1 << high - low + 1) - 1) if high >= low else 0
        return low + between.bit_length() - 1 if between else None

    def opened(self, series: Series) -> ReachCoefficients:
        """The series for reading many of its coefficients."""
        return ReachCoefficients(self, series)


class ReachCoefficients:
    """Whether each number of points can be spent."""

    def __init__(self, algebra: Reach, series: Series) -> None:
        self._algebra = algebra
        self._series = series

    def at(self, points: int) -> int:
        """1 if there is a way to spend just so many points, else 0."""
        return self._algebra.at(self._series, points) if points >= 0 else 0

    def support(self, low: int, high: int) -> Iterator[int]:
        """The numbers of points from `high` down to `low` that can be spent."""
        points = self._algebra.highest(self._series, low, high)
        while points is not None:
            yield points
            points = self._algebra.highest(self._series, low, points - 1)

    def between(self, low: int, high: int) -> int:
        """How many of the numbers of points from `low` to `high` can be spent."""
        return sum(1 for _ in self.support(low, high))


class Sparse:
    """Series as dicts of (e, m) to c, which stands for c * z^e / (1 - z)^m."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    zero: ClassVar[Series] = {}
    one: ClassVar[Series] = {(0, 0): 1}

    def shift(self, series: Series, points: int) -> Series:
        """The series of spending so many points more."""
        if points == 0:
            return series
        return {(e + points, m): c for (e, m), c in series.items() if e + points <= self.limit}

    def add(self, left: Series, right: Series) -> Series:
        """The series of ways of either kind."""
        return _merged(left, right, 1)

    def multiply(self, left: Series, right: Series) -> Series:
        """The series of spending points in one way and in the other."""
        product: dict[tuple[int, int], int] = {}
        for (e, m), c in left.items():
            part = {(e + f, m + n): c * d for (f, n), d in right.items() if e + f <= self.limit}
            product = _merged(product, part, 1)
        return product

    def spread(self, series: Series, low: int, high: int | None) -> Series:
        """The series of spending from `low` to `high` points more, None for no upper end."""
        if low == high:
            return self.shift(series, low)
        longer = {(e, m + 1): c for (e, m), c in series.items()}
        result = self.shift(longer, low)
        if high is None:
            return result
        return _merged(result, self.shift(longer, high + 1), -1)

    def at(self, series: Series, points: int) -> int:
        """The number of ways to spend just so many points."""
        ways = 0
        for (e, m), c in series.items():
            if m and e <= points:
                ways += c * comb(points - e + m - 1, m - 1)
            elif e == points:
                ways += c
        return ways

    def highest(self, series: Series, low: int, high: int) -> int | None:
        """The most points from `low` to `high` that can be spent; None where none can."""
        return next(self.opened(series).support(low, high), None)

    def opened(self, series: Series) -> SparseCoefficients:
        """The series for reading many of its coefficients."""
        return SparseCoefficients(series)


class SparseCoefficients:
    """The coefficients of a sparse series, each worked out when it is read."""

    def __init__(self, series: Series) -> None:
        self._series = series
        self._terms = _Terms(series)
        exact = all(m == 0 for _, m in series)
        self._sums = sorted((e for e, _ in series), reverse=True) if exact else None
        # From one of these to the next the series is a polynomial: of as many zeros as its degree
        # allows and one more, it is nothing throughout.
        starts = {e for e, _ in series} | {e + 1 for e, m in series if m == 0}
        self._starts = [] if exact else sorted(starts, reverse=True)
        self._degree = max((m for _, m in series), default=0)

    @cached_property
    def _total(self) -> _Terms:
        return _Terms({(e, m + 1): c for (e, m), c in self._series.items()})

    def at(self, points: int) -> int:
        """The number of ways to spend just so many points."""
        return self._terms.at(points)

    def support(self, low: int, high: int) -> Iterator[int]:
        """The numbers of points from `high` down to `low` that can be spent."""
        if self._sums is not None:
            yield from (e for e in self._sums if low <= e <= high)
            return
        top = high
        for start in self._starts:
            start = max(start, low)
            empty = 0
            while top >= start and empty < self._degree:
                if self.at(top):
                    yield top
                else:
                    empty += 1
                top -= 1
            top = min(top, start - 1)

    def between(self, low: int, high: int) -> int:
        """The number of ways to spend from `low` to `high` points."""
        up_to = self._total.at(high)
        return up_to - self._total.at(low - 1) if low > 0 else up_to


class _Terms:
    """The terms of a sparse series, summed up once so that its coefficients are had quickly."""

    def __init__(self, series: Series) -> None:
        self._exact = {e: c for (e, m), c in series.items() if m == 0}
        # c / (1 - z) is c from z^e on, and c / (1 - z)^2 is c * (points - e + 1).
        even, rising = (sorted((e, c) for (e, m), c in series.items() if m == n) for n in (1, 2))
        self._from = [e for e, _ in even]
        self._even = list(accumulate(c for _, c in even))
        self._rising_from = [e for e, _ in rising]
        self._slope = list(accumulate(c for _, c in rising))
        self._less = list(accumulate(c * (e - 1) for e, c in rising))
        self._others = [(e, m, c) for (e, m), c in series.items() if m > 2]

    def at(self, points: int) -> int:
        """The coefficient of so many points."""
        ways: int = self._exact.get(points, 0)
        if n := bisect_right(self._from, points):
            ways += self._even[n - 1]
        if n := bisect_right(self._rising_from, points):
            ways += points * self._slope[n - 1] - self._less[n - 1]
        for e, m, c in self._others:
            if e <= points:
                ways += c * comb(points - e + m - 1, m - 1)
        return ways


def _merged(left: Series, right: Series, sign: int) -> Series:
    limits.check()
    total = dict(left)
    for term, c in right.items():
        value = total.get(term, 0) + sign * c
        if value:
            total[term] = value
        else:
            total.pop(term, None)
    if len(total) > MOST_TERMS:
        raise LimitReached(TOO_LARGE)
    return total
