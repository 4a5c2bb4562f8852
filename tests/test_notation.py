"""The one-line notation keeps every sentence of its promise: what is read, written and refused."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules import (
    Arrivals,
    Assigner,
    BadRequest,
    Board,
    Combat,
    Readings,
    Unit,
    notation,
    parse,
    wire,
)
from rules.notation import apply_options, parse_unit, write, write_unit

MOST = 10**18


def board(text: str | list[str]) -> Board:
    """Parse what must be a board."""
    parsed = parse(text)
    assert isinstance(parsed, Board)
    return parsed


def combat(text: str | list[str]) -> Combat:
    """Parse what must be a combat."""
    parsed = parse(text)
    assert isinstance(parsed, Combat)
    return parsed


def refused(text: str | list[str]) -> BadRequest:
    """Parse what must be refused, in one sentence."""
    with pytest.raises(BadRequest) as caught:
        parse(text)
    message = caught.value.message
    assert message == message.strip()
    assert message.isprintable(), "one line, nothing hidden in it"
    return caught.value


def names(text: str) -> list[str]:
    """Return the names on a board."""
    return list(board(text).names)


# --- units --------------------------------------------------------------------------------------

UNITS: dict[str, dict[str, Any]] = {
    "3": {"might": 3},
    "0": {"might": 0},
    "-2": {"might": -2},
    "007": {"might": 7},
    "1000000000000000000": {"might": MOST},
    "-1000000000000000000": {"might": -MOST},
    "0000000000000000003": {"might": 3},
    "4/1": {"might": 4, "marked": 1},
    "4/12": {"might": 4, "marked": 12},
    "4/0": {"might": 4},
    "3T": {"might": 3, "tank": True},
    "3B": {"might": 3, "backline": True},
    "3TB": {"might": 3, "tank": True, "backline": True},
    "3BT": {"might": 3, "tank": True, "backline": True},
    "4T/1": {"might": 4, "marked": 1, "tank": True},
    "2P3": {"might": 2, "replacements": ["prevent 3"]},
    "2P23": {"might": 2, "replacements": ["prevent 23"]},
    "2P0": {"might": 2, "replacements": ["prevent 0"]},
    "2Pall": {"might": 2, "replacements": ["prevent all"]},
    "2P*": {"might": 2, "replacements": ["prevent all"]},
    "2x2": {"might": 2, "replacements": ["double"]},
    "2x2x2x2": {"might": 2, "replacements": ["double"] * 3},
    "2P2x2": {"might": 2, "replacements": ["prevent 2", "double"]},
    "2x2P2": {"might": 2, "replacements": ["double", "prevent 2"]},
    "2P2P3": {"might": 2, "replacements": ["prevent 2", "prevent 3"]},
    "2x2TP2": {"might": 2, "tank": True, "replacements": ["double", "prevent 2"]},
    "2P*x2": {"might": 2, "replacements": ["prevent all", "double"]},
    "6!": {"might": 6, "undamageable": True},
    "6!T": {"might": 6, "undamageable": True, "tank": True},
    "3A": {"might": 3, "assault": 1},
    "3A2": {"might": 3, "assault": 2},
    "3A12": {"might": 3, "assault": 12},
    "3A0": {"might": 3},
    "3AA": {"might": 3, "assault": 2},
    "3AA2A10": {"might": 3, "assault": 13},
    "3S": {"might": 3, "shield": 1},
    "3S2S": {"might": 3, "shield": 3},
    "3AS2": {"might": 3, "assault": 1, "shield": 2},
    "3Ax2": {"might": 3, "assault": 1, "replacements": ["double"]},
    "3A2x2": {"might": 3, "assault": 2, "replacements": ["double"]},
    "3Z": {"might": 3, "stunned": True},
    "3N": {"might": 3, "no_combat_damage": True},
    "Kayn:6!": {"name": "Kayn", "might": 6, "undamageable": True},
    "Kayn:-6": {"name": "Kayn", "might": -6},
    "Z:4A2/1TS3P2x2BPallZN!": {
        "name": "Z",
        "might": 4,
        "marked": 1,
        "tank": True,
        "backline": True,
        "replacements": ["prevent 2", "double", "prevent all"],
        "undamageable": True,
        "assault": 2,
        "shield": 3,
        "stunned": True,
        "no_combat_damage": True,
    },
}


@pytest.mark.parametrize("token", UNITS)
def test_every_flag_says_what_it_says(token: str) -> None:
    assert parse_unit(token) == Unit(**UNITS[token])


@pytest.mark.parametrize("token", [t for t in UNITS if t not in ("Kayn:6!", "Kayn:-6")])
def test_a_unit_reads_the_same_on_a_board_and_on_either_side_of_a_combat(token: str) -> None:
    unit = parse_unit(token)
    assert replace(board(f"5 into {token}").units[0], name=unit.name) == unit
    assert replace(combat(f"{token} vs 3").attackers[0], name=unit.name) == unit
    assert replace(combat(f"3 vs {token}").defenders[0], name=unit.name) == unit


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("2P*", "2Pall"),
        ("6!T", "6T!"),
        ("3!x2", "3x2!"),
        ("3!Z", "3Z!"),
        ("3S1", "3S"),
        ("3AA", "3A2"),
        ("2x2P2", "2x2P2"),
        ("2P2x2", "2P2x2"),
        ("A:3", "3"),
        ("B:3", "B:3"),
    ],
)
def test_boards_are_printed_in_a_form_that_shells_leave_alone(given: str, printed: str) -> None:
    assert str(board(f"5 into {given}")) == f"5 into {printed}"


def test_the_four_examples_mean_what_they_say() -> None:
    assert board("5 into 3 3 3 3") == Board(pool=5, units=[Unit(might=3)] * 4)  # type: ignore[arg-type]
    assert board("3 into Sentinel:3T Volunteer:2").names == ("Sentinel", "Volunteer")
    third = board("12 into 4T/1 Caitlyn:3TB 2x2P2 Kayn:6! 5Pall")
    assert third.names == ("A", "Caitlyn", "C", "Kayn", "E")
    fought = combat("5A2 3Z vs Caitlyn:3B 4TS1")
    assert [u.assault for u in fought.attackers] == [2, 0]
    assert fought.defenders[1] == Unit(name="D2", might=4, tank=True, shield=1)


# --- traps --------------------------------------------------------------------------------------

HINTS = {
    "4P": "4P1",
    "2x23": "2x2",
    "3x3": "3x2",
    "4t": "4T",
    "4b": "4B",
    "4z": "4Z",
    "3X2": "3x2",
    "3\N{MULTIPLICATION SIGN}2": "3x2",
    "\N{MINUS SIGN}2": "-2",
    "2pall": "2Pall",
    "2PALL": "2Pall",
    "2p*": "2Pall",
    "3Pal": "3Pall",
    "3pa": "3Pall",
    "3P-all": "3Pall",
    "3*": "3Pall",
    "3tb": "3TB",
    "3Tank": "3T",
    "3prevent2": "3P2",
    "3double": "3x2",
    "3stunned": "3Z",
    "T3": "3T",
    "2p3": "2P3",
    "Caitlyn:3tb": "Caitlyn:3TB",
    "Caitlyn3T": "Caitlyn:3T",
    "Caitlyn:T3": "Caitlyn:3T",
    "A:B:3": "A B:3",
    ":3": "3",
}


@pytest.mark.parametrize("token", HINTS)
def test_a_wrong_token_is_answered_with_the_nearest_right_spelling(token: str) -> None:
    assert refused(["5", "into", token]).message.endswith(f'did you mean "{HINTS[token]}"?')


@pytest.mark.parametrize(
    ("units", "meant"),
    [
        ("3 T", "3T"),
        ("3 t 2", "3T"),
        ("3 Tank", "3T"),
        ("3 x3", "3x2"),
        ("3 /1", "3/1"),
        ("3 P2", "3P2"),
        ("3 P10", "3P10"),
        ("3 Pall", "3Pall"),
        ("3 all", "3Pall"),
        ("3 /12", "3/12"),
        ("3,3", "3 3"),
        ("3T,2", "3T 2"),
        ("Sentinel 3T", "Sentinel:3T"),
        ("Sentinel: 3T", "Sentinel:3T"),
        ("1 Stone Sentinel 3T", "Stone Sentinel:3T"),
        ("1 Stone Sentinel:3T", "Stone Sentinel:3T"),
        ("3 Ann 4", "Ann:4"),
    ],
)
def test_a_token_is_understood_beside_its_neighbours(units: str, meant: str) -> None:
    assert refused(f"5 into {units}").message.endswith(f'did you mean "{meant}"?')


@pytest.mark.parametrize("token", ["x3", "x3T", "Sentinel"])
def test_nobody_is_told_what_does_not_help(token: str) -> None:
    assert "did you mean" not in refused(["5", "into", token]).message


@pytest.mark.parametrize("token", [*HINTS, "A2", "S2", "T4", "4Pa", "3P1all", "4Z2", "3T,", "3/"])
def test_every_spelling_that_is_proposed_is_right(token: str) -> None:
    fault = refused(["5", "into", "1", token])
    assert fault.code == "bad_request"
    assert fault.path.startswith("$.units[1]")
    proposed = re.search(r'did you mean "(.*)"\?$', fault.message)
    assert proposed
    assert parse_unit(proposed[1])


@pytest.mark.parametrize(
    "token",
    [
        "4/1/1",
        "4/1T/1",
        "4/-1",
        "3A-1",
        "3P-1",
        "+3",
        "--",
        "-",
        "3.5",
        "1e3",
        "1_000",
        "0x10",
        "3/",
        "T",
        "x2",
        "Sentinel",
        "Sentinel:",
        "Sentinel:T",
        "Sentinel: 3",
        "3T:Sentinel",
        "",
        " ",
        "\N{ARABIC-INDIC DIGIT THREE}",
        "3/\N{ARABIC-INDIC DIGIT THREE}",
        "3P\N{ARABIC-INDIC DIGIT THREE}",
        "\N{FULLWIDTH DIGIT THREE}",
        "3\N{FULLWIDTH LATIN CAPITAL LETTER T}",
        "\N{SUPERSCRIPT TWO}",
    ],
)
def test_what_is_no_unit_is_refused_where_it_stands(token: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse_unit(token)
    fault = caught.value
    assert fault.code == "bad_request"
    assert fault.message == fault.message.strip()
    assert fault.message.isprintable()


@pytest.mark.parametrize("token", ["{}", "-{}", "X:{}", "3/{}", "3P{}", "3A{}", "3S{}", "3x2P{}"])
def test_numbers_of_twenty_digits_are_beyond_the_limit(token: str) -> None:
    assert refused(["5", "into", token.format("1" * 20)]).code == "limit"
    assert refused(["5", "into", token.format(MOST + 1)]).code == "limit"
    assert parse(["5", "into", token.format(MOST)])


def test_bonuses_add_up_to_no_more_than_the_limit() -> None:
    fault = refused(f"5 into 3A{MOST}A")
    assert (fault.code, fault.path) == ("limit", "$.units[0].assault")


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("-5 into 3", "$.pool"),
        ("5.0 into 3", "$.pool"),
        ("5T into 3", "$.pool"),
        ("x into 3", "$.pool"),
        ("5, into 3", "$.pool"),
        ("5 6 into 3", "$.pool"),
        ("into 3", "$.pool"),
        ("\N{ARABIC-INDIC DIGIT FIVE} into 3", "$.pool"),
        (f"{MOST + 1} into 3", "$.pool"),
        (f"{'9' * 20} into 3", "$.pool"),
        ("5 into 3 3x", "$.units[1]"),
        ("5 into 4/1/1", "$.units[0].marked"),
        (f"5 into 3 3P{MOST + 1}", "$.units[1].replacements"),
        ("3x vs 3", "$.attackers[0]"),
        ("3 vs 3 3x", "$.defenders[1]"),
        ("5 into 3 " + "x2" * 64, "$.units[1]"),
    ],
)
def test_a_refusal_says_where_the_fault_is(line: str, path: str) -> None:
    assert refused(line).path.startswith(path)


@pytest.mark.parametrize(
    "line",
    ["", " ", "5", "5 3 3", "3 3", "5 into 3 into 3", "5 into 3 vs 3", "3 vs 3 vs 3", '5 into "3'],
)
def test_what_is_neither_a_board_nor_a_combat_is_refused(line: str) -> None:
    assert refused(line).code == "bad_request"


@pytest.mark.parametrize(("line", "word"), [("5 INTO 3", "into"), ("5 Into 3", "into"),
                                            ("3 VS 3", "vs"), ("3 Vs 3", "vs"),
                                            ("5 in 3", "into"), ("5 -> 3", "into"),
                                            ("3 v 3", "vs"), ("3 vs. 3", "vs")])  # fmt: skip
def test_the_words_of_the_notation_are_lower_case(line: str, word: str) -> None:
    assert f'did you mean "{word}"?' in refused(line).message


def test_a_side_may_be_empty() -> None:
    assert board("5 into").units == ()
    assert combat("vs") == Combat(attackers=(), defenders=())
    assert len(combat("3 vs").attackers) == len(combat("vs 3").defenders) == 1


def test_any_blank_parts_tokens() -> None:
    assert parse("\t5  into\n3 \r\n 2 ") == parse("5 into 3 2")


def test_there_are_at_most_a_thousand_units_and_64_replacements() -> None:
    assert len(board("5 into " + "3 " * 1000).units) == 1000
    assert refused("5 into " + "3 " * 1001).code == "limit"
    assert refused("5 vs " + "3 " * 1001).code == "limit"
    assert len(board("5 into 3" + "x2" * 64).units[0].replacements) == 64
    assert refused("5 into 3" + "x2" * 65).code == "limit"


@pytest.mark.parametrize("flag", ["P1", "Pall", "x2"])
def test_a_hundred_thousand_replacements_are_refused_at_the_65th(
    flag: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    take = notation._take
    monkeypatch.setattr(notation, "_take", lambda *flag: taken.append(flag) or take(*flag))
    assert refused("5 into 3" + flag * 100_000).code == "limit"
    assert len(taken) == 65


# --- names --------------------------------------------------------------------------------------


def test_a_name_with_blanks_stands_in_double_quotes() -> None:
    for line in ('5 into "Stone Sentinel:3T" 2', '5 into "Stone Sentinel":3T 2'):
        assert names(line) == ["Stone Sentinel", "B"]
        assert board(line).units[0].tank


def test_on_the_command_line_a_name_with_blanks_is_one_argument() -> None:
    parsed = board(["5", "into", "Stone Sentinel:3T", "2"])
    assert parsed.names == ("Stone Sentinel", "B")
    assert str(parsed) == '5 into "Stone Sentinel:3T" 2'
    assert board(shlex.split(str(parsed))) == parsed


@pytest.mark.parametrize(
    "name",
    ["x", "X", "x" * 100, "é", "漢字", "🐉", "Into", "VS", "7up", "1 2", "a-b", "a=b", "-a", "-2",
     "'", "\\", "$x", "*", "[red]", "a,b", "T", "x2", "A1", "B"],
)  # fmt: skip
def test_these_are_names(name: str) -> None:
    parsed = board(["5", "into", f"{name}:3"])
    assert parsed.names == (name,)
    assert parse(str(parsed)) == parsed


@pytest.mark.parametrize("name", ["--x", "--ignore", "--any-damage-is-lethal", "--"])
def test_a_name_may_begin_like_an_option(name: str) -> None:
    named = Board(pool=5, units=(Unit(name=name, might=3),))
    assert parse(str(named)) == named


@pytest.mark.parametrize(
    "name",
    ["into", "vs", "12", "0", "x" * 101, "\x07", "a\x00b", "a\u200bb", "a\u2028b", "a\nb", "\x7f",
     "\ud800"],
)  # fmt: skip
def test_these_are_no_names(name: str) -> None:
    assert refused(["5", "into", "1", f"{name}:3"]).path == "$.units[1].name"


@pytest.mark.parametrize("token", ['a"b:3', '"a":3', '":3'])
def test_a_name_has_no_quote_in_notation(token: str) -> None:
    assert refused(["5", "into", token]).path.startswith("$.units[0]")


def test_a_unit_is_written_with_its_name_unless_it_goes_without() -> None:
    named = Unit(name="XXXX", might=3)
    assert [write_unit(named), write_unit(named, "A"), write_unit(named, "XXXX")] == [
        "XXXX:3", "XXXX:3", "3"
    ]  # fmt: skip
    assert [write_unit(Unit(might=3)), write_unit(Unit(might=3), "A")] == ["3", "3"]


@pytest.mark.parametrize("name", ["a:b", ":", "a:", 'a"b', '"'])
def test_a_name_that_notation_cannot_express_is_not_written(name: str) -> None:
    with pytest.raises(BadRequest, match="notation"):
        write(Board(pool=5, units=(Unit(name=name, might=3),)))


def test_the_name_ends_at_the_last_colon() -> None:
    assert 'did you mean "Stone Sentinel:3T"?' in refused("5 into Stone:Sentinel:3T").message


def test_unnamed_units_are_lettered_by_position() -> None:
    named = names("5 into " + "3 " * 703)
    assert named[:3] == ["A", "B", "C"]
    assert named[25:29] == ["Z", "AA", "AB", "AC"]
    assert named[51:53] == ["AZ", "BA"]
    assert named[701:] == ["ZZ", "AAA"]
    assert names("5 into 3 X:3 3") == ["A", "X", "C"]


def test_unnamed_units_of_a_combat_are_numbered_on_each_side() -> None:
    fought = combat("3 X:3 3 vs 2 Y:2 2")
    assert [u.name for u in fought.attackers] == ["A1", "X", "A3"]
    assert [u.name for u in fought.defenders] == ["D1", "Y", "D3"]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("5 into X:3 X:2", "$.units[1].name"),
        ("5 into B:3 3", "$.units[1].name"),
        ("5 into 3 A:3", "$.units[1].name"),
        ("X:3 vs X:3", "$.defenders[0].name"),
        ("X:3 X:3 vs 3", "$.attackers[1].name"),
        ("A2:3 3 vs 3", "$.attackers[1].name"),
        ("3 vs A1:3", "$.defenders[0].name"),
        ("D1:3 vs 3", "$.defenders[0].name"),
    ],
)
def test_a_clash_of_names_is_refused(line: str, path: str) -> None:
    assert refused(line).path == path


def test_names_differ_in_case_and_position_names_may_be_spelled_out() -> None:
    assert names("5 into x:3 X:3") == ["x", "X"]
    assert parse("5 into A:3 B:2") == parse("5 into 3 2")
    assert parse("A1:3 vs D1:2") == parse("3 vs 2")


# --- options ------------------------------------------------------------------------------------

BOARD_OPTIONS: dict[str, dict[str, Any]] = {
    "--ignore tank": {"assigner": Assigner(ignores=("tank",))},
    "--ignore=backline": {"assigner": Assigner(ignores=("backline",))},
    "--ignore tank --ignore backline": {"assigner": Assigner(ignores=("tank", "backline"))},
    "--any-damage-is-lethal": {"assigner": Assigner(any_damage_is_lethal=True)},
    "--units-are attackers": {"units_are": "attackers"},
    "--units-are defenders": {},
    "--edition 460": {"edition": "460"},
    "--reading leftover=one_unit": {"readings": Readings(leftover="one_unit")},
    "--reading must_kill=yes --reading excess=raw": {
        "readings": Readings(must_kill="yes", excess="raw")
    },
}
COMBAT_OPTIONS: dict[str, dict[str, Any]] = {
    "--attacker-ignore tank": {"attacker": Assigner(ignores=("tank",))},
    "--defender-ignore backline": {"defender": Assigner(ignores=("backline",))},
    "--attacker-any-damage-is-lethal": {"attacker": Assigner(any_damage_is_lethal=True)},
    "--defender-any-damage-is-lethal": {"defender": Assigner(any_damage_is_lethal=True)},
    "--control attacker": {"control": "attacker"},
    "--control defender": {},
    "--control none": {"control": None},
    "--scored attacker": {"scored_this_turn": ("attacker",)},
    "--scored defender --scored attacker": {"scored_this_turn": ("attacker", "defender")},
    "--edition 467": {"edition": "467"},
    "--reading leftover=last_unit": {"readings": Readings(leftover="last_unit")},
}


def everywhere(tokens: list[str], options: str) -> list[list[str]]:
    """Return the tokens with the options before, after and between any of them."""
    given = options.split()
    return [[*tokens[:i], *given, *tokens[i:]] for i in range(len(tokens) + 1)]


@pytest.mark.parametrize("options", BOARD_OPTIONS)
def test_options_of_a_board_stand_anywhere(options: str) -> None:
    wanted = replace(board("5 into 3 2"), **BOARD_OPTIONS[options])
    assert parse(str(wanted)) == wanted
    for tokens in everywhere(["5", "into", "3", "2"], options):
        assert parse(tokens) == parse(" ".join(tokens)) == wanted


@pytest.mark.parametrize("options", COMBAT_OPTIONS)
def test_options_of_a_combat_stand_anywhere(options: str) -> None:
    wanted = replace(combat("5 4 vs 3"), **COMBAT_OPTIONS[options])
    assert parse(str(wanted)) == wanted
    for tokens in everywhere(["5", "4", "vs", "3"], options):
        assert parse(tokens) == parse(" ".join(tokens)) == wanted


@pytest.mark.parametrize(
    ("spelled", "meant"),
    [
        ("--ignroe", "--ignore"),
        ("--ignores", "--ignore"),
        ("--any-damage", "--any-damage-is-lethal"),
        ("--any_damage_is_lethal", "--any-damage-is-lethal"),
        ("--unit-are", "--units-are"),
        ("--Edition", "--edition"),
        ("--readings", "--reading"),
        ("--atacker-ignore", "--attacker-ignore"),
        ("--contrl", "--control"),
        ("--score", "--scored"),
        ("-ignore", "--ignore"),
        ("-edition", "--edition"),
    ],
)
def test_a_misspelt_option_is_answered_with_did_you_mean(spelled: str, meant: str) -> None:
    assert f'did you mean "{meant}"?' in refused(f"5 into 3 {spelled} tank").message


@pytest.mark.parametrize("option", ["--attacker-ignore tank", "--control none", "--scored attacker",
                                    "--defender-any-damage-is-lethal"])  # fmt: skip
def test_a_board_has_no_options_of_a_combat(option: str) -> None:
    assert "combat" in refused(f"5 into 3 {option}").message


@pytest.mark.parametrize("option", ["--ignore tank", "--units-are attackers",
                                    "--any-damage-is-lethal"])  # fmt: skip
def test_a_combat_has_no_options_of_a_board(option: str) -> None:
    assert "board" in refused(f"3 vs 3 {option}").message


@pytest.mark.parametrize(
    ("options", "code", "path"),
    [
        ("--ignore Tank", "bad_request", "$.assigner.ignores[0]"),
        ("--ignore tank --ignore x", "bad_request", "$.assigner.ignores[1]"),
        ("--units-are both", "bad_request", "$.units_are"),
        ("--edition 464", "unknown_edition", "$.edition"),
        ("--reading leftover=all", "unknown_reading", "$.readings.leftover"),
        ("--reading leftover", "unknown_reading", "$.readings"),
        ("--reading lefover=any", "unknown_reading", "$.readings"),
        ("--ignore", "bad_request", ""),
        ("--edition --ignore tank", "bad_request", ""),
        ("--any-damage-is-lethal=yes", "bad_request", ""),
    ],
)
def test_a_wrong_value_of_an_option_is_refused(options: str, code: str, path: str) -> None:
    fault = refused(f"5 into 3 {options}")
    assert fault.code == code
    assert fault.path.startswith(path)


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ("--attacker-ignore x", "$.attacker.ignores[0]"),
        ("--defender-ignore x", "$.defender.ignores[0]"),
        ("--control x", "$.control"),
        ("--scored x", "$.scored_this_turn[0]"),
    ],
)
def test_a_wrong_value_of_an_option_of_a_combat_is_refused(options: str, path: str) -> None:
    assert refused(f"3 vs 3 {options}").path == path


def test_options_are_added_to_those_that_a_question_has() -> None:
    asked = board("5 into 3 --ignore tank --reading must_kill=yes")
    added = apply_options(asked, {"ignore": ["backline"], "reading": ["excess=raw"]})
    assert added == board(
        "5 into 3 --ignore tank --ignore backline --reading must_kill=yes --reading excess=raw"
    )
    scored = apply_options(combat("3 vs 3 --scored attacker"), {"scored": ["defender"]})
    assert scored == combat("3 vs 3 --scored attacker --scored defender")
    assert apply_options(asked, {}) == asked


def test_a_minus_makes_a_unit_not_an_option() -> None:
    assert [u.might for u in board("5 into -2 3 -4T").units] == [-2, 3, -4]
    assert board(["5", "into", "--ignore", "tank", "-2"]).units[0].might == -2


# --- there and back -----------------------------------------------------------------------------

AMOUNTS = st.integers(0, 9) | st.integers(0, MOST)
MIGHTS = st.integers(-9, 9) | st.integers(-MOST, MOST)
STEPS = st.sampled_from(["double", "prevent all"]) | AMOUNTS.map("prevent {}".format)
LOOSE_STEPS = STEPS | AMOUNTS.map("prevent 00{}".format)
NAME_CHARACTERS = st.sampled_from("ABTPSx2/ -'=,!") | st.characters(exclude_categories=["C", "Z"])
NAMES = (
    st.text(NAME_CHARACTERS, min_size=1, max_size=12)
    | st.text("xyz ", min_size=90, max_size=100)
    | st.sampled_from(["A", "B", "C", "A1", "A2", "D1", "Into", "7up"])
).filter(lambda n: n.isprintable() and not set(':"') & set(n) and not n.startswith("--"))
ASSIGNERS = st.builds(
    Assigner,
    ignores=st.sampled_from([(), ("tank",), ("backline",), ("tank", "backline")]),
    any_damage_is_lethal=st.booleans(),
)
EDITIONS = st.sampled_from(["439", "443", "460", "465", "467"])
READINGS = st.builds(
    Readings,
    undamageable=st.sampled_from(["skip", "optional"]),
    only_undamageable=st.sampled_from(["assign", "nothing"]),
    prevent_all=st.sampled_from(["sink", "exempt"]),
    leftover=st.sampled_from(["any", "one_unit", "last_unit"]),
    must_kill=st.sampled_from(["no", "yes"]),
    already_lethal=st.sampled_from(["zero", "one"]),
    excess=st.sampled_from(["applied", "raw"]),
)


@st.composite
def units(draw: st.DrawFn) -> Unit:
    """Draw a unit, named or not; rejects what cannot be a name."""
    try:
        return draw(
            st.builds(
                Unit,
                name=st.just("") | NAMES,
                might=MIGHTS,
                marked=st.just(0) | AMOUNTS,
                tank=st.booleans(),
                backline=st.booleans(),
                replacements=st.lists(STEPS, max_size=4).map(tuple),
                undamageable=st.booleans(),
                assault=st.just(0) | AMOUNTS,
                shield=st.just(0) | AMOUNTS,
                stunned=st.booleans(),
                no_combat_damage=st.booleans(),
            )
        )
    except BadRequest:
        reject()


SIDES = st.lists(units(), max_size=4).map(tuple)


@st.composite
def questions(draw: st.DrawFn) -> Board | Combat:
    """Draw a board or a combat with every field that notation has; rejects clashes of names."""
    try:
        if draw(st.booleans()):
            return draw(
                st.builds(
                    Board,
                    pool=AMOUNTS,
                    units=SIDES,
                    units_are=st.sampled_from(["defenders", "attackers"]),
                    assigner=ASSIGNERS,
                    edition=EDITIONS,
                    readings=READINGS,
                )
            )
        return draw(
            st.builds(
                Combat,
                attackers=SIDES,
                defenders=SIDES,
                attacker=ASSIGNERS,
                defender=ASSIGNERS,
                control=st.sampled_from(["attacker", "defender", "none", None]),
                scored_this_turn=st.sampled_from([(), ("attacker",), ("defender", "attacker")]),
                edition=EDITIONS,
                readings=READINGS,
            )
        )
    except BadRequest:
        reject()


@settings(max_examples=150, deadline=None)
@given(questions())
@example(Board(pool=0, units=()))
@example(Combat(attackers=(), defenders=()))
def test_what_is_printed_is_read_back(question: Board | Combat) -> None:
    assert parse(str(question)) == question
    assert hash(parse(str(question))) == hash(question)


@st.composite
def rarer_questions(draw: st.DrawFn) -> Board | Combat:
    """Draw a question with a field, a name or a spelling that notation may not have."""
    question = draw(questions())
    changes: dict[str, Any] = {}
    sides = ("units",) if isinstance(question, Board) else ("attackers", "defenders")
    try:
        for side in sides:
            changes[side] = tuple(
                replace(
                    unit,
                    name=draw(st.just(unit.name) | st.text('a:" -=', min_size=1, max_size=6)),
                    replacements=draw(st.lists(LOOSE_STEPS, max_size=2).map(tuple)),
                )
                for unit in getattr(question, side)
            )
        if isinstance(question, Combat):
            late = draw(st.just(()) | st.just((Unit(might=2, name="late"),)))
            changes["arrivals"] = draw(
                st.sampled_from([Arrivals(attackers=late), Arrivals(defenders=late)])
            )
            for assigner, units_there in (("attacker", "defenders"), ("defender", "attackers")):
                points = (1,) * len(changes[units_there])
                changes[f"{assigner}_assigns"] = draw(st.sampled_from([None, points]))
        return replace(question, **changes)
    except BadRequest:
        reject()


@settings(max_examples=150, deadline=None)
@given(rarer_questions())
@example(combat("vs"))
@example(replace(combat("3 vs 3"), attacker_assigns=(3,)))
@example(replace(combat("3 vs 3"), defender_assigns=(3,)))
@example(replace(combat("3 vs 3"), arrivals=Arrivals(defenders=(Unit(might=2),))))
@example(Board(pool=5, units=(Unit(might=3, replacements=("prevent 007",)),)))
def test_nothing_is_lost_in_print(question: Board | Combat) -> None:
    try:
        printed = write(question)
    except BadRequest:
        return
    assert parse(printed) == question


@pytest.mark.parametrize("field", ["attacker_assigns", "defender_assigns"])
def test_a_chosen_assignment_is_not_left_out_of_print(field: str) -> None:
    with pytest.raises(BadRequest, match="notation"):
        str(replace(combat("3 vs 3"), **{field: (3,)}))


@pytest.mark.parametrize("zeros", [1, 18, 40])
def test_zeros_before_the_value_of_prevent_change_nothing(zeros: int) -> None:
    padded = Unit(might=3, replacements=(f"prevent {'0' * zeros}7",))
    assert padded == Unit(might=3, replacements=("prevent 7",))


@settings(max_examples=60, deadline=None)
@given(questions())
def test_json_says_the_same(question: Board | Combat) -> None:
    assert wire.read(wire.plain(question)) == question


@settings(max_examples=60, deadline=None)
@given(questions(), st.data())
def test_options_may_be_moved_past_any_unit(question: Board | Combat, data: st.DataObject) -> None:
    tokens = re.findall(r'"[^"]*"|\S+', str(question))
    starts = [i for i, token in enumerate(tokens) if token.startswith("--")]
    chunks = [tokens[a:b] for a, b in pairwise([*starts, len(tokens)])]
    rest: list[list[str]] = [[token] for token in tokens[: starts[0] if starts else None]]
    for chunk in chunks:
        rest.insert(data.draw(st.integers(0, len(rest))), chunk)
    moved = " ".join(token for chunk in rest for token in chunk)
    assert parse(moved) == question
