"""The command line: what it prints where, how it ends, and what it loads."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import Ended, Lethal
from rich.cells import cell_len

from rules.editions import EDITIONS
from rules.readings import SWITCHES
from rules.rulebook import RULES

pty = pytest.importorskip("pty")

Json = dict[str, Any]

LETHAL = (sys.executable, "-m", "solver")
TWO = ("5", "into", "3", "3")
LARGE = ("300", "into", *["20"] * 30)
"""A board with about 155 million legal assignments, and half of its units dead in each."""
HARD = ("63000000", "into", *(f"{10**6 + i * 7919 * 7919 % 10**6}P100000" for i in range(80)))
"""A board whose best assignment takes long to find."""
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if name not in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE")
}
PATIENCE = 20


def spawned(
    *arguments: str,
    env: dict[str, str] | None = None,
    command: Sequence[str] = LETHAL,
    timeout: float = PATIENCE,
) -> Ended:
    """Run the command line as a process of its own, its output in pipes."""
    done = subprocess.run(
        [*command, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        env={**CLEAN, **(env or {})},
        timeout=timeout,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


# --- every command, in text and in JSON ---------------------------------------------------------

COMMANDS: dict[str, tuple[list[str], int, str, Any]] = {
    "list": (["list", *TWO], 0, "2 legal assignments.", [2, 3]),
    "list, no choice": (["list", "3", "into", "3T", "2"], 0, "no choice", [3, 0]),
    "count": (["count", *TWO], 0, "2 legal assignments", {"count": 2}),
    "count, one": (["count", "3", "into", "3T", "2"], 0, "1 legal assignment", {"count": 1}),
    "count, demanded": (["count", *TWO, "--kill", "A"], 0, "1 legal assignment", {"count": 1}),
    "count, impossible": (["count", *TWO, "--kill", "A", "--kill", "B"], 1,
                          "0 legal assignments", {"count": 0}),
    "count, spared": (["count", *TWO, "--spare", "A", "--spare", "B"], 1,
                      "0 legal assignments", {"count": 0}),
    "check, legal": (["check", *TWO, "--assign", "3,2"], 0, "Legal",
                     {"legal": True, "violations": [], "tiers": {}}),
    "check, illegal": (["check", *TWO, "--assign", "4,1"], 1, "465.2.c.4",
                       {"legal": False, "nearest": [3, 2]}),
    "check by name": (["check", *TWO, "--assign", "A=3", "--assign", "B=2"], 0, "Legal",
                      {"legal": True}),
    "check, nothing left out": (["check", *TWO, "--assign", "A=3"], 1, "465.2.c",
                                {"legal": False}),
    "best": (["best", *TWO], 0, "Best, proven: kills 1; 2 assignments reach it.",
             {"feasible": True, "assignment": [2, 3], "score": [1], "optimal": True, "ties": 2}),
    "best, impossible": (["best", *TWO, "--kill", "A", "--kill", "B"], 1, "465.2.c",
                         {"feasible": False,
                          "because": [{"rule": "assign_total", "number": "465.2.c"}]}),
    "best, two goals": (["best", "5", "into", "2", "3", "--maximize", "kills", "--maximize",
                         "might"], 0, "Best, proven", {"score": [2, 5], "assignment": [2, 3]}),
    "best, values": (["best", *TWO, "--value", "A=0.5"], 0, "Best, proven",
                     {"score": [0.5], "assignment": [3, 2], "ties": 1}),
    "kills": (["kills", *TWO], 0, "assignments",
              {"kill_sets": [{"killed": ["A"], "assignments": 1},
                             {"killed": ["B"], "assignments": 1}]}),
    "need": (["need", "5", "into", "3T/1", "2P3", "4Pall", "5!"], 0, "exempt",
             {"need": [2, 5, "never", "exempt"]}),
    "rule": (["rule", "465.2.c.4"], 0, "no_over_assignment", {"rule": "no_over_assignment"}),
    "rules": (["rules", "--kind", "constraint"], 0, "465.2.c.4", {"kind": "constraint"}),
    "rules below": (["rules", "467.2.c.4"], 0, "min_applied_when_increased",
                    {"rule": "no_over_assignment"}),
    "readings": (["readings"], 0, "leftover=any; or one_unit, last_unit",
                 {"reading": "undamageable", "values": ["skip", "optional"], "default": "skip",
                  "rules": [{"rule": "undamageable_exempt", "number": "465.2.c.10"}]}),
    "editions": (["editions"], 0, "2026-07-24", {"edition": "439", "core_rules": "1.1"}),
    "edition": (["editions", "--edition", "460"], 0, "replacements_apply_to_assignment",
                {"edition": "460", "effective": "2026-03-30", "default": False}),
    "list, demanded": (["list", *TWO, "--kill", "A", "--spare", "B"], 0,
                       "1 legal assignment that meets the demand.", [3, 2]),
}  # fmt: skip


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_command_prints_text_on_stdout_and_ends_with_its_status(
    kind: str, lethal: Lethal
) -> None:
    arguments, status, printed, _ = COMMANDS[kind]
    ended = lethal(*arguments)
    assert ended.status == status
    assert printed in ended.out
    assert ended.err == ""
    assert "\x1b" not in ended.out


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_command_prints_json_on_stdout_and_ends_with_its_status(
    kind: str, lethal: Lethal
) -> None:
    arguments, status, _, wanted = COMMANDS[kind]
    ended = lethal(*arguments, "--json")
    assert (ended.status, ended.err) == (status, "")
    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert len(lines) == 1 or arguments[0] in ("list", "rules", "readings", "editions")
    if isinstance(wanted, dict):
        assert {key: lines[0][key] for key in wanted} == wanted
    else:
        assert lines[0] == wanted


@pytest.mark.parametrize(
    "command",
    ["list", "count", "check", "best", "kills", "need", "margin", "why", "what", "rule", "rules",
     "readings", "editions", "batch"],
)  # fmt: skip
def test_every_command_takes_json_edition_and_reading(command: str, lethal: Lethal) -> None:
    ended = lethal(command, "--help")
    assert ended.status == 0
    for option in ("--json", "--edition", "--reading"):
        assert option in ended.out


@pytest.mark.parametrize("command", ["list", "count", "best", "kills", "margin", "why", "batch"])
def test_commands_that_may_take_long_take_a_time_limit(command: str, lethal: Lethal) -> None:
    assert "--time-limit" in lethal(command, "--help").out


def test_a_list_says_where_there_is_no_choice_about_who_dies(lethal: Lethal) -> None:
    assert (
        "4 legal assignments: there is no choice about who dies."
        in lethal("list", "5 into 1 1").out
    )
    assert "choice" not in lethal("list", "4 into 3 2").out
    assert "choice" not in lethal("list", "5 into 1 1", "--limit", "2").out
    assert "1 legal assignment: there is no choice." in lethal("list", "3 into 3T 2").out


def test_a_list_of_what_is_impossible_points_to_the_reason(lethal: Lethal) -> None:
    ended = lethal("list", "5 into 6T 2", "--kill", "B")
    assert ended.status == 1
    assert "\n\n\n" not in ended.out
    assert "`lethal why` with the same demand tells why" in ended.flat
    assert "why" not in lethal("list", "8 into 6T 2", "--kill", "B").out


@pytest.mark.parametrize(
    "command", ["list", "count", "check", "best", "kills", "need", "why", "what"]
)
def test_the_rest_of_an_answer_is_in_json_when_it_is_due(command: str, lethal: Lethal) -> None:
    extra = {"check": ["--assign", "1,2"], "why": ["--kill", "B"]}.get(command, [])
    arguments = [command, "3", "into", "3/4", "2", "--reading", "must_kill=yes", *extra]
    text = lethal(*arguments)
    assert "must_kill=yes" in text.out
    assert "already has lethal damage" in text.out
    if command != "list":
        answer = lethal.json(*arguments)
        assert answer["readings"] == {"must_kill": "yes"}
        assert len(answer["warnings"]) == 1


def test_an_edition_is_named_where_it_is_not_the_default(lethal: Lethal) -> None:
    assert "460" in lethal("need", "5", "into", "3x2", "--edition", "460").out
    assert lethal.json("need", "5", "into", "3x2", "--edition", "460") == {"need": [3]}
    assert lethal.json("need", "5", "into", "3x2", "--edition=467") == {"need": [2]}
    illegal = ["check", *TWO, "--assign", "2,3", "--edition", "467"]
    assert "467.2.c" in lethal(*illegal).out
    checked = lethal.json("check", *TWO, "--assign", "4,1", "--edition", "443")
    assert checked["violations"][0]["number"] == "443.1.d.4"


@pytest.mark.parametrize(
    "arguments",
    [
        ["5 into 3T 2"],
        ["5", "into", "3T", "2"],
        ["--json", "5", "into", "3T", "2"],
        ["5", "--json", "into", "3T", "2"],
        ["--", "5", "into", "3T", "2"],
        [" 5  into\t3T 2 "],
    ],
    ids=" ".join,
)
def test_a_board_is_one_argument_or_many(arguments: list[str], lethal: Lethal) -> None:
    json_ = [] if "--json" in arguments else ["--json"]
    assert lethal("need", *json_, *arguments).out == '{"need":[3,2]}\n'


def test_a_name_with_blanks_is_one_argument(lethal: Lethal) -> None:
    board = ["3", "into", "Stone Sentinel:3T", "Kindling Volunteer:2"]
    ended = lethal("list", *board)
    assert ended.out.startswith('3 into "Stone Sentinel:3T" "Kindling Volunteer:2"\n')
    assert lethal("check", *board, "--assign", "Stone Sentinel=3").status == 0


@pytest.mark.parametrize("name", ["--a=b", "--ignore", "a:b", 'a"b'])
def test_a_board_is_listed_whose_names_notation_cannot_write(
    name: str, tmp_path: Path, lethal: Lethal
) -> None:
    file = tmp_path / "board.json"
    file.write_text(json.dumps({"pool": 3, "units": [{"might": 3, "name": name}]}))
    ended = lethal("list", str(file))
    assert (ended.status, ended.err) == (0, "")
    assert name in ended.out


def test_an_assignment_by_name_is_split_at_the_last_equals_sign(lethal: Lethal) -> None:
    assert lethal("check", "3", "into", "a=b:3T", "2", "--assign", "a=b=3").status == 0
    assert lethal("best", "3", "into", "a=b:3T", "2", "--value", "a=b=2").status == 0


def test_one_option_may_have_the_points_of_several_units(lethal: Lethal) -> None:
    for assigned in (["A=3,B=2"], ["A=3, B=2"], ["A=3,B=1", "C=1"], ["C=0,A=3", "B=2"]):
        given = [word for text in assigned for word in ("--assign", text)]
        ended = lethal("check", "5", "into", "3", "3", "3", *given)
        assert ended.status == (1 if "C=1" in assigned else 0)
    played = lethal("combat", "5A2 3Z vs 3B 4TS1", "--attacker-assigns", "D1=2,D2=5",
                    "--defender-assigns", "A1=7,A2=1")  # fmt: skip
    assert "Dealt: A1 7, A2 1, D1 2, D2 5" in played.out


@pytest.mark.parametrize(
    ("names", "assigned", "points"),
    [
        (["a,b", "c"], "a,b=3", [3, 0]),
        (["a=1,b", "c"], "a=1,b=3", [3, 0]),
        (["a", "a=1,b"], "a=1,b=3", [0, 3]),
        (["a", "b", "a=1,b"], "a=1,b=3", None),
        (["a", "b", "a=1,b"], "a=1,b=3,a=1", None),
        (["a=1,b", "c"], "a=1,b=3,c=2", None),
        (["a", "b"], "a=1,b", None),
    ],
)
def test_a_name_with_a_comma_is_never_guessed_at(
    names: list[str], assigned: str, points: list[int] | None, lethal: Lethal
) -> None:
    units = [f"{name}:3T" for name in names]
    ended = lethal("check", "3", "into", *units, "--assign", assigned, "--json")
    if points is None:
        assert (ended.status, ended.out) == (2, "")
    else:
        listed = ",".join(map(str, points))
        assert ended.out == lethal("check", "3", "into", *units, "--assign", listed, "--json").out


BOARD_COMMANDS = ("list", "count", "check", "best", "kills", "need", "why", "what")


@pytest.mark.parametrize("command", BOARD_COMMANDS)
def test_every_answer_in_words_says_what_the_assigner_may(command: str, lethal: Lethal) -> None:
    options = {"check": ["--assign", "1"], "why": ["--give", "1"]}.get(command, [])
    asked = [command, "1", "into", "3T", *options]
    plain = lethal(*asked).out
    assert not any(word in plain for word in ("assigner", "Any damage", "The units are"))
    told = lethal(*asked, "--ignore", "tank", "--any-damage-is-lethal", "--units-are", "attackers")
    lines = told.out.splitlines()
    for sentence in ("The assigner ignores Tank (766).", "Any damage is lethal (142.4.c).",
                     "The units are attackers."):  # fmt: skip
        assert lines.count(sentence) == 1


def test_the_answer_to_a_combat_says_what_each_side_may(lethal: Lethal) -> None:
    fight = ["combat", "3", "vs", "3T"]
    plain = lethal(*fight).out
    assert not any(word in plain for word in ("ignores", "Any damage", "The units are"))
    told = lethal(*fight, "--attacker-ignore", "tank", "--attacker-ignore", "backline",
                  "--defender-any-damage-is-lethal", "--edition", "467").out  # fmt: skip
    assert "The Attacker ignores Tank and Backline (766?)." in told
    assert "Any damage by the Defender is lethal (142.4.c?)." in told
    assert "The units are" not in told


def test_options_of_the_question_stand_in_the_quoted_board_too(lethal: Lethal) -> None:
    assert lethal.json("need", "5 into 3 --any-damage-is-lethal") == {"need": [1]}
    assert lethal.json("count", "6 into 5T 2 --ignore tank", "--edition", "465") == {"count": 2}
    assert lethal.json("need", "5 into 3x2 --edition 460") == {"need": [3]}
    assert lethal.json("need", "5 into 3S2 3A4 --units-are attackers") == {"need": [3, 7]}


@pytest.mark.parametrize("unit", ["-2", "-2T", "-20/3", "X:-2"])
def test_a_negative_might_is_no_option(unit: str, lethal: Lethal) -> None:
    for arguments in (["need", "5", "into", "3", unit], ["need", "5", "into", unit, "3"]):
        ended = lethal(*arguments)
        assert ended.status == 0
        assert ended.err == ""


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["cuont", *TWO], "count"),
        (["lst", *TWO], "list"),
        (["kill", *TWO], "kills"),
        (["count", *TWO, "--ignroe", "tank"], "--ignore"),
        (["count", *TWO, "--igore=tank"], "--ignore"),
        (["count", *TWO, "--jsn"], "--json"),
        (["count", *TWO, "--edtion", "460"], "--edition"),
        (["count", "--kil", "A", *TWO], "--kill"),
        (["list", *TWO, "--limt", "3"], "--limit"),
        (["check", *TWO, "--asign", "3,2"], "--assign"),
        (["best", *TWO, "--maximise", "kills"], "--maximize"),
        (["count", *TWO, "--time_limit", "3"], "--time-limit"),
        (["need", *TWO, "-json"], "--json"),
        (["need", *TWO, "-ignore", "tank"], "--ignore"),
        (["rule", "465.2.c.4", "--edtion", "460"], "--edition"),
        (["rule", "tank_frist"], "tank_first"),
        (["best", *TWO, "--maximize", "kill"], "kills"),
        (["count", *TWO, "--reading", "lefover=any"], "leftover"),
        (["rules", "--kind", "constrain"], "constraint"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_misspelt_word_is_answered_with_did_you_mean(
    arguments: list[str], meant: str, lethal: Lethal
) -> None:
    ended = lethal(*arguments)
    assert ended.status == 2
    hint = ended.err.lower().partition("did you mean")[2]
    assert meant in hint.replace("'", '"').split('"')


@pytest.mark.parametrize("arguments", [["--control", "none"], ["--attacker-ignore", "tank"],
                                       ["--", "--json"]], ids=" ".join)  # fmt: skip
def test_nobody_is_told_to_write_what_they_wrote(arguments: list[str], lethal: Lethal) -> None:
    ended = lethal("need", *TWO, *arguments)
    assert ended.status == 2
    assert f'did you mean "{arguments[-1]}"' not in ended.err
    assert f'did you mean "{arguments[0]}"' not in ended.err


# --- list ---------------------------------------------------------------------------------------


def test_list_in_json_is_one_assignment_a_line(lethal: Lethal) -> None:
    ended = lethal("list", "5", "into", "3", "3", "3", "--json")
    assert [json.loads(line) for line in ended.out.splitlines()] == [
        [0, 2, 3], [0, 3, 2], [2, 0, 3], [2, 3, 0], [3, 0, 2], [3, 2, 0]
    ]  # fmt: skip


@pytest.mark.parametrize("json_", [[], ["--json"]], ids=["text", "json"])
def test_a_list_is_cut_by_its_limit_and_says_so_on_stderr(json_: list[str], lethal: Lethal) -> None:
    cut = lethal("list", "5", "into", "3", "3", "3", "--limit", "2", *json_)
    assert cut.status == 0
    assert cut.err.count("\n") == 1
    assert "--limit" in cut.err
    if json_:
        assert cut.out == "[0,2,3]\n[0,3,2]\n"
    for limit in ("6", "7", "0"):
        whole = lethal("list", "5", "into", "3", "3", "3", "--limit", limit, *json_)
        assert (whole.status, whole.err) == (0, "")


def test_a_list_is_limited_to_a_thousand_unless_told_otherwise(lethal: Lethal) -> None:
    board = ["list", "1002", "into", "1", "1", "--json"]
    assert lethal(*board).out.count("\n") == 1000
    assert lethal(*board, "--limit", "0").out.count("\n") == 1001


@pytest.mark.parametrize("json_", [[], ["--json"]], ids=["text", "JSON"])
def test_a_list_in_which_nothing_meets_the_demand_is_no(json_: list[str], lethal: Lethal) -> None:
    ended = lethal("list", *TWO, "--kill", "A", "--kill", "B", *json_)
    assert (ended.status, ended.err) == (1, "")
    assert ("0 legal assignments" in ended.out) == (not json_)


def test_an_empty_board_has_one_assignment(lethal: Lethal) -> None:
    assert lethal("list", "5", "into", "--json").out == "[]\n"
    assert lethal("list", "5", "into").status == 0
    assert lethal("check", "5", "into", "--assign", "").status == 0
    assert lethal.json("count", "0", "into") == {"count": 1}


@pytest.mark.parametrize("json_", ["", "--json"], ids=["text", "json"])
def test_a_listing_that_nobody_reads_to_the_end_ends_quietly(json_: str) -> None:
    begun = time.monotonic()
    shell = f"{' '.join(LETHAL)} list {' '.join(LARGE)} --limit 0 {json_} | head -1"
    ended = spawned("-c", f'{shell}; echo "${{PIPESTATUS[0]}}"', command=["bash"])
    first, status = ended.out.splitlines()
    assert first.startswith("[0,0" if json_ else "300 into 20")
    assert ended.err == ""
    assert time.monotonic() - begun < 10
    assert status in ("0", "141"), "not the status of an answer that is no"


# --- limits and interruptions -------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["count", *LARGE, "--engine", "cp-sat"],
        ["count", *LARGE, "--engine", "cp-sat", "--json"],
        ["list", *LARGE, "--limit", "0", "--json"],
        ["kills", *LARGE],
        ["kills", *LARGE, "--json"],
    ],
    ids=lambda arguments: " ".join([arguments[0], *arguments[33:]]),
)
def test_a_search_stopped_by_its_time_limit_says_so(arguments: list[str]) -> None:
    ended = spawned(*arguments, "--time-limit", "0.2")
    assert ended.status == 3
    assert ended.err.count("\n") == 1
    if arguments[0] == "count" and "--json" in arguments:
        answer = json.loads(ended.out)
        assert answer["count"] is None
        assert answer["at_least"] >= 0
    elif arguments[0] == "count":
        assert ended.out.strip().endswith("+")


def test_a_value_beyond_any_limit_is_refused_at_once() -> None:
    ended = spawned("best", *TWO, "--value", "A=1e99999999", timeout=5)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.count("\n") == 1


def interrupted(*arguments: str, after: float) -> Ended:
    """Run a command and interrupt it as Control-C does, so many seconds after its start."""
    process = subprocess.Popen(
        [*LETHAL, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=CLEAN,
        # What a shell starts in the background ignores the signal, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return Ended(process.returncode, out, err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", *LARGE, "--limit", "0", "--json"],
        ["list", *LARGE, "--limit", "0", "--engine", "cp-sat"],
        ["kills", *LARGE],
        ["best", *HARD, "--maximize", "might"],
        ["need", "-"],
        ["batch"],
    ],
    ids=lambda arguments: f"{arguments[0]} {' '.join(arguments[33:])}"[:40],
)
def test_an_interrupted_command_ends_with_130_and_no_traceback(arguments: list[str]) -> None:
    # Whatever is imported is imported by then, also on a busy machine.
    ended = interrupted(*arguments, after=6 if {"cp-sat", "best"} & {*arguments} else 2.5)
    assert ended.status == 130
    assert "Traceback" not in ended.err
    assert "time limit" not in ended.out + ended.err


# --- screens ------------------------------------------------------------------------------------


def names(count: int, kind: str) -> list[str]:
    """Return that many long names of a kind."""
    if kind == "words":
        return [f"The Very Long Winded Sentinel of the Stone Gate {i}" for i in range(count)]
    if kind == "one word":
        return [f"{'Sentinel' * 12}{i:03d}" for i in range(count)]
    return [f"{'石の番人' * 20}{i}" for i in range(count)]


@pytest.mark.parametrize("kind", ["words", "one word", "wide letters"])
@pytest.mark.parametrize("count", [3, 60])
@pytest.mark.parametrize(
    "command", ["list", "count", "check", "best", "impossible", "need", "why", "what"]
)
def test_answers_fit_80_columns(command: str, count: int, kind: str, lethal: Lethal) -> None:
    called = names(count, kind)
    units = [f"{name}:{3 + i % 3}{'TB' * (i % 7 == 0)}" for i, name in enumerate(called)]
    options = {
        "list": ["--limit", "5"],
        "check": ["--assign", ",".join(["2"] * count)],
        "impossible": ["--kill", called[0], "--spare", called[0]],
        "why": [word for name in called for word in ("--kill", name)],
    }.get(command, [])
    name = "best" if command == "impossible" else command
    ended = lethal(name, str(2 * count), "into", *units, *options)
    assert ended.status in (0, 1)
    assert max(map(cell_len, ended.out.splitlines())) <= 80


@pytest.mark.parametrize("command", ["list", "check", "kills", "need"])
def test_answers_with_huge_numbers_fit_80_columns(command: str, lethal: Lethal) -> None:
    most = str(10**18)
    options = ["--assign", ",".join(["1" + "0" * 17] * 5)] if command == "check" else []
    ended = lethal(command, most, "into", *[most] * 5, *options)
    assert max(map(cell_len, ended.out.splitlines())) <= 80


def test_a_count_of_any_size_is_one_word(lethal: Lethal) -> None:
    board = ["count", "1000", "into", *["10"] * 300]
    number = str(lethal.json(*board)["count"])
    assert len(number) > 80
    assert number in lethal(*board).out.split()


@pytest.mark.parametrize("kind", COMMANDS)
def test_pipes_get_no_escape_codes(kind: str, lethal: Lethal) -> None:
    ended = lethal(*COMMANDS[kind][0])
    assert "\x1b" not in ended.out + ended.err


@pytest.mark.parametrize("arguments", [["rule", "465.2.c.4"], ["check", *TWO, "--assign", "4,1"],
                                       ["list", *TWO]], ids=" ".join)  # fmt: skip
def test_no_color_is_respected_on_a_terminal(arguments: list[str]) -> None:
    screen, terminal = pty.openpty()
    try:
        process = subprocess.Popen(
            [*LETHAL, *arguments],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env={**CLEAN, "TERM": "xterm-256color", "NO_COLOR": "1"},
        )
        process.wait(timeout=PATIENCE)
        printed = os.read(screen, 1 << 16)
    finally:
        os.close(terminal)
        os.close(screen)
    assert printed
    assert b"\x1b" not in printed


def test_what_cannot_be_encoded_is_no_traceback() -> None:
    ended = spawned("need", "5", "into", "é:3", env={"PYTHONIOENCODING": "ascii"})
    assert ended.status in (0, 2)
    assert "Traceback" not in ended.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_no_traceback_and_no_answer() -> None:
    ended = spawned("-c", f"{' '.join(LETHAL)} need {' '.join(TWO)} > /dev/full", command=["bash"])
    assert ended.status not in (0, 1)
    assert "Traceback" not in ended.err


# --- the command itself -------------------------------------------------------------------------


def test_python_m_solver_is_the_same_command() -> None:
    script = Path(sys.executable).parent / "lethal"
    if not script.exists():
        pytest.skip("the command is not installed beside this Python")
    for arguments in (["--help"], ["count", *TWO], ["cuont"], ["check", *TWO, "--assign", "4,1"]):
        assert spawned(*arguments) == spawned(*arguments, command=[str(script)])


def test_version_and_help_are_answers(lethal: Lethal) -> None:
    version = lethal("--version")
    assert version.status == 0
    assert version.out.startswith("lethal ")
    for arguments in (["--help"], ["count", "--help"], ["check", "5", "into", "3", "--help"]):
        ended = lethal(*arguments)
        assert (ended.status, ended.err) == (0, "")
        assert max(map(len, ended.out.splitlines())) <= 80


def test_without_a_command_there_is_help_on_stderr(lethal: Lethal) -> None:
    ended = lethal()
    assert (ended.status, ended.out) == (2, "")
    assert "Usage" in ended.err


@pytest.mark.parametrize(
    "command", ["list", "count", "check", "best", "kills", "need", "margin", "why", "what"]
)
def test_commands_on_a_board_have_no_short_options(command: str, lethal: Lethal) -> None:
    words = lethal(command, "--help").out.split()
    assert not [word for word in words if word.startswith("-") and word[1:2].isalpha()]


def test_completion_is_a_script() -> None:
    for shell in ("bash", "zsh", "fish"):
        ended = spawned(
            env={"_LETHAL_COMPLETE": f"{shell}_source"}, command=[*LETHAL[:1], "-c", RUN]
        )
        assert ended.status == 0
        assert "_LETHAL_COMPLETE" in ended.out


RUN = "from solver.cli import main; main()"


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("lethal count --edition 4", list(EDITIONS)),
        ("lethal count 5 into 3 --edition 46", ["460", "465", "467"]),
        ("lethal rule --edition 43", ["439"]),
        ("lethal cou", ["count"]),
        ("lethal count --ig", ["--ignore"]),
        ("lethal count --ignore t", ["tank"]),
        ("lethal count --units-are d", ["defenders"]),
        ("lethal need --reading leftover", [f"leftover={v}" for v in SWITCHES["leftover"]]),
    ],
)
def test_the_shell_completes_words(words: str, wanted: list[str]) -> None:
    position = str(len(words.split()) - 1)
    env = {
        "_LETHAL_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": position,
    }
    ended = spawned(env=env, command=[*LETHAL[:1], "-c", RUN])
    assert ended.out.splitlines() == [f"plain,{word}" for word in wanted]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["rule", "465.2.c.4"],
        ["rules"],
        ["readings"],
        ["editions"],
        ["check", *TWO, "--assign", "3,2"],
        ["check", *TWO, "--assign", "3,2", "--json"],
        ["need", *TWO],
        ["need", *TWO, "--json"],
    ],
    ids=" ".join,
)
def test_what_needs_no_solver_loads_none(arguments: list[str]) -> None:
    script = (
        "import sys\n"
        "from solver.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "except SystemExit:\n    pass\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)\n"
    )
    ended = spawned("-c", script, *arguments, command=[sys.executable])
    loaded = set(ended.err.split())
    assert "rules" in loaded
    assert not loaded & {"ortools", "pandas", "numpy", "networkx"}


# --- rules --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "slug"),
    [
        ("465.2.c.4", "no_over_assignment"),
        ("467.2.c.4", "no_over_assignment"),
        ("460.2.c.4", "no_over_assignment"),
        ("443.1.d.4", "no_over_assignment"),
        ("439.1.d.4", "no_over_assignment"),
        ("460.2.c.6", "same_priority_any_order"),
        ("443.1.d.6", "same_priority_any_order"),
        ("465.2.c.7", "same_priority_any_order"),
        ("815.1.b", "tank_first"),
        ("no_over_assignment", "no_over_assignment"),
        ("(465.2.c.4)", "no_over_assignment"),
    ],
)
def test_a_rule_is_found_by_any_number(asked: str, slug: str, lethal: Lethal) -> None:
    ended = lethal("rule", asked)
    assert (ended.status, ended.err) == (0, "")
    assert slug in ended.out
    assert lethal.json("rule", asked)["rule"] == slug


def test_every_number_of_every_edition_is_found_and_named(lethal: Lethal) -> None:
    for key, edition in EDITIONS.items():
        for number, slug in edition.slugs.items():
            ended = lethal("rule", number, "--edition", key)
            assert ended.status == 0
            assert slug in ended.out, f"{number} of {key}"


def test_a_number_that_moved_is_shown_with_the_one_in_use(lethal: Lethal) -> None:
    moved = " ".join(lethal("rule", "460.2.c.5").out.split())
    assert "460.2.c.5 is 465.2.c.6 in 465" in moved
    assert "465.2.c.5 is another rule (replacements_apply_to_assignment)" in moved
    assert "465.2.c.6 (467.2.c.6)" in moved
    assert " is " not in lethal("rule", "465.2.c.6").out.splitlines()[0]


def test_a_citation_is_of_the_edition_in_use_and_of_467(lethal: Lethal) -> None:
    assert lethal("rule", "no_over_assignment").out.startswith("465.2.c.4 (467.2.c.4)")
    in_467 = lethal("rule", "no_over_assignment", "--edition", "467").out
    assert in_467.startswith("467.2.c.4 ")
    in_460 = lethal("rule", "no_over_assignment", "--edition", "460").out
    assert in_460.startswith("460.2.c.4 (467.2.c.4)")
    assert "467.2.c.10?" in lethal("rule", "465.2.c.10").out, "an inferred number is marked"
    unrecorded = lethal("rule", "golden_rule", "--edition", "443").out
    assert "002" in unrecorded
    assert "465" in unrecorded


def test_an_ambiguous_number_is_the_one_in_use_else_the_newest(lethal: Lethal) -> None:
    in_use = lethal("rule", "462")
    assert in_use.status == 0
    assert "462 (464?)  combat_two_players" in in_use.out
    assert "In edition 467, 462? is combat_occurs" in " ".join(in_use.out.split())
    newest = lethal("rule", "462", "--edition", "443")
    assert newest.status == 0
    assert "combat_occurs" in newest.out.partition("combat_two_players")[2], "it is what is shown"
    assert "In edition 465, 462 is combat_two_players" in " ".join(newest.out.split())
    assert lethal.json("rule", "462", "--edition", "467")["rule"] == "combat_occurs"


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("465.2.c.44", "465.2.c.4"),
        ("465.2.c.11", "465.2.c.1"),
        ("465.9", "465."),
        ("999.9", " "),
        ("1", " "),
        ("7.3.1.b", " "),
    ],
)
def test_an_unknown_number_gets_the_nearest_ones(asked: str, near: str, lethal: Lethal) -> None:
    ended = lethal("rule", asked)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert near in ended.err.partition("nearest")[2]


def test_an_inferred_number_is_marked_wherever_it_stands(lethal: Lethal) -> None:
    assert "nearest are 467.2.c.5?," in lethal("rule", "467.2.c.55").err
    assert lethal("rule", "467.2.c.5").out.startswith("467.2.c.5? is 465.2.c.5 in 465.")
    printed = {e.number(slug) for e in EDITIONS.values() for slug in e.slugs.values()}
    for asked in EDITIONS["467"].slugs:
        said = re.findall(r"\b\d{3}(?:\.\w+)+\??", lethal("rule", asked).out)
        assert set(said) <= printed, "each as some edition prints it"


@pytest.mark.parametrize("asked", ["460.2.c.5", "462", "467.2.c.5", "tank_first", "golden_rule"])
@pytest.mark.parametrize("key", EDITIONS)
def test_a_rule_in_json_has_what_the_text_has(asked: str, key: str, lethal: Lethal) -> None:
    told = " ".join(lethal("rule", asked, "--edition", key).out.split())
    data = lethal.json("rule", asked, "--edition", key)
    assert data["edition"] == key
    assert data["number"] == EDITIONS[key].number(data["rule"])
    assert data["inferred"] == (data["number"] or "").endswith("?")
    assert (data["moved"] or data["rule"]) in told
    for other, meaning in data["elsewhere"].items():
        assert f"In edition {other}, {meaning['number']} is {meaning['rule']}" in told
    assert told.count("In edition") == len(data["elsewhere"])
    assert " ".join(data["explanation"].split()) in told
    assert (f"Class: {data['file']}, {data['class']} Tests: {data['tests']}" in told) == bool(
        data["class"]
    )


def test_the_class_and_the_tests_of_a_rule_are_where_it_says(lethal: Lethal) -> None:
    ran = set()
    for rule in RULES:
        data = lethal.json("rule", rule.slug)
        text = (Path(__file__).parent.parent / data["file"]).read_text(encoding="utf-8")
        assert f"class {data['class']}(" in text
        ran.add(data["tests"])
    assert ran == {f"python -m pytest -k {rule.number()}" for rule in RULES}


@pytest.mark.parametrize("asked", ["460.2.c.5", "465.2.c.5", "443.1.d.6", "467.2.c.4", "462",
                                   "no_over_assignment", "golden_rule"])  # fmt: skip
@pytest.mark.parametrize("command", ["rule", "rules"])
def test_what_is_said_of_a_rule_fits_80_columns(command: str, asked: str, lethal: Lethal) -> None:
    lines = lethal(command, asked).out.splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 80


def test_a_rule_that_the_edition_lacks_is_not_listed(lethal: Lethal) -> None:
    ended = lethal("rules", "backline_last", "--edition", "443")
    assert (ended.status, ended.out) == (1, "")
    assert "edition 443 has no such rule" in ended.err


@pytest.mark.parametrize("command", ["readings", "editions"])
def test_readings_and_editions_fit_80_columns(command: str, lethal: Lethal) -> None:
    lines = lethal(command, "--reading", "excess=raw").out.splitlines()
    assert max(map(len, lines)) <= 80


def test_the_reading_chosen_is_named_among_the_others(lethal: Lethal) -> None:
    assert "Chosen: raw." in lethal("readings", "--reading", "excess=raw").out
    assert "Chosen" not in lethal("readings").out
    lines = lethal("readings", "--reading", "excess=raw", "--json").out.splitlines()
    chosen = {one["reading"]: one["chosen"] for one in map(json.loads, lines)}
    assert chosen == {**{name: values[0] for name, values in SWITCHES.items()}, "excess": "raw"}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("foo", "there is no rule foo; a rule is asked for by its number"),
        ("tank", "ids with that word are tank_first,"),
        ("tank_frist", 'did you mean "tank_first"?'),
        ("9999", "no edition has a rule 9999; nearest are "),
    ],
)
@pytest.mark.parametrize("command", ["rule", "rules"])
def test_what_is_no_rule_gets_a_hint(command: str, asked: str, said: str, lethal: Lethal) -> None:
    ended = lethal(command, asked)
    assert (ended.status, ended.out) == (2, "")
    assert said in ended.err


def test_rules_are_listed_by_edition_and_kind(lethal: Lethal) -> None:
    every = [json.loads(line) for line in lethal("rules", "--json").out.splitlines()]
    assert len(every) == len({one["rule"] for one in every}) > 100
    kinds = {one["kind"] for one in every}
    for kind in kinds:
        some = lethal("rules", "--kind", kind, "--json").out.splitlines()
        assert [json.loads(line)["rule"] for line in some] == [
            one["rule"] for one in every if one["kind"] == kind
        ]
    older = lethal("rules", "--edition", "443", "--json").out
    assert "replacements_apply_to_assignment" not in older
    assert max(map(len, lethal("rules").out.splitlines())) <= 80
