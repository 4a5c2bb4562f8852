"""Batch: every op answers with exactly the fields it promises, one line for one line."""

from __future__ import annotations

import io
import json
import os
import queue
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

import pytest
from boards import random_board
from command_line import Lethal

from rules.editions import EDITIONS
from rules.wire import recognized
from solver.batch import respond, serve

Json = dict[str, Any]

MOST = 10**18
PATIENCE = 20
TWO: Json = {"pool": 5, "units": [{"might": 3}, {"might": 3}]}
OPS: dict[str, Json] = {
    "need": {},
    "count": {},
    "list": {},
    "check": {"assignment": [0, 0]},
    "best": {},
    "kills": {},
    "margin": {"kill": ["A"]},
    "why": {"give": {"A": 3}},
    "what": {},
}
"""Every op with the fields it must have."""


def ask(op: str, board: Json | None = None, **fields: Any) -> Json:
    """Return the response to a request."""
    line = json.dumps({"op": op, **(TWO if board is None else board), **fields})
    response: Json = json.loads(respond(line.encode()))
    return response


def answer(op: str, board: Json | None = None, **fields: Any) -> Json:
    """Return what a response says besides `id` and `ok`, which must be null and true."""
    response = ask(op, board, **fields)
    assert list(response)[:2] == ["id", "ok"]
    assert response.pop("id") is None
    assert response.pop("ok") is True, response
    return response


def error(line: str | bytes | Json) -> Json:
    """Return the error of a response, which must be all there is besides `id` and `ok`."""
    if isinstance(line, dict):
        line = json.dumps(line)
    response: Json = json.loads(respond(line.encode() if isinstance(line, str) else line))
    assert response["ok"] is False, response
    assert response.keys() == {"id", "ok", "error"}
    fault: Json = response["error"]
    assert fault.keys() == {"code", "message", "path"}
    assert "\n" not in fault["message"]
    return fault


def units(*units_: Json, pool: int = 5, **fields: Any) -> Json:
    """Return a board of these units."""
    return {"pool": pool, "units": list(units_), **fields}


# --- the ops ------------------------------------------------------------------------------------


def test_need_is_a_list_of_numbers_and_two_words() -> None:
    board = units(
        {"might": 3, "marked": 1},
        {"might": 3, "replacements": ["prevent 2", "double"]},
        {"might": 3, "replacements": ["prevent all"]},
        {"might": 3, "undamageable": True},
    )
    assert answer("need", board)["need"] == [2, 4, "never", "exempt"]


def test_count_is_one_integer() -> None:
    assert answer("count") == {"count": 2}
    assert answer("count", kill=["A"]) == {"count": 1}
    assert answer("count", kill=["A"], spare=["B"]) == {"count": 1}
    assert answer("count", kill=["A", "B"]) == {"count": 0}
    assert answer("count", kill=[], spare=[]) == {"count": 2}
    assert answer("count", kill=["A"], spare=["A"]) == {"count": 0}


def test_count_is_of_any_size() -> None:
    board = units(*[{"might": 10}] * 300, pool=1000)
    assert answer("count", board)["count"] > 10**80
    assert answer("count", units({"might": 1}, {"might": 1}, pool=MOST)) == {"count": MOST - 1}


def test_list_is_lists_in_order_with_the_exact_count() -> None:
    three = units({"might": 3}, {"might": 3}, {"might": 3})
    every = [[0, 2, 3], [0, 3, 2], [2, 0, 3], [2, 3, 0], [3, 0, 2], [3, 2, 0]]
    assert answer("list", three) == {"assignments": every, "count": 6, "truncated": False}
    for limit in (6, 7, 0, MOST):
        assert answer("list", three, limit=limit)["assignments"] == every
        assert answer("list", three, limit=limit)["truncated"] is False
    assert answer("list", three, limit=4) == {
        "assignments": every[:4],
        "count": 6,
        "truncated": True,
    }


def test_list_has_at_most_a_thousand_unless_told_otherwise() -> None:
    board = units({"might": 1}, {"might": 1}, pool=1002)
    listed = answer("list", board)
    assert len(listed["assignments"]) == 1000
    assert (listed["count"], listed["truncated"]) == (1001, True)
    assert len(answer("list", board, limit=0)["assignments"]) == 1001


