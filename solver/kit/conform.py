"""Is another engine right? Its answers beside the right ones, told by rule.

Every row of `solver.kit.vectors` becomes a few requests, whose answers are compared. A row that
fails speaks against each rule that it tests; named are the fewest rules that account for all that
fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple

import msgspec

from rules.board import Board, Combat, Unit
from rules.editions import TABLE
from rules.errors import BadRequest
from rules.notation import write
from rules.readings import Readings
from rules.resolution import question as side_question
from rules.wire import read_board, read_combat
from solver.kit.dialogue import CannotRun, Engine, NoAnswer
from solver.kit.mistakes import ways_to_split
from solver.kit.vectors import MOST_WAYS, Row, concise, untagged_row, with_rules

Json = dict[str, Any]
Status = Literal["passed", "failed", "unsupported"]

OPS: Final = ("need", "count", "list", "check", "combat")
_BEYOND: Final = ("unknown_op", "unknown_edition", "unknown_reading", "limit")
"""Codes of errors by which an engine says that it does not support a request."""
_MOST_LOST: Final = 5
"""After so many requests in a row without an answer the engine is given up."""
_MOST_SHRUNK: Final = 5
"""Of so many failing random questions smaller ones are looked for."""
_MOST_STEPS: Final = 400


class Request(NamedTuple):
    """One request of a row, and the fields of the right answer."""

    op: str
    data: Json
    right: Json


class Failure(NamedTuple):
    """A request that was answered wrongly: the fields given, or in words what came instead."""

    request: Request
    given: Json | str

    @property
    def answer(self) -> Json | None:
        """The fields given; None where the engine says nothing of what was asked, or an error."""
        return None if isinstance(self.given, str) or "error" in self.given else self.given

    @property
    def named(self) -> Collection[str]:
        """The rules named where nothing else is wrong about a refusal."""
        answer, right = self.answer or {}, self.request.right
        refused = right.get("legal") is False and answer.get("legal") is False
        return answer["rules"] if refused else ()


class Result(NamedTuple):
    """What became of one row: failures, those that are answered first, and what was right."""

    row: Row
    status: Status
    failures: tuple[Failure, ...] = ()
    right: tuple[Request, ...] = ()

    @property
    def is_unanswered(self) -> bool:
        """Is there nothing wrong with any answer, but no answer to something?"""
        return bool(self.failures) and self.failures[0].answer is None

    @property
    def is_misnamed(self) -> bool:
        """Is nothing wrong with any answer but the names of rules?"""
        answered = [failure for failure in self.failures if failure.answer is not None]
        return bool(answered) and all(failure.named for failure in answered)


class Tally(msgspec.Struct):
    """Of one rule: how many rows passed, failed, were unsupported; the smallest that failed."""

    passed: int = 0
    failed: int = 0
    unsupported: int = 0
    smallest: Result | None = None


def requests(row: Row) -> Iterator[Request]:
    """The requests of a row: for a board its needs, its legal set and a few verdicts."""
    expect = row.expect
    if row.request["op"] == "combat":
        yield Request("combat", row.request, expect)
        return
    board = {k: v for k, v in row.request.items() if k not in ("op", "limit")}
    yield Request("need", {"op": "need", **board}, {"need": expect["need"]})
    legal = expect.get("assignments", [])
    if legal:
        yield Request("list", {"op": "list", "limit": 0, **board}, {"assignments": legal})
    yield Request("count", {"op": "count", **board}, {"count": expect["count"]})
    for assignment in (*legal[:1], *legal[1:][-1:]):
        yield Request("check", {"op": "check", "assignment": assignment, **board}, {"legal": True})
    for one in expect.get("illegal", ()):
        asked = {"op": "check", "assignment": one["assignment"], **board}
        yield Request("check", asked, {"legal": False, "rules": one["rules"]})


def is_right(request: Request, answer: Json) -> bool:
    """Is this the right answer? The order of a list does not matter, nor does any further field.

    A refused assignment must name one of the rules that it breaks, if it names any.
    """
    right = request.right
    if answer.get("ok", True) is not True:
        return False
    if request.op == "list":
        given = answer.get("assignments")
        return isinstance(given, list) and _sorted(given) == _sorted(right["assignments"])
    if request.op == "check":
        named = _rules_named(answer)
        fits = not named or not named.isdisjoint(right.get("rules", named))
        return answer.get("legal") is right["legal"] and fits
    if request.op == "combat":
        right, answer = _of_combat(right), _of_combat(answer)
    return all(_in_json(answer.get(k)) == _in_json(value) for k, value in right.items())


def _in_json(value: object) -> bytes:
    """By what values are compared: a tuple is a list, and `true` is not 1."""
    return msgspec.json.encode(value, order="sorted")


def _sorted(items: Iterable[object]) -> list[bytes]:
    return sorted(map(_in_json, items))


def _rules_named(answer: Json) -> set[str]:
    violations = answer.get("violations")
    if not isinstance(violations, list):
        return set()
    return {v["rule"] for v in violations if isinstance(v, dict) and isinstance(v.get("rule"), str)}


def _fields(request: Request, answer: Json) -> Json:
    """What a wrong answer says about what was asked, or its error."""
    if answer.get("ok", True) is not True:
        return {"error": answer.get("error")}
    given = {field: answer.get(field) for field in request.right if field != "rules"}
    if request.op == "check" and answer.get("legal") is False:
        given["rules"] = sorted(_rules_named(answer))
    return given


def _of_combat(answer: Json) -> Json:
    """An answer to a combat with its outcomes in an order of their own and without examples."""
    facts = dict(answer)
    outcomes = facts.get("outcomes")
    if isinstance(outcomes, list) and all(isinstance(way, dict) for way in outcomes):
        facts["outcomes"] = _sorted(
            {k: v for k, v in way.items() if k not in ("example", "left")} for way in outcomes
        )
    if isinstance(facts.get("outcome"), dict):
        facts["outcome"] = {k: v for k, v in facts["outcome"].items() if k != "left"}
    return facts


class Examination:
    """An engine asked row by row; `results` grows as it answers."""

    def __init__(self, engine: Engine, ops: Collection[str] = OPS) -> None:
        self.engine = engine
        self.results: list[Result] = []
        self.asked = 0
        self.unknown = set(OPS) - set(ops)
        """The ops that the engine does not have."""
        self.refused = Counter[str]()
        """By code, how many other requests it said it does not support."""
        self.unshrunk = 0
        """How many random questions that failed are told as they were drawn."""
        self._lost = 0
        self._lost_of = Counter[str]()

    @property
    def given_up(self) -> bool:
        """Has the engine left too many requests in a row without an answer?"""
        return self._lost >= _MOST_LOST

    @property
    def ops_given_up(self) -> list[str]:
        """The ops of which too many requests in a row were left without an answer."""
        return [op for op in OPS if self._lost_of[op] >= _MOST_LOST]

    def examine(self, row: Row) -> Result:
        """Ask a row, and keep what became of it."""
        result = self.ask(row)
        self.results.append(result)
        return result

    def ask(self, row: Row) -> Result:
        """What becomes of a row."""
        failures: list[Failure] = []
        right: list[Request] = []
        for request in requests(row):
            if request.op in self.unknown:
                continue
            try:
                answer = self._answer(request)
            except NoAnswer as silence:
                failures.append(Failure(request, silence.why))
                continue
            if answer is None:
                continue
            if is_right(request, answer):
                right.append(request)
            else:
                failures.append(Failure(request, _fields(request, answer)))
        failures.sort(key=lambda failure: failure.answer is None)
        status: Status = "failed" if failures else "passed" if right else "unsupported"
        return Result(row, status, tuple(failures), tuple(right))

    def _answer(self, request: Request) -> Json | None:
        """The engine's answer; None where it says that it does not support the request."""
        if self.given_up or request.op in self.ops_given_up:
            raise NoAnswer(f"not asked, after {_MOST_LOST} requests in a row without an answer")
        self.asked += 1
        self._lost += 1
        self._lost_of[request.op] += 1
        try:
            answer = self.engine.ask({"id": self.asked, **request.data})
        except CannotRun as fault:
            raise NoAnswer(str(fault)) from None
        self._lost = self._lost_of[request.op] = 0
        error = answer.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        if code not in _BEYOND:
            return answer
        if code == "unknown_op":
            self.unknown.add(request.op)
        else:
            self.refused[code] += 1
        return None

    # --- the report ---

    def number(self, status: Status) -> int:
        """How many rows ended so."""
        return sum(result.status == status for result in self.results)


