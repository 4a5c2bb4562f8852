"""Questions with their right answers, for whoever proves an engine right.

The first rows are the rulebook's examples and what the laboratory finds: the smallest boards on
which one rule is broken and no other, or just two, and those on which editions and readings
disagree (`solver.lab`). Then come boards and combats written by hand. The others are random, of
many those that tell the most mistakes apart (`solver.kit.mistakes`). A row names the rules that it
tests: those whose mistakes change its answer, and those that the laboratory broke on it. The same
version and seed give the same bytes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from rules.board import SIDES, Assignment, Board, Combat, Unit
from rules.editions import CANONICAL, EDITIONS
from rules.lethal import current_might, need
from rules.notation import parse
from rules.position import Position
from rules.readings import SWITCHES, Readings
from rules.rulebook import FORBIDDING, violations
from rules.wire import plain, read_board, read_combat
from solver import exact
from solver.explain import in_play
from solver.kit.mistakes import (
    COMBAT_MISTAKES,
    MISTAKES,
    CombatMistake,
    Mistake,
    combat_facts,
    right,
    rules_tested,
    rules_tested_by,
    splits,
    ways_to_split,
)
from solver.lab.bounds import Bounds
from solver.outcomes import CombatAnswer

Json = dict[str, Any]
Asked = TypeVar("Asked", Board, Combat)

VERSION: Final = 3
"""Another number means other questions for the same seed."""
SEED: Final = 0
"""The seed of the questions that come with the package."""
MOST_WAYS: Final = 5000
"""A brute-force engine keeps up with boards that have so many ways to split the pool."""
_MOST_LISTED: Final = 400
"""Of boards with more ways to split the pool the legal assignments are only counted."""
_MOST_DIFFERENT: Final = 4
"""So many disagreements of two editions or readings at most are asked about."""
_MOST_REFUSED: Final = 3
"""So many illegal assignments at most stand beside the legal ones."""
_BOARDS, _READINGS, _COMBATS, _LARGE = 120, 70, 50, 20
_CANDIDATES, _COMBAT_CANDIDATES = 300, 300
_LEAST_TESTED: Final = 6
"""So many random questions test each rule and reading and catch each mistake, if enough do."""
_LARGEST_POOL: Final = 12


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One question: the request, what is expected of the answers to it, the rules it tests.

    `expect` of a board: `need`, `count`, `assignments` (the complete legal set, ascending; left out
    where it is long) and `illegal`, each an `assignment` and the ids of the `rules` it breaks. Of a
    combat: `pools`, `need`, `counts`, `outcomes` and, where both assignments are given, `outcome`.
    """

    version: int = VERSION
    id: str
    request: Json
    expect: Json
    rules: tuple[str, ...]


EXAMPLES: Final = (
    ("X1", "5 into 3 3 3 3"),
    ("X2", "5 into 3/1 3/1 3/1 3/1"),
    ("X3", "4 into 3x2 3"),
    ("X3-460", "4 into 3x2 3 --edition 460"),
    ("X4", "6 into 2P3 3"),
    ("X4-443", "6 into 2P3 3 --edition 443"),
    ("X5", "3 into 2x2 2"),
    ("X5-460", "3 into 2x2 2 --edition 460"),
    ("X6", "3 into 2P2x2"),
    ("X6-reversed", "3 into 2x2P2"),
    ("X6-460", "3 into 2P2x2 --edition 460"),
    ("X7", "5 into 2T 2 2B"),
    ("X8", "4 into 2T 3T 2"),
    ("X9", "4 into 3TB 2 2"),
    ("X10", "3 into 2TB 2TB 2"),
    ("X11", "3 into 6 3!"),
    ("X12", "12 into 4TPall 4"),
    ("X14", "1 into 0"),
    ("X24", "3 into Sentinel:3T Volunteer:2"),
    ("X24-plain", "3 into Sentinel:3 Volunteer:2"),
    ("X25", "6 into 5T 2"),
    ("X25-ignored", "6 into 5T 2 --ignore tank"),
    ("X26", "5 into 1 1"),
    ("X27", "3 into 3TB 2 2 --ignore tank"),
)
"""The worked examples of the rulebook, in notation."""

