"""Every rule: its place in the table, its examples, and its two readings held against each other.

Test ids are rule numbers: `pytest -k 465.2.c.4`.
"""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Iterable
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import boards
import oracle
import pytest
from boards import board
from hypothesis import given, settings
from hypothesis import strategies as st

import rules.damage
import rules.precedence
import solver
from rules import Board, Rule, need, parse
from rules.editions import EDITIONS, TABLE
from rules.position import Position, Tier
from rules.precedence import TankFirst, precedence_graph
from rules.rule import plain_rule
from rules.rulebook import DECIDING, IN_FORCE, RULES, find, violations
from rules.wire import plain, read_board
from solver.cpsat import run
from solver.encoding import Model

KINDS = {
    "constraint", "implied", "permission", "arithmetic", "scope", "procedure", "background"
}  # fmt: skip
POSTING = [rule for rule in RULES if type(rule).post is not Rule.post]


def number(rule: Rule) -> str:
    return str(rule.number())


def broken(on: Board, points: tuple[int, ...]) -> list[str]:
    """The ids of the rules that an assignment breaks, each once."""
    position = Position(on, points)
    return [r.slug for r in IN_FORCE[on.edition] if any(True for _ in r.violations(position))]


class TestTheTable:
    def test_every_row_has_a_kind_a_title_of_its_own_and_a_cell_for_every_edition(self) -> None:
        assert {row.kind for row in TABLE.values()} == KINDS
        assert len({row.title for row in TABLE.values()}) == len(TABLE)
        for row in TABLE.values():
            assert row.title.endswith(".")
            assert row.numbers.keys() == EDITIONS.keys()

    def test_cells_are_numbers_blanks_or_dashes(self) -> None:
        cell = re.compile(r"|-|\d{3}(\.\w+)*\??")
        for row in TABLE.values():
            for written in row.numbers.values():
                assert cell.fullmatch(written), (row.slug, written)

    def test_a_number_names_one_rule_in_an_edition(self) -> None:
        for edition in EDITIONS.values():
            numbers = [n for slug in TABLE if (n := edition.number(slug))]
            assert len(numbers) == len(set(numbers)) == len(edition.slugs)


class TestTheClasses:
    @pytest.mark.parametrize("rule", RULES, ids=number)
    def test_the_docstring_opens_with_the_canonical_number(self, rule: Rule) -> None:
        first_line = rule.explanation.splitlines()[0]
        assert re.fullmatch(rf"\[{re.escape(number(rule))}\] .*\.", first_line)

    def test_every_class_is_in_the_tuple_and_has_a_row(self) -> None:
        named = {
            one.slug
            for module in (rules.damage, rules.precedence)
            for _, one in inspect.getmembers(module, inspect.isclass)
            if issubclass(one, Rule) and "slug" in one.__dict__
        }
        assert named == {rule.slug for rule in RULES} <= TABLE.keys()

    def test_the_tuple_is_in_the_order_of_the_numbers(self) -> None:
        def key(rule: Rule) -> list[tuple[int, str]]:
            return [(int(p) if p.isdigit() else 0, p) for p in number(rule).split(".")]

        assert [number(r) for r in RULES] == [number(r) for r in sorted(RULES, key=key)]

    @pytest.mark.parametrize("rule", RULES, ids=number)
    def test_the_kind_says_what_the_class_does(self, rule: Rule) -> None:
        forbids = type(rule).violations is not Rule.violations
        assert forbids == (rule in POSTING)
        assert (rule.kind == "constraint") == (forbids and not rule.implied_by)
        assert (rule.kind == "implied") == bool(rule.implied_by)
        assert all(giver in TABLE for giver in rule.implied_by)

    def test_every_constraint_and_implied_row_has_a_class(self) -> None:
        rows = {row.slug for row in TABLE.values() if row.kind in ("constraint", "implied")}
        assert rows <= {rule.slug for rule in RULES}


