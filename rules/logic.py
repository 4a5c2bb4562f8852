"""A rule written out as logic over the units of one board.

`written` lets a rule post itself to terms that write instead of solving: what is certain from the
board is folded away, and each constraint that is left becomes a sentence like
`A over 3 -> B lethal, C lethal`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final, NamedTuple

from rules.board import Board
from rules.editions import EDITIONS
from rules.errors import BadRequest
from rules.lethal import NEVER
from rules.position import Position
from rules.rule import Rule

MOST: Final = 100
"""Up to so many units a rule is written out; nobody would read it for more."""


class Fact(NamedTuple):
    """What only an assignment can tell: its name if it holds, and if not.

    `entails` are the names of facts that hold with it; a `choice` is the assigner's to make.
    """

    name: str
    denied: str
    entails: tuple[str, ...] = ()
    choice: bool = False


class Not(NamedTuple):
    """The opposite of a fact."""

    fact: Fact


class And(NamedTuple):
    """Every part holds; two parts at least, none of which follows from another."""

    parts: tuple[Logic, ...]


class Or(NamedTuple):
    """At least one part holds; two parts at least, none of which another follows from."""

    parts: tuple[Logic, ...]


Logic = bool | Fact | Not | And | Or
"""A literal of `WrittenTerms`: certain, a fact or its opposite, or made up of these."""


def written(rule: Rule, board: Board) -> list[str]:
    """The constraint that a rule posts on a board, as sentences that all hold.

    Empty where it forbids nothing there. `A lethal` says that A has at least its need, `A over 3`
    that it has more, 3 being its need, and `A partial` that it has points but not its need. Raises
    `BadRequest` (`limit`) for a board of more than 100 units.

    >>> from rules import find, parse
    >>> written(find("465.2.c.4"), parse("5 into 3 3"))
    ['A over 3 -> B lethal', 'B over 3 -> A lethal']
    """
    if len(board.units) > MOST:
        raise BadRequest(f"a rule is written out for at most {MOST} units", "$.units", "limit")
    terms = WrittenTerms(board)
    rule.post(terms)
    return terms.sentences


class WrittenTerms:
    """The facts of a board and the verbs of `rules.rule.Terms`, for writing sentences."""

    def __init__(self, board: Board) -> None:
        self._still = still = Position(board, (0,) * len(board.units))
        self.edition = EDITIONS[board.edition]
        self.readings = board.readings
        self.units = still.units
        self.exempt, self.absent, self.doubled = still.exempt, still.absent, still.doubled
        self.bound, self.dual = still.bound, still.dual
        self._follows: dict[str, list[str]] = {}
        self.hit: list[Logic] = []
        self.lethal: list[Logic] = []
        self.partial: list[Logic] = []
        self.over: list[Logic] = []
        for u in self.units:
            self._add_amounts(u)
        choices = [
            Fact(f"{name} as Tank", f"{name} as Backline", choice=True) for name in board.names
        ]
        self.first: list[Logic] = [
            choice if dual else tank
            for choice, dual, tank in zip(choices, still.dual, still.tank, strict=True)
        ]
        self.last: list[Logic] = [
            Not(choice) if dual else backline
            for choice, dual, backline in zip(choices, still.dual, still.backline, strict=True)
        ]

    def _add_amounts(self, u: int) -> None:
        """What can be said of the points of a unit."""
        name, least = self._still.name(u), self._still.needs[u]
        hit = Fact(f"{name} has points", f"{name} has no points")
        self.hit.append(hit)
        if not isinstance(least, int):
            self.lethal.append(False)
            self.over.append(False)
            self.partial.append(hit if least == NEVER else False)
            return
        lethal = Fact(f"{name} lethal", f"{name} short of lethal", (hit.name,))
        over = Fact(f"{name} over {least}", f"{name} not over {least}", (lethal.name, hit.name))
        partial = Fact(f"{name} partial", f"{name} not partial", (hit.name,))
        self.lethal.append(lethal if least > 0 else True)
        self.over.append(over)
        self.partial.append(partial if least > 1 else False)

    def no(self, literal: Logic) -> Logic:
        match literal:
            case Fact():
                return Not(literal)
            case Not(fact):
                return fact
            case And(parts):
                return Or(tuple(map(self.no, parts)))
            case Or(parts):
                return And(tuple(map(self.no, parts)))
            case _:
                return not literal

    def all(self, literals: Iterable[Logic]) -> Logic:
        kept: list[Logic] = []
        for part in _parts(literals):
            opposite = self.no(part)
            if part is False or any(_entails(other, opposite) for other in kept):
                return False
            if part is not True and not any(_entails(other, part) for other in kept):
                kept = [other for other in kept if not _entails(part, other)] + [part]
        return And(tuple(kept)) if len(kept) > 1 else next(iter(kept), True)

    def any(self, literals: Iterable[Logic]) -> Logic:
        return self.no(self.all(map(self.no, literals)))

    def several(self, literals: Iterable[Logic]) -> Logic:
        return self.any(self.all(pair) for pair in combinations(list(literals), 2))

    def reaches(self, giver: int, taker: int) -> Logic:
        least, name = self._still.needs[taker], self._still.name(giver)
        if not isinstance(least, int):
            return False
        has_points = f"{name} has points"
        enough = Fact(f"{name} has {least} or more", f"{name} has less than {least}", (has_points,))
        return enough if least > 0 else True

    def clause(self, *literals: Logic) -> None:
        clause = self.any(literals)
        parts = clause.parts if isinstance(clause, Or) else (clause,)
        conjunction = next((part for part in parts if isinstance(part, And)), None)
        if conjunction is not None:
            others = [part for part in parts if part is not conjunction]
            for part in conjunction.parts:
                self.clause(*others, part)
        elif clause is not True:
            self._imply([part for part in parts if isinstance(part, (Fact, Not))])

    def at_most_one(self, literals: Iterable[Logic]) -> None:
        possible = [literal for literal in literals if literal is not False]
        if len(possible) > 1:
            self._write("", f"at most one of: {', '.join(map(_told, possible))}")

    def spend(self, *, nothing: Logic) -> None:
        due = 0 if nothing else self._still.board.pool
        names = [self._still.name(u) for u in self.units]
        self._write("", f"{' + '.join(names) or 'nothing'} = {due}")

    def _imply(self, parts: list[Fact | Not]) -> None:
        """Write a clause as an implication: from what it denies and what is chosen to the rest."""
        rest = [part for part in parts if isinstance(part, Fact) and not part.choice]
        denied = [part for part in parts if isinstance(part, Not) and not part.fact.choice]
        chosen = [part for part in parts if part not in rest and part not in denied]
        follows = list(map(_told, rest or denied[-1:]))
        given = [_told(self.no(part)) for part in (*chosen, *(denied if rest else denied[:-1]))]
        self._write(", ".join(given), " or ".join(follows) or "nothing is legal")

    def _write(self, given: str, follows: str) -> None:
        already = self._follows.setdefault(given, [])
        if follows not in already:
            already.append(follows)

    @property
    def sentences(self) -> list[str]:
        """What was posted; what follows from the same is told together."""
        sentences = []
        for given, follows in self._follows.items():
            facts = [one for one in follows if given and " or " not in one]
            told = [", ".join(facts)] if facts else []
            told += [one for one in follows if one not in facts]
            sentences += [f"{given} -> {one}" if given else one for one in told]
        return sentences


def _parts(literals: Iterable[Logic]) -> Iterator[Logic]:
    """The literals, those that are conjunctions part by part."""
    for literal in literals:
        if isinstance(literal, And):
            yield from literal.parts
        else:
            yield literal


def _entails(one: Logic, other: Logic) -> bool:
    """Does the one plainly entail the other?"""
    if isinstance(other, And):
        return all(_entails(one, part) for part in other.parts)
    if isinstance(one, Or):
        return all(_entails(part, other) for part in one.parts)
    if isinstance(other, Or) and any(_entails(one, part) for part in other.parts):
        return True
    if isinstance(one, And):
        return any(_entails(part, other) for part in one.parts)
    if isinstance(one, Fact) and isinstance(other, Fact):
        return one.name == other.name or other.name in one.entails
    if isinstance(one, Not) and isinstance(other, Not):
        return _entails(other.fact, one.fact)
    return False


def _told(literal: Logic) -> str:
    match literal:
        case Fact(name):
            return name
        case Not(fact):
            return fact.denied
        case And(parts):
            return f"({', '.join(map(_told, parts))})"
        case Or(parts):
            return f"({' or '.join(map(_told, parts))})"
        case _:
            return "always" if literal else "never"
