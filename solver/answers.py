"""One question as plain data to one answer as plain data: what `batch` and `--json` have in common.

A request is a board with an `op` and the fields of that op; `answer` returns the response without
the `id` and `ok` that a stream needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain, islice
from typing import Any, Final, NamedTuple

import msgspec

from rules.board import SIDES, Board, Combat
from rules.checks import flag, number
from rules.editions import CANONICAL, EDITIONS, PUBLISHED, TABLE, edition, is_inferred
from rules.errors import BadRequest, did_you_mean, shown
from rules.examples import EXAMPLES, because
from rules.flow import Flow
from rules.lethal import need, oddities
from rules.logic import written
from rules.position import Position
from rules.readings import ABOUT, SWITCHES, Readings
from rules.resolution import boards_of
from rules.rule import Rule
from rules.rulebook import Found, look_up, moved, violations
from rules.wire import plain, read, read_board, read_combat
from solver import best, check, count, depends, kills, legal, limits, makeup, reasons
from solver.comparison import Comparison, compare
from solver.demands import meeting
from solver.depends import Again, Depends, End
from solver.difference import Difference
from solver.exact import Legal
from solver.explain import Verdict
from solver.limits import LimitReached
from solver.margins import Margin, margin
from solver.optimize import Best
from solver.orders import SECONDS, Asked, Robust, could_matter
from solver.outcomes import CombatAnswer, KillSets, Way, Ways
from solver.reasons import Answer

Json = dict[str, Any]
MARGIN_FIELDS: Final = ("kill", "kill_all", "spare", "excess", "goal", "side", "how", "unit")
_COMBAT_FIELDS: Final = ("limit", "depends")
_OTHER_OPS: Final = ("combat", "margin", "rule")
LIST_LIMIT: Final = 1000
"""How many assignments or outcomes an answer lists unless it is told otherwise."""


class Op(NamedTuple):
    """An operation on boards: what answers it and which fields it has besides the board.

    `depends` asks it again, to know on what the answer depends, where that can be asked.
    """

    answer: Callable[[Board, Json], Json]
    fields: frozenset[str]
    depends: Callable[..., Again[Board, Any]] | None = None


def answer(request: object, *, time_limit: float | None = None) -> Json:
    """The response to one request. Raises `BadRequest` with the path of the fault."""
    if not isinstance(request, dict):
        raise BadRequest("a request is an object", "$")
    if "op" not in request:
        raise BadRequest(f"this field is required: one of {_ops()}", "$.op")
    name = request["op"]
    if name == "combat":
        return combat_answer(request, time_limit)
    if name == "margin":
        return margin_answer(request, time_limit)
    if name == "rule":
        return rule_answer(request)
    if not isinstance(name, str) or name not in OPS:
        hint = did_you_mean(name, [*OPS, *_OTHER_OPS]) if isinstance(name, str) else ""
        sentence = f"there is no op {shown(name)}, but {_ops()}{hint}"
        raise BadRequest(sentence, "$.op", "unknown_op")
    op = OPS[name]
    if "depends" in request:
        return _with_depends(request, op, time_limit)
    question, extra = _parted(request, Board, op.fields)
    board = read_board(question)
    with limits.deadline(time_limit):
        return {**op.answer(board, extra), **remarks(board)}


def combat_answer(request: Json, time_limit: float | None) -> Json:
    """The ways of a combat to end, and on which orders and, if asked, readings they depend."""
    question, extra = _parted(request, Combat, _COMBAT_FIELDS)
    fight = read_combat(question)
    limit = number(extra.get("limit", LIST_LIMIT), "$.limit")
    wanted = flag(extra.get("depends", False), "$.depends")
    clock = limits.Clock(time_limit)
    told = combat_as_data(CombatAnswer(fight, time_limit), limit)
    if could_matter(fight) or wanted:
        again = depends.of_combat(fight)
        with clock.running():
            told.update(again_as_data("combat", again))
        if wanted:
            told = {**told, "depends_on": {}, **depends_as_data(again.readings)}
    return told


def _with_depends(request: Json, op: Op, time_limit: float | None) -> Json:
    """The response to a request that also says whether it asks for the readings that matter."""
    wanted = flag(request["depends"], "$.depends")
    rest = {field: value for field, value in request.items() if field != "depends"}
    response = answer(rest, time_limit=time_limit)
    if not wanted:
        return response
    if op.depends is None:
        raise BadRequest(f"the op {request['op']} has no such field", "$.depends")
    question, extra = _parted(rest, Board, op.fields)
    extra.pop("limit", None)
    again = op.depends(read_board(question), **extra)
    return {**response, "depends_on": {}, **depends_as_data(again.readings)}


def _ops() -> str:
    return ", ".join([*OPS, *_OTHER_OPS])


def _parted(
    request: Json, noun: type[msgspec.Struct], fields: Collection[str]
) -> tuple[Json, Json]:
    """The fields of the noun, and those of the op. Raises `BadRequest` for one of neither."""
    question: Json = {}
    extra: Json = {}
    own = noun.__struct_fields__
    for name, value in request.items():
        if name in own:
            question[name] = value
        elif name in fields:
            extra[name] = value
        elif name not in ("op", "id"):
            hint = did_you_mean(name, (*own, *fields))
            raise BadRequest(f"there is no field {shown(name)}{hint}", f"$.{shown(name)}")
    return question, extra


def remarks(*boards: Board) -> Json:
    """What every answer says of its boards: oddities, and readings not at their default."""
    said: Json = {}
    if odd := list(chain.from_iterable(map(oddities, boards))):
        said["warnings"] = odd
    if changed := boards[0].readings.changed():
        said["readings"] = changed
    return said


def need_answer(board: Board, extra: Json) -> Json:
    return {"need": need(board), **_in_other_orders("need", depends.of_need, board, extra)}


def count_answer(board: Board, extra: Json) -> Json:
    counted = _counted(board, extra)
    if counted["count"] is not None:
        counted.update(_in_other_orders("count", depends.of_count, board, extra))
    return counted


def _counted(board: Board, extra: Json) -> Json:
    try:
        return {"count": count(board, **extra)}
    except LimitReached as cut:
        return {"count": None, "at_least": cut.at_least}


def list_answer(board: Board, extra: Json) -> Json:
    limit = number(extra.get("limit", LIST_LIMIT), "$.limit")
    counted = _counted(board, {})
    assignments: list[Any] = []
    with suppress(LimitReached):
        for assignment in islice(legal(board), min(limit, sys.maxsize) or None):
            limits.check()
            assignments.append(assignment)
    truncated = counted["count"] != len(assignments)
    if "at_least" in counted:
        counted["at_least"] = max(counted["at_least"], len(assignments))
    else:
        counted.update(_in_other_orders("list", depends.of_list, board, {}))
    return {"assignments": assignments, **counted, "truncated": truncated}


def check_answer(board: Board, extra: Json) -> Json:
    if "assignment" not in extra:
        raise BadRequest("this field is required", "$.assignment")
    return verdict_as_data(check(board, extra["assignment"]))


def verdict_as_data(verdict: Verdict) -> Json:
    """A `Verdict` in the JSON shape."""
    response = {
        "legal": verdict.legal,
        "violations": [msgspec.to_builtins(violation) for violation in verdict.violations],
        "tiers": verdict.tiers,
    }
    response.update(_reason_as_data(verdict))

    def broken(other: Board) -> Json:
        found = violations(Position(other, verdict.assignment))
        return {"legal": not found, "violations": [msgspec.to_builtins(v) for v in found]}

    return {**response, **_orders_as_data(verdict.orders, broken)}


def _reason_as_data(verdict: Verdict) -> Json:
    """How a legal assignment can be made; what is instead of an illegal one, and why."""
    if verdict.legal:
        return {"order": verdict.order}
    nearest, complete = verdict.all_nearest
    response: Json = {
        "nearest": verdict.nearest,
        "nearest_all": {"assignments": nearest, "complete": complete},
    }
    trials, complete = verdict.tried
    if trials:
        choices = [{"tiers": t, "violations": msgspec.to_builtins(broken)} for t, broken in trials]
        response["tried"] = {"choices": choices, "complete": complete}
    return response


def _orders_as_data(orders: Robust[Asked] | None, there: Callable[[Asked], Json]) -> Json:
    """What depends on the order of replacements: nothing is said where no order matters.

    The answer in another order is left out where a limit comes before it is told.
    """
    if orders is None:
        return {}
    data: Json = {"in_every_order": orders.in_every_order}
    if orders.otherwise:
        data["otherwise"] = {"order": orders.otherwise.steps}
        with limits.deadline(SECONDS), suppress(LimitReached):
            data["otherwise"].update(there(orders.otherwise.asked))
    return data


def again_as_data(op: str, again: Again[Asked, Any]) -> Json:
    """What of an answer to that op depends on the order of replacements, in the JSON shape."""
    there = _THERE[op]
    return _orders_as_data(again.orders, lambda other: there(again.now, again.answer(other)))


def _in_other_orders(
    op: str, ask: Callable[..., Again[Board, Any]], board: Board, extra: Json
) -> Json:
    """The same for a board; nothing is asked again where no order could matter."""
    return again_as_data(op, ask(board, **extra)) if could_matter(board) else {}


def _set_as_data(now: Legal, then: Legal) -> Json:
    """How many assignments another legal set has, and what the two have that the other lacks."""
    differ = Difference(now, then)
    parts = {"gone": differ.gone, "new": differ.new}
    return {"count": then.count(), **msgspec.to_builtins(parts)}


def _end_as_data(now: End, then: End) -> Json:
    """Another end of a combat: which of the assignments given are legal then, and what comes of it.

    That is the outcome, or by each side that has not assigned what it can still do: the number of
    its assignments, and how many sets of units it can kill no more, or only then, with the first.
    """
    data: Json = {}
    if then.legal:
        data["legal"] = then.legal
    if then.forced:
        data["forced"] = then.forced
    if then.outcome is not None:
        data["outcome"] = msgspec.to_builtins(then.outcome)
        del data["outcome"]["left"]
    if then.kill_sets:
        pairs = {side: (now.kill_sets.get(side, {}), sets) for side, sets in then.kill_sets.items()}
        data["counts"] = {side: sum(sets.values()) for side, (_, sets) in pairs.items()}
        data["gone"] = {side: _sets_without(had, sets) for side, (had, sets) in pairs.items()}
        data["new"] = {side: _sets_without(sets, had) for side, (had, sets) in pairs.items()}
    return data


def _sets_without(sets: KillSets, others: KillSets) -> Json:
    """How many of the sets of units are not among the others, and the first of them."""
    left = [names for names in sets if names not in others]
    return {"count": len(left), "first": left[0] if left else None}


def best_answer(board: Board, extra: Json) -> Json:
    try:
        found = best(
            board,
            extra.get("maximize", ("kills",)),
            value=extra.get("value"),
            kill=extra.get("kill", ()),
            spare=extra.get("spare", ()),
        )
    except LimitReached:
        return {"feasible": None, "assignment": None, "score": [], "optimal": False, "ties": None}
    told = best_as_data(found, board)
    return {**told, **_in_other_orders("best", depends.of_best, board, extra)}


def best_as_data(found: Best, board: Board) -> Json:
    """A `Best` in the JSON shape."""
    response: Json = {
        "feasible": found.feasible,
        "assignment": found.assignment,
        "score": _score(found),
        "optimal": found.optimal,
        "ties": found.ties if found.feasible else 0,
    }
    if found.feasible and found.ties is None:
        response["ties_at_least"] = found.ties_at_least
    if not found.feasible:
        response["because"] = found.because and _cited(found.because, board.edition)
    return response


def _score(found: Best) -> list[float]:
    return [float(s) if isinstance(s, Fraction) else s for s in found.score]


def _optimum_as_data(now: Best, then: Best) -> Json:
    """Another optimum, or that there is none, in the JSON shape."""
    return {"feasible": then.feasible, "assignment": then.assignment, "score": _score(then)}


def why_answer(board: Board, extra: Json) -> Json:
    all_reasons = extra.get("all", False)
    flag(all_reasons, "$.all")
    asked = {word: extra.get(word, ()) for word in ("kill", "spare")}
    try:
        found = reasons.why(board, **asked, give=extra.get("give"), all_reasons=all_reasons)
    except LimitReached:
        return {"possible": None}
    return why_as_data(found, all_reasons=all_reasons)


def why_as_data(found: Answer, *, all_reasons: bool) -> Json:
    """An `Answer` in the JSON shape; `complete` is told only where all reasons were asked for."""
    response: Json = {
        "possible": found.possible,
        "example": found.example,
        "reasons": msgspec.to_builtins(found.reasons),
        "contradiction": found.contradiction,
    }
    if all_reasons and found.reasons:
        response["complete"] = found.complete

    def there(other: Board) -> Json:
        example = meeting(other, found.demand)
        return {"possible": example is not None, "example": example}

    response.update(_orders_as_data(found.orders, there))
    if found.grounds:
        grounds = _orders_as_data(found.grounds, there)
        what = "example" if found.possible else "reasons"
        response[f"{what}_in_every_order"] = grounds.pop("in_every_order")
        response.update(grounds)
    return response


def what_answer(board: Board, extra: Json) -> Json:
    return what_as_data(makeup.what(board, extra.get("unit")))


def what_as_data(made: Sequence[makeup.Makeup]) -> Json:
    """What needs are made of, in the JSON shape."""
    return {"units": msgspec.to_builtins(made)}


def kills_answer(board: Board, extra: Json) -> Json:
    try:
        told = {"kill_sets": kill_sets_as_data(kills(board))}
    except LimitReached as cut:
        return {"kill_sets": None, "at_least": cut.at_least}
    return {**told, **_in_other_orders("kills", depends.of_kills, board, extra)}


def kill_sets_as_data(sets: Mapping[tuple[str, ...], int]) -> list[Json]:
    """Sets of units that die, each with its number of assignments, in the JSON shape."""
    return [{"killed": names, "assignments": number} for names, number in sets.items()]


def combat_as_data(found: CombatAnswer, limit: int = LIST_LIMIT) -> Json:
    """A combat in the JSON shape, remarks included; what a limit of time or size stopped is null.

    At most `limit` outcomes are told, all of them for 0. Where that leaves some out, it is said,
    with their exact number.
    """
    response: Json = {"pools": found.pools, "need": found.needs}
    response.update(counts=None, outcomes=None, guarantees=None, decides=None)
    for part in ("counts", "guarantees", "decides"):
        with suppress(LimitReached):
            response[part] = getattr(found, part)
    try:
        response.update(_ways(found.outcomes, "outcomes", "outcome_count", limit))
    except LimitReached as cut:
        response["at_least"] = cut.at_least
    if found.illegal:
        response["violations"] = [
            {"by": side, **msgspec.to_builtins(violation)}
            for side, broken in found.illegal.items()
            for violation in broken
        ]
    if found.illegal or len(found.chosen) == len(SIDES):
        response["outcome"] = msgspec.to_builtins(found.outcome)
    elif found.chosen:
        response["remaining"] = None
        with suppress(LimitReached):
            response.update(_ways(found.remaining, "remaining", "remaining_count", limit))
    return {**response, **remarks(*found.boards.values())}


def _ways(ways: Ways, field: str, number: str, limit: int) -> Json:
    """The first ways to end and, where some are left out, how many there are."""
    response: Json = {field: [_way(way) for way in islice(ways, limit or None)]}
    if 0 < limit < len(ways):
        response.update({"truncated": True, number: len(ways)})
    return response


def margin_answer(request: Json, time_limit: float | None) -> Json:
    """The margin of a request, which has a board or a combat, and the readings that matter."""
    noun = Combat if "attackers" in request or "defenders" in request else Board
    question, extra = _parted(request, noun, (*MARGIN_FIELDS, "depends"))
    asked = read(question)
    wanted = flag(extra.pop("depends", False), "$.depends")
    for field in extra:
        if extra[field] is None:
            raise BadRequest("null says nothing: leave the field out", f"$.{field}")
    try:
        found = margin(asked, **extra, time_limit=time_limit)
    except LimitReached:
        return {"reached": None, **remarks(*boards_of(asked))}
    again = depends.of_margin(found)
    told = margin_as_data(again)
    if wanted:
        told = {**told, "depends_on": {}, **depends_as_data(again.readings)}
    return told


def margin_as_data(again: Again[Board | Combat, Margin]) -> Json:
    """A `Margin` in the JSON shape, remarks included."""
    found = again.now
    response: Json = {
        field: getattr(found, field)
        for field in ("reached", "now", "more", "less", "may_gain", "may_lose", "spans", "at")
    }
    response["assignment"] = found.assignment
    if not found.reached:
        reason = found.reason
        response["because"] = reason and _cited(reason.ids, found.question.edition)
        response["why"] = reason and reason.because

    response.update(again_as_data("margin", again))
    return {**response, **remarks(*boards_of(found.question))}


def _cited(slugs: Iterable[str], key: str) -> list[Json]:
    """Rules by id, each with its number in an edition."""
    return [{"rule": slug, "number": edition(key).number(slug)} for slug in slugs]


def rule_answer(request: Json) -> Json:
    """A rule by its number in any edition or by its id; on a board also what it posts there."""
    question, extra = _parted(request, Board, ("rule",))
    if "rule" not in extra:
        raise BadRequest("this field is required", "$.rule")
    is_asked = not question.keys() <= {"edition", "readings"}
    board = read_board(question if is_asked else {"pool": 0, "units": [], **question})
    try:
        found = look_up(extra["rule"], board.edition)
    except BadRequest as fault:
        raise fault.under("$.rule") from None
    sentences = posted(found.rule, board) if is_asked else None
    return found_as_data(found, board.edition, board.readings, sentences)


def compare_answer(board: Board, extra: Json) -> Json:
    return comparison_as_data(compare(board))


def comparison_as_data(found: Comparison) -> Json:
    """A `Comparison` in the JSON shape; what a limit stopped is null."""
    alternatives = [
        {**msgspec.to_builtins(one), "differs": one.differs} for one in found.alternatives
    ]
    return {"count": found.count, "alternatives": alternatives}


def depends_as_data(found: Depends) -> Json:
    """The readings on which an answer depends in the JSON shape; nothing where it does not."""
    response: Json = {}
    if found.found:
        response["depends_on"] = {switch: list(values) for switch, values in found.found.items()}
    if found.unknown:
        response["depends_unknown"] = found.unknown
    return response


def flow_as_data(flow: Flow) -> Json:
    """A `Flow` in the JSON shape, what does not apply left out."""
    data: Json = msgspec.to_builtins(flow)
    if flow.combat is not None:
        data["combat"] = plain(flow.combat)
    optional = [field for field in ("readings", "warnings") if not data[field]]
    none = [field for field, value in data.items() if value is None]
    for field in (*optional, *none):
        del data[field]
    if flow.outcome is not None:
        data["controller"] = flow.controller
    return data


def rule_as_data(one: Rule, key: str) -> Json:
    """A rule in the JSON shape, as an edition has it."""
    within_force = edition(key)
    number_there = within_force.number(one.slug)
    file, name = one.home or (None, None)
    return {
        "rule": one.slug,
        "kind": one.kind,
        "title": one.title,
        "implied_by": one.follows_from(within_force),
        "numbers": {k: e.number(one.slug) for k, e in EDITIONS.items() if one.slug in e},
        "edition": key,
        "number": number_there,
        "inferred": is_inferred(number_there),
        "file": file,
        "class": name,
        "tests": one.tests,
    }


def posted(rule: Rule, board: Board) -> list[str]:
    """The constraint that a rule posts on a board; nothing where the edition lacks the rule."""
    return written(rule, board) if rule.slug in edition(board.edition) else []


def found_as_data(
    found: Found, key: str, readings: Readings, sentences: list[str] | None = None
) -> Json:
    """A rule that was looked up, with what its number means and how the rule is read.

    With the constraint that it posts on a board, if that was asked.
    """
    return {
        **rule_as_data(found.rule, key),
        **({} if sentences is None else {"posted": sentences}),
        "example": _example_as_data(found.rule),
        "explanation": "\n".join(found.rule.paragraphs),
        "asked": found.printed,
        "found_in": found.edition,
        "moved": moved(found, edition(key)),
        "elsewhere": {
            k: {"rule": other.slug, "number": other.number(edition(k)), "title": other.title}
            for k, other in found.elsewhere.items()
        },
        "read_with": {
            switch: getattr(readings, switch)
            for switch, about in ABOUT.items()
            if found.rule.slug in about.rules
        },
    }


def _example_as_data(rule: Rule) -> Json | None:
    found = EXAMPLES.get(rule.slug)
    if found is None:
        return None
    told = {"board": found.board, "assignments": found.assignments, "legal": found.legal}
    return told if found.legal else {**told, "because": because(rule, found)}


def readings_as_data(readings: Readings, key: str) -> list[Json]:
    """The named switches in the JSON shape, each with the value chosen."""
    return [
        {
            "reading": switch,
            "question": about.question,
            "values": SWITCHES[switch],
            "default": SWITCHES[switch][0],
            "chosen": getattr(readings, switch),
            "rules": _cited(about.rules, key),
        }
        for switch, about in ABOUT.items()
    ]


def edition_as_data(key: str) -> Json:
    """An edition in the JSON shape: its version, since when, the rules it lacks, its numbers."""
    there = edition(key)
    numbers = [there.number(slug) for slug in TABLE if slug in there]
    return {
        "edition": key,
        "core_rules": PUBLISHED[key].core_rules,
        "effective": PUBLISHED[key].effective,
        "default": key == CANONICAL,
        "lacks": there.lacks,
        "rules": len(numbers),
        "inferred": sum(map(is_inferred, numbers)),
        "not_recorded": numbers.count(None),
    }


def _way(way: Way) -> Json:
    data: Json = msgspec.to_builtins(way)
    data["example"] = dict(zip(("attacker_assigns", "defender_assigns"), way.example, strict=True))
    return data


_THERE: Final[dict[str, Callable[[Any, Any], Json]]] = {
    "need": lambda now, then: {"need": then},
    "count": lambda now, then: {"count": then},
    "list": _set_as_data,
    "best": _optimum_as_data,
    "kills": lambda now, then: {"kill_sets": kill_sets_as_data(then)},
    "combat": _end_as_data,
    "margin": lambda now, then: {"reached": then.reached, "spans": then.spans},
}
"""What is told of an answer, and of another one in another order of replacements."""

OPS: Final[dict[str, Op]] = {
    "need": Op(need_answer, frozenset(), depends.of_need),
    "count": Op(count_answer, frozenset({"kill", "spare"}), depends.of_count),
    "list": Op(list_answer, frozenset({"limit"}), depends.of_list),
    "check": Op(check_answer, frozenset({"assignment"}), depends.of_check),
    "best": Op(best_answer, frozenset({"maximize", "value", "kill", "spare"}), depends.of_best),
    "kills": Op(kills_answer, frozenset(), depends.of_kills),
    "why": Op(why_answer, frozenset({"kill", "spare", "give", "all"}), depends.of_why),
    "what": Op(what_answer, frozenset({"unit"}), depends.of_what),
    "compare": Op(compare_answer, frozenset()),
}


def encode(data: object) -> bytes:
    """Plain data as one line of JSON, without the line's end."""
    return msgspec.json.encode(data)
