"""What a verdict teaches: in which order, how else, and why no choice for a dual unit helps."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import oracle
from boards import board, random_board
from command_line import Lethal

import solver
from rules import Board
from rules.lethal import EXEMPT, need
from rules.position import Position, standing
from rules.rulebook import DECIDING
from rules.wire import read_board
from solver.batch import respond


def distance(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(abs(x - y) for x, y in zip(one, other, strict=True))


# --- the nearest ----------------------------------------------------------------------------------


def test_all_the_nearest_are_told_in_order_and_no_others(many: int) -> None:
    rng = random.Random(11)
    several = cut = 0
    for _ in range(many):
        data = random_board(rng, units=4)
        listed = [tuple(one) for one in oracle.legal(data)]
        given = tuple(rng.randint(0, data["pool"] + 1) for _ in data["units"])
        verdict = solver.check(read_board(data), given)
        if verdict.legal:
            assert verdict.all_nearest == ((given,), True)
            continue
        least = min(distance(one, given) for one in listed)
        wanted = sorted(one for one in listed if distance(one, given) == least)
        assert verdict.all_nearest.assignments == tuple(wanted[:10]), data
        assert verdict.all_nearest.complete == (len(wanted) <= 10), data
        assert verdict.nearest == wanted[0]
        several += len(wanted) > 1
        cut += len(wanted) > 10
    assert several > many // 20
    assert cut or many < 500


def test_the_nearest_come_without_waiting_however_many_there_are() -> None:
    on = board("6000 into " + " ".join(["3"] * 200))
    found = solver.check(on, (0,) * 200).all_nearest
    assert len(found.assignments) == 10
    assert not found.complete
    assert all(sum(one) == 6000 for one in found.assignments)


# --- the order ------------------------------------------------------------------------------------


def obeys(on: Board, order: Sequence[tuple[str, int]], tier: Mapping[str, int]) -> bool:
    """Is every step of the order allowed, after those before it, if these are the tiers?"""
    needs = dict(zip(on.names, need(on), strict=True))
    given = dict.fromkeys(on.names, 0)

    def ready(name: str) -> bool:
        least = needs[name]
        return least == EXEMPT or (isinstance(least, int) and given[name] >= least)

    before: list[str] = []
    for name, points in order:
        least = needs[name]
        exempt = least == EXEMPT
        earlier = [n for n in on.names if tier[n] < (1 if exempt else tier[name])]
        others = [n for n in on.names if n != name]
        over = isinstance(least, int) and given[name] + points > least
        may_take = not exempt or may_take_points(on, needs.values())
        if not (points > 0 and may_take and all(map(ready, (*before, *earlier)))):
            return False
        if over and not all(map(ready, others)):
            return False
        given[name] += points
        before.append(name)
    return True


def may_take_points(on: Board, needs: Collection[object]) -> bool:
    """May a unit that cannot be dealt damage be given points?"""
    return on.readings.undamageable == "optional" or set(needs) == {EXEMPT}


def every_choice(on: Board) -> Iterator[dict[str, int]]:
    """The tiers of the units, for every choice for the dual ones."""
    known = standing(on)
    tiers = [
        (0, 2) if tank and backline else (0,) if tank else (2,) if backline else (1,)
        for tank, backline in zip(known.tank, known.backline, strict=True)
    ]
    for choice in product(*tiers):
        yield dict(zip(on.names, choice, strict=True))


def totals(on: Board, order: Sequence[tuple[str, int]]) -> dict[str, int]:
    given = dict.fromkeys(on.names, 0)
    for name, points in order:
        given[name] += points
    return given


def test_an_order_obeys_the_rules_step_by_step_and_ends_at_the_assignment(many: int) -> None:
    rng = random.Random(12)
    twice = 0
    for _ in range(many):
        data = random_board(rng, units=4)
        on = read_board(data)
        given = tuple(rng.choice(list(oracle.legal(data))))
        order = solver.check(on, given).order
        assert tuple(totals(on, order).values()) == given
        assert any(obeys(on, order, tier) for tier in every_choice(on)), (data, given, order)
        twice += len({name for name, _ in order}) < len(order)
    assert twice > many // 20


def test_the_replay_refuses_what_is_out_of_order() -> None:
    on = board("5 into T:2T 2 L:2B")
    (tier,) = every_choice(on)
    assert obeys(on, [("T", 2), ("L", 2), ("L", 1)], tier) is False
    assert obeys(on, [("L", 2), ("T", 2)], tier) is False
    assert obeys(on, [("T", 1), ("L", 2), ("T", 1)], tier) is False
    assert obeys(on, [("T", 3), ("L", 2)], tier) is False


def test_an_illegal_assignment_has_no_order() -> None:
    assert solver.check(board("5 into 3 3"), (1, 4)).order == ()


def test_tanks_come_first_the_backline_last_and_then_what_is_left_over() -> None:
    on = board("12 into L:2B P:2 T:3T")
    assert solver.check(on, (3, 2, 7)).order == (("T", 3), ("P", 2), ("L", 2), ("T", 4), ("L", 1))


# --- dual units -----------------------------------------------------------------------------------


def test_an_illegal_assignment_is_so_whatever_the_dual_units_are_taken_as(many: int) -> None:
    rng = random.Random(13)
    tried = 0
    for _ in range(many):
        data = random_board(rng, units=4)
        on = read_board(data)
        given = tuple(rng.randint(0, 3) for _ in data["units"])
        verdict = solver.check(on, given)
        trials = verdict.tried.trials
        duals = sum(standing(on).dual)
        assert len(trials) == (0 if verdict.legal or not duals else 2**duals)
        assert verdict.tried.complete
        tried += bool(trials)
        for tiers, broken in trials:
            assert broken, (data, given, tiers)
            position = Position(on, given, tiers)
            assert all(
                bool(list(rule.violations(position))) == (rule.slug in {v.rule for v in broken})
                for rule in DECIDING[on.edition]
            )
    assert tried > many // 10


def test_each_choice_for_a_dual_unit_fails_by_rules_of_its_own() -> None:
    verdict = solver.check(board("4 into 3TB 2 2"), (1, 2, 1))
    found = {trial.tiers["A"]: [v.rule for v in trial.violations] for trial in verdict.tried.trials}
    both = ["lethal_in_full_before_next"]
    assert found == {"tank": [*both, "tank_first"], "backline": [*both, "backline_last"]}


def test_of_many_dual_units_one_choice_is_tried_and_it_is_said() -> None:
    verdict = solver.check(board("5 into 2TB 2TB 2TB 2TB 2TB 3"), (1, 1, 1, 1, 0, 1))
    assert len(verdict.tried.trials) == 1
    assert not verdict.tried.complete


# --- in words and in JSON -------------------------------------------------------------------------


def test_a_verdict_in_words_teaches(lethal: Lethal) -> None:
    legal = lethal("check", "6", "into", "3", "2", "--assign", "4,2")
    assert "  One order: A 3, B 2, then A 1 more.\n" in legal.out
    fewer = lethal("check", "3", "into", "2", "2", "--assign", "3,1")
    assert "Nearest that is legal, 1 point fewer: A 2 of 2 and B 1 of 2." in fewer.flat
    several = lethal("check", "5", "into", "3", "3", "3", "--assign", "2,2,1")
    told = "Nearest that are legal, 1 point moved: A 2, B 3; or A 3, B 2."
    assert told in several.flat


def test_the_choice_for_a_dual_unit_is_explained(lethal: Lethal) -> None:
    out = lethal("check", "4", "into", "3TB", "2", "2", "--assign", "1,2,1").flat
    assert "With A as Tank: B and C have points before A 1 of 3 is lethal (Tank) [815.1.b]." in out
    assert (
        "With A as Backline: A has points before C 1 of 2 is lethal (Backline last) [826.3]." in out
    )
    same = lethal("check", "3", "into", "3TB", "--assign", "2").flat
    assert "So it is whatever A is taken as." in same
    five = ["5", "into", "2TB", "2TB", "2TB", "2TB", "2TB", "3"]
    many = lethal("check", *five, "--assign", "1,1,1,1,0,1").flat
    assert (
        "Of the 32 choices for the 5 dual units only this one is told; none makes it legal." in many
    )


def test_a_choice_for_dual_units_that_breaks_nothing_else_is_told_so(lethal: Lethal) -> None:
    told = lethal("check", "6", "into", "3TB", "2TB", "2", "--assign", "0,0,6").flat
    assert "With A and B as Backline: only what is said above." in told
    assert "With A as Tank and B as Backline: C has points before A 0 of 3 is lethal" in told


def test_a_board_without_units_is_said_to_have_none(lethal: Lethal) -> None:
    for command in ("what", "need"):
        assert lethal(command, "5", "into").out.startswith("There is no unit.")
    for command in ("list", "best"):
        out = lethal(command, "3", "into").out
        assert "There is no unit." in out
        assert "dies" not in out


def test_batch_tells_the_same() -> None:
    def answer(pool: int, units: list[Any], assignment: list[int]) -> Any:
        request = {"op": "check", "pool": pool, "units": units, "assignment": assignment}
        return json.loads(respond(json.dumps(request).encode()))

    dual = {"might": 3, "tank": True, "backline": True}
    legal = answer(6, [{"might": 3}, {"might": 2}], [4, 2])
    assert legal["order"] == [["A", 3], ["B", 2], ["A", 1]]
    assert "tried" not in legal
    illegal = answer(4, [dual, {"might": 2}, {"might": 2}], [1, 2, 1])
    assert illegal["nearest_all"] == {"assignments": [[0, 2, 2]], "complete": True}
    assert illegal["tried"]["complete"]
    taken = [choice["tiers"] for choice in illegal["tried"]["choices"]]
    assert taken == [{"A": "tank"}, {"A": "backline"}]
    assert illegal["tried"]["choices"][0]["violations"][1]["number"] == "815.1.b"
    assert "order" not in illegal


def test_why_not_one_two_one_into_a_dual_three_and_two_twos(lethal: Lethal) -> None:
    ended = lethal("check", "4", "into", "3TB", "2", "2", "--assign", "1,2,1")
    verdict = solver.check(board("4 into 3TB 2 2"), (1, 2, 1))
    assert ended.status == 1
    assert [v.number for v in verdict.violations] == ["465.2.c.3", "465.2.c.8", "826.3"]
    tank, backline = verdict.tried.trials
    assert [(v.number, v.units) for v in tank.violations if v.rule == "tank_first"] == [
        ("815.1.b", ("A", "B", "C"))
    ]
    assert [(v.number, v.units) for v in backline.violations if v.rule == "backline_last"] == [
        ("826.3", ("C", "A"))
    ]
    assert verdict.all_nearest == (((0, 2, 2),), True)


def test_a_rule_with_two_numbers_stands_in_square_brackets(lethal: Lethal) -> None:
    out = lethal("check", "4", "into", "3TB", "2", "--assign", "3,1").out
    assert "  A counts as Tank [465.2.c.8 (467.2.c.8?)].\n" in out
