"""Questions of any size are answered, or it is said which limit stopped them and what is known."""

from __future__ import annotations

import json
import random
from io import BytesIO
from typing import Any

import boards
import pytest
from boards import board
from command_line import Lethal

import solver
from rules import BadRequest, Board
from rules.wire import read_board
from solver.batch import serve
from solver.exact import Legal
from solver.limits import OUT_OF_TIME, TOO_LARGE, deadline, left, within

HUGE = 10**18


def units(number: int, seed: int, low: int, high: int) -> str:
    rng = random.Random(seed)
    return " ".join(str(rng.randint(low, high)) for _ in range(number))


ONES = f"{HUGE} into " + "1 " * 1000
"""Everybody dies, and what is left over can be split in a number of ways of 15,000 digits."""
SPREAD = f"{10**10} into " + units(60, 1, 1, 10**9)
"""More different sums of needs than can be told apart."""
SLOW = f"{10**6} into " + units(1000, 2, 1, 5000)
"""Within reach, but not at once."""


def test_a_count_of_many_digits_is_written_in_full(lethal: Lethal) -> None:
    result = lethal("count", ONES)
    assert result.status == 0
    assert len(result.out.split()[0]) > 15_000


def test_a_legal_set_shows_itself_whatever_its_size_and_names() -> None:
    assert repr(solver.legal(board(ONES))).startswith("<about 10^15")
    named = read_board({"pool": 3, "units": [{"name": 'a:"b', "might": 3}]})
    assert repr(solver.legal(named)) == "<1 legal assignments of 3 points to 1 units>"


BEST_OF_MANY: list[tuple[str, str, list[str], tuple[int, ...], int]] = [
    ("all die", ONES, ["kills"], (1000,), solver.count(board(ONES))),
    ("all die, excess last", ONES, ["kills", "excess"], (1000, HUGE - 1000), 0),
    ("excess of doubled units", f"{HUGE} into 3x2 3x2 3", ["excess"], (2 * (HUGE - 7),), HUGE - 6),
    ("excess on one unit", "9 into 2 2 2 --reading leftover=one_unit", ["excess"], (3,), 3),
    ("large needs", f"{HUGE} into {HUGE - 1} {HUGE - 1}", ["might"], (HUGE - 1,), 2),
]


@pytest.mark.parametrize(
    ("text", "goals", "score", "ties"),
    [b[1:] for b in BEST_OF_MANY],
    ids=[b[0] for b in BEST_OF_MANY],
)
def test_the_best_is_proven_however_many_points(
    text: str, goals: list[str], score: tuple[int, ...], ties: int
) -> None:
    found = solver.best(board(text), goals)
    assert found.optimal
    assert found.score == score
    assert found.ties == (ties or solver.count(board(text)))


def test_what_is_too_large_to_be_sorted_is_left_to_cp_sat() -> None:
    on = board(f"{2 * 10**9} into {units(30, 1, 1, 10**9)}")
    with pytest.raises(solver.LimitReached):
        solver.count(on)
    found = solver.best(on)
    assert found.optimal
    assert found.assignment is not None
    assert solver.check(on, found.assignment)


def test_a_question_beyond_reach_is_said_to_be_too_large() -> None:
    for ask in (solver.count, solver.kills):
        with pytest.raises(solver.LimitReached) as reached:
            ask(board(SPREAD))
        assert reached.value.why == TOO_LARGE


def test_a_count_stopped_by_the_time_limit_has_at_least_one() -> None:
    with pytest.raises(solver.LimitReached) as reached:
        solver.count(board(SLOW), time_limit=0.2)
    assert reached.value.why == OUT_OF_TIME
    assert reached.value.at_least == 1
    with pytest.raises(solver.LimitReached) as reached:
        solver.count(board(SLOW), kill=["A"], time_limit=0.2)
    assert reached.value.at_least == 0


def test_the_command_line_says_what_it_knows_when_a_limit_stops_it(lethal: Lethal) -> None:
    stopped = lethal("count", SLOW, "--time-limit", "0.2")
    assert (stopped.status, stopped.out) == (3, "1+\n")
    assert "the time limit stopped it: at least 1 found" in stopped.err
    told = lethal("count", SLOW, "--time-limit", "0.2", "--json")
    assert json.loads(told.out) == {"count": None, "at_least": 1}
    sets = lethal("kills", f"9000 into {units(60, 3, 200, 400)}", "--time-limit", "0.3", "--json")
    assert sets.status == 3
    assert json.loads(sets.out)["kill_sets"] is None
    assert lethal("count", SPREAD).err == (
        "lethal: the question is too large: at least 1 found, there may be more\n"
    )


def test_a_listing_without_counts_is_the_same(many: int) -> None:
    rng = random.Random(41)
    for _ in range(many // 10):
        legal = Legal(read_board(boards.random_board(rng, units=4)))
        assert list(legal._without_counts()._walked(at_a_time=0)) == list(legal)


def test_a_large_board_streams() -> None:
    on = board(f"{10**5} into " + "500 " * 300)
    listing = iter(solver.legal(on))
    first, second = next(listing), next(listing)
    assert first < second
    assert solver.check(on, first)
    assert solver.check(on, second)


def test_few_legal_sets_are_kept() -> None:
    from solver import exact

    for pool in range(50):
        solver.kills(Board(pool=pool, units=board("1 into 3 3 3").units))
    assert exact.legal.cache_info().currsize <= 8


def test_a_stream_of_questions_survives_every_one_of_them() -> None:
    large: list[dict[str, Any]] = [
        {"op": op, **parse_to_json(text)}
        for op in ("count", "list", "kills", "best", "need")
        for text in (ONES, SPREAD, SLOW)
    ]
    asked = [
        line for request in large for line in (request, {"op": "count", "pool": 5, "units": []})
    ]
    requests = BytesIO(b"\n".join(json.dumps(line).encode() for line in asked))
    responses = BytesIO()
    serve(requests, responses, time_limit=0.3)
    answers = [json.loads(line) for line in responses.getvalue().splitlines()]
    assert len(answers) == len(asked)
    for answer in answers[1::2]:
        assert answer == {"id": None, "ok": True, "count": 1}
    for request, answer in zip(asked[::2], answers[::2], strict=True):
        if not answer["ok"]:
            assert answer["error"]["code"] == "limit"
        elif request["op"] in ("count", "list") and answer["count"] is None:
            assert answer["at_least"] >= 1


def parse_to_json(text: str) -> dict[str, Any]:
    on = board(text)
    return {"pool": on.pool, "units": [{"might": unit.might} for unit in on.units]}


def test_deadlines_nest_and_the_earlier_counts() -> None:
    assert left() is None
    with deadline(100), deadline(1000):
        remaining = left()
        assert remaining is not None
        assert remaining <= 100
    assert left() is None


def test_answers_within_a_time_limit_are_all_passed_on() -> None:
    assert list(within(100, range(5))) == list(within(None, range(5))) == [0, 1, 2, 3, 4]
    with pytest.raises(solver.LimitReached):
        list(within(0, range(5)))


@pytest.mark.parametrize("seconds", [-1, "a", float("nan"), True])
def test_a_time_limit_is_a_number_of_seconds(seconds: Any) -> None:
    for ask in (solver.count, solver.legal, solver.kills, solver.best):
        with pytest.raises(BadRequest) as refused:
            ask(board("3 into 2 2"), time_limit=seconds)
        assert refused.value.path == "$.time_limit"
