"""What is true of the units once points are assigned, and how it is told."""

from __future__ import annotations

import pytest
from boards import board

from rules.position import Position, Tier, enumerate_words, standing

OPTIONAL, LAST_UNIT = "--reading undamageable=optional", "--reading leftover=last_unit"


def marks(facts: object) -> str:
    """Return `#` for each unit of which a fact is true, `-` for the others."""
    assert isinstance(facts, (list, tuple))
    assert all(type(fact) is bool for fact in facts)
    return "".join("#" if fact else "-" for fact in facts)


def test_what_is_known_of_units_before_any_points_are_assigned() -> None:
    on = board("5 into 3T 2B 4TB 5TB! 3x2P1 2Pall 1/1")
    known = standing(on)
    assert known.needs == (3, 2, 4, "exempt", 2, "never", 0)
    assert marks(known.exempt) == "---#---"
    assert (marks(known.tank), marks(known.backline), marks(known.dual)) == (
        "#-#----", "-##----", "--#----"
    )  # fmt: skip
    assert (marks(known.doubled), marks(known.bound)) == ("----#--", "###-###")
    assert marks(known.absent) == "-------"
    assert marks(standing(board(f"5 into 3 2! {OPTIONAL}")).bound) == "##"
    ignored = standing(board("5 into 3T 2B 4TB --ignore tank"))
    assert (marks(ignored.tank), marks(ignored.backline), marks(ignored.dual)) == (
        "---", "-##", "---"
    )  # fmt: skip


def test_what_an_assignment_makes_of_them() -> None:
    p = Position(board("5 into 3 3 3 2! 2! 2Pall 2Pall 1/1 1/1"), (2, 3, 4, 0, 1, 0, 1, 0, 1))
    assert marks(p.hit) == "###-#-#-#"
    assert marks(p.lethal) == "-##----##"
    assert marks(p.partial) == "#-----#--"
    assert marks(p.over) == "--#-----#"
    assert (p.no(False), p.all([]), p.any([]), p.all([True, False]), p.any([True, False])) == (
        True, True, False, False, True
    )  # fmt: skip
    assert [p.several(facts) for facts in ([], [True], [True, False, True])] == [
        False, False, True
    ]  # fmt: skip
    assert [p.reaches(0, taker) for taker in range(9)] == [False] * 7 + [True] * 2
    assert [p.reaches(giver, 1) for giver in range(3)] == [False, True, True]


COUNTS_AS: list[tuple[str, tuple[int, ...], dict[str, Tier], str]] = [
    ("5 into 3TB 2 2", (3, 1, 0), {}, "Tank"),
    ("5 into 3TB 2 2", (0, 2, 2), {}, "Backline"),
    ("5 into 3TB 2 2", (0, 0, 0), {}, "Backline"),
    ("5 into 3TB 2 2", (2, 0, 0), {}, "Tank"),
    ("5 into 3TB 2 2", (2, 1, 0), {}, "Backline"),
    ("5 into 3TB 2T", (1, 2), {}, "Tank"),
    ("5 into 3TB 2B", (1, 2), {}, "Backline"),
    ("5 into 3TB 2!", (1, 2), {}, "Tank"),
    (f"5 into 3TB 2! {OPTIONAL}", (1, 2), {}, "Backline"),
    ("5 into 4TBPall 2", (4, 0), {}, "Tank"),
    ("5 into 4TBPall 2", (4, 1), {}, "Backline"),
    ("8 into 3TB 2", (5, 2), {}, "Tank"),
    (f"8 into 3TB 2 {LAST_UNIT}", (5, 2), {}, "Backline"),
    (f"8 into 3TB 2 2! {LAST_UNIT}", (5, 2, 0), {}, "Backline"),
    (f"8 into 3TB 2 {LAST_UNIT}", (3, 4), {}, "Tank"),
    (f"8 into 3TB 2 {LAST_UNIT}", (5, 1), {}, "Tank"),
    ("5 into 3TB 2 --ignore tank", (3, 0), {}, "Backline"),
    ("5 into 3TB 2 --ignore backline", (0, 2), {}, "Tank"),
    ("5 into 3TB 2 --ignore tank --ignore backline", (3, 0), {}, "neither"),
    ("5 into 3TB 2", (3, 0), {"A": "backline"}, "Backline"),
    ("5 into 3TB 2", (0, 2), {"A": "tank"}, "Tank"),
    ("5 into 3TB 2", (0, 2), {"B": "tank"}, "Backline"),
    ("5 into 3T 2", (0, 2), {}, "Tank"),
    ("5 into 3B 2", (3, 0), {}, "Backline"),
    ("5 into 3TB! 2", (3, 0), {}, "neither"),
]


@pytest.mark.parametrize(("text", "points", "tiers", "tier"), COUNTS_AS)
def test_which_tier_a_unit_is_taken_in(
    text: str, points: tuple[int, ...], tiers: dict[str, Tier], tier: str
) -> None:
    p = Position(board(text), points, tiers)
    assert (p.first[0], p.last[0]) == (tier == "Tank", tier == "Backline")
    assert (p.first[1], p.last[1]) == (p.tank[1], p.backline[1]), "the others are as they are"


def test_each_dual_unit_is_decided_on_its_own() -> None:
    p = Position(board("5 into 2TB 2TB 2TB 2"), (2, 1, 0, 2))
    assert (marks(p.first), marks(p.last)) == ("#---", "-##-")
    chosen = Position(p.board, p.points, {"B": "tank", "C": "tank"})
    assert (marks(chosen.first), marks(chosen.last)) == ("###-", "----")


def test_units_are_told_with_their_points() -> None:
    p = Position(board("5 into 3 Kayn:2Pall 2! 1/1"), (2, 1, 1, 0))
    assert p.name(1) == "Kayn"
    assert [p.tally(u) for u in p.units] == [
        "A 2 of 3", "Kayn 1 (never lethal)", "C 1 (cannot be dealt damage)", "D 0 of 0"
    ]  # fmt: skip
    assert p.tallies([0, 3]) == "A 2 of 3 and D 0 of 0"


@pytest.mark.parametrize(
    ("words", "most", "told"),
    [
        ("A", 6, "A"),
        ("A B", 6, "A and B"),
        ("A B C", 6, "A, B and C"),
        ("A B C D E F", 6, "A, B, C, D, E and F"),
        ("A B C D E F G", 6, "A, B, C, D, E and 2 more"),
        ("A B C D", 3, "A, B and 2 more"),
        ("A B C", 3, "A, B and C"),
    ],
)
def test_words_are_enumerated_and_the_tail_of_many_counted(
    words: str, most: int, told: str
) -> None:
    assert enumerate_words(words.split(), most=most) == told
    if most == 6:
        assert enumerate_words(words.split()) == told