def test_a_rule_without_a_class_has_what_the_table_says() -> None:
    rule = plain_rule("golden_rule")
    row = TABLE["golden_rule"]
    assert (rule.slug, rule.kind, rule.title) == (row.slug, row.kind, row.title)
    assert (rule.number(), rule.number(EDITIONS["443"])) == ("002", None)
    assert (rule.explanation, rule.paragraphs, rule.home, rule.tests) == ("", [], None, None)
    assert repr(rule) == "<002 golden_rule>"
    rule.post(Posted(board("1 into 1"), (1,)))
    assert list(rule.violations(Position(board("1 into 1"), (0,)))) == []


@pytest.mark.parametrize(
    ("told", "key", "givers"),
    [
        ("tank_multiple", "439", ("tank_first",)),
        ("min_applied_when_increased", "465", ("no_over_assignment",)),
        ("backline_lethal_first_still", "465",
         ("lethal_in_full_before_next", "no_over_assignment")),
        ("backline_multiple", "443", ()),
        ("exclusionary_choose_one", "465", ("backline_last",)),
        ("exclusionary_choose_one", "443", ("obey_requirements",)),
        ("tank_first", "465", ()),
    ],
)  # fmt: skip
def test_a_rule_follows_from_others_of_its_edition(
    told: str, key: str, givers: tuple[str, ...]
) -> None:
    assert find(told).follows_from(EDITIONS[key]) == givers


def test_a_rule_with_a_class_says_where_it_is_stated_and_tested() -> None:
    rule = find("815.1.c.1")
    assert rule.home == ("rules/precedence.py", "TankLethalFirstStill")
    assert rule.tests == "python -m pytest -k 815.1.c.1"
    assert rule.paragraphs == [
        "Tank says who is first, not that all points go there.",
        "Once a Tank is lethal the next unit has its turn, as everywhere.",
    ]


class Example(NamedTuple):
    number: str
    board: str
    legal: list[tuple[int, ...]]
    illegal: list[tuple[int, ...]]


EXAMPLES = [
    Example("465.2.c", "3 into 4 4", [(3, 0), (0, 3)], [(2, 0), (4, 0), (0, 0)]),
    Example("465.2.c", "3 into", [()], []),
    Example("465.2.c.2", "3 into 3T 2", [(3, 0)], [(1, 2)]),
    Example("465.2.c.3", "5 into 3 3 3 3", [(3, 2, 0, 0), (0, 2, 0, 3)], [(2, 1, 1, 1)]),
    Example("465.2.c.3", "2 into 5 5", [(2, 0)], [(1, 1)]),
    Example("465.2.c.4", "5 into 3 3 3 3", [(3, 0, 0, 2)], [(5, 0, 0, 0), (4, 1, 0, 0)]),
    Example("465.2.c.4", "5 into 3/1 3/1 3/1 3/1", [(2, 2, 1, 0)], [(3, 2, 0, 0)]),
    Example("465.2.c.4", "5 into 1 1", [(1, 4), (4, 1), (2, 3)], [(0, 5), (5, 0)]),
    Example("465.2.c.4.a", "4 into 3x2 3", [(1, 3), (2, 2)], [(3, 1), (4, 0)]),
    Example("465.2.c.5", "3 into 2x2 2", [(1, 2)], [(2, 1)]),
    Example("465.2.c.5", "5 into 2P3 2", [(5, 0), (3, 2)], [(4, 1), (2, 3)]),
    Example("465.2.c.6", "5 into 2T 2 2B", [(2, 2, 1)], [(2, 1, 2), (3, 2, 0)]),
    Example("465.2.c.6", "5 into 3 3B --edition 443", [(3, 2)], [(2, 3), (0, 5)]),
    Example("465.2.c.7", "4 into 2T 3T 2", [(2, 2, 0), (1, 3, 0)], [(2, 0, 2)]),
    Example("465.2.c.8", "4 into 3TB 2 2", [(3, 1, 0), (0, 2, 2)], [(1, 2, 1), (2, 2, 0)]),
    Example("465.2.c.9", "3 into 2TB 2TB 2", [(2, 1, 0), (1, 0, 2), (0, 2, 1)], [(1, 1, 1)]),
    Example("465.2.c.10", "3 into 6! 3", [(0, 3)], [(3, 0), (1, 2)]),
    Example("465.2.c.10", "3 into 6!T 3", [(0, 3)], [(3, 0)]),
    Example("465.2.c.10", "12 into 4TPall 4", [(12, 0)], [(8, 4)]),
    Example("766", "3 into 3TB 2 2 --ignore tank", [(0, 1, 2), (0, 2, 1)], [(3, 0, 0)]),
    Example("767", "6 into 5T 2 --ignore tank", [(5, 1), (4, 2)], [(6, 0)]),
    Example("815.1.b", "3 into Sentinel:3T Volunteer:2", [(3, 0)], [(1, 2), (0, 3)]),
    Example("815.1.c.1", "4 into 3T 2", [(3, 1)], [(4, 0)]),
    Example("815.1.c.2", "13 into 6T 6T 2", [(6, 6, 1)], [(6, 5, 2)]),
    Example("826.3", "6 into 2B 3 2T", [(1, 3, 2)], [(2, 2, 2), (2, 0, 4)]),
    Example("826.4.a", "6 into 2B 2B 2", [(2, 2, 2)], [(3, 1, 2)]),
    Example("826.4.b", "5 into 2B 3B 2", [(2, 1, 2), (0, 3, 2)], [(2, 3, 0)]),
]


