"""What somebody wants of an assignment: who dies, who does not, and who is given how much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

from rules.board import Assignment, Board, read_assignment, read_names
from rules.lethal import NEVER, dead, deaths
from solver import exact
from solver.facts import Fact, facts_of, lacking


class Demand(NamedTuple):
    """Who must die and who must not, by name, and the points that some units are given.

    Of those to `leave` one at least must not die, whichever it is.
    """

    kill: tuple[str, ...] = ()
    spare: tuple[str, ...] = ()
    give: Mapping[str, int] = {}
    leave: tuple[str, ...] = ()

    def leaving(self, name: str) -> Demand:
        """The same demand where that one of those to leave must not die."""
        return self._replace(leave=(), spare=(*self.spare, name))


def read_demand(
    board: Board,
    kill: Iterable[str],
    spare: Iterable[str],
    give: Mapping[str, int] | Sequence[int] | None,
) -> Demand:
    """The demand, checked; `give` maps names to points or is a whole assignment in unit order.

    Raises `BadRequest` for names that are not on the board and for what are no points.
    """
    points: dict[str, int] = {}
    if give is not None:
        vector = read_assignment(board.units, give, "$.give")
        told = give if isinstance(give, Mapping) else board.names
        points = {name: x for name, x in zip(board.names, vector, strict=True) if name in told}
    return Demand(
        read_names(board.units, kill, "$.kill"), read_names(board.units, spare, "$.spare"), points
    )


def meeting(board: Board, demand: Demand) -> Assignment | None:
    """The lexicographically smallest legal assignment that meets a demand, None without any."""
    if demand.leave:
        ways = (meeting(board, demand.leaving(name)) for name in demand.leave)
        return min((found for found in ways if found is not None), default=None)
    return next(all_meeting(board, demand), None)


def all_meeting(board: Board, demand: Demand) -> Iterator[Assignment]:
    """The legal assignments that meet a demand with nobody to leave, in lexicographic order."""
    legal = exact.Legal(board, demand.kill, demand.spare)
    if demand.give:
        spans = [
            (x, x) if (x := demand.give.get(n)) is not None else (0, None) for n in board.names
        ]
        legal = legal.narrowed(
            [
                cell._replace(
                    menus=tuple(m.within(*span) for m, span in zip(cell.menus, spans, strict=True))
                )
                for cell in legal.cells
            ]
        )
    return iter(legal)


def is_met(board: Board, demand: Demand, points: Assignment) -> bool:
    """Do points, legal or not, do what is demanded?"""
    died = set(dead(board, points))
    given = dict(zip(board.names, points, strict=True))
    return (
        all(name in died for name in demand.kill)
        and not any(name in died for name in demand.spare)
        and not (demand.leave and died.issuperset(demand.leave))
        and all(given[name] == amount for name, amount in demand.give.items())
    )


def contradiction(board: Board, demand: Demand) -> str | None:
    """How a demand contradicts itself, whatever the rules and what is printed; None if it does not.

    A unit is to die and to live, or to do so of points of which it does not.
    """
    for name in demand.kill:
        if name in demand.spare:
            return f"{name} cannot both die and live"
    bare = lacking(board, facts_of(board))
    for name in _at_odds(board, demand):
        if name in _at_odds(bare, demand):
            place, points = board.names.index(name), demand.give[name]
            least = deaths(board)[place]
            if least == NEVER:
                least = deaths(bare)[place]
            if name in demand.spare:
                return f"{name} dies of {least}, and is given {points}"
            return f"{name} dies of no fewer than {least}, and is given {points}"
    return None


def without_the_obvious(board: Board, demand: Demand) -> Demand:
    """The demand without deaths and survivals that follow from points only by what is printed.

    Points given to a unit decide whether it dies. Where that is as demanded, but would not be if
    the unit were bare, the demand is about the points.
    """
    odd = _at_odds(lacking(board, facts_of(board)), demand)
    settled = [name for name in odd if name not in _at_odds(board, demand)]
    return demand._replace(
        kill=tuple(name for name in demand.kill if name not in settled),
        spare=tuple(name for name in demand.spare if name not in settled),
    )


def _at_odds(board: Board, demand: Demand) -> list[str]:
    """The units that do not die or live as demanded of the points they are given."""
    found = []
    for name, least in zip(board.names, deaths(board), strict=True):
        if name in demand.give:
            dies = least != NEVER and demand.give[name] >= int(least)
            if (name in demand.kill and not dies) or (name in demand.spare and dies):
                found.append(name)
    return found


def helping_facts(board: Board, demand: Demand) -> list[Fact]:
    """The facts without which a unit would be harder to kill, or to spare, as is demanded."""
    dies_of = _thresholds(board)
    helping = []
    for fact in facts_of(board):
        without = _thresholds(lacking(board, [fact]))
        if any(without[name] > dies_of[name] for name in demand.kill) or any(
            without[name] < dies_of[name] for name in (*demand.spare, *demand.leave)
        ):
            helping.append(fact)
    return helping


def _thresholds(board: Board) -> dict[str, float]:
    """For each unit the least points it dies of, infinite where nothing kills it."""
    least = zip(board.names, deaths(board), strict=True)
    return {name: inf if points == NEVER else int(points) for name, points in least}
