"""Rules written out on a board, and the example that each decides.

What is written is read again here and held against the rule's own verdict on random assignments.
"""

from __future__ import annotations

import random
import re
from itertools import product

import pytest
from boards import board, random_board
from command_line import Lethal

from rules import BadRequest, Board
from rules.examples import EXAMPLES, because
from rules.logic import And, Fact, Not, Or, WrittenTerms, written
from rules.position import Position, Tier
from rules.rule import Rule
from rules.rulebook import DECIDING, IN_FORCE, RULEBOOK, RULES, find
from rules.wire import read_board

POSTING = [rule for rule in RULES if type(rule).post is not Rule.post]


def number(rule: Rule) -> str:
    return str(rule.number())


# --- reading what is written ----------------------------------------------------------------------


def holds(sentence: str, p: Position) -> bool:
    """Is a sentence true of a position?"""
    if " = " in sentence:
        return sum(p.points) == int(sentence.partition(" = ")[2])
    if sentence.startswith("at most one of: "):
        return sum(is_so(fact, p) for fact in sentence.partition(": ")[2].split(", ")) <= 1
    given, arrow, follows = sentence.rpartition(" -> ")
    if arrow and not all(is_so(fact, p) for fact in given.split(", ")):
        return True
    return all(any(is_so(f, p) for f in one.split(" or ")) for one in follows.split(", "))


def is_so(fact: str, p: Position) -> bool:
    """Is one fact true of a position?"""
    u = next(u for u in p.units if fact.startswith(f"{p.name(u)} "))
    what = fact.removeprefix(f"{p.name(u)} ")
    if what.startswith("not "):
        return not is_so(f"{p.name(u)} {what.removeprefix('not ')}", p)
    if amount := re.fullmatch(r"has (\d+) or more", what):
        return p.points[u] >= int(amount[1])
    if amount := re.fullmatch(r"has less than (\d+)", what):
        return p.points[u] < int(amount[1])
    if amount := re.fullmatch(r"over (\d+)", what):
        assert p.needs[u] == int(amount[1])
        return p.over[u]
    return {
        "lethal": p.lethal[u],
        "short of lethal": not p.lethal[u],
        "partial": p.partial[u],
        "has points": p.hit[u],
        "has no points": not p.hit[u],
        "as Tank": p.first[u],
        "as Backline": p.last[u],
    }[what]


def positions(on: Board, points: tuple[int, ...]) -> list[Position]:
    """The assignment under every choice for the dual units."""
    still = Position(on, points)
    duals = [still.name(u) for u in still.units if still.dual[u]]
    either: tuple[Tier, Tier] = ("tank", "backline")
    choices = product(either, repeat=len(duals))
    return [Position(on, points, dict(zip(duals, choice, strict=True))) for choice in choices]


