"""Objectives, demands, ties, conflicts, nearest assignments and limits."""

from __future__ import annotations

import random
import threading
import time
from fractions import Fraction
from itertools import product
from math import comb, prod
from operator import mul
from typing import Any

import boards
import oracle
import pytest
from boards import board

import solver
from rules import BadRequest, Violation
from rules.lethal import current_might
from rules.rulebook import RULEBOOK
from rules.wire import read_board
from solver.encoding import Model
from solver.search import optimum

OBJECTIVES = ("kills", "might", "value", "excess")


def score(
    data: dict[str, Any], points: tuple[int, ...], goals: list[str], value: dict[str, float]
) -> tuple[Any, ...]:
    on = read_board(data)
    dead = oracle.deaths(data, points)
    units = {unit.name: unit for unit in on.units}
    return tuple(
        {
            "kills": len(dead),
            "might": sum(current_might(units[name], on.units_are) for name in dead),
            "value": sum(Fraction(str(value.get(name, 0))) for name in dead),
            "excess": oracle.excess(data, points),
        }[goal]
        for goal in goals
    )


def test_the_best_is_what_trying_all_finds(many: int) -> None:
    rng = random.Random(21)
    for _ in range(many // 3):
        data = boards.random_board(rng, units=4)
        if rng.random() < 0.3:
            data.setdefault("readings", {})["undamageable"] = "optional"
        on = read_board(data)
        goals = rng.sample(OBJECTIVES, rng.randint(1, 3))
        value = {name: rng.choice((1, 2.5, -1, 0.25)) for name in on.names}
        if "value" not in goals or not on.names:
            goals = [goal for goal in goals if goal != "value"]
            value = {}
        kill = [name for name in on.names if rng.random() < 0.2]
        spare = [name for name in on.names if name not in kill and rng.random() < 0.2]
        candidates = [
            x
            for x in oracle.legal(data)
            if set(kill) <= (dead := set(oracle.deaths(data, x))) and not dead & set(spare)
        ]
        engine = rng.choice(("exact", "exact", "exact", "cp-sat"))
        found = solver.best(on, goals, value=value or None, kill=kill, spare=spare, engine=engine)
        assert found.feasible == bool(candidates), data
        if not candidates:
            assert found.assignment is None
            continue
        scores = {x: score(data, x, goals, value) for x in candidates}
        top = max(scores.values())
        assert found.score == top, (data, goals, value)
        assert found.assignment == min(x for x in candidates if scores[x] == top)
        assert found.ties == sum(1 for x in candidates if scores[x] == top)
        assert found.optimal


@pytest.mark.parametrize(
    ("text", "goals", "spare", "best", "ties"),
    [
        ("4 into 1 1 2!", ["kills", "excess"], ["B"], (1, 0, 3), 1),
        ("4 into 2! 1 1", ["kills", "excess"], ["C"], (3, 1, 0), 1),
        ("5 into 5! 3", ["excess"], ["B"], (3, 2), 3),
    ],
)
def test_exempt_units_may_take_what_would_be_left_over(
    text: str, goals: list[str], spare: list[str], best: tuple[int, ...], ties: int
) -> None:
    found = solver.best(board(f"{text} --reading undamageable=optional"), goals, spare=spare)
    assert (found.assignment, found.ties) == (best, ties)


def test_objectives_count_in_their_order() -> None:
    on = board("5 into A:2 B:2 C:5")
    assert solver.best(on, ["kills", "might"]).assignment == (2, 2, 1)
    assert solver.best(on, ["might", "kills"]).assignment == (0, 0, 5)
    assert solver.best(on, ["value"], value={"C": 2.5, "A": 1}).score == (Fraction(5, 2),)


def test_ties_are_counted_even_where_there_are_many() -> None:
    assert solver.best(board("30 into 2 2 2 2 2 2")).ties == 33649


def test_ties_are_counted_on_sixty_units() -> None:
    needs = (300, 310, 320, 290, 305)
    found = solver.best(board("9000 into " + "300 310 320 290 305 " * 12))
    kills = 9000 // 300
    ties = 0
    for dead in product(range(13), repeat=5):
        left = 9000 - sum(map(mul, dead, needs))
        if sum(dead) == kills and left >= 0:
            partial = sum(12 - n for n, least in zip(dead, needs, strict=True) if left < least)
            ties += prod(comb(12, n) for n in dead) * (partial if left else 1)
    assert found.score == (kills,)
    assert found.ties == ties


def test_ties_beyond_the_reach_of_cp_sat_are_said_to_be_at_least_so_many() -> None:
    found = solver.best(board("9000 into " + "300 310 320 290 305 " * 12), engine="cp-sat")
    assert found.optimal
    assert found.ties is None
    assert found.ties_at_least == 1000


REFUSED = [
    ("unknown objective", {"maximize": ["kill"]}, "$.maximize[0]"),
    ("repeated objective", {"maximize": ["kills", "kills"]}, "$.maximize[1]"),
    ("no list", {"maximize": "kills"}, "$.maximize"),
    ("value without values", {"maximize": ["value"]}, "$.value"),
    ("values without value", {"maximize": ["kills"], "value": {"A": 1}}, "$.maximize"),
    ("unknown unit", {"maximize": ["value"], "value": {"X": 1}}, "$.value.X"),
    ("no number", {"maximize": ["value"], "value": {"A": "1"}}, "$.value.A"),
    ("not finite", {"maximize": ["value"], "value": {"A": float("nan")}}, "$.value.A"),
    ("unknown kill", {"kill": ["X"]}, "$.kill[0]"),
]


@pytest.mark.parametrize(("what", "asked", "path"), REFUSED, ids=[r[0] for r in REFUSED])
def test_a_bad_objective_is_refused(what: str, asked: dict[str, Any], path: str) -> None:
    with pytest.raises(BadRequest) as refused:
        solver.best(board("3 into 3 2"), **asked)
    assert refused.value.path == path


FORBIDDEN = [
    ("815.1.b", "3 into 3T 2", ["B"], [], {"assign_total", "tank_first"}),
    ("826.3", "3 into 3 2B", ["B"], [], {"assign_total", "backline_last"}),
    ("465.2.c.6", "3 into 3 2B --edition 443", ["B"], [], {"assign_total", "obey_requirements"}),
    ("465.2.c", "3 into 4 2", ["A"], [], {"assign_total"}),
    ("465.2.c-both", "4 into 3 2", ["A", "B"], [], {"assign_total"}),
    ("465.2.c.4", "4 into 4 4", [], ["A", "B"], {"assign_total", "lethal_in_full_before_next"}),
    ("437.5.b", "9 into 2Pall 2", ["A"], [], {"prevent_all_never_lethal"}),
    ("437.1.b.1.b", "9 into 2Pall 2 --edition 443", ["A"], [], {"prevent_all"}),
    ("465.2.c.10", "9 into 2! 2", ["A"], [], {"undamageable_exempt"}),
    ("142.4.b", "9 into 2/2 2", [], ["A"], {"lethal_nonzero_ge_might"}),
    ("contradiction", "9 into 2 2", ["A"], ["A"], set()),
]


@pytest.mark.parametrize(
    ("told", "text", "kill", "spare", "rules"), FORBIDDEN, ids=[f[0] for f in FORBIDDEN]
)
def test_an_impossible_demand_is_answered_with_the_rules_that_forbid_it(
    told: str, text: str, kill: list[str], spare: list[str], rules: set[str]
) -> None:
    found = solver.best(board(text), kill=kill, spare=spare)
    assert not found.feasible
    assert set(found.because) == rules


def test_the_rules_of_a_conflict_are_those_of_a_reason_why_and_forbid_it(many: int) -> None:
    rng = random.Random(22)
    tried = 0
    while tried < many // 50:
        data = boards.random_board(rng, units=4)
        on = read_board(data)
        kill = [name for name in on.names if rng.random() < 0.4]
        spare = [name for name in on.names if rng.random() < 0.4 and name not in kill]
        if solver.count(on, kill=kill, spare=spare):
            continue
        tried += 1
        found = solver.best(on, kill=kill, spare=spare)
        (reason,) = solver.why(on, kill=kill, spare=spare).reasons or ()
        assert found.reason == reason, data
        assert found.because == reason.ids
        model = Model(on, rules=[RULEBOOK[cited.rule] for cited in reason.rules])
        model.demand(kill, spare)
        assert model.solve() is None, (data, found.because)


def test_the_nearest_legal_assignment_is_nearest_and_smallest(many: int) -> None:
    rng = random.Random(23)
    for _ in range(many // 10):
        data = boards.random_board(rng, units=4)
        on = read_board(data)
        points = tuple(rng.randint(0, 5) for _ in on.units)
        verdict = solver.check(on, points)

        def distance(x: tuple[int, ...], given: tuple[int, ...] = points) -> int:
            return sum(abs(a - b) for a, b in zip(x, given, strict=True))

        legal = oracle.legal(data)
        assert verdict.nearest == min(legal, key=lambda x: (distance(x), x)), data


def test_cp_sat_finds_the_same_nearest_on_larger_boards(many: int) -> None:
    rng = random.Random(24)
    for _ in range(many // 50):
        on = read_board(boards.random_board(rng, units=9))
        points = tuple(rng.randint(0, 9) for _ in on.units)
        verdict = solver.check(on, points)
        if verdict.legal:
            continue
        model = Model(on)
        apart = []
        for raw, wanted in zip(model.raw, points, strict=True):
            apart.append(model.cp.new_int_var(0, on.pool + 9, ""))
            model.cp.add_abs_equality(apart[-1], raw - wanted)
        found = optimum(model, [-sum(apart)])
        assert found is not None
        assert verdict.nearest == found.assignment


NEAREST_OF_MANY = [
    ("10^18 to share", "1000000000000000000 into 3 4 5", (10**18, 0, 1), (10**18 - 9, 4, 5)),
    ("a sink", "1000000000000000000 into 3TPall 4", (9, 9), (10**18, 0)),
    ("too much in all", "7 into 3 4 5", (10**18, 0, 0), (3, 0, 4)),
]


@pytest.mark.parametrize(
    ("text", "given", "nearest"),
    [n[1:] for n in NEAREST_OF_MANY],
    ids=[n[0] for n in NEAREST_OF_MANY],
)
def test_the_nearest_is_found_however_many_points(
    text: str, given: tuple[int, ...], nearest: tuple[int, ...]
) -> None:
    assert solver.check(board(text), given).nearest == nearest


def test_the_nearest_is_found_on_sixty_units() -> None:
    rng = random.Random(61)
    units = " ".join(
        f"{rng.randint(100, 400)}{rng.choice(['', 'T', 'B', 'TB'])}" for _ in range(60)
    )
    on = board(f"10000 into {units}")
    legal = solver.legal(on)
    for given in legal.sample(3, seed=1):
        moved = (*given[:30], given[30] + 1, *given[31:])
        nearest = solver.check(on, moved).nearest
        assert nearest is not None
        assert nearest in legal
        assert sum(abs(x - y) for x, y in zip(nearest, moved, strict=True)) == 1


def test_a_model_is_open_to_constraints_and_objectives_of_ones_own() -> None:
    model = solver.model(board("5 into 3 3 3 3"))
    model.cp.add(model.points["A"] == 0)
    model.cp.maximize(model.points["D"])
    assert model.solve() == (0, 0, 2, 3) or model.solve() == (0, 2, 0, 3)
    model.cp.add(model.points["D"] >= 4)
    assert model.solve() is None


def test_a_guarded_model_can_be_told_to_break_one_rule_only() -> None:
    model = solver.model(board("2 into 2 2"), guarded=True)
    for slug, holds in model.holds.items():
        wanted = model.terms.no(holds) if slug == "lethal_in_full_before_next" else holds
        model.require(wanted)
    assert model.solve() == (1, 1)


def test_a_listing_by_cp_sat_streams_and_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    listing = iter(solver.legal(board("200 into " + "7 " * 40), engine="cp-sat"))
    first = next(listing)
    assert sum(first) == 200
    listing.close()  # type: ignore[attr-defined]
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_a_time_limit_is_said_aloud_with_what_was_found() -> None:
    on = board("200 into " + "7 " * 40)
    with pytest.raises(solver.LimitReached) as reached:
        solver.count(on, engine="cp-sat", time_limit=0.3)
    assert reached.value.at_least > 0
    assert f"at least {reached.value.at_least}" in str(reached.value)


def test_boards_of_sixty_units_and_large_pools_are_served() -> None:
    rng = random.Random(60)
    units = " ".join(
        f"{rng.randint(100, 400)}{rng.choice(['', 'T', 'B', 'TB'])}" for _ in range(60)
    )
    on = board(f"10000 into {units}")
    found = solver.best(on, ["kills"])
    assert found.optimal
    assert found.assignment is not None
    assert solver.check(on, found.assignment)
    wrong = list(found.assignment)
    giver = next(i for i, x in enumerate(wrong) if x)
    wrong[giver] -= 1
    verdict = solver.check(on, wrong)
    assert not verdict
    assert all(isinstance(violation, Violation) for violation in verdict.violations)


@pytest.mark.parametrize("engine", ["", "sat", "CP-SAT"])
def test_an_unknown_engine_is_refused(engine: str) -> None:
    with pytest.raises(BadRequest, match="engine"):
        solver.count(board("1 into 1"), engine=engine)
