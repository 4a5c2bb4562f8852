"""Why a demand can or cannot be met: yes exactly where it can, no with reasons that are reasons."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import boards
import oracle
import pytest
from command_line import Lethal

from rules import BadRequest, Board, parse
from rules.board import Assignment
from rules.position import Position, Tier, standing
from rules.rule import Rule
from rules.rulebook import DECIDING
from rules.wire import read_board
from solver.because import sentence
from solver.demands import Demand
from solver.facts import Fact, facts_of
from solver.limits import LimitReached
from solver.reasons import Answer, Reason, _Question, why

Json = dict[str, Any]
HIGHEST_POOL = 6


class Asked(NamedTuple):
    """A random board in the JSON shape, and a demand on it."""

    data: Json
    kill: tuple[str, ...]
    spare: tuple[str, ...]
    give: dict[str, int]

    @property
    def board(self) -> Board:
        return read_board(self.data)

    def is_met_by(self, data: Json, points: tuple[int, ...]) -> bool:
        """Tell whether points on these units are what is demanded, as the oracle sees it."""
        dead = oracle.deaths(data, points)
        given = dict(zip(oracle.names(data), points, strict=True))
        return (
            all(name in dead for name in self.kill)
            and not any(name in dead for name in self.spare)
            and all(given[name] == x for name, x in self.give.items())
        )

    def without_the_obvious(self) -> Asked:
        """Drop deaths and survivals that follow from given points, and would not on bare units."""
        bare = having_only(self.data, [])
        settled = {
            name
            for name, unit, plain in zip(
                oracle.names(self.data), self.data["units"], bare["units"], strict=True
            )
            if name in self.give
            and oracle.dies(self.data, unit, self.give[name]) == (name in self.kill)
            and oracle.dies(bare, plain, self.give[name]) != (name in self.kill)
        }
        kill = tuple(name for name in self.kill if name not in settled)
        spare = tuple(name for name in self.spare if name not in settled)
        return self._replace(kill=kill, spare=spare)

    def answer(self, **options: Any) -> Answer:
        return why(self.board, kill=self.kill, spare=self.spare, give=self.give, **options)


def demands(seed: int, number: int) -> Iterator[Asked]:
    """Yield random boards with random demands on them, many of which cannot be met."""
    rng = random.Random(seed)
    for _ in range(number):
        data = boards.random_board(rng, units=3)
        data["pool"] = min(data["pool"], HIGHEST_POOL)
        wishes: dict[str, list[str]] = {"kill": [], "spare": [], "give": [], "": []}
        for name in oracle.names(data):
            wishes[rng.choice(("kill", "spare", "give", ""))].append(name)
            if rng.random() < 0.05:
                wishes["give"].append(name)
        give = {name: rng.randint(0, data["pool"] + 1) for name in wishes["give"]}
        yield Asked(data, tuple(wishes["kill"]), tuple(wishes["spare"]), give)


def left(asked: Asked, rules: Collection[str], facts: Iterable[Json]) -> bool:
    """Tell by brute force whether these rules alone leave what is demanded, with these facts."""
    data = having_only(asked.data, list(facts))
    board = read_board(data)
    kept = [rule for rule in DECIDING[board.edition] if rule.slug in rules]
    amounts = [*oracle.need(data), *oracle.death(data), *asked.give.values(), board.pool]
    highest = max(x for x in amounts if isinstance(x, int)) + 1
    ranges = [
        (asked.give[name],) if name in asked.give else range(highest + 1) for name in board.names
    ]
    for points in product(*ranges):
        if asked.is_met_by(data, points):
            for tiers in ways_to_take_duals(board):
                position = Position(board, points, tiers)
                if not any(any(rule.violations(position)) for rule in kept):
                    return True
    return False


def ways_to_take_duals(on: Board) -> Iterator[dict[str, Tier]]:
    """Return every choice for the units with Tank and Backline in force [465.2.c.8]."""
    names = [name for name, dual in zip(on.names, standing(on).dual, strict=True) if dual]
    either: tuple[Tier, Tier] = ("tank", "backline")
    for choice in product(either, repeat=len(names)):
        yield dict(zip(names, choice, strict=True))


def having_only(data: Json, facts: list[Json]) -> Json:
    """Return the board with nothing printed on its units but these facts."""
    units = []
    for name, unit in zip(oracle.names(data), oracle.units_of(data), strict=True):
        mine = [fact for fact in facts if fact["unit"] == name]
        kinds = {fact["kind"] for fact in mine}
        steps = [fact["step"] for fact in mine if fact["kind"] == "replacement"]
        units.append(
            {"name": name, "might": unit["might"]}
            | {kind: unit[kind] for kind in kinds - {"replacement"}}
            | {"replacements": [unit["replacements"][step] for step in sorted(steps)]}
        )
    return {**data, "units": units}


def assert_is_irreducible(asked: Asked, reason: Reason) -> None:
    """Assert that the reason forbids what is demanded, and no longer so without any one of it."""
    rules, facts = [cited.rule for cited in reason.rules], as_data(reason.facts)
    given = as_data(reason.given)
    assert not left(asked, rules, [*facts, *given]), asked
    for rule in rules:
        assert left(asked, [r for r in rules if r != rule], [*facts, *given]), (asked, rule)
    for fact in facts:
        assert left(asked, rules, [*(f for f in facts if f != fact), *given]), (asked, fact)


def as_data(facts: Iterable[Fact]) -> list[Json]:
    return [{"unit": f.unit, "kind": f.kind, "step": f.step, "text": f.text} for f in facts]


def test_the_answer_is_yes_exactly_where_an_assignment_meets_the_demand(many: int) -> None:
    yes = 0
    for asked in demands(1, many // 3):
        meeting = [x for x in oracle.legal(asked.data) if asked.is_met_by(asked.data, x)]
        answer = asked.answer()
        assert answer.possible == bool(meeting), asked
        if answer.orders is None:
            assert answer.example == (meeting[0] if meeting else None), asked
        assert answer.example in (meeting or [None]), asked
        yes += answer.possible
    assert 0.1 < yes / (many // 3) < 0.9


def test_every_reason_forbids_the_demand_and_nothing_of_it_can_be_left_out(many: int) -> None:
    reasons = 0
    for asked in demands(2, many // 10):
        answer = asked.answer()
        if answer.possible or answer.contradiction:
            assert answer.reasons == ()
            continue
        assert answer.reasons is not None
        assert_is_irreducible(asked.without_the_obvious(), answer.reasons[0])
        reasons += 1
    assert reasons > many // 30


def test_what_is_printed_on_a_unit_that_dies_anyhow_does_not_keep_it_from_dying() -> None:
    (only,) = why(parse("3 into 2! 1/1x2!"), kill=["A", "B"]).reasons or ()
    assert [str(fact) for fact in only.facts] == ["A cannot be dealt damage"]


def test_all_reasons_are_reasons_and_none_contains_another(many: int) -> None:
    several = 0
    for asked in demands(3, many // 30):
        answer = asked.answer(all_reasons=True)
        if answer.possible or answer.contradiction:
            continue
        assert answer.reasons
        assert answer.complete or len(answer.reasons) == 1
        asked = asked.without_the_obvious()
        sets = [
            {*answer.reasons[i].rules, *answer.reasons[i].facts} for i in range(len(answer.reasons))
        ]
        assert not any(a < b for a in sets for b in sets), asked
        for reason in answer.reasons:
            assert_is_irreducible(asked, reason)
        several += len(answer.reasons) > 1
    assert several


@pytest.mark.parametrize(
    ("text", "kill"),
    [("5 into 4T 6/3", ["B"]), ("3 into 5T 3/2 2", ["B", "C"]), ("3 into 5T 4x2", ["B"])],
)
def test_what_helps_a_unit_to_die_does_not_hide_who_stands_before_it(
    text: str, kill: list[str]
) -> None:
    answer = why(parse(text), kill=kill, all_reasons=True)
    (reason,) = answer.reasons or ()
    assert [cited.rule for cited in reason.rules] == ["assign_total", "tank_first"]
    assert [(fact.unit, fact.text) for fact in reason.facts] == [("A", "Tank")]
    assert {fact.unit for fact in reason.given} == {"B"}
    assert answer.complete
    assert "even if" not in reason.because


def reasons(text: str, **asked: Any) -> list[tuple[set[str], set[str]]]:
    """Return every reason why a demand on a board cannot be met: ids of rules, facts in words."""
    answer = why(parse(text), all_reasons=True, **asked)
    assert not answer.possible
    assert answer.contradiction is None
    assert answer.complete
    assert answer.reasons is not None
    return [({c.rule for c in r.rules}, {str(f) for f in r.facts}) for r in answer.reasons]


def because(text: str, **asked: Any) -> str:
    """Return the sentence of the first reason why a demand cannot be met."""
    answer = why(parse(text), **asked)
    assert answer.reasons, answer
    return answer.reasons[0].because


def test_a_unit_behind_a_tank_that_takes_the_whole_pool_is_out_of_reach() -> None:
    assert reasons("5 into 6T 2", kill=["B"]) == [({"assign_total", "tank_first"}, {"A has Tank"})]
    assert why(parse("8 into 6T 2"), kill=["B"]).example == (6, 2)


def test_a_smaller_unit_need_not_die_of_points_that_would_kill_it() -> None:
    assert why(parse("2 into 4 1"), spare=["B"]).example == (2, 0)
    strict = "2 into 4 1 --reading must_kill=yes"
    assert reasons(strict, spare=["B"])[0][0] >= {"lethal_in_full_before_next"}


def test_one_unit_can_live_only_where_the_rest_takes_the_whole_pool() -> None:
    rules = {"assign_total", "no_over_assignment"}
    for name in "AB":
        assert reasons("8 into 3 4", spare=[name]) == [(rules, set())]
    assert why(parse("6 into 3 4"), spare=["A"]).example == (2, 4)


def test_what_cannot_be_dealt_damage_neither_dies_nor_takes_points() -> None:
    text, fact = "7 into 6! 4 4", {"A cannot be dealt damage"}
    assert why(parse(text), kill=["B"]).example == (0, 4, 3)
    assert reasons(text, kill=["A"]) == [(set(), fact)]
    assert reasons(text, give={"A": 1}) == [({"undamageable_exempt"}, fact)]
    (only,) = why(parse(text), give={"A": 1}).reasons or ()
    assert [cited.rule for cited in only.rules] == ["undamageable_exempt"]
    assert reasons(text, kill=["B", "C"]) == [({"assign_total"}, set())]
    assert ({"assign_total", "undamageable_exempt"}, fact) in reasons(text, spare=["B", "C"])


def test_a_dual_unit_is_never_in_between() -> None:
    neither = {"tank_first", "backline_last"}
    both = [({"lethal_in_full_before_next"}, set()), (neither, set())]
    assert reasons("4 into 3TB 2 2", give=[1, 2, 1]) == both
    assert reasons("4 into 3TB 2 2", give=[2, 2, 0]) == [(neither, set())]
    (reason,) = why(parse("4 into 3TB 2 2"), give=[2, 2, 0]).reasons or ()
    assert [str(fact) for fact in reason.given] == ["A has Tank", "A has Backline"]


def test_a_doubled_unit_takes_no_more_than_is_lethal_in_the_end() -> None:
    rules = {"assign_total", "no_over_assignment"}
    assert reasons("5 into 3x2 3", give={"A": 3}) == [(rules, {"A has double"})]
    assert why(parse("5 into 3 3"), give={"A": 3}).example == (3, 2)


def test_a_tank_behind_prevent_dies_before_anybody_else_does() -> None:
    prevent = "A has prevent 7"
    assert reasons("8 into 4TP7 4", kill=["A"]) == [({"assign_total"}, {prevent})]
    for pool in (8, 12):
        found = reasons(f"{pool} into 4TP7 4", kill=["B"])
        assert found == [({"assign_total", "tank_first"}, {"A has Tank", prevent})]
    assert why(parse("12 into 4TP7 4"), kill=["A"]).example == (11, 1)


def test_a_unit_without_might_dies_of_one_point_and_not_of_none() -> None:
    assert why(parse("1 into 0 0"), kill=["A"]).example == (1, 0)
    assert reasons("1 into 0 0", kill=["A", "B"]) == [({"assign_total"}, set())]
    assert "dies of 1" in (why(parse("1 into 0"), spare=["A"], give={"A": 1}).contradiction or "")


@pytest.mark.parametrize(
    ("text", "asked", "sentence"),
    [
        (
            "12 into 4TPall 4",
            {"kill": ["B"]},
            "B is out of reach: A (Tank) is never lethal (437.5.b), so all 12 points stay on it "
            "(815.1.b)",
        ),
        (
            "12 into 4TP7 4",
            {"kill": ["B"]},
            "B is out of reach: A (Tank) comes first (815.1.b), and A 11 with prevent 7 (437.5.a) "
            "and B 4 take 15 points, and there are 12 (465.2.c)",
        ),
        (
            "8 into 3 4",
            {"spare": ["A"]},
            "only 6 of 8 points can be placed, and all must be (465.2.c): A 2 (dies of 3) and B 4 "
            "at most; while A is short of lethal, nobody gets more than their need (465.2.c.4)",
        ),
        (
            "5 into 4 4",
            {"spare": ["A", "B"]},
            "only 3 of 5 points can be placed, and all must be (465.2.c): one of A and B, 3 at "
            "most, since no two are left short of lethal (465.2.c.3)",
        ),
        (
            "5 into 3x2 3",
            {"give": {"A": 3}},
            "A is given 3, more than its need of 2, with double (465.2.c.4.a), so all others must "
            "be lethal (465.2.c.4), and A 3 and B 3 take 6 points, and there are 5 (465.2.c)",
        ),
        (
            "5 into 3 3 2B",
            {"kill": ["C"]},
            "C (Backline) is out of reach: it waits for A and B (826.3), and A 3, B 3 and C 2 take "
            "8 points, and there are 5 (465.2.c)",
        ),
        (
            "9 into 3 5Pall 2B",
            {"kill": ["C"]},
            "C is out of reach: B is never lethal (437.5.b), and C (Backline) waits for it (826.3)",
        ),
        (
            "7 into 6! 4 4",
            {"kill": ["A"]},
            "A cannot die: it cannot be dealt damage (465.2.c.10)",
        ),
        (
            "5 into 3 3 3 3",
            {"give": [2, 1, 1, 1]},
            "A 2 of 3, B 1 of 3, C 1 of 3 and D 1 of 3: at most one unit is left short of lethal "
            "(465.2.c.3)",
        ),
        (
            "6 into 5 5",
            {"give": {"A": 4}},
            "with 4 of 5 on A, nobody else is left short of lethal (465.2.c.3), but nobody's need "
            "is within the other 2 points (465.2.c)",
        ),
        (
            "6 into 5 3 3",
            {"give": {"A": 2}},
            "with 2 of 5 on A, nobody else is left short of lethal (465.2.c.3) or gets more than "
            "their need (465.2.c.4), but no needs add up to the other 4 points (465.2.c)",
        ),
        ("5 into 4/5 3", {"spare": ["A"]}, "A dies whatever it is given: 5 marked (142.4.b)"),
    ],
)
def test_the_frequent_reasons_read_as_a_judge_would_say_them(
    text: str, asked: Json, sentence: str
) -> None:
    assert because(text, **asked) == sentence


def test_no_more_can_be_placed_than_a_reason_says(many: int) -> None:
    told = 0
    for asked in demands(4, many // 5):
        for reason in asked.answer().reasons or ():
            most = re.match(r"(none|only \d+) of", reason.because)
            if most is None or reason.given:
                continue
            placed = int(most[1].removeprefix("only ").replace("none", "0"))
            rules = [cited.rule for cited in reason.rules if cited.rule != "assign_total"]
            wish = asked.without_the_obvious()
            sums = [sum(points) for points in all_points(wish) if obeys(wish, points, rules)]
            assert max(sums, default=0) <= placed < asked.board.pool, asked
            told += 1
    assert told > many // 100


def test_amounts_add_up_to_what_is_said_to_be_too_much(many: int) -> None:
    told = 0
    for asked in demands(8, many // 5):
        for reason in asked.answer().reasons or ():
            said = re.search(r"([^;]*) takes? (\d+) points?, and there (?:are|is) ", reason.because)
            if said is None or "even if" in reason.because:
                continue
            names = "|".join(map(re.escape, asked.board.names))
            amounts = re.findall(rf"(?:^|, | and )(?:{names}) (\d+)", said[1])
            assert sum(map(int, amounts)) == int(said[2]) > asked.board.pool, (
                asked,
                reason.because,
            )
            told += 1
    assert told > many // 50


def test_each_amount_is_told_with_what_makes_it_so() -> None:
    told = because("4 into 2/2P1 4B 2P1P1", kill=["B"])
    assert "B (Backline) is out of reach: it waits for A and C (826.3)" in told
    assert "A 0 (lethal already), C 4 with prevent 1, prevent 1 (437.5.a) and B 4 take 8" in told
    old = because("7 into 4P1 3/1P3 --edition 443", kill=["A", "B"])
    assert old.startswith("A 5 with prevent 1 (")
    assert "B 5 with 1 marked (" in old
    assert (
        "A 0 (dies of 1) at most; while A is short of lethal, B (Backline) takes none"
        in because("1 into -1 3B", spare=["A", "B"])
    )


def all_points(asked: Asked) -> Iterator[tuple[int, ...]]:
    """Yield all that could be put on the units and is what is demanded, up to the pool on each."""
    spans = [
        (asked.give[name],) if name in asked.give else range(asked.board.pool + 1)
        for name in asked.board.names
    ]
    return (points for points in product(*spans) if asked.is_met_by(asked.data, points))


def obeys(asked: Asked, points: tuple[int, ...], rules: Collection[str]) -> bool:
    """Tell whether points break none of these rules."""
    position = Position(asked.board, points)
    deciding = DECIDING[asked.board.edition]
    return not any(any(rule.violations(position)) for rule in deciding if rule.slug in rules)


@pytest.mark.parametrize(
    ("text", "asked", "sentence"),
    [
        (
            "4 into 4P1 3TS1",
            {"spare": ["B"]},
            "only 3 of 4 points can be placed, and all must be (465.2.c): B 3 (dies of 4 with "
            "Shield 1 (814.1.c)) at most; while B (Tank) is short of lethal, only units with Tank "
            "take points (815.1.b)",
        ),
        (
            "4 into 3TB 2 2",
            {"kill": ["B"], "give": {"C": 1}},
            "with 1 of 2 on C, nobody else is left short of lethal (465.2.c.3) or gets more than "
            "their need (465.2.c.4), but beside B 2 no needs add up to the other 1 point (465.2.c)",
        ),
        (
            "5 into 9 3Tx2 3 1",
            {"give": {"A": 1}},
            "with 1 of 9 on A, nobody else is left short of lethal (465.2.c.3) or gets more than "
            "their need (465.2.c.4), B comes first (815.1.b), but beside B 2 with double "
            "(465.2.c.4.a) no needs add up to the other 2 points (465.2.c)",
        ),
        (
            "5 into 2! 3 5",
            {"give": {"B": 1}},
            "with 1 of 3 on B, nobody else is left short of lethal (465.2.c.3), A is left out "
            "(465.2.c.10), but nobody's need is within the other 4 points (465.2.c)",
        ),
        (
            "5 into 1P3 3 --edition 443",
            {"kill": ["A"]},
            "A dies of no fewer than 4 with prevent 3 (437.1.b.1.a in 465), more than its need of "
            "1, so all others must be lethal (443.1.d.4), and A 4 and B 3 take 7 points, and "
            "there are 5 (443.1.d)",
        ),
        (
            "2 into 4 4 1 --reading must_kill=yes",
            {"give": {"A": 2}, "spare": ["C"]},
            "2 of 4 on A would have finished another unit of its tier, which needs 1: reading "
            "must_kill=yes (465.2.c.3)",
        ),
        (
            "9 into 3TB 2 2 --reading leftover=one_unit",
            {"give": [4, 3, 2]},
            "A 4 of 3 and B 3 of 2; one unit takes all that is left over (reading "
            "leftover=one_unit) (465.2.c.4)",
        ),
    ],
)
def test_rarer_reasons_have_names_and_amounts_too(text: str, asked: Json, sentence: str) -> None:
    assert because(text, **asked) == sentence


@pytest.mark.parametrize(
    ("text", "kill", "amounts"),
    [
        ("4 into 4TB/3 1 2TP1", "AB", "(142.4.b) and B 1 take 5 points, and there are 4"),
        ("4 into 2TB 1 3T", "AB", "C 3, A 2 and B 1 take 6 points, and there are 4"),
        ("4 into 3T 1 1", "BC", "A 3, B 1 and C 1 take 5 points, and there are 4"),
    ],
)
def test_no_unit_that_can_be_killed_alone_is_said_to_be_out_of_reach(
    text: str, kill: str, amounts: str
) -> None:
    told = because(text, kill=list(kill))
    assert "out of reach" not in told
    assert "even if" not in told
    assert amounts in told


def test_of_units_that_cannot_be_dealt_damage_none_is_said_to_have_to_be_lethal() -> None:
    text = "6 into 1TB! 3P3P2 -1T/3! --edition 443 --units-are attackers"
    told = because(text, kill=["B"], give={"C": 3})
    assert "all others" not in told
    assert told.startswith("B 8 with prevent 3")


def test_what_has_no_words_of_its_own_is_told_with_the_needs() -> None:
    rules = ["lethal_in_full_before_next", "tank_first"]
    facts = facts_of(boards.board("5 into 3TP1 2"))
    asked = boards.board("5 into 3TP1 2 --reading must_kill=yes")
    assert sentence(asked, Demand(), rules, facts) == (
        "5 points, where the needs are A 4 with prevent 1 (437.5.a) and B 2, cannot be assigned "
        "so: at most one unit is left short of lethal (465.2.c.3), units with Tank come first "
        "(815.1.b), the reading is must_kill=yes and A has Tank (815.1.b)"
    )


@pytest.mark.parametrize(
    ("text", "asked", "dead"),
    [
        ("6 into 3 1/1", {"spare": ["B"], "give": {"A": 4}}, "B"),
        ("1 into 2/3x2 2T 4BPallP1", {"spare": ["A"], "give": {"B": 0, "C": 1}}, "A"),
    ],
)
def test_what_has_lethal_damage_is_never_said_to_be_short_of_it(
    text: str, asked: Json, dead: str
) -> None:
    for reason in why(parse(text), all_reasons=True, **asked).reasons or ():
        bare = reason.because.startswith("even if nothing else were printed")
        assert bare or f"while {dead}" not in reason.because


def test_the_first_reason_forbids_it_on_the_board_as_it_is_printed(many: int) -> None:
    told = bare = 0
    for asked in demands(7, many // 10):
        for reason in (asked.answer().reasons or ())[:1]:
            wish = asked.without_the_obvious()
            rules = [cited.rule for cited in reason.rules]
            assert not left(wish, rules, as_data(facts_of(asked.board))), asked
            bare += reason.because.startswith("even if")
            told += 1
    assert bare <= told // 50


def test_a_rule_that_only_forbids_it_without_what_is_printed_is_no_reason_alone() -> None:
    board = parse("8 into 2Pall 2A1 4N --units-are attackers")
    (reason,) = why(board, kill=["C"], give={"B": 1}).reasons or ()
    assert "lethal_in_full_before_next" in reason.ids
    assert [str(fact) for fact in reason.given] == ["A has prevent all"]
    assert "B 1 (given) and C 4 at most" in reason.because


def test_a_reason_that_holds_on_the_board_comes_first_of_all() -> None:
    first, *others = (
        why(parse("6 into 3 1/1"), spare=["B"], give={"A": 4}, all_reasons=True).reasons or ()
    )
    assert first.ids == ("lethal_nonzero_ge_might",)
    assert all(other.because.startswith("even if nothing else") for other in others)


def test_a_dual_unit_is_told_why_neither_of_its_keywords_helps() -> None:
    (reason,) = why(parse("4 into 3TB 2 2"), give=[2, 2, 0]).reasons or ()
    assert reason.because == (
        "A, given 2, is short of lethal: as Tank it has to be lethal before B (815.1.b), as "
        "Backline after C (826.3), and it counts as one of them (465.2.c.8)"
    )


@pytest.mark.parametrize(
    ("text", "asked", "sentence"),
    [
        ("5 into 3 3", {"kill": ["A"], "spare": ["A"]}, "A cannot both die and live"),
        (
            "5 into 4 3",
            {"kill": ["A"], "give": {"A": 3}},
            "A dies of no fewer than 4, and is given 3",
        ),
        (
            "5 into 4 3",
            {"spare": ["A"], "give": {"A": 5}},
            "A dies of 4, and is given 5",
        ),
    ],
)
def test_a_demand_that_contradicts_itself_is_told_so(text: str, asked: Json, sentence: str) -> None:
    answer = why(parse(text), **asked)
    assert (answer.possible, answer.contradiction, answer.reasons) == (False, sentence, ())


def test_points_beyond_the_pool_are_forbidden_by_the_rule_that_spends_it() -> None:
    assert reasons("5 into 3 3", give={"A": 9}) == [({"assign_total"}, set())]


def test_what_a_unit_has_decides_whether_points_kill_it_and_is_then_a_reason() -> None:
    assert reasons("5 into 4P2 3", kill=["A"], give={"A": 5})[0] == (set(), {"A has prevent 2"})
    assert reasons("5 into 4/2 3", spare=["A"], give={"A": 3})[0] == (set(), {"A has 2 marked"})
    behind_tank = reasons("2 into 6T 4/2", kill=["B"], give={"B": 2})
    assert behind_tank == [({"assign_total", "tank_first"}, {"A has Tank"})]


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ({"kill": ["Z"]}, "$.kill[0]"),
        ({"spare": ["Z"]}, "$.spare[0]"),
        ({"give": {"Z": 1}}, "$.give.Z"),
        ({"give": {"A": -1}}, "$.give.A"),
        ({"give": [1]}, "$.give"),
        ({"give": "A"}, "$.give"),
        ({}, ""),
    ],
)
def test_a_bad_demand_is_refused_with_the_path_of_the_fault(asked: Json, path: str) -> None:
    with pytest.raises(BadRequest) as refused:
        why(parse("5 into 3 3"), **asked)
    assert refused.value.path == path


def test_twenty_units_are_told_why() -> None:
    board = parse("30 into " + " ".join(["4TP2", "3", "5B/1", "2x2"] * 5))
    (reason,) = why(board, kill=["C"]).reasons or ()
    assert {cited.rule for cited in reason.rules} == {"assign_total", "tank_first"}


def test_reasons_that_a_limit_keeps_from_being_found_are_said_to_be_unknown(
    lethal: Lethal,
) -> None:
    board = "1000000000000000000 into " + " ".join(["1000000000000000000T"] * 20) + " 9B"
    answer = why(parse(board), kill=["U"])
    assert (answer.possible, answer.reasons) == (False, None)
    assert "not found within the limits" in lethal("why", board, "--kill", "U").flat


def test_the_commands_answer_and_exit_as_they_promise(lethal: Lethal) -> None:
    assert lethal("why", "2", "into", "4", "1", "--spare", "B").status == 0
    refused = lethal("why", "5", "into", "6T", "2", "--kill", "B")
    assert refused.status == 1
    assert refused.flat.startswith("Impossible: B is out of reach: A (Tank) comes first (815.1.b)")
    assert lethal("why", "5", "into", "6T", "2", "--give", "B=1", "--give", "B=2").status == 2
    assert lethal("why", "5", "into", "6T", "2", "--kill", "Z").status == 2


@pytest.mark.parametrize("board", ["4 into 2B 2TB 1P1 2x2 1T 2x2 1T", "7 into 3B 3B 4"])
def test_every_reason_is_told_and_no_sentence_twice(board: str, lethal: Lethal) -> None:
    asked = ("why", board, "--kill", "A", "--kill", "B", "--all")
    ended, reasons = lethal(*asked), lethal.json(*asked)["reasons"]
    heads = re.findall(r"^Reason (\d+):", ended.out, re.MULTILINE)
    assert heads == [str(place) for place in range(1, len(reasons) + 1)]
    sentences = re.findall(r"Reason \d+: (\w.*?\))\.", ended.flat)
    assert len(sentences) == len(set(sentences))
    for part, reason in zip(ended.out.split("Reason ")[1:], reasons, strict=True):
        for fact in reason["facts"]:
            assert f"  {fact['unit']} has {fact['text']}." in part
    assert "No other reason" not in ended.flat


def test_that_there_is_no_other_reason_is_said_where_there_is_one(lethal: Lethal) -> None:
    only = lethal("why", "5", "into", "6T", "2", "--kill", "B", "--all").flat
    assert "No other reason was found that holds on the board as it is printed." in only


def test_why_in_json_has_the_rules_and_facts_of_every_reason(lethal: Lethal) -> None:
    data = lethal.json("why", "8", "into", "4TP7", "4", "--kill", "B", "--all")
    assert data.keys() == {"possible", "example", "reasons", "contradiction", "complete"}
    (reason,) = data["reasons"]
    assert reason["rules"] == [
        {"rule": "assign_total", "number": "465.2.c"},
        {"rule": "tank_first", "number": "815.1.b"},
    ]
    assert [fact["kind"] for fact in reason["facts"]] == ["tank", "replacement"]
    assert reason["facts"][1]["step"] == 0
    met = lethal.json("why", "8", "into", "3", "4", "--give", "A=3")
    assert met == {"possible": True, "example": [3, 5], "reasons": [], "contradiction": None}


def test_reasons_found_before_a_limit_are_told_and_that_there_may_be_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = parse("3 into 5TPall 5TPall 3 4B")
    assert isinstance(board, Board)
    everything = why(board, kill=["D"], all_reasons=True)
    assert everything.complete
    assert everything.reasons is not None
    searched = _Question._searched
    searches, seen = 0, set()

    def search(question: _Question, board: Board, rules: Sequence[Rule]) -> Assignment | None:
        nonlocal searches
        searches -= 1
        if searches < 0:
            raise LimitReached
        return searched(question, board, rules)

    monkeypatch.setattr(_Question, "_searched", search)
    for most in range(0, 200, 5):
        searches = most
        answer = why(board, kill=["D"], all_reasons=True)
        if answer.reasons is not None:
            assert {*answer.reasons} <= {*everything.reasons}
            assert not answer.complete or len(answer.reasons) == len(everything.reasons)
            seen.add(len(answer.reasons))
        if answer.complete:
            break
    assert len(seen) > 1
