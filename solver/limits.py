"""What ends a search before its answer: said aloud, never hidden in a smaller number.

A time limit is set once, at the door, with `deadline`; whatever runs within it looks at the clock
now and then with `check`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Final, TypeVar

from rules.errors import BadRequest, shown

T = TypeVar("T")

OUT_OF_TIME: Final = "the time limit stopped it"
TOO_LARGE: Final = "the question is too large"

_end: ContextVar[float | None] = ContextVar("end", default=None)


class LimitReached(Exception):
    """A limit ended a search: `why` says which, `at_least` how many answers there are at least."""

    def __init__(self, why: str = OUT_OF_TIME, at_least: int = 0) -> None:
        super().__init__(f"{why}, with at least {at_least} found" if at_least else why)
        self.why = why
        self.at_least = at_least


def check_seconds(limit: object) -> None:
    """Raise `BadRequest` unless this is a time limit: a number of seconds, or None for no limit."""
    if limit is None:
        return
    is_number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
    if not is_number or not limit >= 0:  # type: ignore[operator]
        raise BadRequest(f"a time limit is a number of seconds, not {shown(limit)}", "$.time_limit")


class Clock:
    """A time limit that runs from now on, for answers that are worked out bit by bit."""

    def __init__(self, seconds: float | None) -> None:
        check_seconds(seconds)
        self._end = None if seconds is None else time.monotonic() + seconds

    @contextmanager
    def running(self) -> Iterator[None]:
        """Within it, `check` raises once the time is over."""
        earlier = _end.get()
        ends = [end for end in (earlier, self._end) if end is not None]
        token = _end.set(min(ends, default=None))
        try:
            yield
        finally:
            _end.reset(token)


_NO_LIMIT: Final = nullcontext()


def deadline(seconds: float | None) -> AbstractContextManager[None]:
    """Within it, `check` raises once so many seconds are over; None sets no limit of its own."""
    return _NO_LIMIT if seconds is None else Clock(seconds).running()


def left() -> float | None:
    """Seconds to the deadline, None where there is none."""
    end = _end.get()
    return None if end is None else max(0.0, end - time.monotonic())


def check(found: int = 0) -> None:
    """Raise `LimitReached`, with how many answers were found, if the deadline is over."""
    end = _end.get()
    if end is not None and time.monotonic() > end:
        raise LimitReached(OUT_OF_TIME, found)


def within(seconds: float | None, found: Iterable[T]) -> Iterator[T]:
    """The same answers, until so many seconds are over since the first was asked for.

    Then `LimitReached`.
    """
    clock, answers, number = Clock(seconds), iter(found), 0
    while True:
        try:
            with clock.running():
                check()
                one = next(answers)
        except StopIteration:
            return
        except LimitReached as cut:
            raise LimitReached(cut.why, number) from None
        yield one
        number += 1


def allow_long_numbers() -> None:
    """Let integers of any size be written; how long they can get is limited by the questions."""
    sys.set_int_max_str_digits(0)
