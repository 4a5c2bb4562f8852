"""Bad input is refused at the door: one sentence, a code, and the exact path of the fault."""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import solver
from rules import Arrivals, Assigner, BadRequest, Board, Combat, Readings, Unit, find, parse, wire
from rules.errors import shown
from solver.batch import respond
from solver.cli import main

Json = dict[str, Any]

MOST = 10**18
CODES = {"bad_json", "bad_request", "unknown_op", "unknown_edition", "unknown_reading", "limit"}
DEEP = 100_000


def assert_sentence(message: str) -> None:
    """Check that a message is one line that can be shown as it is."""
    assert message
    assert message == message.strip()
    assert message.isprintable()


def assert_refused(code: str, path: str, function: Callable[[], object]) -> None:
    """Check that the call is refused with that code and path, in one sentence."""
    with pytest.raises(BadRequest) as caught:
        function()
    assert (caught.value.code, caught.value.path) == (code, path)
    assert_sentence(caught.value.message)


def read(text: str | bytes) -> Board | Combat:
    """Read JSON as the front ends do."""
    return wire.read(wire.decode_json(text))


def board(**changes: Any) -> Json:
    """Return a board in JSON shape with some fields changed."""
    return {"pool": 5, "units": [{"might": 3}], **changes}


def unit(**changes: Any) -> Json:
    """Return a board whose second unit has some fields changed."""
    return board(units=[{"might": 1}, {"might": 3, **changes}])


def combat(**changes: Any) -> Json:
    """Return a combat in JSON shape with some fields changed."""
    return {"attackers": [{"might": 3}], "defenders": [{"might": 2}], **changes}


# --- text that is no JSON -----------------------------------------------------------------------

TEXTS: dict[str, tuple[str | bytes, str, str]] = {
    "nothing": (b"", "bad_json", "$"),
    "a blank": (b" \n", "bad_json", "$"),
    "truncated": (b'{"pool":5,"units":[{"might":3}]', "bad_json", "$"),
    "two values": (b"{}{}", "bad_json", "$"),
    "a byte order mark": (b'\xef\xbb\xbf{"pool":5,"units":[]}', "bad_json", "$"),
    "UTF-16": ('{"pool":5,"units":[]}'.encode("utf-16"), "bad_json", "$"),
    "binary": (bytes(range(256)), "bad_json", "$"),
    "not UTF-8": (b'{"pool":5,"units":[{"might":3,"name":"\xff"}]}', "bad_json", "$"),
    "an encoded surrogate": (b'{"pool":5,"units":[{"might":3,"name":"\xed\xa0\x80"}]}',
                             "bad_json", "$"),
    "an escaped surrogate": (b'{"pool":5,"units":[{"might":3,"name":"\\ud800 and more"}]}',
                             "bad_json", "$"),
    "a surrogate in text": ('{"pool":5,"units":[],"\ud800":1}', "bad_json", "$"),
    "a control character": (b'{"pool":5,"units":[{"might":3,"name":"a\nb"}]}', "bad_json", "$"),
    "single quotes": (b"{'pool':5,'units':[]}", "bad_json", "$"),
    "a comment": (b'{"pool":5,"units":[]} // five', "bad_json", "$"),
    "a comma too many": (b'{"pool":5,"units":[],}', "bad_json", "$"),
    "NaN": (b'{"pool":NaN,"units":[]}', "bad_json", "$"),
    "Infinity": (b'{"pool":Infinity,"units":[]}', "bad_json", "$"),
    "-Infinity": (b'{"pool":5,"units":[{"might":-Infinity}]}', "bad_json", "$"),
    "a leading zero": (b'{"pool":05,"units":[]}', "bad_json", "$"),
    "a plus": (b'{"pool":+5,"units":[]}', "bad_json", "$"),
    "deep lists": (b"[" * DEEP, "bad_json", "$"),
    "deep objects": (b'{"a":' * DEEP, "bad_json", "$"),
    "deep in a field": (b'{"pool":' + b"[" * DEEP + b"]" * DEEP + b"}", "bad_json", "$"),
    "1e3": (b'{"pool":1e3,"units":[]}', "bad_request", "$.pool"),
    "1.0": (b'{"pool":1.0,"units":[]}', "bad_request", "$.pool"),
    "1e300": (b'{"pool":1e300,"units":[]}', "bad_request", "$.pool"),
    "a number of 5000 digits": (b'{"pool":' + b"9" * 5000 + b',"units":[]}', "limit", "$.pool"),
    "a unit of 5000 digits": (b'{"pool":5,"units":[{"might":-' + b"9" * 5000 + b"}]}",
                              "limit", "$.units[0].might"),
    "a number of 4000 digits": (b'{"pool":' + b"9" * 4000 + b',"units":[]}', "limit", "$.pool"),
    "null": (b"null", "bad_request", "$"),
    "a list": (b"[]", "bad_request", "$"),
    "a number": (b"5", "bad_request", "$"),
    "a text": (b'"5 into 3"', "bad_request", "$"),
    "nothing in it": (b"{}", "bad_request", "$.pool"),
    "a key twice": (b'{"pool":5,"pool":5,"units":[]}', "bad_request", "$.pool"),
    "a key twice, once escaped": (b'{"pool":5,"po\\u006fl":5,"units":[]}', "bad_request", "$.pool"),
    "a key of a unit twice": (b'{"pool":5,"units":[{"might":1},{"might":1,"might":1}]}',
                              "bad_request", "$.units[1].might"),
    "a key of the assigner twice": (
        b'{"pool":5,"units":[],"assigner":{"ignores":[],"ignores":[]}}',
        "bad_request", "$.assigner.ignores"),
    "a key of the readings twice": (
        b'{"pool":5,"units":[],"readings":{"excess":"raw","excess":"raw"}}',
        "bad_request", "$.readings.excess"),
    "a key twice beside a colon": (b'{"pool":5,"units":[{"might":1,"name":"a:b","might":1}]}',
                                   "bad_request", "$.units[0].might"),
    "a key of an arrival twice": (
        b'{"attackers":[],"defenders":[],"arrivals":{"attackers":[{"might":1,"might":2}]}}',
        "bad_request", "$.arrivals.attackers[0].might"),
}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
def test_text_is_refused(kind: str) -> None:
    text, code, path = TEXTS[kind]
    assert_refused(code, path, lambda: read(text))


