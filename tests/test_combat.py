"""Both sides of a combat: the published vectors, outcomes, guarantees, and what is conserved."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import fights
import pytest
from msgspec.structs import replace

import solver
from rules import BadRequest, Combat, Unit, parse
from rules.board import SIDES
from rules.lethal import is_exempt
from rules.resolution import Ending, deal, ending, question
from rules.wire import read_combat
from solver import exact, outcomes
from solver.limits import Clock, LimitReached
from solver.outcomes import CombatAnswer

Json = dict[str, Any]
VECTORS = [
    json.loads(line)
    for name in ("combat.jsonl", "combat_assigned.jsonl")
    for line in (Path(__file__).parent / "vectors" / name).read_text().splitlines()
]


def asked(vector: Json, **assigned: Any) -> Combat:
    fields = {k: v for k, v in vector["request"].items() if k != "op"}
    return read_combat({**fields, **assigned})


def combat(text: str, **assigned: Any) -> CombatAnswer:
    fight = parse(text)
    assert isinstance(fight, Combat)
    return solver.combat(replace(fight, **assigned))


def named(vector: Json) -> str:
    return f"{vector['id']}-{vector['note'].split(':')[0]}"


@pytest.mark.parametrize("vector", VECTORS, ids=named)
class TestVectors:
    def test_pools_counts_and_needs(self, vector: Json) -> None:
        expected, answer = vector["expect"], solver.combat(asked(vector))
        assert expected.get("pools", {}).items() <= answer.pools.items()
        assert expected.get("counts", {}).items() <= answer.counts.items()
        units = {
            role: [unit.name for unit in getattr(answer.combat, role)]
            for role in ("attackers", "defenders")
        }
        needs = {
            name: least
            for role, names in units.items()
            for name, least in zip(names, answer.needs[role], strict=True)
        }
        assert expected.get("need", {}).items() <= needs.items()

    def test_what_each_side_may_give(self, vector: Json) -> None:
        answer = solver.combat(asked(vector))
        for row in vector["expect"].get("legal", []):
            assert solver.check(answer.boards[row["by"]], row["give"])
        for row in vector["expect"].get("illegal", []):
            verdict = solver.check(answer.boards[row["by"]], row["give"])
            assert row["why"] in [violation.number for violation in verdict.violations]

    def test_how_it_ends(self, vector: Json) -> None:
        expected = vector["expect"]
        for row in expected.get("outcomes", []):
            given = {k: row[k] for k in ("attacker_assigns", "defender_assigns")}
            outcome = solver.combat(asked(vector, **given)).outcome
            assert outcome is not None
            for field in row.keys() - given.keys() - {"dealt"}:
                assert _plain(getattr(outcome, field)) == row[field], field
            assert row.get("dealt", {}).items() <= outcome.dealt.items()
        if "outcome" in expected:
            outcome = solver.combat(asked(vector)).outcome
            assert outcome is not None
            assert bool(outcome.recalled) == expected["anyone_recalled"]
            for field, value in expected["outcome"].items():
                if field == "excess":
                    assert value.items() <= outcome.excess.items()
                else:
                    assert _plain(getattr(outcome, field)) == value, field

    def test_excess_whatever_is_assigned(self, vector: Json) -> None:
        for side, points in vector["expect"].get("excess", {}).items():
            answer = solver.combat(asked(vector))
            example = answer.outcomes[0].example
            given = dict(zip(("attacker_assigns", "defender_assigns"), example, strict=True))
            outcome = solver.combat(asked(vector, **given)).outcome
            assert outcome is not None
            assert outcome.excess[side] == points


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def random_combats(seed: int, number: int) -> list[tuple[Combat, random.Random]]:
    rng = random.Random(seed)
    return [(read_combat(fights.random_combat(rng)), rng) for _ in range(number)]


def test_points_are_conserved_unit_by_unit(many: int) -> None:
    for fight, rng in random_combats(31, many // 2):
        for side in SIDES:
            board = question(fight, side)
            legal = solver.legal(board)
            assignment = rng.choice(legal)
            takers = any(not is_exempt(unit, board) for unit in board.units)
            if takers:
                assert sum(assignment) == board.pool
            for unit, raw in zip(board.units, assignment, strict=True):
                dealt = deal(unit, raw, board)
                assert raw + dealt.doubled - dealt.prevented == dealt.points
                assert min(dealt.points, dealt.doubled, dealt.prevented) >= 0


def test_nobody_is_both_dead_and_recalled(many: int) -> None:
    for fight, _ in random_combats(32, many // 4):
        answer = solver.combat(fight)
        for way in answer.outcomes:
            assert not set(way.dead) & set(way.recalled)
            assert set(way.recalled) <= {unit.name for unit in fight.attackers}
        pairs = answer.counts["attacker"] * answer.counts["defender"]
        assert sum(way.ways for way in answer.outcomes) == pairs


def test_a_prevent_value_is_used_up_by_what_it_prevented() -> None:
    answer = combat("3 vs 5P2x2P9", attacker_assigns=(3,), defender_assigns=(5,))
    assert answer.outcome is not None
    # 3 points: 2 prevented, the 1 left doubled to 2, both prevented by the 9.
    assert answer.outcome.dealt["D1"] == 0
    assert answer.outcome.left["D1"] == ("double", "prevent 7")


def test_doubling_that_counts_at_assignment_is_not_done_again() -> None:
    answer = combat("3 vs 6x2", attacker_assigns=(3,), defender_assigns=(6,))
    assert answer.outcome is not None
    assert answer.outcome.applied["D1"] == answer.outcome.dealt["D1"] == 6


def test_before_465_doubling_acts_when_damage_is_dealt() -> None:
    answer = combat("3 vs 6x2 --edition 460", attacker_assigns=(3,), defender_assigns=(6,))
    assert answer.outcome is not None
    assert (answer.outcome.applied["D1"], answer.outcome.dealt["D1"]) == (3, 6)
    assert answer.outcome.dead == ("A1", "D1")


def test_one_choice_leaves_the_ways_that_it_leaves() -> None:
    answer = combat("5 vs 3 3", attacker_assigns=(3, 2))
    assert answer.outcome is None
    assert len(answer.outcomes) == 2
    assert [way.dead for way in answer.remaining] == [("A1", "D1")]
    assert answer.remaining[0].example == ((3, 2), (6,))


def test_an_illegal_choice_is_told_with_its_side() -> None:
    answer = combat("5 vs 3 3", attacker_assigns=(4, 1), defender_assigns=(6,))
    assert answer.outcome is None
    assert [violation.rule for violation in answer.illegal["attacker"]] == ["no_over_assignment"]
    assert answer.violations == answer.illegal["attacker"]


def test_where_there_is_one_ending_it_is_forced() -> None:
    forced = combat("3 2 vs 3 2").forced
    assert forced is not None
    assert forced.dead == ("A1", "A2", "D1", "D2")
    assert combat("5 vs 3 3").forced is None


def test_where_neither_side_has_a_choice_no_kill_sets_are_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(exact.Legal, "kill_sets")
    ones = " ".join(["1"] * 60)
    answer = combat(f"{ones} vs {ones}")
    assert [(way.ways, len(way.dead)) for way in answer.outcomes] == [(1, 120)]
    assert answer.forced == answer.outcomes[0]


def test_what_a_side_can_force_and_what_not() -> None:
    # In 443 Prevent counts only when damage is dealt: each Defender needs 2 and dies of 5, so it
    # is for the Attacker to kill both, and win, or to leave one alive.
    answer = combat("10 vs 2P3 2P3 --edition 443")
    assert set(answer.guarantees["attacker"]["result"]) == {"attacker_won", "no_result"}
    assert set(answer.guarantees["attacker"]["conquer"]) == {True, False}
    assert answer.guarantees["defender"] == {"result": (), "control": (), "conquer": ()}


def test_where_pools_decide_everything_both_sides_are_sure_of_it() -> None:
    sure = {"result": ("no_result",), "control": ("defender",), "conquer": (True,)}
    answer = combat("4 vs 3 3Z --control none")
    assert answer.guarantees == {"attacker": sure, "defender": sure}


def test_an_absent_side_has_the_one_empty_assignment() -> None:
    answer = combat("3 vs")
    assert answer.counts == {"attacker": 1, "defender": 1}
    assert [way.result for way in answer.outcomes] == ["attacker_won"]


def test_many_outcomes_are_found_without_listing_pairs() -> None:
    answer = combat("5 5 5 5 5 5 5 5 vs 8 9 6 8 7 9 6 8")
    assert answer.pools == {"attacker": 40, "defender": 61}
    assert sum(way.ways for way in answer.outcomes) == 160 * 1184040


def test_outcomes_are_a_sequence() -> None:
    outcomes = combat("5 4 3 3 vs 4 4 4 5").outcomes
    listed = list(outcomes)
    assert len(outcomes) == len(listed) == 4
    assert outcomes[-1] == listed[3]
    assert outcomes[1:3] == listed[1:3]
    with pytest.raises(IndexError):
        outcomes[4]


def test_an_outcome_is_made_only_when_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(fight: Combat, dead: Iterable[str]) -> Ending:
        made.append(dead)
        return ending(fight, dead)

    monkeypatch.setattr(outcomes, "ending", counted)
    answer = combat("1P1 2P2 3P3 4P1 5P2 6P3 7P1 8P2 vs 1P1 2P2 3P3 4P1 5P2 6P3 7P1 8P2")
    assert len(answer.outcomes) > 1000
    assert not made
    assert set(answer.outcomes[1000].dead) == set(made[0])
    assert len(made) == 1


def test_what_is_certain_needs_no_kill_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(exact.Legal, "kill_sets")
    # So many units have more kill sets than could ever be found.
    strong = " ".join(str(might) for might in range(100, 140))
    answer = combat(f"{strong} vs {strong} 900")
    assert answer.guarantees["attacker"]["result"] == ("defender_won",)
    assert answer.guarantees["defender"]["conquer"] == (False,)
    assert answer.decides == ("attacker",)


def test_both_assignments_are_played_at_once_however_many_units(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(exact.Legal, "kill_sets")
    units = tuple(Unit(might=10**15) for _ in range(1000))
    given = tuple(10**15 for _ in range(1000))
    fight = Combat(attackers=units, defenders=units, attacker_assigns=given, defender_assigns=given)
    outcome = solver.combat(fight).outcome
    assert outcome is not None
    assert len(outcome.dead) == 2000
    assert outcome.control == "uncontrolled"


def test_a_time_limit_stops_kill_sets_and_examples_and_nothing_else() -> None:
    answer = CombatAnswer(combat("5 4 3 3 vs 4 4 4 5").combat, time_limit=1e-9)
    with pytest.raises(LimitReached):
        len(answer.outcomes)
    assert answer.counts == {"attacker": 4, "defender": 10}
    assert answer.pools == {"attacker": 15, "defender": 17}


def test_a_time_limit_that_ends_among_the_examples_tells_how_many_outcomes_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = combat("5 4 3 3 vs 4 4 4 5")
    outcomes, first = answer.outcomes, answer.outcomes[0]
    monkeypatch.setattr(answer, "_clock", Clock(0))
    with pytest.raises(LimitReached) as stopped:
        outcomes[1]
    assert stopped.value.at_least == 4
    assert first.ways == 10


def test_a_pool_beyond_the_limit_is_refused() -> None:
    with pytest.raises(BadRequest) as refused:
        combat(f"{10**18} 1 vs 3")
    assert (refused.value.code, refused.value.path) == ("limit", "$.attackers")
    assert "attackers adds up" in refused.value.message
