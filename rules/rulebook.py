"""All rules in one place, found by number or by id."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

import msgspec

from rules.damage import (
    AssignTotal,
    LethalInFullBeforeNext,
    MinAppliedWhenIncreased,
    NoOverAssignment,
    OrderInfluence,
    ReplacementsApplyToAssignment,
    UndamageableExempt,
)
from rules.editions import CANONICAL, EDITIONS, TABLE, Edition, bare, edition
from rules.errors import BadRequest, did_you_mean, shown
from rules.position import Position
from rules.precedence import (
    BacklineLast,
    BacklineLethalFirstStill,
    BacklineMultiple,
    ExclusionaryChooseOne,
    ExclusionaryEachUnit,
    IgnoreEffects,
    IgnoreScope,
    ObeyRequirements,
    SamePriorityAnyOrder,
    TankFirst,
    TankLethalFirstStill,
    TankMultiple,
)
from rules.rule import Rule, Violation, plain_rule

RULES: Final[tuple[Rule, ...]] = (
    AssignTotal(),
    OrderInfluence(),
    LethalInFullBeforeNext(),
    NoOverAssignment(),
    MinAppliedWhenIncreased(),
    ReplacementsApplyToAssignment(),
    ObeyRequirements(),
    SamePriorityAnyOrder(),
    ExclusionaryChooseOne(),
    ExclusionaryEachUnit(),
    UndamageableExempt(),
    IgnoreEffects(),
    IgnoreScope(),
    TankFirst(),
    TankLethalFirstStill(),
    TankMultiple(),
    BacklineLast(),
    BacklineLethalFirstStill(),
    BacklineMultiple(),
)
"""The rules about what assignment is legal, in the order of their numbers."""

RULEBOOK: Final = MappingProxyType(
    {slug: plain_rule(slug) for slug in TABLE} | {rule.slug: rule for rule in RULES}
)
"""Every rule of the table by its id."""

IN_FORCE: Final = MappingProxyType(
    {key: tuple(r for r in RULES if r.slug in within) for key, within in EDITIONS.items()}
)
"""By edition: all rules about assignments that the edition has."""

FORBIDDING: Final = MappingProxyType(
    {
        key: tuple(r for r in rules if type(r).violations is not Rule.violations)
        for key, rules in IN_FORCE.items()
    }
)
"""By edition: the rules that an assignment can break, implied ones included."""

DECIDING: Final = MappingProxyType(
    {key: tuple(r for r in rules if not r.implied_by) for key, rules in FORBIDDING.items()}
)
"""By edition: the rules that together decide what is legal, without those that they imply."""


def violations(position: Position) -> list[Violation]:
    """All that is against the rules in a position, in the order of the rules' numbers.

    Rules that follow from others are asked only where one that decides is broken.
    """
    key = position.board.edition
    broken: dict[Rule, list[Violation]] = {}
    for rule in DECIDING[key]:
        if found := list(rule.violations(position)):
            broken[rule] = found
    if not broken:
        return []
    return [
        violation
        for rule in FORBIDDING[key]
        for violation in (rule.violations(position) if rule.implied_by else broken.get(rule, ()))
    ]


class Found(msgspec.Struct, frozen=True):
    """What a number means: the rule, the edition that prints it so, and what it means elsewhere.

    `printed` is the number as that edition prints it, `?` behind an inferred one, or the id by
    which the rule was asked for.
    """

    rule: Rule
    edition: str
    elsewhere: dict[str, Rule]
    """Other editions in which the same number is another rule, newest first."""
    printed: str


def find(text: str, edition_key: str = CANONICAL) -> Rule:
    """The rule with that id or number. A number may be of any edition's numbering.

    Where it means different rules, the edition given wins, else the newest that has it. Raises
    `BadRequest` naming the nearest numbers where there is no such rule.

    >>> find("465.2.c.4").slug
    'no_over_assignment'
    """
    return look_up(text, edition_key).rule


def look_up(text: str, edition_key: str = CANONICAL) -> Found:
    """As `find`, with the edition in which the number was found and its meanings elsewhere."""
    if not isinstance(text, str):
        raise BadRequest(f'a rule is asked for by a text, like "465.2.c.4", not {shown(text)}')
    within = edition(edition_key)
    wanted = bare(text.strip().strip("()[]").rstrip(".").lower())
    if wanted in RULEBOOK:
        return Found(RULEBOOK[wanted], edition_key, {}, wanted)
    meanings = {e.key: e.slugs[wanted] for e in _in_turn(within) if wanted in e.slugs}
    if not meanings:
        raise _unknown(wanted, within)
    key, slug = next(iter(meanings.items()))
    elsewhere = {k: RULEBOOK[other] for k, other in meanings.items() if other != slug}
    return Found(RULEBOOK[slug], key, elsewhere, EDITIONS[key].number(slug) or wanted)


def _in_turn(within: Edition) -> list[Edition]:
    """The editions in which a number is looked for: first the one in use, then the newest."""
    return [within, *(e for e in reversed(list(EDITIONS.values())) if e is not within)]


def moved(found: Found, within: Edition) -> str | None:
    """Where a number of another edition went in this one, as a sentence; None if it is its own.

    `460.2.c.5 is 465.2.c.6 in 465; 465.2.c.5 is another rule (replacements_apply_to_assignment)`.
    """
    if found.edition == within.key or found.printed == found.rule.slug:
        return None
    if found.rule.slug not in within:
        return f"{found.printed} is a rule of {found.edition} that {within.key} does not have"
    number = within.number(found.rule.slug)
    if number is None:
        return (
            f"{found.printed} is a number of {found.edition}; "
            f"the one in {within.key} is not recorded"
        )
    sentence = f"{found.printed} is {number} in {within.key}"
    tail = bare(found.printed).partition(".")[2]
    lookalike = within.slugs.get(f"{number.partition('.')[0]}.{tail}")
    if lookalike is not None and lookalike != found.rule.slug:
        sentence += f"; {within.number(lookalike)} is another rule ({lookalike})"
    return sentence


def _unknown(wanted: str, within: Edition) -> BadRequest:
    if not any(character.isdigit() for character in wanted):
        return _unknown_id(wanted)
    import difflib

    printed: dict[str, str | None] = {}
    for other in reversed(_in_turn(within)):
        printed |= {number: other.number(slug) for number, slug in other.slugs.items()}
    near = [number for number in within.slugs if number.startswith(f"{wanted}.")][:3]
    near = near or difflib.get_close_matches(wanted, printed, cutoff=0.5)
    stem = wanted
    while not near and "." in stem:
        stem = stem.rpartition(".")[0]
        near = [n for n in within.slugs if n == stem or n.startswith(f"{stem}.")][:3]
    near = near or sorted(within.slugs, key=lambda number: _apart(number, wanted))[:3]
    nearest = ", ".join(str(printed[number]) for number in near)
    return BadRequest(f"no edition has a rule {shown(wanted)}; nearest are {nearest}")


def _unknown_id(wanted: str) -> BadRequest:
    hint = did_you_mean(wanted, RULEBOOK)
    having = [slug for slug in RULEBOOK if wanted in slug] if wanted else []
    if not hint and having:
        hint = f"; ids with that word are {', '.join(having[:3])}"
    if not hint:
        hint = "; a rule is asked for by its number, like 465.2.c.4, or id, like tank_first"
    return BadRequest(f"there is no rule {shown(wanted)}{hint}")


def _apart(number: str, wanted: str) -> tuple[int, str]:
    """How far two numbers are apart by what stands before their first point."""
    heads = [re.sub(r"\D", "", text.partition(".")[0])[:9] or "0" for text in (number, wanted)]
    return abs(int(heads[0]) - int(heads[1])), number
