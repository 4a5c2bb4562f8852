"""What is told of a combat: by `lethal combat`, in text and JSON, and by the op of `batch`."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from rich.cells import cell_len

from rules import parse
from rules.board import Combat
from solver import exact
from solver.answers import answer
from solver.cli import main
from solver.limits import LimitReached

Json = dict[str, Any]

FOUR = ("5", "4", "3", "3", "vs", "4", "4", "4", "5")
"""A combat with four outcomes: the Attacker's pool kills all but one, the Defender's all."""
WHOLE = ["pools", "need", "counts", "outcomes", "guarantees", "decides"]
"""What the JSON of a combat has in which nobody has assigned and nothing is cut."""


class Told(NamedTuple):
    """The exit status of a command and what it printed, in text also as one line."""

    status: int
    out: str
    err: str

    @property
    def flat(self) -> str:
        return " ".join(self.out.split())

    @property
    def json(self) -> Json:
        data: Json = json.loads(self.out)
        return data


class Lethal:
    """The command `lethal combat` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Told:
        with pytest.raises(SystemExit) as exited:
            main(["combat", *arguments])
        printed = self._capsys.readouterr()
        return Told(int(exited.value.code or 0), printed.out, printed.err)


@pytest.fixture
def lethal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lethal:
    monkeypatch.setenv("COLUMNS", "80")
    return Lethal(capsys)


