"""The simulator of a combat agrees with the published vectors and with what always holds."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import boards
import fights
import oracle
import pytest
import simulator
from simulator import OTHER, SIDES, UNITS

Json = dict[str, Any]

VECTORS = Path(__file__).parent / "vectors"
PUBLISHED: list[Json] = [
    json.loads(line)
    for name in ("combat", "combat_assigned")
    for line in (VECTORS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
]
PLAYED = ("dead", "recalled", "result", "control", "conquer", "dealt", "excess")


def asserting(*facts: str) -> list[Any]:
    """Return the published combats that say something about one of these facts."""
    chosen = [row for row in PUBLISHED if not row["expect"].keys().isdisjoint(facts)]
    return [pytest.param(row["request"], row["expect"], id=row["id"]) for row in chosen]


def includes(told: Any, asserted: Any) -> bool:
    """Tell whether an answer has what is asserted; fields that are absent are not."""
    if isinstance(asserted, dict):
        return all(includes(told[key], value) for key, value in asserted.items())
    return bool(told == (tuple(asserted) if isinstance(asserted, list) else asserted))


def may_assign(combat: Json, side: str, assigned: simulator.Assigned) -> bool:
    """Tell whether a side may assign that."""
    question = simulator.board(combat, side)
    return oracle.is_legal(question, simulator.points(combat, side, assigned))


# --- the published combats ----------------------------------------------------------------------


def test_everything_the_published_combats_assert_is_looked_at() -> None:
    sides = {"pools", "counts", "need", "legal", "illegal", "excess"}
    played = {"outcomes", "outcome", "anyone_recalled"}
    assert {fact for row in PUBLISHED for fact in row["expect"]} == sides | played
    told = [o for row in PUBLISHED for o in row["expect"].get("outcomes", [])]
    told += [row["expect"]["outcome"] for row in PUBLISHED if "outcome" in row["expect"]]
    given = {"attacker_assigns", "defender_assigns"}
    assert {fact for outcome in told for fact in outcome} <= {*PLAYED, *given}


@pytest.mark.parametrize(("combat", "expect"), asserting("pools", "counts", "need"))
def test_pools_counts_and_needs_are_the_published_ones(combat: Json, expect: Json) -> None:
    counts = {side: len(legal) for side, legal in simulator.assignments(combat).items()}
    needs: Json = {}
    for side in SIDES:
        question = simulator.board(combat, side)
        needs |= dict(zip(oracle.names(question), oracle.need(question), strict=True))
    assert includes(simulator.pools(combat), expect.get("pools", {}))
    assert includes(counts, expect.get("counts", {}))
    assert includes(needs, expect.get("need", {}))


@pytest.mark.parametrize(("combat", "expect"), asserting("legal", "illegal"))
def test_what_a_side_may_give_is_published(combat: Json, expect: Json) -> None:
    for told in expect.get("legal", []):
        assert may_assign(combat, told["by"], told["give"])
    for told in expect.get("illegal", []):
        assert not may_assign(combat, told["by"], told["give"])


@pytest.mark.parametrize(("combat", "expect"), asserting("outcomes"))
def test_what_comes_of_two_assignments_is_published(combat: Json, expect: Json) -> None:
    for told in expect["outcomes"]:
        chosen = (told["attacker_assigns"], told["defender_assigns"])
        for side, assigned in zip(SIDES, chosen, strict=True):
            assert may_assign(combat, side, assigned)
        played = simulator.play(combat, *chosen)
        assert includes(played, {fact: told[fact] for fact in PLAYED if fact in told})
        assert simulator.outcome(played) in simulator.outcomes(combat)


@pytest.mark.parametrize(("combat", "expect"), asserting("outcome", "anyone_recalled"))
def test_what_comes_of_the_assignments_in_the_request_is_published(
    combat: Json, expect: Json
) -> None:
    chosen = (combat["attacker_assigns"], combat["defender_assigns"])
    for side, assigned in zip(SIDES, chosen, strict=True):
        assert may_assign(combat, side, assigned)
    played = simulator.play(combat, *chosen)
    assert includes(played, expect["outcome"])
    assert bool(played["recalled"]) == expect["anyone_recalled"]


@pytest.mark.parametrize(("combat", "expect"), asserting("excess"))
def test_the_published_excess_is_that_of_every_assignment(combat: Json, expect: Json) -> None:
    assert all(
        includes(played["excess"], expect["excess"])
        for row in simulator.plays(combat)
        for played in row
    )


# --- damage is dealt ----------------------------------------------------------------------------


def alone(*replacements: str, **more: Any) -> Json:
    """Return a combat in which a lone defender of Might 9 takes what there is."""
    defender = {"might": 9, "replacements": list(replacements), **more}
    return {"attackers": [{"might": 3}], "defenders": [defender]}


DEALINGS: list[tuple[tuple[str, ...], int, int, int, tuple[str, ...]]] = [
    ((), 3, 0, 0, ()),
    (("prevent 2",), 1, 0, 2, ()),
    (("prevent 3",), 0, 0, 3, ()),
    (("prevent 5",), 0, 0, 3, ("prevent 2",)),
    (("prevent 2", "prevent 2"), 0, 0, 3, ("prevent 1",)),
    (("prevent 4", "prevent 2"), 0, 0, 3, ("prevent 1", "prevent 2")),
    (("prevent all",), 0, 0, 3, ("prevent all",)),
    (("prevent all", "prevent 2"), 0, 0, 3, ("prevent all", "prevent 2")),
    (("double",), 6, 3, 0, ("double",)),
    (("double", "double"), 12, 9, 0, ("double", "double")),
    (("prevent 2", "double"), 2, 1, 2, ("double",)),
    (("double", "prevent 2"), 4, 3, 2, ("double",)),
    (("double", "prevent 9"), 0, 3, 6, ("double", "prevent 3")),
    (("double", "prevent all"), 0, 3, 6, ("double", "prevent all")),
]


@pytest.mark.parametrize("edition", boards.EDITIONS)
@pytest.mark.parametrize(("replacements", "dealt", "doubled", "prevented", "left"), DEALINGS)
def test_three_points_go_through_the_replacements_one_by_one(
    replacements: tuple[str, ...],
    dealt: int,
    doubled: int,
    prevented: int,
    left: tuple[str, ...],
    edition: str,
) -> None:
    played = simulator.play(alone(*replacements) | {"edition": edition}, [3], [9])
    told = [played[fact]["D1"] for fact in ("dealt", "doubled", "prevented", "left")]
    assert told == [dealt, doubled, prevented, left]


@pytest.mark.parametrize(
    ("edition", "applied"), [("439", 3), ("443", 3), ("460", 2), ("465", 5), ("467", 5)]
)
def test_what_is_applied_is_what_the_edition_folds_into_the_assignment(
    edition: str, applied: int
) -> None:
    played = simulator.play(alone("double", "prevent 1") | {"edition": edition}, [3], [9])
    assert (played["applied"]["D1"], played["dealt"]["D1"]) == (applied, 5)


def test_a_unit_that_cannot_be_dealt_damage_uses_nothing_up() -> None:
    played = simulator.play(alone("double", "prevent 2", undamageable=True), [3], [9])
    assert played["raw"]["D1"] == 3
    assert played["applied"]["D1"] == played["dealt"]["D1"] == 0
    assert played["left"]["D1"] == ("double", "prevent 2")


def test_damage_is_dealt_at_the_same_time() -> None:
    combat = {"attackers": [{"might": 3}], "defenders": [{"might": 3}]}
    played = simulator.play(combat, [3], [3])
    assert (played["dead"], played["result"]) == (("A1", "D1"), "no_result")


def test_without_two_sides_nothing_is_dealt_but_the_cleanup_happens() -> None:
    combat = {"attackers": [{"might": 2, "marked": 2}, {"might": 2}], "defenders": []}
    assert simulator.play(combat, [], [0, 0]) == {
        "raw": {"A1": 0, "A2": 0},
        "applied": {"A1": 0, "A2": 0},
        "dealt": {"A1": 0, "A2": 0},
        "doubled": {"A1": 0, "A2": 0},
        "prevented": {"A1": 0, "A2": 0},
        "left": {"A1": (), "A2": ()},
        "dead": ("A1",),
        "recalled": (),
        "result": "attacker_won",
        "control": "attacker",
        "conquer": True,
        "restaged": False,
        "excess": {"attacker": 0, "defender": 0},
    }


# --- who dies -----------------------------------------------------------------------------------


def one_against_one(attacker: Json, defender: Json, **more: Any) -> Json:
    """Return a combat of two units."""
    return {"attackers": [attacker], "defenders": [defender], **more}


def test_assault_and_shield_count_for_what_kills() -> None:
    combat = one_against_one({"might": 1, "assault": 2}, {"might": 2, "shield": 1})
    assert simulator.play(combat, [3], [3])["dead"] == ("A1", "D1")
    combat = one_against_one({"might": 1, "shield": 2}, {"might": 2, "assault": 1})
    assert simulator.play(combat, [1], [2])["dead"] == ("A1",)


@pytest.mark.parametrize(("marked", "dead"), [(0, ()), (1, ("D1",))])
def test_a_unit_without_might_dies_of_damage_only(marked: int, dead: tuple[str, ...]) -> None:
    combat = one_against_one({"might": 0}, {"might": -1, "marked": marked})
    assert simulator.play(combat, [0], [0])["dead"] == dead


def test_any_damage_kills_only_if_some_is_dealt_and_only_the_other_side() -> None:
    any_damage = {"attacker": {"any_damage_is_lethal": True}}
    combat = one_against_one({"might": 1}, {"might": 9, "replacements": ["prevent 1"]})
    assert simulator.play(combat | any_damage, [1], [9])["dead"] == ("A1",)
    combat = one_against_one({"might": 5}, {"might": 6, "stunned": True})
    assert simulator.play(combat | any_damage, [5], [0])["dead"] == ("D1",)
    combat = one_against_one({"might": 6, "stunned": True}, {"might": 5})
    assert simulator.play(combat | any_damage, [0], [5])["dead"] == ()


# --- what becomes of the battlefield ------------------------------------------------------------


def aftermath(combat: Json, *chosen: list[int]) -> tuple[str, str, bool, bool]:
    """Return result, control, conquer and restaged."""
    return simulator.outcome(simulator.play(combat, *chosen))[2:]


BOTH_DIE = one_against_one({"might": 3}, {"might": 3})
ATTACKER_WINS = one_against_one({"might": 3}, {"might": 2})
NOBODY_DIES = one_against_one({"might": 2, "stunned": True}, {"might": 2, "stunned": True})
LATE_ATTACKER = {"arrivals": {"attackers": [{"might": 1}]}}
LATE_DEFENDER = {"arrivals": {"defenders": [{"might": 1}]}}
BOTH_LATE = {"arrivals": {"attackers": [{"might": 1}], "defenders": [{"might": 1}]}}
LATE: list[Json] = [{}, LATE_ATTACKER, LATE_DEFENDER, BOTH_LATE]


def test_units_that_arrive_after_the_cleanup_count() -> None:
    ends = [aftermath(BOTH_DIE | late, [3], [3]) for late in LATE]
    assert ends == [
        ("no_result", "uncontrolled", False, False),
        ("attacker_won", "attacker", True, False),
        ("defender_won", "defender", False, False),
        ("no_result", "defender", False, True),
    ]


def test_late_attackers_are_not_recalled_and_restage_the_combat() -> None:
    played = simulator.play(NOBODY_DIES | LATE_ATTACKER, [0], [0])
    assert (played["recalled"], played["restaged"]) == (("A1",), True)


def test_a_late_defender_recalls_nobody() -> None:
    played = simulator.play(ATTACKER_WINS | LATE_DEFENDER, [3], [2])
    assert (played["recalled"], played["result"]) == ((), "no_result")
    assert played["restaged"]


@pytest.mark.parametrize("control", ["attacker", "defender", "none", None])
def test_while_a_combat_is_staged_control_stays_as_it_was(control: str | None) -> None:
    after = aftermath(BOTH_DIE | BOTH_LATE | {"control": control}, [3], [3])
    stayed = control if control in SIDES else "uncontrolled"
    assert after == ("no_result", stayed, False, True)


@pytest.mark.parametrize(
    ("control", "scored", "conquer"),
    [
        ("defender", [], True),
        ("none", [], True),
        (None, ["defender"], True),
        ("attacker", [], False),
        ("defender", ["attacker"], False),
        ("none", ["attacker", "defender"], False),
    ],
)
def test_to_conquer_is_to_gain_what_was_not_scored_this_turn(
    control: str | None, scored: list[str], conquer: bool
) -> None:
    combat = ATTACKER_WINS | {"control": control, "scored_this_turn": scored}
    assert aftermath(combat, [3], [2]) == ("attacker_won", "attacker", conquer, False)


def test_a_defender_conquers_an_open_battlefield_even_without_a_result() -> None:
    after = aftermath(NOBODY_DIES | {"control": "none"}, [0], [0])
    assert after == ("no_result", "defender", True, False)


DOUBLED_AND_PLAIN = [{"might": 2, "replacements": ["double"]}, {"might": 2}]


def test_in_an_old_edition_the_attacker_can_choose_how_the_combat_ends() -> None:
    combat = {
        "attackers": [{"might": 3}, {"might": 9, "stunned": True}],
        "defenders": DOUBLED_AND_PLAIN,
    }
    old = simulator.guaranteed(combat | {"edition": "439"}, "result")
    assert old == {"attacker": {"attacker_won", "no_result"}, "defender": set()}
    new = simulator.guaranteed(combat, "result")
    assert new == {"attacker": {"attacker_won"}, "defender": {"attacker_won"}}


def test_in_an_old_edition_the_defender_can_choose_how_the_combat_ends() -> None:
    combat = {"attackers": DOUBLED_AND_PLAIN, "defenders": [{"might": 3}]}
    old = simulator.guaranteed(combat | {"edition": "439"}, "control")
    assert old == {"attacker": set(), "defender": {"attacker", "uncontrolled"}}
    new = simulator.guaranteed(combat, "control")
    assert new == {"attacker": {"uncontrolled"}, "defender": {"uncontrolled"}}


# --- what holds of every combat -----------------------------------------------------------------


def combats(seed: int, number: int) -> Iterator[Json]:
    rng = random.Random(seed)
    return (fights.random_combat(rng) for _ in range(number))


def every_play(combat: Json) -> Iterator[Json]:
    return (played for row in simulator.plays(combat) for played in row)


def can_take(combat: Json, side: str) -> bool:
    """Tell whether a side can be assigned the pool of the other."""
    question = simulator.board(combat, OTHER[side])
    if oracle.reading(question, "only_undamageable") == "assign":
        return bool(question["units"])
    return not all(oracle.is_exempt(question, unit) for unit in question["units"])


def names(combat: Json, side: str) -> list[str]:
    """Return the names of a side that is there from the start."""
    return [unit["name"] for unit in simulator.units_of(combat, side)]


def test_the_whole_pool_is_assigned_if_somebody_can_take_it(many: int) -> None:
    for combat in combats(1, many // 10):
        for played in every_play(combat):
            for side, pool in simulator.pools(combat).items():
                assigned = sum(played["raw"][name] for name in names(combat, OTHER[side]))
                assert assigned == (pool if can_take(combat, OTHER[side]) else 0), combat


def test_no_damage_comes_from_nowhere_or_gets_lost(many: int) -> None:
    for combat in combats(2, many // 10):
        for side in SIDES:
            question = simulator.board(combat, OTHER[side])
            for played, unit in ((p, u) for p in every_play(combat) for u in question["units"]):
                raw, dealt, doubled, prevented = (
                    played[fact][unit["name"]] for fact in ("raw", "dealt", "doubled", "prevented")
                )
                if oracle.is_exempt(question, unit):
                    assert dealt == doubled == prevented == 0, combat
                else:
                    assert raw + doubled - prevented == dealt, combat
                    assert dealt == oracle.through(oracle.all_replacements(unit), raw), combat


def test_the_dead_and_the_recalled_are_different_units_that_were_there(many: int) -> None:
    for combat in combats(3, many // 10):
        there = [name for side in SIDES for name in names(combat, side)]
        for played in every_play(combat):
            dead, recalled = list(played["dead"]), list(played["recalled"])
            assert dead == [name for name in there if name in dead], combat
            assert not set(dead) & set(recalled), combat
            alive = [name for name in names(combat, "attacker") if name not in dead]
            assert recalled in ([], alive), combat


def test_the_dead_are_those_of_both_boards(many: int) -> None:
    for combat in combats(4, many // 10):
        boards = [simulator.board(combat, OTHER[side]) for side in SIDES]
        for played in every_play(combat):
            dead = [
                name
                for question in boards
                for name in oracle.deaths(
                    question, [played["raw"][name] for name in oracle.names(question)]
                )
            ]
            assert list(played["dead"]) == dead, combat


def test_in_the_current_editions_what_is_applied_is_what_is_dealt(many: int) -> None:
    for combat in combats(5, many // 10):
        for edition in ("465", "467"):
            for played in every_play(combat | {"edition": edition}):
                assert played["applied"] == played["dealt"], combat


def test_every_pair_of_assignments_has_one_outcome(many: int) -> None:
    for combat in combats(6, many // 10):
        pairs = prod(len(legal) for legal in simulator.assignments(combat).values())
        assert sum(simulator.outcomes(combat).values()) == pairs > 0, combat


def test_what_the_attacker_guarantees_leaves_the_defender_nothing_else(many: int) -> None:
    for combat in combats(7, many // 10):
        for fact in simulator.FACTS:
            sides = simulator.guaranteed(combat, fact)
            for value in sides["attacker"]:
                assert sides["defender"] <= {value}, combat


def test_random_combats_show_every_field_and_every_way_to_end() -> None:
    drawn = list(combats(8, 1500))
    fields = {"attackers", "defenders", "attacker", "defender", "control", "scored_this_turn"}
    fields |= {"arrivals", "edition", "readings"}
    assert {key for combat in drawn for key in combat} == fields
    units = [unit for combat in drawn for side in SIDES for unit in combat[UNITS[side]]]
    assert {"name", "marked", "tank", "backline", "replacements"} <= {k for u in units for k in u}
    assert {combat.get("edition") for combat in drawn} == {None, *boards.EDITIONS}
    assert {combat.get("control", "defender") for combat in drawn} == {*SIDES, "none", None}
    assert {len(combat["attackers"]) for combat in drawn} == {0, 1, 2, 3}
    ends = {simulator.outcome(p)[2:] for combat in drawn[:300] for p in every_play(combat)}
    assert {result for result, *_ in ends} == {"no_result", "attacker_won", "defender_won"}
    assert {control for _, control, *_ in ends} == {*SIDES, "uncontrolled"}
