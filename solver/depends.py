"""Whether an answer depends on a reading: the same question asked again under the other values.

Readings that cannot matter on a board are known from its units and cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar

from msgspec.structs import replace

from rules.board import SIDES, Assignment, Board, Combat, Side
from rules.editions import edition
from rules.lethal import NEVER, Need, already_lethal, counted_at_assignment, need
from rules.position import Standing, standing
from rules.readings import SWITCHES
from rules.resolution import Outcome, question
from solver import limits
from solver.course import only_legal
from solver.demands import meeting, read_demand
from solver.difference import Difference
from solver.exact import Legal, legal
from solver.explain import check
from solver.limits import LimitReached
from solver.outcomes import CombatAnswer, KillSets

Q = TypeVar("Q")
T = TypeVar("T")

SECONDS: Final = 1.0
"""How long it is looked for readings on which an answer depends."""
_LEGAL: Final = {True: "legal", False: "illegal"}


class Depends(NamedTuple):
    """The values of readings under which a question has another answer, by switch.

    `found` has for each what it does to the answer, in words; `unknown` those for which it was not
    known in time.
    """

    found: dict[str, dict[str, str]]
    unknown: dict[str, list[str]]


NOTHING: Final = Depends({}, {})


def alternatives(board: Board) -> Iterator[tuple[str, str, Board]]:
    """Every other value of a reading that could matter on the board, with the board read so."""
    known = standing(board)
    for switch, values in SWITCHES.items():
        if _COULD_MATTER[switch](board, known):
            for value in values:
                if value != getattr(board.readings, switch):
                    readings = replace(board.readings, **{switch: value})
                    yield switch, value, replace(board, readings=readings)


def _other_legal_sets(board: Board) -> Iterator[tuple[str, str, Board]]:
    """As `alternatives`, without those that only count excess in another way."""
    return (other for other in alternatives(board) if other[0] != "excess")


def of_count(board: Board, kill: Iterable[str] = (), spare: Iterable[str] = ()) -> Depends:
    """On which readings the number of legal assignments depends, under the demands."""
    demand = tuple(kill), tuple(spare)
    return _depends(
        board,
        _other_legal_sets(board),
        lambda read: legal(read, *demand).count(),
        lambda now, then: f"gives {then}",
    )


def of_list(board: Board, kill: Iterable[str] = (), spare: Iterable[str] = ()) -> Depends:
    """On which readings the legal assignments depend, under the demands."""
    demand = tuple(kill), tuple(spare)

    return _depends(
        board,
        _other_legal_sets(board),
        lambda read: legal(read, *demand),
        _tell_list,
        lambda now, then: bool(Difference(now, then)),
    )


def _tell_list(now: Legal, then: Legal) -> str:
    return f"gives {then.count()}{', not the same' if then.count() == now.count() else ''}"


def of_check(board: Board, assignment: Sequence[int] | Mapping[str, int]) -> Depends:
    """On which readings it depends whether an assignment is legal."""
    return _depends(
        board,
        _other_legal_sets(board),
        lambda read: check(read, assignment).legal,
        lambda now, then: f"makes it {_LEGAL[then]}",
    )


def of_kills(board: Board) -> Depends:
    """On which readings it depends which sets of units can die, and in how many ways."""
    return _depends(
        board, _other_legal_sets(board), lambda read: legal(read).kill_sets(), _tell_kills
    )


def _tell_kills(now: KillSets, then: KillSets) -> str:
    if now.keys() == then.keys():
        return "gives the same sets in other numbers"
    return f"gives {'other' if len(now) == len(then) else len(then)} sets"


def of_need(board: Board) -> Depends:
    """On which readings the needs depend."""

    def tell(now: list[Need], then: list[Need]) -> str:
        needs = zip(board.names, now, then, strict=True)
        return f"gives {', '.join(f'{name} {least}' for name, one, least in needs if least != one)}"

    return _depends(board, _other_legal_sets(board), need, tell)


def of_what(board: Board, unit: str | None = None) -> Depends:
    """On which readings the needs depend, or that of one unit."""
    if unit is None:
        return of_need(board)
    place = board.names.index(unit)
    return _depends(
        board,
        _other_legal_sets(board),
        lambda read: need(read)[place],
        lambda now, then: f"gives {unit} {then}",
    )


def of_why(
    board: Board,
    kill: Iterable[str] = (),
    spare: Iterable[str] = (),
    give: Mapping[str, int] | Sequence[int] | None = None,
    *,
    all: bool = False,
) -> Depends:
    """On which readings it depends whether a demand can be met; `all` makes no difference."""
    demand = read_demand(board, kill, spare, give)
    return _depends(
        board,
        _other_legal_sets(board),
        lambda read: meeting(read, demand) is not None,
        lambda now, then: f"makes it {'possible' if then else 'impossible'}",
    )


def of_margin(asked: Board | Combat, spans: Callable[[Any], object]) -> Depends:
    """On which readings it depends at which amounts a goal is reached; `spans` tells these."""

    def tell(now: object, then: object) -> str:
        return "gives other amounts"

    if isinstance(asked, Combat):
        return _depends(asked, _readings_of(asked), spans, tell)
    return _depends(asked, alternatives(asked), spans, tell)


def of_best(
    board: Board,
    maximize: Sequence[str] = ("kills",),
    *,
    value: Mapping[str, Any] | None = None,
    kill: Iterable[str] = (),
    spare: Iterable[str] = (),
) -> Depends:
    """On which readings it depends how good the best assignment is, or whether there is any."""
    from solver.optimize import best

    demand = tuple(kill), tuple(spare)

    def scores(read: Board) -> tuple[Any, ...] | None:
        if not legal(read, *demand).start:
            return None
        found = best(read, maximize, value=value, kill=demand[0], spare=demand[1])
        if not found.optimal:
            raise LimitReached
        return tuple(found.score)

    def tell(now: object, then: tuple[Any, ...] | None) -> str:
        if then is None:
            return "makes it impossible"
        pairs = zip(maximize, then, strict=True)
        return f"gives {', '.join(f'{goal} {float(number):g}' for goal, number in pairs)}"

    others = alternatives(board) if "excess" in maximize else _other_legal_sets(board)
    return _depends(board, others, scores, tell)


def of_combat(combat: Combat) -> Depends:
    """On which readings it depends how a combat can end, and what may be assigned in it."""
    return _depends(combat, _readings_of(combat), end_of, tell_end)


def of_course(combat: Combat) -> Depends:
    """On which readings its course depends, where a side without a choice assigns what it must."""
    return _depends(combat, _readings_of(combat), course_of, tell_end)


def _readings_of(combat: Combat) -> Iterator[tuple[str, str, Combat]]:
    """Every other value of a reading that could matter in the combat, with the combat read so."""
    played = None not in (combat.attacker_assigns, combat.defender_assigns)
    readings = dict.fromkeys(
        (switch, value)
        for board in (question(combat, side) for side in SIDES)
        for switch, value, _ in (alternatives(board) if played else _other_legal_sets(board))
    )
    for switch, value in readings:
        read = replace(combat.readings, **{switch: value})
        yield switch, value, replace(combat, readings=read)


class End(NamedTuple):
    """How a combat can end: which assignments given are legal, the outcome, or who can die.

    `forced` are the assignments that a side without a choice has to make, where that was asked.
    """

    legal: dict[Side, bool]
    outcome: Outcome | None
    kill_sets: dict[Side, KillSets]
    forced: dict[Side, Assignment]


def end_of(combat: Combat) -> End:
    """How a combat can end. Raises `LimitReached` where a limit comes before that is known."""
    found = CombatAnswer(combat)
    given = _given(found)
    if found.illegal or found.outcome:
        return End(given, _outcome(found), {}, {})
    sets = found.kill_sets
    return End(given, None, {side: sets[side] for side in SIDES if side not in given}, {})


def course_of(combat: Combat) -> End:
    """How far a combat goes, where a side without a choice assigns what it must."""
    given = _given(CombatAnswer(combat))
    forced = {}
    for side in SIDES:
        if side not in given and (only := only_legal(question(combat, side))) is not None:
            forced[side] = only
    found = CombatAnswer(replace(combat, **{f"{side}_assigns": x for side, x in forced.items()}))
    return End(given, _outcome(found), {}, forced)


def _outcome(found: CombatAnswer) -> Outcome | None:
    """The outcome, with what is left of replacements in no order."""
    end = found.outcome
    return end and replace(end, left={name: tuple(sorted(x)) for name, x in end.left.items()})


def _given(found: CombatAnswer) -> dict[Side, bool]:
    return {side: side in found.chosen for side in (*found.chosen, *found.illegal)}


def tell_end(now: End, then: End) -> str:
    """What another end means, as a verb."""
    for side, is_legal in then.legal.items():
        if is_legal != now.legal[side]:
            return f"makes the {side.capitalize()}'s assignment {_LEGAL[is_legal]}"
    for side in SIDES:
        if (side in then.forced) != (side in now.forced):
            return f"leaves the {side.capitalize()} {'no' if side in then.forced else 'a'} choice"
    if then.forced != now.forced:
        return "forces another assignment"
    if not then.kill_sets:
        if not (now.outcome and then.outcome and now.outcome.dead == then.outcome.dead):
            return "gives another ending"
        same = now.outcome.dealt == then.outcome.dealt
        return f"gives {'another excess' if same else 'other amounts'}"
    if all(sets.keys() == now.kill_sets[side].keys() for side, sets in then.kill_sets.items()):
        return "gives the same endings in other numbers"
    return "gives other endings"


def _depends(
    asked: Q,
    others: Iterable[tuple[str, str, Q]],
    answer: Callable[[Q], T],
    tell: Callable[[T, T], str],
    differs: Callable[[T, T], bool] = lambda now, then: now != then,
) -> Depends:
    """Ask a question again under every other reading; `tell` words another answer."""
    found: dict[str, dict[str, str]] = {}
    unknown: dict[str, list[str]] = {}
    now = cache(answer)
    with limits.deadline(SECONDS):
        for switch, value, read in others:
            try:
                limits.check()
                then = answer(read)
                if differs(now(asked), then):
                    found.setdefault(switch, {})[value] = tell(now(asked), then)
            except LimitReached:
                unknown.setdefault(switch, []).append(value)
    return Depends(found, unknown)


def _undamageable(board: Board, known: Standing) -> bool:
    return board.pool > 0 and any(known.exempt) and not all(known.exempt)


def _only_undamageable(board: Board, known: Standing) -> bool:
    return board.pool > 0 and bool(board.units) and all(known.exempt)


def _prevent_all(board: Board, known: Standing) -> bool:
    return "prevent_all_never_lethal" in edition(board.edition) and any(
        "prevent all" in unit.replacements and not unit.undamageable for unit in board.units
    )


def _leftover(board: Board, known: Standing) -> bool:
    taken = [n for n, exempt in zip(known.needs, known.exempt, strict=True) if not exempt]
    finite = [n for n in taken if isinstance(n, int)]
    return len(taken) > 1 and len(finite) == len(taken) and board.pool > sum(finite)


def _must_kill(board: Board, known: Standing) -> bool:
    """Could the partial unit of a tier have what another one needs, who needs less?"""
    takes_any = board.readings.undamageable == "optional" and any(known.exempt)
    finite = [least for least in known.needs if isinstance(least, int)]
    if not takes_any and NEVER not in known.needs and board.pool >= sum(finite):
        return False
    tiers: list[set[object]] = [set(), set(), set()]
    units = zip(known.needs, known.exempt, known.tank, known.backline, strict=True)
    for least, exempt, tank, backline in units:
        if least == 0 or exempt:
            continue
        for tier, is_in in zip(tiers, (tank, not (tank or backline), backline), strict=True):
            if is_in:
                tier.add(least)
    return any(len(tier) > 1 and _least(tier) <= board.pool for tier in tiers)


def _least(needs: Iterable[object]) -> int:
    return min(least for least in needs if isinstance(least, int))


def _already_lethal(board: Board, known: Standing) -> bool:
    return any(
        already_lethal(unit, board.units_are) and not exempt
        for unit, exempt in zip(board.units, known.exempt, strict=True)
    )


def _excess(board: Board, known: Standing) -> bool:
    within = edition(board.edition)
    pairs = zip(board.units, known.needs, strict=True)
    return NEVER not in known.needs and any(
        isinstance(least, int)
        and ((through := counted_at_assignment(unit, within)).factor != 1 or least < through.less)
        for unit, least in pairs
    )


_COULD_MATTER: Final[dict[str, Callable[[Board, Standing], bool]]] = {
    "undamageable": _undamageable,
    "only_undamageable": _only_undamageable,
    "prevent_all": _prevent_all,
    "leftover": _leftover,
    "must_kill": _must_kill,
    "already_lethal": _already_lethal,
    "excess": _excess,
}
"""For each switch whether it could matter on a board; where not, it does not."""
