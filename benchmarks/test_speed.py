"""The works of `compare.py` in small: `python -m pytest benchmarks --benchmark-enable`.

What is asserted is that the answers are right; how long they take is only told.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
import works
from measure import clear_caches
from works import Json, fresh

import solver
from rules import Board, Combat, parse
from rules.wire import read_board
from solver.batch import respond
from solver.exact import Legal

Benchmark = Callable[..., Any]

TYPICAL = [works.typical(random.Random(seed)) for seed in range(20)]
NEAR = [works.near(random.Random(seed), data) for seed, data in enumerate(TYPICAL)]
LARGE = works.mixed(random.Random(1), 200)


def once(benchmark: Any, data: Json, run: Callable[[Board], object], rounds: int = 20) -> Any:
    """The answer of `run`, timed on a board that is new each time."""

    def setup() -> tuple[tuple[Board], dict[str, object]]:
        clear_caches()
        return (fresh(data),), {}

    return benchmark.pedantic(run, setup=setup, rounds=rounds)


def listed(data: Json) -> list[works.Assignment]:
    return list(Legal(read_board(data)))


def test_count_of_many(benchmark: Benchmark) -> None:
    assert benchmark(solver.count, read_board(works.written(works.MANY))) == 33_649


def test_count_of_twenty_typical_boards(benchmark: Benchmark) -> None:
    boards = [read_board(data) for data in TYPICAL]
    counts = benchmark(lambda: [solver.count(board) for board in boards])
    assert counts == [len(listed(data)) for data in TYPICAL]


def test_count_of_200_units(benchmark: Benchmark) -> None:
    assert once(benchmark, LARGE, solver.count, 5) == solver.count(read_board(LARGE))


@pytest.mark.parametrize("text", works.HUGE, ids=["left_over", "too_few"])
def test_count_of_10_to_the_18(benchmark: Benchmark, text: str) -> None:
    data = works.written(text)
    assert once(benchmark, data, solver.count) == solver.count(read_board(data))


def test_twenty_checks(benchmark: Benchmark) -> None:
    pairs = [(read_board(data), points) for data, points in zip(TYPICAL, NEAR, strict=True)]
    verdicts = benchmark(lambda: [solver.check(*pair).legal for pair in pairs])
    assert verdicts == [points in Legal(board) for board, points in pairs]


@pytest.mark.parametrize("text", works.LISTED)
def test_list_as_tuples(benchmark: Benchmark, text: str) -> None:
    data = works.written(text)
    assert len(once(benchmark, data, lambda board: list(Legal(board)), 5)) == len(listed(data))


@pytest.mark.parametrize("text", works.LISTED)
def test_first_tuple(benchmark: Benchmark, text: str) -> None:
    data = works.written(text)
    assert once(benchmark, data, lambda board: next(iter(Legal(board)))) == listed(data)[0]


@pytest.mark.parametrize("text", works.LISTED)
def test_list_as_an_array(benchmark: Benchmark, text: str) -> None:
    data = works.written(text)
    array = once(benchmark, data, lambda board: Legal(board).to_numpy(), 5)
    assert array.tolist() == [list(each) for each in listed(data)]


def test_ten_samples(benchmark: Benchmark) -> None:
    data = works.written(works.LISTED[2])
    drawn = once(benchmark, data, lambda board: Legal(board).sample(10, seed=1))
    assert set(drawn) <= set(listed(data))


def test_ten_samples_of_10_to_the_18(benchmark: Benchmark) -> None:
    data = works.written(works.HUGE[1])
    drawn = once(benchmark, data, lambda board: Legal(board).sample(10, seed=1), 5)
    assert all(solver.check(read_board(data), each) for each in drawn)


def test_kill_sets(benchmark: Benchmark) -> None:
    data = works.written("20 into 4T 3 3 2 5 3TB 2B 4 2")
    sets = once(benchmark, data, lambda board: Legal(board).kill_sets())
    assert sum(sets.values()) == len(listed(data))


def test_combat(benchmark: Benchmark) -> None:
    fight = parse(works.COMBAT)
    assert isinstance(fight, Combat)

    def outcomes() -> int:
        clear_caches()
        return sum(way.ways for way in solver.combat(fight).outcomes)

    counts = solver.combat(fight).counts
    assert benchmark(outcomes) == counts["attacker"] * counts["defender"]


def test_twenty_lines_of_a_batch(benchmark: Benchmark) -> None:
    lines = [json.dumps({"op": "count", **data}).encode() for data in TYPICAL]
    answers = benchmark(lambda: [respond(line) for line in lines])
    assert [json.loads(each)["count"] for each in answers] == [len(listed(d)) for d in TYPICAL]
