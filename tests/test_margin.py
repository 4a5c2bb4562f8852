"""How much more a goal takes, and how much can be lost, held against trying every amount."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import boards
import fights
import oracle
import pytest
import simulator
from command_line import Lethal
from test_orders import combat_in_all_orders, in_all_orders
from test_why import Asked, as_data, assert_is_irreducible, left

import solver
from rules import BadRequest, Combat, parse
from rules.rulebook import DECIDING
from rules.wire import read_board, read_combat
from solver import depends
from solver.amounts import GOALS, HOWS, InCombat, Names
from solver.batch import respond
from solver.limits import LimitReached
from solver.margins import Margin

Json = dict[str, Any]

MIGHTS = range(-3, 13)
POOLS = range(15)


def asked(text: str, **wish: Any) -> Margin:
    """Return the margin of a question in notation."""
    return solver.margin(parse(text), **wish)


# --- the questions of the table -----------------------------------------------------------------


def test_a_unit_behind_a_tank_takes_the_points_of_both() -> None:
    found = asked("5 into 6T 2", kill=["B"])
    assert (found.reached, found.more, found.less) == (False, 3, None)
    assert (found.at, found.assignment) == (8, (6, 2))
    assert found.because == ("assign_total", "tank_first")


@pytest.mark.parametrize(("pool", "first", "second"), [(8, 3, 7), (12, 0, 3), (15, 0, 0)])
def test_a_tank_that_prevents_7_dies_first_and_then_the_unit_behind_it(
    pool: int, first: int, second: int
) -> None:
    assert asked(f"{pool} into 4TP7 4", kill=["A"]).more == first
    assert asked(f"{pool} into 4TP7 4", kill=["B"]).more == second


@pytest.mark.parametrize("goal", ["stay", "win", "control", "conquer"])
def test_attackers_one_might_short_are_recalled_and_with_one_more_they_stay(goal: str) -> None:
    text = "6 2 vs 5 4N"
    assert solver.combat(parse(text)).outcomes[0].recalled  # type: ignore[arg-type]
    found = asked(text, goal=goal, unit="A1")
    assert (found.reached, found.more, found.assignment) == (False, 1, (5, 4))
    stronger = solver.combat(parse("7 2 vs 5 4N"))  # type: ignore[arg-type]
    assert all(way.recalled == () and way.result == "attacker_won" for way in stronger.outcomes)


def test_more_might_on_an_attacker_adds_to_the_pool_and_to_its_need() -> None:
    assert asked("3 3 vs 7", goal="no_recall", unit="A1").more == 0, "both die, nobody is recalled"
    assert asked("3 3 vs 7", goal="stay").spans == ()
    assert asked("3 3 vs 7", goal="stay", unit="A1").more == 2


def test_a_tank_that_is_never_lethal_is_in_the_way_of_any_pool() -> None:
    found = asked("12 into 4TPall 4", kill=["B"])
    assert (found.reached, found.spans, found.more, found.less) == (False, (), None, None)
    assert (found.at, found.assignment, found.because) == (None, None, ("tank_first",))


def test_one_unit_can_die_alone_only_with_certain_pools() -> None:
    found = asked("5 into 3 3 4", kill=["A"], spare=["B", "C"])
    assert found.spans == ((3, 6),)
    assert (found.may_lose, found.may_gain) == (2, 1)
    assert asked("9 into 3 3 4", kill=["A"], spare=["B", "C"]).less == 3


def test_pools_between_which_it_fails_are_told_apart() -> None:
    found = asked("6 into 2 9 --reading must_kill=yes", spare=["A"])
    assert found.spans == ((None, 1), (9, 10))
    assert (found.more, found.less, found.at) == (3, 5, 9)


def test_an_excess_begins_where_everybody_is_lethal() -> None:
    assert asked("8 into 3 4", excess=3).more == 2
    assert asked("12 into 3 4", excess=3).may_lose == 2
    assert asked("8 into 3 4Pall", excess=1).spans == ()


def test_that_it_is_certain_takes_more_than_that_it_is_possible() -> None:
    assert asked("2 into 3 4", kill=["A"]).more == 1
    assert asked("2 into 3 4", kill=["A"], how="certain").more == 5


def test_less_might_on_a_unit_brings_it_within_reach_and_more_saves_it() -> None:
    found = asked("5 into 6T 2", kill=["B"], unit="A")
    assert (found.now, found.more, found.less, found.assignment) == (6, None, 3, (3, 2))
    assert asked("5 into 6T 2", kill=["A"], how="certain", unit="A").less == 1
    assert asked("8 into 6T 2", kill=["A"], unit="A").may_gain == 2


def test_a_side_without_units_assigns_nothing_however_much_is_added() -> None:
    assert asked("vs 3", kill=["D1"]).spans == ()
    assert asked("vs 3", goal="no_recall").spans == ((None, None),)


def test_a_defender_may_have_to_see_first_what_the_attacker_assigns() -> None:
    text = "3P2 5/2 vs 3P2 5/2 --edition 439"
    found = asked(text, goal="no_result", side="defender")
    assert (found.reached, found.at, found.assignment) == (True, 8, None)
    assert not asked(text, goal="no_result", side="attacker").reached
    assert asked(text, goal="no_result", how="possible").reached
    assert not asked(text, goal="no_result", how="certain").reached


def test_boards_of_twenty_units_and_of_large_numbers_are_answered() -> None:
    units = " ".join(f"{1 + 7 * i % 9}{'TBTBx2P2'[2 * (i % 4) :][:2]}" for i in range(20))
    assert asked(f"5 into {units}", kill_all=True).more is not None
    assert asked(f"60 into {units}", kill=["A"], unit="C").spans
    assert asked(f"5 into {10**17}T 2", kill=["B"]).more == 10**17 - 3
    assert asked(f"{10**18} into 3 4", excess=100).may_lose == 10**18 - 107


# --- against trying every amount ----------------------------------------------------------------


def read_margin(data: Json, **wish: Any) -> Margin:
    """Return the margin of a question in the JSON shape."""
    question = read_combat(data) if "attackers" in data else read_board(data)
    return solver.margin(question, **wish)


def assert_spans(found: Margin, works: Callable[[int], bool], amounts: range) -> None:
    """Hold a margin against what works, at all these amounts and as the distance to the nearest."""
    told = {
        amount
        for low, high in found.spans
        for amount in amounts
        if (low is None or low <= amount) and (high is None or amount <= high)
    }
    working = {amount for amount in amounts if works(amount)}
    case = (found.question, found.wish, found.side, found.how, found.unit, found.spans)
    assert told == working, case
    answer = found.now in working
    assert found.reached == answer, case
    for step, needed, spare in ((1, found.more, found.may_gain), (-1, found.less, found.may_lose)):
        way = [a for a in amounts if (a - found.now) * step >= 0][::step]
        enough = next((abs(a - found.now) for a in way if a in working), None)
        change = next((abs(a - found.now) for a in way if (a in working) != answer), None)
        assert needed == enough or (needed is not None and found.now + step * needed not in amounts)
        if change is not None:
            assert spare == change - 1, case


def met_by(board: Json, wish: Json, assignment: tuple[int, ...]) -> bool:
    """Tell whether an assignment does what is wished for on a board."""
    dead = set(oracle.deaths(board, assignment))
    return (
        dead.issuperset(wish.get("kill", ()))
        and dead.isdisjoint(wish.get("spare", ()))
        and oracle.excess(board, assignment) >= wish.get("excess", 0)
    )


def comes_true(board: Json, wish: Json) -> bool:
    """Tell by trying every assignment whether a wish on a board comes true."""
    quantifier = all if wish.get("how") == "certain" else any
    return quantifier(met_by(board, wish, one) for one in oracle.legal(board))


def random_wish(rng: random.Random, board: Json) -> Json:
    """Return something to wish for on a board."""
    names = oracle.names(board)
    wish: Json = {"excess": rng.choice((0, 0, 1, 3)), "how": rng.choice(("possible", "certain"))}
    wish["kill"] = [name for name in names if rng.random() < 0.4]
    wish["spare"] = [name for name in names if rng.random() < 0.2]
    return wish if wish["kill"] or wish["spare"] else wish | {"excess": 2}


def sample(seed: int, number: int) -> Iterator[tuple[random.Random, Json]]:
    """Return random boards."""
    rng = random.Random(seed)
    return ((rng, boards.random_board(rng, units=3)) for _ in range(number))


def test_the_pools_told_are_those_at_which_some_or_all_assignments_do_it(many: int) -> None:
    for rng, board in sample(1, many // 10):
        wish = random_wish(rng, board)
        found = read_margin(board, **wish)

        def works(pool: int, board: Json = board, wish: Json = wish) -> bool:
            return comes_true(board | {"pool": pool}, wish)

        assert_spans(found, works, POOLS)


def test_the_mights_told_are_those_at_which_some_or_all_assignments_do_it(many: int) -> None:
    for rng, board in sample(2, many // 10):
        if board["units"]:
            wish, place = random_wish(rng, board), rng.randrange(len(board["units"]))
            found = read_margin(board, **wish, unit=oracle.names(board)[place])

            def works(might: int, board: Json = board, wish: Json = wish, u: int = place) -> bool:
                units = list(board["units"])
                units[u] = units[u] | {"might": might}
                return comes_true(board | {"units": units}, wish)

            assert_spans(found, works, MIGHTS)


def test_the_assignment_told_is_legal_at_that_pool_and_does_it(many: int) -> None:
    told = 0
    for rng, board in sample(3, many // 4):
        wish = random_wish(rng, board) | {"how": "possible"}
        found = read_margin(board, **wish)
        if found.at is not None:
            told += 1
            there = board | {"pool": found.at}
            assert found.assignment is not None, (there, wish)
            assert oracle.is_legal(there, found.assignment), (there, wish)
            assert met_by(there, wish, found.assignment), (there, wish)
    assert told > many // 20


# --- combats ------------------------------------------------------------------------------------


def is_good(combat: Json, wish: Json, played: Json) -> bool:
    """Tell whether a combat that was played ended as a side wishes."""
    side, dead = wish["side"], set(played["dead"])
    left = {u["name"] for u in simulator.units_of(combat, side)} - dead - set(played["recalled"])
    ends = {
        "stay": bool(left),
        "win": played["result"] == f"{side}_won",
        "control": played["control"] == side,
        "conquer": played["conquer"] and played["control"] == side,
        "no_recall": not played["recalled"],
        "no_result": played["result"] == "no_result",
    }
    if "goal" in wish:
        return bool(ends[wish["goal"]])
    return (
        dead.issuperset(wish["kill"])
        and dead.isdisjoint(wish["spare"])
        and played["excess"][side] >= wish["excess"]
    )


def ends_well(combat: Json, wish: Json, more: int = 0) -> bool:
    """Tell by playing every pair whether a wish comes true, with more in the pool of the side."""
    questions = simulator.boards(combat)
    questions[wish["side"]]["pool"] += more
    attacks, answers = (oracle.legal(questions[side]) for side in simulator.SIDES)
    rows = [
        [is_good(combat, wish, simulator.play(combat, one, other)) for other in answers]
        for one in attacks
    ]
    if wish["how"] == "possible":
        return any(map(any, rows))
    if wish["how"] == "certain":
        return all(map(all, rows))
    return any(map(all, rows)) if wish["side"] == "attacker" else all(map(any, rows))


def random_aim(rng: random.Random, combat: Json) -> Json:
    """Return something that a side may wish for in a combat."""
    wish: Json = {"side": rng.choice(simulator.SIDES), "how": rng.choice(HOWS)}
    if rng.random() < 0.7:
        return wish | {"goal": rng.choice(GOALS)}
    names = [u["name"] for side in simulator.SIDES for u in simulator.units_of(combat, side)]
    kill = [name for name in names if rng.random() < 0.3]
    spare = [name for name in names if name not in kill and rng.random() < 0.3]
    return wish | {"kill": kill, "spare": spare, "excess": 0 if kill or spare else 1}


def fight_sample(seed: int, number: int) -> Iterator[tuple[random.Random, Json]]:
    """Return random combats."""
    rng = random.Random(seed)
    return ((rng, fights.random_combat(rng, units=2)) for _ in range(number))


def test_the_mights_told_are_those_with_which_a_combat_ends_well(many: int) -> None:
    for rng, combat in fight_sample(4, many // 10):
        side = rng.choice(simulator.SIDES)
        role, names = simulator.UNITS[side], [u["name"] for u in simulator.units_of(combat, side)]
        if names:
            wish, place = random_aim(rng, combat), rng.randrange(len(names))
            found = read_margin(combat, **wish, unit=names[place])

            def works(
                might: int,
                combat: Json = combat,
                wish: Json = wish,
                role: str = role,
                u: int = place,
            ) -> bool:
                units = list(combat[role])
                units[u] = units[u] | {"might": might}
                return ends_well(combat | {role: units}, wish)

            assert_spans(found, works, MIGHTS)


def test_the_pools_told_are_those_with_which_a_combat_ends_well(many: int) -> None:
    for rng, combat in fight_sample(5, many // 10):
        wish = random_aim(rng, combat)
        found = read_margin(combat, **wish)

        def works(pool: int, combat: Json = combat, wish: Json = wish) -> bool:
            return ends_well(combat, wish, pool - simulator.pools(combat)[wish["side"]])

        assert_spans(found, works, POOLS)


def test_the_assignment_told_is_enough_for_the_side_that_makes_it(many: int) -> None:
    told = 0
    for rng, combat in fight_sample(6, many // 4):
        wish = random_aim(rng, combat)
        side = wish["side"]
        found = read_margin(combat, **wish)
        if found.assignment is not None:
            told += 1
            questions = simulator.boards(combat)
            questions[side]["pool"] = found.at
            assert oracle.is_legal(questions[side], found.assignment), (combat, wish)
            plays = [
                simulator.play(combat, *pair)
                for other in oracle.legal(questions[simulator.OTHER[side]])
                for pair in [(found.assignment, other)[:: 1 if side == "attacker" else -1]]
            ]
            quantifier = any if wish["how"] == "possible" else all
            assert quantifier(is_good(combat, wish, played) for played in plays), (combat, wish)
    assert told > many // 40


# --- the command, batch and bad input -----------------------------------------------------------

SENTENCES = [
    ("5 into 6T 2 --kill B", 1,
     "B cannot die with a pool of 5; it takes 3 more, a pool of 8 or more. "
     "For example: A 6 of 6 and B 2 of 2. Why not: B is out of reach: A (Tank) comes first "
     "(815.1.b), and A 6 and B 2 take 8 points, and there are 5 (465.2.c)."),
    ("5 into 3 3 4 --kill A --spare B --spare C", 0,
     "A can die while B and C live with a pool of 3 to 6, and it is 5. "
     "2 can be lost and 1 can be gained before that changes. For example: A 3 of 3 and C 2 of 4."),
    ("6 into 2 9 --reading must_kill=yes --spare A", 1,
     "A cannot live with a pool of 6; it takes 3 more, a pool of 9 to 10, or 5 less, "
     "a pool of 1 or less."),
    ("9 into 2 9 --reading must_kill=yes --spare A", 0,
     "A can live with a pool of 9 to 10, and it is 9. Nothing can be lost and 1 can be gained "
     "before that changes. So too with a pool of 1 or less."),
    ("12 into 4TPall 4 --kill B", 1,
     "B cannot die, whatever the pool. Why not: B is out of reach: A (Tank) is never lethal "
     "(437.5.b), so all 12 points stay on it (815.1.b)."),
    ("2 into 4TPall 4 --kill B", 1,
     "B cannot die, whatever the pool. Why not: B is out of reach: A (Tank) is never lethal"),
    ("2 into 4TPall 4 --kill B --unit B", 1,
     "B cannot die, whatever the Might of B. Why not, with Might 4 on B: B dies of no fewer than "
     "4 points, and there are 2 (465.2.c)."),
    ("8 into 3 4Pall --excess 3", 1,
     "The excess cannot be 3 or more, whatever the pool. "
     "Why not: B is never lethal (437.5.b), so nobody gets more than their need (465.2.c.4)."),
    ("8 into 3 4 --excess 3 --spare A", 1,
     "whatever the pool. Why not: while A is short of lethal, nobody gets more than their need "
     "(465.2.c.4)."),
    ("8 into 3 4 --excess 3", 1,
     "Why not: nobody gets more than their need until all are lethal (465.2.c.4), and A 3 and B 4 "
     "take 7 points, of a pool of 8 (465.2.c); what is left over makes an excess of 1 at most."),
    ("9 into 1/2 3 --spare A --excess 2", 1,
     "whatever the pool. Why not: A dies whatever it is given: 2 marked (142.4.b)."),
    ("8 into 3! --excess 3", 1, "Why not: nobody there can be dealt damage (465.2.c.10)."),
    ("5 into 3 3 --kill A --how certain", 1,
     "Why not: A 2 of 3 and B 3 of 3 is legal, too, and A lives."),
    ("6 into 2x2 2P1 --excess 4 --how certain", 1,
     "Why not: A 1 of 1 and B 5 of 3 is legal, too, with an excess of 2."),
    ("5 into 6T 2 --all --how certain --unit A", 1,
     "It is not certain that A and B die with Might 6 on A; "
     "it takes 3 less, Might 3 or less on A."),
    ("9 into 3 4 --excess 2", 0,
     "The excess can be 2 or more with a pool of 9 or more, and it is 9. "
     "Nothing can be lost before that changes. For example: A 3 of 3 and B 6 of 4."),
    ("6 2 vs 5 4N --goal stay --unit A1", 1,
     "The Attacker cannot make sure to stay there [466.1.a.2 (468.1.a.2)] with Might 6 on A1; "
     "it takes 1 more, Might 7 or more on A1. "
     "For example: the Attacker assigns D1 5 of 5 and D2 4 of 4. Why not: the defenders cannot "
     "all die: D1 5 and D2 4 take 9 points, and there are 8 (465.2.c)."),
    ("6 vs 5Pall --goal win", 1,
     "whatever the pool. Why not: D1 cannot die: prevent all (437.5.b)."),
    ("6 vs 5 --goal stay --side defender", 1,
     "whatever the pool. Why not: D1 cannot live, since only 4 of 6 points can be placed"),
    ("9 vs 1 2 --goal stay --side defender", 1,
     "The Defender cannot stay there [466.1.a.2 (468.1.a.2)], whatever the pool. Why not: neither "
     "D1 nor D2 can live, since only 2 of 9 points can be placed, and all must be (465.2.c): one "
     "less than D1 1 and D2 2; while one of them is short of lethal, nobody gets more than their "
     "need (465.2.c.4)."),
    ("9 into 2T/2 --spare A --how certain", 1,
     "A cannot live, whatever the pool. Why not: A dies whatever it is given: 2 marked (142.4.b)."),
    ("4 4 vs 4 2PallN --goal no_recall", 1,
     "Why not: D2 cannot die: prevent all (437.5.b); and the attackers cannot all die: A1 4 and "
     "A2 4 take 8 points, and there are 4 (465.2.c)."),
    ("6 vs 5 --goal conquer --scored attacker", 1,
     "whatever the pool. Why not: the Attacker has scored there this turn (470)."),
    ("6 vs 5 --goal conquer --side defender", 1,
     "whatever the pool. Why not: the Defender controls the battlefield already (466.5.d)."),
    ("3 3 vs 2 2 --spare A1 --kill D1", 1,
     "Why not: the Defender can assign A1 3 of 3 and A2 1 of 3, and A1 dies."),
    ("6Pall vs 5Pall --goal no_recall --how possible", 1,
     "Why not: D1 cannot die: prevent all (437.5.b); and A1 cannot die: prevent all (437.5.b)."),
    ("3 vs 3 --side defender --kill A1 --spare D1", 1,
     "The Defender cannot see A1 die and D1 live, whatever the pool. Why not: D1 cannot live, "
     "since only 2 of 3 points can be placed"),
    ("5 into 3 --kill A --spare A", 1,
     "The demand contradicts itself: A cannot both die and live.\n"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "status", "told"), SENTENCES, ids=lambda value: str(value)[:40])
def test_the_command_says_it_in_sentences(
    line: str, status: int, told: str, lethal: Lethal
) -> None:
    ended = lethal("margin", *line.split())
    assert (ended.status, ended.err) == (status, "")
    assert told.removesuffix("\n") in ended.flat
    assert not told.endswith("\n") or ended.out.startswith(told)


def test_what_no_pool_reaches_is_said_to_be_forbidden_at_any_pool(many: int) -> None:
    rng = random.Random(8)
    told = 0
    for _ in range(many // 5):
        data = boards.random_board(rng, units=3)
        names = oracle.names(data)
        kill = tuple(name for name in names if rng.random() < 0.4)
        spare = tuple(name for name in names if name not in kill and rng.random() < 0.4)
        if not (kill or spare):
            continue
        found = solver.margin(read_board(data), kill=kill, spare=spare)
        if found.spans:
            assert (found.reason is None) == found.reached, data
            continue
        assert found.reason is not None, data
        assert "assign_total" not in found.reason.ids, data
        assert_is_irreducible(Asked(data, kill, spare, {}), found.reason)
        told += 1
    assert told > many // 50


@pytest.mark.parametrize("how", HOWS)
def test_every_goal_that_is_not_reached_has_a_cause(how: str, many: int) -> None:
    rng = random.Random(9)
    for _ in range(many // 10):
        drawn = fights.random_combat(rng)
        fight = {field: told for field, told in drawn.items() if "assigns" not in field}
        fight.pop("arrivals", None)
        side, goal = rng.choice(("attacker", "defender")), rng.choice(GOALS)
        found = solver.margin(read_combat(fight), goal=goal, side=side, how=how)
        assert (found.reason is None) == found.reached, (fight, side, goal)


# --- what is in the way in a combat -------------------------------------------------------------


def part_of(found: Margin, board: Json) -> tuple[Names, Names]:
    """Return who has to die and who has to live for the part of a wish decided on a board."""
    names = oracle.names(board)
    if found.wish.goal is not None:
        return tuple(names), ()
    kill, spare = ([n for n in names if n in some] for some in (found.wish.kill, found.wish.spare))
    return tuple(kill), tuple(spare)


def kinds_left(found: Margin, board: Json, rules: list[str], facts: list[Json]) -> set[bool]:
    """Tell by brute force whether a part of a wish can be met, and missed, under these rules."""
    kill, spare = part_of(found, board)
    names = oracle.names(board)
    here = [fact for fact in facts if fact["unit"] in names]
    met = left(Asked(board, kill, spare, {}), rules, here)
    ways_to_miss = [*(((), (name,)) for name in kill), *(((name,), ()) for name in spare)]
    missed = any(left(Asked(board, *way, {}), rules, here) for way in ways_to_miss)
    return {kind for kind, so in ((True, met), (False, missed)) if so}


def legal_kinds(found: Margin, board: Json) -> set[bool]:
    """Tell whether a part of a wish can be met, and missed, by legal assignments."""
    kill, spare = part_of(found, board)
    return {met_by(board, {"kill": kill, "spare": spare}, one) for one in oracle.legal(board)}


def splits(rules: list[str]) -> Iterator[dict[str, list[str]]]:
    """Yield all ways in which each of these rules is meant on one board of a combat or on both."""
    for where in product(({"attacker"}, {"defender"}, set(simulator.SIDES)), repeat=len(rules)):
        yield {
            side: [rule for rule, sides in zip(rules, where, strict=True) if side in sides]
            for side in simulator.SIDES
        }


def is_a_reason(found: Margin, boards: dict[str, Json], by_side: dict[str, list[str]]) -> bool:
    """Tell whether the facts of a reason and rules of either board are enough, none too much."""
    assert found.reason is not None
    facts, given = as_data(found.reason.facts), as_data(found.reason.given)

    def ruled_out(side: str, rules: list[str], facts: list[Json]) -> set[bool]:
        kinds = {True, False} - kinds_left(found, boards[side], rules, [*facts, *given])
        return kinds - legal_kinds(found, boards[side])

    gone = {side: ruled_out(side, rules, facts) for side, rules in by_side.items()}
    for side, rules in by_side.items():
        mine = [fact for fact in facts if fact["unit"] in oracle.names(boards[side])]
        without = [([r for r in rules if r != rule], mine) for rule in rules]
        without += [(rules, [f for f in mine if f != fact]) for fact in mine]
        if not all(ruled_out(side, *rest) < gone[side] for rest in without):
            return False
    return not is_in_reach(found, boards, gone)


def is_in_reach(found: Margin, boards: dict[str, Json], gone: dict[str, set[bool]]) -> bool:
    """Tell whether a wish may come true for all that is known: what is legal, and what is not."""
    assert isinstance(found.question, Combat)
    assert found.side is not None
    asked = InCombat(found.question, found.wish, found.side, found.how, None)
    worlds = []
    for side in (found.side, simulator.OTHER[found.side]):
        at_any_pool = side == found.side and not (found.spans or found.cause.only_now)
        sure = set() if at_any_pool else legal_kinds(found, boards[side])
        worlds.append(
            [
                kinds
                for kinds in ([True], [False], [True, False])
                if sure.issubset(kinds) and gone[side].isdisjoint(kinds)
            ]
        )
    return any(asked.comes_true(mine, theirs) for mine, theirs in product(*worlds))


def test_what_forbids_a_goal_in_a_combat_is_enough_and_nothing_of_it_can_be_left_out(
    many: int,
) -> None:
    told = several = 0
    for rng, combat in fight_sample(12, many // 3):
        found = read_margin(combat, **random_aim(rng, combat))
        reason = found.reason
        deciding = {rule.slug for rule in DECIDING[found.question.edition]}
        if (
            reason is None
            or found.wish.excess
            or not deciding.issuperset(r.rule for r in reason.rules)
        ):
            continue
        boards = simulator.boards(combat)
        ways = splits([cited.rule for cited in reason.rules])
        assert any(is_a_reason(found, boards, by_side) for by_side in ways), (
            combat,
            found.wish,
            found.side,
            found.how,
            reason,
        )
        told += bool(reason.rules or reason.facts)
        several += "; and " in reason.because
    assert told > many // 50
    assert several


def test_a_reason_names_who_cannot_die_and_who_cannot_live() -> None:
    found = asked("4 4 vs 4 2PallN", goal="no_recall")
    assert found.reason is not None
    assert [str(fact) for fact in found.reason.facts] == ["D2 has prevent all"]
    assert found.because == ("assign_total",)
    several = asked("1 vs 1 2T/2", goal="stay", side="defender")
    assert several.reason is not None
    assert {fact.unit for fact in several.reason.facts} == {"D2"}
    assert "D1" in several.reason.because


@pytest.mark.parametrize(
    ("text", "wish", "told"),
    [
        ("9 into 2T/2", {"spare": ["A"]}, ("lethal_nonzero_ge_might",)),
        ("2 into 3 4", {"kill": ["A"]}, ("assign_total",)),
        ("3 vs 3", {"goal": "win"}, ("assign_total",)),
        ("3 vs 3Pall", {"kill": ["D1"]}, ("prevent_all_never_lethal",)),
    ],
)
def test_of_what_is_not_even_possible_it_is_said_what_forbids_it(
    text: str, wish: Json, told: tuple[str, ...]
) -> None:
    for how in ("possible", "certain"):
        assert asked(text, **wish, how=how).because == told


@pytest.mark.parametrize(
    ("fight", "wish", "rules"),
    [
        ({"arrivals": {"defenders": [{"might": 1}]}}, {"goal": "win"}, ()),
        ({"scored_this_turn": ["attacker"]}, {"goal": "conquer"}, ("score_once_per_turn",)),
        ({"control": "attacker"}, {"goal": "conquer"}, ("conquer_on_control",)),
        ({"control": "attacker", "scored_this_turn": ["attacker"]}, {"goal": "conquer"},
         ("conquer_on_control",)),
    ],
)  # fmt: skip
def test_what_is_in_the_way_of_every_end_is_told(
    fight: Json, wish: Json, rules: tuple[str, ...]
) -> None:
    units: Json = {"attackers": [{"might": 3}], "defenders": [{"might": 3}]}
    found = read_margin(units | fight, **wish)
    assert (found.spans, found.because) == ((), rules)


def test_a_cause_that_is_not_found_is_said_not_to_be(lethal: Lethal) -> None:
    asked = ["margin", "5", "into", f"{10**18}T", *[str(10**18 - 1)] * 9, "--kill", "B"]
    data = lethal.json(*asked)
    assert (data["because"], data["why"]) == (None, None)
    told = lethal(*asked).flat
    assert "What forbids it was not found: the numbers are too large for CP-SAT." in told


def test_no_excess_is_more_than_is_said(many: int) -> None:
    rng = random.Random(10)
    told = 0
    for _ in range(many // 5):
        data = boards.random_board(rng, units=3)
        found = solver.margin(read_board(data), excess=rng.randint(1, 4))
        excess = max(oracle.excess(data, points) for points in oracle.legal(data))
        if found.reason and (
            most := re.search(r"an excess of (\d+) at most", found.reason.because)
        ):
            assert excess == int(most[1]), data
            told += 1
        elif found.reason:
            assert excess == 0, data
    assert told


def test_the_settings_and_the_rules_of_a_board_are_told_with_its_margin(lethal: Lethal) -> None:
    ended = lethal("margin", "5", "into", "3", "2/3", "--kill", "A", "--edition", "460")
    assert "Edition 460." in ended.out
    assert "Note: B already has lethal damage" in ended.flat
    assert "Rules in play: 143.2.a, 460.2.c (467.2.c), 460.2.c.3" in ended.flat


def test_json_and_batch_say_the_same(lethal: Lethal) -> None:
    wanted = {
        "reached": False, "now": 5, "more": 3, "less": None, "may_gain": 2, "may_lose": None,
        "spans": [[8, None]], "at": 8, "assignment": [6, 2],
        "because": [{"rule": "assign_total", "number": "465.2.c"},
                    {"rule": "tank_first", "number": "815.1.b"}],
        "why": "B is out of reach: A (Tank) comes first (815.1.b), and A 6 and B 2 take 8 "
               "points, and there are 5 (465.2.c)",
    }  # fmt: skip
    assert lethal.json("margin", "5", "into", "6T", "2", "--kill", "B") == wanted
    request = {"op": "margin", "pool": 5, "units": [{"might": 6, "tank": True}, {"might": 2}]}
    assert answer(request | {"kill": ["B"]}) == wanted


def test_batch_takes_combats_too() -> None:
    request: Json = {
        "op": "margin",
        "attackers": [{"might": 6}, {"might": 2}],
        "defenders": [{"might": 5}, {"might": 4, "no_combat_damage": True}],
        "readings": {"leftover": "one_unit"},
    }
    found = answer(request | {"goal": "stay", "unit": "A1"})
    assert (found["more"], found["assignment"]) == (1, [5, 4])
    assert found["because"] == [{"rule": "assign_total", "number": "465.2.c"}]
    assert found["readings"] == {"leftover": "one_unit"}


def test_batch_says_on_which_readings_a_margin_depends() -> None:
    units: list[Json] = [{"might": 4, "tank": True, "replacements": ["prevent all"]}, {"might": 4}]
    request: Json = {"op": "margin", "pool": 12, "units": units, "kill": ["B"], "depends": True}
    assert answer(request)["depends_on"] == {"prevent_all": ["exempt"]}
    assert answer(request | {"units": [{"might": 4}], "kill": ["A"]})["depends_on"] == {}
    assert "depends_on" not in answer(request | {"depends": False})
    fight = {"attackers": [{"might": 6}], "defenders": units, "depends": True}
    found = answer({"op": "margin", "kill": ["D2"], **fight})
    assert found["depends_on"] == {"prevent_all": ["exempt"]}


def test_what_is_too_large_is_said_to_be(lethal: Lethal) -> None:
    arguments = ("margin", "1000000", "into", "3", "2", "--kill", "A", "--unit", "A")
    ended = lethal(*arguments)
    assert (ended.status, ended.out) == (3, "")
    assert "too large" in ended.err
    assert lethal(*arguments, "--json").data == {"reached": None}
    request = {"op": "margin", "pool": 5, "units": [{"might": 3}], "excess": 10**18}
    assert answer(request) == {"reached": None}


def answer(request: Json) -> Json:
    """Return what batch says of a request, besides `id` and `ok`."""
    response: Json = json.loads(respond(json.dumps(request).encode()))
    assert response.pop("ok") is True, response
    del response["id"]
    return response


@pytest.mark.parametrize(
    ("text", "wish", "path"),
    [
        ("5 into 3", {}, ""),
        ("5 vs 3", {}, ""),
        ("5 into 3", {"goal": "win"}, "$.goal"),
        ("5 into 3", {"side": "attacker", "kill": ["A"]}, "$.side"),
        ("5 into 3", {"kill": ["A"], "how": "forced"}, "$.how"),
        ("5 into 3", {"kill": ["B"]}, "$.kill[0]"),
        ("5 into 3", {"kill": ["A"], "unit": "B"}, "$.unit"),
        ("5 into 3", {"kill": ["A"], "unit": ["A"]}, "$.unit"),
        ("5 into 3", {"excess": -1}, "$.excess"),
        ("5 into 3", {"kill_all": 1}, "$.kill_all"),
        ("5 into 3", {"kill_all": True, "spare": ["A"]}, "$.kill_all"),
        ("5 vs 3", {"goal": "wni"}, "$.goal"),
        ("5 vs 3", {"goal": "win", "kill": ["D1"]}, ""),
        ("5 vs 3", {"goal": "win", "side": "both"}, "$.side"),
        ("5 vs 3", {"goal": ["win"]}, "$.goal"),
    ],
)
def test_a_wrong_wish_is_refused_with_its_path(text: str, wish: Json, path: str) -> None:
    with pytest.raises(BadRequest) as refused:
        asked(text, **wish)
    assert refused.value.path == path


def test_a_margin_is_asked_of_a_board_or_of_a_combat_before_it_is_assigned() -> None:
    with pytest.raises(BadRequest, match="expected a board or a combat"):
        solver.margin("5 into 3", kill=["A"])  # type: ignore[arg-type]
    fight = {"attackers": [{"might": 3}], "defenders": [{"might": 3}], "attacker_assigns": [3]}
    with pytest.raises(BadRequest, match="before anybody assigns"):
        read_margin(fight, goal="win")


def test_the_command_offers_the_goals_that_there_are(lethal: Lethal) -> None:
    words = lethal("margin", "--help").flat
    assert f"--goal [{'|'.join(GOALS)}]" in words
    assert f"--how [{'|'.join(HOWS)}]" in words


def test_a_time_limit_is_kept() -> None:
    with pytest.raises(LimitReached):
        asked("5 into 3 3", kill=["A"], time_limit=1e-9)


def test_a_pool_beyond_all_that_can_be_asked_is_not_said_to_be_no_help(lethal: Lethal) -> None:
    told = lethal("margin", f"{10**18} into {10**18} 3", "--all")
    assert "whatever the pool up to 10^18" in told.flat


def test_a_margin_says_on_which_readings_and_orders_it_depends(lethal: Lethal) -> None:
    told = lethal("margin", "12", "into", "4TPall", "4", "--kill", "B").flat
    assert "Depends on a reading: prevent_all=exempt makes it a pool of 4 or more." in told
    told = lethal("margin", "2", "into", "2P2x2", "--kill", "A").flat
    assert "If A's double comes before its prevent 2" in told
    assert "Depends" not in lethal("margin", "5", "into", "3", "3", "--kill", "A").out


def test_what_a_side_can_make_sure_of_is_asked_in_every_order_of_both_sides(
    lethal: Lethal,
) -> None:
    here, there = (asked(f"3 vs 2{steps}", goal="stay") for steps in ("x2P3", "P3x2"))
    assert (here.reached, here.spans[0][0], there.spans[0][0]) == (True, 3, 4)
    data = lethal.json("margin", "3", "vs", "2x2P3", "--goal", "stay")
    assert data["in_every_order"] is False
    assert data["otherwise"] == {
        "order": {"D1": ["prevent 3", "double"]},
        "reached": False,
        "spans": [[4, None]],
    }
    told = lethal("margin", "3", "vs", "2x2P3", "--goal", "stay").flat
    assert "If D1's prevent 3 comes before its double" in told
    assert "every order" in lethal("margin", "9", "2x2P3", "vs", "1", "--goal", "win").flat


def test_an_example_is_told_whole_however_many_units_there_are(lethal: Lethal) -> None:
    told = lethal("margin", "20", "into", *["1"] * 20, "--all").flat
    assert "S 1 of 1 and T 1 of 1." in told
    assert (
        "the Attacker assigns nothing to anybody"
        in lethal("margin", "vs", "3", "--goal", "no_recall").flat
    )


@pytest.mark.parametrize(
    ("question", "so"), [("4 3 vs 5 3", True), ("9 vs 1 2", False), ("vs 3", False)]
)
def test_that_nobody_is_recalled_since_all_die_is_said(
    question: str, so: bool, lethal: Lethal
) -> None:
    told = lethal("margin", *question.split(), "--goal", "no_recall").flat
    assert ("As it is, all attackers die." in told) == so


@pytest.mark.parametrize("field", ["goal", "side", "how", "unit"])
def test_null_is_not_taken_for_what_is_left_out(field: str) -> None:
    request: Json = {"op": "margin", "pool": 5, "units": [{"might": 3}], "kill": ["A"]}
    told = json.loads(respond(json.dumps(request | {field: None}).encode()))
    assert told["error"]["path"] == f"$.{field}"


def test_a_command_that_asks_for_more_is_led_to_margin(lethal: Lethal) -> None:
    ended = lethal("need-more", "3", "into", "4")
    assert (ended.status, "told by 'margin'" in ended.err) == (2, True)
    assert "margin" not in lethal("nobody", "3").err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("4 into 1 3 --spare A", "must_kill=yes makes it a pool of 0, or 3."),
        ("0 into 2! 3 --spare B", "undamageable=optional makes it so, whatever the pool."),
        ("9 into 4TPall 4 --kill B --reading prevent_all=exempt",
         "prevent_all=sink rules it out, whatever the pool."),
        ("2 into 2x2P1 --kill A --unit A",
         "If A's prevent 1 comes before its double (controller's choice, 372): that makes it "
         "Might 2 or less on A."),
    ],
)  # fmt: skip
def test_the_amounts_of_another_reading_or_order_are_told(
    line: str, told: str, lethal: Lethal
) -> None:
    assert told in lethal("margin", *line.split()).flat


# --- what it depends on, at any of its amounts --------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wish", "told"),
    [
        ("0 into 2! 3", {"spare": ["B"]}, {"undamageable": {"optional"}}),
        ("4 into 1 3", {"spare": ["A"]}, {"must_kill": {"yes"}}),
        ("6 into A:0 B:2P3x2", {"spare": ["A"]}, {"must_kill": {"yes"}}),
        ("3 into 4/3 3", {"kill": ["A"], "spare": ["B"], "unit": "A"}, {"already_lethal": {"one"}}),
        ("0 vs 2! 3", {"spare": ["D2"]}, {"undamageable": {"optional"}}),
        ("4 vs 3x2", {"excess": 2}, {"excess": {"raw"}}),
        ("4 vs 3x2", {"kill": ["D1"]}, {}),
    ],
)
def test_a_reading_matters_also_where_it_changes_only_other_amounts(
    text: str, wish: Json, told: dict[str, set[str]]
) -> None:
    found = depends.of_margin(asked(text, **wish)).readings
    assert {switch: {*values} for switch, values in found.found.items()} == told


@pytest.mark.parametrize(
    ("text", "wish", "spans"),
    [
        ("2 into 2x2P1", {"kill": ["A"], "unit": "A"}, [(None, 2)]),
        ("2 into A:2x2P1 B:4P2x2", {"kill": ["A"], "unit": "A"}, [(None, 2)]),
        ("2 vs D:2x2P1", {"kill": ["D"], "unit": "D"}, [(None, 2)]),
        ("3 into 3x2P1 --edition 460", {"kill": ["A"], "unit": "A"}, [(None, 4)]),
    ],
)
def test_an_order_matters_also_where_it_changes_the_need_only_with_another_might(
    text: str, wish: Json, spans: list[Any]
) -> None:
    again = depends.of_margin(asked(text, **wish))
    assert again.orders is not None
    assert again.orders.otherwise is not None
    assert [*again.answer(again.orders.otherwise.asked).spans] == spans


def test_a_margin_depends_on_just_those_readings_and_orders_under_which_it_is_another(
    many: int,
) -> None:
    rng = random.Random(13)
    seen: Counter[object] = Counter()
    for _ in range(many // 6):
        data, wish, names = random_question(rng)
        if names and rng.random() < 0.5:
            wish["unit"] = rng.choice(names)
        found = read_margin(data, **wish)
        again = depends.of_margin(found)

        def differs(other: Json, found: Margin = found, wish: Json = wish) -> bool:
            return read_margin(other, **wish).spans != found.spans

        readings = data.get("readings", {})
        changed = {
            (switch, value)
            for switch, values in boards.READINGS.items()
            for value in values
            if differs(data | {"readings": readings | {switch: value}})
        }
        told = {(switch, value) for switch, vs in again.readings.found.items() for value in vs}
        assert told == changed, (data, wish)
        in_every_order = not any(map(differs, in_all_orders_of(data)))
        assert (again.orders is None or again.orders.in_every_order) == in_every_order, (data, wish)
        seen.update(switch for switch, _ in changed)
        seen[in_every_order, "unit" in wish] += 1
    assert seen.keys() > {*product((True, False), repeat=2)}
    assert len(seen) > 8


def random_question(rng: random.Random) -> tuple[Json, Json, list[str]]:
    """Return a board or a combat with many replacements, a wish for it and the names of units."""
    if rng.random() < 0.5:
        data = fights.random_combat(rng, units=2)
        units = [u for side in simulator.SIDES for u in data[simulator.UNITS[side]]]
        sides = (simulator.units_of(data, side) for side in simulator.SIDES)
        names, wish = [u["name"] for side in sides for u in side], random_aim(rng, data)
    else:
        data = boards.random_board(rng, units=3)
        units, names, wish = data["units"], oracle.names(data), random_wish(rng, data)
    for unit in units:
        if rng.random() < 0.3:
            unit["replacements"] = rng.choices(boards.REPLACEMENTS[:4], (3, 1, 1, 1), k=2)
    return data, wish, names


def in_all_orders_of(data: Json) -> Iterator[Json]:
    """Yield the question with the replacements of every unit in every order."""
    return (combat_in_all_orders if "attackers" in data else in_all_orders)(data)
