"""Random combats in the JSON shape, small enough to play every pair of assignments."""

from __future__ import annotations

import random
from typing import Any

from boards import EDITIONS, READINGS, REPLACEMENTS, random_assigner
from simulator import LETTER, SIDES, UNITS, pools

Json = dict[str, Any]

LARGEST_POOL = 12


def random_combat(rng: random.Random, units: int = 3) -> Json:
    """Return a random combat of at most `units` units a side, small enough for every pair."""
    while True:
        combat = _random_sides(rng, units) | _random_settings(rng)
        if max(pools(combat).values()) <= LARGEST_POOL:
            return combat


def _random_sides(rng: random.Random, units: int) -> Json:
    combat: Json = {UNITS[side]: _random_side(rng, side, units) for side in SIDES}
    if rng.random() < 0.1:
        protection: Json = rng.choice(({"undamageable": True}, {"replacements": ["prevent all"]}))
        for unit in combat[UNITS[rng.choice(SIDES)]]:
            unit.update(protection)
    if rng.random() < 0.25:
        combat["arrivals"] = {
            UNITS[side]: [_random_unit(rng, f"Late {LETTER[side]}")]
            for side in SIDES
            if rng.random() < 0.6
        }
    return combat


def _random_side(rng: random.Random, side: str, units: int) -> list[Json]:
    count = rng.choices(range(units + 1), weights=(1, *(4**i for i in range(1, units + 1))))[0]
    return [_random_unit(rng, f"Unit {LETTER[side]} {i}") for i in range(count)]


def _random_unit(rng: random.Random, name: str) -> Json:
    unit: Json = {"might": rng.choices(range(-1, 5), weights=(1, 2, 6, 6, 5, 3))[0]}
    if rng.random() < 0.2:
        unit["name"] = name
    if rng.random() < 0.3:
        unit["marked"] = rng.choice((0, 1, 1, 2, max(1, unit["might"]), 5))
    for keyword in ("tank", "backline"):
        if rng.random() < 0.3:
            unit[keyword] = rng.random() < 0.9
    if rng.random() < 0.4:
        length = rng.choices(range(4), weights=(1, 6, 4, 1))[0]
        unit["replacements"] = rng.choices(REPLACEMENTS, weights=(5, 3, 2, 1, 1), k=length)
    for bonus in ("assault", "shield"):
        if rng.random() < 0.15:
            unit[bonus] = rng.randint(0, 2)
    for flag in ("undamageable", "stunned", "no_combat_damage"):
        if rng.random() < 0.08:
            unit[flag] = rng.random() < 0.9
    return unit


def _random_settings(rng: random.Random) -> Json:
    settings: Json = {side: random_assigner(rng) for side in SIDES if rng.random() < 0.3}
    if rng.random() < 0.7:
        settings["control"] = rng.choice(("attacker", "defender", "none", None))
    if rng.random() < 0.4:
        settings["scored_this_turn"] = [side for side in SIDES if rng.random() < 0.5]
    if rng.random() < 0.7:
        settings["edition"] = rng.choice(EDITIONS)
    if rng.random() < 0.5:
        settings["readings"] = {
            switch: rng.choice(values) for switch, values in READINGS.items() if rng.random() < 0.5
        }
    return settings
