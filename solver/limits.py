"""What ends a search before its answer: said aloud, never hidden in a smaller number."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


class LimitReached(Exception):
    """A limit ended a search. `at_least` is the number of answers found by then."""

    def __init__(self, at_least: int = 0) -> None:
        super().__init__(f"stopped by a limit, with at least {at_least} found")
        self.at_least = at_least


class Clock:
    """What is left, in seconds, of a time limit for several searches."""

    def __init__(self, limit: float | None) -> None:
        self._end = None if limit is None else time.monotonic() + limit

    def left(self) -> float | None:
        """Seconds, None where there is no limit."""
        return None if self._end is None else self._end - time.monotonic()

    def is_over(self) -> bool:
        """Nothing is left."""
        return self._end is not None and time.monotonic() > self._end


def within(time_limit: float | None, found: Iterable[T]) -> Iterator[T]:
    """The same answers, until the time limit, in seconds, is over; then `LimitReached`."""
    clock = Clock(time_limit)
    for number, one in enumerate(found):
        if clock.is_over():
            raise LimitReached(number)
        yield one
