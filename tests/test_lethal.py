"""What is lethal to a unit and what a side has to assign, in points [142.4, 437, 465.2.a]."""

from __future__ import annotations

from typing import Any

import pytest
from boards import board

from rules import BadRequest, Unit, need
from rules.editions import EDITIONS
from rules.lethal import (
    already_lethal,
    contribution,
    counted_at_assignment,
    dead,
    deaths,
    excess_of,
    lethal_damage,
    needs_of,
    oddities,
    pool,
)
from rules.replacements import Pipeline, parse_replacement, pipeline

NEEDS: list[tuple[str, list[Any], list[Any]]] = [
    ("0 into 3 3/1 3/2 3/3 3/4 0 0/1 -2", [3, 2, 1, 0, 0, 1, 0, 1], [3, 2, 1, 0, 0, 1, 0, 1]),
    ("0 into 3A2 3S2 3A1S4/2", [3, 5, 5], [3, 5, 5]),
    ("0 into 3A2 3S2 3A1S4/2 --units-are attackers", [5, 3, 2], [5, 3, 2]),
    ("0 into 3 3! 3/3 3! --any-damage-is-lethal", [1, "exempt", 0, "exempt"],
     [1, "never", 0, "never"]),
    ("0 into 3P2 3x2 3x2P2 3P2x2 3Pall", [5, 2, 3, 4, "never"], [5, 2, 3, 4, "never"]),
    ("0 into 3P2 3x2 3x2P2 3P2x2 3Pall --edition 460", [5, 3, 5, 5, "never"],
     [5, 2, 3, 4, "never"]),
    ("0 into 3P2 3x2 3x2P2 3P2x2 3Pall --edition 443", [3, 3, 3, 3, 3], [5, 2, 3, 4, "never"]),
    ("0 into 3Pall 3!Pall 3/3Pall --reading prevent_all=exempt", ["exempt", "exempt", "exempt"],
     ["never", "never", 0]),
    ("0 into 3Pall --reading prevent_all=exempt --edition 460", ["exempt"], ["never"]),
    ("0 into 3Pall --reading prevent_all=exempt --edition 443", [3], ["never"]),
    ("0 into 3/3 3/4 3 3/3P2 --reading already_lethal=one", [1, 1, 3, 3], [0, 0, 3, 0]),
    ("0 into 3/3! 3/3!", ["exempt", "exempt"], [0, 0]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "needs", "least"), NEEDS)
def test_what_is_lethal_and_what_kills(text: str, needs: list[Any], least: list[Any]) -> None:
    on = board(text)
    assert need(on) == list(needs_of(on)) == needs
    assert list(deaths(on)) == least


def test_the_dead_are_those_with_enough_points() -> None:
    on = board("9 into 3 3/3 3! 2Pall 2x2 1")
    assert dead(on, (2, 0, 5, 5, 1, 1)) == ("B", "E", "F")
    assert dead(on, (3, 0, 0, 0, 0, 0)) == ("A", "B")


def test_marked_damage_is_lethal_from_might_on_if_there_is_any() -> None:
    for might, marked, lethal in ((2, 1, False), (2, 2, True), (0, 0, False), (-1, 1, True)):
        unit = Unit(might=might, marked=marked, shield=1)
        assert already_lethal(unit, "attackers") == lethal
        assert lethal_damage(unit, board("1 into 1 --units-are attackers")) == (
            0 if lethal else max(1, might) - marked
        )


POOLS = [
    (Unit(might=3), 3, 3),
    (Unit(might=3, assault=2), 5, 3),
    (Unit(might=3, shield=4), 3, 7),
    (Unit(might=0, assault=1), 1, 0),
    (Unit(might=-2, assault=1, shield=3), 0, 1),
    (Unit(might=3, stunned=True), 0, 0),
    (Unit(might=3, no_combat_damage=True), 0, 0),
]


