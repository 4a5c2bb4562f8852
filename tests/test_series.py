"""The three ways to keep a counting series agree, coefficient by coefficient."""

from __future__ import annotations

import random

from solver.series import Packed, Reach, Sparse


def test_packed_sparse_and_reachable_series_agree(many: int) -> None:
    rng = random.Random(7)
    for _ in range(many):
        limit = rng.randint(5, 60)
        sparse, packed, reach = Sparse(limit), Packed(limit, 10**12), Reach(limit)
        algebras = (sparse, packed, reach)
        series = [algebra.one for algebra in algebras]
        for _ in range(rng.randint(1, 4)):
            low = rng.randint(0, 15)
            high = rng.choice((low, low + rng.randint(0, 20), None))
            spread = [a.spread(s, low, high) for a, s in zip(algebras, series, strict=True)]
            if rng.random() < 0.5:
                both = zip(algebras, series, spread, strict=True)
                spread = [a.add(old, new) for a, old, new in both]
            series = spread
        ways = [sparse.at(series[0], points) for points in range(limit + 1)]
        assert ways == [packed.at(series[1], points) for points in range(limit + 1)]
        assert [n > 0 for n in ways] == [reach.at(series[2], p) > 0 for p in range(limit + 1)]
        low, high = rng.randint(-3, limit), rng.randint(0, limit)
        spendable = [points for points in range(high, max(low, 0) - 1, -1) if ways[points]]
        for algebra, one in zip(algebras, series, strict=True):
            opened = algebra.opened(one)
            assert list(opened.support(low, high)) == spendable
            if algebra is not reach and low <= high:
                assert opened.between(low, high) == sum(ways[max(low, 0) : high + 1])
        for algebra, one in ((sparse, series[0]), (reach, series[2])):
            assert algebra.highest(one, low, high) == (spendable[0] if spendable else None)


def test_a_sparse_series_skips_what_is_empty() -> None:
    algebra = Sparse(10**18)
    near, far = algebra.spread(algebra.one, 1, 5), algebra.spread(algebra.one, 10**17, None)
    both = algebra.opened(algebra.add(near, far))
    assert list(both.support(0, 10**17)) == [10**17, 5, 4, 3, 2, 1]
