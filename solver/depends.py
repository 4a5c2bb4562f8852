"""On what an answer depends: the same question asked again.

That is under the other values of readings, and in other orders of replacements. What cannot matter
on a board is known from its units and costs nothing. Of each kind of question it is said here what
its answer is and when two answers are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from itertools import product
from operator import ne
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from msgspec.structs import replace

from rules.board import SIDES, Assignment, Board, Combat, Side
from rules.editions import edition
from rules.lethal import NEVER, Need, already_lethal, counted_at_assignment, need
from rules.position import Standing, enumerate_words, given, standing
from rules.readings import SWITCHES
from rules.resolution import Ending, Outcome, Result, ending, question
from solver import limits
from solver.course import only_legal
from solver.demands import Demand, is_met, meeting, read_demand
from solver.difference import Difference
from solver.exact import Legal, legal
from solver.explain import check
from solver.limits import LimitReached
from solver.orders import Asked, Ordering, Robust, robust
from solver.outcomes import CombatAnswer, KillSets

if TYPE_CHECKING:
    from solver.margins import Margin
    from solver.optimize import Best

T = TypeVar("T")

SECONDS: Final = 1.0
"""How long it is looked for readings on which an answer depends."""
_LEGAL: Final = {True: "legal", False: "illegal"}
_RESULTS: Final[dict[Result, dict[bool, str]]] = {
    "attacker_won": {True: "the Attacker may win", False: "the Attacker cannot win"},
    "defender_won": {True: "the Defender may win", False: "the Defender cannot win"},
    "no_result": {True: "there may be no result", False: "there is always a result"},
}
"""What it is called that a result becomes possible, or is not any more."""


class Depends(NamedTuple):
    """The values of readings under which a question has another answer, by switch.

    `found` has for each what it does to the answer, as a verb; `unknown` those for which it was not
    known in time.
    """

    found: dict[str, dict[str, str]]
    unknown: dict[str, list[str]]


class Again(Generic[Asked, T]):
    """A question that can be asked again, to know on what its answer depends.

    `answer` answers it; `differs` says whether two answers are not the same, and `tell` what
    another one is, as a verb. `readings` are those that could matter, `first` the names of the
    units of which the orders are looked at first; with `amounts` the answer has more than needs and
    deaths in it, and with `growing` those of a unit by name that may have any Might.
    """

    def __init__(
        self,
        asked: Asked,
        answer: Callable[[Asked], T],
        tell: Callable[[T, T], str],
        differs: Callable[[T, T], bool] = ne,
        *,
        readings: Iterable[tuple[str, str, Asked]],
        first: Collection[str] = (),
        amounts: bool = False,
        growing: str | None = None,
    ) -> None:
        self.asked = asked
        self.answer = cache(answer)
        self._tell = tell
        self._differs = differs
        self._others = readings
        self._first = first
        self._amounts = amounts
        self._growing = growing

    @property
    def now(self) -> T:
        """The answer to the question as it is asked."""
        return self.answer(self.asked)

    @cached_property
    def readings(self) -> Depends:
        """On which readings the answer depends."""
        found: dict[str, dict[str, str]] = {}
        unknown: dict[str, list[str]] = {}
        with limits.deadline(SECONDS):
            for switch, value, read in self._others:
                try:
                    limits.check()
                    if not self._is_same(read):
                        told = self._tell(self.now, self.answer(read))
                        found.setdefault(switch, {})[value] = told
                except LimitReached:
                    unknown.setdefault(switch, []).append(value)
        return Depends(found, unknown)

    @cached_property
    def orders(self) -> Robust[Asked] | None:
        """Whether it is the same in every order of replacements [372]; None if none matters."""
        return self._robust(self._is_same)

    def orders_on(self, units: Collection[str]) -> Robust[Asked] | None:
        """The same where only these units' replacements may come in another order."""
        return self._robust(self._is_same, only=units)

    def _robust(
        self, is_same: Callable[[Asked], bool], only: Collection[str] | None = None
    ) -> Robust[Asked] | None:
        return robust(
            self.asked,
            is_same,
            self._first,
            only=only,
            amounts=self._amounts,
            growing=self._growing,
        )

    def _is_same(self, other: Asked) -> bool:
        return not self._differs(self.now, self.answer(other))

    def told(self, order: Ordering[Asked]) -> str:
        """What an order in which the answer is another one does to it, as a verb."""
        with limits.deadline(SECONDS), suppress(LimitReached):
            return self._tell(self.now, self.answer(order.asked))
        return "gives another answer"


class AgainBest(Again[Board, "Best"]):
    """The question for the best assignment, where the one shown is a part of the answer.

    `serves` says whether an assignment is legal on another board, and as good as it is here.
    """

    def __init__(
        self, board: Board, *, serves: Callable[[Board, Best], bool], **options: Any
    ) -> None:
        super().__init__(board, **options)
        self._serves = serves

    @cached_property
    def as_good(self) -> Robust[Board] | None:
        """Whether the best is as good in every order, be it another assignment."""
        return self._robust(super()._is_same)

    @cached_property
    def orders(self) -> Robust[Board] | None:
        """Whether the assignment shown is the best in every order; told is rather one where
        another is better or worse than that."""
        with limits.deadline(SECONDS):
            if self.as_good is None or self.as_good.otherwise is not None:
                return self.as_good
            return self._robust(self._is_same)

    def _is_same(self, other: Board) -> bool:
        return super()._is_same(other) and self._serves(other, self.now)


