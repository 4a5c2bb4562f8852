"""The questions with right answers, and the examination of other engines by them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import oracle
import pytest
import simulator
from command_line import Lethal
from conftest import BOARDS as QUICK
from test_readme import TEXT

from rules import parse
from rules.board import Board, Combat
from rules.position import Position
from rules.readings import SWITCHES
from rules.rulebook import DECIDING, RULES, violations
from solver.kit import vectors
from solver.kit.conform import Examination, Request, _smaller, is_right, is_small, question_of, told
from solver.kit.diagnosis import diagnose
from solver.kit.dialogue import Engine
from solver.kit.mistakes import COMBAT_MISTAKES, MISTAKES, broken_rules, combat_facts, right, splits
from solver.kit.vectors import Row
from solver.outcomes import CombatAnswer

Json = dict[str, Any]
ENGINES = Path(__file__).parent / "engines"
ROWS = vectors.shipped()
BOARDS = [row for row in ROWS if row.request["op"] != "combat"]
LISTED = [row for row in ROWS if "assignments" in row.expect]
ALONE = [row for row in ROWS if row.id.startswith("alone-")]
PAIRS = [row for row in ROWS if row.id.startswith("pair-")]
COMBATS = [row for row in ROWS if row.request["op"] == "combat"]
SMALL = [row for row in ROWS if is_small(row)]


# --- the questions --------------------------------------------------------------------------------


@pytest.mark.long
def test_the_questions_in_the_package_are_those_of_this_version(many: int) -> None:
    """In a long run also those that the laboratory finds are worked out once more."""
    rows = vectors.rows() if many > QUICK else vectors.reseeded(vectors.SEED)
    made = b"".join(vectors.as_line(row) + b"\n" for row in rows)
    assert made == Path(vectors.__file__).with_name("vectors.jsonl").read_bytes()


def test_another_seed_means_other_random_questions_and_the_same_seed_the_same() -> None:
    some = [vectors.as_line(row) for row in vectors.random_rows(1, 12)]
    assert some == [vectors.as_line(row) for row in vectors.random_rows(1, 12)]
    others = vectors.random_rows(2, 12)
    assert [told(row) for row in others] != [told(row) for row in vectors.random_rows(1, 12)]


def test_a_few_hundred_questions_each_with_a_name_of_its_own() -> None:
    assert 300 <= len({row.id for row in ROWS}) == len(ROWS) <= 500
    assert {row.version for row in ROWS} == {vectors.VERSION}


@pytest.mark.parametrize("row", LISTED, ids=lambda row: row.id)
def test_the_right_answers_to_a_board_are_those_of_the_oracle(row: Row) -> None:
    expect, board = row.expect, row.request
    assert expect["need"] == oracle.need(board)
    assert [tuple(vector) for vector in expect["assignments"]] == oracle.legal(board)
    assert expect["count"] == len(expect["assignments"])
    assert not any(oracle.is_legal(board, one["assignment"]) for one in expect["illegal"])


@pytest.mark.parametrize("row", COMBATS, ids=lambda row: row.id)
def test_the_right_answers_to_a_combat_are_those_of_the_simulator(row: Row) -> None:
    expect, combat = row.expect, row.request
    facts = ("dead", "recalled", "result", "control", "conquer", "restaged", "ways")
    played = {(*outcome, ways) for outcome, ways in simulator.outcomes(combat).items()}
    assert expect["pools"] == simulator.pools(combat)
    assert {
        tuple(tuple(v) if isinstance(v, list) else v for v in (way[fact] for fact in facts))
        for way in expect["outcomes"]
    } == played
    if expect.get("outcome"):
        end = simulator.play(combat, combat["attacker_assigns"], combat["defender_assigns"])
        assert expect["outcome"].items() <= json.loads(json.dumps(end)).items()


@pytest.mark.parametrize("row", ALONE + PAIRS, ids=lambda row: row.id)
def test_just_these_rules_are_broken_on_the_boards_that_break_one_or_two(row: Row) -> None:
    wanted = set(row.id.split("-")[1:])
    board = question_of(row)
    assert isinstance(board, Board)
    position = Position(board, tuple(row.expect["illegal"][0]["assignment"]))
    broken = {violation.rule for violation in violations(position)}
    deciding = {rule.slug for rule in DECIDING[board.edition]}
    assert wanted <= broken
    assert broken & deciding == wanted & deciding
    assert wanted <= set(row.rules)


def test_every_rule_that_decides_has_a_board_of_its_own_and_every_two_that_can_a_pair() -> None:
    forbidding = {rule.slug for rule in RULES if rule.kind == "constraint"}
    assert {row.id.partition("-")[2] for row in ALONE} == forbidding
    either = {"backline_last", "obey_requirements"}
    pairs = {frozenset(row.id.split("-")[1:]) for row in PAIRS}
    assert pairs >= {frozenset(two) for two in combinations(forbidding, 2)} - {frozenset(either)}


def test_editions_and_readings_that_disagree_are_asked_where_they_do() -> None:
    differing = [row for row in ROWS if row.id.startswith("differ-")]
    settings = {tuple(row.request.get("readings", {}).items()) for row in differing}
    every = {((switch, v),) for switch, (_, *others) in SWITCHES.items() for v in others}
    assert settings == {(), *every} - {(("excess", "raw"),)}
    assert {row.request.get("edition") for row in differing} == {None, "443", "460"}


def test_every_rule_that_can_be_tested_is_tested_by_small_questions_again_and_again() -> None:
    times = Counter(rule for row in SMALL for rule in row.rules)
    assert min(times.values()) >= 5
    assert {rule.slug for rule in RULES} - times.keys() == {"order_influence"}
    assert times.keys() >= {mistake.rule for mistake in (*MISTAKES, *COMBAT_MISTAKES)}


def test_every_field_of_a_board_is_used() -> None:
    units = [unit for row in BOARDS for unit in row.request["units"]]
    assert {field for unit in units for field in unit} == {
        "name", "might", "marked", "tank", "backline", "replacements", "undamageable", "assault",
        "shield", "stunned", "no_combat_damage",
    }  # fmt: skip
    assert any(unit["might"] == -2 for unit in units)
    assert any(unit["might"] < -2 for unit in units)
    assert any(unit.get("marked", 0) >= max(1, unit["might"]) for unit in units)
    assert any("double" in unit.get("replacements", ())[1:] for unit in units)
    assert any(unit.get("replacements", ())[:2] == ["double", "prevent 1"] for unit in units)
    assert any(unit.get("replacements", ())[:2] == ["prevent 1", "double"] for unit in units)
    assert {row.request.get("units_are") for row in BOARDS} == {None, "attackers"}
    assert {row.request.get("edition") for row in BOARDS} == {None, "439", "443", "460", "467"}
    assigners = [row.request["assigner"] for row in BOARDS if "assigner" in row.request]
    assert {tuple(assigner["ignores"]) for assigner in assigners} >= {
        ("tank",), ("backline",), ("tank", "backline"),
    }  # fmt: skip
    assert any(assigner["any_damage_is_lethal"] for assigner in assigners)


def test_two_dual_units_stand_beside_a_plain_and_a_backline_unit() -> None:
    assert "5 into 2TB 2TB 2 2B" in [told(row) for row in BOARDS]


def test_every_mistake_about_boards_changes_an_answer() -> None:
    boards = [question for row in LISTED if isinstance(question := question_of(row), Board)]
    for mistake in MISTAKES:
        changed = (mistake.rule in row.rules for row in LISTED)
        assert any(changed), mistake.name
        assert any(mistake.answer(board) != right(board) for board in boards), mistake.name


def test_every_mistake_is_caught_by_three_questions_and_every_reading_tested_by_five() -> None:
    caught, tested = Counter[str](), Counter[str]()
    for row in SMALL:
        question = question_of(row)
        catalogue = MISTAKES if isinstance(question, Board) else COMBAT_MISTAKES
        if isinstance(question, Board) and row not in LISTED:
            continue
        truth = right(question) if isinstance(question, Board) else truly(question)
        wrong = [
            mistake.name
            for mistake in catalogue
            if mistake.rule in row.rules and mistake.answer(question) != truth  # type: ignore[arg-type]
        ]
        caught.update(wrong)
        if wrong:
            tested.update(question.readings.changed().items())
    assert all(caught[m.name] >= 3 for m in (*MISTAKES, *COMBAT_MISTAKES)), caught
    assert all(
        tested[switch, value] >= 5 for switch, (_, *others) in SWITCHES.items() for value in others
    ), tested


def truly(combat: Combat) -> Json:
    return combat_facts(CombatAnswer(combat))


def test_splits_are_all_vectors_of_a_sum() -> None:
    assert list(splits(2, 2)) == [(0, 2), (1, 1), (2, 0)]
    assert list(splits(0, 0)) == [()]
    assert list(broken_rules(parse("2 into 2 2"))) == list(splits(2, 2))  # type: ignore[arg-type]


# --- right and wrong engines ----------------------------------------------------------------------


def command(*arguments: str, script: str = "engine.py") -> list[str]:
    return [sys.executable, str(ENGINES / script), *arguments]


def examined(*arguments: str, script: str = "engine.py", timeout: float = 20) -> Examination:
    with Engine(command(*arguments, script=script), timeout) as engine:
        examination = Examination(engine)
        for row in SMALL:
            examination.examine(row)
    return examination


def test_the_right_engine_passes_everything() -> None:
    examination = examined()
    assert examination.number("passed") == len(SMALL)
    assert examination.engine.starts == 1


WRONG = {
    "prevented-exempt": "prevent_all_never_lethal",
    "dual-always-tank": "exclusionary_choose_one",
    "dual-always-backline": "exclusionary_choose_one",
    "must-kill": "lethal_in_full_before_next",
    "excess-in-one-pile": "no_over_assignment",
    "excess-dropped": "assign_total",
    "two-partials": "lethal_in_full_before_next",
    "over-assignment": "no_over_assignment",
    "marked-ignored": "might_kill_check",
    "negative-rounded-up": "might_negative_real_value",
    "zero-needs-nothing": "lethal_nonzero_ge_might",
    "double-ignored": "min_applied_when_increased",
    "double-ignored-beside-prevent": "replacements_apply_to_assignment",
    "prevent-ignored": "prevent_lethal_includes_value",
    "replacements-reversed": "replacements_apply_to_assignment",
    "assault-left-out": "assault_bonus",
    "shield-left-out": "shield_bonus",
    "any-damage-ignored": "lethal_value_alterable",
    "tank-ignored": "tank_first",
    "tank-absorbs": "tank_lethal_first_still",
    "one-tank-is-enough": "tank_multiple",
    "backline-ignored": "backline_last",
    "backline-in-order": "backline_multiple",
    "undamageable-takes-points": "undamageable_exempt",
    "undamageable-blocks": "undamageable_exempt",
    "ignoring-ignored": "ignore_effects",
    "both-ignore": "ignore_scope",
    "units-in-order": "same_priority_any_order",
    "pool-unspent": "assign_total",
    "recall-is-loss": "result_none",
    "control-never-changes": "establish_control",
    "attackers-first": "deal_simultaneously",
    "per-attacker": "sum_attackers",
    "negative-subtracts": "might_negative_as_zero",
    "stunned-contributes": "stun_no_contribution",
    "scored-again": "score_once_per_turn",
    "always-conquers": "conquer_on_control",
    "double-rounds-down": "min_applied_when_increased",
    "keywords-count-once": "assault_bonus",
    "excess-raw": "no_over_assignment",
    "dealt-as-assigned": "deal_assigned",
    "dealt-twice": "replacement_once_per_event",
}
"""For each wrong engine the rule that must be named first."""


@pytest.mark.parametrize(("mistake", "rule"), WRONG.items())
def test_a_wrong_engine_fails_and_its_rule_is_named(mistake: str, rule: str) -> None:
    examination = examined(mistake)
    assert examination.number("failed")
    assert diagnose(examination.results).suspects[0].rule == rule


@pytest.mark.parametrize("mistake", ["double-rounds-down", "keywords-count-once"])
def test_a_mistake_that_explains_little_is_not_stated(mistake: str) -> None:
    diagnosis = diagnose(examined(mistake).results)
    (suspect,) = diagnosis.suspects
    assert suspect.mistake is None
    assert suspect.rule == WRONG[mistake]
    assert diagnosis.unexplained == diagnosis.failed >= suspect.rows


def test_numbers_of_rules_are_no_ids_and_say_nothing_against_a_rule() -> None:
    diagnosis = diagnose(examined("numbers", script="unruly.py").results)
    assert diagnosis.suspects == ()
    assert diagnosis.foreign == ["465.2.c.3"]


@pytest.mark.parametrize("given", [{"need": [True]}, {"need": ["1"]}, {"need": 1}, {}])
def test_what_only_looks_like_a_number_is_wrong(given: Json) -> None:
    request = Request("need", {}, {"need": [1]})
    assert is_right(request, {"ok": True, "need": [1]})
    assert not is_right(request, {"ok": True, **given})


@pytest.mark.parametrize("ok", [False, 0, None, "yes"])
def test_an_answer_that_is_not_ok_is_wrong_whatever_else_it_says(ok: object) -> None:
    request = Request("need", {}, {"need": [1]})
    assert is_right(request, {"need": [1]})
    assert not is_right(request, {"ok": ok, "need": [1]})


def test_every_mistake_of_the_engine_has_its_rule() -> None:
    listed = subprocess.run(command("--list"), capture_output=True, text=True, check=True)
    assert set(listed.stdout.split()) == WRONG.keys()


# --- engines with bad manners ---------------------------------------------------------------------


@pytest.mark.parametrize("manner", ["chatters", "complains", "raves", "anonymous", "floats"])
def test_what_is_written_beside_the_answers_does_no_harm(manner: str) -> None:
    examination = examined(manner, script="unruly.py")
    assert examination.number("passed") == len(SMALL)
    assert bool(examination.engine.noise) == (manner in ("chatters", "raves"))


def test_an_engine_that_crashes_is_started_anew_and_what_it_said_is_told() -> None:
    examination = examined("crashes", script="unruly.py")
    failed = [result for result in examination.results if result.status == "failed"]
    assert examination.engine.starts == len(failed) + 1 > 5
    assert {f.given for r in failed for f in r.failures} == {"it ended with status 7: boom"}
    assert diagnose(examination.results).suspects == ()
    assert not examination.given_up


def test_an_engine_that_does_not_answer_in_time_is_started_anew() -> None:
    with Engine(command("hangs", script="unruly.py"), 1.5) as engine:
        examination = Examination(engine)
        for row in SMALL[:8]:
            examination.examine(row)
    failed = [result for result in examination.results if result.status == "failed"]
    assert [f.given for r in failed for f in r.failures] == ["no answer within 1.5 s"]
    assert engine.starts == 2


def test_an_engine_that_ends_early_is_started_as_often_as_it_takes() -> None:
    examination = examined("leaves", script="unruly.py")
    assert examination.number("passed") > len(SMALL) // 4
    assert examination.engine.starts > 5


def test_an_engine_that_never_answers_is_given_up() -> None:
    with Engine(command("babbles", script="unruly.py"), 0.3) as engine:
        examination = Examination(engine)
        for row in SMALL[:20]:
            examination.examine(row)
    assert examination.given_up
    assert engine.answered == 0
    (given,) = examination.results[0].failures[0].given.splitlines()  # type: ignore[union-attr]
    assert given == "no answer within 0.3 s; this is none to id 1: no answer at all"


def test_an_op_that_is_never_answered_is_given_up_alone() -> None:
    with Engine(command("mumbles", script="unruly.py"), 0.3) as engine:
        examination = Examination(engine)
        for row in SMALL[:40]:
            examination.examine(row)
    assert examination.ops_given_up == ["count"]
    assert not examination.given_up
    assert engine.starts <= 6
    assert any(request.op == "list" for r in examination.results for request in r.right)


def test_what_an_engine_does_not_support_is_not_held_against_it() -> None:
    examination = examined("lists", script="unruly.py")
    assert examination.number("failed") == 0
    assert examination.number("passed") == sum("assignments" in row.expect for row in SMALL)
    assert examination.unknown == {"need", "count", "check", "combat"}


def test_questions_of_an_edition_that_an_engine_does_not_have_are_unsupported() -> None:
    examination = examined("plays-465-only", script="unruly.py")
    unsupported = [r.row for r in examination.results if r.status == "unsupported"]
    assert examination.number("failed") == 0
    assert unsupported == [row for row in SMALL if row.request.get("edition", "465") != "465"]
    assert examination.refused.keys() == {"unknown_edition"}


def test_an_error_is_no_answer_to_a_sound_request() -> None:
    examination = examined("fails-politely", script="unruly.py")
    assert examination.number("failed") == len(SMALL)
    assert diagnose(examination.results).suspects == ()


# --- the commands ---------------------------------------------------------------------------------


def test_vectors_prints_what_comes_with_the_package_or_a_part_of_it(lethal: Lethal) -> None:
    lines = lethal("vectors").out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [row.id for row in ROWS]
    old = [json.loads(line) for line in lethal("vectors", "--edition", "443").out.splitlines()]
    assert {row["request"]["edition"] for row in old} == {"443"}
    read = lethal("vectors", "--reading", "must_kill=yes").out.splitlines()
    assert {json.loads(line)["request"]["readings"]["must_kill"] for line in read} == {"yes"}


def test_conform_says_that_all_is_right(lethal: Lethal) -> None:
    ended = lethal("conform", "--", *command())
    assert ended.status == 0
    assert ended.flat.endswith(
        f"{len(SMALL)} questions: {len(SMALL)} passed, 0 failed, 0 unsupported."
    )


def test_conform_names_rule_mistake_and_smallest_board(lethal: Lethal) -> None:
    ended = lethal("conform", "--", *command("two-partials"))
    assert ended.status == 1
    assert "Wrong: 465.2.c.3 (467.2.c.3) lethal_in_full_before_next" in ended.flat
    assert "It answers as if several units may be left short." in ended.flat
    assert "alone-lethal_in_full_before_next: 2 into 2 2 " in ended.flat
    assert 'right {"assignments":[[0,2],[2,0]]} given' in ended.flat


def test_conform_blames_no_rule_for_what_is_not_answered(lethal: Lethal) -> None:
    ended = lethal("conform", "--", *command("crashes", script="unruly.py"))
    assert ended.status == 1
    assert "Wrong" not in ended.out
    assert "Without an answer: " in ended.out
    assert "given it ended with status 7: boom" in ended.flat


def test_a_mistake_that_nobody_knows_is_told_with_what_the_failures_have_in_common(
    lethal: Lethal,
) -> None:
    ended = lethal("conform", "--op", "count", "--", *command("miscounts", script="unruly.py"))
    assert ended.status == 1
    assert "Perhaps wrong: " in ended.out
    assert "Known mistakes do not explain it" in ended.flat


def test_conform_tells_programs_the_same(lethal: Lethal) -> None:
    ended = lethal("conform", "--json", "--", *command("tank-ignored"))
    assert ended.status == 1
    assert ended.data["failed"] + ended.data["passed"] == len(SMALL)
    by_rule = {one["rule"]: one for one in ended.data["rules"]}
    smallest = by_rule["tank_first"]["smallest"]
    assert ended.data["suspects"][0]["rule"] == "tank_first"
    assert smallest["question"] == "1 into 1 1T"
    assert smallest["right"] != smallest["given"]


def test_conform_writes_junit(lethal: Lethal, tmp_path: Path) -> None:
    file = tmp_path / "report.xml"
    assert lethal("conform", "--op", "need", "--junit", str(file), "--", *command()).status == 0
    suite = ElementTree.parse(file).getroot()
    assert suite.get("failures") == "0"
    assert suite.get("skipped") == str(len(suite.findall("testcase/skipped")))
    assert len(suite.findall("testcase")) == len(SMALL)
    assert lethal("conform", "--op", "need", "--junit", "/no/such", "--", *command()).status == 2


def test_conform_finds_and_shrinks_with_random_questions(lethal: Lethal) -> None:
    asked = ("conform", "--fuzz", "25", "--seed", "3", "--json", "--")
    assert lethal(*asked, *command()).status == 0
    wrong = lethal(*asked, *command("marked-ignored"))
    assert wrong.status == 1
    by_rule = {one["rule"]: one for one in wrong.data["rules"]}
    assert by_rule["might_kill_check"]["smallest"]["question"] == "0 into 1/1"
    assert lethal(*asked, *command("marked-ignored")) == wrong


def test_a_question_is_made_smaller_by_one_replacement() -> None:
    smaller = {str(question) for question in _smaller(parse("3 into 2x2P1P2 3"))}
    assert smaller >= {"3 into 2P1P2 3", "3 into 2x2P2 3", "3 into 2x2P1 3"}


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["conform"], 2, "the engine is missing"),
        (["conform", "--timeout", "0", "--", "x"], 2, "0"),
        (["conform", "--fuzz", "0", "--", "x"], 2, "0"),
        (["conform", "--op", "lst", "--", "x"], 2, "lst"),
        (["conform", "--", "no-such-engine"], 3, "cannot be run"),
        (["conform", "--", "true"], 3, "never answered: it"),
        (["conform", "--", *command("shrugs", script="unruly.py")], 3, "supports nothing"),
        (["vectors", "--seed", "x"], 2, "x"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    lethal: Lethal, arguments: list[str], status: int, said: str
) -> None:
    ended = lethal(*arguments)
    assert ended.status == status
    assert said in ended.err
    assert ended.err.count("\n") == 1


# --- the adapters of the README -------------------------------------------------------------------


def adapters() -> Iterator[tuple[str, str]]:
    for language in ("python", "javascript"):
        blocks = TEXT.split(f"```{language}\n")[1:]
        yield language, next(b.partition("```")[0] for b in blocks if "unknown_op" in b)


@pytest.mark.parametrize(("language", "text"), list(adapters()))
def test_the_adapter_in_the_readme_is_an_engine_that_counts_need(
    language: str, text: str, tmp_path: Path
) -> None:
    runner = sys.executable if language == "python" else shutil.which("node")
    if runner is None:
        pytest.skip("node is not installed")
    file = tmp_path / ("adapter.py" if language == "python" else "adapter.mjs")
    file.write_text(text, encoding="utf-8")
    with Engine([runner, str(file)], 20) as engine:
        examination = Examination(engine)
        for row in SMALL:
            examination.examine(row)
    assert len(text.splitlines()) <= 12
    assert examination.unknown == {"count", "list", "check", "combat"}
    assert examination.number("passed") > 50
    assert examination.number("failed") > 50
    assert engine.starts == 1
