"""What other editions and readings change on a board, and answers that say they depend on one."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import fights
import oracle
import pytest
from boards import READINGS, board, random_board
from command_line import Lethal

import solver
from rules import BadRequest, parse
from rules.editions import EDITIONS
from rules.wire import read_board, read_combat
from solver import depends
from solver.batch import respond
from solver.difference import Difference, Part
from solver.exact import legal

Json = dict[str, Any]
BOTH = "12 into 4 6! 3x2"
"""A board on which an edition, two readings of legality and that of excess matter."""


def other_questions(data: Json) -> Iterator[tuple[str, str, Json]]:
    """Every other edition and every other value of a reading, with the board changed so."""
    for key in EDITIONS:
        if key != data.get("edition", "465"):
            yield "edition", key, {**data, "edition": key}
    readings = data.get("readings", {})
    for switch, values in READINGS.items():
        for value in values:
            if value != readings.get(switch, values[0]):
                yield switch, value, {**data, "readings": {**readings, switch: value}}


# --- two legal sets -------------------------------------------------------------------------------


def test_what_two_legal_sets_differ_in_is_counted_and_the_smallest_found(many: int) -> None:
    rng = random.Random(21)
    differing = equal_counts = 0
    for _ in range(many // 25):
        data = random_board(rng, units=4)
        here = set(oracle.legal(data))
        for _, _, changed in other_questions(data):
            there = set(oracle.legal(changed))
            found = Difference(legal(read_board(data)), legal(read_board(changed)))
            assert found.gone == Part(len(here - there), min(here - there, default=None)), data
            assert found.new == Part(len(there - here), min(there - here, default=None)), data
            assert bool(found) == (here != there)
            differing += here != there
            equal_counts += here != there and len(here) == len(there)
    assert differing > many // 25
    assert equal_counts > 3


def test_large_legal_sets_are_compared_without_being_listed() -> None:
    on = board("200 into " + " ".join(f"{n % 7 + 1}{'TB'[n % 3 :][:1]}" for n in range(40)))
    found = solver.compare(on)
    assert found.is_complete
    changed = {a.value: a for a in found.alternatives if a.setting == "leftover"}["one_unit"]
    assert found.count is not None
    assert found.count > 10**24
    assert changed.gone is not None
    assert changed.count == found.count - changed.gone.count


# --- compare --------------------------------------------------------------------------------------


def test_a_comparison_says_just_what_differs(many: int) -> None:
    rng = random.Random(22)
    told = {"needs": 0, "excess": 0, "nothing": 0}
    for _ in range(many // 30):
        data = random_board(rng, units=3)
        found = solver.compare(read_board(data))
        here = oracle.legal(data)
        assert found.count == len(here)
        others = list(other_questions(data))
        assert [(a.setting, a.value) for a in found.alternatives] == [o[:2] for o in others]
        for one, (_, _, changed) in zip(found.alternatives, others, strict=True):
            there = oracle.legal(changed)
            assert one.count == len(there)
            assert one.first == min(set(here) ^ set(there), default=None)
            pairs = zip(oracle.names(data), oracle.need(data), oracle.need(changed), strict=True)
            assert one.needs == {n: (now, then) for n, now, then in pairs if now != then}, changed
            assert oracle.death(data) == oracle.death(changed), "so it need not be told"
            if one.setting == "excess":
                differing = [x for x in here if oracle.excess(data, x) != oracle.excess(changed, x)]
                assert bool(one.excess) == bool(differing), changed
                assert one.excess is None or one.excess.assignment in differing
            told["needs"] += bool(one.needs)
            told["excess"] += bool(one.excess)
            told["nothing"] += one.differs is False
    assert min(told.values()) > 5, told


def test_a_comparison_in_words(lethal: Lethal) -> None:
    ended = lethal("compare", *BOTH.split())
    assert ended.status == 0
    assert ended.out == (
        "12 into 4 6! 3x2\n"
        "As asked, edition 465: 7 legal assignments.\n"
        "\n"
        "instead                legal  gone  new  for example\n"
        "edition 439                6     1    0  A 10, C 2 is gone; C needs 3, not 2\n"
        "edition 443                6     1    0  A 10, C 2 is gone; C needs 3, not 2\n"
        "edition 460                6     1    0  A 10, C 2 is gone; C needs 3, not 2\n"
        "undamageable=optional     39     0   32  B 10, C 2 is new\n"
        "leftover=one_unit          2     5    0  A 5, C 7 is gone\n"
        "leftover=last_unit         2     5    0  A 5, C 7 is gone\n"
        "excess=raw                 7     0    0  excess of A 4, C 8 is 6, not 12\n"
        "\n"
        "Without any effect: edition 467, only_undamageable=nothing, prevent_all=exempt,\n"
        "must_kill=yes, already_lethal=one.\n"
    )


def test_a_comparison_fits_the_line(lethal: Lethal) -> None:
    units = [f"{'Unit ' * 9}{n}:{n}x2P1" for n in range(1, 9)]
    out = lethal("compare", "99999999999999999999"[:18], "into", *units, "6!", "3Pall").out
    assert max(map(len, out.splitlines())) <= 80
    assert "undamageable=optional" in out


def test_a_comparison_starts_from_the_readings_and_the_edition_asked(lethal: Lethal) -> None:
    found = lethal.json("compare", "4", "into", "3x2", "3", "--edition", "460")
    changed = {a["value"]: a for a in found["alternatives"] if a["differs"]}
    assert changed.keys() == {"465", "467"}
    assert changed["465"]["needs"] == {"A": [3, 2]}
    assert changed["465"]["gone"] == {"count": 1, "first": [3, 1]}


def test_what_a_limit_keeps_from_being_known_is_said(lethal: Lethal) -> None:
    units = [f"{n + 1}{'TB'[n % 3 :][:1]}" for n in range(300)]
    ended = lethal("compare", "40000", "into", *units, "6!", "--time-limit", "0.01")
    assert ended.status == 3
    assert "Not known within the limit: " in ended.flat


# --- answers that depend on a reading -------------------------------------------------------------


def test_readings_that_are_left_out_could_not_matter(many: int) -> None:
    rng = random.Random(23)
    left_out = 0
    for _ in range(many // 2):
        data = random_board(rng, units=3)
        asked = {(switch, value) for switch, value, _ in depends.alternatives(read_board(data))}
        here = oracle.legal(data)
        for switch, value, changed in other_questions(data):
            if switch != "edition" and (switch, value) not in asked:
                left_out += 1
                assert oracle.legal(changed) == here, (data, switch, value)
                assert oracle.need(changed) == oracle.need(data)
                assert all(oracle.excess(changed, x) == oracle.excess(data, x) for x in here)
    assert left_out > many


def is_legal(on: Json, vector: tuple[int, ...]) -> bool:
    return oracle.is_legal(on, vector)


def best_of(on: Json) -> set[tuple[int, ...]]:
    """Return the assignments of which the most units die, by brute force."""
    kills = {tuple(x): len(oracle.deaths(on, x)) for x in oracle.legal(on)}
    return {x for x, number in kills.items() if number == max(kills.values())}


def best_with(on: Json, shown: tuple[int, ...]) -> object:
    """Return how many units die at best, and whether an assignment is one of the best."""
    found = best_of(on)
    return len(oracle.deaths(on, min(found))), shown in found


def test_an_answer_names_just_the_readings_on_which_it_depends(many: int) -> None:
    rng = random.Random(24)
    depending = dict.fromkeys(("count", "list", "check", "kills", "need", "best"), 0)
    for _ in range(many // 30):
        data = random_board(rng, units=3)
        given = rng.choice(oracle.legal(data))
        asked: dict[str, Callable[[Json], object]] = {
            "count": lambda on: len(oracle.legal(on)),
            "list": oracle.legal,
            "check": partial(is_legal, vector=given),
            "kills": lambda on: sorted(oracle.deaths(on, x) for x in oracle.legal(on)),
            "need": oracle.need,
            "best": partial(best_with, shown=min(best_of(data))),
        }
        for op, question in asked.items():
            request = {**data, "op": op, "depends": True}
            if op == "check":
                request["assignment"] = given
            wanted: dict[str, list[str]] = {}
            for switch, value, changed in other_questions(data):
                if switch != "edition" and question(changed) != question(data):
                    wanted.setdefault(switch, []).append(value)
            response = json.loads(respond(json.dumps(request).encode()))
            assert response["depends_on"] == wanted, (op, data)
            assert "depends_unknown" not in response
            depending[op] += bool(wanted)
    assert min(depending.values()) > 0, depending


@pytest.mark.parametrize(
    ("command", "ends"),
    [
        (["list"], "undamageable=optional gives 39; leftover=one_unit or last_unit gives 2."),
        (["count"], "undamageable=optional gives 39; leftover=one_unit or last_unit gives 2."),
        (["count", "--spare", "A"], "undamageable=optional gives 9."),
        (["kills"], "undamageable=optional gives 4 sets; "
         "leftover=one_unit or last_unit gives the same sets in another number of ways."),
        (["check", "--assign", "5,0,7"], "leftover=one_unit or last_unit makes it illegal."),
        (["check", "--assign", "4,5,3"], "undamageable=optional makes it legal."),
        (["best", "--maximize", "excess"], "excess=raw gives excess 6."),
    ],
    ids=" ".join,
)  # fmt: skip
def test_the_last_line_says_on_which_readings_the_answer_depends(
    command: list[str], ends: str, lethal: Lethal
) -> None:
    out = lethal(command[0], *BOTH.split(), *command[1:]).flat
    assert out.endswith(f" Depends on a reading: {ends}")


def test_needs_and_scores_depend_on_readings_too(lethal: Lethal) -> None:
    assert lethal("need", "9", "into", "3/5", "4Pall").flat.endswith(
        "Depends on a reading: prevent_all=exempt gives B exempt; already_lethal=one gives A 1."
    )
    assert lethal("best", "9", "into", "2", "4Pall", "3B").flat.endswith(
        "Depends on a reading: prevent_all=exempt gives kills 2."
    )
    demanded = lethal("best", "9", "into", "2", "4Pall", "3B", "--kill", "C", "--reading",
                      "prevent_all=exempt")  # fmt: skip
    assert demanded.flat.endswith("Depends on a reading: prevent_all=sink makes it impossible.")


RESULTS = {
    "attacker_won": ("the Attacker may win", "the Attacker cannot win"),
    "defender_won": ("the Defender may win", "the Defender cannot win"),
    "no_result": ("there may be no result", "there is always a result"),
}


def test_of_other_endings_it_is_said_which_results_they_make_possible_or_impossible(
    many: int,
) -> None:
    rng = random.Random(14)
    seen = set()
    for _ in range(many // 3):
        data = fights.random_combat(rng, units=2)
        again = depends.of_combat(read_combat(data))
        here = {way.result for way in solver.combat(again.asked).outcomes}
        for switch, told in again.readings.found.items():
            for value, does in told.items():
                if does.startswith("gives other endings"):
                    read = {**data.get("readings", {}), switch: value}
                    there = {
                        way.result
                        for way in solver.combat(read_combat({**data, "readings": read})).outcomes
                    }
                    changed = [
                        gone if result in here else new
                        for result, (new, gone) in RESULTS.items()
                        if (result in here) != (result in there)
                    ]
                    if changed:
                        assert does == f"gives other endings: {' and '.join(changed)}", data
                    else:
                        assert "win" not in does, data
                        assert "result" not in does, data
                    seen.update(changed)
    assert len(seen) > 3


@pytest.mark.parametrize(
    ("combat", "options", "ends"),
    [
        ("5 vs 6! 3", [], "undamageable=optional gives other endings: D2 may live."),
        ("5 vs 4TPall 2", [],
         "prevent_all=exempt gives other endings: D2 may die and D2 cannot live."),
        ("3 vs 4 2", [], "must_kill=yes gives other endings: D2 cannot live."),
        ("5 3 vs 2 3", [],
         "leftover=one_unit or last_unit gives the same endings in another number of ways."),
        ("5 3 vs 2 3T", ["--attacker-assigns", "4,4"],
         "leftover=one_unit or last_unit makes the Attacker's assignment illegal."),
        ("9 vs 2 3x2", ["--attacker-assigns", "2,7", "--defender-assigns", "5"],
         "excess=raw gives another excess."),
        ("5 vs 6! 3", ["--attacker-assigns", "1,4", "--defender-assigns", "9"],
         "undamageable=optional makes the Attacker's assignment legal."),
    ],
)  # fmt: skip
def test_the_end_of_a_combat_depends_on_readings(
    combat: str, options: list[str], ends: str, lethal: Lethal
) -> None:
    assert lethal("combat", *combat.split(), *options).flat.endswith(
        f" Depends on a reading: {ends}"
    )


def test_a_combat_that_depends_on_none_says_nothing(lethal: Lethal) -> None:
    assert "epends" not in lethal("combat", "5", "vs", "3", "3").out
    assert "depends_on" not in lethal.json("combat", "5", "vs", "3", "3")


def test_as_many_assignments_that_are_not_the_same_are_told_apart(lethal: Lethal) -> None:
    board = ["9", "into", "3/5T", "2B", "4Pall"]
    assert "already_lethal=one gives 1 too, but not the same ones." in lethal("list", *board).flat
    assert "already_lethal" not in lethal("count", *board).flat


@pytest.mark.parametrize("command", ["list", "count", "kills", "need", "best"])
def test_where_no_reading_matters_nothing_is_said(command: str, lethal: Lethal) -> None:
    assert "epends" not in lethal(command, "5", "into", "3", "3", "3", "3").out


def test_json_of_the_command_line_says_it_where_it_depends(lethal: Lethal) -> None:
    assert lethal.json("count", *BOTH.split())["depends_on"] == {
        "undamageable": ["optional"],
        "leftover": ["one_unit", "last_unit"],
    }
    assert lethal.json("count", "5", "into", "3", "3") == {"count": 2}


def test_what_is_not_known_in_time_is_said(monkeypatch: pytest.MonkeyPatch, lethal: Lethal) -> None:
    monkeypatch.setattr(depends, "SECONDS", 0.0)
    assert lethal("count", *BOTH.split()).flat.endswith(
        "Not known in time whether it depends on undamageable=optional, leftover=one_unit, "
        "leftover=last_unit."
    )
    assert lethal.json("count", *BOTH.split())["depends_unknown"]["undamageable"] == ["optional"]


# --- in batch -------------------------------------------------------------------------------------


def answer(op: str, **fields: object) -> Json:
    request = {"op": op, "pool": 12, "units": [{"might": 4}, {"might": 6, "undamageable": True}]}
    response: Json = json.loads(respond(json.dumps({**request, **fields}).encode()))
    return response


def test_batch_compares() -> None:
    response = answer("compare")
    assert response["ok"]
    changed = [one for one in response["alternatives"] if one["differs"]]
    assert [one["value"] for one in changed] == ["optional"]
    assert changed[0]["new"] == {"count": 12, "first": [0, 12]}
    assert changed[0]["gone"] == {"count": 0, "first": None}


def test_batch_says_on_what_an_answer_depends_when_it_is_asked() -> None:
    assert "depends_on" not in answer("count")
    assert "depends_on" not in answer("count", depends=False)
    assert answer("count", depends=True)["depends_on"] == {"undamageable": ["optional"]}
    assert answer("need", depends=True)["depends_on"] == {}
    assert answer("list", depends=True, limit=1)["assignments"] == [[12, 0]]
    response = answer("check", depends=True, assignment={"A": 12})
    assert response["depends_on"] == {}
    fight = {"op": "combat", "attackers": [{"might": 5}], "depends": True,
             "defenders": [{"might": 6, "undamageable": True}, {"might": 3}]}  # fmt: skip
    response = json.loads(respond(json.dumps(fight).encode()))
    assert response["depends_on"] == {"undamageable": ["optional"]}


def test_a_bad_request_for_that_is_answered_with_its_path() -> None:
    assert answer("count", depends=1)["error"]["path"] == "$.depends"
    assert answer("compare", depends=True)["error"]["path"] == "$.depends"
    assert answer("compare", limit=3)["error"]["path"] == "$.limit"


def test_only_a_board_can_be_compared() -> None:
    with pytest.raises(BadRequest, match="expected a board, not a combat"):
        solver.compare(parse("3 vs 4"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("why 7 into 6! 4 4 --give A=1", "undamageable=optional makes it possible"),
        ("why 12 into 4TPall 4 --kill B", "prevent_all=exempt makes it possible"),
        ("what 3 into 4Pall", "prevent_all=exempt gives A exempt"),
        ("what 3 into 4Pall 2 --unit A", "prevent_all=exempt gives A exempt"),
    ],
)
def test_why_and_what_say_on_which_reading_they_depend(
    question: str, line: str, lethal: Lethal
) -> None:
    assert f"Depends on a reading: {line}." in lethal(*question.split()).flat
    told = lethal(*question.split(), "--json").data
    assert told["depends_on"]
    assert "Depends" not in lethal("why", "5 into 3 3", "--kill", "A").out