def test_check_of_what_is_legal() -> None:
    legal = {"legal": True, "violations": [], "tiers": {}, "order": [["A", 3], ["B", 2]]}
    assert answer("check", assignment=[3, 2]) == legal
    assert answer("check", assignment={"B": 2, "A": 3})["legal"] is True
    assert answer("check", units(), assignment=[])["legal"] is True


def test_check_of_what_is_illegal() -> None:
    checked = answer("check", assignment=[4, 1])
    assert checked.keys() == {"legal", "violations", "tiers", "nearest", "nearest_all"}
    assert checked["legal"] is False
    assert checked["nearest"] == [3, 2]
    (violation,) = checked["violations"]
    assert violation.keys() == {"rule", "number", "units", "because"}
    assert (violation["rule"], violation["number"]) == ("no_over_assignment", "465.2.c.4")
    assert violation["units"] == ["A"]
    assert type(violation["because"]) is str


def test_nearest_is_the_smallest_of_the_nearest() -> None:
    assert answer("check", assignment=[5, 5])["nearest"] == [2, 3]
    assert answer("check", assignment={"A": 2})["nearest"] == [2, 3]
    assert answer("check", assignment=[MOST, 0])["nearest"] == [3, 2]


def test_tiers_name_what_dual_units_count_as() -> None:
    dual = {"might": 3, "tank": True, "backline": True, "name": "Caitlyn"}
    board = units(dual, {"might": 2}, {"might": 2}, pool=4)
    assert answer("check", board, assignment=[3, 1, 0])["tiers"] == {"Caitlyn": "tank"}
    assert answer("check", board, assignment=[0, 2, 2])["tiers"] == {"Caitlyn": "backline"}
    alone = answer("check", units(dual, pool=3), assignment=[3])
    assert alone["tiers"] == {"Caitlyn": "either"}


def test_best_is_the_smallest_of_the_best() -> None:
    assert answer("best") == {
        "feasible": True,
        "assignment": [2, 3],
        "score": [1],
        "optimal": True,
        "ties": 2,
    }
    valued = answer("best", maximize=["value", "kills"], value={"A": 1.5, "B": -1})
    assert valued["assignment"] == [3, 2]
    assert valued["score"] == [1.5, 1]
    assert valued["ties"] == 1
    assert answer("best", spare=["B"])["assignment"] == [3, 2]
    assert answer("best", kill=["A"])["assignment"] == [3, 2]


def test_best_takes_the_first_objective_first() -> None:
    board = units({"might": 6}, {"might": 1}, {"might": 1}, pool=6)
    many = answer("best", board, maximize=["kills", "might"])
    assert (many["score"], many["assignment"]) == ([2, 2], [4, 1, 1])
    mighty = answer("best", board, maximize=["might", "kills"])
    assert (mighty["score"], mighty["assignment"]) == ([6, 1], [6, 0, 0])
    left = answer("best", units({"might": 1}, {"might": 1}), maximize=["excess"])
    assert (left["score"], left["ties"]) == ([3], 4)


def test_ties_are_counted_exactly() -> None:
    board = units({"might": 1}, {"might": 1}, {"might": 1}, pool=60)
    assert answer("best", board) == {
        "feasible": True,
        "assignment": [1, 1, 58],
        "score": [3],
        "optimal": True,
        "ties": 1711,
    }


def test_ties_are_counted_exactly_on_a_large_board() -> None:
    found = answer("best", units({"might": 1}, {"might": 1}, pool=10**12))
    assert found == {
        "feasible": True,
        "assignment": [1, 10**12 - 1],
        "score": [2],
        "optimal": True,
        "ties": 10**12 - 1,
    }


def test_best_says_what_forbids_a_demand() -> None:
    refused = answer("best", kill=["A", "B"])
    assert refused["feasible"] is False
    assert refused["because"] == [{"rule": "assign_total", "number": "465.2.c"}]
    assert {"feasible", "because"} <= refused.keys()
    assert answer("best", edition="443", kill=["A", "B"])["because"] == [
        {"rule": "assign_total", "number": EDITIONS["443"].number("assign_total")}
    ]