def test_what_is_written_is_what_the_rule_forbids(many: int) -> None:
    rng = random.Random(31)
    broken = dict.fromkeys((rule.slug for rule in RULES), 0)
    for _ in range(many // 3):
        on = read_board(random_board(rng, units=4))
        said = {rule.slug: written(rule, on) for rule in IN_FORCE[on.edition]}
        for _ in range(6):
            points = tuple(rng.randint(0, 5) for _ in on.units)
            for position in positions(on, points):
                for rule in IN_FORCE[on.edition]:
                    forbidden = any(True for _ in rule.violations(position))
                    assert forbidden != all(holds(one, position) for one in said[rule.slug]), (
                        on,
                        points,
                        said[rule.slug],
                    )
                    broken[rule.slug] += forbidden
    assert all(broken[rule.slug] for rule in POSTING), broken


@pytest.mark.parametrize(
    ("asked", "on", "said"),
    [
        ("465.2.c", "5 into 3 3", ["A + B = 5"]),
        ("465.2.c", "5 into", ["nothing = 0"]),
        ("465.2.c.3", "5 into 3 1 3", ["at most one of: A partial, C partial"]),
        ("465.2.c.3", "5 into 3 4Pall", ["at most one of: A partial, B has points"]),
        ("465.2.c.4", "5 into 3 3 3",
         ["A over 3 -> B lethal, C lethal", "B over 3 -> A lethal, C lethal",
          "C over 3 -> A lethal, B lethal"]),
        ("465.2.c.4", "5 into 3 4Pall", ["A not over 3"]),
        ("465.2.c.7", "5 into 3 3", []),
        ("465.2.c.10", "5 into 6! 3", ["A has no points"]),
        ("815.1.b", "5 into 3T 2", ["B has points -> A lethal"]),
        ("815.1.b", "5 into 4TPall 2", ["B has no points"]),
        ("815.1.b", "5 into 2T 2T", []),
        ("815.1.b", "4 into 3TB 2", ["A as Tank, B has points -> A lethal"]),
        ("826.3", "4 into 3TB 2", ["A as Backline, A has points -> B lethal"]),
        ("465.2.c.3", "5 into 3 4Pall --reading must_kill=yes",
         ["at most one of: A partial, B has points", "B has 3 or more -> A lethal"]),
    ],
)  # fmt: skip
def test_a_rule_is_written_for_people(asked: str, on: str, said: list[str]) -> None:
    assert written(find(asked), board(on)) == said


def test_a_rule_is_written_for_up_to_a_hundred_units() -> None:
    (sum_of_all,) = written(find("465.2.c"), board("7 into " + "1 " * 100))
    assert sum_of_all.startswith("A + B + C")
    assert sum_of_all.endswith(" + CV = 7")


def test_nobody_would_read_a_rule_for_hundreds_of_units() -> None:
    units = " ".join(["3", "2T", "2B", "4TB", "3Pall"] * 20)
    strict = board(f"50 into {units} --reading must_kill=yes --reading leftover=one_unit")
    said = {rule.slug: len(written(rule, strict)) for rule in DECIDING[strict.edition]}
    assert said["tank_first"] > 1000
    assert said["lethal_in_full_before_next"] > 1000
    with pytest.raises(BadRequest, match="at most 100 units"):
        written(find("465.2.c"), board(f"50 into {units} 3"))


class TestFolding:
    """What is certain, and what follows from another part, is left out."""

    def setup_method(self) -> None:
        self.terms = WrittenTerms(board("5 into 3 2 2/2 2Pall 4TB 1 2!"))
        self.hit, self.lethal, self.over = self.terms.hit, self.terms.lethal, self.terms.over

    def test_what_is_certain_of_a_unit(self) -> None:
        t = self.terms
        assert [t.lethal[u] for u in (2, 3, 6)] == [True, False, False]
        assert [t.over[u] for u in (3, 6)] == [False, False]
        assert [t.partial[u] for u in (2, 5, 6)] == [False, False, False]
        assert t.partial[3] == t.hit[3], "a unit that is never lethal"
        assert t.hit[0] == Fact("A has points", "A has no points")
        assert t.lethal[0] == Fact("A lethal", "A short of lethal", ("A has points",))
        assert t.over[0] == Fact("A over 3", "A not over 3", ("A lethal", "A has points"))
        assert t.partial[0] == Fact("A partial", "A not partial", ("A has points",))
        assert t.first[4] == Fact("E as Tank", "E as Backline", choice=True)
        assert t.last[4] == Not(t.first[4])
        assert (t.first[0], t.last[0]) == (False, False)

    def test_all_and_any(self) -> None:
        t, (a, b, c, *_) = self.terms, self.hit
        either, both = Or((a, b)), And((a, b))
        assert (t.all([]), t.any([]), t.no(True)) == (True, False, False)
        assert (t.all([a, True]), t.all([a, False])) == (a, False)
        assert (t.any([a, True]), t.any([a, False])) == (True, a)
        assert (t.all([a, t.no(a)]), t.any([a, t.no(a)])) == (False, True)
        assert (t.all([a, b, a]), t.any([a, b, a])) == (both, either)
        assert (t.all([both, c]), t.any([either, c])) == (And((a, b, c)), Or((a, b, c)))
        assert (t.no(both), t.no(either)) == (Or((Not(a), Not(b))), And((Not(a), Not(b))))
        assert t.no(t.no(a)) == a

    def test_what_follows_is_left_out(self) -> None:
        t, (a, b, c, d, *_) = self.terms, self.hit
        assert (t.all([self.lethal[0], a]), t.all([a, self.over[0]])) == (
            self.lethal[0], self.over[0]
        )  # fmt: skip
        assert (t.any([self.lethal[0], a]), t.any([a, self.over[0]])) == (a, a)
        assert t.all([Not(a), Not(self.lethal[0])]) == Not(a)
        assert t.any([And((a, b)), a]) == a
        assert t.any([And((a, b)), c]) == Or((And((a, b)), c))
        assert t.all([Or((a, b)), a]) == a
        assert t.all([Or((a, b)), c]) == And((Or((a, b)), c))
        assert t.all([Or((a, b)), Or((a, b, c))]) == Or((a, b))
        assert t.any([And((a, b)), And((a, b, c))]) == And((a, b))
        assert t.all([Or((And((a, b, c)), d)), Or((And((a, b)), d))]) == Or((And((a, b, c)), d))
        assert t.all([a, Not(b)]) == And((a, Not(b)))
        assert t.several([a, b, c]) == Or((And((a, b)), And((a, c)), And((b, c))))

    def test_whether_the_points_of_one_would_be_enough_for_another(self) -> None:
        assert self.terms.reaches(0, 1) == Fact(
            "A has 2 or more", "A has less than 2", ("A has points",)
        )
        assert self.terms.reaches(0, 5) == Fact(
            "A has 1 or more", "A has less than 1", ("A has points",)
        )
        assert self.terms.reaches(0, 2) is True
        assert self.terms.reaches(0, 3) is self.terms.reaches(0, 6) is False


def test_constraints_are_written_as_what_follows_from_what() -> None:
    t = WrittenTerms(board("5 into 3 2 1 4TB"))
    a, b, c, d = t.hit
    t.clause(c)
    t.clause(t.no(a), b)
    t.clause(t.no(a), b)
    t.clause(t.no(a), c)
    t.clause(t.no(a), t.no(b))
    t.clause(t.no(a), b, c)
    t.clause(t.no(a), True)
    t.clause(t.no(t.first[3]), t.no(a), d)
    t.clause(t.no(d), t.all([a, b]))
    t.clause(t.no(a), t.no(b), t.no(c))
    t.clause(t.no(c))
    t.clause(a, b)
    t.at_most_one([a, False])
    t.at_most_one([True, a])
    t.at_most_one([a, False, t.all([b, c]), t.any([b, t.no(c)])])
    t.spend(nothing=False)
    t.spend(nothing=True)
    t.clause()
    assert t.sentences == [
        "C has points",
        "C has no points",
        "A has points or B has points",
        "at most one of: always, A has points",
        "at most one of: A has points, (B has points, C has points), "
        "(B has points or C has no points)",
        "A + B + C + D = 5",
        "A + B + C + D = 0",
        "nothing is legal",
        "A has points -> B has points, C has points, B has no points",
        "A has points -> B has points or C has points",
        "D as Tank, A has points -> D has points",
        "D has points -> A has points, B has points",
        "A has points, B has points -> C has no points",
    ]


# --- examples -------------------------------------------------------------------------------------


def violated(on: Board, points: tuple[int, ...]) -> set[str]:
    position = Position(on, points)
    return {r.slug for r in IN_FORCE[on.edition] if any(True for _ in r.violations(position))}


@pytest.mark.parametrize("rule", POSTING, ids=number)
def test_the_example_of_a_rule_is_forbidden_by_it_alone(rule: Rule) -> None:
    example = EXAMPLES[rule.slug]
    (points,) = example.assignments
    assert not example.legal
    broken = violated(example.question, points)
    assert rule.slug in broken
    related = {rule.slug, *rule.implied_by}
    related |= {other.slug for other in RULES if rule.slug in other.implied_by}
    assert broken <= related
    deciding = {r.slug for r in DECIDING[example.question.edition]}
    assert len(broken & deciding) == 1, "without that one rule it is legal"
    assert because(rule, example)


@pytest.mark.parametrize(
    "rule", [r for r in RULEBOOK.values() if EXAMPLES.get(r.slug, None) and r not in POSTING],
    ids=number,
)  # fmt: skip
def test_the_example_of_a_permission_has_two_legal_witnesses(rule: Rule) -> None:
    example = EXAMPLES[rule.slug]
    assert rule.kind == "permission"
    assert example.legal
    assert len(set(example.assignments)) == 2
    for points in example.assignments:
        assert violated(example.question, points) == set()
    assert because(rule, example) == ""


def test_dual_units_of_the_example_are_taken_differently() -> None:
    example = EXAMPLES["exclusionary_each_unit"]
    for points in example.assignments:
        position = Position(example.question, points)
        assert sorted(position.first) == [False, False, True]


# --- on the command line --------------------------------------------------------------------------


def test_a_rule_shows_its_example(lethal: Lethal) -> None:
    assert lethal("rule", "465.2.c.4").flat.endswith(
        "Example: 5 into 3 3; not A 4, B 1: A 4 of 3, too much with B 1 of 3 still short of lethal."
    )
    assert lethal("rule", "465.2.c.7").flat.endswith(
        "Example: 3 into 2 2; legal are A 1, B 2 as well as A 2, B 1."
    )
    assert "Example" not in lethal("rule", "golden_rule").out


def test_with_a_board_a_rule_says_what_it_posts_there(lethal: Lethal) -> None:
    on = ["5", "into", "2T", "Sentinel:3"]
    assert lethal("rule", "815.1.b", *on).out.endswith(
        "On 5 into 2T Sentinel:3 it says:\n  Sentinel has points -> A lethal\n"
    )
    ignored = lethal("rule", "815.1.b", *on, "--ignore", "tank")
    assert ignored.out.endswith("On 5 into 2T Sentinel:3 it forbids nothing.\n")
    assert "it forbids nothing" in lethal("rule", "826.3", "3 into 2B 2 --edition 443").flat
    assert lethal("rule", "460.2.c.5", "3 into 2B 2 --edition 443").flat.endswith(
        "On 3 into 2B 2 it says: A has points -> B lethal"
    )


def test_the_same_in_json(lethal: Lethal) -> None:
    alone = lethal.json("rule", "465.2.c.4")
    assert "posted" not in alone
    assert alone["example"]["assignments"] == [[4, 1]]
    assert alone["example"]["because"].startswith("A 4 of 3")
    assert lethal.json("rule", "golden_rule")["example"] is None
    with_board = lethal.json("rule", "465.2.c.4", "5", "into", "3", "3")
    assert with_board["posted"] == ["A over 3 -> B lethal", "B over 3 -> A lethal"]
    assert lethal.json("rule", "465.2.c.7", "5", "into", "3", "3")["posted"] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["465.2.c.4", "5", "int", "3"], "a board is written"),
        (["465.2.c.4", "5", "vs", "3"], "one side's question"),
        (["465.2.c.4", "--ignore", "tank"], "--ignore is for a board, and there is none"),
        (["465.2.c.4", "5 into 3", "--edtion", "460"], 'did you mean "--edition"?'),
    ],
)
def test_what_cannot_be_written_out_is_refused(
    arguments: list[str], said: str, lethal: Lethal
) -> None:
    ended = lethal("rule", *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert said in ended.err
