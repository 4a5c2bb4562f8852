"""On which editions and readings the answer to a board depends, and in what."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec
from msgspec.structs import replace

from rules.board import Assignment, Board, check_board
from rules.editions import EDITIONS
from rules.lethal import Need, excess_of, need
from rules.readings import SWITCHES
from solver import limits
from solver.cells import compiled, demanded
from solver.depends import alternatives
from solver.difference import Difference, Part
from solver.exact import Legal
from solver.limits import LimitReached

EDITION: Final = "edition"
"""What is changed where it is not a reading."""
_EXCESSES: Final = 16
"""So many assignments with points left over are looked at for each unit."""


class Excess(msgspec.Struct, frozen=True):
    """An assignment of which the excess, in points, is another `then` than it is `now`."""

    assignment: Assignment
    now: int
    then: int


class Alternative(msgspec.Struct, frozen=True, kw_only=True):
    """What another edition, or another value of a reading, changes on a board.

    `setting` is "edition" or the reading. `count` is the number of legal assignments then, `gone`
    has those that are legal as asked but not then, `new` the reverse; None where a limit kept it
    from being known. `needs` has by unit those that differ, as asked and then, in points. Of how
    many points a unit dies is the same in every edition and reading.
    """

    setting: str
    value: str
    count: int | None = None
    gone: Part | None = None
    new: Part | None = None
    needs: dict[str, tuple[Need, Need]] = {}
    excess: Excess | None = None

    @property
    def first(self) -> Assignment | None:
        """The smallest assignment that is legal in one only."""
        firsts = [part.first for part in (self.gone, self.new) if part and part.first is not None]
        return min(firsts, default=None)

    @property
    def differs(self) -> bool | None:
        """Does anything differ? None where it is not known."""
        told = bool(self.first is not None or self.needs or self.excess)
        return True if told else None if self.count is None else False


class Comparison(msgspec.Struct, frozen=True):
    """A board as asked, with the number of its legal assignments, and all its alternatives."""

    board: Board
    count: int | None
    alternatives: tuple[Alternative, ...]

    @property
    def is_complete(self) -> bool:
        """Is everything known, and nothing cut by a limit?"""
        return self.count is not None and all(a.count is not None for a in self.alternatives)


def compare(board: Board, *, time_limit: float | None = None) -> Comparison:
    """What each other edition, and each other value of each reading, changes on a board.

    What a time limit, in seconds, or the size of the question keeps from being known is None.

    >>> from rules import parse
    >>> [a.value for a in compare(parse("4 into 3x2 3")).alternatives if a.differs]
    ['439', '443', '460']
    """
    check_board(board)
    limits.check_seconds(time_limit)
    with limits.deadline(time_limit):
        asked = Legal(board)
        number = _count(asked)
        return Comparison(board, number, tuple(_alternatives(asked, number)))


def _count(of: Legal) -> int | None:
    try:
        return of.count()
    except LimitReached:
        return None


def _alternatives(asked: Legal, number: int | None) -> Iterator[Alternative]:
    board = asked.board
    could_matter = {(switch, value): read for switch, value, read in alternatives(board)}
    for key in EDITIONS:
        if key != board.edition:
            yield _alternative(asked, EDITION, key, replace(board, edition=key))
    for switch, values in SWITCHES.items():
        for value in values:
            if value != getattr(board.readings, switch):
                read = could_matter.get((switch, value))
                if read is None:
                    same = Part()
                    yield Alternative(
                        setting=switch, value=value, count=number, gone=same, new=same
                    )
                else:
                    yield _alternative(asked, switch, value, read)


def _alternative(asked: Legal, setting: str, value: str, then: Board) -> Alternative:
    """What is different on the board as it would be then."""
    board, legal = asked.board, Legal(then)
    count = gone = new = changed = None
    try:
        limits.check()
        difference = Difference(asked, legal)
        gone, new = difference.gone, difference.new
        changed = _excess(asked, then) if setting == "excess" else None
        count = legal.count()
    except LimitReached:
        pass
    return Alternative(
        setting=setting,
        value=value,
        count=count,
        gone=gone,
        new=new,
        needs=_needs(board, then),
        excess=changed,
    )


def _needs(now: Board, then: Board) -> dict[str, tuple[Need, Need]]:
    needs = zip(now.names, need(now), need(then), strict=True)
    return {name: (one, other) for name, one, other in needs if one != other}


def _excess(asked: Legal, then: Board) -> Excess | None:
    """An assignment of which the excess is another then; None where none is found.

    Only units with points left over have any, so that for each of them a few are looked at.
    """
    board = asked.board
    found = []
    for u, least in enumerate(need(board)):
        if isinstance(least, int):
            over = asked.narrowed(demanded(compiled(board), {u: least + 1}, [u], []))
            for assignment in islice(over, _EXCESSES):
                now, other = _all_excess(board, assignment), _all_excess(then, assignment)
                if now != other:
                    found.append(Excess(assignment, now, other))
                    break
    return min(found, key=lambda one: one.assignment, default=None)


def _all_excess(board: Board, assignment: Assignment) -> int:
    pairs = zip(board.units, assignment, strict=True)
    return sum(excess_of(unit, raw, board) for unit, raw in pairs)