def test_kills_are_the_largest_sets_first_then_in_unit_order() -> None:
    board = units({"might": 1}, {"might": 4}, {"might": 2})
    sets = answer("kills", board)["kill_sets"]
    assert [one["killed"] for one in sets] == [["A", "B"], ["A", "C"], ["B"], ["C"]]
    assert all(one.keys() == {"killed", "assignments"} for one in sets)
    assert sum(one["assignments"] for one in sets) == answer("count", board)["count"]
    safe = units({"might": 3}, {"might": 3, "replacements": ["prevent all"]}, pool=2)
    assert answer("kills", safe) == {"kill_sets": [{"killed": [], "assignments": 2}]}


def test_the_empty_board_has_one_empty_assignment() -> None:
    for pool in (0, 7):
        empty = units(pool=pool)
        assert answer("need", empty) == {"need": []}
        assert answer("count", empty) == {"count": 1}
        listed = {"assignments": [[]], "count": 1, "truncated": False}
        assert answer("list", empty) == listed
        assert answer("kills", empty) == {"kill_sets": [{"killed": [], "assignments": 1}]}
        assert answer("best", empty)["assignment"] == []
        assert answer("check", empty, assignment=[])["legal"] is True


def test_a_pool_of_0_has_the_one_assignment_of_nothing() -> None:
    assert answer("list", units({"might": 3}, {"might": 2}, pool=0))["assignments"] == [[0, 0]]


@pytest.mark.parametrize("op", OPS)
def test_numbers_up_to_the_limit_are_answered(op: str) -> None:
    board = units(
        {"might": MOST, "marked": MOST - 1, "shield": MOST},
        {"might": MOST, "replacements": [f"prevent {MOST}", "double"]},
        {"might": 1, "replacements": ["double"] * 64},
        {"might": -MOST, "name": "x" * 100},
        pool=MOST,
    )
    wanted: dict[str, Json] = {"check": {"assignment": [MOST, 0, 0, 0]}, "list": {"limit": 2}}
    fields = wanted.get(op, OPS[op])
    assert answer(op, board, **fields)


@pytest.mark.parametrize("objective", ["kills", "might", "value", "excess"])
def test_the_best_of_numbers_up_to_the_limit_is_found(objective: str) -> None:
    board = units(*[{"might": MOST}] * 8, pool=MOST)
    fields: Json = {"value": {"A": MOST, "B": 0.5}} if objective == "value" else {}
    found = answer("best", board, maximize=[objective], **fields)
    assert found["optimal"] is True


# --- warnings and readings ----------------------------------------------------------------------

DOOMED = units({"might": 3, "marked": 4}, {"might": 2})


@pytest.mark.parametrize("op", OPS)
def test_what_is_odd_is_answered_with_warnings(op: str) -> None:
    assert "warnings" not in answer(op, **OPS[op])
    warnings = answer(op, DOOMED, **OPS[op])["warnings"]
    assert len(warnings) == 1
    assert "A already has lethal damage" in warnings[0]


@pytest.mark.parametrize("op", OPS)
def test_readings_are_named_when_some_are_not_at_their_default(op: str) -> None:
    assert "readings" not in answer(op, **OPS[op])
    defaults = {"leftover": "any", "must_kill": "no"}
    assert "readings" not in answer(op, readings=defaults, **OPS[op])
    changed = {"leftover": "one_unit", "must_kill": "no"}
    assert answer(op, readings=changed, **OPS[op])["readings"] == {"leftover": "one_unit"}


@pytest.mark.parametrize("edition", EDITIONS)
def test_numbers_are_of_the_edition_in_use(edition: str) -> None:
    board = units({"might": 3, "backline": True}, {"might": 3}, edition=edition)
    for violation in answer("check", board, assignment=[4, 1])["violations"]:
        assert violation["number"] == EDITIONS[edition].number(violation["rule"])


# --- ids ----------------------------------------------------------------------------------------

IDS = ['"x"', '""', '"\\u00e9\\n\\""', "7", "-1", "0", "1.5", "true", "false", "null",
       str(10**30), str(-(10**18) - 1), '[1,[2,{"a":null}]]', '{"op":"need","id":{}}']  # fmt: skip


