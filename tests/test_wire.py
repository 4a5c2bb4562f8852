"""JSON and TOML to plain data, and plain data to the nouns and back."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from rules import BadRequest, Board, Combat, Readings, Unit, parse
from rules.wire import (
    decode_json,
    decode_text,
    decode_toml,
    parse_json,
    plain,
    read,
    read_situation,
    recognized,
    refuse_repeated_keys,
)

Json = dict[str, Any]


def test_what_is_refused_is_left_as_it_was() -> None:
    data = {"players": ["Ann", "Bo"], "battlefields": [], "triggers": {"Ann": ["x"], "Bo": [1]}}
    before = json.dumps(data)
    with pytest.raises(BadRequest):
        read_situation(data)
    assert json.dumps(data) == before


def test_data_of_a_board_or_a_combat_is_read_as_such() -> None:
    assert read({"pool": 5, "units": [{"might": 3}]}) == parse("5 into 3")
    assert read({"attackers": [], "defenders": [{"might": 3}]}) == parse("vs 3")
    for half in ({"attackers": []}, {"defenders": []}):
        with pytest.raises(BadRequest, match="this field is required"):
            read(half)


def test_plain_data_has_every_field_but_assignments_that_are_not_chosen() -> None:
    board = read({"pool": 5, "units": [{"might": 3, "replacements": ["double"]}]})
    data = plain(board)
    assert data.keys() == set(Board.__struct_fields__)
    assert data["units"][0].keys() == set(Unit.__struct_fields__)
    assert data["readings"].keys() == set(Readings.__struct_fields__)
    assert read(data) == board
    combat = {"attackers": [], "defenders": [{"might": 1}], "control": None}
    fought = plain(read({**combat, "attacker_assigns": [3]}))
    assert fought.keys() == {*Combat.__struct_fields__} - {"defender_assigns"}
    assert fought["control"] is None
    assert list(fought["attacker_assigns"]) == [3]


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        (b'{"a": [1, {"b": null}]}', {"a": [1, {"b": None}]}),
        ('{"a:b": "c:d"}', {"a:b": "c:d"}),
        (b'[{"a": 1}, {"a": 1}]', [{"a": 1}, {"a": 1}]),
        (b"5", 5),
        (b"1" * 5000, 10**20),
        (b'{"x": {"y": {"z:": 1}}}', {"x": {"y": {"z:": 1}}}),
    ],
    ids=range(6),
)
def test_json_is_plain_data(raw: bytes | str, data: object) -> None:
    assert decode_json(raw) == data


REPEATED = [
    ('{"a": 1, "a": 2}', "$.a"),
    ('{"a": {"b": 1, "b": 1}}', "$.a.b"),
    ('{"a": [{"b": 1}, {"c": 1, "c": 1}]}', "$.a[1].c"),
    ('{"a": [[{"b": {"c:d": 1, "c:d": 2}}]]}', "$.a[0][0].b.c:d"),
    ('[{"a": ":", "a": 1}]', "$[0].a"),
    ('{"a": 1, "a": ' + "9" * 5000 + "}", "$.a"),
]


@pytest.mark.parametrize(("raw", "path"), REPEATED, ids=[path for _, path in REPEATED])
def test_a_key_given_twice_is_refused_where_it_stands(raw: str, path: str) -> None:
    for text in (raw, raw.encode()):
        with pytest.raises(BadRequest) as refused:
            decode_json(text)
        assert (refused.value.path, refused.value.message) == (path, "this key is given twice")
        with pytest.raises(BadRequest):
            refuse_repeated_keys(text, parse_json(text))


def test_data_too_deep_to_count_its_keys_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(BadRequest) as refused:
        refuse_repeated_keys('["x:y"]', deep)
    fault = refused.value
    assert (fault.code, fault.path, fault.message) == (
        "bad_json", "$", "the JSON is nested too deeply"
    )  # fmt: skip


@pytest.mark.parametrize("depth", [400, 600, 900])
def test_what_is_wrong_far_inside_is_refused_where_it_begins(depth: int) -> None:
    deep = "[" * depth + "]" * depth
    with pytest.raises(BadRequest, match="expected a whole number, not a list") as refused:
        read(decode_json(f'{{"attackers":[],"defenders":[],"attacker_assigns":{{"D1":{deep}}}}}'))
    assert refused.value.path == "$.attacker_assigns.D1"
    with pytest.raises(BadRequest, match="expected a text, not a list") as refused:
        read_situation(decode_json(f'{{"players":["Ann"],"triggers":{{"Ann":{deep}}}}}'))
    assert refused.value.path == "$.triggers.Ann[0]"
    arrivals: dict[str, Any] = {}
    for _ in range(depth * 100):
        arrivals = {"arrivals": arrivals}
    with pytest.raises(BadRequest, match="there is no field arrivals"):
        read({"attackers": [], "defenders": [], "arrivals": arrivals})


def test_toml_and_text_are_read() -> None:
    assert decode_text("ä".encode()) == "ä"
    assert decode_toml("pool = 5\nunits = [{ might = 3 }]") == {"pool": 5, "units": [{"might": 3}]}


def test_a_number_of_toml_that_python_will_not_read_is_beyond_the_limit() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(4300)
    try:
        with pytest.raises(BadRequest) as refused:
            decode_toml("pool = " + "9" * 5000)
    finally:
        sys.set_int_max_str_digits(before)
    fault = refused.value
    assert (fault.code, fault.path, fault.message) == (
        "limit", "$", "numbers are at most 10^18 in size"
    )  # fmt: skip


class TestUnitsOfAStream:
    """Units that a stream speaks of again and again are read once."""

    def test_they_are_recognized_as_units(self) -> None:
        line = (
            b'{"op": "need", "pool": 5, "units": [{"might": 3}, {"might": 2, "name": "X"}], '
            b'"readings": {"excess": "raw"}, "more": [{"a": 1}, 2], "id": null}'
        )
        data = recognized(line)
        assert data == {
            "op": "need",
            "pool": 5,
            "units": (Unit(might=3, name="A"), Unit(might=2, name="X")),
            "readings": {"excess": "raw"},
            "more": [{"a": 1}, 2],
            "id": None,
        }
        again = recognized(line)
        assert again is not None
        assert again["units"][0] is data["units"][0]

    def test_a_unit_without_a_name_is_named_by_its_place(self) -> None:
        data = recognized(b'{"units": [' + b", ".join([b'{"might": 3}'] * 28) + b"]}")
        assert data is not None
        assert [unit.name for unit in data["units"]][-3:] == ["Z", "AA", "AB"]

    @pytest.mark.parametrize(
        "line",
        [
            b"",
            b"{",
            b"[]",
            b'{"pool": 5}',
            b'{"units": 3}',
            b'{"units": [3]}',
            b'{"units": [[]]}',
            b'{"units": [{}]}',
            b'{"units": [{"might": true}]}',
            b'{"units": [{"might": 3, "name": ""}]}',
            b'{"units": [{"might": 3, "name": "12"}]}',
            b'{"units": [{"might": 3, "name": "a:b"}]}',
            b'{"units": [{"might": 3, "damage": 1}]}',
            b'{"units": [{"might": 3, "might": 3}]}',
            b'{"units": [{"might": 3}], "units": [{"might": 3}]}',
            b'{"units": [{"might": 3}], "a": {"b": 1, "b": 1}}',
            b'{"units": [{"might": 3}], "a": {"b": {"c": 1}}}',
            b'{"units": [{"might": 3}], "a": ' + b"[" * 100_000,
            b'{"units": [{"might": ' + b"9" * 5000 + b"}]}",
        ],
        ids=lambda line: line[:60],
    )
    def test_what_may_be_wrong_is_left_to_the_usual_way(self, line: bytes) -> None:
        assert recognized(line) is None