@pytest.mark.parametrize(("unit", "attacking", "defending"), POOLS)
def test_a_unit_adds_its_might_to_the_pool(unit: Unit, attacking: int, defending: int) -> None:
    assert contribution(unit, "attackers") == attacking
    assert contribution(unit, "defenders") == defending
    assert pool([unit, Unit(might=1), unit], "attackers") == 2 * attacking + 1


def test_a_pool_goes_up_to_the_limit() -> None:
    most = Unit(might=10**18)
    assert pool([most], "defenders") == 10**18
    with pytest.raises(BadRequest) as refused:
        pool([most, Unit(might=1)], "defenders")
    assert (refused.value.code, refused.value.path) == ("limit", "$.defenders")


EXCESS = [
    ("9 into 3", 5, 2),
    ("9 into 3", 3, 0),
    ("9 into 3", 1, 0),
    ("9 into 3x2", 5, 6),
    ("9 into 3x2 --reading excess=raw", 5, 3),
    ("9 into 3x2 --reading excess=raw", 1, 0),
    ("9 into 3x2 --edition 460", 5, 2),
    ("9 into 3P1", 6, 2),
    ("9 into 3/3", 2, 2),
    ("9 into 3Pall", 5, 0),
    ("9 into 3!", 5, 0),
]


@pytest.mark.parametrize(("text", "raw", "excess"), EXCESS)
def test_excess_is_what_comes_out_beyond_the_need(text: str, raw: int, excess: int) -> None:
    on = board(text)
    assert excess_of(on.units[0], raw, on) == excess


def test_what_is_odd_is_told() -> None:
    assert oddities(board("3 into A:3/3 B:3 C:2S1/2 D:2/1 E:0/1")) == [
        "A already has lethal damage: 3 marked, Might 3; it dies in the cleanup whatever it is "
        "assigned",
        "E already has lethal damage: 1 marked, Might 0; it dies in the cleanup whatever it is "
        "assigned",
    ]
    assert oddities(board("3 into A:3A1/3 B:3A1/4 --units-are attackers")) == [
        "B already has lethal damage: 4 marked, Might 4; it dies in the cleanup whatever it is "
        "assigned",
    ]


COUNTED = [
    ("439", (), (1, 0)),
    ("439", ("double", "prevent 2"), (1, 0)),
    ("460", ("double", "prevent 2", "double"), (1, 2)),
    ("460", ("prevent all",), (0, 0)),
    ("465", ("double", "prevent 2", "double"), (4, 4)),
    ("467", ("prevent 2", "prevent 3"), (1, 5)),
]


@pytest.mark.parametrize(("key", "steps", "formula"), COUNTED)
def test_editions_differ_in_what_counts_at_assignment(
    key: str, steps: tuple[str, ...], formula: tuple[int, int]
) -> None:
    unit = Unit(might=1, replacements=steps)
    assert counted_at_assignment(unit, EDITIONS[key]) == Pipeline(*formula)


@pytest.mark.parametrize(
    ("steps", "wanted", "least"),
    [
        ((), 3, 3),
        (("prevent 2",), 3, 5),
        (("double",), 3, 2),
        (("double",), 4, 2),
        (("prevent 2", "double"), 3, 4),
        (("double", "prevent 2"), 3, 3),
        (("double", "double", "prevent 1"), 4, 2),
        (("prevent all", "double"), 1, None),
        (("prevent all",), 0, 0),
        (("prevent 5",), 0, 0),
    ],
)
def test_the_least_raw_is_the_first_that_comes_out_as_wanted(
    steps: tuple[str, ...], wanted: int, least: int | None
) -> None:
    through = pipeline(steps)
    assert through.least(wanted) == least
    assert [raw for raw in range(9) if through.applied(raw) >= wanted][:1] == (
        [] if least is None else [least]
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("double", "double"),
        ("prevent all", None),
        ("prevent 3", 3),
        ("prevent 0", 0),
        ("prevent 007", 7),
        ("prevent 1000000000000000000", 10**18),
        ("prevent " + "0" * 30 + "12", 12),
    ],
)
def test_a_replacement_is_read(text: str, value: object) -> None:
    assert parse_replacement(text) == value