@pytest.mark.parametrize("id_", IDS)
def test_the_id_is_echoed_whatever_it_is(id_: str) -> None:
    for op in ("need", "neeed"):
        line = f'{{"id":{id_},"op":"{op}","pool":5,"units":[]}}'
        response = json.loads(respond(line.encode()))
        assert response["id"] == json.loads(id_)
        assert response["ok"] is (op == "need")


def test_without_an_id_it_is_null() -> None:
    assert ask("need")["id"] is None
    assert ask("neeed")["id"] is None
    assert json.loads(respond(b"["))["id"] is None
    assert json.loads(respond(b"[7]"))["id"] is None


def test_the_id_is_echoed_to_a_request_with_a_key_twice() -> None:
    line = b'{"id":7,"op":"need","pool":5,"pool":5,"units":[]}'
    response = json.loads(respond(line))
    assert (response["error"]["code"], response["error"]["path"]) == ("bad_request", "$.pool")
    assert response["id"] == 7


def test_the_id_is_echoed_to_a_request_with_a_number_too_long() -> None:
    line = b'{"id":7,"op":"need","pool":' + b"9" * 5000 + b',"units":[]}'
    response = json.loads(respond(line))
    assert (response["error"]["code"], response["id"]) == ("limit", 7)


def test_a_rule_is_explained_as_on_the_command_line(lethal: Lethal) -> None:
    said = {"rule": "460.2.c.4", "edition": "467"}
    asked = ["rule", "460.2.c.4", "--edition", "467"]
    told = answer("rule", {}, **said)
    assert told == lethal.json(*asked)
    assert (told["number"], told["found_in"]) == ("467.2.c.4", "460")
    on_a_board = answer("rule", TWO, **said)
    assert on_a_board == lethal.json(*asked, "5", "into", "3", "3")
    assert on_a_board["posted"] == ["A over 3 -> B lethal", "B over 3 -> A lethal"]


# --- errors -------------------------------------------------------------------------------------

