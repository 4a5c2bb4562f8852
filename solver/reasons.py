"""Why a demand cannot be met: the fewest rules and printed facts that together forbid it.

A reason is a set of rules and facts (see `solver.facts`). On the board whose units have just these
facts, just these rules leave nothing that meets the demand, and without any one of them something
is left: the rule need not be obeyed, or the unit lacks the fact. Rules that others imply stand and
fall with those.

Facts pull both ways: marked damage kills, and frees points for others. So a reason must also forbid
the demand with all facts of the board there, and with all that help, lest it hold only because a
fact that helps is left out. Where no irreducible set does, facts that make a unit easier to kill,
or to spare, as demanded are taken for granted; and where even then none does, all of them: then
rules alone forbid it on the board as it is printed. Of what is taken for granted no more is kept
than the reason rests on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Final

import msgspec
from msgspec.structs import replace

from rules.board import Assignment, Board, check_board
from rules.editions import edition
from rules.errors import BadRequest
from rules.position import Position
from rules.rule import Rule
from rules.rulebook import DECIDING
from solver import limits
from solver.because import is_plain, sentence
from solver.demands import (
    Demand,
    all_meeting,
    contradiction,
    helping_facts,
    is_met,
    meeting,
    read_demand,
    without_the_obvious,
)
from solver.explain import check
from solver.facts import Fact, facts_of, lacking
from solver.limits import LimitReached
from solver.orders import SECONDS, Robust, robust

MOST_REASONS: Final = 100
"""So many reasons are told; that there may be more is said."""
_MOST_TRIALS: Final = 2000
"""In so many ways it is tried to get round the reasons found, to find further ones."""
_MOST_EXAMPLES: Final = 1000
"""Of so many examples one is looked for that serves in every order of replacements."""
_WITNESSES: Final = 16
"""So many assignments that met the demand are tried again before a search."""

Member = Rule | Fact
Members = frozenset[Member]


class Cited(msgspec.Struct, frozen=True):
    """A rule by its id, with its number in the edition in use."""

    rule: str
    number: str | None


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """Rules and facts that together forbid a demand, none to be left out, and a sentence of it.

    `given` are facts taken for granted: without them it would be forbidden for other reasons.
    """

    rules: tuple[Cited, ...]
    facts: tuple[Fact, ...]
    given: tuple[Fact, ...] = ()
    because: str

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its rules or, where facts are enough, of those that give them a meaning."""
        return tuple(dict.fromkeys(one.rule for one in self.rules or self.facts))


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a demand can be met; if so, an example; if not, why.

    `example` is the lexicographically smallest assignment that meets it, of those that do so in
    every order of replacements if one is soon found. `reasons` are minimal: one or all that were
    asked for, None where a limit stopped the search for them; `complete` says that no other was
    found that holds on the board as it is printed. `contradiction` is a sentence where the demand
    contradicts itself. `orders` tells whether it is possible or impossible in every order of
    replacements, and `grounds` whether it is with the same example or for the same reasons; None if
    no order matters.
    """

    board: Board
    demand: Demand
    possible: bool
    example: Assignment | None = None
    reasons: tuple[Reason, ...] | None = ()
    contradiction: str | None = None
    complete: bool = False
    orders: Robust[Board] | None = None
    grounds: Robust[Board] | None = None

    def __bool__(self) -> bool:
        return self.possible

    def __repr__(self) -> str:
        if self.example is not None:
            return f"<Answer possible: {self.example}>"
        told = [reason.because for reason in self.reasons or ()]
        return f"<Answer impossible: {self.contradiction or '; '.join(told)}>"


def why(
    board: Board,
    *,
    kill: Iterable[str] = (),
    spare: Iterable[str] = (),
    give: Mapping[str, int] | Sequence[int] | None = None,
    all_reasons: bool = False,
    time_limit: float | None = None,
) -> Answer:
    """Whether a legal assignment kills these units, spares those and gives some their points.

    `give` maps names to points, or is a whole assignment in unit order. Where there is none the
    answer has a minimal reason, or with `all_reasons` every one. Raises `BadRequest` for names that
    are not on the board, for what are no points and where nothing is demanded, and `LimitReached`
    when the time limit, in seconds, comes before it is known whether there is one.

    >>> from rules import parse
    >>> print(why(parse("12 into 4TPall 4"), kill=["B"]).reasons[0].because)
    B is out of reach: A (Tank) is never lethal (437.5.b), so all 12 points stay on it (815.1.b)
    """
    check_board(board)
    demand = read_demand(board, kill, spare, give)
    if not (demand.kill or demand.spare) and give is None:
        raise BadRequest("say what for: units to kill or to spare, or points to give")
    with limits.deadline(time_limit):
        example = meeting(board, demand)
        answer = Answer(board=board, demand=demand, possible=example is not None, example=example)
        if not {*demand.kill}.isdisjoint(demand.spare):
            return replace(answer, contradiction=contradiction(board, demand))
        orders = _in_every_order(
            answer, lambda other: (meeting(other, demand) is not None) == answer.possible
        )
        answer = replace(answer, orders=orders)
        if example is not None:
            return _with_an_example_for_every_order(answer, example)
        if clash := contradiction(board, demand):
            answer = replace(answer, contradiction=clash)
        else:
            answer = _with_reasons(answer, all_reasons=all_reasons)
        if orders and orders.otherwise is None and answer.reasons is not None:
            grounds = _in_every_order(answer, lambda other: _is_forbidden_alike(answer, other))
            answer = replace(answer, grounds=grounds)
        return answer


def _in_every_order(answer: Answer, is_same: Callable[[Board], bool]) -> Robust[Board] | None:
    demand = answer.demand
    return robust(answer.board, is_same, (*demand.kill, *demand.spare, *demand.give))


def _with_an_example_for_every_order(answer: Answer, example: Assignment) -> Answer:
    """The answer with the first example that meets the demand in every order, if soon found."""
    if answer.orders is None or answer.orders.otherwise is not None:
        return answer
    board, demand = answer.board, answer.demand
    grounds: Robust[Board] | None = None
    others: list[Board] = []
    with limits.deadline(SECONDS), suppress(LimitReached):
        for points in islice(all_meeting(board, demand), _MOST_EXAMPLES):
            limits.check()
            serves = partial(_serves, points=points, demand=demand)
            if all(map(serves, others)):
                found = _in_every_order(answer, serves)
                if found is None or found.otherwise is None:
                    return replace(answer, example=points, grounds=found)
                others.append(found.otherwise.asked)
                grounds = grounds or found
    return replace(answer, grounds=grounds)


def _serves(board: Board, points: Assignment, demand: Demand) -> bool:
    return is_met(board, demand, points) and check(board, points).legal


def _with_reasons(answer: Answer, *, all_reasons: bool) -> Answer:
    question = _Question(answer.board, without_the_obvious(answer.board, answer.demand))
    try:
        reasons, complete = question.reasons() if all_reasons else ([question.reason()], False)
    except LimitReached:
        return replace(answer, reasons=None)
    return replace(answer, reasons=tuple(reasons), complete=complete)


def _is_forbidden_alike(answer: Answer, other: Board) -> bool:
    """Is the same said of why it is impossible in another order, be it with other amounts?"""
    demand = answer.demand
    if _words(contradiction(other, demand)) != _words(answer.contradiction):
        return False
    wish = without_the_obvious(other, demand)
    return wish == without_the_obvious(answer.board, demand) and all(
        _words(reason.because)
        == _words(
            sentence(
                other,
                wish,
                [one.rule for one in reason.rules],
                _moved((*reason.facts, *reason.given), other),
            )
        )
        for reason in answer.reasons or ()
    )


def _words(because: str | None) -> list[str]:
    """The words of a sentence without its amounts, in any order, since effects come in theirs."""
    words = (because or "").replace(",", "").replace("points", "point").split()
    return sorted(word for word in words if not word.isdigit())


def _moved(facts: Iterable[Fact], board: Board) -> list[Fact]:
    """The same facts on a board on which replacements come in another order."""
    left = list(facts_of(board))
    moved = []
    for fact in facts:
        there = next(one for one in left if (one.unit, one.text) == (fact.unit, fact.text))
        left.remove(there)
        moved.append(there)
    return moved


def forbidden(board: Board, demand: Demand, *, whatever_the_pool: bool = False) -> Reason | None:
    """What forbids a demand that cannot be met, with `whatever_the_pool` with none of any size.

    Without rules and facts where the demand contradicts itself. None where nothing forbids it.
    Raises `LimitReached` where a limit stops the search.
    """
    if clash := contradiction(board, demand):
        return Reason(rules=(), facts=(), because=f"the demand contradicts itself: {clash}")
    spent = ("assign_total",) if whatever_the_pool else ()
    question = _Question(board, without_the_obvious(board, demand), without=spent)
    return None if question.possible(question.everything) else question.reason()


class _Question:
    """A demand that the whole board forbids, without some rules, and what is known of parts."""

    def __init__(
        self,
        board: Board,
        demand: Demand,
        given: Sequence[Fact] = (),
        without: Collection[str] = (),
        whole: _Question | None = None,
    ) -> None:
        self.board = board
        self.demand = demand
        self.given = tuple(given)
        self.without = without
        self._whole = whole or self
        self.rules = [rule for rule in DECIDING[board.edition] if rule.slug not in without]
        self.facts = [fact for fact in facts_of(board) if fact not in given]
        self.everything: Members = frozenset((*self.rules, *self.facts))
        self._helping = [fact for fact in helping_facts(board, demand) if fact in self.facts]
        self._places = {one: i for i, one in enumerate((*self.rules, *self.facts))}
        self._met: deque[Assignment] = deque(maxlen=_WITNESSES)
        self._known: dict[Members, bool] = {}

    def possible(self, kept: Members) -> bool:
        """Can the demand be met under these rules, where the units have just these facts?"""
        if kept not in self._known:
            limits.check()
            self._known[kept] = self._solve(kept)
        return self._known[kept]

    def _solve(self, kept: Members) -> bool:
        board = lacking(self.board, [fact for fact in self.facts if fact not in kept])
        rules = [rule for rule in self.rules if rule in kept]
        # What met the demand under other members often does so under these, and costs no search.
        for points in reversed(self._met):
            if is_met(board, self.demand, points):
                position = Position(board, points)
                if not any(any(rule.violations(position)) for rule in rules):
                    return True
        found = self._searched(board, rules)
        if found is not None:
            self._met.append(found)
        return found is not None

    def _searched(self, board: Board, rules: Sequence[Rule]) -> Assignment | None:
        from solver.encoding import Model

        model = Model(board, rules=rules, room=max(self.demand.give.values(), default=0))
        model.demand(self.demand.kill, self.demand.spare)
        if self.demand.leave:
            alive = [model.terms.no(model.dead[name]) for name in self.demand.leave]
            model.require(model.terms.any(alive))
        for name, points in self.demand.give.items():
            model.cp.add(model.points[name] == points)
        return model.solve()

    def forbids(self, kept: Members) -> bool:
        """Do these rules forbid the demand with these facts alone, with what helps, and with all?

        What these facts forbid could else be made good by one left out, and be forbidden by others.
        """
        with_more = (kept, kept.union(self._helping), kept.union(self.facts))
        return not any(map(self.possible, with_more))

    def reason(self) -> Reason:
        """A reason; of several one of facts or of rules alone, and of low numbers.

        Rather one that can be told with the amounts of the board as it is.
        """
        found = []
        for question in self._granting():
            for start in (question._alone(question.everything), question.everything):
                core = question._shrunk(start, strict=True)
                if question._irreducible(core):
                    found.append((question, core))
                    if question._is_plain(core):
                        return question._told(core)
        question, core = found[0]
        return question._told(core)

    def reasons(self) -> tuple[list[Reason], bool]:
        """All reasons, as `cores` says, first those for which the least is taken for granted."""
        found: list[Reason] = []
        complete = True
        for question in self._granting():
            try:
                cores, whole = question.cores()
            except LimitReached:
                if not found:
                    raise
                return found, False
            complete &= whole
            for reason in map(question._told, cores):
                if not any(_is_part_of(one, reason) for one in found):
                    found.append(reason)
        return found, complete

    def _granting(self) -> Iterator[_Question]:
        """The same question with no facts taken for granted, with those that help, and with all.

        The last has an irreducible reason at any rate, since more rules never allow more.
        """
        yield self
        helping = helping_facts(self.board, self.demand)
        for given in (helping, self.facts):
            if given:
                yield _Question(self.board, self.demand, given, self.without, whole=self)

    def _is_plain(self, core: Members) -> bool:
        rules, facts, given = self._parted(core)
        return is_plain(self.board, self.demand, rules, [*facts, *given])

    def _parted(self, core: Members) -> tuple[list[str], list[Fact], list[Fact]]:
        """The ids of its rules, its facts, and those taken for granted, in their order.

        Of these only those are left without which it would be none, and any that it needs like the
        others is one of its own.
        """
        whole = self._whole
        kept = core.union(self.given)
        for fact in self.given:
            rest = kept - {fact}
            if not whole.possible(rest) and all(whole.possible(rest - {one}) for one in core):
                kept = rest
        facts = [fact for fact in whole.facts if fact in kept]
        given = [f for f in facts if f not in core and not whole.possible(kept - {f})]
        rules = [rule.slug for rule in self.rules if rule in core]
        return rules, [fact for fact in facts if fact not in given], given

    def _irreducible(self, kept: Members) -> bool:
        return not self.possible(kept) and all(self.possible(kept - {one}) for one in kept)

    def _alone(self, kept: Members, *, strict: bool = True) -> Members:
        """Its facts alone or its rules alone, if these forbid the demand; else all of it."""
        parts = (kept.intersection(self.facts), kept.difference(self.facts))
        return next((part for part in parts if self._still(part, strict)), kept)

    def _shrunk(self, kept: Members, *, strict: bool) -> Members:
        """What is left when nothing more can be dropped."""
        while True:
            smaller = self._dropped(kept, self.rules[::-1], strict)
            smaller = self._dropped(smaller, self.facts, strict)
            if smaller == kept:
                return kept
            kept = smaller

    def _dropped(self, kept: Members, part: Sequence[Member], strict: bool) -> Members:
        """The set without as much of a part as can be dropped, halves of it at a time."""
        part = [one for one in part if one in kept]
        if not part:
            return kept
        if self._still(without := kept.difference(part), strict):
            return without
        if len(part) > 1:
            middle = len(part) // 2
            kept = self._dropped(kept, part[:middle], strict)
            kept = self._dropped(kept, part[middle:], strict)
        return kept

    def _still(self, kept: Members, strict: bool) -> bool:
        return self.forbids(kept) if strict else not self.possible(kept)

    def cores(self) -> tuple[list[Members], bool]:
        """All irreducible reasons that are found, and whether no limit ended the search for them.

        Whatever is possible lacks something of every reason. So one member of each reason found is
        left out, in every way: either the rest forbids nothing, or there is a further reason in it.
        A limit leaves those that were found by then.
        """
        found: list[Members] = []
        complete = False
        try:
            complete = self._gather(found)
        except LimitReached:
            if not found:
                raise
        return self._in_order(found), complete

    def _gather(self, found: list[Members]) -> bool:
        """Add the reasons to those found, as they are found; whether these are all."""
        expanded: list[Members] = []
        waiting: list[Members] = [frozenset()]
        seen = set(waiting)
        for gone in waiting:
            if len(waiting) > _MOST_TRIALS or len(found) >= MOST_REASONS:
                return False
            core = next((core for core in expanded if not core & gone), None)
            if core is None:
                if not self.forbids(rest := self.everything - gone):
                    continue
                expanded.append(core := self._shrunk(self._alone(rest), strict=True))
                if self._irreducible(core):
                    found.append(core)
            for one in self._sorted(core):
                if (further := gone | {one}) not in seen:
                    seen.add(further)
                    waiting.append(further)
        return True

    def _in_order(self, cores: Sequence[Members]) -> list[Members]:
        """Those that contain no other, first those told with the amounts of the board as it is."""
        minimal = [core for core in cores if not any(other < core for other in cores)]
        return sorted(
            minimal,
            key=lambda core: (
                not self._is_plain(core),
                len(core),
                [*map(self._place, self._sorted(core))],
            ),
        )

    def _sorted(self, core: Members) -> list[Member]:
        return sorted(core, key=self._place)

    def _place(self, one: Member) -> int:
        return self._places[one]

    def _told(self, core: Members) -> Reason:
        """The core as a reason, with its sentence."""
        within = edition(self.board.edition)
        rules, facts, given = self._parted(core)
        return Reason(
            rules=tuple(Cited(slug, within.number(slug)) for slug in rules),
            facts=tuple(facts),
            given=tuple(given),
            because=sentence(self.board, self.demand, rules, [*facts, *given]),
        )


def _is_part_of(reason: Reason, other: Reason) -> bool:
    """Has the other reason all its rules and facts, be they taken for granted there?"""
    facts = {*other.facts, *other.given}
    return facts.issuperset(reason.facts) and {*other.rules}.issuperset(reason.rules)