@pytest.mark.parametrize("opened", ["[", '{"a":'])
@pytest.mark.parametrize("inside", ["1", '"x:y"'])
def test_nesting_of_any_depth_is_refused(opened: str, inside: str) -> None:
    closed = "]" if opened == "[" else "}"
    for depth in (10, 100, *range(700, 1100, 7), *range(960, 1010), 5000):
        with pytest.raises(BadRequest):
            read(opened * depth + inside + closed * depth)


def test_numbers_go_up_to_the_limit() -> None:
    parsed = read(json.dumps(unit(might=-MOST, marked=MOST, shield=MOST, assault=MOST)))
    assert isinstance(parsed, Board)
    assert parsed.units[1] == Unit(name="B", might=-MOST, marked=MOST, shield=MOST, assault=MOST)
    assert read(json.dumps(board(pool=MOST)))
    assert read(json.dumps(unit(replacements=[f"prevent {MOST}"] * 64)))
    assert read(json.dumps(board(units=[{"might": 1, "name": f"u{i}" + "x" * 90}
                                        for i in range(1000)])))  # fmt: skip


# --- JSON of the wrong shape --------------------------------------------------------------------

Wrong = tuple[str, Json, str, str]
"""What is wrong, the data, and the code and the path it is refused with."""


def each(
    kind: str,
    values: Sequence[Any],
    put: Callable[[Any], Json],
    path: str,
    code: str = "bad_request",
) -> list[Wrong]:
    """Return one case for every value."""
    return [(f"{kind} {value!r:.40}", put(value), code, path) for value in values]


def with_field(make: Callable[..., Json], field: str) -> Callable[[Any], Json]:
    """Return what makes a question with a value in that field."""
    return lambda value: make(**{field: value})


def _of_boards() -> Iterator[Wrong]:
    """Yield boards with one field wrong."""
    yield from each("pool", [None, "5", True, 5.5, [], {}, -1], lambda v: board(pool=v), "$.pool")
    large = [MOST + 1, -MOST - 1, 10**30, -(10**30)]
    yield from each("pool", large, lambda v: board(pool=v), "$.pool", "limit")
    yield "no pool", {"units": []}, "bad_request", "$.pool"
    yield "no units", {"pool": 5}, "bad_request", "$.units"
    yield from each("units", [None, {}, "3", 3], lambda v: board(units=v), "$.units")
    yield "1001 units", board(units=[{"might": 1}] * 1001), "limit", "$.units"
    fields: list[tuple[str, list[Any], str]] = [
        ("units_are", [None, 1, "attacker", "Defenders", ""], "bad_request"),
        ("assigner", [None, [], "tank"], "bad_request"),
        ("edition", [None, 465, 465.0, ["465"]], "bad_request"),
        ("edition", ["464", "v1.4", "465.2", "4 65"], "unknown_edition"),
        ("readings", [None, [], "skip"], "bad_request"),
        ("units_count", [1], "bad_request"),
        ("a`b", [1], "bad_request"),
    ]
    for field, values, code in fields:
        yield from each(field, values, with_field(board, field), f"$.{field}", code)
    of_assigner: list[tuple[str, list[Any]]] = [
        ("ignores", [None, "tank", {}, True]),
        ("any_damage_is_lethal", [None, 1, "yes"]),
        ("player", [1]),
    ]
    for field, values in of_assigner:
        wrong = [{field: value} for value in values]
        yield from each("", wrong, with_field(board, "assigner"), f"$.assigner.{field}")
    ignored: list[Any] = [None, 1, "Tank", "shield", []]
    path = "$.assigner.ignores[1]"
    yield from each("ignored", ignored, lambda v: board(assigner={"ignores": ["tank", v]}), path)
    switches: list[tuple[str, list[Any], str]] = [
        ("undamageabel", ["skip"], "unknown_reading"),
        ("leftover", ["all", "Any", ""], "unknown_reading"),
        ("leftover", [None, True, 1, [], {}], "bad_request"),
    ]
    for switch, values, code in switches:
        wrong = [{switch: value} for value in values]
        yield from each("", wrong, with_field(board, "readings"), f"$.readings.{switch}", code)


