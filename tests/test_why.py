"""Why a demand can or cannot be met: yes exactly where it can, no with reasons that are reasons."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

import boards
import oracle

from rules import Board
from rules.position import Position
from rules.rulebook import DECIDING
from rules.wire import read_board
from solver.reasons import Answer, Reason, why

Json = dict[str, Any]
HIGHEST_POOL = 6


class Asked(NamedTuple):
    """A random board in the JSON shape, and a demand on it."""

    data: Json
    kill: tuple[str, ...]
    spare: tuple[str, ...]
    give: dict[str, int]

    @property
    def board(self) -> Board:
        return read_board(self.data)

    def is_met_by(self, data: Json, points: tuple[int, ...]) -> bool:
        """Tell whether points on these units are what is demanded, as the oracle sees it."""
        dead = oracle.deaths(data, points)
        given = dict(zip(oracle.names(data), points, strict=True))
        return (
            all(name in dead for name in self.kill)
            and not any(name in dead for name in self.spare)
            and all(given[name] == x for name, x in self.give.items())
        )

    def without_the_obvious(self) -> Asked:
        """Drop deaths and survivals that follow from given points, and would not on bare units."""
        bare = having_only(self.data, [])
        settled = {
            name
            for name, unit, plain in zip(
                oracle.names(self.data), self.data["units"], bare["units"], strict=True
            )
            if name in self.give
            and oracle.dies(self.data, unit, self.give[name]) == (name in self.kill)
            and oracle.dies(bare, plain, self.give[name]) != (name in self.kill)
        }
        kill = tuple(name for name in self.kill if name not in settled)
        spare = tuple(name for name in self.spare if name not in settled)
        return self._replace(kill=kill, spare=spare)

    def answer(self, **options: Any) -> Answer:
        return why(self.board, kill=self.kill, spare=self.spare, give=self.give, **options)


def demands(seed: int, number: int) -> Iterator[Asked]:
    """Yield random boards with random demands on them, many of which cannot be met."""
    rng = random.Random(seed)
    for _ in range(number):
        data = boards.random_board(rng, units=3)
        data["pool"] = min(data["pool"], HIGHEST_POOL)
        wishes: dict[str, list[str]] = {"kill": [], "spare": [], "give": [], "": []}
        for name in oracle.names(data):
            wishes[rng.choice(("kill", "spare", "give", ""))].append(name)
            if rng.random() < 0.05:
                wishes["give"].append(name)
        give = {name: rng.randint(0, data["pool"] + 1) for name in wishes["give"]}
        yield Asked(data, tuple(wishes["kill"]), tuple(wishes["spare"]), give)


def left(asked: Asked, rules: Collection[str], facts: Iterable[Json]) -> bool:
    """Tell by brute force whether these rules alone leave what is demanded, with these facts."""
    data = having_only(asked.data, list(facts))
    board = read_board(data)
    kept = [rule for rule in DECIDING[board.edition] if rule.slug in rules]
    amounts = [*oracle.need(data), *oracle.death(data), *asked.give.values(), board.pool]
    highest = max(x for x in amounts if isinstance(x, int)) + 1
    ranges = [
        (asked.give[name],) if name in asked.give else range(highest + 1) for name in board.names
    ]
    for points in product(*ranges):
        if asked.is_met_by(data, points):
            position = Position(board, points)
            if not any(any(rule.violations(position)) for rule in kept):
                return True
    return False


def having_only(data: Json, facts: list[Json]) -> Json:
    """Return the board with nothing printed on its units but these facts."""
    units = []
    for name, unit in zip(oracle.names(data), oracle.units_of(data), strict=True):
        mine = [fact for fact in facts if fact["unit"] == name]
        kinds = {fact["kind"] for fact in mine}
        steps = [fact["step"] for fact in mine if fact["kind"] == "replacement"]
        units.append(
            {"name": name, "might": unit["might"]}
            | {kind: unit[kind] for kind in kinds - {"replacement"}}
            | {"replacements": [unit["replacements"][step] for step in sorted(steps)]}
        )
    return {**data, "units": units}


def members(reason: Reason) -> tuple[list[str], list[Json]]:
    """Return the ids of the rules of a reason and its facts as data."""
    facts = [
        {"unit": fact.unit, "kind": fact.kind, "step": fact.step, "text": fact.text}
        for fact in reason.facts
    ]
    return [cited.rule for cited in reason.rules], facts


def test_the_answer_is_yes_exactly_where_an_assignment_meets_the_demand(many: int) -> None:
    yes = 0
    for asked in demands(1, many // 3):
        meeting = [x for x in oracle.legal(asked.data) if asked.is_met_by(asked.data, x)]
        answer = asked.answer()
        assert answer.possible == bool(meeting), asked
        assert answer.example == (meeting[0] if meeting else None), asked
        yes += answer.possible
    assert 0.1 < yes / (many // 3) < 0.9


def test_every_reason_forbids_the_demand_and_nothing_of_it_can_be_left_out(many: int) -> None:
    reasons = 0
    for asked in demands(2, many // 10):
        answer = asked.answer()
        if answer.possible or answer.contradiction:
            assert answer.reasons == ()
            continue
        assert answer.reasons is not None
        rules, facts = members(answer.reasons[0])
        asked = asked.without_the_obvious()
        assert not left(asked, rules, facts), asked
        for rule in rules:
            assert left(asked, [r for r in rules if r != rule], facts), (asked, rule)
        for fact in facts:
            assert left(asked, rules, [f for f in facts if f != fact]), (asked, fact)
        reasons += 1
    assert reasons > many // 30


def test_all_reasons_are_reasons_and_none_contains_another(many: int) -> None:
    several = 0
    for asked in demands(3, many // 30):
        answer = asked.answer(all_reasons=True)
        if answer.possible or answer.contradiction:
            continue
        assert answer.reasons
        assert answer.complete
        asked = asked.without_the_obvious()
        sets = [
            {*answer.reasons[i].rules, *answer.reasons[i].facts} for i in range(len(answer.reasons))
        ]
        assert not any(a < b for a in sets for b in sets), asked
        for reason in answer.reasons:
            rules, facts = members(reason)
            assert not left(asked, rules, facts), asked
            assert all(left(asked, [r for r in rules if r != one], facts) for one in rules), asked
            assert all(left(asked, rules, [f for f in facts if f != one]) for one in facts), asked
        several += len(answer.reasons) > 1
    assert several
