"""The compiled legal set: order, ranks, samples, marginals, arrays, and how its work grows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import product
from operator import mul
from typing import Any

import boards
import numpy as np
import oracle
import pytest
from boards import board

import solver
from rules.position import Position
from rules.rulebook import DECIDING, violations
from rules.wire import read_board
from solver import counting, series
from solver.cells import KNOWN, compiled, total_of
from solver.exact import Automaton, Legal
from solver.first import first
from solver.limits import LimitReached
from solver.membership import contains

SIZES = [
    ("33649", "30 into 2 2 2 2 2 2", 33649),
    ("binomial", "10 into 2 3", 6),
    ("seventeen", "10 into 2TB 3TB 2TB 3 4T 2B", 17),
    ("nobody", "5 into", 1),
    ("no-points", "0 into 3 3", 1),
    ("all-exempt", "3 into 2! 2!", 4),
]


@pytest.mark.parametrize(("name", "text", "size"), SIZES, ids=[s[0] for s in SIZES])
def test_it_has_the_size_that_is_known(name: str, text: str, size: int) -> None:
    legal = solver.legal(board(text))
    assert legal.count() == len(legal) == size
    assert sum(1 for _ in legal) == size


def test_it_is_a_sequence_like_the_list_of_its_members() -> None:
    legal = solver.legal(board("10 into 2TB 3TB 2TB 3 4T 2B"))
    listed = list(legal)
    assert listed == sorted(listed)
    assert [legal[i] for i in range(len(listed))] == listed
    assert legal[-1] == listed[-1]
    assert legal[3:9:2] == listed[3:9:2]
    assert legal[::-1] == listed[::-1]
    assert [legal.index(x) for x in listed] == list(range(len(listed)))
    assert listed[4] in legal
    assert legal.count(listed[4]) == 1
    assert (9, 9, 9, 9, 9, 9) not in legal
    assert "ABCDEF" not in legal
    with pytest.raises(IndexError, match="17 legal assignments"):
        legal[17]
    with pytest.raises(ValueError, match="not among"):
        legal.index((0, 0, 0, 0, 0, 10))
    assert legal.index(listed[4], -len(listed), -1) == listed.index(listed[4], -len(listed), -1)
    with pytest.raises(ValueError, match="not among"):
        legal.index(listed[-1], 0, -1)


def test_ranking_and_unranking_are_inverse_on_random_boards(many: int) -> None:
    rng = random.Random(11)
    for _ in range(many // 5):
        data = boards.random_board(rng, units=4)
        legal, expected = solver.legal(read_board(data)), oracle.legal(data)
        for rank in rng.sample(range(len(expected)), min(5, len(expected))):
            assert legal[rank] == expected[rank], data
            assert legal.index(expected[rank]) == rank, data


def test_the_first_is_known_at_once_on_boards_of_common_kinds(many: int) -> None:
    rng = random.Random(14)
    known = 0
    for _ in range(many):
        data = boards.random_board(rng, units=6)
        at_once = first(read_board(data))
        if at_once is not None:
            known += 1
            assert at_once == Legal(read_board(data))[0], data
    assert known > many / 2


def test_membership_is_known_at_once_on_boards_of_common_kinds(many: int) -> None:
    rng = random.Random(15)
    known = 0
    for _ in range(many):
        data = boards.random_board(rng, units=4)
        on, legal = read_board(data), set(oracle.legal(data))
        if contains(on, next(iter(legal))) is None:
            continue
        known += 1
        others = list(oracle.compositions(oracle.required_total(data), len(data["units"])))
        for points in {*legal, *rng.sample(others, min(20, len(others)))}:
            assert contains(on, points) == (points in legal), (data, points)
            assert contains(on, points) != bool(violations(Position(on, points))), (data, points)
            assert not points or not contains(on, (points[0] + 1, *points[1:])), data
    assert known > many / 3


def few_ways(pool: int, needs: list[int]) -> int:
    """Return how many assignments there are of plain units with more needs than points."""
    number = 0
    for chosen in product((0, 1), repeat=len(needs)):
        left = pool - sum(map(mul, chosen, needs))
        number += left == 0
        number += sum(
            not full and 0 < left < least for full, least in zip(chosen, needs, strict=True)
        )
    return number


def test_counts_of_few_units_and_many_points() -> None:
    rng = random.Random(16)
    for _ in range(40):
        pool = 10 ** rng.randint(3, 12)
        needs = [rng.randint(pool // 9, pool // 2) for _ in range(rng.randint(3, 9))]
        needs[0] += max(0, pool - sum(needs) + 1)
        on = board(f"{pool} into {' '.join(map(str, needs))}")
        expected = few_ways(pool, needs)
        assert solver.count(on) == Legal(on).count() == expected, on
        legal = Legal(on)
        assert sum(automaton.count() for automaton in legal.automata) == expected, on
        ranks = [rng.randrange(expected) for _ in range(3)]
        assert [legal.index(legal[rank]) for rank in ranks] == ranks, on
        assert all(solver.check(on, each) for each in legal.sample(3, seed=1)), on


def test_whether_it_is_in_the_set_is_told_where_it_is_too_large_to_be_counted() -> None:
    rng = random.Random(17)
    needs = [rng.randint(10**15, 4 * 10**16) for _ in range(40)]
    on = board(f"{sum(needs) // 2} into {' '.join(map(str, needs))}")
    full, left = [0] * 40, on.pool
    for u, least in enumerate(needs):
        full[u] = min(least, left)
        left -= full[u]
    legal = Legal(on)
    assert tuple(full) in legal
    assert tuple(reversed(full)) not in legal
    with pytest.raises(LimitReached):
        legal.index(full)


def test_a_time_limit_holds_whatever_is_asked() -> None:
    legal = solver.legal(board(f"{10**18} into {'1 ' * 100}"), time_limit=0.01)
    asked: list[Callable[[], object]] = [
        lambda: legal.sample(10**6, seed=1),
        lambda: legal[: 10**6],
        lambda: legal.marginals(),
        lambda: sum(1 for _ in legal),
    ]
    for ask in asked:
        with pytest.raises(LimitReached):
            ask()


def test_marginals_are_those_of_the_listing(many: int) -> None:
    rng = random.Random(12)
    for _ in range(many // 10):
        data = boards.random_board(rng, units=4)
        on, listed = read_board(data), oracle.legal(data)
        killed = [set(oracle.deaths(data, x)) for x in listed]
        for unit, (name, marginal) in enumerate(solver.legal(on).marginals().items()):
            assert marginal.points == Counter(x[unit] for x in listed), data
            assert marginal.kills == sum(name in names for names in killed), data


def test_arrays_hold_the_listing(many: int) -> None:
    rng = random.Random(13)
    for _ in range(many // 20):
        data = boards.random_board(rng, units=4)
        legal, listed = solver.legal(read_board(data)), oracle.legal(data)
        rows: Any = legal.to_numpy()
        assert rows.dtype == np.int64
        assert rows.shape == (len(listed), len(data["units"]))
        assert [tuple(row) for row in rows.tolist()] == listed
        pieces = list(legal.blocks(4))
        assert [tuple(row) for piece in pieces for row in piece.tolist()] == listed
        assert all(len(piece) == 4 for piece in pieces[:-1])


def test_samples_are_legal_repeatable_and_uniform() -> None:
    on = board("7 into 2TB 3 4 1T 2B 3")
    legal = solver.legal(on)
    size = legal.count()
    draws = 200 * size
    drawn = legal.sample(draws, seed=1)
    assert drawn == legal.sample(draws, seed=1) != legal.sample(draws, seed=2)
    counts = Counter(drawn)
    assert counts.keys() == set(legal)
    chi_square = sum((n - 200) ** 2 / 200 for n in counts.values())
    degrees = size - 1
    # Mean `degrees`, variance 2 * degrees; four deviations either way.
    assert abs(chi_square - degrees) < 4 * (2 * degrees) ** 0.5


def test_nothing_can_be_drawn_from_an_empty_set() -> None:
    impossible = solver.legal(board("2 into 3T 2"), kill=["B"])
    assert not impossible
    assert impossible.sample(0, seed=1) == []
    with pytest.raises(ValueError, match="no legal assignment"):
        impossible.sample(1, seed=1)
    with pytest.raises(ValueError, match="not -1"):
        impossible.sample(-1, seed=1)


def test_a_huge_pool_is_counted_and_sampled_at_once() -> None:
    on = board(f"{10**18} into 3 4T 5 6B 7TB 8 9 2 3 4")
    legal = solver.legal(on)
    left, units = 10**18 - 51, 10
    product = 1
    for i in range(1, units):
        product = product * (left + i) // i
    assert legal.count() == product
    for drawn in legal.sample(3, seed=5):
        assert solver.check(on, drawn)
        assert legal[legal.index(drawn)] == drawn


def test_many_units_are_counted_as_the_automata_do() -> None:
    rng = random.Random(16)
    for _ in range(20):
        data = boards.random_board(rng, units=rng.randint(50, 90))
        for reading in ("must_kill", "undamageable", "leftover"):
            data.get("readings", {}).pop(reading, None)
        on = read_board({**data, "pool": rng.randint(0, 120)})
        assert counting.count(on) == sum(each.count() for each in Legal(on).automata), data


def test_huge_needs_are_counted_by_their_sums() -> None:
    big = 10**17
    on = board(f"{3 * big} into {big} {big} {big} {big} {2 * big}")
    few = board("3 into 1 1 1 1 2")
    assert solver.count(on, kill=["A", "B", "C"]) == solver.count(few, kill=["A", "B", "C"]) == 1
    assert solver.kills(on)["A", "E"] == 1


def test_it_is_lazy_on_a_set_that_nobody_could_list() -> None:
    on = board("500 into " + "20 30 10T 15B 25TB " * 12)
    legal = solver.legal(on)
    assert legal.count() > 10**9
    first = next(iter(legal))
    assert first == legal[0]
    assert solver.check(on, first)


def operations(text: str) -> int:
    """How many operations on series it takes to count the legal assignments of a board."""
    done = 0

    class Counting(series.Packed):
        def shift(self, series: Any, points: int) -> Any:
            nonlocal done
            done += 1
            return super().shift(series, points)

        def add(self, left: Any, right: Any) -> Any:
            nonlocal done
            done += 1
            return super().add(left, right)

    on = board(text)
    total = total_of(on)
    for cell in compiled(on):
        if cell.has_room(total):
            Automaton(cell, total, Counting(total, 1 << 200)).count()
    assert done
    return done


def test_the_work_of_counting_grows_linearly_with_the_units() -> None:
    work = [operations(f"{10 * n} into " + "20 " * n) for n in (10, 20, 40, 80)]
    per_unit = [w / n for w, n in zip(work, (10, 20, 40, 80), strict=True)]
    assert max(per_unit) <= 1.5 * min(per_unit)


def test_the_number_of_operations_does_not_depend_on_the_pool() -> None:
    assert operations("20 into " + "9 " * 20) == operations("90 into " + "9 " * 20)


def test_the_same_set_is_compiled_once() -> None:
    on = board("5 into 3 3 3 3")
    assert solver.legal(on) is solver.legal(board("5 into 3 3 3 3"))
    assert isinstance(solver.legal(on), Legal)


def test_the_fast_engine_knows_every_rule_that_decides() -> None:
    deciding = {
        rule.slug for rules in DECIDING.values() for rule in rules if rule.kind == "constraint"
    }
    unknown = deciding - KNOWN
    assert not unknown, (
        f"the fast engine does not know {unknown}: put it into solver/cells.py and "
        "solver/counting.py, in_play of solver/explain.py, tests/oracle.py and tests/assignment.lp"
    )


def test_both_engines_answer_everything_alike(many: int) -> None:
    rng = random.Random(31)
    for _ in range(many // 75):
        on = read_board(boards.random_board(rng, units=4))
        exact, solved = solver.legal(on), solver.legal(on, engine="cp-sat")
        listed = list(exact)
        assert listed == list(solved)
        assert len(exact) == len(solved)
        assert exact[-1] == solved[-1]
        assert exact[1:7:2] == solved[1:7:2]
        assert exact.sample(3, seed=5) == solved.sample(3, seed=5)
        assert exact.marginals() == solved.marginals()
        assert exact.kill_sets() == solved.kill_sets()
        assert exact.to_numpy().tolist() == solved.to_numpy().tolist()
        assert [len(b) for b in exact.blocks(7)] == [len(b) for b in solved.blocks(7)]
        for points in (listed[0], [*listed[-1]], tuple(1 for _ in on.units), "x", (True,)):
            assert (points in exact) == (points in solved)
            assert exact.count(points) == solved.count(points)


def test_whole_numbers_of_any_kind_are_points_and_places() -> None:
    legal = solver.legal(board("5 into 3 3 3 3"))
    assert legal[np.int64(3)] == legal[3]
    assert np.array(legal[3]).tolist() in legal
    assert tuple(np.array(legal[3])) in legal
    assert (True, 0, 0, 0) not in legal