@pytest.fixture
def _no_kill_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time limit be over as soon as kill sets are looked for, three being found."""

    def stopped(legal: exact.Legal, time_limit: float | None = None) -> dict[Any, int]:
        raise LimitReached(3)

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


def test_a_list_of_outcomes_is_cut_by_its_limit_and_says_of_how_many(lethal: Lethal) -> None:
    told = lethal(*FOUR, "--limit", "3")
    assert told.status == 0
    assert "The first 3 of 4 outcomes; --limit 0 shows all." in told.out
    assert told.out.count("defender won") == 3
    for limit in ("0", "4"):
        whole = lethal(*FOUR, "--limit", limit)
        assert "outcomes" not in whole.out
        assert whole.out.count("defender won") == 4


def test_json_that_is_cut_says_so_with_the_exact_number(lethal: Lethal) -> None:
    told = lethal(*FOUR, "--limit", "1", "--json")
    assert told.status == 0
    assert told.json["truncated"] is True
    assert told.json["outcome_count"] == 4
    assert told.json["outcomes"] == lethal(*FOUR, "--json").json["outcomes"][:1]


def test_json_that_is_not_cut_does_not_speak_of_it(lethal: Lethal) -> None:
    assert list(lethal(*FOUR, "--json").json) == WHOLE
    assert list(lethal(*FOUR, "--limit", "4", "--json").json) == WHOLE


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


def test_what_one_choice_leaves_is_cut_alike(lethal: Lethal) -> None:
    chosen = (*FOUR, "--defender-assigns", "5,4,3,5")
    told = lethal(*chosen, "--limit", "2", "--json").json
    assert (len(told["remaining"]), told["remaining_count"]) == (2, 4)
    assert "remaining_count" not in lethal(*chosen, "--json").json


# --- limits of time -----------------------------------------------------------------------------


@pytest.mark.usefixtures("_no_kill_sets")
class TestWithoutKillSets:
    """What is answered where the time limit leaves none for kill sets."""

    def test_all_else_is_told_in_text(self, lethal: Lethal) -> None:
        told = lethal(*FOUR)
        assert told.status == 3
        assert "4 legal assignments; Defender 17 points" in told.flat
        assert "In any case: the Defender wins" in told.out
        assert "Outcomes: at least 3." in told.out
        assert "Rules in play" in told.out
        assert told.err == "lethal: stopped by a limit; not told: outcomes\n"

    def test_all_else_is_told_in_json(self, lethal: Lethal) -> None:
        told = lethal(*FOUR, "--json")
        assert told.status == 3
        assert (told.json["outcomes"], told.json["at_least"]) == (None, 3)
        assert told.json["counts"] == {"attacker": 4, "defender": 10}
        assert told.json["guarantees"]["attacker"]["result"] == ["defender_won"]
        assert told.json["decides"] == ["attacker"]
        assert told.err == "lethal: stopped by a limit; not told: outcomes\n"

    def test_both_assignments_are_played_to_the_end(self, lethal: Lethal) -> None:
        given = (*FOUR, "--attacker-assigns", "4,4,4,3", "--defender-assigns", "5,4,3,5")
        told = lethal(*given)
        assert (told.status, told.err) == (0, "")
        assert "Dead: A1, A2, A3, A4, D1, D2, D3 [323.5]." in told.out
        in_json = lethal(*given, "--json")
        assert in_json.status == 3
        assert in_json.json["outcome"]["result"] == "defender_won"

    def test_one_assignment_needs_the_kill_sets_of_the_other_side(self, lethal: Lethal) -> None:
        told = lethal(*FOUR, "--defender-assigns", "5,4,3,5", "--json")
        assert told.status == 3
        assert told.json["remaining"] is None
        told = lethal(*FOUR, "--attacker-assigns", "4,4,4,3", "--json")
        assert len(told.json["remaining"]) == 1

    def test_an_illegal_assignment_is_a_no_all_the_same(self, lethal: Lethal) -> None:
        for json_ in ([], ["--json"]):
            told = lethal(*FOUR, "--attacker-assigns", "15,0,0,0", *json_)
            assert told.status == 1
            assert "465.2.c.4" in told.out


@pytest.mark.parametrize("json_", [[], ["--json"]], ids=["text", "json"])
def test_a_time_limit_is_one_for_the_whole_command(json_: list[str], lethal: Lethal) -> None:
    told = lethal(*FOUR, "--time-limit", "0.000000001", *json_)
    assert told.status == 3
    assert "stopped by a limit" in told.err
    assert "defender" in told.out.lower()


# --- what is said -------------------------------------------------------------------------------


def test_an_illegal_assignment_leaves_no_outcome_and_all_the_rest(lethal: Lethal) -> None:
    told = lethal("5", "vs", "3", "3", "--attacker-assigns", "4,1", "--json")
    assert told.status == 1
    assert told.json["outcome"] is None
    assert [fault["by"] for fault in told.json["violations"]] == ["attacker"]
    assert told.json["guarantees"]["attacker"]["result"] == ["defender_won"]
    assert len(told.json["outcomes"]) == 2


def test_what_is_special_about_an_assigner_is_said(lethal: Lethal) -> None:
    told = lethal(
        *("5", "vs", "3T", "3B", "--attacker-ignore", "tank", "--attacker-ignore", "backline"),
        "--defender-any-damage-is-lethal",
    )
    assert "The Attacker ignores Tank and Backline [766]." in told.out
    assert "Any damage by the Defender is lethal [142.4.c]." in told.out
    plain = lethal("5", "vs", "3T", "3B").out
    assert "ignores" not in plain
    assert "Any damage" not in plain


def test_a_side_that_decides_alone_is_named(lethal: Lethal) -> None:
    assert "How it ends, the Defender alone decides." in lethal("5A2", "3Z", "vs", "3B", "4TS1").out
    assert "There is no choice about how it ends: no result" in lethal("3", "vs", "3").out
    assert "alone" not in lethal("5", "5", "vs", "4P1", "6", "--edition", "443").out


def test_what_a_side_can_make_sure_of_is_told_with_its_rule(lethal: Lethal) -> None:
    # Each needs 5 and dies of 6, and either side has 12 points: it may kill both of them or one.
    told = lethal("6/1P1", "6/1P1", "vs", "6/1P1", "6/1P1", "--edition", "443")
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
    tokens: list[str], rule: str, lethal: Lethal
) -> None:
    def cited(*combat: str) -> list[str]:
        return [one.split()[0] for one in lethal(*combat).flat.split("in play: ")[1].split(", ")]

    assert rule in cited(*tokens)
    assert rule not in cited("2", "vs", "4", "4")


def test_wide_answers_fit_80_columns(lethal: Lethal) -> None:
    name = "a name of many words " * 2 + "and a longwordthatcannotbebrokenanywhere"
    units = [f"{name}{i}:{10**17 + i}" for i in range(5)]
    told = lethal(*units, "vs", *(f"{unit[1:]}P{10**16}" for unit in units), "--edition", "439")
    assert told.status == 0
    assert max(map(cell_len, told.out.splitlines())) <= 80


def test_no_amount_is_broken_in_two(lethal: Lethal) -> None:
    units = [str(11 + i % 3) for i in range(14)]
    told = lethal(*units, "vs", *units, "--limit", "1")
    amounts = [word for line in told.out.splitlines()[3:6] for word in line.split("  ")[-1].split()]
    assert "1" not in {amount.strip(",") for amount in amounts}
