"""The laboratory: its claims against brute force, its symbolic rules against the concrete ones."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import oracle
import pytest
from boards import EDITIONS, READINGS
from command_line import Lethal
from msgspec.structs import replace
from ortools.sat.python import cp_model

import solver
from rules import BadRequest, parse
from rules.board import Assigner, Board, Unit
from rules.editions import TABLE, edition
from rules.notation import write
from rules.position import Position
from rules.readings import Readings
from rules.rulebook import FORBIDDING, violations
from rules.wire import plain
from solver.cpsat import run
from solver.encoding import Model
from solver.lab import laboratory
from solver.lab import report as lab_report
from solver.lab.bounds import Bounds, assigners, features, kinds
from solver.lab.laboratory import (
    EMPTY,
    Specimen,
    breaking,
    deciding,
    difference,
    independence,
    structure,
    verdict,
)
from solver.lab.possible import _boards, _parts, is_possible
from solver.lab.symbolic import SymbolicBoard, SymbolicTerms

TINY = Bounds(units=2, might=2, marked=1, replacements=1, prevent=1, pool=3)
SMALL = Bounds(units=3, might=3, marked=2, replacements=2, prevent=2, pool=6)
CONSTRAINTS = (
    "assign_total",
    "lethal_in_full_before_next",
    "no_over_assignment",
    "tank_first",
    "backline_last",
    "undamageable_exempt",
)
Size = tuple[int, int, int, int, str]


def settings(edition: str = "465", **readings: Any) -> Board:
    return Board(pool=0, units=(), edition=edition, readings=Readings(**readings))


# --- brute force --------------------------------------------------------------------------------


def size(board: Board) -> Size:
    """Return what the smallest board is smallest in."""
    marks = len(board.assigner.ignores) + board.assigner.any_damage_is_lethal
    might = sum(abs(unit.might) for unit in board.units)
    return (
        len(board.units),
        marks + sum(map(marks_on, board.units)),
        might,
        board.pool,
        write(board),
    )


def marks_on(unit: Unit) -> int:
    flags = unit.tank + unit.backline + unit.undamageable
    return flags + len(unit.replacements) + (unit.marked > 0)


def smaller_boards(most: Size, ground: Board) -> Iterator[Board]:
    """Yield all boards within the tiny bounds up to a size, the smallest first."""
    options = [
        Assigner(ignores=ignores, any_damage_is_lethal=anyhow)
        for ignores in ((), ("tank",), ("backline",), ("tank", "backline"))
        for anyhow in (False, True)
    ]
    units = [
        Unit(might=m, marked=d, tank=t, backline=b, undamageable=u, replacements=r)
        for m in (1, 2)
        for d in (0, 1)
        for t, b, u in itertools.product((False, True), repeat=3)
        for r in ((), ("double",), ("prevent 1",), ("prevent all",))
    ]
    boards = [
        replace(ground, pool=pool, units=group, assigner=option)
        for n in range(1, most[0] + 1)
        for group in itertools.product(
            [unit for unit in units if n < most[0] or marks_on(unit) <= most[1]], repeat=n
        )
        for option in options
        if size(replace(ground, units=group, assigner=option))[:3] <= most[:3]
        for pool in range(TINY.pool + 1)
    ]
    return iter(sorted((one for one in boards if size(one) <= most), key=size))


def vectors(board: Board) -> Iterator[tuple[int, ...]]:
    return itertools.product(range(TINY.points + 1), repeat=len(board.units))


def is_broken_alone(slug: str, board: Board, vector: tuple[int, ...]) -> bool:
    """Tell by the oracle whether an illegal vector is legal but for one rule."""
    data = plain(board)
    right_sum = sum(vector) == oracle.required_total(data)
    if oracle.is_legal(data, vector):
        return False
    if all(oracle.is_exempt(data, unit) for unit in data["units"]):
        return slug == "assign_total"
    needs = oracle.need(data)
    conditions = {
        "assign_total": lambda view: right_sum,
        "lethal_in_full_before_next": oracle.one_partial_at_most,
        "no_over_assignment": oracle.no_over_assignment,
        "tank_first": oracle.tank_first,
        "backline_last": oracle.backline_last,
        "undamageable_exempt": lambda view: oracle.exempt_units_respected(view, "skip"),
    }
    del conditions[slug]
    return any(
        all(holds(oracle.View(vector, needs, tier)) for holds in conditions.values())
        for tier in oracle.tier_choices(data)
    )


@pytest.mark.parametrize("slug", CONSTRAINTS)
def test_no_smaller_board_breaks_a_rule_alone(slug: str) -> None:
    found = breaking([slug], TINY).specimen
    assert found is not None
    first = next(
        (board, vector)
        for board in smaller_boards(size(found.board), EMPTY)
        for vector in vectors(board)
        if is_broken_alone(slug, board, vector)
    )
    assert first == (found.board, found.assignment)


WAYS = [
    (settings("460"), settings("465")),
    (settings("443"), settings("460")),
    (settings(), settings(undamageable="optional")),
    (settings(), settings(only_undamageable="nothing")),
    (settings(), settings(prevent_all="exempt")),
    (settings(), settings(must_kill="yes")),
    (settings(), settings(already_lethal="one")),
]


@pytest.mark.parametrize(("first", "second"), WAYS)
def test_on_no_smaller_board_do_two_ways_disagree(first: Board, second: Board) -> None:
    (found,) = difference(first, second, TINY).found
    board = replace(found.board, edition=first.edition, readings=first.readings)
    other = plain(second)
    for smaller in smaller_boards(size(board), first):
        data = plain(smaller)
        also = {**data, "edition": other["edition"], "readings": other["readings"]}
        legal = set(oracle.legal(data)) ^ set(oracle.legal(also))
        if legal:
            assert (smaller, min(legal)) == (board, found.assignment)
            return
    pytest.fail("brute force found no disagreement")


POOR = [
    Bounds(units=2, might=2, marked=0, replacements=0, pool=0),
    Bounds(units=2, might=2, marked=0, replacements=0, pool=1),
    Bounds(units=2, might=1, marked=0, replacements=1, prevent=1, pool=0),
]
"""With these a unit is given more than its need only where it is given far more than the pool."""


def every_board(bounds: Bounds) -> list[Board]:
    """Return all boards within bounds, the smallest first."""
    boards = [
        Board(pool=pool, units=group, assigner=option)
        for n in range(1, bounds.units + 1)
        for group in itertools.combinations_with_replacement(kinds(bounds), n)
        for option in assigners(EMPTY)
        for pool in range(bounds.pool + 1)
    ]
    return sorted(boards, key=size)


@pytest.mark.parametrize("bounds", POOR, ids=str)
def test_however_small_the_pool_what_is_broken_together_is_found(bounds: Bounds) -> None:
    first: dict[frozenset[str], tuple[Board, tuple[int, ...]]] = {}
    for board in every_board(bounds):
        for points in itertools.product(range(4), repeat=len(board.units)):
            broken = {one.rule for one in violations(Position(board, points))}
            first.setdefault(frozenset(broken & {*CONSTRAINTS}), (board, points))
    for pair in itertools.combinations_with_replacement(CONSTRAINTS, 2):
        found = breaking(list(dict.fromkeys(pair)), bounds).specimen
        assert (found and found[:2]) == first.get(frozenset(pair)), pair


SHORT = [
    ({"pool": 0, "marked": 0}, "0 into 1 1", (0, 2)),
    ({"pool": 0}, "0 into 1 1", (0, 2)),
    ({"pool": 1, "least_might": 2}, "0 into 2 2", (0, 3)),
]


@pytest.mark.parametrize(("given", "board", "points"), SHORT)
def test_a_unit_can_be_given_more_than_its_need_out_of_any_pool(
    given: dict[str, int], board: str, points: tuple[int, ...]
) -> None:
    found = breaking(["assign_total", "no_over_assignment"], Bounds(**given)).specimen
    assert specimen(found)[:2] == (board, points)


def test_what_is_broken_only_with_the_pool_is_implied_and_not_silent(lethal: Lethal) -> None:
    poor = ("--pool", "0", "--marked", "0")
    ended = lethal("lab", "witness", "no_over_assignment", *poor)
    assert "whoever breaks it breaks 465.2.c" in ended.flat
    told = lethal.json("lab", "always-possible", *poor, "--units", "2", "--replacements", "0")
    assert "no_over_assignment" not in [one["rule"] for one in told["dead"]]


# --- the symbolic rules -------------------------------------------------------------------------


def random_board(rng: random.Random) -> tuple[Board, tuple[int, ...]]:
    """Return a board within the small bounds and an assignment on it, often nearly legal."""
    units = tuple(rng.choice(kinds(SMALL)) for _ in range(rng.randint(1, SMALL.units)))
    readings = {k: rng.choice(v) for k, v in READINGS.items() if rng.random() < 0.4}
    ground = settings(rng.choice(EDITIONS), **readings)
    board = replace(
        ground,
        units=units,
        pool=rng.randint(0, SMALL.pool),
        assigner=rng.choice(assigners(ground)),
    )
    points = list(rng.choice(list(solver.legal(board))))
    if rng.random() < 0.8:
        points[rng.randrange(len(points))] = rng.randint(0, board.pool + 1)
    return board, tuple(points)


def test_with_everything_fixed_a_rule_holds_where_it_does_on_a_given_board(many: int) -> None:
    rng = random.Random(61)
    for _ in range(many // 30):
        board, points = random_board(rng)
        cp = cp_model.CpModel()
        on = SymbolicBoard(cp, SMALL, board)
        terms = SymbolicTerms(on, board)
        on.fix(board, points)
        symbolic = run(cp, presolve=False)
        assert symbolic is not None, board
        assert on.read(symbolic) == (board, points)
        model = Model(board, guarded=True)
        for raw, amount in zip(model.raw, points, strict=True):
            model.cp.add(raw == amount)
        concrete = run(model.cp)
        assert concrete is not None
        for slug, holds in terms.holds.items():
            expected = concrete.boolean_value(model.holds[slug])
            assert symbolic.boolean_value(holds) == expected, (board, points, slug)


def test_the_order_of_kinds_is_that_of_the_notation_of_boards(many: int) -> None:
    rng = random.Random(62)
    place = {unit: i for i, unit in enumerate(kinds(SMALL))}
    for _ in range(many):
        first, second = ([rng.choice(kinds(SMALL)) for _ in range(3)] for _ in range(2))
        if rng.random() < 0.5:
            second[0] = first[0]
        texts = [write(Board(pool=3, units=tuple(units))) for units in (first, second)]
        places = [[place[unit] for unit in units] for units in (first, second)]
        assert (texts[0] < texts[1]) == (places[0] < places[1])


# --- what rules decide --------------------------------------------------------------------------


def specimen(found: Specimen | None) -> tuple[str, tuple[int, ...], tuple[str, ...]]:
    assert found is not None
    return str(found.board), found.assignment, found.broken


@pytest.mark.parametrize("key", EDITIONS)
def test_in_every_edition_each_constraint_is_broken_alone_by_its_witness(key: str) -> None:
    ground = settings(key)
    for found in independence(TINY, ground):
        if found.specimen is not None:
            verdict_there = solver.check(found.specimen.board, found.specimen.assignment)
            broken = {violation.rule for violation in verdict_there.violations}
            assert broken & {*deciding(ground)} == {*found.rules}
    independent = [f.rules[0] for f in independence(TINY, ground) if verdict(f) == "independent"]
    last = "backline_last" if key in ("460", "465", "467") else "obey_requirements"
    assert {*independent} == {*CONSTRAINTS} - {"backline_last"} | {last}


def test_what_is_implied_names_what_implies_it_and_nothing_can_be_left_out() -> None:
    found = {one.rules[0]: one for one in independence(replace(TINY, units=3))}
    assert found["tank_multiple"].others == ("tank_first",)
    assert found["backline_multiple"].others == ("backline_last",)
    assert found["min_applied_when_increased"].others == ("no_over_assignment",)
    assert found["obey_requirements"].others == ()
    assert verdict(found["same_priority_any_order"]) == "never decisive"


@pytest.mark.parametrize(
    "ground",
    [
        *map(settings, EDITIONS),
        settings(undamageable="optional"),
        settings(leftover="last_unit"),
        settings(must_kill="yes"),
    ],
    ids=lambda ground: f"{ground.edition} {ground.readings.changed()}",
)
def test_a_rule_says_of_itself_from_what_it_is_proved_to_follow(ground: Board) -> None:
    for rule in FORBIDDING[ground.edition]:
        if rule.implied_by:
            proved = breaking([rule.slug], replace(TINY, units=3), ground).others
            assert proved == rule.follows_from(edition(ground.edition)), rule


def test_two_rules_are_broken_together_on_the_smallest_board_there_is() -> None:
    found = breaking(["tank_first", "backline_last"], SMALL)
    assert specimen(found.specimen) == ("1 into 1B 1T", (1, 0), ("tank_first", "backline_last"))
    found = breaking(["lethal_in_full_before_next", "no_over_assignment"], SMALL)
    assert specimen(found.specimen)[:2] == ("4 into 1 2 2", (2, 1, 1))


def test_whoever_breaks_two_rules_that_do_not_go_alone_breaks_a_third() -> None:
    found = breaking(["tank_multiple", "backline_last"], SMALL)
    assert found.specimen is None
    assert found.others == ("tank_first",)


def test_a_negative_might_is_used_only_where_it_is_asked_for() -> None:
    found = breaking(["tank_first"], Bounds(units=2, least_might=-1, might=2)).specimen
    assert specimen(found)[0] == "1 into 0 0T"


def test_a_rule_that_the_edition_lacks_is_refused() -> None:
    with pytest.raises(BadRequest, match="443 has no rule backline_last"):
        breaking(["backline_last"], TINY, settings("443"))


# --- disagreements ------------------------------------------------------------------------------


def test_disagreements_come_smallest_first_and_differ_in_structure() -> None:
    found = difference(settings("460"), settings("465"), SMALL, most=4).found
    assert [write(replace(one.board, edition="465")) for one in found[:2]] == [
        "2 into 1 2x2",
        "3 into 1 2x2",
    ]
    sizes = [size(replace(one.board, edition="460"))[:4] for one in found]
    assert sizes == sorted(sizes)
    for one, other in itertools.combinations(found, 2):
        assert (one.forbidden_on.edition, one.broken) != (
            other.forbidden_on.edition,
            other.broken,
        ) or not structure(one.board) <= structure(other.board)


def test_each_disagreement_is_legal_on_one_side_only() -> None:
    for one in difference(settings(), settings(prevent_all="exempt"), TINY, most=3).found:
        assert solver.check(one.board, one.assignment)
        assert not solver.check(one.forbidden_on, one.assignment)


def test_what_never_disagrees_is_proved_not_to() -> None:
    for first, second in (
        (settings("439"), settings("443")),
        (settings("465"), settings("467")),
        (settings(), settings(excess="raw")),
    ):
        found = difference(first, second, SMALL)
        assert found.found == ()
        assert found.complete is True


# --- bounds and limits --------------------------------------------------------------------------

REFUSED = [
    ({"units": 0}, "$.units"),
    ({"might": 1, "least_might": 2}, "$.least_might"),
    ({"pool": 10**6}, "$.pool"),
    ({"replacements": 4, "prevent": 9}, "$"),
]


@pytest.mark.parametrize(("given", "path"), REFUSED)
def test_bounds_that_make_no_sense_are_refused(given: dict[str, int], path: str) -> None:
    with pytest.raises(BadRequest) as refused:
        Bounds(**given)
    assert refused.value.path == path


def test_a_mark_counts_once_however_much_damage_it_is() -> None:
    (unit,) = parse("1 into 4/3TBP2x2!").units
    assert features(unit) == 6


def test_a_limit_reached_is_not_known_and_no_proof(lethal: Lethal) -> None:
    for command in (
        ("witness", "tank_first"),
        ("witness", "tank_multiple"),
        ("diff", "460", "465"),
        ("independence",),
    ):
        ended = lethal("lab", *command, "--time-limit", "0.001")
        assert ended.status == 3
        assert "Proved" not in ended.out
        assert "Not known" in ended.out or "not known" in ended.out


# --- the command line ---------------------------------------------------------------------------

BOUNDED = ("--units", "3", "--might", "3", "--pool", "6")


def test_a_witness_is_told_with_the_rule_it_breaks(lethal: Lethal) -> None:
    ended = lethal("lab", "witness", "815.1.b", *BOUNDED)
    assert ended.status == 0
    assert ended.out.startswith("1 into 1 1T\nIllegal: A 1 of 1 and B 0 of 1.\n  815.1.b ")
    assert "up to 3 units, Might 1 to 3" in ended.flat
    assert "seconds" in ended.err


def test_a_witness_can_be_checked_by_what_reads_its_json(lethal: Lethal) -> None:
    told = lethal.json("lab", "witness", "741.1.b", "--edition", "443", *BOUNDED)
    assert told["status"] == "optimal"
    assert told["bounds"]["units"] == 3
    assert oracle.is_legal(told["board"], told["assignment"]) is False
    assert [one["rule"] for one in told["broken"]] == ["tank_first"]


def test_a_rule_that_cannot_be_broken_alone_ends_with_no(lethal: Lethal) -> None:
    ended = lethal("lab", "witness", "tank_multiple", *BOUNDED)
    assert ended.status == 1
    assert "nothing breaks 815.1.c.2 alone; whoever breaks it breaks 815.1.b" in ended.flat
    ended = lethal("lab", "witness", "same_priority_any_order")
    assert ended.status == 1
    assert ended.out == "465.2.c.7 (467.2.c.7) forbids no assignment: a permission.\n"
    for asked in (("witness", "437.5.a"), ("interact", "437.5.a", "tank_first")):
        ended = lethal("lab", *asked)
        assert ended.status == 1
        assert ended.out == "437.5.a forbids no assignment: says what need is.\n"


def test_the_same_question_has_the_same_answer_byte_for_byte(lethal: Lethal) -> None:
    asked = ("lab", "diff", "460", "465", *BOUNDED, "--json")
    assert lethal(*asked).out == lethal(*asked).out


def test_a_diff_takes_editions_and_readings_and_both(lethal: Lethal) -> None:
    ended = lethal("lab", "diff", "460,must_kill=yes", "465", *BOUNDED)
    assert ended.status == 0
    assert "legal under" in ended.out
    assert lethal("lab", "diff", "465", "467", *BOUNDED).status == 1
    for wrong in (
        "466",
        "must_kill=perhaps",
        "must_kil=yes",
        "465",
        "must_kill=no",
        "",
        "460,",
        "must_kill=yes,must_kill=no",
    ):
        assert lethal("lab", "diff", "465", wrong).status == 2
    ended = lethal("lab", "diff", "460,465", "439")
    assert ended.status == 2
    assert "460,465 has more than one edition" in ended.err


def test_two_rules_are_two(lethal: Lethal) -> None:
    ended = lethal("lab", "interact", "tank_first", "815.1.b")
    assert ended.status == 2
    assert "are one rule" in ended.err


def test_independence_tells_of_every_rule(lethal: Lethal) -> None:
    asked = ("lab", "independence", "--units", "2", "--might", "2")
    lines = lethal(*asked, "--json").out.splitlines()
    assert len(lines) == sum(slug in edition("465") for slug in TABLE)
    told = lethal(*asked).out
    assert f"The {len(lines) - 19} other rules" in told
    assert "independent     1 into 1 1T: 1, 0" in told
    assert "never decisive  a permission" in told


# --- always possible ----------------------------------------------------------------------------

SWEPT = ("--units", "2", "--might", "2", "--pool", "4", "--prevent", "1")


def test_every_board_has_a_legal_assignment_and_all_were_looked_at(lethal: Lethal) -> None:
    told = lethal.json("lab", "always-possible", *SWEPT)
    assert told["complete"] is True
    assert told["impossible"] == []
    assert "obey_requirements" in [one["rule"] for one in told["dead"]]


def test_units_that_are_swept_stand_for_all_there_are(many: int) -> None:
    """The oracle finds as many sets of legal assignments on all boards as on those swept."""
    bounds = Bounds(units=2, might=2, marked=1, replacements=1, prevent=1, pool=3)
    rng = random.Random(63)
    swept = {
        (
            len(board.units),
            board.pool,
            frozenset(map(tuple, map(sorted, oracle.legal(plain(board))))),
        )
        for part in _parts([EMPTY], bounds)
        for board in _boards(bounds, part)
    }
    for _ in range(many // 10):
        group = tuple(rng.choice(kinds(bounds)) for _ in range(rng.randint(0, 2)))
        pool = rng.randint(0, bounds.pool)
        board = Board(pool=pool, units=group, assigner=rng.choice(assigners(EMPTY)))
        legal = frozenset(map(tuple, map(sorted, oracle.legal(plain(board)))))
        assert (len(group), pool, legal) in swept, board


def test_a_board_without_a_legal_assignment_is_found_and_not_hidden(
    lethal: Lethal, monkeypatch: pytest.MonkeyPatch
) -> None:
    possible = is_possible
    monkeypatch.setattr(
        "solver.lab.possible.is_possible", lambda board: board.pool != 3 and possible(board)
    )
    ended = lethal("lab", "always-possible", *SWEPT, "--units", "1", "--workers", "1")
    assert ended.status == 1
    assert "No legal assignment: 3 into" in ended.out
    assert "Proved: all" not in ended.out


def test_a_sweep_goes_on_from_where_it_was_stopped(lethal: Lethal, tmp_path: Path) -> None:
    state = tmp_path / "state"
    asked = ("lab", "always-possible", *SWEPT, "--workers", "1", "--state", str(state))
    whole = lethal.json(*asked)
    lines = state.read_text().splitlines(keepends=True)
    state.write_text("".join(lines[:5]) + lines[5][:3])
    assert lethal.json(*asked) == whole
    assert state.read_text() == "".join(lines)
    ended = lethal(*asked, "--pool", "5")
    assert ended.status == 2
    assert "the state of another run" in ended.err


@pytest.mark.parametrize(
    "line", ['[0,"x"]', "[99999,[1,[]]]", "[-1,[1,[]]]", "[0,[0,[]]]", "[0,[5,[1]]]", "[0]", "0"]
)
def test_a_line_of_a_state_that_no_sweep_wrote_is_refused(
    lethal: Lethal, tmp_path: Path, line: str
) -> None:
    state = tmp_path / "state"
    state.touch()
    asked = ("lab", "always-possible", *SWEPT, "--workers", "1", "--state", str(state))
    assert lethal(*asked).status == 0
    header = state.read_text().splitlines()[0]
    state.write_text(f"{header}\n{line}\n")
    ended = lethal(*asked)
    assert ended.status == 2
    assert "is no state of a run" in ended.err


def test_a_sweep_that_is_stopped_by_its_limit_proves_nothing(lethal: Lethal) -> None:
    ended = lethal("lab", "always-possible", "--time-limit", "0.001", "--workers", "1")
    assert ended.status == 3
    assert "Proved" not in ended.out


def test_all_cores_find_what_one_finds(lethal: Lethal) -> None:
    asked = ("lab", "always-possible", *SWEPT, "--every-reading", "--units", "1", "--json")
    assert lethal(*asked, "--workers", "2").out == lethal(*asked, "--workers", "1").out


# --- the report ---------------------------------------------------------------------------------


def test_the_report_says_beside_each_claim_on_what_it_rests(
    lethal: Lethal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [
        lab_report._decides("tank_first", EMPTY),
        lab_report._decides("same_priority_any_order", EMPTY),
        lab_report._together("tank_first", "tank_multiple"),
        lab_report._differs(settings(), settings(leftover="one_unit")),
        lab_report._possible("one unit", (EMPTY,), replace(TINY, units=1)),
    ]
    sections = [lab_report.Section("Some", "Some claims.", claims)]
    monkeypatch.setattr(lab_report, "_sections", lambda time_limit: iter(sections))
    ended = lethal("lab", "report", str(tmp_path / "new"))
    assert ended.status == 0
    written = [Path(line) for line in ended.out.split()]
    text, data = (path.read_text(encoding="utf-8") for path in written)
    assert f"Bounds A: {Bounds()}." in text
    assert "| 815.1.b tank_first | independent: 1 into 1 1T: 1, 0 | optimal | Bounds A |" in text
    told = json.loads(data)
    assert [one["status"] for one in told] == [
        "optimal",
        "infeasible",
        "optimal",
        "infeasible",
        "swept",
    ]
    assert all(one["seconds"] >= 0 and one["bounds"]["units"] for one in told)


def test_a_report_that_a_limit_cuts_short_says_so(
    lethal: Lethal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab_report, "EDITIONS", {})
    monkeypatch.setattr(lab_report, "FORBIDDING", {EMPTY.edition: ()})
    monkeypatch.setattr(laboratory, "alternatives", lambda: iter(()))
    ended = lethal("lab", "report", str(tmp_path), "--time-limit", "0.001")
    assert ended.status == 3
    text, data = (Path(line).read_text(encoding="utf-8") for line in ended.out.split())
    assert {one["status"] for one in json.loads(data)} == {"unknown"}
    assert "Unknown: a limit came first." in text
