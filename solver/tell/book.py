"""In words and tables: rules with an example and what they post, readings and editions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules.board import Board
from rules.editions import CANONICAL, EDITIONS, PUBLISHED, TABLE, Edition, edition, is_inferred
from rules.examples import EXAMPLES, because
from rules.position import given
from rules.readings import ABOUT, DEFAULTS, SWITCHES, Readings
from rules.rule import Rule
from rules.rulebook import Found, moved
from solver.tell.show import GAP, written


def rule(out: Console, found: Found, edition_key: str, readings: Readings = DEFAULTS) -> None:
    """One rule: what it says, how it is read, its number in every edition, its class and tests."""
    within = edition(edition_key)
    if sentence := moved(found, within):
        out.print(f"{sentence}.")
    for key, other in found.elsewhere.items():
        out.print(f"In edition {key}, {number_in(other, key)} is {other.slug}: {other.title}")
    the_rule = found.rule
    out.print(Text(f"{within.cite(the_rule.slug)}  {the_rule.slug}", style="bold"))
    out.print(the_rule.title)
    for paragraph in the_rule.paragraphs:
        out.print(paragraph)
    if givers := the_rule.follows_from(within):
        out.print(f"Follows from {', '.join(f'{within.cite(r)} {r}' for r in givers)}.")
    for switch, about in ABOUT.items():
        if the_rule.slug in about.rules:
            others = [value for value in SWITCHES[switch] if value != getattr(readings, switch)]
            out.print(f"Read with {switch}={getattr(readings, switch)}; or {', '.join(others)}.")
    out.print(f"Kind: {the_rule.kind}")
    numbers = ", ".join(f"{key}: {number_in(the_rule, key)}" for key in EDITIONS)
    out.print(f"Numbers: {numbers}")
    if the_rule.home:
        out.print(f"Class: {', '.join(the_rule.home)}")
        out.print(f"Tests: {the_rule.tests}")


def example(out: Console, rule: Rule) -> None:
    """The example of a rule, if it has one: what it alone forbids, or what it leaves open."""
    found = EXAMPLES.get(rule.slug)
    if found is None:
        return
    told = [given(found.question, assignment) for assignment in found.assignments]
    if found.legal:
        out.print(f"Example: {found.board}; legal are {' as well as '.join(told)}.")
    else:
        out.print(f"Example: {found.board}; not {told[0]}: {because(rule, found)}.")


def posted(out: Console, board: Board, sentences: Sequence[str]) -> None:
    """What a rule posts on a board, a line for each sentence."""
    if not sentences:
        out.print(f"On {written(board)} it forbids nothing.")
        return
    out.print(f"On {written(board)} it says:")
    for sentence in sentences:
        out.print(Text(f"  {sentence}"))


def rules(out: Console, chosen: Iterable[Rule], edition_key: str) -> None:
    """A table of rules: number, id, kind and title."""
    within = edition(edition_key)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    table.add_column("number", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("rule", overflow="fold", ratio=1)
    for one in chosen:
        number = within.number(one.slug) or "not recorded"
        table.add_row(number, one.kind, Text(f"{one.slug}: {one.title}"))
    out.print(table)


def number_in(the_rule: Rule, key: str) -> str:
    """The rule's number in an edition, or in words why there is none."""
    if the_rule.slug not in EDITIONS[key]:
        return "no such rule"
    return the_rule.number(EDITIONS[key]) or "not recorded"


def readings(out: Console, chosen: Readings, edition_key: str) -> None:
    """The named switches: what each decides, its values and the rules whose text leaves it open."""
    within = edition(edition_key)
    for switch, about in ABOUT.items():
        default, *others = SWITCHES[switch]
        out.print(Text(f"{switch}={default}", style="bold") + Text(f"; or {', '.join(others)}"))
        out.print(Text(f"  {about.question}"))
        if switch in chosen.changed():
            out.print(f"  Chosen: {getattr(chosen, switch)}.")
        cited = ", ".join(f"{within.cite(slug)} {slug}" for slug in about.rules)
        out.print(Text(f"  {cited}", style="dim"))


def editions(out: Console, keys: Iterable[str]) -> None:
    """The editions: version of the Core Rules, since when, and in which rules they differ."""
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    for heading in ("edition", "Core Rules", "effective"):
        table.add_column(heading, no_wrap=True)
    table.add_column("differs", overflow="fold", ratio=1)
    for key in keys:
        core_rules, effective = PUBLISHED[key]
        table.add_row(key, core_rules or "-", effective, Text(_differs(EDITIONS[key])))
    out.print(table)


def _differs(within: Edition) -> str:
    """In what an edition differs from the others: rules it lacks, numbers not known for sure."""
    canonical = EDITIONS[CANONICAL]
    parts = ["the default"] if within is canonical else []
    if within.lacks:
        lacked = [" ".join(filter(None, (canonical.number(s), s))) for s in within.lacks]
        parts.append(f"without {', '.join(lacked)}")
    numbers = [within.number(slug) for slug in TABLE if slug in within]
    for count, what in (
        (sum(map(is_inferred, numbers)), "inferred"),
        (numbers.count(None), "not recorded"),
    ):
        if count:
            parts.append(f"{count} of its {len(numbers)} numbers are {what}")
    return "; ".join(parts)