_SINGLE: Final = (
    "3 into 2 0", "1 into -3 -1", "3 into -2S3 2", "2 into 3/1 3/2", "2 into 2/2 2", "3 into 2/5 2",
    "3 into -1/1 2", "3 into 4 4 --any-damage-is-lethal", "2 into 4/4 4 --any-damage-is-lethal",
    "3 into 2S 3", "4 into 2S2A 3", "4 into 2AS2 3 --units-are attackers", "2 into 3Z 2",
    "4 into 2P1 3", "5 into 2P1P2 3", "4 into 2Pall 2", "5 into 2TPall 2 2B", "3 into 5x2x2 2",
    "4 into 4P1x2 3", "4 into 4x2P1 3", "6 into 3P2x2P1 3x2", "4 into 2! 3", "3 into 2! 3!",
    "4 into 2T! 3 2B!", "5 into 2TB 2TB 2 2B", "4 into 3TB 1T 1B", "3 into 2TB 2 --ignore backline",
    "3 into 2T 2 2B --ignore tank --ignore backline", "3 into 2 2B --ignore backline",
    "5 into 1T 3T 2", "4 into 1 2T 2T", "4 into 1B 2B 1", "5 into 2B 1 2", "6 into 2T 2",
    "0 into 2 3", "7 into 2 2", "3 into", "8 into 3Pall 2T 2",
    "2 into 1TB 1TB 2", "3 into 2TB 3TB 2", "3 into 1TB 2TB 2 2", "4 into 2TB 3TB 3",
    "5 into 2TB 2TB 4", "3 into 1 1B --reading leftover=one_unit",
)  # fmt: skip
"""Boards that lead to one piece of arithmetic, one permission or one oddity each."""

_ACROSS_EDITIONS: Final = (
    "4 into 3x2 3", "5 into 2P2 3", "5 into 2P2x2 3", "4 into 3Pall 2", "3 into 2B 2",
    "4 into 2TB 2 2",
)  # fmt: skip
"""Boards that are asked in every edition."""

_FIGHTS: Final = (
    "5A2 3Z vs Caitlyn:3B 4TS1", "3 2 vs 3 3", "6 vs 3 4", "3 3 vs 2 2 2", "4 -2 vs 3 2",
    "3 vs -1 2", "2Z vs 2", "2Z 3 vs 2", "3N 2 vs 2 2", "2A2 vs 3S", "3 vs 2S2", "3 2 vs 1 1",
    "3 vs 3", "4 vs 3",
    "2 vs 3", "4 vs 3 --control attacker", "4 vs 3 --control none", "4 vs 3 --scored attacker",
    "2 vs 3 --control none", "2 vs 3 --control attacker", "3 vs 3 --control attacker",
    "4 2 vs 3T 2 --attacker-ignore tank", "3 2T vs 4T 3 --defender-ignore tank",
    "3 3B vs 2 2B --attacker-ignore backline", "3 3TB vs 2 2TB --attacker-ignore tank", "3 vs",
    "vs 3", "vs", "2 2 vs 5 5 --attacker-any-damage-is-lethal", "5Pall vs 3! 2", "3x2 vs 4P1 2",
    "3 vs 2P2x2 --edition 460", "4 vs 3x2 3 --edition 443", "5 vs 2x2 1 --reading excess=raw",
)  # fmt: skip
"""Combats that lead to one rule about the pools or the end each."""

_PLAYED: Final = (
    ("3 vs 3", (3,), (3,)),
    ("4 3 vs 3x2 4", (3, 4), (4, 3)),
    ("5 vs 2P1 2x2", (3, 2), (4,)),
    ("2 2 vs 3 3", (3, 1), (2, 4)),
    ("2 vs 2!T 2", (0, 2), (4,)),
    ("6 vs 2x2 1", (5, 1), (3,)),
    ("2 2 vs 3 3", (2, 2), (2, 4)),
)
"""Combats with what both sides assign, in the last one against the rules."""