LONG = b"1" * 5000
ERRORS: dict[str, tuple[str | bytes | Json, str, str]] = {
    "no JSON": ("need", "bad_json", "$"),
    "truncated": ('{"op":"need"', "bad_json", "$"),
    "a list": ("[]", "bad_request", "$"),
    "null": ("null", "bad_request", "$"),
    "no op": (TWO, "bad_request", "$.op"),
    "an unknown op": ({"op": "cuont", **TWO}, "unknown_op", "$.op"),
    "an upper-case op": ({"op": "COUNT", **TWO}, "unknown_op", "$.op"),
    "no board": ({"op": "count"}, "bad_request", "$.pool"),
    "a wrong board": ({"op": "count", "pool": 5, "units": [{"might": "3"}]}, "bad_request",
                      "$.units[0].might"),
    "an unknown field": ({"op": "count", **TWO, "killed": []}, "bad_request", "$.killed"),
    "a field of another op": ({"op": "count", **TWO, "limit": 5}, "bad_request", "$.limit"),
    "a demand on a list": ({"op": "list", **TWO, "kill": []}, "bad_request", "$.kill"),
    "an unknown edition": ({"op": "count", **TWO, "edition": "464"}, "unknown_edition",
                           "$.edition"),
    "an unknown switch": ({"op": "count", **TWO, "readings": {"x": "y"}}, "unknown_reading",
                          "$.readings.x"),
    "an unknown reading": ({"op": "count", **TWO, "readings": {"leftover": "all"}},
                           "unknown_reading", "$.readings.leftover"),
    "a number too large": ({"op": "count", **TWO, "pool": MOST + 1}, "limit", "$.pool"),
    "too many units": ({"op": "count", "pool": 5, "units": [{"might": 1}] * 1001}, "limit",
                       "$.units"),
    "too many replacements": (
        {"op": "need", **units({"might": 1, "replacements": ["double"] * 65})}, "limit",
        "$.units[0].replacements"),
    "an unknown name to kill": ({"op": "count", **TWO, "kill": ["A", "X"]}, "bad_request",
                                "$.kill[1]"),
    "an unknown name to spare": ({"op": "best", **TWO, "spare": ["X"]}, "bad_request",
                                 "$.spare[0]"),
    "no rule": ({"op": "rule"}, "bad_request", "$.rule"),
    "an unknown rule": ({"op": "rule", "rule": "999.9"}, "bad_request", "$.rule"),
    "a rule that is no text": ({"op": "rule", "rule": 5}, "bad_request", "$.rule"),
    "a rule on half a board": ({"op": "rule", "rule": "766", "pool": 3}, "bad_request",
                               "$.units"),
    "no assignment": ({"op": "check", **TWO}, "bad_request", "$.assignment"),
    "a short assignment": ({"op": "check", **TWO, "assignment": [5]}, "bad_request",
                           "$.assignment"),
    "negative points": ({"op": "check", **TWO, "assignment": [6, -1]}, "bad_request",
                        "$.assignment[1]"),
    "points too large": ({"op": "check", **TWO, "assignment": [MOST + 1, 0]}, "limit",
                         "$.assignment[0]"),
    "a negative limit": ({"op": "list", **TWO, "limit": -1}, "bad_request", "$.limit"),
    "a true limit": ({"op": "list", **TWO, "limit": True}, "bad_request", "$.limit"),
    "a limit of text": ({"op": "list", **TWO, "limit": "5"}, "bad_request", "$.limit"),
    "a null limit": ({"op": "list", **TWO, "limit": None}, "bad_request", "$.limit"),
    "a limit too large": ({"op": "list", **TWO, "limit": 10**30}, "limit", "$.limit"),
    "one objective": ({"op": "best", **TWO, "maximize": "kills"}, "bad_request", "$.maximize"),
    "an unknown objective": ({"op": "best", **TWO, "maximize": ["kills", "x"]}, "bad_request",
                             "$.maximize[1]"),
    "an objective of no text": ({"op": "best", **TWO, "maximize": [[]]}, "bad_request",
                                "$.maximize[0]"),
    "no values": ({"op": "best", **TWO, "maximize": ["value"]}, "bad_request", "$.value"),
    "a list of values": ({"op": "best", **TWO, "maximize": ["value"], "value": [1, 2]},
                         "bad_request", "$.value"),
    "a value of text": ({"op": "best", **TWO, "maximize": ["value"], "value": {"A": "1"}},
                        "bad_request", "$.value.A"),
    "a true value": ({"op": "best", **TWO, "maximize": ["value"], "value": {"A": True}},
                     "bad_request", "$.value.A"),
    "a value of nobody": ({"op": "best", **TWO, "maximize": ["value"], "value": {"X": 1}},
                          "bad_request", "$.value.X"),
    "a value too large": ({"op": "best", **TWO, "maximize": ["value"], "value": {"A": MOST + 1}},
                          "limit", "$.value.A"),
    "a long number and nothing behind it": (b'{"op":"need","pool":' + LONG, "bad_json", "$"),
    "a long number and a stray bracket": (LONG + b"]", "bad_json", "$"),
    "a long number and half a character": (
        b'{"pool":' + LONG + b',"id":"\\ud800"}', "bad_json", "$"),
    "a long number and no number": (
        b'{"op":"need","pool":' + LONG + b',"units":NaN}', "bad_json", "$"),
    "a long number and a text like it": (
        b'{"op":"' + LONG + b'","pool":' + LONG + b"}", "unknown_op", "$.op"),
    "a long number below 0": (b'{"op":"need","pool":-' + LONG + b',"units":[]}', "limit", "$.pool"),
    "a long number with a fraction": (
        b'{"op":"need","pool":' + LONG + b'.5,"units":[]}', "limit", "$"),
    "a long number as an exponent": (
        b'{"op":"need","pool":1e' + LONG + b',"units":[]}', "limit", "$"),
}  # fmt: skip


def test_an_id_is_echoed_however_long_it_is() -> None:
    line = b'{"op":"need","pool":1,"units":[],"id":' + LONG + b"}"
    assert respond(line) == b'{"id":' + LONG + b',"ok":true,"need":[]}'


