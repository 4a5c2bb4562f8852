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


def within(time_limit: float | None, found: Iterable[T]) -> Iterator[T]:
    """The same answers, until the time limit, in seconds, is over; then `LimitReached`."""
    end = None if time_limit is None else time.monotonic() + time_limit
    for number, one in enumerate(found):
        if end is not None and time.monotonic() > end:
            raise LimitReached(number)
        yield one