def shipped() -> list[Row]:
    """The rows that come with the package: those of the seed 0, as `rows` worked them out."""
    lines = Path(__file__).with_name("vectors.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Row) for line in lines]


def rows(seed: int = SEED) -> Iterator[Row]:
    """The rows of a seed, in order: first those that are the same for every seed.

    That takes a few minutes, most of them for what the laboratory proves.
    """
    for name, line in EXAMPLES:
        yield row(f"example-{name}", parse(line))
    yield from _broken("alone", 1)
    yield from _broken("pair", 2)
    yield from _disagreements()
    yield from _numbered("single", map(parse, _SINGLE))
    for i, line in enumerate(_ACROSS_EDITIONS):
        for key in EDITIONS:
            yield row(f"edition-{key}-{i}", parse(f"{line} --edition {key}"))
    yield from _numbered("fight", map(parse, _FIGHTS))
    for i, (line, mine, theirs) in enumerate(_PLAYED):
        fight = replace(parse(line), attacker_assigns=mine, defender_assigns=theirs)
        yield row(f"played-{i}", fight)
    yield from _chosen(seed)


def reseeded(seed: int) -> Iterator[Row]:
    """As `rows`, with those that are the same for every seed as they come with the package."""
    yield from shipped()[: -(_BOARDS + _READINGS + _COMBATS + _LARGE)]
    yield from _chosen(seed)


def _chosen(seed: int) -> Iterator[Row]:
    rng = random.Random(f"{VERSION}/{seed}")
    yield from _numbered("board", telling_boards(rng, random_board, _BOARDS, _CANDIDATES))
    yield from _numbered("reading", telling_boards(rng, board_by_reading, _READINGS, _CANDIDATES))
    yield from _numbered("combat", telling_combats(rng, _COMBATS, _COMBAT_CANDIDATES))
    yield from _numbered("large", (_large_board(rng) for _ in range(_LARGE)))


def _broken(kind: str, number: int) -> Iterator[Row]:
    """For so many rules together the smallest board on which they are broken and no other is.

    A question is put to the canonical edition, if anything breaks the rules there, else to the
    newest.
    """
    from solver.lab.laboratory import EMPTY, breaking, dead

    asked: set[tuple[str, ...]] = set()
    for key in (CANONICAL, *reversed(EDITIONS)):
        settings = replace(EMPTY, edition=key)
        unbroken = dead(Bounds(), settings) or ()
        breakable = [rule.slug for rule in FORBIDDING[key] if rule.slug not in unbroken]
        for rules in combinations(breakable, number):
            found = None if rules in asked else breaking(rules, Bounds(), settings).specimen
            asked.add(rules)
            if found is not None:
                yield row("-".join((kind, *rules)), found.board, (found.assignment,))


def _disagreements() -> Iterator[Row]:
    """The smallest boards on which editions or readings disagree, each as both of them play it."""
    from solver.lab.laboratory import alternatives, difference

    asked: dict[Board, tuple[str, list[Assignment]]] = {}
    for ways in alternatives():
        first, second = ways
        changed = second.readings.changed() or {first.edition: second.edition}
        name = "-".join(("differ", *chain(*changed.items())))
        for i, found in enumerate(difference(first, second, Bounds(), most=_MOST_DIFFERENT).found):
            for letter, way in zip("ab", ways, strict=True):
                board = replace(found.board, edition=way.edition, readings=way.readings)
                _, refused = asked.setdefault(board, (f"{name}-{i}{letter}", []))
                if board == found.forbidden_on:
                    refused.append(found.assignment)
    return (row(name, board, refused) for board, (name, refused) in asked.items())


def _numbered(kind: str, questions: Iterable[Board | Combat]) -> Iterator[Row]:
    return (row(f"{kind}-{i:03}", question) for i, question in enumerate(questions))


def random_rows(seed: int, number: int) -> Iterator[Row]:
    """So many rows of random questions, mostly boards."""
    rng = random.Random(f"{VERSION}/{seed}/random")
    for i in range(number):
        draw = random_combat if rng.random() < 0.2 else random_board
        yield row(f"random-{seed}-{i}", draw(rng))


def as_line(one: Row) -> bytes:
    """A row as one line of JSON, without its end."""
    return msgspec.json.encode(one)


# --- a question and its right answer --------------------------------------------------------------


def row(name: str, question: Board | Combat, refused: Sequence[Assignment] = ()) -> Row:
    """The row of a question; `refused` are illegal assignments that it has in any case.

    It tests the rules that these break, too.
    """
    one = with_rules(untagged_row(name, question, refused), question)
    broken = [one.expect["illegal"][i]["rules"] for i in range(len(refused))]
    return replace(one, rules=tuple(dict.fromkeys(chain(one.rules, *broken))))


def untagged_row(name: str, question: Board | Combat, refused: Sequence[Assignment] = ()) -> Row:
    """As `row`, without the rules that it tests: they take longer than the right answer."""
    asked = concise(question)
    if isinstance(question, Combat):
        asked = {"op": "combat", "limit": 0, **asked}
        return _plain_row(name, asked, combat_facts(CombatAnswer(question)))
    expect: Json = {"need": need(question), "count": exact.legal(question).count()}
    if ways_to_split(question) > _MOST_LISTED:
        return _plain_row(name, {"op": "count", **asked}, expect)
    expect["assignments"] = sorted(right(question).legal)
    expect["illegal"] = [
        {"assignment": vector, "rules": broken}
        for vector, broken in _illegal(question, refused).items()
    ]
    return _plain_row(name, {"op": "list", "limit": 0, **asked}, expect)


def _plain_row(name: str, request: Json, expect: Json) -> Row:
    """A row as it is read from JSON, with lists for tuples."""
    data = {"version": VERSION, "id": name, "request": request, "expect": expect, "rules": ()}
    return msgspec.json.decode(msgspec.json.encode(data), type=Row)


def with_rules(one: Row, question: Board | Combat) -> Row:
    """The row with the ids of the rules that it tests."""
    if isinstance(question, Combat):
        return replace(one, rules=tuple(rules_tested_by(question)))
    listed = "assignments" in one.expect
    return replace(one, rules=tuple(rules_tested(question) if listed else _concerned(question)))


def _concerned(board: Board) -> list[str]:
    """The ids of the rules that what stands on a board brings into play."""
    arithmetic = {
        "lethal_nonzero_ge_might": any(current_might(u, board.units_are) <= 0 for u in board.units),
        "might_kill_check": any(unit.marked for unit in board.units),
        "shield_bonus": any(unit.shield for unit in board.units),
    }
    return list(dict.fromkeys((*in_play(board), *(rule for rule, so in arithmetic.items() if so))))


def _illegal(board: Board, refused: Sequence[Assignment]) -> dict[Assignment, list[str]]:
    """Illegal assignments with the rules they break: few rules each, and each other rules."""
    units = len(board.units)
    short = splits(board.pool - 1, units) if board.pool else ()
    broken: dict[Assignment, list[str]] = {}
    for vector in (*refused, *splits(board.pool, units), *short):
        rules = [one.rule for one in violations(Position(board, vector))]
        if rules:
            broken[vector] = list(dict.fromkeys(rules))
    chosen = {vector: broken[vector] for vector in refused}
    for vector in sorted(broken, key=lambda v: (len(broken[v]), v)):
        if len(chosen) < _MOST_REFUSED and broken[vector] not in chosen.values():
            chosen[vector] = broken[vector]
    return chosen


def concise(question: Board | Combat) -> Json:
    """The question as plain data, without the fields that are at their default."""
    empty = (
        Board(pool=0, units=())
        if isinstance(question, Board)
        else Combat(attackers=(), defenders=())
    )
    data = plain(question)
    for holder, role in (
        (data, "units"),
        *((place, f"{side}s") for side in SIDES for place in (data, data.get("arrivals", {}))),
    ):
        if role in holder:
            units = (_apart(unit, _PLAIN_UNIT, ("name", "might")) for unit in holder[role])
            holder[role] = tuple(units)
    data["readings"] = question.readings.changed()
    return _apart(
        data, {**plain(empty), "readings": {}}, ("pool", "units", "attackers", "defenders")
    )


_PLAIN_UNIT: Final = msgspec.to_builtins(Unit(might=0))


def _apart(data: Json, defaults: Json, always: Iterable[str]) -> Json:
    """The fields in which the data differs from the defaults, and some in any case."""
    return {k: v for k, v in data.items() if k in always or v != defaults.get(k)}


# --- random questions -----------------------------------------------------------------------------


def telling_boards(
    rng: random.Random, draw: Callable[[random.Random], Board], wanted: int, candidates: int
) -> list[Board]:
    """Of so many random boards those that together tell the most mistakes apart."""
    boards = _distinct(lambda: draw(rng), candidates, lambda b: ways_to_split(b) <= 250)
    answers = ([right(board), *(m.answer(board) for m in MISTAKES)] for board in boards)
    return _telling(boards, answers, MISTAKES, wanted)


def telling_combats(rng: random.Random, wanted: int, candidates: int) -> list[Combat]:
    """Of so many random combats those that together tell the most mistakes apart."""
    fights = _distinct(lambda: random_combat(rng), candidates, lambda _: True)
    answers = (
        [
            msgspec.json.encode(told)
            for told in (combat_facts(CombatAnswer(c)), *(m.answer(c) for m in COMBAT_MISTAKES))
        ]
        for c in fights
    )
    return _telling(fights, answers, COMBAT_MISTAKES, wanted)


def _distinct(draw: Callable[[], Asked], number: int, fits: Callable[[Asked], bool]) -> list[Asked]:
    drawn: dict[Asked, None] = {}
    while len(drawn) < number:
        question = draw()
        if fits(question):
            drawn[question] = None
    return list(drawn)


def _telling(
    questions: Sequence[Asked],
    answers: Iterable[Sequence[object]],
    mistakes: Sequence[Mistake | CombatMistake],
    wanted: int,
) -> list[Asked]:
    """Questions chosen one by one, each telling most of the pairs apart that are left.

    `answers` are, for each question, those of the right engine and of every wrong one. Until enough
    questions test a rule or a reading or catch a mistake, those that do come first. When no pair is
    left, all are wanted once more.
    """
    apart, tested = [], []
    for question, given in zip(questions, answers, strict=True):
        pairs = enumerate(combinations(given, 2))
        apart.append(sum(1 << i for i, (one, other) in pairs if one != other))
        truth, *wrong = given
        caught = [m for m, told in zip(mistakes, wrong, strict=True) if told != truth]
        subjects = {subject for mistake in caught for subject in (mistake.rule, mistake.name)}
        if caught:
            subjects |= {f"{s}={value}" for s, value in question.readings.changed().items()}
        tested.append(subjects)
    chosen: list[Asked] = []
    times = Counter[str]()
    left, waiting = 0, list(range(len(questions)))
    while waiting and len(chosen) < wanted:
        if not any(apart[i] & left for i in waiting):
            left = 0
            for i in waiting:
                left |= apart[i]
        best = max(
            waiting,
            key=lambda i: (
                sum(times[subject] < _LEAST_TESTED for subject in tested[i]),
                (apart[i] & left).bit_count(),
                -i,
            ),
        )
        left &= ~apart[best]
        times.update(tested[best])
        waiting.remove(best)
        chosen.append(questions[best])
    return chosen


def board_by_reading(rng: random.Random) -> Board:
    """A random board by another reading than the default, with a unit that this is about."""
    board = random_board(rng)
    switch, value = rng.choice(_OTHER_READINGS)
    concerned = range(len(board.units)) if switch == "only_undamageable" else (0,)
    units = [
        replace(unit, **_CONCERNED.get(switch, {})) if i in concerned else unit
        for i, unit in enumerate(board.units)
    ]
    rng.shuffle(units)
    board = replace(board, units=tuple(units), readings=replace(Readings(), **{switch: value}))
    return replace(board, pool=_random_pool(rng, board))


_OTHER_READINGS: Final = tuple(
    (switch, value)
    for switch, (_, *others) in SWITCHES.items()
    for value in others
    if switch != "excess"
)
_CONCERNED: Final[Json] = {
    "undamageable": {"undamageable": True, "tank": True},
    "only_undamageable": {"undamageable": True},
    "prevent_all": {"replacements": ("prevent all",)},
    "must_kill": {"replacements": ("prevent all",)},
    "already_lethal": {"marked": 5, "replacements": ("prevent 1",)},
}
"""What a unit has that a reading is about."""


def random_board(rng: random.Random) -> Board:
    """A random board of at most four units, with every field there is."""
    units = [_random_unit(rng) for _ in range(rng.choice((1, 2, 2, 3, 3, 3, 4)))]
    data: Json = {"pool": 0, "units": units, **_random_settings(rng)}
    if rng.random() < 0.3:
        data["units_are"] = "attackers"
    if rng.random() < 0.3:
        data["assigner"] = _random_assigner(rng)
    board = read_board(data)
    return replace(board, pool=_random_pool(rng, board))


def _random_pool(rng: random.Random, board: Board) -> int:
    """Points around the sum of all needs: too few, exactly enough, some left over."""
    wanted = sum(least for least in need(board) if isinstance(least, int))
    short = rng.randint(min(1, wanted), max(1, wanted - 1))
    return min(rng.choice((short, short, wanted, wanted + rng.randint(1, 3))), _LARGEST_POOL)


def random_combat(rng: random.Random) -> Combat:
    """A random combat of at most three units a side, small enough to try every pair."""
    while True:
        data: Json = {
            role: [_random_unit(rng) for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3)))]
            for role in ("attackers", "defenders")
        }
        data.update(_random_settings(rng))
        data["control"] = rng.choice(("attacker", "defender", "defender", None))
        if rng.random() < 0.3:
            data["scored_this_turn"] = [rng.choice(SIDES)]
        if rng.random() < 0.2:
            data["arrivals"] = {rng.choice(("attackers", "defenders")): [_random_unit(rng)]}
        counted_raw = rng.random() < 0.1
        if counted_raw:
            data["readings"] = {"excess": "raw"}
            for unit in (*data["attackers"], *data["defenders"]):
                unit["replacements"] = ["double"]
        for side in SIDES:
            if rng.random() < 0.4:
                data[side] = _random_assigner(rng)
        fight = read_combat(data)
        answer = CombatAnswer(fight)
        if max(answer.pools.values()) <= _LARGEST_POOL - 4:
            return _with_assignments(rng, fight, answer, 1.0 if counted_raw else 0.5)