@pytest.mark.parametrize(
    "field", ["kill", "spare", "assignment", "edition", "maximize", "unit", "rule", "op", "give"]
)
def test_no_depth_of_a_field_ends_a_stream(field: str) -> None:
    ops = {"assignment": "check", "maximize": "best", "unit": "what", "rule": "rule", "give": "why"}
    for depth in (10, *range(900, 1010), 5000):
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            deep = f'"{field}":{opening * depth}1{closing * depth}'
            op = f'"op":"{ops.get(field, "count")}",' if field != "op" else ""
            code = error(f'{{{op}"pool":5,"units":[{{"might":3}}],{deep}}}')["code"]
            assert code in {"bad_request", "bad_json", "unknown_op", "unknown_edition"}


@pytest.mark.parametrize("kind", ERRORS)
def test_a_bad_request_is_answered_with_its_code_and_path(kind: str) -> None:
    request, code, path = ERRORS[kind]
    fault = error(request)
    assert (fault["code"], fault["path"]) == (code, path)


def test_a_misspelt_op_is_answered_with_did_you_mean() -> None:
    assert 'did you mean "count"?' in error({"op": "cuont", **TWO})["message"]


def test_a_misspelt_field_of_an_op_is_answered_with_did_you_mean() -> None:
    assert 'did you mean "kill"?' in error({"op": "count", **TWO, "kil": []})["message"]
    assert 'did you mean "maximize"?' in error({"op": "best", **TWO, "maximise": []})["message"]


# --- the stream ---------------------------------------------------------------------------------

NEED = b'{"op":"need","pool":5,"units":[{"might":%d}],"id":%d}'


def served(requests: bytes) -> list[Json]:
    """Return the responses to a stream of requests, each of which must be one line."""
    responses = io.BytesIO()
    serve(io.BytesIO(requests), responses)
    lines = responses.getvalue().split(b"\n")
    assert lines.pop() == b"", "the last line ends like the others"
    return [json.loads(line) for line in lines]


def test_one_line_is_answered_for_one_line_in_order() -> None:
    lines = [NEED % (i, i) for i in range(1, 500)]
    assert [r["id"] for r in served(b"\n".join(lines) + b"\n")] == list(range(1, 500))


def test_a_bad_line_is_answered_and_the_next_one_still_served() -> None:
    bad = [b"", b"nonsense", b"{", b"[]", b'{"op":"x"}', b"\xff\xfe", b"[" * 100_000, b"\x00",
           b'{"op":"need","pool":' + b"9" * 5000 + b',"units":[]}']  # fmt: skip
    for line in bad:
        responses = served(b"\n".join([NEED % (1, 1), line, NEED % (2, 2), b""]))
        assert [r["ok"] for r in responses] == [True, False, True]
        assert [r["id"] for r in responses] == [1, None, 2]


def test_the_last_line_needs_no_end() -> None:
    assert [r["need"] for r in served(NEED % (3, 1))] == [[3]]
    assert [r["id"] for r in served(NEED % (3, 1) + b"\n" + NEED % (3, 2))] == [1, 2]


def test_lines_may_end_in_two_characters() -> None:
    responses = served(NEED % (3, 1) + b"\r\n" + NEED % (4, 2) + b"\r\n")
    assert [r["need"] for r in responses] == [[3], [4]]


def test_no_input_is_no_output() -> None:
    assert served(b"") == []


def test_letters_that_end_lines_elsewhere_do_not_end_them_here() -> None:
    line = '{"id":"\u2028\u0085\\n","op":"need","pool":1,"units":[{"might":1,"name":"\u00e9"}]}'
    responses = served(line.encode() + b"\n")
    assert len(responses) == 1
    assert responses[0]["id"] == "\u2028\u0085\n"


def test_a_line_may_be_longer_than_any_buffer() -> None:
    long = json.dumps({"op": "need", "id": "x" * 300_000, **units({"might": 3})}).encode()
    responses = served(b"\n".join([NEED % (1, 1), long, NEED % (2, 2)]))
    assert [len(str(r["id"])) for r in responses] == [1, 300_000, 1]


def test_hostile_nesting_does_not_end_the_stream() -> None:
    lines = [b'{"a":"x:y","b":' + b"[" * n + b"]" * n + b"}" for n in range(900, 1010)]
    responses = served(b"\n".join([*lines, NEED % (1, 1)]))
    assert [r["ok"] for r in responses] == [False] * len(lines) + [True]