class TestExamples:
    @pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.number)
    def test_what_is_legal_breaks_nothing_and_what_is_not_breaks_a_rule(
        self, example: Example
    ) -> None:
        on = board(example.board)
        for points in example.legal:
            assert broken(on, points) == []
        for points in example.illegal:
            assert broken(on, points)

    def test_every_rule_about_assignments_has_an_example(self) -> None:
        assert {example.number for example in EXAMPLES} == {number(rule) for rule in RULES}


NAMED = [
    ("465.2.c", "3 into 4 4", (2, 0), ["assign_total"]),
    ("465.2.c.3", "5 into 3 3 3 3", (2, 1, 1, 1), ["lethal_in_full_before_next"]),
    ("465.2.c.4", "5 into 3 3 3 3", (5, 0, 0, 0), ["no_over_assignment"]),
    ("465.2.c.4.a", "4 into 3x2 3", (4, 0), ["no_over_assignment", "min_applied_when_increased"]),
    ("465.2.c.6", "2 into 3 3B --edition 439", (0, 2), ["obey_requirements"]),
    ("465.2.c.8", "2 into 3TB 2", (2, 0), []),
    (
        "465.2.c.8",
        "4 into 3TB 2 2",
        (1, 2, 1),
        ["lethal_in_full_before_next", "exclusionary_choose_one", "backline_last"],
    ),
    ("465.2.c.10", "5 into 6! 3", (2, 3), ["undamageable_exempt"]),
    ("815.1.b", "3 into 3T 2", (1, 2), ["tank_first"]),
    ("815.1.c.2", "13 into 6T 6T 2", (6, 5, 2), ["tank_first", "tank_multiple"]),
    ("826.3", "2 into 3 3B", (0, 2), ["backline_last"]),
    ("826.4.b", "5 into 2B 3B 2", (2, 3, 0), ["backline_last", "backline_multiple"]),
]


@pytest.mark.parametrize(("told", "text", "points", "slugs"), NAMED, ids=[n[0] for n in NAMED])
def test_a_broken_assignment_names_exactly_its_rules(
    told: str, text: str, points: tuple[int, ...], slugs: list[str]
) -> None:
    named = set(broken(board(text), points))
    # Two partial units, one of them ahead of its turn, break the rule of order and c.3 alike.
    assert named - {"lethal_in_full_before_next"} == set(slugs) - {"lethal_in_full_before_next"}
    assert set(slugs) <= named