def _with_assignments(
    rng: random.Random, fight: Combat, answer: CombatAnswer, chance: float
) -> Combat:
    """The combat, so often with a legal assignment chosen by each side."""
    if rng.random() >= chance:
        return fight
    mine, theirs = (rng.choice(list(exact.legal(answer.boards[side]))) for side in SIDES)
    return replace(fight, attacker_assigns=mine, defender_assigns=theirs)


def _random_unit(rng: random.Random) -> Json:
    unit: Json = {"might": rng.choice((-2, -1, 0, 1, 1, 2, 2, 2, 3, 3, 4))}
    for field, chance, values in _RANDOM_FIELDS:
        if rng.random() < chance:
            unit[field] = rng.choice(values)
    if rng.random() < 0.3:
        unit["replacements"] = rng.choices(_STEPS, k=rng.choice((1, 1, 2, 3)))
    return unit


_RANDOM_FIELDS: Final = (
    ("marked", 0.25, (1, 1, 2, 3, 5)),
    ("tank", 0.3, (True,)),
    ("backline", 0.3, (True,)),
    ("undamageable", 0.1, (True,)),
    ("assault", 0.15, (1, 2, 3)),
    ("shield", 0.15, (1, 2, 3)),
    ("stunned", 0.1, (True,)),
    ("no_combat_damage", 0.05, (True,)),
)
"""A field of a unit, how likely it is, its values."""
_STEPS: Final = ("double", "double", "double", "prevent 1", "prevent 1", "prevent 2", "prevent all")


def _random_assigner(rng: random.Random) -> Json:
    ignores = rng.choice(([], ["tank"], ["tank"], ["backline"], ["tank", "backline"]))
    return {"ignores": ignores, "any_damage_is_lethal": rng.random() < 0.3}


def _random_settings(rng: random.Random) -> Json:
    settings: Json = {}
    if rng.random() < 0.25:
        settings["edition"] = rng.choice(list(EDITIONS))
    if rng.random() < 0.25:
        switch = rng.choice(list(SWITCHES))
        settings["readings"] = {switch: rng.choice(SWITCHES[switch])}
    return settings


def _large_board(rng: random.Random) -> Board:
    """A board with more ways to split the pool than are listed, by far mostly."""
    units = [_random_unit(rng) for _ in range(rng.randint(4, 9))]
    board = read_board({"pool": 0, "units": units})
    return replace(board, pool=rng.randint(13, 30))