def why_nothing(examination: Examination) -> str:
    """Why there is nothing to say about an engine, as a sentence."""
    if not examination.results:
        return "no question is asked by that edition and those readings"
    if examination.engine.answered:
        return "the engine supports nothing of what was asked"
    said = next(f.given for r in examination.results for f in r.failures)
    return f"the engine never answered: {said}"


def tallies(results: Iterable[Result]) -> dict[str, Tally]:
    """The tally of each rule that a row tests, in the order of the rules' numbers."""
    by_rule: dict[str, Tally] = {}
    for result in results:
        for rule in result.row.rules:
            tally = by_rule.setdefault(rule, Tally())
            setattr(tally, result.status, getattr(tally, result.status) + 1)
            if result.failures:
                failing = [tally.smallest, result] if tally.smallest else [result]
                tally.smallest = smallest(failing)
    return {slug: by_rule[slug] for slug in TABLE if slug in by_rule}


def smallest(failed: Iterable[Result]) -> Result:
    """The smallest question of those that failed, one with a wrong answer if there is any."""
    return min(failed, key=lambda result: (result.is_unanswered, size(result.row)))


def question_of(row: Row) -> Board | Combat:
    """The board or the combat that a row asks about."""
    data = {k: v for k, v in row.request.items() if k not in ("op", "limit")}
    return read_combat(data) if row.request["op"] == "combat" else read_board(data)