ONE_UNIT, LAST_UNIT = "--reading leftover=one_unit", "--reading leftover=last_unit"
MUST_KILL = "--reading must_kill=yes"
TAKES = "; one unit takes all that is left over (reading leftover"
LATER = "what is left over, but a unit of a later tier is there (reading leftover=last_unit)"
SPARED = "is left short of lethal with points that would have finished"
BECAUSE = [
    ("465.2.c", "5 into 3 3", (3, 1), ["A, B: 4 assigned out of a pool of 5, 1 too few"]),
    ("465.2.c", "5 into 3 3", (7, 0), ["A: 7 assigned out of a pool of 5, 2 too many"]),
    ("465.2.c", "5 into 2! --reading only_undamageable=nothing", (5,), [
        "A: 5 assigned, though no unit there can be dealt damage "
        "(reading only_undamageable=nothing)",
    ]),
    ("465.2.c.3", "4 into 3 3 3", (2, 1, 1), [
        "A, B, C: A 2 of 3, B 1 of 3 and C 1 of 3; at most one unit may be left short of lethal",
    ]),
    ("465.2.c.3", f"3 into 4 2 3 5 {MUST_KILL}", (3, 0, 0, 0), [
        f"A, B, C: A 3 of 4 {SPARED} B and C (reading must_kill=yes)",
    ]),
    ("465.2.c.3", f"5 into 4 2 2! 3 {MUST_KILL}", (3, 2, 0, 0), [
        f"A, D: A 3 of 4 {SPARED} D (reading must_kill=yes)",
    ]),
    ("465.2.c.3", f"3 into 4T 3 3T {MUST_KILL}", (3, 0, 0), [
        f"A, C: A 3 of 4 {SPARED} C (reading must_kill=yes)",
    ]),
    ("465.2.c.3", f"3 into 3 4B 3B {MUST_KILL}", (0, 3, 0), [
        f"B, C: B 3 of 4 {SPARED} C (reading must_kill=yes)",
    ]),
    ("465.2.c.3", f"3 into 4Pall 3 {MUST_KILL}", (3, 0), [
        f"A, B: A 3 (never lethal) {SPARED} B (reading must_kill=yes)",
    ]),
    ("465.2.c.3", f"3 into 4 3Pall {MUST_KILL}", (3, 0), []),
    ("465.2.c.3", f"2 into 4 3 {MUST_KILL}", (2, 0), []),
    ("465.2.c.4", "9 into 3 2 4 1", (5, 4, 0, 0), [
        "A, B: A 5 of 3 and B 4 of 2, too much with C 0 of 4 and D 0 of 1 still short of lethal",
    ]),
    ("465.2.c.4", "4 into 3 6!", (4, 0), []),
    ("465.2.c.4", f"6 into 2 2 {ONE_UNIT}", (4, 2), []),
    ("465.2.c.4", f"6 into 2 2 {ONE_UNIT}", (3, 3), [
        f"A, B: A 3 of 2 and B 3 of 2{TAKES}=one_unit)",
    ]),
    ("465.2.c.4", f"6 into 2 2 {LAST_UNIT}", (3, 3), [
        f"A, B: A 3 of 2 and B 3 of 2{TAKES}=last_unit)",
    ]),
    ("465.2.c.4", f"6 into 2T 2 {ONE_UNIT}", (4, 2), []),
    ("465.2.c.4", f"6 into 2T 2 {LAST_UNIT}", (4, 2), [f"A: A 4 of 2 has {LATER}"]),
    ("465.2.c.4", f"6 into 2 2B {LAST_UNIT}", (4, 2), [f"A: A 4 of 2 has {LATER}"]),
    ("465.2.c.4", f"6 into 2T 2B {LAST_UNIT}", (4, 2), [f"A: A 4 of 2 has {LATER}"]),
    ("465.2.c.4", f"6 into 2T 2 {LAST_UNIT}", (2, 4), []),
    ("465.2.c.4", f"6 into 2 2B {LAST_UNIT}", (2, 4), []),
    ("465.2.c.4", f"6 into 2T 2! {LAST_UNIT}", (6, 0), []),
    ("465.2.c.4", f"8 into 2T 2T 2 {LAST_UNIT}", (3, 3, 2), [
        f"A, B: A 3 of 2 and B 3 of 2{TAKES}=last_unit)",
        f"A, B: A 3 of 2 and B 3 of 2 have {LATER}",
    ]),
    ("465.2.c.4.a", "3 into 3x2 4", (3, 0), ["A: doubled, 2 on A already ends up lethal"]),
    ("465.2.c.4.a", "7 into 3x2 4x2 4", (4, 3, 0), [
        "A, B: doubled, 2 on A and 2 on B already end up lethal",
    ]),
    ("465.2.c.4.a", "4 into 3x2 6!", (4, 0), []),
    ("465.2.c.6", "3 into 2B 2 --edition 443", (2, 1), [
        "B, A: A has points before B 1 of 2 is lethal (Backline)",
    ]),
    ("465.2.c.8", "3 into 3TB 2 2", (1, 2, 0), [
        "A: A 1 of 3 is to be wholly Tank or wholly Backline; taken as Backline, the last, it goes "
        "before C",
    ]),
    ("465.2.c.8", "3 into 3TB 2! 2 --reading undamageable=optional", (1, 2, 0), [
        "A: A 1 of 3 is to be wholly Tank or wholly Backline; taken as Backline, the last, it goes "
        "before C",
    ]),
    ("465.2.c.8", "4 into 3TB 3T 2", (2, 0, 2), [
        "A: A 2 of 3 is to be wholly Tank or wholly Backline; taken as Backline, the last, it goes "
        "before B",
    ]),
    ("465.2.c.10", "5 into 6! 3", (2, 3), [
        "A: A 2 (cannot be dealt damage) is skipped while another unit can be dealt damage",
    ]),
    ("465.2.c.10", "5 into 6! 4! 3", (1, 1, 3), [
        "A, B: A 1 (cannot be dealt damage) and B 1 (cannot be dealt damage) are skipped while "
        "another unit can be dealt damage",
    ]),
    ("465.2.c.10", "5 into 6! 4!", (1, 4), []),
    ("465.2.c.10", "5 into 6! 3 --reading undamageable=optional", (2, 3), []),
    ("815.1.b", "3 into 3T 2", (1, 2), ["A, B: B has points before A 1 of 3 is lethal (Tank)"]),
    ("815.1.b", "3 into 4T 2! 2 --reading undamageable=optional", (0, 1, 2), [
        "A, B, C: B and C have points before A 0 of 4 is lethal (Tank)",
    ]),
    ("815.1.b", "3 into 4T 2!", (0, 3), []),
    ("815.1.c.2", "3 into 3T 2", (1, 2), []),
    ("815.1.c.2", "3 into 3T 2T 1 1", (1, 0, 1, 1), [
        "A, B, C, D: C and D have points before A 1 of 3 and B 0 of 2 are lethal (Tank)",
    ]),
    ("826.3", "3 into 2B 2", (2, 1), [
        "B, A: A has points before B 1 of 2 is lethal (Backline last)",
    ]),
    ("826.4.b", "3 into 2B 2", (2, 1), []),
    ("826.4.b", "5 into 2B 2B 3 1", (2, 2, 1, 0), [
        "C, D, A, B: A and B have points before C 1 of 3 and D 0 of 1 are lethal (Backline last)",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("told", "text", "points", "said"), BECAUSE, ids=[b[0] for b in BECAUSE])
def test_who_breaks_a_rule_is_told_with_amounts(
    told: str, text: str, points: tuple[int, ...], said: list[str]
) -> None:
    placed = Position(board(text), points)
    found = list(find(told).violations(placed))
    assert [f"{', '.join(one.units)}: {one.because}" for one in found] == said
    assert {one.rule for one in found} <= {find(told).slug}


@pytest.mark.parametrize(
    ("tier", "said"),
    [
        ("tank", "taken as Tank, the first, it is passed over for B and C"),
        ("backline", "taken as Backline, the last, it goes before D"),
    ],
)
def test_a_dual_unit_is_told_of_as_the_tier_that_is_chosen(tier: Tier, said: str) -> None:
    placed = Position(board("6 into 3TB 2 3 2"), (1, 2, 3, 0), {"A": tier})
    (told,) = find("465.2.c.8").violations(placed)
    assert told.units == ("A",)
    assert told.because == f"A 1 of 3 is to be wholly Tank or wholly Backline; {said}"


def test_a_violation_has_its_number_in_the_edition_of_the_board() -> None:
    for key, printed in (("443", "443.1.d.3"), ("465", "465.2.c.3"), ("467", "467.2.c.3")):
        (left,) = violations(Position(board(f"2 into 3 3 --edition {key}"), (1, 1)))
        assert (left.rule, left.number) == ("lethal_in_full_before_next", printed)


class Posted(Position):
    """A position that takes constraints and notes whether it keeps to them."""

    kept = True

    def clause(self, *literals: bool) -> None:
        assert all(type(literal) is bool for literal in literals)
        self.kept &= any(literals)

    def at_most_one(self, literals: Iterable[bool]) -> None:
        self.kept &= sum(literals) <= 1

    def spend(self, *, nothing: bool) -> None:
        self.kept &= sum(self.points) == (0 if nothing else self.board.pool)


PAIRS = list(combinations_with_replacement(
    ["2", "2T", "1T", "2B", "1B", "2TB", "1TB", "3x2", "1!", "2Pall"], 2
))  # fmt: skip
MORE = [
    "2 2T 1T",
    "2 2B 1B",
    "1TB 1T 1B",
    "2TB 2 2B",
    "1TB 1TB 1",
    "2! 1 1",
    "1x2 1 1B",
    "2TB 1! 1",
]
SETTINGS = [
    "", LAST_UNIT, f"{ONE_UNIT} {MUST_KILL}", f"{MUST_KILL} --edition 439",
    "--reading undamageable=optional", "--reading only_undamageable=nothing",
    f"--reading undamageable=optional --edition 443 {LAST_UNIT}",
]  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS)
def test_posting_and_violations_agree_on_every_assignment_of_small_boards(settings: str) -> None:
    disagree = []
    for units in (*map(" ".join, PAIRS), *MORE):
        on = board(f"3 into {units} {settings}")
        for points in product(range(4), repeat=len(on.units)):
            posted = Posted(on, points)
            for rule in POSTING:
                if rule.slug in EDITIONS[on.edition]:
                    posted.kept = True
                    rule.post(posted)
                    if posted.kept == any(True for _ in rule.violations(posted)):
                        disagree.append((rule, units, points))
    assert disagree == []


ALONE = [
    ("assign_total", "1 into 2", (0,)),
    ("lethal_in_full_before_next", "2 into 2 2", (1, 1)),
    ("no_over_assignment", "2 into 1 1", (2, 0)),
    ("tank_first", "1 into 1 1T", (1, 0)),
    ("backline_last", "1 into 1 1B", (0, 1)),
    ("obey_requirements", "1 into 1 1B --edition 439", (0, 1)),
    ("undamageable_exempt", "1 into 1 1!", (0, 1)),
]


@pytest.mark.parametrize(("slug", "text", "points"), ALONE, ids=[a[0] for a in ALONE])
def test_some_board_is_decided_by_a_constraint_rule_alone(
    slug: str, text: str, points: tuple[int, ...]
) -> None:
    assert broken(board(text), points) == [slug]


def test_every_constraint_rule_decides_a_board_alone() -> None:
    assert {slug for slug, *_ in ALONE} == {r.slug for r in RULES if r.kind == "constraint"}


PERMITTED = [
    ("465.2.c.7", "2 into 2 2", (2, 0), (0, 2)),
    ("465.2.c.9", "3 into 2TB 2TB 2", (2, 1, 0), (0, 1, 2)),
]


@pytest.mark.parametrize(("told", "text", "one", "other"), PERMITTED, ids=[p[0] for p in PERMITTED])
def test_a_permission_allows_two_ways(
    told: str, text: str, one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    assert broken(board(text), one) == broken(board(text), other) == []


@st.composite
def positions(draw: st.DrawFn) -> tuple[Board, tuple[int, ...]]:
    """A board and points on it: some at need, some near it, with the right total now and then."""
    on = read_board(draw(boards.boards()))
    points = []
    for least in need(on):
        around = least if isinstance(least, int) else 1
        points.append(draw(st.sampled_from((0, around, max(0, around - 1), around + 1, 1))))
    if points and draw(st.booleans()):
        last = on.pool - sum(points[:-1])
        points[-1] = last if last >= 0 else points[-1]
    return on, tuple(points)


@given(positions())
@settings(max_examples=200, deadline=None)
def test_posting_and_violations_agree_rule_by_rule(
    position: tuple[Board, tuple[int, ...]],
) -> None:
    on, points = position
    model = Model(on, guarded=True)
    for raw, given_points in zip(model.raw, points, strict=True):
        model.cp.add(raw == min(given_points, int(raw.domain.flattened_intervals()[-1])))
    solver = run(model.cp)
    assert solver is not None
    placed = Position(on, model.read(solver))
    for rule in IN_FORCE[on.edition]:
        violated = any(True for _ in rule.violations(placed))
        assert bool(solver.value(model.holds[rule.slug])) == (not violated), rule


@given(positions())
@settings(max_examples=300, deadline=None)
def test_an_implied_rule_is_broken_only_together_with_one_that_implies_it(
    position: tuple[Board, tuple[int, ...]],
) -> None:
    named = set(broken(*position))
    for rule in RULES:
        if rule.slug in named and rule.implied_by:
            assert named & set(rule.implied_by), rule


@given(positions())
@settings(max_examples=300, deadline=None)
def test_the_rules_together_say_what_the_oracle_says(
    position: tuple[Board, tuple[int, ...]],
) -> None:
    on, points = position
    assert (broken(on, points) == []) == oracle.is_legal(plain(on), points)


def test_dropping_an_implied_rule_changes_no_board() -> None:
    rng = random.Random(465)
    for _ in range(300):
        on = read_board(boards.random_board(rng, units=3))
        points = tuple(rng.randint(0, 4) for _ in on.units)
        position = Position(on, points)
        deciding = [
            r.slug for r in DECIDING[on.edition] if any(True for _ in r.violations(position))
        ]
        assert bool(deciding) == bool(broken(on, points))


def test_points_where_nobody_can_take_any_are_not_said_to_be_beyond_the_pool() -> None:
    board = parse("5 into 2! --reading only_undamageable=nothing")
    broken = solver.check(board, (5,)).violations
    assert [violation.rule for violation in broken] == ["assign_total"]
    assert "only_undamageable=nothing" in broken[0].because
    assert "pool" not in broken[0].because


GRAPHS: list[tuple[str, dict[str, Tier], dict[str, tuple[str, ...]]]] = [
    ("3 into A:2 B:2", {}, {}),
    ("3 into A:2T B:2 C:2B E:2!T", {}, {
        "AB": ("tank_first",),
        "AC": ("tank_first", "backline_last"),
        "BC": ("backline_last",),
    }),
    ("3 into A:2T B:2T C:2", {}, {
        "AC": ("tank_first", "tank_multiple"),
        "BC": ("tank_first", "tank_multiple"),
    }),
    ("3 into A:2 B:2B C:2B", {}, {
        "AB": ("backline_last", "backline_multiple"),
        "AC": ("backline_last", "backline_multiple"),
    }),
    ("3 into A:2 B:2B --edition 443", {}, {"AB": ("obey_requirements",)}),
    ("3 into A:2T B:2! --reading undamageable=optional", {}, {"AB": ("tank_first",)}),
    ("3 into A:2T B:2 --ignore tank", {}, {}),
    ("3 into A:3TB B:2", {}, {}),
    ("3 into A:3TB B:2", {"A": "tank"}, {"AB": ("tank_first",)}),
    ("3 into A:3TB B:2", {"A": "backline"}, {"BA": ("backline_last",)}),
    ("3 into A:3TB B:2T C:3TB --reading undamageable=optional", {"A": "tank"}, {}),
    ("3 into A:3TB B:2T C:3TB", {"A": "backline"}, {"BA": ("tank_first", "backline_last")}),
]  # fmt: skip


class TestTheGraphOfPrecedence:
    @pytest.mark.parametrize(("text", "tiers", "edges"), GRAPHS)
    def test_its_edges_name_the_rules(
        self, text: str, tiers: dict[str, Tier], edges: dict[str, tuple[str, ...]]
    ) -> None:
        on = board(text)
        graph = precedence_graph(on, tiers)
        assert list(graph.nodes) == list(on.names)
        assert {u + v: found for u, v, found in graph.edges(data="rules")} == edges

    def test_that_of_a_thousand_units_takes_no_longer_than_its_edges(
        self,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        asked = []
        leading = TankFirst.leading
        monkeypatch.setattr(TankFirst, "leading", lambda *a: asked.append(a) or leading(*a))
        graph = precedence_graph(board(f"3 into {'2T ' * 500}{'2 ' * 500}"))
        assert graph.number_of_edges() == 500 * 500
        assert len(asked) == 2, "once for tank_first, once for tank_multiple"
