"""Boards to test with: from notation, and in the JSON shape drawn by seed or by hypothesis.

Pools are drawn around the total need, so that boards with too few points, exactly enough and some
left over all occur often.
"""

from __future__ import annotations

import random
from typing import Any

import oracle
from hypothesis import strategies as st

from rules import Board, parse

Json = dict[str, Any]

LARGEST_POOL = 12
EDITIONS = ("465", "467", "460", "443", "439")
REPLACEMENTS = ("double", "prevent 1", "prevent 2", "prevent 3", "prevent all")
IGNORES: tuple[list[str], ...] = (["tank"], ["backline"], ["tank", "backline"])
READINGS = {
    "undamageable": ("skip", "optional"),
    "only_undamageable": ("assign", "nothing"),
    "prevent_all": ("sink", "exempt"),
    "leftover": ("any", "one_unit", "last_unit"),
    "must_kill": ("no", "yes"),
    "already_lethal": ("zero", "one"),
    "excess": ("applied", "raw"),
}


def board(text: str) -> Board:
    """Return the board that is written in one line."""
    question = parse(text)
    assert isinstance(question, Board)
    return question


def total_need(board: Json) -> int:
    """Return the points that make every unit lethal that can be."""
    return sum(least for least in oracle.need(board) if isinstance(least, int))


# --- seeded -------------------------------------------------------------------------------------


def random_board(rng: random.Random, *, units: int = 4, pool: int | None = None) -> Json:
    """Return a random board of at most `units` units, mostly of nearly as many."""
    count = max(0, units - rng.choices(range(5), weights=(25, 12, 6, 2, 1))[0])
    board: Json = {"pool": 0, "units": [_random_unit(rng, i) for i in range(count)]}
    if rng.random() < 0.1:
        for unit in board["units"]:
            unit.update(rng.choice(({"undamageable": True}, {"replacements": ["prevent all"]})))
    board.update(_random_settings(rng))
    board["pool"] = _random_pool(rng, total_need(board)) if pool is None else pool
    return board


def _random_unit(rng: random.Random, position: int) -> Json:
    unit: Json = {"might": rng.choices(range(-2, 6), weights=(1, 1, 2, 4, 5, 4, 2, 1))[0]}
    if rng.random() < 0.2:
        unit["name"] = f"Unit {position}"
    if rng.random() < 0.3:
        unit["marked"] = rng.choice((0, 1, 1, 2, max(1, unit["might"]), unit["might"] + 3))
    kind = rng.choice(("plain", "plain", "tank", "backline", "dual"))
    for keyword in ("tank", "backline"):
        if kind in (keyword, "dual"):
            unit[keyword] = True
        elif rng.random() < 0.1:
            unit[keyword] = False
    if rng.random() < 0.4:
        length = rng.choices((0, 1, 2, 3), weights=(1, 5, 4, 1))[0]
        unit["replacements"] = rng.choices(REPLACEMENTS, weights=(5, 3, 2, 1, 2), k=length)
    for bonus in ("assault", "shield"):
        if rng.random() < 0.15:
            unit[bonus] = rng.randint(0, 2)
    for flag in ("undamageable", "stunned", "no_combat_damage"):
        if rng.random() < 0.12:
            unit[flag] = rng.random() < 0.9
    return unit


def _random_settings(rng: random.Random) -> Json:
    settings: Json = {}
    if rng.random() < 0.5:
        settings["units_are"] = rng.choice(("defenders", "attackers"))
    if rng.random() < 0.3:
        settings["assigner"] = random_assigner(rng)
    if rng.random() < 0.6:
        settings["edition"] = rng.choice(EDITIONS)
    if rng.random() < 0.5:
        settings["readings"] = {
            switch: rng.choice(values) for switch, values in READINGS.items() if rng.random() < 0.6
        }
    return settings


def random_assigner(rng: random.Random) -> Json:
    """Return random options of whoever assigns."""
    assigner: Json = {}
    if rng.random() < 0.7:
        assigner["ignores"] = list(rng.choice(([], *IGNORES)))
    if rng.random() < 0.5:
        assigner["any_damage_is_lethal"] = rng.random() < 0.8
    return assigner


def _random_pool(rng: random.Random, needed: int) -> int:
    kind = rng.choices(("any", "short", "exact", "leftover"), weights=(1, 9, 3, 7))[0]
    pools = {
        "any": rng.randint(0, LARGEST_POOL),
        "short": rng.randint(min(1, needed), max(1, needed - 1)),
        "exact": needed,
        "leftover": needed + rng.randint(1, 4),
    }
    return min(pools[kind], LARGEST_POOL)


# --- hypothesis ---------------------------------------------------------------------------------


def _readings() -> st.SearchStrategy[Json]:
    choices = {switch: st.sampled_from(values) for switch, values in READINGS.items()}
    return st.fixed_dictionaries({}, optional=choices)


def _assigners() -> st.SearchStrategy[Json]:
    ignores = st.sampled_from(([], *IGNORES)).map(list)
    flag = st.booleans()
    return st.fixed_dictionaries({}, optional={"ignores": ignores, "any_damage_is_lethal": flag})


def units() -> st.SearchStrategy[Json]:
    """Return a strategy for units, shrinking towards a plain unit of Might 1."""
    flag, small = st.booleans(), st.integers(0, 2)
    return st.fixed_dictionaries(
        {"might": st.sampled_from((1, 2, 3, 0, 4, 5, -1, -2))},
        optional={
            "marked": st.integers(0, 6),
            "tank": flag,
            "backline": flag,
            "replacements": st.lists(st.sampled_from(REPLACEMENTS), max_size=3),
            "undamageable": flag,
            "assault": small,
            "shield": small,
            "stunned": flag,
            "no_combat_damage": flag,
        },
    )


@st.composite
def boards(draw: st.DrawFn, *, most_units: int = 4) -> Json:
    """Draw a board, shrinking towards few plain units and a small pool."""
    board: Json = {"pool": 0, "units": draw(st.lists(units(), max_size=most_units))}
    for i, unit in enumerate(board["units"]):
        if draw(st.integers(0, 5)) == 5:
            unit["name"] = f"Unit {i}"
    settings = st.fixed_dictionaries(
        {},
        optional={
            "units_are": st.sampled_from(("defenders", "attackers")),
            "assigner": _assigners(),
            "edition": st.sampled_from(EDITIONS),
            "readings": _readings(),
        },
    )
    board.update(draw(settings))
    needed = total_need(board)
    pools = st.one_of(st.integers(0, needed), st.just(needed), st.integers(needed, needed + 3))
    board["pool"] = min(draw(pools), LARGEST_POOL)
    return board