def _of_units() -> Iterator[Wrong]:
    """Yield boards with one field of a unit wrong."""
    nouns: list[Any] = [None, 3, "3", [], True]
    yield from each("a unit", nouns, lambda v: board(units=[{"might": 1}, v]), "$.units[1]")
    no_might = board(units=[{"might": 1}, {}])
    yield "a unit without Might", no_might, "bad_request", "$.units[1].might"
    amounts: list[Any] = [None, "1", False, 1.5, [], -1]
    flags: list[Any] = [None, 1, 0, "true", []]
    names: list[Any] = [None, 3, True, ["x"], "", "12", "into", "vs", "x" * 101, "A"]
    names += ["\x07", "a\nb", "\u200b", "\u2028", "\x7f"]
    fields: list[tuple[str, list[Any], str]] = [
        ("might", [None, "3", True, 3.0, [], {}], "bad_request"),
        ("might", [MOST + 1, -MOST - 1], "limit"),
        ("marked", amounts, "bad_request"),
        ("assault", amounts, "bad_request"),
        ("shield", amounts, "bad_request"),
        ("marked", [MOST + 1, -MOST - 1], "limit"),
        ("assault", [MOST + 1], "limit"),
        ("shield", [MOST + 1], "limit"),
        ("tank", flags, "bad_request"),
        ("backline", flags, "bad_request"),
        ("undamageable", flags, "bad_request"),
        ("stunned", flags, "bad_request"),
        ("no_combat_damage", flags, "bad_request"),
        ("name", names, "bad_request"),
        ("damage", [1], "bad_request"),
        ("replacements", [None, "double", {}, 1, True], "bad_request"),
        ("replacements", [["double"] * 65], "limit"),
    ]
    for field, values, code in fields:
        yield from each(field, values, with_field(unit, field), f"$.units[1].{field}", code)
    steps: list[Any] = [None, 1, [], "", " double", "Double", "DOUBLE", "halve", "prevent"]
    amounts = ["-1", "1.5", "1e3", " 1", "1 ", "1\n", "All", "\N{ARABIC-INDIC DIGIT THREE}"]
    steps += [f"prevent {amount}" for amount in amounts]
    large = [f"prevent {MOST + 1}", "prevent " + "9" * 5000]
    for values, code in ((steps, "bad_request"), (large, "limit")):
        path = "$.units[1].replacements[1]"
        yield from each("step", values, lambda v: unit(replacements=["double", v]), path, code)
    twice = board(units=[{"might": 1, "name": "x"}] * 2)
    yield "a name twice", twice, "bad_request", "$.units[1].name"
    taken = board(units=[{"might": 1, "name": "B"}, {"might": 1}])
    yield "a name of another position", taken, "bad_request", "$.units[1].name"


def _of_combats() -> Iterator[Wrong]:
    """Yield combats with one field wrong."""
    yield "no defenders", {"attackers": []}, "bad_request", "$.defenders"
    yield "no attackers", {"defenders": []}, "bad_request", "$.attackers"
    fields: list[tuple[str, list[Any], str, str]] = [
        ("attackers", [None, 3], "", "bad_request"),
        ("attackers", [[3]], "[0]", "bad_request"),
        ("defenders", [[{"might": "3"}]], "[0].might", "bad_request"),
        ("defenders", [[{"might": 1}] * 1001], "", "limit"),
        ("attacker", [{"ignores": ["x"]}], ".ignores[0]", "bad_request"),
        ("defender", [{"any_damage_is_lethal": 1}], ".any_damage_is_lethal", "bad_request"),
        ("control", [1, "both", "None", ""], "", "bad_request"),
        ("scored_this_turn", [None, "attacker", {}], "", "bad_request"),
        ("scored_this_turn", [["attacker", "none"]], "[1]", "bad_request"),
        ("arrivals", [None, []], "", "bad_request"),
        ("arrivals", [{"attackers": [{"might": "3"}]}], ".attackers[0].might", "bad_request"),
        ("arrivals", [{"attackers": [{"might": 3, "x": 1}]}], ".attackers[0].x", "bad_request"),
        ("arrivals", [{"defenders": [{"might": 3, "name": ""}]}], ".defenders[0].name",
         "bad_request"),
        ("attacker_assigns", ["3", 3, [1, 2], True], "", "bad_request"),
        ("attacker_assigns", [[-1], [1.0], [True], ["1"], [None]], "[0]", "bad_request"),
        ("attacker_assigns", [{"X": 1}], ".X", "bad_request"),
        ("attacker_assigns", [[MOST + 1]], "[0]", "limit"),
        ("defender_assigns", [{"A1": v} for v in (-1, 1.0, True, "1", None)], ".A1",
         "bad_request"),
    ]  # fmt: skip
    for field, values, path, code in fields:
        yield from each(field, values, with_field(combat, field), f"$.{field}{path}", code)
    both = combat(attackers=[{"might": 1, "name": "D1"}])
    yield "a name on both sides", both, "bad_request", "$.defenders[0].name"


@pytest.mark.parametrize(
    ("data", "code", "path"),
    [
        pytest.param(data, code, path, id=kind)
        for cases in (_of_boards(), _of_units(), _of_combats())
        for kind, data, code, path in cases
    ],
)
def test_json_is_refused(data: Json, code: str, path: str) -> None:
    assert_refused(code, path, lambda: read(json.dumps(data)))


@pytest.mark.parametrize(
    ("data", "code", "path"),
    [
        (board(pool=math.nan), "bad_request", "$.pool"),
        (board(pool=10**5000), "limit", "$.pool"),
        (unit(name="\ud800"), "bad_request", "$.units[1].name"),
        (unit(might=3 + 0j), "bad_request", "$.units[1].might"),
    ],
    ids=["NaN", "5000 digits", "a surrogate", "a complex number"],
)
def test_plain_data_from_python_is_refused(data: Json, code: str, path: str) -> None:
    assert_refused(code, path, lambda: wire.read(data))


