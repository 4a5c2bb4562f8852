"""Every rule: its place in the table, its examples, and its two readings held against each other.

Test ids are rule numbers: `pytest -k 465.2.c.4`.
"""

from __future__ import annotations

import inspect
import random
import re
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
from rules.position import Position
from rules.rulebook import DECIDING, IN_FORCE, RULES
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
