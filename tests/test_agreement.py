"""The fast engine, the CP-SAT model, and two oracles that share no code with them, side by side.

All fields, readings and editions occur on the random boards; `--boards N` sets how many there are.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import boards
import clingo_oracle
import oracle
import pytest

import solver
from rules import Board, need
from rules.lethal import dead, deaths
from rules.wire import read_board

Json = dict[str, Any]

pytestmark = pytest.mark.long


def sample(seed: int, number: int) -> list[Json]:
    rng = random.Random(seed)
    return [boards.random_board(rng, units=rng.randint(0, 4)) for _ in range(number)]


def test_needs_and_deaths_are_those_of_the_oracle(many: int) -> None:
    for data in sample(1, many):
        board = read_board(data)
        assert need(board) == oracle.need(data), data
        assert list(deaths(board)) == oracle.death(data), data


def test_the_fast_engine_lists_and_counts_what_the_oracle_does(many: int) -> None:
    for data in sample(2, many):
        board, expected = read_board(data), oracle.legal(data)
        legal = solver.legal(board)
        assert list(legal) == expected, data
        assert legal.count() == len(expected), data


def test_cp_sat_lists_what_the_oracle_does(many: int) -> None:
    for data in sample(3, many):
        listed = list(solver.legal(read_board(data), engine="cp-sat"))
        assert listed == oracle.legal(data), data
        assert len(listed) == len(set(listed))


def test_clingo_lists_what_the_fast_engine_does(many: int) -> None:
    for data in sample(4, many // 2):
        assert clingo_oracle.legal(data) == list(solver.legal(read_board(data))), data


def test_there_is_always_a_legal_assignment(many: int) -> None:
    for data in sample(5, many):
        assert solver.count(read_board(data)) > 0, data


def test_kill_sets_are_those_of_the_listing(many: int) -> None:
    for data in sample(6, many // 2):
        board = read_board(data)
        killed = {x: oracle.deaths(data, x) for x in oracle.legal(data)}
        assert {x: dead(board, x) for x in killed} == killed, data
        expected = Counter(killed.values())
        assert solver.kills(board) == expected, data
        order = [
            (-len(names), [board.names.index(name) for name in names])
            for names in solver.kills(board)
        ]
        assert order == sorted(order)


def test_demands_keep_what_kills_and_spares_as_asked(many: int) -> None:
    rng = random.Random(7)
    for data in sample(7, many // 2):
        board = read_board(data)
        kill = [name for name in board.names if rng.random() < 0.25]
        spare = [name for name in board.names if rng.random() < 0.25]
        expected = [
            assignment
            for assignment in oracle.legal(data)
            if set(kill) <= set(dead(board, assignment))
            and not set(spare) & set(dead(board, assignment))
        ]
        assert list(solver.legal(board, kill=kill, spare=spare)) == expected, data
        assert solver.count(board, kill=kill, spare=spare) == len(expected), data


def test_demands_are_the_same_to_cp_sat(many: int) -> None:
    rng = random.Random(8)
    for data in sample(8, many // 10):
        board = read_board(data)
        kill = [name for name in board.names if rng.random() < 0.25]
        spare = [name for name in board.names if rng.random() < 0.25]
        fast = list(solver.legal(board, kill=kill, spare=spare))
        assert list(solver.legal(board, kill=kill, spare=spare, engine="cp-sat")) == fast, data


def test_verdicts_and_the_tiers_of_dual_units_are_those_of_the_oracle(many: int) -> None:
    rng = random.Random(9)
    for data in sample(9, many):
        board, legal = read_board(data), oracle.legal(data)
        trials = [*rng.sample(legal, min(3, len(legal)))]
        for points in list(trials):
            moved = list(points)
            if sum(points):
                giver = rng.choice([i for i, x in enumerate(points) if x])
                moved[giver] -= 1
                moved[rng.randrange(len(points))] += 1
            trials.append(tuple(moved))
        for points in trials:
            verdict = solver.check(board, points)
            assert verdict.legal == oracle.is_legal(data, points), (data, points)
            if verdict.legal:
                assert verdict.tiers == oracle.dual_tiers(data, points), (data, points)


@pytest.mark.parametrize("engine", ["exact", "cp-sat"])
def test_the_published_seven_by_seven_is_listed_without_repeats(engine: str) -> None:
    from rules import parse

    board = parse("10 into 3 3 3 3 3 3")
    assert isinstance(board, Board)
    listed = list(solver.legal(board, engine=engine))
    assert len(listed) == len(set(listed)) == 60
    assert listed == sorted(listed)
