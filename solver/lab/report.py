"""All that the laboratory finds, as a report in Markdown and in JSON.

Beside each claim stand how the solver ended, the bounds, and the seconds it took.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from pathlib import Path
from textwrap import fill
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

from msgspec import to_builtins
from msgspec.structs import replace

from rules.board import Board
from rules.editions import EDITIONS
from rules.rulebook import FORBIDDING, IN_FORCE, RULEBOOK
from solver.lab import laboratory, possible
from solver.lab.bounds import SWEPT, Bounds
from solver.lab.laboratory import EMPTY
from solver.tell import findings as tell

T = TypeVar("T")
MOST = 4
"""So many disagreements of each pair are told at most."""


class Claim(NamedTuple):
    """One line of the report, and the same as data."""

    about: str
    found: str
    status: str
    bounds: Bounds
    seconds: float
    data: Any


class Section(NamedTuple):
    """Claims of one kind."""

    title: str
    about: str
    claims: list[Claim]


def work_out(time_limit: float | None = None) -> list[Section]:
    """All sections of the report; the time limit is for each claim."""
    return list(_sections(time_limit))


def is_known(sections: Iterable[Section]) -> bool:
    """Was every claim settled before a limit came?"""
    return all(claim.status != "unknown" for section in sections for claim in section.claims)


def write_report(directory: Path, sections: list[Section]) -> list[Path]:
    """Write the report and return the files."""
    directory.mkdir(parents=True, exist_ok=True)
    files = [directory / "laboratory.md", directory / "laboratory.json"]
    files[0].write_text(_as_markdown(sections), encoding="utf-8")
    files[1].write_text(_as_json(sections), encoding="utf-8")
    return files


def _sections(time_limit: float | None) -> Iterator[Section]:
    for key in EDITIONS:
        yield Section(
            f"What each rule of edition {key} decides",
            "Independent: the assignment breaks this rule and no other that decides, and no "
            "smaller board has one. Implied: whoever breaks it breaks one of the rules it follows "
            "from, none of which can be left out. Never decisive: nothing breaks it. The rules "
            "that are not listed forbid no assignment of their own.",
            [
                _decides(rule.slug, replace(EMPTY, edition=key), time_limit)
                for rule in IN_FORCE[key]
            ],
        )
    forbidding = [rule.slug for rule in FORBIDDING[EMPTY.edition]]
    yield Section(
        f"Two rules of edition {EMPTY.edition} broken together",
        "The smallest board with an assignment that breaks these two and no other that decides, "
        "or which other is always broken with them.",
        [_together(*pair, time_limit) for pair in combinations(forbidding, 2)],
    )
    yield Section(
        "Where editions and readings disagree",
        "An assignment that is legal in one of the two only, on the smallest board that has one; "
        f"at most {MOST} of different structure. The status is that of the last search, infeasible "
        "where there are no others.",
        [_differs(*pair, time_limit) for pair in laboratory.alternatives()],
    )
    yield Section(
        "Is there always a legal assignment?",
        "Swept: every board within the bounds was looked at, one for all whose units the rules "
        "cannot tell apart, in any order. Unknown: a limit came first.",
        [
            _possible("readings at their default", (EMPTY,), SWEPT, time_limit),
            _possible(
                "every combination of readings",
                possible.every_reading(EMPTY),
                replace(SWEPT, units=2, might=2, prevent=1, pool=5),
                time_limit,
            ),
        ],
    )


def _timed(function: Callable[[], T]) -> tuple[T, float]:
    begin = perf_counter()
    result = function()
    return result, perf_counter() - begin


def _decides(slug: str, settings: Board, time_limit: float | None = None) -> Claim:
    found, seconds = _timed(
        lambda: laboratory.breaking([slug], Bounds(), settings, time_limit=time_limit)
    )
    number = EDITIONS[settings.edition].number(slug) or ""
    return Claim(
        f"{number} {slug}".strip(),
        f"{laboratory.verdict(found)}: {tell.because(found, settings)}",
        tell.status(found),
        found.bounds,
        seconds,
        tell.verdict_as_data(found, settings),
    )


def _together(one: str, other: str, time_limit: float | None = None) -> Claim:
    found, seconds = _timed(
        lambda: laboratory.breaking([one, other], Bounds(), time_limit=time_limit)
    )
    return Claim(
        f"{one}, {other}",
        tell.because(found, EMPTY),
        tell.status(found),
        found.bounds,
        seconds,
        tell.finding_as_data(found, EMPTY),
    )


def _differs(first: Board, second: Board, time_limit: float | None = None) -> Claim:
    found, seconds = _timed(
        lambda: laboratory.difference(first, second, Bounds(), most=MOST, time_limit=time_limit)
    )
    lines = [tell.disagreement(one, found) for one in found.found]
    if found.complete:
        lines.append("and no others" if lines else "they never disagree")
    elif found.complete is None:
        lines.append("not known whether there are others")
    return Claim(
        " and ".join(tell.side(one, found) for one in found.settings),
        "<br>".join(lines),
        tell.difference_status(found),
        found.bounds,
        seconds,
        tell.difference_as_data(found),
    )


def _possible(
    about: str, settings: tuple[Board, ...], bounds: Bounds, time_limit: float | None = None
) -> Claim:
    found, seconds = _timed(
        lambda: possible.always_possible(settings, bounds, time_limit=time_limit)
    )
    dead = laboratory.dead(bounds, settings[0], time_limit=time_limit)
    none = (
        "all have a legal assignment" if found.complete else "none without a legal assignment yet"
    )
    without = ", ".join(found.impossible) or none
    unbroken = ", ".join(dead or ()) or "no rule that forbids something"
    if dead is None:
        unbroken = "(not known which)"
    return Claim(
        about,
        f"{found.boards:,} boards: {without}; nothing breaks {unbroken}",
        "swept" if found.complete and dead is not None else "unknown",
        bounds,
        seconds,
        tell.possible_as_data(found, dead),
    )


def _as_markdown(sections: list[Section]) -> str:
    parts = ["# What the laboratory finds", "    lethal lab report DIRECTORY"]
    for section in sections:
        parts += [f"## {section.title}", fill(section.about, 100)]
        every = list(dict.fromkeys(claim.bounds for claim in section.claims))
        parts += [f"{_letter(i)}: {bounds}." for i, bounds in enumerate(every)]
        rows = ["| claim | found | status | bounds | seconds |", "|---|---|---|---|---:|"]
        rows += [
            f"| {c.about} | {c.found} | {c.status} | {_letter(every.index(c.bounds))} "
            f"| {c.seconds:.1f} |"
            for c in section.claims
        ]
        parts.append("\n".join(rows))
    listed = {rule.slug for rules in IN_FORCE.values() for rule in rules}
    others = sum(slug not in listed for slug in RULEBOOK)
    parts.append(
        f"The {others} other rules of the table forbid no assignment of their own: never decisive."
    )
    return "\n\n".join(parts) + "\n"


def _letter(index: int) -> str:
    return f"Bounds {'ABC'[index]}"


def _as_json(sections: list[Section]) -> str:
    """The same as an array of claims, a claim on a line."""
    claims = [
        json.dumps(
            {
                "section": section.title,
                "claim": claim.about,
                "status": claim.status,
                "bounds": to_builtins(claim.bounds),
                "seconds": round(claim.seconds, 1),
                "found": claim.data,
            }
        )
        for section in sections
        for claim in section.claims
    ]
    return "[\n" + ",\n".join(claims) + "\n]\n"
