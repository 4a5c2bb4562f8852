"""What a rule is, and the words in which a rule speaks about a board.

A rule has two readings, written apart: `post` states it as constraints over literals, `violations`
tells people who broke it. Both speak of the same things, the facts of `Facts`: which units are hit,
lethal, partial, over. For `violations` a fact is a Python bool of one assignment (`Position`); for
`post` it is a literal of a solver or a bool, and `Terms` folds the bools away, so that a rule never
asks what a unit is made of.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Protocol, TypeVar

import msgspec

from rules.editions import TABLE, Edition
from rules.position import Position
from rules.readings import Readings

L = TypeVar("L")
"""A literal: a Python bool, or a solver's Boolean variable or its negation."""


class Facts(Protocol[L]):
    """What can be said of the units of a board. Units are numbered as on the board."""

    edition: Edition
    readings: Readings

    @property
    def units(self) -> range:
        """The units' numbers."""

    @property
    def hit(self) -> Sequence[L]:
        """The unit has at least one point."""

    @property
    def lethal(self) -> Sequence[L]:
        """The unit has at least its need; never true of an exempt unit."""

    @property
    def partial(self) -> Sequence[L]:
        """The unit has points but less than its need; never true of an exempt unit."""

    @property
    def over(self) -> Sequence[L]:
        """The unit has more than its need; never true of an exempt unit."""

    @property
    def exempt(self) -> Sequence[L]:
        """The unit cannot be dealt damage, or is not there at all."""

    @property
    def absent(self) -> Sequence[L]:
        """The unit is not there at all; a board whose units are given has no such unit."""

    @property
    def bound(self) -> Sequence[L]:
        """The order of tiers holds for the unit: it is not exempt, or points on it are optional."""

    @property
    def doubled(self) -> Sequence[L]:
        """Damage to the unit is doubled at least once."""

    @property
    def dual(self) -> Sequence[L]:
        """The unit has Tank and Backline, both in force."""

    @property
    def first(self) -> Sequence[L]:
        """The unit counts as Tank: tier 0."""

    @property
    def last(self) -> Sequence[L]:
        """The unit counts as Backline: tier 2."""

    def no(self, literal: L) -> L:
        """The opposite."""

    def all(self, literals: Iterable[L]) -> L:
        """True where each of them is, also where there is none."""

    def any(self, literals: Iterable[L]) -> L:
        """True where at least one of them is."""

    def several(self, literals: Iterable[L]) -> L:
        """True where at least two of them are."""

    def reaches(self, giver: int, taker: int) -> L:
        """The points on `giver` would be enough to make `taker` lethal."""


class Terms(Facts[L], Protocol[L]):
    """The facts of a board as a solver sees them, and the verbs with which a rule posts itself."""

    def clause(self, *literals: L) -> None:
        """At least one of them holds."""

    def at_most_one(self, literals: Iterable[L]) -> None:
        """No two of them hold."""

    def spend(self, *, nothing: L) -> None:
        """The points on all units together are 0 if `nothing` holds, else the pool."""


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that an assignment breaks: which, its number, the units concerned and why."""

    rule: str
    number: str | None
    units: tuple[str, ...]
    because: str


class Rule:
    """One rule of the rulebook: a row of the table and, where it decides assignments, its logic.

    A subclass is named for its `slug`; the first line of its docstring gives the canonical number
    and the rule in our words. `implied_by` names the rules from which it follows, of whatever
    edition; `follows_from` those of one.
    """

    slug: ClassVar[str]
    implied_by: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        return f"<{self.number()} {self.slug}>"

    @property
    def kind(self) -> str:
        """constraint, implied, permission, arithmetic, scope, procedure or background."""
        return TABLE[self.slug].kind

    @property
    def title(self) -> str:
        """The rule in one sentence."""
        return TABLE[self.slug].title

    @property
    def explanation(self) -> str:
        """What the rule says and how it is read here, empty where the title says it all."""
        return inspect.cleandoc(self.__doc__ or "") if type(self) is not Rule else ""

    @property
    def paragraphs(self) -> list[str]:
        """The explanation without its number, a line for each paragraph."""
        parts = self.explanation.partition("]")[2].split("\n\n")
        return [" ".join(part.split()) for part in parts if part]

    @property
    def home(self) -> tuple[str, str] | None:
        """The file and the name of the class that states the rule; None where it has no class."""
        if type(self) is Rule:
            return None
        return f"{type(self).__module__.replace('.', '/')}.py", type(self).__name__

    @property
    def tests(self) -> str | None:
        """The command that runs the tests of the rule; None where it has no class."""
        return f"python -m pytest -k {self.number()}" if self.home else None

    def number(self, edition: Edition | None = None) -> str | None:
        """What an edition (by default the canonical one) prints for the rule; None if unknown."""
        from rules.editions import CANONICAL, EDITIONS

        return (edition or EDITIONS[CANONICAL]).number(self.slug)

    def follows_from(self, within: Edition) -> tuple[str, ...]:
        """The ids of the rules of an edition from which this one follows, none of them to spare."""
        return tuple(slug for slug in self.implied_by if slug in within)

    def post(self, t: Terms[L]) -> None:
        """State the rule as constraints. A rule that forbids nothing posts nothing."""

    def violations(self, p: Position) -> Iterator[Violation]:
        """Who breaks the rule in this position, in words; nothing where nobody does."""
        return iter(())

    def broken(self, p: Position, units: Iterable[int], because: str) -> Violation:
        """A violation of this rule by these units."""
        return Violation(
            rule=self.slug,
            number=p.edition.number(self.slug),
            units=tuple(p.board.units[u].name for u in units),
            because=because,
        )


def plain_rule(slug: str) -> Rule:
    """A rule of the table that has no logic of its own."""
    rule = Rule()
    rule.__dict__["slug"] = slug
    return rule