def alternatives(board: Board) -> Iterator[tuple[str, str, Board]]:
    """Every other value of a reading that could matter on the board, with the board read so."""
    return _read(board, _values([board]))


def _other_legal_sets(board: Board) -> Iterator[tuple[str, str, Board]]:
    """As `alternatives`, without those that only count excess in another way."""
    return _read(board, _values([board], excess=False))


def _values(boards: Iterable[Board], *, excess: bool = True) -> Iterator[tuple[str, str]]:
    """Every other value of a reading that could matter on any of these boards, all read alike.

    Without `excess` it does not matter how that is counted.
    """
    places = [(board, standing(board)) for board in boards]
    for switch, values in SWITCHES.items():
        if (excess or switch != "excess") and any(_COULD_MATTER[switch](*one) for one in places):
            for value in values:
                if value != getattr(places[0][0].readings, switch):
                    yield switch, value


def _read(asked: Asked, values: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, Asked]]:
    """The question under each of these readings."""
    for switch, value in values:
        readings = replace(asked.readings, **{switch: value})
        yield switch, value, replace(asked, readings=readings)


def of_count(
    board: Board, kill: Iterable[str] = (), spare: Iterable[str] = ()
) -> Again[Board, int]:
    """The number of legal assignments, under the demands."""
    demand = tuple(kill), tuple(spare)
    return Again(
        board,
        lambda other: legal(other, *demand).count(),
        lambda now, then: f"gives {then}",
        readings=_other_legal_sets(board),
        first=(*demand[0], *demand[1]),
    )


def of_list(
    board: Board, kill: Iterable[str] = (), spare: Iterable[str] = ()
) -> Again[Board, Legal]:
    """The legal assignments, under the demands."""
    demand = tuple(kill), tuple(spare)
    return Again(
        board,
        lambda other: legal(other, *demand),
        _tell_list,
        lambda now, then: bool(Difference(now, then)),
        readings=_other_legal_sets(board),
        first=(*demand[0], *demand[1]),
    )


def _tell_list(now: Legal, then: Legal) -> str:
    as_many = then.count() == now.count()
    return f"gives {then.count()}{' too, but not the same ones' if as_many else ''}"


def of_check(board: Board, assignment: Sequence[int] | Mapping[str, int]) -> Again[Board, bool]:
    """Whether an assignment is legal."""
    return Again(
        board,
        lambda other: check(other, assignment).legal,
        lambda now, then: f"makes it {_LEGAL[then]}",
        readings=_other_legal_sets(board),
    )


def of_kills(board: Board) -> Again[Board, KillSets]:
    """Which sets of units can die, and in how many ways."""
    return Again(
        board,
        lambda other: legal(other).kill_sets(),
        _tell_kills,
        readings=_other_legal_sets(board),
    )


def _tell_kills(now: KillSets, then: KillSets) -> str:
    if now.keys() == then.keys():
        return "gives the same sets in another number of ways"
    if len(now) == len(then):
        return "gives another set" if len(then) == 1 else "gives other sets"
    return f"gives {len(then)} set{'' if len(then) == 1 else 's'}"


def of_need(board: Board) -> Again[Board, list[Need]]:
    """The needs."""

    def tell(now: list[Need], then: list[Need]) -> str:
        needs = zip(board.names, now, then, strict=True)
        return f"gives {', '.join(f'{name} {least}' for name, one, least in needs if least != one)}"

    return Again(board, need, tell, readings=_other_legal_sets(board))


def of_what(board: Board, unit: str | None = None) -> Again[Board, Any]:
    """The needs, or that of one unit."""
    if unit is None:
        return of_need(board)
    place = board.names.index(unit)
    return Again(
        board,
        lambda other: need(other)[place],
        lambda now, then: f"gives {unit} {then}",
        readings=_other_legal_sets(board),
    )


def of_why(
    board: Board,
    kill: Iterable[str] = (),
    spare: Iterable[str] = (),
    give: Mapping[str, int] | Sequence[int] | None = None,
    *,
    all: bool = False,
) -> Again[Board, bool]:
    """Whether a demand can be met; `all` makes no difference."""
    demand = read_demand(board, kill, spare, give)
    return Again(
        board,
        lambda other: meeting(other, demand) is not None,
        lambda now, then: f"makes it {'possible' if then else 'impossible'}",
        readings=_other_legal_sets(board),
    )