def told(row: Row) -> str:
    """The question in notation, or in JSON where notation has no words for it."""
    question = question_of(row)
    try:
        return write(question)
    except BadRequest:
        return msgspec.json.encode(concise(question)).decode()


def size(row: Row) -> tuple[int, int, int, int, str]:
    """By what the smallest question is told: units, what is on them, Might, points, notation."""
    question = question_of(row)
    if isinstance(question, Board):
        units, points = question.units, question.pool
    else:
        units, points = (*question.attackers, *question.defenders), 0
    return (
        len(units),
        sum(map(_trimmings, units)),
        sum(abs(unit.might) for unit in units),
        points,
        told(row),
    )


def _trimmings(unit: Unit) -> int:
    """How many keywords, replacements and marks a unit has."""
    words = (unit.tank, unit.backline, unit.undamageable, unit.stunned, unit.no_combat_damage)
    amounts = (unit.marked, unit.assault, unit.shield)
    return sum(words) + sum(map(bool, amounts)) + len(unit.replacements)


def is_asked(row: Row, key: str | None, readings: Readings) -> bool:
    """Is this a question of that edition, or of any, and under those readings?"""
    question = question_of(row)
    chosen = question.readings
    return key in (None, question.edition) and all(
        getattr(chosen, switch) == value for switch, value in readings.changed().items()
    )


def is_small(row: Row) -> bool:
    """Can a brute-force engine keep up with this row?"""
    question = question_of(row)
    boards = (
        [question]
        if isinstance(question, Board)
        else [side_question(question, "attacker"), side_question(question, "defender")]
    )
    return all(ways_to_split(board) <= MOST_WAYS for board in boards)


# --- smaller questions that still fail ------------------------------------------------------------


def shrink_failures(examination: Examination) -> None:
    """Replace the first few rows that failed by smaller ones that fail as well."""
    failed = [i for i, r in enumerate(examination.results) if r.status == "failed"]
    examination.unshrunk = len(failed[_MOST_SHRUNK:])
    for i in failed[:_MOST_SHRUNK]:
        if not examination.given_up:
            examination.results[i] = _shrunk(examination, examination.results[i])


def _shrunk(examination: Examination, failing: Result) -> Result:
    """A row from which nothing can be taken without its passing, found by trying."""
    steps, smaller = 0, True
    while smaller and steps < _MOST_STEPS:
        smaller = False
        for question in _smaller(question_of(failing.row)):
            steps += 1
            result = examination.ask(untagged_row(failing.row.id, question))
            if result.status == "failed":
                failing, smaller = result, True
                break
    return failing._replace(row=with_rules(failing.row, question_of(failing.row)))


def _smaller(question: Board | Combat) -> Iterator[Board | Combat]:
    """Questions with one thing less: a unit, a field, a replacement, a point."""
    data = concise(question)
    read = read_board if isinstance(question, Board) else read_combat
    for path in _places(data):
        for changed in _lessened(data, path):
            with suppress(BadRequest):
                yield read(changed)


def _places(data: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of whatever could be left out, from outside to inside."""
    keys: Iterable[Any] = ()
    if isinstance(data, dict):
        keys = [key for key in data if key not in ("name", "units", "attackers", "defenders")]
        keys = [*keys, *(key for key in data if key in ("units", "attackers", "defenders"))]
    elif isinstance(data, tuple):
        keys = range(len(data))
    for key in keys:
        yield (*path, key)
        yield from _places(data[key], (*path, key))  # type: ignore[index]


def _lessened(data: Json, path: Sequence[Any]) -> Iterator[Json]:
    """The data without what is at a place, and with a number there that is nearer to none."""
    value: Any = data
    for key in path:
        value = value[key]
    yield _with(data, path, None)
    if type(value) is int:
        least = 1 if path[-1] == "might" else 0
        if value != least:
            yield _with(data, path, least)
            yield _with(data, path, value + (1 if value < least else -1))


def _with(data: Json, path: Sequence[Any], value: int | None) -> Json:
    """A copy in which a place has another value, or is no more; units are named by position."""
    copy = msgspec.json.decode(msgspec.json.encode(data))
    for units in (copy, copy.get("arrivals", {})):
        for role in ("units", "attackers", "defenders"):
            for unit in units.get(role, ()):
                unit.pop("name", None)
    holder = copy
    for key in path[:-1]:
        holder = holder[key]
    if value is None:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return copy  # type: ignore[no-any-return]
