"""What is told of a combat: by `lethal combat`, in text and JSON, and by the op of `batch`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from command_line import Ended, Lethal
from rich.cells import cell_len

from rules import parse
from rules.board import Combat
from solver import exact
from solver.answers import answer
from solver.limits import OUT_OF_TIME, LimitReached

Json = dict[str, Any]

FOUR = ("5", "4", "3", "3", "vs", "4", "4", "4", "5")
"""A combat with four outcomes: the Attacker's pool kills all but one, the Defender's all."""
WHOLE = ["pools", "need", "counts", "outcomes", "guarantees", "decides"]
"""What the JSON of a combat has in which nobody has assigned and nothing is cut."""

Combats = Callable[..., Ended]


@pytest.fixture
def combats(lethal: Lethal) -> Combats:
    """The command `lethal combat` in this process."""
    return partial(lethal, "combat")


@pytest.fixture
def _no_kill_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time limit be over as soon as kill sets are looked for, three being found."""

    def stopped(legal: exact.Legal) -> dict[Any, int]:
        raise LimitReached(OUT_OF_TIME, 3)

    monkeypatch.setattr(exact.Legal, "kill_sets", stopped)


def asked(*tokens: str, **fields: Any) -> Json:
    """Ask the op of `batch` about a combat in notation."""
    fight = parse(" ".join(tokens))
    assert isinstance(fight, Combat)
    units = {
        role: [{"might": unit.might} for unit in getattr(fight, role)]
        for role in ("attackers", "defenders")
    }
    return answer({"op": "combat", **units, **fields})


# --- how much is listed -------------------------------------------------------------------------


def test_a_list_of_outcomes_is_cut_by_its_limit_and_says_of_how_many(combats: Combats) -> None:
    told = combats(*FOUR, "--limit", "3")
    assert told.status == 0
    assert "The first 3 of 4 outcomes; --limit 0 shows all." in told.out
    assert told.out.count("defender won") == 3
    for limit in ("0", "4"):
        whole = combats(*FOUR, "--limit", limit)
        assert "outcomes" not in whole.out
        assert whole.out.count("defender won") == 4


def test_json_that_is_cut_says_so_with_the_exact_number(combats: Combats) -> None:
    told = combats(*FOUR, "--limit", "1", "--json")
    assert told.status == 0
    assert told.data["truncated"] is True
    assert told.data["outcome_count"] == 4
    assert told.data["outcomes"] == combats(*FOUR, "--json").data["outcomes"][:1]


def test_json_that_is_not_cut_does_not_speak_of_it(combats: Combats) -> None:
    assert list(combats(*FOUR, "--json").data) == [*WHOLE, "depends_on"]
    assert list(combats(*FOUR, "--limit", "4", "--json").data) == [*WHOLE, "depends_on"]


def test_batch_takes_a_limit_as_well() -> None:
    cut = asked(*FOUR, limit=2)
    assert (len(cut["outcomes"]), cut["outcome_count"]) == (2, 4)
    assert list(asked(*FOUR, limit=0)) == WHOLE


def test_a_thousand_outcomes_are_listed_unless_told_otherwise() -> None:
    sides = "1P1 2P2 3P3 4P1 5P2 6P3 7P1 8P2"
    fight = parse(f"{sides} vs {sides}")
    assert isinstance(fight, Combat)
    units = [{"might": u.might, "replacements": list(u.replacements)} for u in fight.attackers]
    request = {"op": "combat", "attackers": units, "defenders": units}
    assert len(answer(request)["outcomes"]) == 1000
    assert answer(request)["outcome_count"] == len(answer({**request, "limit": 0})["outcomes"])


def test_what_one_choice_leaves_is_cut_alike(combats: Combats) -> None:
    chosen = (*FOUR, "--defender-assigns", "5,4,3,5")
    told = combats(*chosen, "--limit", "2", "--json").data
    assert (len(told["remaining"]), told["remaining_count"]) == (2, 4)
    assert "remaining_count" not in combats(*chosen, "--json").data


# --- limits of time -----------------------------------------------------------------------------


@pytest.mark.usefixtures("_no_kill_sets")
class TestWithoutKillSets:
    """What is answered where the time limit leaves none for kill sets."""

    def test_all_else_is_told_in_text(self, combats: Combats) -> None:
        told = combats(*FOUR)
        assert told.status == 3
        assert "4 legal assignments; Defender 17 points" in told.flat
        assert "In any case: the Defender wins" in told.out
        assert "Outcomes: at least 3." in told.out
        assert "Rules in play" in told.out
        assert told.err == "lethal: stopped by a limit; not told: outcomes\n"

    def test_all_else_is_told_in_json(self, combats: Combats) -> None:
        told = combats(*FOUR, "--json")
        assert told.status == 3
        assert (told.data["outcomes"], told.data["at_least"]) == (None, 3)
        assert told.data["counts"] == {"attacker": 4, "defender": 10}
        assert told.data["guarantees"]["attacker"]["result"] == ["defender_won"]
        assert told.data["decides"] == ["attacker"]
        assert told.err == "lethal: stopped by a limit; not told: outcomes\n"

    def test_both_assignments_are_played_to_the_end(self, combats: Combats) -> None:
        given = (*FOUR, "--attacker-assigns", "4,4,4,3", "--defender-assigns", "5,4,3,5")
        told = combats(*given)
        assert (told.status, told.err) == (0, "")
        assert "Dead: A1, A2, A3, A4, D1, D2, D3 [323.5]." in told.out
        in_json = combats(*given, "--json")
        assert in_json.status == 3
        assert in_json.data["outcome"]["result"] == "defender_won"

    def test_one_assignment_needs_the_kill_sets_of_the_other_side(self, combats: Combats) -> None:
        told = combats(*FOUR, "--defender-assigns", "5,4,3,5", "--json")
        assert told.status == 3
        assert told.data["remaining"] is None
        told = combats(*FOUR, "--attacker-assigns", "4,4,4,3", "--json")
        assert len(told.data["remaining"]) == 1

    def test_an_illegal_assignment_is_a_no_all_the_same(self, combats: Combats) -> None:
        for json_ in ([], ["--json"]):
            told = combats(*FOUR, "--attacker-assigns", "15,0,0,0", *json_)
            assert told.status == 1
            assert "465.2.c.4" in told.out