@pytest.mark.parametrize(
    ("data", "meant"),
    [
        (board(unit=[]), "units"),
        (board(Pool=1), "pool"),
        (board(asigner={}), "assigner"),
        (board(editoin="465"), "edition"),
        (unit(migth=1), "might"),
        (unit(backlin=True), "backline"),
        (unit(replacement=[]), "replacements"),
        (board(assigner={"ignore": ["tank"]}), "ignores"),
        (board(assigner={"any_damage_lethal": True}), "any_damage_is_lethal"),
        (board(readings={"undamageabel": "skip"}), "undamageable"),
        (board(readings={"undamageable": "skipp"}), "skip"),
        (board(units=[{"might": 1, "replacements": ["Double"]}]), "double"),
        (combat(atackers=[]), "attackers"),
        (combat(defenders=[{"might": 1, "tnak": True}]), "tank"),
        (combat(attacker={"ignore": ["tank"]}), "ignores"),
        (combat(arrivals={"attacker": []}), "attackers"),
        (combat(arrivals={"attackers": [{"migth": 1}]}), "might"),
        (combat(attacker_assign=[1]), "attacker_assigns"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_misspelt_word_of_json_is_answered_with_did_you_mean(data: Json, meant: str) -> None:
    with pytest.raises(BadRequest) as caught:
        wire.read(data)
    assert f'did you mean "{meant}"?' in caught.value.message


# --- assignments --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("assignment", "code", "path"),
    [
        ([3], "bad_request", "$.assignment"),
        ([3, 2, 0], "bad_request", "$.assignment"),
        ([], "bad_request", "$.assignment"),
        ([-1, 6], "bad_request", "$.assignment[0]"),
        ([3, 2.0], "bad_request", "$.assignment[1]"),
        ([True, 4], "bad_request", "$.assignment[0]"),
        (["3", 2], "bad_request", "$.assignment[0]"),
        ([None, 2], "bad_request", "$.assignment[0]"),
        ([[3], 2], "bad_request", "$.assignment[0]"),
        ([MOST + 1, 0], "limit", "$.assignment[0]"),
        ({"A": 3, "C": 2}, "bad_request", "$.assignment.C"),
        ({"a": 3}, "bad_request", "$.assignment.a"),
        ({"A": -3}, "bad_request", "$.assignment.A"),
        ({"A": 3.0}, "bad_request", "$.assignment.A"),
        ({"A": True}, "bad_request", "$.assignment.A"),
        ({"A": "3"}, "bad_request", "$.assignment.A"),
        ({"A": MOST + 1}, "limit", "$.assignment.A"),
        ("3,2", "bad_request", "$.assignment"),
        ("AB", "bad_request", "$.assignment"),
        (5, "bad_request", "$.assignment"),
        (None, "bad_request", "$.assignment"),
    ],
    ids=repr,
)
def test_an_assignment_is_refused(assignment: Any, code: str, path: str) -> None:
    two = Board(pool=5, units=(Unit(might=3), Unit(might=3)))
    assert_refused(code, path, lambda: solver.check(two, assignment))
    request = {"op": "check", "assignment": assignment, "id": 7, **board(units=[{"might": 3}] * 2)}
    response = answered(json.dumps(request).encode())
    assert response["id"] == 7
    assert (response["error"]["code"], response["error"]["path"]) == (code, path)


def test_the_points_of_numpy_are_points() -> None:
    numpy = pytest.importorskip("numpy")
    two = Board(pool=5, units=(Unit(might=3), Unit(might=3)))
    row = numpy.array([3, 2])
    for points in (row, list(row), {"A": row[0], "B": row[1]}):
        verdict = solver.check(two, points)
        assert verdict.assignment == (3, 2)
        assert {type(x) for x in verdict.assignment} == {int}
    for wrong in (numpy.array([3.0, 2]), numpy.array([True, False]), numpy.array([[3], [2]])):
        assert_refused(
            "bad_request", "$.assignment[0]", lambda given_=wrong: solver.check(two, given_)
        )
    assert_refused("bad_request", "$.assignment", lambda: solver.check(two, numpy.array(5)))


# --- Python constructors ------------------------------------------------------------------------

ONE: Any = (Unit(might=3),)


def _constructors() -> Iterator[Any]:
    """Yield calls with one argument wrong, each with the code and path it is refused with."""
    might: Json = {"might": 3}
    five: Json = {"pool": 5, "units": ONE}
    fought: Json = {"attackers": ONE, "defenders": ONE}
    amounts = ["1", -1, True, None]
    flags = [1, None, "yes"]
    bad, limit, unknown = "bad_request", "limit", "unknown_reading"
    cases: list[tuple[type, Json, str, list[Any], str, str]] = [
        (Unit, {}, "might", ["3", True, 3.0, None], bad, ""),
        (Unit, {}, "might", [MOST + 1, -(10**4000)], limit, ""),
        (Unit, might, "name", [None, 0, b"x", "12", "into", "x" * 101, "\ud800"], bad, ""),
        (Unit, might, "marked", amounts, bad, ""),
        (Unit, might, "assault", amounts, bad, ""),
        (Unit, might, "shield", amounts, bad, ""),
        (Unit, might, "tank", flags, bad, ""),
        (Unit, might, "undamageable", flags, bad, ""),
        (Unit, might, "replacements", ["double", 3, None, 0, False, ""], bad, ""),
        (Unit, might, "replacements", [[3], ["Double"]], bad, "[0]"),
        (Unit, might, "replacements", [["double"] * 65], limit, ""),
        (Board, {"units": ONE}, "pool", amounts, bad, ""),
        (Board, {"pool": 5}, "units", [ONE[0], None, 3, "33"], bad, ""),
        (Board, {"pool": 5}, "units", [[ONE[0], 3]], bad, "[1]"),
        (Board, {"pool": 5}, "units", [[Unit(might=1, name="x")] * 2], bad, "[1].name"),
        (Board, five, "units_are", [None, [], "attacker"], bad, ""),
        (Board, five, "assigner", [None, {}], bad, ""),
        (Board, five, "readings", [None, {}], bad, ""),
        (Board, five, "edition", ["464", 465, None, []], "unknown_edition", ""),
        (Assigner, {}, "ignores", ["tank", None], bad, ""),
        (Assigner, {}, "ignores", [["tank", []]], bad, "[1]"),
        (Assigner, {}, "any_damage_is_lethal", [1], bad, ""),
        (Readings, {}, "leftover", ["all", None, []], unknown, ""),
        (Arrivals, {}, "attackers", [3], bad, ""),
        (Combat, fought, "control", [3, [], "both"], bad, ""),
        (Combat, fought, "scored_this_turn", [3, "attacker"], bad, ""),
        (Combat, fought, "arrivals", [None, []], bad, ""),
        (Combat, fought, "attacker", [None, {}], bad, ""),
        (Combat, fought, "attacker_assigns", [3, "3", [1, 2]], bad, ""),
    ]
    for noun, given_, field, values, code, path in cases:
        for value in values:
            arguments = {**given_, field: value}
            id_ = f"{noun.__name__} {field} {value!r:.40}"
            yield pytest.param(noun, arguments, code, f"$.{field}{path}", id=id_)


@pytest.mark.parametrize(("noun", "arguments", "code", "path"), list(_constructors()))
def test_a_noun_refuses_wrong_arguments(
    noun: Callable[..., object], arguments: Json, code: str, path: str
) -> None:
    assert_refused(code, path, lambda: noun(**arguments))


def test_an_over_long_number_is_refused_wherever_it_stands() -> None:
    for make in (
        lambda: Unit(might=3, name=10**5000),  # type: ignore[arg-type]
        lambda: Unit(might=3, tank=10**5000),  # type: ignore[arg-type]
        lambda: Board(pool=1, units=(), edition=10**5000),  # type: ignore[arg-type]
        lambda: solver.best(parse("5 into 3"), ["value"], value={"A": 10**5000}),  # type: ignore[arg-type]
    ):
        with pytest.raises(BadRequest):
            make()


def test_lists_of_any_kind_make_the_same_noun() -> None:
    given: Any = [Unit(might=3, replacements=[]), Unit(might=3, replacements=["double"])]  # type: ignore[arg-type]
    made = Board(pool=5, units=given)
    assert made == parse("5 into 3 3x2")
    assert hash(made) == hash(parse("5 into 3 3x2"))
    assert solver.need(made) == [3, 2]


BOARD_VERBS: dict[str, Callable[[Any], object]] = {
    "need": solver.need,
    "count": solver.count,
    "legal": solver.legal,
    "check": lambda asked: solver.check(asked, (5,)),
    "best": solver.best,
    "kills": solver.kills,
    "precedence": solver.precedence,
    "model": solver.model,
}


@pytest.mark.parametrize("verb", BOARD_VERBS)
@pytest.mark.parametrize("asked", [parse("5 vs 3"), "5 into 3", {"pool": 5, "units": []}, None, 5])
def test_a_verb_on_boards_takes_nothing_else(verb: str, asked: object) -> None:
    assert_refused("bad_request", "", lambda: BOARD_VERBS[verb](asked))


@pytest.mark.parametrize("asked", [parse("5 into 3"), "5 vs 3", None])
def test_a_combat_is_asked_about_as_such(asked: Any) -> None:
    assert_refused("bad_request", "", lambda: solver.combat(asked))


@pytest.mark.parametrize("given_", [5, None, b"5 into 3", [5, "into", 3], {"5": "into"}], ids=repr)
def test_notation_is_a_text_or_a_list_of_texts(given_: Any) -> None:
    assert_refused("bad_request", "", lambda: parse(given_))


@pytest.mark.parametrize("number", [465, 465.2, None, ["465"]], ids=repr)
def test_a_rule_number_is_a_text(number: Any) -> None:
    assert_refused("bad_request", "", lambda: find(number))


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        (None, "null"),
        (True, "true"),
        ((3, None), "[3, null]"),
        (["ä", 3 + 0j], '["ä", "(3+0j)"]'),
        ({"a": [False]}, '{"a": [false]}'),
        ("3", "the text 3"),
        (ENDLESS, "a list"),
        ({(3,): 2}, "an object"),
    ],
    ids=lambda value: f"{value!r:.20}" if not isinstance(value, list) else "a list",
)
def test_a_message_quotes_values_as_json_writes_them(value: Any, quoted: str) -> None:
    with pytest.raises(BadRequest) as caught:
        Unit(might=3, marked=value)
    assert caught.value.message == f"expected a whole number, not {quoted}"


