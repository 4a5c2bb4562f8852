"""What a need is made of, and what the order of replacements changes: by trying every order."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations, product
from pathlib import Path
from typing import Any

import boards
import oracle
import pytest
import simulator
from command_line import Ended, Lethal
from fights import random_combat

import solver
from rules import BadRequest, Board, parse
from rules.wire import plain, read_board
from solver.answers import answer, encode
from solver.makeup import in_words, spans, what
from solver.orders import MOST_BOARDS, Orderings, outcomes

Json = dict[str, Any]


def board_of(text: str) -> Board:
    """Return the board in notation."""
    board = parse(text)
    assert isinstance(board, Board)
    return board


def random_boards(seed: int, number: int) -> Iterator[Json]:
    """Yield random boards on which replacements are more frequent than elsewhere."""
    rng = random.Random(seed)
    for _ in range(number):
        data = boards.random_board(rng, units=3)
        for unit in data["units"]:
            if rng.random() < 0.6:
                steps = rng.randint(2, 4)
                unit["replacements"] = rng.choices(boards.REPLACEMENTS[:4], (3, 1, 1, 1), k=steps)
        yield data


def in_all_orders(data: Json) -> Iterator[Json]:
    """Yield the board with the replacements of every unit in every order."""
    choices = [
        [
            {**unit, "replacements": list(steps)}
            for steps in set(permutations(unit.get("replacements", [])))
        ]
        for unit in data["units"]
    ]
    for units in product(*choices):
        yield {**data, "units": list(units)}


def test_every_order_of_a_unit_has_one_of_its_outcomes_and_no_other(many: int) -> None:
    several = 0
    for data in random_boards(1, many // 5):
        board = read_board(data)
        for place, unit in enumerate(board.units):
            found = outcomes(unit, board)
            expected = {
                (
                    oracle.unit_need(one, one["units"][place]),
                    oracle.unit_death(one, one["units"][place]),
                )
                for one in in_all_orders({**data, "units": data["units"][: place + 1]})
            }
            assert set(found.units) == expected, data
            assert found.complete
            assert next(iter(found.units.values())) is unit
            several += len(expected) > 1
    assert several > many // 20


def test_a_verdict_is_robust_exactly_where_every_order_has_the_same(many: int) -> None:
    seen = set()
    rng = random.Random(2)
    for data in random_boards(3, many // 15):
        board = read_board(data)
        if not Orderings(board):
            assert solver.check(board, (0,) * len(board.units)).orders is None
            continue
        reordered = [*in_all_orders(data)]
        vector = rng.choice(oracle.legal(rng.choice(reordered)))
        verdict = solver.check(board, vector)
        assert verdict.orders is not None
        legal = {oracle.is_legal(one, vector) for one in reordered}
        assert verdict.orders.in_every_order == (len(legal) == 1), data
        if verdict.orders.otherwise is not None:
            other = verdict.orders.otherwise.asked
            assert solver.check(other, vector).legal != verdict.legal
        seen.add((verdict.legal, len(legal)))
    assert seen >= {(True, 1), (True, 2), (False, 2)}


def test_why_says_whether_its_answer_is_that_of_every_order(many: int) -> None:
    seen = set()
    for data in random_boards(4, many // 30):
        board = read_board(data)
        if not Orderings(board):
            continue
        kill = board.names[:1]
        answer = solver.why(board, kill=kill)
        possible = {
            any(kill[0] in oracle.deaths(one, vector) for vector in oracle.legal(one))
            for one in in_all_orders(data)
        }
        assert answer.orders is not None
        assert answer.orders.in_every_order == (len(possible) == 1), data
        seen.add(len(possible))
    assert seen == {1, 2}


def test_an_example_serves_in_every_order_if_any_does(many: int) -> None:
    seen: Counter[bool | None] = Counter()
    rng = random.Random(12)
    for data in random_boards(11, many // 10):
        board = read_board(data)
        if not Orderings(board):
            continue
        (kill,) = rng.sample(board.names, 1)
        answer = solver.why(board, kill=[kill])
        everywhere = [
            {v for v in oracle.legal(one) if kill in oracle.deaths(one, v)}
            for one in in_all_orders(data)
        ]
        if not all(everywhere):
            assert not answer.possible or answer.grounds is None
            continue
        assert answer.grounds is not None
        serving = set.intersection(*everywhere)
        assert answer.grounds.in_every_order == bool(serving), data
        here = {v for v in oracle.legal(data) if kill in oracle.deaths(data, v)}
        assert answer.example == min(serving or here), data
        if answer.grounds.otherwise is not None:
            other = answer.grounds.otherwise.asked
            assert not solver.check(other, answer.example).legal or kill not in oracle.deaths(
                plain(other), answer.example
            )
        seen[answer.grounds.in_every_order] += 1
    assert seen[True] > seen[False] > 0, seen


def test_an_example_or_a_reason_of_one_order_only_is_told_so(lethal: Lethal) -> None:
    asked = ("why", "3", "into", "2P2x2", "2", "--kill", "A")
    told = lethal(*asked).flat
    assert "Possible in every order of the replacements of A (controller's choice, 372); if" in told
    assert told.endswith("before its prevent 2, with A 2, B 1.")
    data = lethal.json(*asked)
    assert (data["in_every_order"], data["example_in_every_order"]) == (True, False)
    assert data["otherwise"]["example"] == [2, 1]
    asked = ("why", "4", "into", "A:3x2P1", "B:0", "C:0P2P3", "--spare", "A", "--give", "A=2")
    assert "Impossible in every order" in lethal(*asked).flat
    assert "if A's prevent 1 comes before its double, for another reason: " in lethal(*asked).flat
    data = lethal.json(*asked)
    assert (data["in_every_order"], data["reasons_in_every_order"]) == (True, False)


def batch(request: Json) -> Json:
    """Return the answer to a request, as JSON has it."""
    told: Json = json.loads(encode(answer(request)))
    return told


def listed(data: Json) -> list[tuple[int, ...]]:
    return oracle.legal(data)


def killed(data: Json) -> dict[tuple[str, ...], int]:
    return dict(Counter(oracle.deaths(data, vector) for vector in oracle.legal(data)))


def best_of(data: Json, kill: str) -> dict[tuple[int, ...], tuple[int, int]]:
    """Return the best assignments with their score, by brute force."""
    scores = {
        tuple(vector): (len(dead), oracle.excess(data, vector))
        for vector in oracle.legal(data)
        if kill in (dead := oracle.deaths(data, vector))
    }
    best = max(scores.values(), default=None)
    return {vector: score for vector, score in scores.items() if score == best}


def told_of_a_board(op: str, told: Json) -> object:
    """Return what an answer, or the one in another order, says of all that can differ."""
    if op == "list":
        return told["count"]
    if op == "kills":
        return {tuple(one["killed"]): one["assignments"] for one in told["kill_sets"]}
    return told[op]


def test_an_answer_says_just_what_every_order_of_the_replacements_says(many: int) -> None:
    seen: Counter[tuple[str, bool]] = Counter()
    for data in random_boards(7, many // 20):
        reordered = [*in_all_orders(data)]
        questions: dict[str, tuple[Callable[[Json], object], Json]] = {
            "need": (oracle.need, {}),
            "count": (lambda on: len(oracle.legal(on)), {}),
            "list": (listed, {}),
            "kills": (killed, {}),
        }
        for op, (question, fields) in questions.items():
            told = batch({**data, **fields, "op": op})
            here = question(data)
            same = all(question(one) == here for one in reordered)
            assert told.get("in_every_order", True) == same, (op, data)
            if not same:
                other = told["otherwise"]
                there = question(in_order(data, other["order"]))
                assert there != here, (op, data)
                expected = len(there) if isinstance(there, list) and op == "list" else there
                assert told_of_a_board(op, other) == expected, (op, data)
                if op == "list":
                    assert_are_the_differences(other, listed(data), there)
            seen[op, same] += "in_every_order" in told
    assert all(seen[op, same] for op in questions for same in (True, False)), seen


def test_the_best_is_so_in_every_order_with_the_assignment_that_is_shown(many: int) -> None:
    seen: Counter[tuple[str, bool]] = Counter()
    rng = random.Random(9)
    for data in random_boards(10, many // 10):
        if not data["units"]:
            continue
        reordered = [*in_all_orders(data)]
        kill = rng.choice(oracle.names(data))
        goals = {"maximize": ["kills", "excess"], "kill": [kill]}
        told = batch({**data, **goals, "op": "best"})
        here = best_of(data, kill)
        shown = tuple(told["assignment"] or ())
        assert shown == min(here, default=()), data
        everywhere = [best_of(one, kill) for one in reordered]
        as_good = all({*there.values()} == {*here.values()} for there in everywhere)
        serves = not here or all(shown in there for there in everywhere)
        assert told.get("in_every_order", True) == (as_good and serves), data
        if not (as_good and serves):
            other = told["otherwise"]
            there = best_of(in_order(data, other["order"]), kill)
            assert other["feasible"] == bool(there)
            assert tuple(other["assignment"] or ()) == min(there, default=()), data
            assert ({*there.values()} != {*here.values()}) == (not as_good), data
            assert tuple(other["score"]) == next(iter(there.values()), ())
            assert not as_good or shown not in there
        if "in_every_order" in told:
            seen["as good" if as_good else "other", serves] += 1
    assert {*seen} >= {("as good", True), ("as good", False), ("other", False)}, seen


def test_a_best_assignment_that_is_illegal_in_another_order_is_told_so(lethal: Lethal) -> None:
    asked = ("best", "3", "into", "2P2x2", "2", "--kill", "A")
    told = lethal(*asked).flat
    assert "As good in every order of the replacements of A (controller's choice, 372); if" in told
    assert "before its prevent 2, with A 2, B 1." in told
    data = lethal.json(*asked)
    assert (data["assignment"], data["in_every_order"]) == ([3, 0], False)
    assert data["otherwise"]["assignment"] == [2, 1]


def in_order(data: Json, order: Json) -> Json:
    """Return the board with the replacements of some units in this order."""
    named = zip(oracle.names(data), data["units"], strict=True)
    return {
        **data,
        "units": [{**unit, "replacements": order[n]} if n in order else unit for n, unit in named],
    }


def assert_are_the_differences(told: Json, here: Any, there: Any) -> None:
    for part, one, other in (("gone", here, there), ("new", there, here)):
        only = [list(vector) for vector in one if vector not in other]
        assert told[part] == {"count": len(only), "first": only[0] if only else None}


def combat_in_all_orders(data: Json) -> Iterator[Json]:
    """Yield the combat with the replacements of every unit of both sides in every order."""
    sides = ([*in_all_orders({"units": data[side]})] for side in ("attackers", "defenders"))
    for attackers, defenders in product(*sides):
        yield {**data, "attackers": attackers["units"], "defenders": defenders["units"]}


def combat_in_order(data: Json, order: Json) -> Json:
    """Return the combat with the replacements of some units in this order."""
    changed = {
        simulator.UNITS[side]: in_order({"units": simulator.units_of(data, side)}, order)["units"]
        for side in simulator.SIDES
    }
    return {**data, **changed}


def end_of(data: Json) -> Json:
    """Return which of the assignments given are legal, and who can die or what happens."""
    questions = simulator.boards(data)
    given = {side: data[f"{side}_assigns"] for side in simulator.SIDES if f"{side}_assigns" in data}
    legal = {side: oracle.is_legal(questions[side], points) for side, points in given.items()}
    if not all(legal.values()):
        return {"legal": legal}
    if len(given) == len(simulator.SIDES):
        played = simulator.play(data, **{f"{side}_assigns": x for side, x in given.items()})
        parts = (*simulator.OUTCOME, "applied", "dealt", "excess")
        return {"legal": legal, "outcome": {part: played[part] for part in parts}}
    open_sides = [side for side in simulator.SIDES if side not in given]
    return {"legal": legal, "kills": {side: killed(questions[side]) for side in open_sides}}


def test_a_combat_says_just_what_every_order_on_both_sides_says(many: int) -> None:
    seen = set()
    rng = random.Random(8)
    for _ in range(many // 10):
        data = random_combat(rng, units=2)
        for side in simulator.SIDES:
            for unit in data[simulator.UNITS[side]]:
                if rng.random() < 0.5:
                    steps = rng.choice((["double", "prevent 1"], ["prevent 2", "double"]))
                    unit["replacements"] = list(steps)
        reordered = [*combat_in_all_orders(data)]
        for side in rng.choice(((), ("attacker",), ("defender",), simulator.SIDES)):
            question = simulator.board(rng.choice(reordered), side)
            assigned = rng.choice(oracle.legal(question))
            for one in (data, *reordered):
                one[f"{side}_assigns"] = list(assigned)
        here = end_of(data)
        same = all(end_of(one) == here for one in reordered)
        told = batch({**data, "op": "combat"})
        assert told.get("in_every_order", True) == same, data
        if not same:
            other = told["otherwise"]
            there = end_of(combat_in_order(data, other["order"]))
            assert there != here, data
            assert other.get("legal", {}) == there["legal"]
            assert ("outcome" in other) == ("outcome" in there)
            for part, told_so in other.get("outcome", {}).items():
                expected = there["outcome"][part]
                assert told_so == ([*expected] if isinstance(expected, tuple) else expected)
            for side, sets in there.get("kills", {}).items():
                assert other["counts"][side] == sum(sets.values())
                had = here.get("kills", {}).get(side, {})
                assert other["gone"][side]["count"] == len(had.keys() - sets.keys())
                assert other["new"][side]["count"] == len(sets.keys() - had.keys())
                if (first := other["new"][side]["first"]) is not None:
                    assert tuple(first) in sets.keys() - had.keys()
        seen.add((len(here["legal"]), all(here["legal"].values()), same))
    assert seen >= {(given, True, same) for given in range(3) for same in (True, False)}


@pytest.mark.parametrize(
    ("op", "asked", "fields"),
    [
        ("need", "9 into 2x2P2 3", {}),
        ("count", "6 into 2P2x2 2", {}),
        ("count", "6 into 2P2x2 2", {"kill": "A"}),
        ("count", "9 into 2x2P2", {}),
        ("count", "5 into 3 3", {}),
        ("kills", "2 into 2x2P2", {}),
        ("best", "2 into 2x2P2", {}),
        ("best", "2 into 2P2x2", {"kill": "A"}),
        ("best", "3 into 1/2P1x2 3", {"maximize": "excess"}),
        ("combat", "2x2P2 vs 2x2P2", {}),
        ("combat", "4 vs 2x2P2 3", {"attacker_assigns": "2,2"}),
        ("combat", "9 vs 2x2P2 3", {}),
        ("combat", "5 vs 3 3", {}),
    ],
)
def test_the_command_line_and_a_batch_say_the_same_of_orders(
    op: str, asked: str, fields: dict[str, str], lethal: Lethal
) -> None:
    options = [word for k, v in fields.items() for word in (f"--{k.replace('_', '-')}", v)]
    given = {k: [int(x) if x.isdigit() else x for x in v.split(",")] for k, v in fields.items()}
    told = lethal.json(op, *asked.split(), *options)
    response = batch({**plain(parse(asked)), **given, "op": op})
    for part in ("in_every_order", "otherwise"):
        assert told.get(part) == response.get(part)


def test_a_list_on_the_command_line_stays_one_assignment_a_line(lethal: Lethal) -> None:
    ended = lethal("list", "4", "into", "2P2x2", "2", "--json")
    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert lines == batch({**plain(parse("4 into 2P2x2 2")), "op": "list"})["assignments"]


def test_terms_end_in_the_need_of_the_unit(many: int) -> None:
    for data in random_boards(5, many):
        board = read_board(data)
        for made, least in zip(what(board), solver.need(board), strict=True):
            counted = [term.need for term in made.terms if term.need is not None]
            assert made.need == counted[-1] == least, data


def test_prevent_and_double_on_a_two_are_told_in_both_orders() -> None:
    first, second = what(parse("9 into 2P2x2 2x2P2"))
    assert (first.need, [order.need for order in first.orders]) == (3, [2])
    assert (second.need, [order.need for order in second.orders]) == (2, [3])
    assert first.orders[0].replacements == ("double", "prevent 2")
    assert first.ordered_by == "controller"
    assert what(parse("9 into 2P2x2 --edition 460"))[0].ordered_by == "owner"


def test_of_several_effects_every_different_order_is_told(many: int, lethal: Lethal) -> None:
    for data in random_boards(13, many // 10):
        for place, made in enumerate(what(read_board(data))):
            told = {(made.need, made.dies_of), *((one.need, one.dies_of) for one in made.orders)}
            units = data["units"][: place + 1]
            assert made.orders_complete
            assert len(told) == 1 + len(made.orders)
            assert told == {
                (oracle.unit_need(one, one["units"][-1]), oracle.unit_death(one, one["units"][-1]))
                for one in in_all_orders({**data, "units": units})
            }, data
    assert spans(parse("9 into 3P1x2P2x2")) == {"A": (2, 4)}
    between = lethal("what", "9", "into", "2P2P3x2x2").flat
    assert "In the order double, double, prevent 2, prevent 3 it needs 2." in between
    assert "it needs 5. Might 2" in between
    assert "In orders between these it needs 3 or 4." in between


def test_more_orders_than_are_told_apart_are_said_to_be_more(lethal: Lethal) -> None:
    steps = "".join(f"P{2**n}" for n in range(8)) + "x2" * 8
    assert lethal.json("what", "9", "into", f"300{steps}")["units"][0]["orders_complete"] is False
    assert "; there are more." in lethal("what", "9", "into", f"300{steps}").flat


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "9 into 4S/1x2P2 --edition 465",
            "Might 4 + Shield 1 [814.1.c] - 1 marked = 4; prevent 2 [437.5.a]: 6; double "
            "[465.2.c.4.a (467.2.c.4.a?)]: 3",
        ),
        ("9 into 3", "Might 3"),
        ("9 into 0", "Might 0; lethal is at least 1 [142.4.b]: 1"),
        ("9 into 4/5", "Might 4 - 5 marked = -1; lethal already [143.2.a]: 0"),
        ("9 into 5 --any-damage-is-lethal", "Might 5; any damage is lethal [142.4.c]: 1"),
        ("9 into 5Pall", "Might 5; prevent all [437.5.b]: never"),
        ("9 into 5!", "cannot be dealt damage [465.2.c.10 (467.2.c.10?)]"),
        ("9 into 2x2 --edition 460", "Might 2; double (only once dealt)"),
    ],
)
def test_a_need_is_told_in_exact_arithmetic(text: str, words: str) -> None:
    board = parse(text)
    assert in_words(what(board)[0].terms, board) == words


def test_nothing_is_said_where_no_order_matters(lethal: Lethal) -> None:
    for text in ("4 into 3 3", "4 into 3x2x2 2P1P2", "4 into 2PallP2x2 3", "4 into 2P0x2 3"):
        assert not Orderings(parse(text))
    data = lethal.json("check", "4", "into", "3x2", "3", "--assign", "1,3")
    assert "in_every_order" not in data
    assert "order" not in lethal("why", "4", "into", "3x2", "3", "--kill", "A").out


def test_a_verdict_that_another_order_would_change_says_which(lethal: Lethal) -> None:
    asked = ("check", "4", "into", "2P2x2", "2", "--assign", "3,1")
    assert (
        "If A's double comes before its prevent 2 (controller's choice, 372): illegal by 465.2.c.4"
        in lethal(*asked).flat
    )
    data = lethal.json(*asked)
    assert (data["legal"], data["in_every_order"]) == (True, False)
    assert data["otherwise"]["order"] == {"A": ["double", "prevent 2"]}
    assert data["otherwise"]["legal"] is False
    settled = lethal.json("check", "9", "into", "2P2x2", "2", "--assign", "5,4")
    assert settled["in_every_order"] is True


def test_more_orders_than_are_looked_at_are_said_to_be_more(lethal: Lethal) -> None:
    board = "99 into " + " ".join(["2P2x2"] * 9)
    assert len([*Orderings(parse(board))]) == 2**9 - 1
    ended = lethal("why", board, "--give", "99,0,0,0,0,0,0,0,0")
    assert f"in the first {MOST_BOARDS} orders" in ended.flat
    asked = lethal.json("why", board, "--give", "99,0,0,0,0,0,0,0,0")
    assert asked["in_every_order"] is None


def test_what_is_asked_of_one_unit_or_of_all(lethal: Lethal) -> None:
    data = lethal.json("what", "9", "into", "4S", "2P2x2")
    assert [unit["need"] for unit in data["units"]] == [5, 3]
    assert data["units"][0]["terms"] == [
        {"text": "Might 4", "rule": None, "number": None, "need": 4},
        {"text": "Shield 1", "rule": "shield_bonus", "number": "814.1.c", "need": 5},
    ]
    one = lethal.json("what", "9", "into", "4S", "2P2x2", "--unit", "B")
    assert one["units"] == data["units"][1:]
    assert lethal("what", "9", "into", "4S", "--unit", "Z").status == 2
    assert "there is no unit Z, only A and B" in lethal("what", "9 into 4S 2", "--unit", "Z").err
    with pytest.raises(BadRequest, match="there is no unit Z"):
        what(parse("9 into 4S"), unit="Z")


def test_kills_say_whether_the_other_player_can_change_who_dies(lethal: Lethal) -> None:
    told = lethal("kills", "2", "into", "2x2P2").flat
    assert "that gives another set" in told
    assert "controller's choice" in told
    assert "The same in every order" in lethal("kills", "9", "into", "2x2P2").flat
    assert "order" not in lethal("kills", "5", "into", "3", "3").out


@pytest.mark.parametrize(
    ("question", "otherwise"),
    [
        ("list 5 into 2P2x2 2", "gives 2"),
        ("count 6 into 2P2x2 2", "gives 3"),
        ("best 2 into 2x2P2", "gives kills 0"),
        ("best 2 into 2x2P2 --kill A", "makes it impossible"),
        ("best 2 into 2P2x2 --kill A", "makes it possible, with kills 1"),
    ],
)
def test_what_is_listed_counted_or_best_says_what_another_order_changes(
    question: str, otherwise: str, lethal: Lethal
) -> None:
    told = lethal(*question.split()).flat
    assert f"controller's choice, 372): that {otherwise}." in told
    assert "order" not in lethal(*question.replace("2P2x2", "2").replace("2x2P2", "2").split()).out


def test_a_combat_says_what_another_order_changes(lethal: Lethal) -> None:
    changed = "If D1's prevent 2 comes before its double (controller's choice, 372): that"
    assert (
        f"{changed} gives other endings: the Defender may win"
        in lethal("combat", "2", "vs", "2x2P2").flat
    )
    given = ("--attacker-assigns", "2,2")
    told = lethal("combat", "4", "vs", "2x2P2", "3", *given).flat
    assert f"{changed} makes the Attacker's assignment illegal." in told
    assert "in the same ways in every order" in lethal("combat", "9", "vs", "2x2P2").flat
    assert "order" not in lethal("combat", "4", "vs", "2", "3").out


def test_orders_on_both_sides_of_a_combat_are_told_apart(lethal: Lethal) -> None:
    told = lethal("combat", "2x2P2", "vs", "2x2P2").flat
    assert "If D1's prevent 2 comes before its double" in told
    assert "If A1's prevent 2 comes before its double" in told


def test_a_course_says_what_another_order_or_reading_changes(
    lethal: Lethal, tmp_path: Path
) -> None:
    file = tmp_path / "course.json"
    theirs: list[Json] = [{"might": 2, "replacements": ["prevent 2", "double"]}, {"might": 2}]
    units = {"Ann": [{"might": 3}], "Bo": theirs}
    place = {"name": "Grove", "contested_by": "Ann", "units": units}
    situation: Json = {"players": ["Ann", "Bo"], "battlefields": [place]}

    def told(*options: str) -> Ended:
        file.write_text(json.dumps(situation))
        return lethal("flow", str(file), *options)

    assert "controller's choice" not in told().flat
    situation["attacker_assigns"] = [3, 0]
    assert told().flat.endswith(
        "If D1's double comes before its prevent 2 (controller's choice, 372): that makes the "
        "Attacker's assignment illegal."
    )
    theirs[:] = [{"might": 2, "replacements": ["prevent all"]}, {"might": 2, "backline": True}]
    changed = "Depends on a reading: prevent_all=exempt makes the Attacker's assignment illegal."
    assert told().flat.endswith(changed)
    assert told("--json").data["depends_on"] == {"prevent_all": ["exempt"]}
    del situation["attacker_assigns"]
    assert told().flat.endswith(
        "Depends on a reading: prevent_all=exempt forces another assignment."
    )


def test_a_course_that_comes_to_an_end_says_so_as_data_too(lethal: Lethal, tmp_path: Path) -> None:
    file = tmp_path / "course.json"
    theirs: list[Json] = [{"might": 2, "replacements": ["prevent 2", "double"]}, {"might": 2}]
    units = {"Ann": [{"might": 3}], "Bo": theirs}
    place = {"name": "Grove", "contested_by": "Ann", "units": units}
    situation: Json = {"players": ["Ann", "Bo"], "battlefields": [place]}
    file.write_text(json.dumps(situation))
    assert "in_every_order" not in lethal.json("flow", str(file))
    file.write_text(json.dumps({**situation, "attacker_assigns": [3, 0]}))
    told = lethal.json("flow", str(file))
    assert told["in_every_order"] is False
    assert told["otherwise"]["order"] == {"D1": ["double", "prevent 2"]}
    assert told["otherwise"]["legal"] == {"attacker": False}


def test_amounts_that_another_order_changes_are_told_where_nobody_needs_more_for_it() -> None:
    fight = {**plain(parse("3 vs 2P1x2")), "op": "combat"}
    assert "in_every_order" not in batch(fight)
    told = batch({**fight, "attacker_assigns": [3], "defender_assigns": [2]})
    assert told["in_every_order"] is False
    assert (told["outcome"]["dealt"]["D1"], told["otherwise"]["outcome"]["dealt"]["D1"]) == (4, 5)


OPS = ("need", "count", "list", "best", "kills", "combat")


@pytest.mark.parametrize("op", OPS)
def test_an_answer_that_is_known_says_that_its_orders_are_not_known_in_time(
    op: str, monkeypatch: pytest.MonkeyPatch, lethal: Lethal
) -> None:
    asked = "4 vs 2x2P2 3" if op == "combat" else "4 into 2x2P2 3"
    here = batch({**plain(parse(asked)), "op": op})
    monkeypatch.setattr("solver.orders.SECONDS", 0)
    told = batch({**plain(parse(asked)), "op": op})
    assert told.pop("in_every_order") is None
    assert told == {k: v for k, v in here.items() if k not in ("in_every_order", "otherwise")}
    assert "not known in time" in lethal(op, *asked.split()).flat


def test_units_with_very_many_orders_differ_by_what_the_ends_of_them_say() -> None:
    steps = [*(f"prevent {i + 1}" for i in range(32)), *["double"] * 32]
    units = [{"might": 9, "replacements": steps}] * 200
    told = batch({"op": "need", "pool": 9, "units": units})
    assert told["in_every_order"] is False
    assert len(told["otherwise"]["order"]) == 1


def test_the_orders_on_both_sides_are_each_its_controllers_choice(lethal: Lethal) -> None:
    told = lethal("combat", "9", "9", "2x2P2N", "vs", "9", "9", "2x2P2N").flat
    assert "replacements of D3 and A3 (each its controller's choice" in told
    assert told.count("controller's choice") == 1


def test_the_orders_of_the_units_asked_about_are_looked_at_first() -> None:
    board = board_of("2 into " + "2x2P2 " * 10)
    for asked in ({"kill": ["A"]}, {"kill": ["E"]}, {"give": {"J": 2}, "kill": ["J"]}):
        answer = solver.why(board, **asked)
        assert answer.possible
        assert answer.orders is not None
        assert answer.orders.in_every_order is False
        assert answer.orders.otherwise is not None
        assert [*answer.orders.otherwise.steps] == asked["kill"]


def test_an_order_that_makes_a_difference_changes_no_more_units_than_needed() -> None:
    board = board_of("4 into 2x2P2 2x2P2 2x2P2")
    answer = solver.why(board, kill=["A", "B"])
    assert answer.orders is not None
    assert answer.orders.otherwise is not None
    assert len(answer.orders.otherwise.steps) == 1


def test_an_answer_that_is_known_stays_where_the_orders_are_not_known_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("solver.orders.SECONDS", 0)
    answer = solver.why(board_of("2 into 2x2P2 3"), kill=["A"])
    assert answer.example == (2, 0)
    assert answer.orders is not None
    assert (answer.orders.in_every_order, answer.orders.looked) == (None, 0)


def test_a_demand_that_contradicts_itself_in_one_order_may_be_met_in_another(
    lethal: Lethal,
) -> None:
    asked = ("2", "into", "3", "1Tx2P1P1", "--spare", "B", "--give", "B=2")
    data = lethal.json("why", *asked)
    assert (data["possible"], data["in_every_order"]) == (False, False)
    assert data["contradiction"] is not None
    assert data["otherwise"]["example"] == [0, 2]
    never = lethal.json("why", "2", "into", "3", "1Tx2P1P1", "--spare", "B", "--kill", "B")
    assert "in_every_order" not in never


def test_who_can_die_in_another_number_of_ways_is_not_the_same(lethal: Lethal) -> None:
    here, there = (parse(f"6 into {unit} 3B 1") for unit in ("1x2P1", "1P1x2"))
    assert isinstance(here, Board)
    assert isinstance(there, Board)
    assert solver.kills(here).keys() == solver.kills(there).keys()
    assert solver.kills(here) != solver.kills(there)
    told = lethal("kills", "6", "into", "1x2P1", "3B", "1").flat
    assert "If A's prevent 1 comes before its double" in told
    assert "gives the same sets in another number of ways" in told