@pytest.mark.parametrize("json_", [[], ["--json"]], ids=["text", "json"])
def test_a_time_limit_is_one_for_the_whole_command(json_: list[str], combats: Combats) -> None:
    told = combats(*FOUR, "--time-limit", "0.000000001", *json_)
    assert told.status == 3
    assert "stopped by a limit" in told.err
    assert "defender" in told.out.lower()


# --- what is said -------------------------------------------------------------------------------


def test_an_illegal_assignment_leaves_no_outcome_and_all_the_rest(combats: Combats) -> None:
    told = combats("5", "vs", "3", "3", "--attacker-assigns", "4,1", "--json")
    assert told.status == 1
    assert told.data["outcome"] is None
    assert [fault["by"] for fault in told.data["violations"]] == ["attacker"]
    assert told.data["guarantees"]["attacker"]["result"] == ["defender_won"]
    assert len(told.data["outcomes"]) == 2


def test_what_is_special_about_an_assigner_is_said(combats: Combats) -> None:
    told = combats(
        *("5", "vs", "3T", "3B", "--attacker-ignore", "tank", "--attacker-ignore", "backline"),
        "--defender-any-damage-is-lethal",
    )
    assert "The Attacker ignores Tank and Backline (766)." in told.out
    assert "Any damage by the Defender is lethal (142.4.c)." in told.out
    plain = combats("5", "vs", "3T", "3B").out
    assert "ignores" not in plain
    assert "Any damage" not in plain


def test_a_side_that_decides_alone_is_named(combats: Combats) -> None:
    assert (
        "How it ends, the Defender alone decides." in combats("5A2", "3Z", "vs", "3B", "4TS1").out
    )
    assert "There is no choice about how it ends: no result" in combats("3", "vs", "3").out
    assert "alone" not in combats("5", "5", "vs", "4P1", "6", "--edition", "443").out


def test_what_a_side_can_make_sure_of_is_told_with_its_rule(combats: Combats) -> None:
    # Each needs 5 and dies of 6, and either side has 12 points: it may kill both of them or one.
    told = combats("6/1P1", "6/1P1", "vs", "6/1P1", "6/1P1", "--edition", "443")
    assert "The Defender can make sure of: no result [466.3.d in 465]" in told.flat
    assert "can make sure of: the" not in told.flat
    assert "decides" not in told.out


@pytest.mark.parametrize(
    ("tokens", "rule"),
    [
        (["3Z", "4", "vs", "4"], "423.1.b"),
        (["3A", "vs", "4"], "807.1.c"),
        (["3", "vs", "4S"], "814.1.c"),
        (["3", "vs"], "465.1"),
        (["5", "3", "vs", "3", "9Z"], "466.1.a.2"),
        (["5", "vs", "3"], "466.5.d"),
        (["3", "vs", "3"], "466.5.b"),
        (["3", "vs", "3", "4T"], "815.1.b"),
    ],
)
def test_the_rules_in_play_are_those_that_concern_the_combat(
    tokens: list[str], rule: str, combats: Combats
) -> None:
    def cited(*combat: str) -> list[str]:
        return [one.split()[0] for one in combats(*combat).flat.split("in play: ")[1].split(", ")]

    assert rule in cited(*tokens)
    assert rule not in cited("2", "vs", "4", "4")


def test_wide_answers_fit_80_columns(combats: Combats) -> None:
    name = "a name of many words " * 2 + "and a longwordthatcannotbebrokenanywhere"
    units = [f"{name}{i}:{10**17 + i}" for i in range(5)]
    told = combats(*units, "vs", *(f"{unit[1:]}P{10**16}" for unit in units), "--edition", "439")
    assert told.status == 0
    assert max(map(cell_len, told.out.splitlines())) <= 80


def test_no_amount_is_broken_in_two(combats: Combats) -> None:
    units = [str(11 + i % 3) for i in range(14)]
    told = combats(*units, "vs", *units, "--limit", "1")
    amounts = [word for line in told.out.splitlines()[3:6] for word in line.split("  ")[-1].split()]
    assert "1" not in {amount.strip(",") for amount in amounts}