def test_what_is_long_is_shortened() -> None:
    assert [shown("x" * 40), shown("x" * 41)] == ["x" * 40, "x" * 39 + "…"]
    assert [shown(2**255, 80), shown(2**256)] == [str(2**255), "a number of 257 bits"]


def test_a_refusal_is_printed_with_its_path_if_it_has_one() -> None:
    assert str(BadRequest("too many", "$.units", "limit")) == "$.units: too many"
    assert str(BadRequest("too many")) == "too many"
    assert BadRequest("too many", "$.units").args == ("too many",)
    inner = BadRequest("too many", "$.might", "limit").under("$.units[1]")
    assert (inner.message, inner.path, inner.code) == ("too many", "$.units[1].might", "limit")


@pytest.mark.parametrize("demand", ["kill", "spare"])
@pytest.mark.parametrize(
    ("given_names", "path"),
    [
        ("A", ""),
        (None, ""),
        (3, ""),
        ({"A": 1}, ""),
        (["A", "C"], "[1]"),
        ([1], "[0]"),
        ([[]], "[0]"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("op", ["count", "best"])
def test_demands_are_lists_of_names(op: str, demand: str, given_names: Any, path: str) -> None:
    request = {"op": op, demand: given_names, **board(units=[{"might": 3}] * 2)}
    error = answered(json.dumps(request).encode())["error"]
    assert (error["code"], error["path"]) == ("bad_request", f"$.{demand}{path}")


# --- the command line ---------------------------------------------------------------------------


def lethal(*arguments: str) -> int:
    """Run the command line in this process and return its exit status."""
    with pytest.raises(SystemExit) as exited:
        main(arguments)
    return int(exited.value.code or 0)


def assert_complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Check that the command refuses: status 2, one line on stderr, nothing on stdout."""
    status = lethal(*arguments)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("lethal: ")
    assert err.endswith("\n")
    assert_sentence(err.removesuffix("\n"))
    assert status == 2
    return err


FILES: dict[str, tuple[str, bytes]] = {
    "empty": ("board", b""),
    "empty JSON": ("board.json", b""),
    "empty TOML": ("board.toml", b""),
    "binary": ("board", bytes(range(256))),
    "binary JSON": ("board.json", bytes(range(256))),
    "binary TOML": ("board.toml", bytes(range(255, -1, -1))),
    "broken JSON": ("board.json", b'{"pool": 5, "units": ['),
    "broken TOML": ("board.toml", b"pool = = 5"),
    "a byte order mark": ("board.json", b'\xef\xbb\xbf{"pool":5,"units":[{"might":"3"}]}'),
    "a list": ("board.json", b"[]"),
    "JSON of a wrong shape": ("board.json", b'{"pool": 5}'),
    "TOML of a wrong shape": ("board.toml", b"pool = 5\nunits = 3"),
    "TOML with a date": ("board.toml", b"pool = 1979-05-27\nunits = []"),
    "TOML with inf": ("board.toml", b"pool = inf\nunits = []"),
    "TOML with a key twice": ("board.toml", b"pool = 5\npool = 5\nunits = []"),
    "TOML with 5000 digits": ("board.toml", b"pool = " + b"9" * 5000 + b"\nunits = []"),
    "TOML nested too deeply": ("board.toml", b"pool = " + b"[" * 5000),
    "JSON nested too deeply": ("board.json", b'{"x":"a:b","y":' + b"[" * 5000),
    "prose": ("board.txt", b"five into three\nand three"),
    "notation of a wrong kind": ("board.txt", b"5 into 3x"),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_bad_file_is_refused(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, content = FILES[kind]
    (tmp_path / name).write_bytes(content)
    assert_complaint(capsys, "need", str(tmp_path / name))


@pytest.mark.parametrize("kind", [k for k in FILES if k != "TOML with 5000 digits"])
def test_bad_standard_input_is_refused(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FILES[kind][1])))
    assert_complaint(capsys, "need", "-")


@pytest.mark.parametrize("name", ["nowhere", "nowhere.json", "", "5", "into", "x" * 5000, "a\x07b"])
def test_a_file_that_is_not_there_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_complaint(capsys, "need", name)


def test_a_directory_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_complaint(capsys, "need", str(tmp_path))
    assert_complaint(capsys, "need", str(tmp_path / "nowhere" / "board.json"))


ACCEPTED: dict[str, tuple[str, bytes]] = {
    "JSON": ("board.json", b'{"pool": 5, "units": [{"might": 3, "tank": true}, {"might": 2}]}'),
    "JSON with a byte order mark": (
        "board.json",
        b'\xef\xbb\xbf{"pool": 5, "units": [{"might": 3}, {"might": 2}]}',
    ),
    "TOML with a byte order mark": (
        "board.toml",
        b"\xef\xbb\xbfpool = 5\nunits = [{might = 3}, {might = 2}]\n",
    ),
    "notation with a byte order mark": ("board", b"\xef\xbb\xbf5 into 3 2\r\n"),
    "JSON without a suffix": ("board", b'\n {"pool": 5, "units": [{"might": 3}, {"might": 2}]}'),
    "TOML": ("board.toml", b"pool = 5\n[[units]]\nmight = 3\ntank = true\n[[units]]\nmight = 2\n"),
    "TOML without a suffix": ("b", b"# five\r\npool = 5\r\nunits = [{might = 3}, {might = 2}]\r\n"),
}


@pytest.mark.parametrize("kind", ACCEPTED)
def test_json_and_toml_are_accepted_as_a_file_and_on_standard_input(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, content = ACCEPTED[kind]
    (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    for source in (str(tmp_path / name), "-"):
        assert lethal("need", source, "--json") == 0
        assert capsys.readouterr().out == '{"need":[3,2]}\n'


ARGUMENTS: dict[str, list[str]] = {
    "no board": ["need"],
    "a blank": ["need", " "],
    "no into": ["need", "5", "3"],
    "a combat": ["need", "3 vs 3"],
    "a wrong unit": ["need", "5", "into", "3x"],
    "an over-long unit": ["need", "5", "into", "x" * 5000],
    "control characters": ["need", "5", "into", "\x1b[31m\n"],
    "a surrogate": ["need", "5", "into", "\udcff:3"],
    "an unknown edition": ["need", "5", "into", "3", "--edition", "464"],
    "an edition with a newline": ["need", "5", "into", "3", "--edition", "4\n65"],
    "an unknown reading": ["need", "5", "into", "3", "--reading", "x=y"],
    "a wrong reading": ["need", "5", "into", "3", "--reading", "leftover=all"],
    "a reading with a newline": ["need", "5", "into", "3", "--reading", "left\nover=any"],
    "a wrong keyword": ["need", "5", "into", "3", "--ignore", "shield"],
    "a missing value": ["need", "5", "into", "3", "--ignore"],
    "an option of a combat": ["need", "5", "into", "3", "--control", "none"],
    "an unknown option": ["need", "5", "into", "3", "--fast"],
    "no assignment": ["check", "5", "into", "3", "3"],
    "an empty assignment": ["check", "5", "into", "3", "3", "--assign", ""],
    "a short assignment": ["check", "5", "into", "3", "3", "--assign", "5"],
    "a long assignment": ["check", "5", "into", "3", "3", "--assign", "3,2,0"],
    "a negative assignment": ["check", "5", "into", "3", "3", "--assign", "-1,6"],
    "a fraction": ["check", "5", "into", "3", "3", "--assign", "2.5,2.5"],
    "unicode digits": [
        "check",
        "5",
        "into",
        "3",
        "3",
        "--assign",
        "\N{ARABIC-INDIC DIGIT THREE},2",
    ],
    "huge points": ["check", "5", "into", "3", "3", "--assign", f"{MOST + 1},0"],
    "points of 5000 digits": ["check", "5", "into", "3", "3", "--assign", "9" * 5000 + ",0"],
    "points with a newline": ["check", "5", "into", "3", "3", "--assign", "3\nx,2"],
    "an unknown name": ["check", "5", "into", "3", "3", "--assign", "X=3"],
    "no name": ["check", "5", "into", "3", "3", "--assign", "=3"],
    "no points": ["check", "5", "into", "3", "3", "--assign", "A="],
    "points twice": ["check", "5", "into", "3", "3", "--assign", "A=3", "--assign", "A=2"],
    "both kinds": ["check", "5", "into", "3", "3", "--assign", "A=3", "--assign", "3,2"],
    "a newline in both kinds": ["check", "5", "into", "3", "--assign", "A\nB", "--assign", "A=3"],
    "a limit below 0": ["list", "5", "into", "3", "--limit", "-1"],
    "a limit of text": ["list", "5", "into", "3", "--limit", "all"],
    "a huge limit": ["list", "5", "into", "3", "--limit", str(10**30)],
    "no time": ["list", "5", "into", "3", "--time-limit", "0"],
    "negative time": ["list", "5", "into", "3", "--time-limit", "-1"],
    "time that is not a number": ["list", "5", "into", "3", "--time-limit", "nan"],
    "an unknown unit to kill": ["count", "5", "into", "3", "--kill", "X"],
    "an unknown unit to spare": ["best", "5", "into", "3", "--spare", "X"],
    "an unknown objective": ["best", "5", "into", "3", "--maximize", "glory"],
    "an objective twice": ["best", "5", "into", "3", "--maximize", "kills,kills"],
    "an empty objective": ["best", "5", "into", "3", "--maximize", ""],
    "no value": ["best", "5", "into", "3", "--value", "A"],
    "a value of text": ["best", "5", "into", "3", "--value", "A=much"],
    "a value with a newline": ["best", "5", "into", "3", "--value", "A=1\n2"],
    "an infinite value": ["best", "5", "into", "3", "--value", "A=inf"],
    "a huge value": ["best", "5", "into", "3", "--value", "A=1e400"],
    "a value divided by 0": ["best", "5", "into", "3", "--value", "A=1/0"],
    "a value of an unknown unit": ["best", "5", "into", "3", "--value", "X=1"],
    "no number": ["rule"],
    "an empty number": ["rule", ""],
    "an unknown number": ["rule", "465.2.c.44"],
    "an unknown kind": ["rules", "--kind", "constrain"],
    "a kind with a newline": ["rules", "--kind", "a\nb"],
    "too many arguments": ["editions", "465"],
    "an argument for batch": ["batch", "5 into 3"],
    "an unknown command": ["cuont", "5", "into", "3"],
    "an unknown option of all": ["--fast"],
}


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_bad_arguments_are_refused(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert_complaint(capsys, *ARGUMENTS[kind])


@pytest.mark.parametrize("side", ["attacker", "defender"])
@pytest.mark.parametrize("given_", ["x", "A1=x,D1=x", "1.5", "X=1"])
def test_the_path_of_points_is_that_of_their_option(
    side: str, given_: str, capsys: pytest.CaptureFixture[str]
) -> None:
    complaint = assert_complaint(capsys, "combat", "3 vs 3", f"--{side}-assigns", given_)
    assert f" $.{side}_assigns" in complaint


# --- fuzz ---------------------------------------------------------------------------------------

SLOW = settings(deadline=None, max_examples=150)
TOKENS = st.sampled_from(
    ["5", "into", "vs", "3", "-2", "3T", "3TB/1", "2x2P2", "2P*", "6!", "Kayn:6!", "A:3", "B:2",
     "Stone Sentinel:3T", "3AS2", "3Z", "4P", "2x23", "4t", "3X2", "A2", "4/1/1", "INTO", "9" * 20,
     "\N{ARABIC-INDIC DIGIT THREE}", ":", '"', "a:b:3", "", " ", "\n", "--ignore", "--ignore=tank",
     "tank", "backline", "--any-damage-is-lethal", "--units-are", "attackers", "--edition", "460",
     "--reading", "leftover=any", "must_kill=no", "--control", "none", "--scored", "attacker",
     "--attacker-ignore", "--defender-any-damage-is-lethal", "--", "--x", "-x", "\ud800"]
)  # fmt: skip
NUMBERS = st.integers(-1, 6) | st.sampled_from([MOST + 1, -MOST - 1, 10**30, 2**63, 2**64])
WORDS = st.sampled_from(
    ["pool", "units", "might", "marked", "tank", "backline", "replacements", "undamageable", "name",
     "assault", "shield", "stunned", "no_combat_damage", "units_are", "assigner", "ignores",
     "any_damage_is_lethal", "edition", "readings", "leftover", "must_kill", "attackers",
     "defenders", "arrivals", "attacker", "control", "scored_this_turn", "attacker_assigns", "op",
     "id", "limit", "assignment", "maximize", "value", "kill", "spare", "A", "B", "double",
     "prevent 1", "prevent all", "465", "460", "any", "last_unit", "yes", "kills", "excess",
     "need", "count", "list", "check", "best", "combat", "none", "a:b", "\x07", ""]
)  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | NUMBERS | st.sampled_from([1.0, 0.5, 1e300]) | WORDS
    | st.text(max_size=5)
)  # fmt: skip
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
UNITS = st.fixed_dictionaries(
    {"might": st.integers(-2, 4)},
    optional={
        "marked": st.integers(0, 4),
        "tank": st.booleans(),
        "backline": st.booleans(),
        "replacements": st.lists(
            st.sampled_from(["double", "prevent 1", "prevent all"]), max_size=2
        ),
        "undamageable": st.booleans(),
        "shield": st.integers(0, 2),
    },
)
REQUESTS = st.fixed_dictionaries(
    {
        "op": st.sampled_from(
            ["need", "count", "list", "check", "best", "kills", "margin", "why", "what"]
        ),
        "pool": st.integers(0, 8),
        "units": st.lists(UNITS, max_size=3),
    },
    optional={
        "id": LEAVES,
        "edition": st.sampled_from(["439", "460", "465", "467"]),
        "readings": st.just({"leftover": "last_unit", "must_kill": "yes"}),
        "assigner": st.just({"ignores": ["tank"], "any_damage_is_lethal": True}),
        "limit": st.integers(0, 3),
        "assignment": st.lists(st.integers(0, 4), max_size=3) | st.just({"A": 2, "B": 1}),
        "maximize": st.permutations(["kills", "might", "excess", "value"]),
        "value": st.just({"A": 1, "B": 0.5}),
        "kill": st.sampled_from([[], ["A"], ["A", "B"]]),
        "spare": st.sampled_from([[], ["B"], ["C"]]),
        "kill_all": st.booleans(),
        "excess": st.integers(0, 2),
        "how": st.sampled_from(["possible", "certain"]),
        "give": st.sampled_from([{}, {"A": 1}, [1, 2], "A"]),
        "all": st.booleans() | st.just(1),
        "unit": st.sampled_from(["A", "B", "Z", 1]),
    },
)
OPS_OF_FIELD = {
    "limit": ("list",),
    "assignment": ("check",),
    "maximize": ("best",),
    "value": ("best",),
    "kill": ("count", "best", "margin", "why"),
    "spare": ("count", "best", "margin", "why"),
    "kill_all": ("margin",),
    "excess": ("margin",),
    "how": ("margin",),
    "give": ("why",),
    "all": ("why",),
    "unit": ("margin", "what"),
}


def answered(line: bytes) -> Json:
    """Return the response to a line, checking that it is one of the promised form."""
    raw = respond(line, time_limit=5)
    assert b"\n" not in raw
    response = json.loads(raw)
    assert list(response)[:2] == ["id", "ok"]
    assert type(response["ok"]) is bool
    if not response["ok"]:
        assert response.keys() == {"id", "ok", "error"}
        assert response["error"].keys() == {"code", "message", "path"}
        assert response["error"]["code"] in CODES
        assert response["error"]["path"].startswith("$")
        assert "\n" not in response["error"]["message"]
    return dict(response)


def fitting(request: Json) -> Json:
    """Return a request without the fields that its op does not have."""
    ops = OPS_OF_FIELD
    return {k: v for k, v in request.items() if k not in ops or request["op"] in ops[k]}


@st.composite
def mutated(draw: st.DrawFn) -> Json:
    """Draw a valid request and spoil it in a place or two."""
    request: Json = json.loads(json.dumps(fitting(draw(REQUESTS))))
    for _ in range(draw(st.integers(1, 2))):
        holder: Any = request
        while True:
            inner = [v for v in (holder.values() if isinstance(holder, dict) else holder)
                     if isinstance(v, (dict, list)) and v]  # fmt: skip
            if not inner or draw(st.booleans()):
                break
            holder = draw(st.sampled_from(inner))
        keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys or draw(st.integers(0, 4)) == 4:
            if isinstance(holder, dict):
                holder[draw(WORDS)] = draw(VALUES)
            else:
                holder.append(draw(VALUES))
        elif draw(st.integers(0, 3)) == 3:
            del holder[draw(st.sampled_from(keys))]
        else:
            holder[draw(st.sampled_from(keys))] = draw(VALUES)
    return request


def outcome(function: Callable[[], Board | Combat]) -> Board | Combat | BadRequest:
    """Return what a call returns, or how it refuses."""
    try:
        return function()
    except BadRequest as fault:
        return fault


def assert_read_or_refused(function: Callable[[], Board | Combat]) -> None:
    """Check that a question is refused in one line, or read, and then read back from JSON."""
    result = outcome(function)
    if isinstance(result, BadRequest):
        assert result.code in CODES
        assert result.path == "" or result.path.startswith("$")
        assert result.message.isprintable()
    else:
        assert wire.read(wire.plain(result)) == result


@SLOW
@given(st.text(max_size=30) | st.text("5 into3TB:/Px2!AS-\"'", max_size=30))
def test_no_line_of_text_breaks_the_notation(text: str) -> None:
    assert_read_or_refused(lambda: parse(text))


@SLOW
@given(st.lists(TOKENS, max_size=8) | st.lists(TOKENS, max_size=6).map(lambda t: ["5", "into", *t]))
def test_no_tokens_break_the_notation(tokens: list[str]) -> None:
    assert_read_or_refused(lambda: parse(tokens))


@SLOW
@given(st.lists(TOKENS, max_size=5).map(lambda t: ["need", "5", "into", *t]))
def test_no_tokens_break_the_command_line(tokens: list[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        main(tokens)
    assert exited.value.code in (0, 2)


@SLOW
@given(VALUES)
def test_no_json_breaks_the_reader(data: object) -> None:
    assert_read_or_refused(lambda: wire.read(data))


@SLOW
@given(VALUES | st.fixed_dictionaries({"op": WORDS, "pool": NUMBERS, "units": VALUES}))
def test_no_json_breaks_the_batch(data: object) -> None:
    answered(json.dumps(data).encode())


@SLOW
@given(st.binary(max_size=40))
def test_no_bytes_break_the_batch(line: bytes) -> None:
    assert answered(line)["ok"] is False


@SLOW
@given(REQUESTS.map(fitting))
def test_requests_are_answered_or_refused_with_their_id(request: Json) -> None:
    response = answered(json.dumps(request).encode())
    assert response["id"] == request.get("id")


@settings(SLOW, max_examples=300)
@given(mutated())
def test_no_spoilt_request_breaks_the_batch(request: Json) -> None:
    answered(json.dumps(request).encode())


@SLOW
@given(REQUESTS.map(fitting), st.data())
def test_no_garbled_request_breaks_the_batch(request: Json, data: st.DataObject) -> None:
    line = bytearray(json.dumps(request).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(line) - 1))
        line[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    answered(bytes(line).replace(b"\n", b" "))
