"""The editions of the rulebook and the table of their numbers.

`numbers.tsv` holds one row per rule and one column per edition; it is the only place where numbers
are data. A cell holds the number; `?` after it marks an inferred number; an empty cell means that
the rule applies but its number is not recorded; `-` means that the edition lacks the rule. Adding
an edition is adding a column.
"""

from __future__ import annotations

import pkgutil
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

from rules.errors import BadRequest, did_you_mean, shown

CANONICAL: Final = "465"
"""The edition whose numbers are used in code, tests and documents."""

LACKING: Final = "-"


class Published(NamedTuple):
    """The version of the Core Rules that an edition is, and since when it is in force."""

    core_rules: str | None
    effective: str


PUBLISHED: Final = MappingProxyType(
    {
        "439": Published("1.1", "2025-10"),
        "443": Published("1.2", "2025-12-12"),
        "460": Published("1.3", "2026-03-30"),
        "465": Published("1.4", "2026-07-24"),
        "467": Published(None, "2026-10-16"),
    }
)
"""By edition; a version that is not known is None."""


class Row(NamedTuple):
    """One rule of the table: its slug, what kind of rule it is, its title and its numbers."""

    slug: str
    kind: str
    title: str
    numbers: dict[str, str]
    """Edition key to cell, as written in the table."""


def read_table() -> tuple[tuple[str, ...], dict[str, Row]]:
    """The editions that the table has, and its rows by slug."""
    # Not importlib.resources, which takes as long to import as all the rest of the rulebook.
    table = pkgutil.get_data("rules", "numbers.tsv")
    assert table is not None
    header, *lines = table.decode().splitlines()
    keys = tuple(header.split("\t")[3:])
    rows = {}
    for line in lines:
        slug, kind, title, *cells = line.split("\t")
        rows[slug] = Row(slug, kind, title, dict(zip(keys, cells, strict=True)))
    return keys, rows


_KEYS, _ROWS = read_table()
TABLE: Final = MappingProxyType(_ROWS)
"""Every rule by its slug, in the order of the canonical edition."""


class Edition:
    """One edition of the rulebook: which rules it has and what it calls them.

    `"no_over_assignment" in edition` asks whether the edition has the rule, whatever its number.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self._rules = frozenset(s for s, row in TABLE.items() if row.numbers[key] != LACKING)

    def __repr__(self) -> str:
        return f"Edition({self.key!r})"

    def __contains__(self, slug: object) -> bool:
        return slug in self._rules

    @property
    def lacks(self) -> tuple[str, ...]:
        """The rules of the table that the edition does not have."""
        return tuple(slug for slug in TABLE if slug not in self._rules)

    def number(self, slug: str) -> str | None:
        """What this edition prints for the rule, `?` behind an inferred number; None if unknown."""
        cell = TABLE[slug].numbers[self.key]
        return cell if cell not in ("", LACKING) else None

    @cached_property
    def slugs(self) -> dict[str, str]:
        """Number (without the mark of an inferred one) to the slug of the rule it names here."""
        return {bare(n): slug for slug in TABLE if (n := self.number(slug)) is not None}

    def cite(self, slug: str) -> str:
        """The number to print in a sentence: of this edition and, where it differs, the newest.

        `465.2.c.4 (467.2.c.4)`. Where this edition's number is not recorded, the canonical one is
        given and marked as such.
        """
        newest = EDITIONS[NEWEST].number(slug)
        number = self.number(slug)
        if number is None:
            canonical = EDITIONS[CANONICAL].number(slug)
            return f"{canonical} in {CANONICAL}" if canonical else slug
        if newest is None or bare(newest) == bare(number):
            return number
        return f"{number} ({newest})"


def bare(number: str) -> str:
    """The number without the `?` of an inferred one."""
    return number.removesuffix("?")


def is_inferred(number: str | None) -> bool:
    """Is the number inferred, not read in the edition that prints it?"""
    return number is not None and number.endswith("?")


EDITIONS: Final = MappingProxyType({key: Edition(key) for key in _KEYS})
"""Every edition by its key, oldest first."""

NEWEST: Final = _KEYS[-1]


def edition(key: str) -> Edition:
    """The edition of that key. Raises `BadRequest` (`unknown_edition`) where there is none."""
    try:
        return EDITIONS[key]
    except (KeyError, TypeError):
        pass
    known = ", ".join(EDITIONS)
    if not isinstance(key, str):
        sentence = f"an edition is a text, one of {known}, not {shown(key)}"
        raise BadRequest(sentence, "$", "unknown_edition")
    hint = did_you_mean(key, EDITIONS)
    sentence = f"there is no edition {shown(key)}; known are {known}{hint}"
    raise BadRequest(sentence, "$", "unknown_edition")
