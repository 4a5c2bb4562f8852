"""Whether an answer depends on a reading: the same question asked again under the other values.

Readings that cannot matter on a board are known from its units and cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from msgspec.structs import replace

from rules.board import SIDES, Board, Combat, Side
from rules.editions import edition
from rules.lethal import NEVER, already_lethal, counted_at_assignment, need
from rules.position import Standing, standing
from rules.readings import SWITCHES
from solver import limits
from solver.explain import check
from solver.limits import LimitReached

if TYPE_CHECKING:
    from rules.resolution import Outcome
    from solver.outcomes import KillSets

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
    from solver.exact import legal

    demand = tuple(kill), tuple(spare)
    return _depends(
        board,
        _other_legal_sets(board),
        lambda read: legal(read, *demand).count(),
        lambda number: f"gives {number}",
    )


def of_list(board: Board, kill: Iterable[str] = (), spare: Iterable[str] = ()) -> Depends:
    """On which readings the legal assignments depend, under the demands."""
    from solver.difference import Difference
    from solver.exact import Legal, legal

    demand = tuple(kill), tuple(spare)

    def tell(there: Legal) -> str:
        same_number = there.count() == legal(board, *demand).count()
        return f"gives {there.count()}{', not the same' if same_number else ''}"

    return _depends(
        board,
        _other_legal_sets(board),
        lambda read: legal(read, *demand),
        tell,
        lambda now, then: bool(Difference(now, then)),
    )


def of_check(board: Board, assignment: Sequence[int] | Mapping[str, int]) -> Depends:
    """On which readings it depends whether an assignment is legal."""
    return _depends(
        board,
        _other_legal_sets(board),
        lambda read: check(read, assignment).legal,
        lambda legal: f"makes it {_LEGAL[legal]}",
    )


def of_kills(board: Board) -> Depends:
    """On which readings it depends which sets of units can die, and in how many ways."""
    from solver.exact import legal

    def tell(sets: dict[tuple[str, ...], int]) -> str:
        now = legal(board).kill_sets()
        if sets.keys() == now.keys():
            return "gives the same sets in other numbers"
        return f"gives {'other' if len(sets) == len(now) else len(sets)} sets"

    return _depends(board, _other_legal_sets(board), lambda read: legal(read).kill_sets(), tell)


def of_need(board: Board) -> Depends:
    """On which readings the needs depend."""

    def tell(needs: list[Any]) -> str:
        pairs = zip(board.names, need(board), needs, strict=True)
        return f"gives {', '.join(f'{name} {then}' for name, now, then in pairs if then != now)}"

    return _depends(board, _other_legal_sets(board), need, tell)


def of_best(
    board: Board,
    maximize: Sequence[str] = ("kills",),
    *,
    value: Mapping[str, Any] | None = None,
    kill: Iterable[str] = (),
    spare: Iterable[str] = (),
) -> Depends:
    """On which readings it depends how good the best assignment is, or whether there is any."""
    from solver.exact import legal
    from solver.optimize import best

    demand = tuple(kill), tuple(spare)

    def scores(read: Board) -> tuple[Any, ...] | None:
        if not legal(read, *demand).start:
            return None
        found = best(read, maximize, value=value, kill=demand[0], spare=demand[1])
        if not found.optimal:
            raise LimitReached
        return tuple(found.score)

    def tell(score: tuple[Any, ...] | None) -> str:
        if score is None:
            return "makes it impossible"
        pairs = zip(maximize, score, strict=True)
        return f"gives {', '.join(f'{goal} {float(number):g}' for goal, number in pairs)}"

    others = alternatives(board) if "excess" in maximize else _other_legal_sets(board)
    return _depends(board, others, scores, tell)


def of_combat(combat: Combat) -> Depends:
    """On which readings it depends how a combat can end, and what may be assigned in it."""
    from rules.resolution import question

    played = None not in (combat.attacker_assigns, combat.defender_assigns)
    readings = dict.fromkeys(
        (switch, value)
        for board in (question(combat, side) for side in SIDES)
        for switch, value, _ in (alternatives(board) if played else _other_legal_sets(board))
    )
    others = (
        (switch, value, replace(combat, readings=replace(combat.readings, **{switch: value})))
        for switch, value in readings
    )
    return _depends(combat, others, _end, lambda then: _tell_end(_end(combat), then))


class _End(NamedTuple):
    """How a combat can end: which assignments given are legal, the outcome, or who can die."""

    legal: dict[Side, bool]
    outcome: Outcome | None
    kill_sets: dict[Side, KillSets]


def _end(combat: Combat) -> _End:
    from solver.outcomes import CombatAnswer

    found = CombatAnswer(combat)
    legal = {side: side in found.chosen for side in (*found.chosen, *found.illegal)}
    if found.illegal or found.outcome:
        return _End(legal, found.outcome, {})
    sets = found.kill_sets
    return _End(legal, None, {side: sets[side] for side in SIDES if side not in legal})


def _tell_end(now: _End, then: _End) -> str:
    for side, legal in then.legal.items():
        if legal != now.legal[side]:
            return f"makes the {side.capitalize()}'s assignment {_LEGAL[legal]}"
    if not then.kill_sets:
        return "gives another excess"
    if all(sets.keys() == now.kill_sets[side].keys() for side, sets in then.kill_sets.items()):
        return "gives the same endings in other numbers"
    return "gives other endings"


def _depends(
    asked: Q,
    others: Iterable[tuple[str, str, Q]],
    answer: Callable[[Q], T],
    tell: Callable[[T], str],
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
                    found.setdefault(switch, {})[value] = tell(then)
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
