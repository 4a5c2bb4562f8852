"""The boards that are measured, all from a seed, in the JSON shape of the interface."""

from __future__ import annotations

import random
from itertools import count
from typing import Any, Final

import msgspec

from rules import Board, Unit, parse
from rules.wire import read_board

Json = dict[str, Any]
Assignment = tuple[int, ...]

MANY: Final = "30 into 2 2 2 2 2 2"
"""The board with 33,649 legal assignments."""
LISTED: Final = (
    MANY,
    "35 into 3T 4 2x2 3P1 5B 2TB 4/1 3",
    "27 into 3 4 3 4 5 3 4 5 3 4 5 3 4 3 6 5",
    "30 into 4TB 3 5TB 4 6 3 5 4 6TB 3 5 4 3 5B 4B 5",
)
HUGE: Final = (
    "1000000000000000000 into 2 3T 4 5B 1 2 3TB 4 5 6",
    "1000000000000000000 into 1{0}T 2{0} 3{0} 4{0} 5{0}TB 21{1} 22{1} 23{1}B 24{1}B 25{1}B".format(
        "0" * 17, "0" * 16
    ),
)
"""As large as numbers may be: with points left over, and with points for half the units."""
COMBAT: Final = "5A2 3Z 4 vs Caitlyn:3B 4TS1 2x2 3TB"

_PLAIN: Final = {k: v for k, v in msgspec.to_builtins(Unit(might=0)).items() if k != "might"}
_tags = count()


def written(text: str) -> Json:
    """The board that a line of notation means, its units without names."""
    board = parse(text)
    assert isinstance(board, Board)
    return {"pool": board.pool, "units": [_shortest(unit) for unit in board.units]}


def _shortest(unit: Unit) -> Json:
    """A unit without its name and without the fields at their default."""
    fields = msgspec.to_builtins(unit).items()
    return {k: v for k, v in fields if k != "name" and v != _PLAIN.get(k)}


def fresh(data: Json) -> Board:
    """A board like no other: the same units under names that were never used before."""
    tag = next(_tags)
    units = [{**unit, "name": f"u{tag}.{i}"} for i, unit in enumerate(data["units"])]
    return read_board({**data, "units": units})


def total_need(data: Json) -> int:
    """The points that make everybody lethal who can be."""
    import solver

    return sum(n for n in solver.need(read_board(data)) if isinstance(n, int))


def typical(rng: random.Random, least: int = 2, most: int = 8) -> Json:
    """A board as a game may have it, with a pool around the total need."""
    data = {"pool": 0, "units": [_unit(rng) for _ in range(rng.randint(least, most))]}
    return {**data, "pool": max(1, round(total_need(data) * rng.uniform(0.5, 1.3)))}


def _unit(rng: random.Random) -> Json:
    unit: Json = {"might": rng.choices(range(1, 8), weights=(2, 5, 6, 5, 3, 2, 1))[0]}
    unit |= rng.choices(({}, {"tank": True}, {"backline": True}), weights=(15, 3, 2))[0]
    if rng.random() < 0.05:
        unit |= {"tank": True, "backline": True}
    if unit["might"] > 1 and rng.random() < 0.2:
        unit["marked"] = rng.randint(1, unit["might"] - 1)
    steps: tuple[list[str], ...] = ([], ["double"], ["prevent 1"], ["prevent 2"], ["prevent all"])
    if chosen := rng.choices(steps, weights=(45, 3, 3, 2, 1))[0]:
        unit["replacements"] = chosen
    if rng.random() < 0.03:
        unit["undamageable"] = True
    return unit


def in_full(rng: random.Random, data: Json) -> Json:
    """The same board with every field spelled out, its units called by some of 300 names."""
    names = rng.sample(range(300), len(data["units"]))
    units = [
        {**unit, "name": f"Sentinel {n}"} for unit, n in zip(data["units"], names, strict=True)
    ]
    told: Json = msgspec.to_builtins(read_board({**data, "units": units}))
    return told


def near(rng: random.Random, data: Json) -> Assignment:
    """A legal assignment or, as often, one with a point or two on another unit."""
    import solver

    points = list(solver.legal(read_board(data)).sample(1, seed=rng.randrange(2**32))[0])
    if rng.random() < 0.5 and any(points):
        giver = rng.choice([u for u, x in enumerate(points) if x])
        moved = rng.randint(1, min(2, points[giver]))
        points[giver] -= moved
        points[rng.randrange(len(points))] += moved
    return tuple(points)


def mixed(rng: random.Random, units: int, most: int = 20, pool: int | None = None) -> Json:
    """Many units of all tiers and duals that need 1 to `most`; half the total need as the pool."""
    tiers = ({}, {"tank": True}, {"backline": True}, {"tank": True, "backline": True})
    fighters: list[Json] = [
        {"might": rng.randint(max(1, most // 20), most), **rng.choices(tiers, (8, 5, 4, 3))[0]}
        for _ in range(units)
    ]
    half = sum(unit["might"] for unit in fighters) // 2
    return {"pool": half if pool is None else pool, "units": fighters}
