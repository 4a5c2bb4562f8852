"""What becomes of the points, and how a combat ends [437.3, 465.2.d, 466]."""

from __future__ import annotations

from typing import Any

import pytest
from boards import board
from msgspec.structs import replace

from rules import Arrivals, Combat, Unit, parse
from rules.resolution import Dealt, deal, dies, ending, question, resolve

DEALT = [
    ("0 into 3", 0, (0, 0, 0, ())),
    ("0 into 3", 2, (2, 0, 0, ())),
    ("0 into 3P2", 0, (0, 0, 0, ("prevent 2",))),
    ("0 into 3P2", 1, (0, 0, 1, ("prevent 1",))),
    ("0 into 3P2", 2, (0, 0, 2, ())),
    ("0 into 3P2", 5, (3, 0, 2, ())),
    ("0 into 3x2", 5, (10, 5, 0, ("double",))),
    ("0 into 3P2x2P9", 3, (0, 1, 4, ("double", "prevent 7"))),
    ("0 into 3x2x2", 1, (4, 3, 0, ("double", "double"))),
    ("0 into 3P1Pallx2", 5, (0, 0, 5, ("prevent all", "double"))),
    ("0 into 3!P2", 5, (0, 0, 5, ("prevent 2",))),
    ("0 into 3P2Pall --reading prevent_all=exempt", 5, (0, 0, 5, ("prevent 2", "prevent all"))),
    ("0 into 3x2 --edition 439", 5, (10, 5, 0, ("double",))),
]


@pytest.mark.parametrize(("text", "raw", "dealt"), DEALT)
def test_points_go_through_the_replacements_once(
    text: str, raw: int, dealt: tuple[int, int, int, tuple[str, ...]]
) -> None:
    on = board(text)
    assert deal(on.units[0], raw, on) == Dealt(*dealt)


DIES = [
    ("0 into 3", 2, False),
    ("0 into 3", 3, True),
    ("0 into 3/1", 2, True),
    ("0 into 0", 0, False),
    ("0 into 0", 1, True),
    ("0 into 0/1", 0, True),
    ("0 into 3S2", 3, False),
    ("0 into 3S2 --units-are attackers", 3, True),
    ("0 into 3 --any-damage-is-lethal", 1, True),
    ("0 into 3 --any-damage-is-lethal", 0, False),
    ("0 into 3/3 --any-damage-is-lethal", 0, True),
]


@pytest.mark.parametrize(("text", "points", "dead"), DIES)
def test_who_has_lethal_damage_dies(text: str, points: int, dead: bool) -> None:
    on = board(text)
    assert dies(on.units[0], points, on) == dead


def fought(text: str, **fields: Any) -> Combat:
    """Return the combat that is written in one line, with other fields."""
    combat = parse(text)
    assert isinstance(combat, Combat)
    return replace(combat, **fields)


LATE = (Unit(might=1),)
ENDINGS: list[tuple[str, dict[str, Any], str, tuple[Any, ...]]] = [
    # combat, arrivals, dead; recalled, result, control, conquer, restaged
    ("1 1 vs 1", {}, "D1", ("", "attacker_won", "attacker", True, False)),
    ("1 1 vs 1 --control attacker", {}, "D1", ("", "attacker_won", "attacker", False, False)),
    ("1 1 vs 1 --scored attacker", {}, "D1", ("", "attacker_won", "attacker", False, False)),
    ("1 1 vs 1 --scored defender", {}, "D1", ("", "attacker_won", "attacker", True, False)),
    ("1 vs 1 1", {}, "A1", ("", "defender_won", "defender", False, False)),
    ("1 vs 1 1 --control none", {}, "A1", ("", "defender_won", "defender", True, False)),
    ("1 vs 1", {}, "D1 A1", ("", "no_result", "uncontrolled", False, False)),
    ("1 1 vs 1", {}, "A2", ("A1", "no_result", "defender", False, False)),
    ("1 1 vs 1 --control attacker", {}, "", ("A1 A2", "no_result", "defender", True, False)),
    ("1 vs 1", {"attackers": LATE}, "A1", ("", "no_result", "defender", False, True)),
    ("1 vs 1 --control none", {"attackers": LATE}, "",
     ("A1", "no_result", "uncontrolled", False, True)),
    ("1 vs 1 --control attacker", {"attackers": LATE}, "A1",
     ("", "no_result", "attacker", False, True)),
    ("1 vs 1", {"attackers": LATE}, "A1 D1", ("", "attacker_won", "attacker", True, False)),
    ("1 vs 1", {"defenders": LATE}, "A1 D1", ("", "defender_won", "defender", False, False)),
    ("1 vs 1", {"defenders": LATE}, "D1", ("", "no_result", "defender", False, True)),
    ("1 vs 1 --control none", {"attackers": LATE, "defenders": LATE}, "A1 D1",
     ("", "no_result", "uncontrolled", False, True)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "late", "dead", "ends"), ENDINGS)
def test_a_combat_ends(text: str, late: dict[str, Any], dead: str, ends: tuple[Any, ...]) -> None:
    end = ending(fought(text, arrivals=Arrivals(**late)), dead.split())
    assert " ".join(end.dead) == " ".join(sorted(dead.split()))
    told = (" ".join(end.recalled), end.result, end.control, end.conquer, end.restaged)
    assert told == ends


def test_each_side_has_its_own_question() -> None:
    fight = fought("5A2 3S4 vs 3S1 1A9 --attacker-ignore tank --edition 460 --reading excess=raw")
    for side, told in (
        ("attacker", "10 into D1:3S1 D2:1A9 --ignore tank --edition 460 --reading excess=raw"),
        (
            "defender",
            "5 into A1:5A2 A2:3S4 --units-are attackers --edition 460 --reading excess=raw",
        ),
    ):
        assert question(fight, side) == parse(told)  # type: ignore[arg-type]
    other = fought("2 vs 3 --defender-any-damage-is-lethal")
    assert not question(other, "attacker").assigner.any_damage_is_lethal
    assert question(other, "defender").assigner.any_damage_is_lethal


def test_a_combat_is_played_from_both_assignments() -> None:
    fight = fought("3 2/1P1 vs 4x2 1! 2Pall")
    end = resolve(fight, {"attacker": (4, 0, 1), "defender": (3, 4)})
    assert end.applied == {"A1": 3, "A2": 3, "D1": 8, "D2": 0, "D3": 0}
    assert end.dealt == {"A1": 3, "A2": 3, "D1": 8, "D2": 0, "D3": 0}
    assert end.left == {"A1": (), "A2": (), "D1": ("double",), "D2": (), "D3": ("prevent all",)}
    assert end.excess == {"attacker": 4, "defender": 2}
    assert (end.dead, end.recalled) == (("A1", "A2", "D1"), ())
    assert (end.result, end.control) == ("defender_won", "defender")


def test_before_465_what_is_applied_is_not_yet_what_is_dealt() -> None:
    fight = fought("3 vs 2x2 2P1 3! --edition 460")
    end = resolve(fight, {"attacker": (2, 1, 0), "defender": (4,)})
    assert end.applied == {"A1": 4, "D1": 2, "D2": 0, "D3": 0}
    assert end.dealt == {"A1": 4, "D1": 4, "D2": 0, "D3": 0}
    assert end.excess == {"attacker": 0, "defender": 1}
