"""What ends a search before its answer: said aloud, never hidden in a smaller number."""

from __future__ import annotations


class LimitReached(Exception):
    """A time limit ended a search. `at_least` is the number of assignments found by then."""

    def __init__(self, at_least: int = 0) -> None:
        super().__init__(f"stopped by the time limit, with at least {at_least} found")
        self.at_least = at_least
