"""The oracles agree with each other, with the recorded vectors and with the worked examples."""

from __future__ import annotations

import json
import random
from itertools import permutations
from math import comb
from pathlib import Path
from typing import Any

import boards
import clingo_oracle
import oracle
import pytest
from hypothesis import given, settings

Json = dict[str, Any]
Vectors = set[tuple[int, ...]]

VECTORS = Path(__file__).parent / "vectors"
BRUTE_FORCE_LIMIT = 20_000
BOTH, CLINGO_ONLY = "both", "clingo-only-too-large-for-brute-force"


def cases(name: str) -> list[Json]:
    """Return the recorded cases of one file."""
    lines = (VECTORS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def engines(board: Json) -> str:
    """Tell which oracles can list a board."""
    parts = max(1, len(board["units"]))
    vectors = comb(board["pool"] + parts - 1, parts - 1)
    return BOTH if vectors <= BRUTE_FORCE_LIMIT else CLINGO_ONLY


def with_engines(name: str) -> list[Any]:
    """Return the cases of one file as parameters whose ids say what they are checked with."""
    return [
        pytest.param(case, kind, id=f"{case['id']}-{kind}")
        for case in cases(name)
        for kind in [engines(case["request"])]
    ]


# --- agreement ----------------------------------------------------------------------------------


def assert_agreement(board: Json) -> None:
    """Check everything that the two oracles both answer, and what holds of every board."""
    found = oracle.legal(board)
    assert found == clingo_oracle.legal(board)
    assert found, "there is always a legal assignment"
    assert oracle.need(board) == clingo_oracle.need(board)


@pytest.mark.parametrize("seed", range(8))
def test_random_boards(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        assert_agreement(boards.random_board(rng, units=rng.choice((3, 4, 4))))


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(boards.boards(most_units=3))
def test_drawn_boards(board: Json) -> None:
    assert_agreement(board)


@pytest.mark.parametrize("seed", range(2))
def test_need_is_death_where_the_whole_pipeline_counts(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(200):
        board = boards.random_board(rng) | {"edition": rng.choice(("465", "467")), "readings": {}}
        for least, kills in zip(oracle.need(board), oracle.death(board), strict=True):
            assert least == kills or least == "exempt"


@pytest.mark.parametrize("seed", range(2))
def test_death_and_deaths_agree(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        board = boards.random_board(rng)
        least = dict(zip(oracle.names(board), oracle.death(board), strict=True))
        for vector in oracle.legal(board):
            points = zip(least.items(), vector, strict=True)
            dead = [name for (name, kills), x in points if kills != "never" and x >= kills]
            assert oracle.deaths(board, vector) == tuple(dead)


# --- recorded vectors ---------------------------------------------------------------------------


@pytest.mark.parametrize(("case", "kind"), with_engines("assignment"))
def test_assignment_vectors(case: Json, kind: str) -> None:
    board, expect = case["request"], case["expect"]
    found = clingo_oracle.legal(board)
    if kind == BOTH:
        assert found == oracle.legal(board)
    assert len(found) == expect["count"]
    if "assignments" in expect:
        assert found == [tuple(vector) for vector in expect["assignments"]]
    assert oracle.need(board) == clingo_oracle.need(board) == expect["need"]
    assert all(oracle.is_legal(board, vector) for vector in found)
    assert not any(oracle.is_legal(board, vector) for vector in expect.get("illegal", []))


SIDES = {"attacker": ("attackers", "defenders"), "defender": ("defenders", "attackers")}


def board_of(combat: Json, assigner: str) -> Json:
    """Return the question of one side of a combat."""
    own, enemy = SIDES[assigner]
    attacking = assigner == "attacker"
    return {
        "pool": sum(oracle.contribution(unit, attacking=attacking) for unit in combat[own]),
        "units": combat[enemy],
        "units_are": enemy,
        "assigner": combat.get(assigner, {}),
        "edition": combat.get("edition", "465"),
        "readings": combat.get("readings", {}),
    }


def as_vector(board: Json, given_points: Json | list[int]) -> tuple[int, ...]:
    """Return an assignment in unit order."""
    if isinstance(given_points, list):
        return tuple(given_points)
    return tuple(given_points.get(name, 0) for name in oracle.names(board))


def dead_of(combat: Json, attacker_assigns: Any, defender_assigns: Any) -> list[str]:
    """Return the names of the units that die, in order."""
    dead: list[str] = []
    for side, points in (("attacker", attacker_assigns), ("defender", defender_assigns)):
        board = board_of(combat, side)
        dead.extend(oracle.deaths(board, as_vector(board, points)))
    return sorted(dead)


COMBATS = [
    pytest.param(case, id=case["id"])
    for name in ("combat", "combat_assigned")
    for case in cases(name)
]


@pytest.mark.parametrize("case", COMBATS)
def test_each_side_of_the_combat_vectors(case: Json) -> None:
    combat, expect = case["request"], case["expect"]
    for side in SIDES:
        board = board_of(combat, side)
        assert board["pool"] == expect["pools"].get(side, board["pool"])
        found = clingo_oracle.legal(board)
        assert len(found) == expect.get("counts", {}).get(side, len(found))
        assert found == oracle.legal(board)
        needs = dict(zip(oracle.names(board), oracle.need(board), strict=True))
        expected = expect.get("need", {})
        assert needs == needs | {name: expected[name] for name in needs if name in expected}
        for verdict in (True, False):
            for given_points in expect.get("legal" if verdict else "illegal", []):
                if given_points["by"] == side:
                    vector = as_vector(board, given_points["give"])
                    assert oracle.is_legal(board, vector) is verdict


@pytest.mark.parametrize("case", COMBATS)
def test_deaths_in_the_combat_vectors(case: Json) -> None:
    combat, expect = case["request"], case["expect"]
    for outcome in expect.get("outcomes", []):
        chosen = (outcome["attacker_assigns"], outcome["defender_assigns"])
        assert dead_of(combat, *chosen) == outcome["dead"]
    if "outcome" in expect:
        chosen = (combat["attacker_assigns"], combat["defender_assigns"])
        assert dead_of(combat, *chosen) == expect["outcome"]["dead"]
        board = board_of(combat, "attacker")
        excess = oracle.excess(board, as_vector(board, combat["attacker_assigns"]))
        assert excess == expect["outcome"]["excess"]["attacker"]


# --- worked examples ----------------------------------------------------------------------------

DOUBLE = ("double",)
OLDER = ("439", "443", "460")


def unit(might: int, keywords: str = "", *, steps: tuple[str, ...] = (), **more: Any) -> Json:
    """Return a unit, its keywords written as T and B."""
    tiers = {"tank": "T" in keywords, "backline": "B" in keywords}
    return {"might": might, **tiers, "replacements": list(steps), **more}


def board_from(pool: int, *units: Json, **more: Any) -> Json:
    """Return a board."""
    return {"pool": pool, "units": list(units), **more}


def ignoring(*keywords: str) -> Json:
    """Return an assigner that ignores keywords."""
    return {"ignores": list(keywords)}


def orders(*points: int) -> Vectors:
    """Return every order of some points."""
    return set(permutations(points))


DUAL, DOUBLED = unit(2, "TB"), unit(3, steps=DOUBLE)
ONE_TANK, WITH_TANK = (unit(3, "T"), unit(2)), (unit(5, "T"), unit(2))

EXAMPLES: dict[str, tuple[Json, Vectors]] = {
    "X1": (board_from(5, *[unit(3)] * 4), orders(3, 2, 0, 0)),
    "X2": (board_from(5, *[unit(3, marked=1)] * 4), orders(2, 2, 1, 0)),
    "X3": (board_from(4, DOUBLED, unit(3)), {(1, 3), (2, 2)}),
    "X5": (board_from(3, unit(2, steps=DOUBLE), unit(2)), {(1, 2)}),
    "X6 prevent first": (board_from(3, unit(2, steps=("prevent 2", "double"))), {(3,)}),
    "X6 double first": (board_from(3, unit(2, steps=("double", "prevent 2"))), {(3,)}),
    "X7": (board_from(5, unit(2, "T"), unit(2), unit(2, "B")), {(2, 2, 1)}),
    "X8": (board_from(4, unit(2, "T"), unit(3, "T"), unit(2)), {(2, 2, 0), (1, 3, 0)}),
    "X9": (board_from(4, unit(3, "TB"), unit(2), unit(2)), {(3, 1, 0), (3, 0, 1), (0, 2, 2)}),
    "X10": (board_from(3, DUAL, DUAL, unit(2)), orders(2, 1, 0)),
    "X11": (board_from(3, unit(6, undamageable=True), unit(3)), {(0, 3)}),
    "X12": (board_from(12, unit(4, "T", steps=("prevent all",)), unit(4)), {(12, 0)}),
    "X14": (board_from(1, unit(0)), {(1,)}),
    "X24": (board_from(3, *ONE_TANK), {(3, 0)}),
    "X24 without Tank": (board_from(3, unit(3), unit(2)), {(3, 0), (1, 2)}),
    "X25": (board_from(6, *WITH_TANK), {(5, 1)}),
    "X25 Tank ignored": (
        board_from(6, *WITH_TANK, assigner=ignoring("tank")),
        {(5, 1), (4, 2)},
    ),
    "X26": (board_from(5, unit(1), unit(1)), {(1, 4), (2, 3), (3, 2), (4, 1)}),
    "X27": (
        board_from(3, unit(3, "TB"), unit(2), unit(2), assigner=ignoring("tank")),
        {(0, 1, 2), (0, 2, 1)},
    ),
}


@pytest.mark.parametrize("edition", ["465", "467"])
@pytest.mark.parametrize(("board", "expected"), EXAMPLES.values(), ids=EXAMPLES.keys())
def test_worked_examples(board: Json, expected: Vectors, edition: str) -> None:
    board = board | {"edition": edition}
    assert oracle.legal(board) == clingo_oracle.legal(board) == sorted(expected)


@pytest.mark.parametrize("edition", OLDER)
def test_a_doubled_unit_in_older_editions(edition: str) -> None:
    x3 = EXAMPLES["X3"][0] | {"edition": edition}
    x5 = EXAMPLES["X5"][0] | {"edition": edition}
    assert oracle.need(x3) == clingo_oracle.need(x3) == [3, 3]
    assert oracle.legal(x5) == clingo_oracle.legal(x5) == [(1, 2), (2, 1)]
    assert oracle.death(x5) == [1, 2]


@pytest.mark.parametrize(
    ("steps", "needs"),
    [
        (("prevent 3",), {"439": 2, "443": 2, "460": 5, "465": 5, "467": 5}),
        (("prevent 2", "double"), {"439": 2, "443": 2, "460": 4, "465": 3, "467": 3}),
        (("double", "prevent 2"), {"439": 2, "443": 2, "460": 4, "465": 2, "467": 2}),
    ],
    ids=["X4", "X6 prevent first", "X6 double first"],
)
def test_need_in_every_edition(steps: tuple[str, ...], needs: dict[str, int]) -> None:
    for edition, least in needs.items():
        board = board_from(3, unit(2, steps=steps), edition=edition)
        assert oracle.need(board) == clingo_oracle.need(board) == [least]
        assert oracle.legal(board) == clingo_oracle.legal(board) == [(3,)]


# --- small facts --------------------------------------------------------------------------------


def test_boards_without_anyone_to_damage() -> None:
    safe = unit(2, undamageable=True)
    nothing = {"only_undamageable": "nothing"}
    for engine in (oracle.legal, clingo_oracle.legal):
        assert engine(board_from(3)) == [()]
        assert engine(board_from(2, safe, safe)) == [(0, 2), (1, 1), (2, 0)]
        assert engine(board_from(2, safe, safe, readings=nothing)) == [(0, 0)]


def test_tiers_of_dual_units() -> None:
    board = EXAMPLES["X9"][0]
    assert oracle.dual_tiers(board, (3, 1, 0)) == {"A": "tank"}
    assert oracle.dual_tiers(board, (0, 2, 2)) == {"A": "backline"}
    assert oracle.dual_tiers(board | {"pool": 7}, (3, 2, 2)) == {"A": "either"}


def test_both_readings_of_excess() -> None:
    board = board_from(4, DOUBLED)
    assert oracle.excess(board, (4,)) == 4
    assert oracle.excess(board | {"edition": "460"}, (4,)) == 1
    assert oracle.excess(board | {"readings": {"excess": "raw"}}, (4,)) == 2


def test_names_by_position() -> None:
    assert [oracle.position_name(i) for i in (0, 25, 26, 27, 52, 701, 702)] == [
        *("A", "Z", "AA", "AB", "BA", "ZZ", "AAA")
    ]