def test_units_met_before_change_nothing(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(15)
    lines = []
    for id_ in range(many // 5):
        line = json.dumps({"op": "count", "id": id_, **random_board(rng, units=4)}).encode()
        cut = rng.randrange(len(line))
        slip = rng.choice([b"", b'"', b":", b"{", b'"might":2,', b'"tank":1,', b'"name":"",', b" "])
        lines += [line, line[:cut] + slip + line[cut + rng.randint(0, 2) :]]
        lines.append(line.replace(b'"might"', b'"' + rng.choice([b"mihgt", b"name"]) + b'"', 1))
    known = [recognized(line) is not None for line in lines]
    assert len(known) > sum(known) > many / 6
    answered = [respond(line) for line in lines]
    monkeypatch.setattr("solver.batch.recognized", lambda line: None)
    assert answered == [respond(line) for line in lines]


class Batch:
    """`lethal batch` as a process, asked and answered line by line."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "solver", "batch", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._pipe(self.process.stdout):
            self._lines.put(line)

    def _pipe(self, pipe: Any) -> BinaryIO:
        assert pipe is not None
        return pipe  # type: ignore[no-any-return]

    def write(self, text: bytes) -> None:
        """Write to the process, at once."""
        self._pipe(self.process.stdin).write(text)
        self._pipe(self.process.stdin).flush()

    def line(self, timeout: float = PATIENCE) -> Json:
        """Return the next response; fails where there is none in time."""
        response: Json = json.loads(self._lines.get(timeout=timeout))
        return response

    def silent(self) -> bool:
        """Tell whether nothing is answered for a while."""
        try:
            self._lines.get(timeout=0.3)
        except queue.Empty:
            return True
        return False

    def end(self) -> tuple[int, bytes]:
        """End the input; return the exit status and what stands on stderr."""
        self._pipe(self.process.stdin).close()
        status = self.process.wait(timeout=PATIENCE)
        return status, self._pipe(self.process.stderr).read()


@pytest.fixture
def batch() -> Iterator[Batch]:
    """Return a running batch."""
    running = Batch()
    yield running
    running.process.kill()
    running.process.wait()


def test_an_answer_comes_before_the_next_question(batch: Batch) -> None:
    for i in range(1, 4):
        batch.write(NEED % (i, i) + b"\n")
        response = batch.line()
        assert (response["id"], response["need"]) == (i, [i])
    batch.write(b"nonsense\n")
    assert batch.line()["error"]["code"] == "bad_json"
    last = NEED % (8, 8)
    batch.write(NEED % (9, 9) + b"\n" + last[:20])
    assert batch.line()["id"] == 9
    assert batch.silent(), "half a line is not answered"
    batch.write(last[20:])
    assert batch.silent(), "nor is one without its end"
    assert batch.end() == (0, b"")
    assert batch.line()["id"] == 8


def test_a_stream_of_bad_lines_ends_well(batch: Batch) -> None:
    batch.write(b"\n\nnonsense\n")
    assert [batch.line()["ok"] for _ in range(3)] == [False] * 3
    assert batch.end() == (0, b"")


def test_a_large_board_is_listed_at_once_with_its_exact_count(batch: Batch) -> None:
    large = units({"might": 3}, {"might": 3}, pool=MOST)
    batch.write(json.dumps({"op": "list", "limit": 2, **large}).encode() + b"\n")
    assert batch.line(timeout=5) == {
        "id": None,
        "ok": True,
        "assignments": [[3, MOST - 3], [4, MOST - 4]],
        "count": MOST - 5,
        "truncated": True,
    }


def test_a_time_limit_holds_for_every_request() -> None:
    running = Batch("--time-limit", "0.3")
    try:
        kills = {"op": "kills", **units(*[{"might": 20}] * 30, pool=300), "id": 1}
        running.write(json.dumps(kills).encode() + b"\n" + NEED % (3, 2) + b"\n")
        assert running.line()["id"] == 1
        assert running.line() == {"id": 2, "ok": True, "need": [3]}
    finally:
        running.process.kill()
        running.process.wait()