def of_margin(
    found: Margin, tell: Callable[[Margin, Margin], str] = lambda now, then: "gives other amounts"
) -> Again[Board | Combat, Margin]:
    """At which amounts a goal is reached; `tell` says what another margin is, as a verb."""
    for_excess = found.wish.excess > 0
    return Again(
        found.question,
        lambda other: found if other is found.question else found.again(other),
        tell,
        lambda now, then: now.spans != then.spans,
        readings=_read(found.question, _values(found.extremes(), excess=for_excess)),
        first=(*found.wish.kill, *found.wish.spare),
        amounts=for_excess,
        growing=found.unit,
    )


def of_best(
    board: Board,
    maximize: Sequence[str] = ("kills",),
    *,
    value: Mapping[str, Any] | None = None,
    kill: Iterable[str] = (),
    spare: Iterable[str] = (),
) -> AgainBest:
    """How good the best assignment is, or whether there is any; not why there is none.

    In orders and readings in which the one shown is not the best the answer is another one.
    """
    from solver.optimize import Best, best, score_of

    demand = tuple(kill), tuple(spare)

    def optimum(other: Board) -> Best:
        if not legal(other, *demand).start:
            return Best(feasible=False)
        found = best(other, maximize, value=value, kill=demand[0], spare=demand[1])
        if not found.optimal:
            raise LimitReached
        return found

    def tell(now: Best, then: Best) -> str:
        if not then.feasible:
            return "makes it impossible"
        pairs = zip(maximize, then.score, strict=True)
        scored = ", ".join(f"{goal} {float(number):g}" for goal, number in pairs)
        if not now.feasible:
            return f"makes it possible, with {scored}"
        if now.score != then.score:
            return f"gives {scored}"
        return f"asks for another assignment, {given(board, then.assignment or ())}"

    def serves(other: Board, shown: Best) -> bool:
        if shown.assignment is None:
            return True
        return (
            is_met(other, Demand(*demand), shown.assignment)
            and check(other, shown.assignment).legal
            and score_of(other, shown.assignment, maximize, value) == shown.score
        )

    return AgainBest(
        board,
        serves=serves,
        answer=optimum,
        tell=tell,
        differs=lambda now, then: (now.feasible, now.score) != (then.feasible, then.score),
        readings=alternatives(board) if "excess" in maximize else _other_legal_sets(board),
        first=(*demand[0], *demand[1]),
        amounts="excess" in maximize,
    )


def of_combat(combat: Combat) -> Again[Combat, End]:
    """How a combat can end, and what may be assigned in it."""
    played = _is_played(combat)
    return Again(
        combat, end_of, partial(tell_end, combat), readings=_readings_of(combat), amounts=played
    )


def of_course(combat: Combat) -> Again[Combat, End]:
    """Its course, where a side without a choice assigns what it must."""
    return Again(
        combat, course_of, partial(tell_end, combat), readings=_readings_of(combat), amounts=True
    )


def _readings_of(combat: Combat) -> Iterator[tuple[str, str, Combat]]:
    """Every other value of a reading that could matter in the combat, with the combat read so."""
    boards = [question(combat, side) for side in SIDES]
    return _read(combat, _values(boards, excess=_is_played(combat)))


def _is_played(combat: Combat) -> bool:
    return None not in (combat.attacker_assigns, combat.defender_assigns)


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
    """The outcome, but for what is left of replacements."""
    return found.outcome and replace(found.outcome, left={})


def _given(found: CombatAnswer) -> dict[Side, bool]:
    given = (*found.chosen, *found.illegal)
    return {side: side in found.chosen for side in SIDES if side in given}


def tell_end(combat: Combat, now: End, then: End) -> str:
    """What another end of a combat means, as a verb."""
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
        return "gives the same endings in another number of ways"
    told = _other_results(combat, now, then) or _other_deaths(now, then)
    return f"gives other endings{': ' if told else ''}{enumerate_words(told)}"


def _other_results(combat: Combat, now: End, then: End) -> list[str]:
    """Which results are possible only in one of two ends; nothing where a side has assigned."""
    if len(now.kill_sets) < len(SIDES):
        return []
    here, there = ({end.result for end in _kinds(combat, some)} for some in (now, then))
    return [
        told[result in there]
        for result, told in _RESULTS.items()
        if (result in here) != (result in there)
    ]


def _kinds(combat: Combat, some: End) -> Iterator[Ending]:
    """An ending for each of what can be: do all defenders die, do all attackers die?"""
    names = {side: question(combat, side).names for side in SIDES}
    kinds = [
        {names[side] if killed == names[side] else () for killed in some.kill_sets[side]}
        for side in SIDES
    ]
    for mine, theirs in product(*kinds):
        yield ending(combat, (*mine, *theirs))


def _other_deaths(now: End, then: End) -> list[str]:
    """Which units can die, or live, only in one of two ends."""
    told = []
    for side, there in then.kill_sets.items():
        here = now.kill_sets[side]
        die = [set[str]().union(*sets) for sets in (here, there)]
        doomed = [set.intersection(*map(set, sets)) for sets in (here, there)]
        for does, (now_so, then_so) in (("die", die), ("live", doomed[::-1])):
            for verb, names in (("may", then_so - now_so), ("cannot", now_so - then_so)):
                if names:
                    told.append(f"{enumerate_words(sorted(names))} {verb} {does}")
    return told


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
