"""Combats answered by the product and by the simulator, which share no code, side by side.

All fields, readings and editions occur on the random combats; `--boards N` sets how many there are.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import fights
import oracle
import pytest
import simulator
from simulator import SIDES

import solver
from rules.wire import read_combat

Json = dict[str, Any]
Pair = tuple[tuple[int, ...], tuple[int, ...]]

NAMED_ALIKE = ("applied", "dealt", "excess", "dead", "recalled", "result", "control", "conquer")


def sample(seed: int, number: int) -> Iterator[Json]:
    """Return random combats."""
    rng = random.Random(seed)
    return (fights.random_combat(rng) for _ in range(number))


def answered(combat: Json) -> Any:
    """Return the product's answer."""
    return solver.combat(read_combat(combat))


def key(told: Any) -> simulator.Outcome:
    """Return an outcome of the product in the form of the simulator."""
    dead, recalled = tuple(told.dead), tuple(told.recalled)
    return dead, recalled, told.result, told.control, told.conquer, told.restaged


def random_pair(rng: random.Random, combat: Json) -> Pair:
    """Return an assignment that is legal for each side."""
    legal = simulator.assignments(combat)
    return rng.choice(legal["attacker"]), rng.choice(legal["defender"])


def by_name(combat: Json, side: str, assigned: tuple[int, ...]) -> dict[str, int]:
    """Return an assignment as an object that leaves units without points out."""
    names = oracle.names(simulator.board(combat, side))
    return {name: amount for name, amount in zip(names, assigned, strict=True) if amount}


def with_assignments(rng: random.Random, combat: Json, pair: Pair) -> Json:
    """Return the combat with both assignments given, as lists or as objects."""
    chosen: Json = {}
    for side, assigned in zip(SIDES, pair, strict=True):
        forms = (list(assigned), by_name(combat, side, assigned))
        chosen[f"{side}_assigns"] = rng.choice(forms)
    return combat | chosen


# --- what may be assigned -----------------------------------------------------------------------


def test_pools_and_counts_are_those_of_the_oracle(many: int) -> None:
    for combat in sample(1, many // 2):
        answer = answered(combat)
        assert answer.pools == simulator.pools(combat), combat
        counts = {side: len(legal) for side, legal in simulator.assignments(combat).items()}
        assert answer.counts == counts, combat


# --- what can happen ----------------------------------------------------------------------------


def test_the_outcomes_and_their_ways_are_those_of_playing_every_pair(many: int) -> None:
    for combat in sample(2, many):
        told = list(answered(combat).outcomes)
        ways = {key(outcome): outcome.ways for outcome in told}
        assert len(ways) == len(told), combat
        assert ways == simulator.outcomes(combat), combat


def test_every_example_is_legal_and_leads_to_its_outcome(many: int) -> None:
    for combat in sample(3, many // 2):
        boards = [simulator.board(combat, side) for side in SIDES]
        for outcome in answered(combat).outcomes:
            for question, assigned in zip(boards, outcome.example, strict=True):
                assert oracle.is_legal(question, assigned), combat
            played = simulator.play(combat, *outcome.example)
            assert simulator.outcome(played) == key(outcome), combat


def test_what_each_side_can_guarantee_is_what_trying_everything_finds(many: int) -> None:
    for combat in sample(4, many // 4):
        guarantees = answered(combat).guarantees
        for fact in simulator.FACTS:
            told = {side: guarantees[side][fact] for side in SIDES}
            assert {s: set(v) for s, v in told.items()} == simulator.guaranteed(combat, fact), (
                combat
            )
            assert all(len(set(values)) == len(values) for values in told.values()), combat


def test_the_kinds_of_endings_are_those_of_playing_every_pair(many: int) -> None:
    facts = (*simulator.FACTS, "restaged")
    for combat in sample(9, many // 4):
        ends = answered(combat).endings.values()
        told = {tuple(getattr(end, fact) for fact in facts) for end in ends}
        played = [play for row in simulator.plays(combat) for play in row]
        assert told == {tuple(play[fact] for fact in facts) for play in played}, combat


def test_a_side_decides_alone_where_the_other_cannot_change_the_outcome(many: int) -> None:
    for combat in sample(10, many // 4):
        rows = [[simulator.outcome(play) for play in row] for row in simulator.plays(combat)]
        alone = {
            "attacker": all(len(set(row)) == 1 for row in rows),
            "defender": all(len(set(column)) == 1 for column in zip(*rows, strict=True)),
        }
        answer = answered(combat)
        assert answer.decides == tuple(side for side in SIDES if alone[side]), combat
        assert (answer.forced is not None) == all(alone.values()), combat


def test_one_assignment_leaves_the_outcomes_of_its_row_or_column(many: int) -> None:
    rng = random.Random(11)
    for combat in sample(11, many // 4):
        pair = random_pair(rng, combat)
        side = rng.choice(SIDES)
        request = with_assignments(rng, combat, pair)
        del request[f"{simulator.OTHER[side]}_assigns"]
        answers = [
            (pair[0], other) if side == "attacker" else (other, pair[1])
            for other in simulator.assignments(combat)[simulator.OTHER[side]]
        ]
        played = Counter(simulator.outcome(simulator.play(combat, *each)) for each in answers)
        left = answered(request)
        assert {key(way): way.ways for way in left.remaining} == played, request
        assert {end.result for end in left.endings_left} == {told[2] for told in played}, request
        assert {end.conquer for end in left.endings_left} == {told[4] for told in played}, request


# --- what happens when both have assigned -------------------------------------------------------


def test_with_legal_assignments_what_happens_is_what_the_simulator_plays(many: int) -> None:
    rng = random.Random(5)
    for combat in sample(5, many):
        pair = random_pair(rng, combat)
        request = with_assignments(rng, combat, pair)
        answer, played = answered(request), simulator.play(combat, *pair)
        assert not answer.violations, request
        told = {fact: getattr(answer.outcome, fact) for fact in NAMED_ALIKE}
        assert told == {fact: played[fact] for fact in NAMED_ALIKE}, request
        assert answer.outcome.restaged == played["restaged"], request


def test_the_replacements_left_are_those_the_simulator_did_not_use_up(many: int) -> None:
    rng = random.Random(8)
    for combat in sample(8, many // 2):
        pair = random_pair(rng, combat)
        outcome = answered(with_assignments(rng, combat, pair)).outcome
        assert outcome.left == simulator.play(combat, *pair)["left"], (combat, pair)


@pytest.mark.parametrize("missing", SIDES)
def test_without_both_assignments_there_is_no_single_outcome(missing: str, many: int) -> None:
    rng = random.Random(6)
    for combat in sample(6, many // 10):
        request = with_assignments(rng, combat, random_pair(rng, combat))
        del request[f"{missing}_assigns"]
        answer = answered(request)
        assert answer.outcome is None, request
        assert not answer.violations, request


@pytest.mark.parametrize("wrong", SIDES)
def test_an_illegal_assignment_has_violations_and_no_outcome(wrong: str, many: int) -> None:
    rng = random.Random(7)
    for combat in sample(7, many // 4):
        pair = random_pair(rng, combat)
        request = with_assignments(rng, combat, pair)
        trial = list(pair[SIDES.index(wrong)])
        rng.shuffle(trial)
        request[f"{wrong}_assigns"] = trial
        answer, legal = answered(request), oracle.is_legal(simulator.board(combat, wrong), trial)
        assert (answer.outcome is not None) == legal, request
        assert (not answer.violations) == legal, request
