"""Sentences about what forbids a demand: names, amounts and the numbers of the rules.

The frequent shapes have words of their own, each used only where its amounts add up; what is left
is told by naming the rules and facts one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf
from typing import Final

from rules.board import Board
from rules.editions import edition
from rules.lethal import NEVER, Need, deaths, need
from rules.position import Position, enumerate_words, standing
from rules.rulebook import DECIDING
from solver.cells import total_of
from solver.demands import Demand
from solver.facts import Fact, facts_of, lacking

_RULES: Final = {
    "assign_total": "the whole pool of {pool} is assigned",
    "lethal_in_full_before_next": "at most one unit is left short of lethal",
    "no_over_assignment": "no unit gets more than its need while another is short of it",
    "obey_requirements": "units with Backline come last",
    "undamageable_exempt": "a unit that cannot be dealt damage is left out",
    "tank_first": "units with Tank come first",
    "backline_last": "units with Backline come last",
}
_TOTAL, _IN_FULL, _NO_OVER = "assign_total", "lethal_in_full_before_next", "no_over_assignment"
_EXEMPT: Final = "undamageable_exempt"
_IN_AMOUNTS: Final = ("assault", "shield", "marked", "replacement")
"""The kinds of facts that make a need what it is."""
_MOST_SUMS: Final = 10_000
"""Of so many sums of needs a sentence is made; beyond it the rules are named."""
_BACKLINE: Final = frozenset({"backline_last", "obey_requirements"})


def sentence(board: Board, demand: Demand, rules: Sequence[str], facts: Sequence[Fact]) -> str:
    """Why these rules and facts forbid a demand on a board, without the full stop."""
    case = _Case(board, demand, rules, facts)
    if told := _in_shape(case):
        return told
    # With effects that help the demand the amounts may not add up as they do without them.
    bare = lacking(board, [fact for fact in facts_of(board) if fact not in facts])
    if bare != board and (told := _in_shape(_Case(bare, demand, rules, facts))):
        return f"even if nothing else were printed on the units, {told}"
    return _one_by_one(case)


def number(slug: str, key: str) -> str:
    """What an edition prints for a rule, or what can be said in its place."""
    within = edition(key)
    return within.number(slug) or within.cite(slug)


def is_plain(board: Board, demand: Demand, rules: Sequence[str], facts: Sequence[Fact]) -> bool:
    """Is there a sentence for them in which the amounts are those of the board as it is?"""
    return _in_shape(_Case(board, demand, rules, facts)) is not None


def _in_shape(case: _Case) -> str | None:
    if case.demand.leave:
        return _whoever_lives(case)
    return next((told for shape in _SHAPES if (told := shape(case))), None)


class _Case:
    """A demand with the rules and facts that forbid it, and the amounts that follow from it."""

    def __init__(
        self, board: Board, demand: Demand, rules: Sequence[str], facts: Sequence[Fact]
    ) -> None:
        self.board = board
        self.demand = demand
        self.rules = frozenset(rules)
        self.ordered = rules
        self.facts = facts
        self.pool = total_of(board)
        self.needs = dict(zip(board.names, need(board), strict=True))
        self.dies_of = dict(zip(board.names, deaths(board), strict=True))

    @cached_property
    def low(self) -> dict[str, int]:
        """The points at least on the units that the demand is about, where these are any."""
        low = {n: int(d) for n in self.demand.kill if (d := self.dies_of[n]) not in (NEVER, 0)}
        return {**low, **{n: x for n, x in self.demand.give.items() if x}}

    @cached_property
    def high(self) -> dict[str, int]:
        """The points at most on the units that the demand is about."""
        high = {n: int(d) - 1 for n in self.demand.spare if (d := self.dies_of[n]) != NEVER}
        return {**high, **self.demand.give}

    @cached_property
    def short(self) -> list[str]:
        """The units that the demand or the pool keeps short of lethal, and those never lethal.

        What has lethal damage already is never short, even where it is to live.
        """
        spent = self.pool if _TOTAL in self.rules else inf
        short = []
        for name, least in self.needs.items():
            if isinstance(least, int) and 0 <= self.high.get(name, spent) < least:
                short.append(name)
        return short + [name for name, least in self.needs.items() if least == NEVER]

    @cached_property
    def tanks(self) -> list[str]:
        """The units with Tank in force."""
        return self.where(standing(self.board).tank)

    @cached_property
    def backline(self) -> list[str]:
        """The units with Backline in force."""
        return self.where(standing(self.board).backline)

    def where(self, holds: Sequence[bool]) -> list[str]:
        """The units for which something holds."""
        return [name for name, so in zip(self.board.names, holds, strict=True) if so]

    def having(self, kind: str) -> list[str]:
        """The units of which the reason has a fact of that kind."""
        return list(dict.fromkeys(fact.unit for fact in self.facts if fact.kind == kind))

    def number(self, slug: str) -> str:
        """What the edition prints for the rule, or what can be said in its place."""
        return number(slug, self.board.edition)

    def by(self, *slugs: str) -> str:
        """The numbers of rules of the reason, in parentheses."""
        return f"({', '.join(self.number(slug) for slug in slugs if slug in self.rules)})"

    def amount(self, name: str, points: Need) -> str:
        """`A 11 with prevent 7 (437.5.a)`: a unit's points and what makes them so many."""
        if points == self.demand.give.get(name):
            return f"{name} {points} (given)"
        return f"{name} {points}{self.why_so_many(name, points)}"

    def at_most(self, name: str, points: int) -> str:
        """The most that a unit can be given: `A 2 (dies of 3)`, where that is why, or its need."""
        dies_of = self.dies_of[name]
        spared = name in self.demand.spare and name not in self.demand.give
        if spared and dies_of != NEVER and points + 1 == dies_of:
            return f"{name} {points} (dies of {dies_of}{self.why_so_many(name, dies_of)})"
        return self.amount(name, points)

    def why_so_many(self, name: str, points: Need, before: str = " with ") -> str:
        """What makes a need, or the points of which a unit dies, more or less than its Might.

        These are the facts without which it would be another amount, and those of the reason.
        """
        if points == 0 == self.dies_of[name]:
            return " (lethal already)"
        amounts = deaths if points == self.dies_of[name] else need
        place = self.board.names.index(name)

        def is_other(without: Sequence[Fact]) -> bool:
            return amounts(lacking(self.board, without))[place] != amounts(self.board)[place]

        facts = [f for f in facts_of(self.board) if f.unit == name and f.kind in _IN_AMOUNTS]
        changing = [fact for fact in facts if is_other([fact])]
        if not changing and facts and is_other(facts):
            changing = facts
        told: dict[str, list[str]] = {}
        for fact in facts:
            if fact in changing or (fact in self.facts and fact.text != "prevent all"):
                told.setdefault(self.number(fact.rule), []).append(fact.text)
        listed = [f"{', '.join(texts)} ({number})" for number, texts in told.items()]
        return f"{before}{enumerate_words(listed)}" if told else ""

    def tier(self, name: str) -> tuple[bool, bool]:
        """Whether a unit has Tank and Backline in force."""
        return name in self.tanks, name in self.backline

    def amounts(self, points: dict[str, int]) -> str:
        return enumerate_words([self.amount(name, x) for name, x in points.items()])

    def never(self, name: str, called: str = "") -> str | None:
        """`A is never lethal (437.5.b)`, where the reason has the fact that makes it so."""
        for fact in self.facts:
            if fact.unit == name and fact.text == "prevent all" and self.needs[name] == NEVER:
                return f"{name}{called} is never lethal ({self.number(fact.rule)})"
        return None


def _by_its_facts(case: _Case) -> str | None:
    """What is printed on one unit settles whether it dies."""
    units = {fact.unit for fact in case.facts}
    if case.rules or len(units) != 1:
        return None
    (name,) = units
    least = case.dies_of[name]
    # What the unit owes to another fact is no matter of these.
    settling = {NEVER: {"cannot be dealt damage", "prevent all"}}.get(str(least), set())
    if settling and settling.isdisjoint(fact.text for fact in case.facts):
        return None
    if least == 0 and not any(fact.kind == "marked" for fact in case.facts):
        return None
    texts = [f"it {fact.text}" if fact.kind == "undamageable" else fact.text for fact in case.facts]
    numbers = [case.number(fact.rule) for fact in case.facts]
    printed = enumerate_words([f"{t} ({n})" for t, n in zip(texts, numbers, strict=True)])
    if name in case.demand.give:
        is_enough = least != NEVER and case.demand.give[name] >= int(least)
        if name not in (case.demand.spare if is_enough else case.demand.kill):
            return None
        if least == NEVER:
            dies = "never dies"
        elif is_enough:
            dies = f"dies of {in_points(int(least))}"
        else:
            dies = f"dies of no fewer than {in_points(int(least))}"
        return f"{name} is given {case.demand.give[name]} and {dies}: {printed}"
    if least == NEVER:
        return f"{name} cannot die: {printed}"
    return f"{name} dies whatever it is given: {printed}" if least == 0 else None


def _behind_what_never_dies(case: _Case) -> str | None:
    """Nothing gets past a Tank that is never lethal, nor to Backline past any such unit."""
    first = [n for n in case.having("tank") if n not in case.backline and case.never(n)]
    kept_out = [name for name in case.low if name not in case.tanks]
    if case.rules == {"tank_first"} and first and kept_out:
        stay = "no points get past the Tanks"
        if case.tanks == first and case.pool > 1:
            stay = f"all {case.pool} points stay on it"
        never = case.never(first[0], " (Tank)")
        return f"{_out_of_reach(kept_out)}: {never}, so {stay} {case.by('tank_first')}"
    last = [n for n in case.having("backline") if n in case.low and n not in case.tanks]
    before = [name for name in case.needs if name not in case.backline]
    sinks = [said for name in before if (said := case.never(name))]
    if case.rules and case.rules <= _BACKLINE and last and sinks:
        waits = f"{enumerate_words(last)} (Backline) {_waits(last)} for it {case.by(*case.ordered)}"
        return f"{_out_of_reach(last)}: {sinks[0]}, and {waits}"
    return None


def _behind_what_is_short(case: _Case) -> str | None:
    """The demand itself keeps a unit from being lethal that others wait for."""
    if len(case.rules) != 1:
        return None
    (rule,) = case.rules
    waited_for = [
        name for name in case.short if name in case.having("tank") and name not in case.backline
    ]
    kept_out = [name for name in case.low if name not in case.tanks]
    if rule == "tank_first" and waited_for and kept_out:
        return (
            f"{_out_of_reach(kept_out)} while {_kept_short(case, waited_for[0], ' (Tank)')} is "
            f"short of lethal {case.by(rule)}"
        )
    last = [name for name in case.having("backline") if name in case.low]
    waited_for = [name for name in case.short if name not in case.backline]
    if rule in _BACKLINE and last and waited_for:
        return (
            f"{_out_of_reach(last, ' (Backline)')} while {_kept_short(case, waited_for[0])} is "
            f"short of lethal: Backline comes last {case.by(rule)}"
        )
    return None


def _in_between(case: _Case) -> str | None:
    """A dual unit that is short of lethal goes too early, whatever it is taken as."""
    rest = case.rules & _BACKLINE
    if case.rules - {_TOTAL} != {"tank_first", *rest} or len(rest) != 1:
        return None
    dual = [n for n in case.low if n in case.short and case.tier(n) == (True, True)]
    after = [n for n in case.low if n not in case.tanks and case.needs[n] != "exempt"]
    before = [n for n in case.short if n not in case.backline]
    left = case.pool - sum(case.low.values())
    beyond = ""
    if _TOTAL in case.rules:
        needs = {n: x for n, x in case.needs.items() if isinstance(x, int)}
        before = [n for n, x in needs.items() if x > left + case.low.get(n, 0)]
        before = [n for n in before if n not in case.backline]
        beyond = f", which {in_points(left)} left of {case.pool} will not make lethal"
        beyond += f" {case.by(_TOTAL)}"
    if not (dual and before and after):
        return None
    return (
        f"{_kept_short(case, dual[0])} is short of lethal: as Tank it has to be lethal before "
        f"{after[0]} {case.by('tank_first')}, as Backline after {before[0]} {case.by(*rest)}"
        f"{beyond}, and it counts as one of them ({case.number('exclusionary_choose_one')})"
    )


def _too_few_behind_others(case: _Case) -> str | None:
    """Units that come first need so much that too little is left for those demanded."""
    rest = case.rules - {_TOTAL}
    if _TOTAL not in case.rules or len(rest) != 1:
        return None
    if rest == {"tank_first"}:
        first = [name for name in case.having("tank") if name not in case.backline]
        who = f"{enumerate_words(first)} (Tank) {_comes(first)} first"
        behind = [name for name in case.low if name not in case.tanks]
    elif rest <= _BACKLINE:
        first = [n for n, x in case.needs.items() if n not in case.backline and x != "exempt"]
        behind = [n for n in case.having("backline") if n in case.low and n not in case.tanks]
        who = f"{enumerate_words(behind)} (Backline) {_waits(behind)} for {enumerate_words(first)}"
    else:
        return None
    due = {name: least for name in first if isinstance(least := case.needs[name], int)}
    if not first or not behind or len(due) < len(first):
        return None
    alone = case.pool - sum(due.values())
    beyond = [name for name in behind if case.low[name] > alone]
    in_all = {**due, **{n: x for n, x in case.low.items() if n in (beyond or case.low)}}
    in_all |= {n: max(least, case.low.get(n, 0)) for n, least in due.items()}
    if sum(in_all.values()) <= case.pool:
        return None
    reach = f"{_out_of_reach(beyond)}: " if beyond else ""
    if beyond == behind and rest <= _BACKLINE:
        reach = f"{_out_of_reach(beyond, ' (Backline)')}: "
        who = f"{_it(beyond)} {_waits(beyond)} for {enumerate_words(first)}"
    return (
        f"{reach}{who} {case.by(*rest)}, and {case.amounts(in_all)} "
        f"{_take(in_all)}, {_and_there_are(case.pool)} {case.by(_TOTAL)}"
    )


def _too_few(case: _Case) -> str | None:
    """What is demanded costs more than the pool."""
    cost = sum(case.low.values())
    if case.rules != {_TOTAL} or cost <= case.pool:
        return None
    if len(case.low) == 1:
        (name,) = case.low
        verb = "is given" if name in case.demand.give else "dies of no fewer than"
        why = "" if name in case.demand.give else case.why_so_many(name, cost)
        return (
            f"{name} {verb} {in_points(cost)}{why}, {_and_there_are(case.pool)} {case.by(_TOTAL)}"
        )
    return (
        f"{case.amounts(case.low)} {_take(case.low)}, {_and_there_are(case.pool)} {case.by(_TOTAL)}"
    )


def _too_many(case: _Case) -> str | None:
    """The whole pool must be spent, and what the demand and the other rules leave room for is less.

    Each rule bounds what some units can get, given who is kept short of lethal.
    """
    if _TOTAL not in case.rules:
        return None
    room = {name: case.high.get(name, case.pool) for name in case.needs}
    clauses: list[str] = []
    for rule, bounds, clause in _bounds(case):
        lower = {name: most for name, most in bounds.items() if most < room[name]}
        if rule in case.rules and lower:
            room.update(lower)
            clauses.append(f"{clause} {case.by(rule)}")
    partial = {name: room[name] for name in case.short if room[name]}
    if _IN_FULL in case.rules and len(partial) > 1:
        most = max(partial.values())
        clauses.insert(
            0,
            f"one of {enumerate_words(list(partial))}, {most} at most, since no two are left short "
            f"of lethal {case.by(_IN_FULL)}",
        )
    else:
        partial, most = {}, 0
    told = {name: x for name, x in room.items() if name not in partial}
    most += sum(told.values())
    if most >= case.pool or min(room.values(), default=0) < 0:
        return None
    none = {name for name, least in case.needs.items() if 0 in (least, case.high.get(name))}
    told = {n: x for n, x in told.items() if x or n in none} or ({} if clauses else told)
    listed = [case.at_most(name, x) for name, x in told.items()]
    clauses[:0] = [f"{enumerate_words(listed)} at most"] if told else []
    placed = f"{f'only {most}' if most else 'none'} of {case.pool} points can be placed, and all"
    if case.pool == 1:
        placed = "the one point cannot be placed, and it"
    return f"{placed} must be {case.by(_TOTAL)}: {'; '.join(clauses)}"


def _bounds(case: _Case) -> Iterator[tuple[str, dict[str, int], str]]:
    """Of each rule: its id, the points that units can get at most, and why, without its number."""
    begun = next((name for name in case.short if case.demand.give.get(name)), None)
    if begun:
        others = [name for name in case.short if name != begun]
        yield (
            _IN_FULL,
            dict.fromkeys(others, 0),
            f"with {_share(case, begun)}, nobody else is left short of lethal",
        )
    yield (
        _IN_FULL,
        _unfinished(case),
        "nobody is left short with points that would have finished another of their tier, reading "
        "must_kill=yes",
    )
    bound = case.where(standing(case.board).bound)
    tank = next((name for name in case.short if name in set(case.tanks) - set(case.backline)), None)
    if tank:
        others = [name for name in bound if name not in case.tanks]
        called = "only units with Tank take points"
        yield "tank_first", dict.fromkeys(others, 0), _while_short(case, tank, " (Tank)", called)
    early = next((name for name in case.short if name not in case.backline), None)
    if early:
        late = [name for name in case.backline if name not in case.tanks]
        for rule in _BACKLINE:
            called = f"{enumerate_words(late)} (Backline) {_take_none(late)}"
            yield rule, dict.fromkeys(late, 0), _while_short(case, early, "", called)
    exempt = [name for name, least in case.needs.items() if least == "exempt"]
    if 0 < len(exempt) < len(case.needs):
        yield _EXEMPT, dict.fromkeys(exempt, 0), _are_left_out(exempt)
    if case.short:
        needs = {name: least for name, least in case.needs.items() if isinstance(least, int)}
        yield (
            _NO_OVER,
            needs,
            _while_short(case, case.short[0], "", "nobody gets more than their need"),
        )


def _too_much_on_one(case: _Case) -> str | None:
    """A unit must get more than its need, and not everybody else becomes lethal."""
    over = [
        name
        for name, x in case.low.items()
        if isinstance(least := case.needs[name], int) and x > least
    ]
    if _NO_OVER not in case.rules or not case.rules <= {_NO_OVER, _TOTAL} or not over:
        return None
    name, points = over[0], case.low[over[0]]
    needs = f"its need of {case.needs[name]}"
    if name in case.demand.give:
        why = case.why_so_many(name, case.needs[name], ", with ")
        said = f"{name} is given {points}, more than {needs}{why}"
    else:
        why = case.why_so_many(name, points)
        said = f"{name} dies of no fewer than {points}{why}, more than {needs}"
    if case.rules == {_NO_OVER}:
        short = [other for other in case.short if other != name]
        if not short:
            return None
        left = _kept_short(case, short[0])
        return f"{said}, while {left} is short of lethal {case.by(_NO_OVER)}"
    rivals = [other for other, least in case.needs.items() if other != name and least != "exempt"]
    if not rivals:
        return None
    # What is demanded for units that need not be lethal is spent as well.
    others = {
        other: max(least if isinstance(least, int) else 0, case.low.get(other, 0))
        for other, least in case.needs.items()
        if other != name
    }
    cost = points + sum(others.values())
    if cost <= case.pool:
        return None
    due = {name: points, **{other: x for other, x in others.items() if x}}
    listed = [f"{name} {points}", *(case.amount(other, due[other]) for other in [*due][1:])]
    return (
        f"{said}, so all others must be lethal {case.by(_NO_OVER)}, and {enumerate_words(listed)} "
        f"{_take(due)}, {_and_there_are(case.pool)} {case.by(_TOTAL)}"
    )


def _several_partial(case: _Case) -> str | None:
    """More than one unit is given less than its need."""
    partial = [name for name in case.short if case.demand.give.get(name)]
    if case.rules != {_IN_FULL} or len(partial) < 2:
        return None
    given = [
        f"{name} {case.demand.give[name]} of {case.needs[name]}"
        f"{case.why_so_many(name, case.needs[name])}"
        for name in partial
    ]
    return f"{enumerate_words(given)}: at most one unit is left short of lethal {case.by(_IN_FULL)}"


def _rest_does_not_fit(case: _Case) -> str | None:
    """One unit is given less than its need, so the rest must make units lethal, and cannot."""
    partial = [name for name in case.short if case.demand.give.get(name)]
    if not {_TOTAL, _IN_FULL} <= case.rules or len(partial) != 1:
        return None
    (name,) = partial
    others = {n: least for n, least in case.needs.items() if n not in case.demand.give}
    exempt = [other for other, least in others.items() if least == "exempt"]
    if exempt and _EXEMPT not in case.rules:
        return None
    needs = {n: x for n, x in others.items() if isinstance(x, int) and n not in case.short}
    before = [other for other in _before(case, name) if other in needs]
    due = {n: needs.pop(n) for n in dict.fromkeys((*case.demand.kill, *before)) if n in needs}
    rest = case.pool - sum(case.demand.give.values()) - sum(due.values())
    sums = {0}
    for least in needs.values():
        sums |= {least + some for some in sums if least + some <= rest}
        if len(sums) > _MOST_SUMS:
            return None
    strict = _NO_OVER in case.rules
    if strict:
        fits = rest in sums
    else:
        fits = rest >= 0 if due else rest == 0 or rest >= min(needs.values(), default=rest + 1)
    if fits or rest < 0:
        return None
    told = f"with {_share(case, name)}, nobody else is left short of lethal {case.by(_IN_FULL)}"
    if strict:
        told += f" or gets more than their need {case.by(_NO_OVER)}"
    if before:
        waits = next(rule for rule in case.ordered if rule == "tank_first" or rule in _BACKLINE)
        told += f", {enumerate_words(before)} {_comes(before)} first {case.by(waits)}"
    if exempt:
        told += f", {_are_left_out(exempt)} {case.by(_EXEMPT)}"
    fit = "no needs add up to" if strict else "nobody's need is within"
    beside = f"beside {case.amounts(due)} " if due else ""
    return f"{told}, but {beside}{fit} the other {in_points(rest)} {case.by(_TOTAL)}"


def _before(case: _Case, name: str) -> list[str]:
    """The units that must be lethal before that one gets points, by the rules of the reason."""
    if "tank_first" in case.rules and name not in case.tanks:
        return [other for other in case.tanks if other not in case.backline]
    if case.rules & _BACKLINE and name in case.backline and name not in case.tanks:
        return [other for other in case.needs if other not in case.backline]
    return []


def _finishing(case: _Case) -> str | None:
    """Under the reading must_kill a unit left short has points that would have finished another."""
    if case.rules != {_IN_FULL}:
        return None
    for name, most in _unfinished(case).items():
        if case.demand.give.get(name, 0) > most:
            return (
                f"{_share(case, name)} would have finished another unit of its tier, which needs "
                f"{most + 1}: reading must_kill=yes {case.by(_IN_FULL)}"
            )
    return None


def _unfinished(case: _Case) -> dict[str, int]:
    """Under the reading must_kill what units left short can get before that finishes another."""
    if case.board.readings.must_kill == "no":
        return {}
    bounds = {}
    for name in case.short:
        needs = [
            least
            for other in case.short
            if other != name
            and isinstance(least := case.needs[other], int)
            and case.tier(other) == case.tier(name) != (True, True)
        ]
        if needs:
            bounds[name] = min(needs) - 1
    return bounds


def _as_given(case: _Case) -> str | None:
    """All the points are given, and a rule says what is wrong with them."""
    if case.demand.give.keys() != case.needs.keys() or len(case.rules) != 1:
        return None
    position = Position(case.board, tuple(case.demand.give[name] for name in case.board.names))
    (rule,) = (rule for rule in DECIDING[case.board.edition] if rule.slug in case.rules)
    broken = next(iter(rule.violations(position)), None)
    return None if broken is None else f"{broken.because} {case.by(rule.slug)}"


def _left_out(case: _Case) -> str | None:
    """A unit that cannot be dealt damage is given points."""
    given = [name for name in case.having("undamageable") if case.demand.give.get(name)]
    if case.rules != {_EXEMPT} or not given:
        return None
    other = next((name for name, least in case.needs.items() if least != "exempt"), None)
    if other is None:
        return None
    return f"{given[0]} cannot be dealt damage and is left out while {other} can {case.by(_EXEMPT)}"


def _whoever_lives(case: _Case) -> str | None:
    """Of several units some are as good as dead, and the others cannot live either."""
    told: list[str | None] = []
    alive = [name for name in case.demand.leave if case.dies_of[name] != 0]
    for name in case.demand.leave:
        if name not in alive:
            own = [fact for fact in case.facts if fact.unit == name]
            told.append(_by_its_facts(_Case(case.board, case.demand.leaving(name), (), own)))
    if alive:
        each = {name: _if_it_lives(case, name) for name in alive}
        if len(alive) == 1:
            told += [said and f"{_none_lives(alive)}, since {said}" for said in each.values()]
        elif said := _one_short_of_all(case, alive):
            told.append(said)
        else:
            told += [said and f"if {name} is to live, {said}" for name, said in each.items()]
    found = [said for said in told if said]
    return "; and ".join(found) if len(found) == len(told) else None


def _if_it_lives(case: _Case, name: str) -> str | None:
    return _in_shape(_Case(case.board, case.demand.leaving(name), case.ordered, case.facts))


def _one_short_of_all(case: _Case, alive: Sequence[str]) -> str | None:
    """While any of them lives it is short of lethal, and that leaves too little room."""
    needs = {n: least for n in alive if isinstance(least := case.needs[n], int)}
    room = sum(needs.values())
    if case.rules != {_TOTAL, _NO_OVER} or room > case.pool:
        return None
    if any(needs.get(name) != case.dies_of[name] for name in alive):
        return None
    if any(least for name, least in case.needs.items() if name not in alive):
        return None
    return (
        f"{_none_lives(alive)}, since only {room - 1} of {in_points(case.pool)} can be placed, and "
        f"all must be {case.by(_TOTAL)}: one less than {case.amounts(needs)}; while one of them "
        f"is short of lethal, nobody gets more than their need {case.by(_NO_OVER)}"
    )


def _none_lives(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} cannot live"
    if len(names) == 2:
        return f"neither {names[0]} nor {names[1]} can live"
    return f"none of {enumerate_words(list(names))} can live"


def _one_by_one(case: _Case) -> str:
    """The needs, then the rules and facts: for reasons without words of their own."""
    needs = [case.amount(name, least) for name, least in case.needs.items()]
    told = [f"{_RULES[slug].format(pool=case.pool)} ({case.number(slug)})" for slug in case.ordered]
    for switch, slug in (("must_kill", _IN_FULL), ("leftover", _NO_OVER)):
        value = case.board.readings.changed().get(switch)
        if value and slug in case.rules:
            told.append(f"the reading is {switch}={value}")
    told += [
        f"{fact} ({case.number(fact.rule)})" for fact in case.facts if fact.kind not in _IN_AMOUNTS
    ]
    said = f"{_none_lives(case.demand.leave)}, since " if case.demand.leave else ""
    return (
        f"{said}{in_points(case.pool)}, where the needs are {enumerate_words(needs)}, cannot be "
        f"assigned so: {enumerate_words(told, most=12)}"
    )


_SHAPES: Final[tuple[Callable[[_Case], str | None], ...]] = (
    _by_its_facts,
    _behind_what_never_dies,
    _behind_what_is_short,
    _in_between,
    _too_few_behind_others,
    _too_few,
    _too_many,
    _too_much_on_one,
    _several_partial,
    _rest_does_not_fit,
    _left_out,
    _finishing,
    _as_given,
)


def _out_of_reach(names: Collection[str], called: str = "") -> str:
    """`A (Backline) is out of reach`."""
    listed = enumerate_words(list(names))
    return f"{listed}{called} {'is' if len(names) == 1 else 'are'} out of reach"


def _it(names: Collection[str]) -> str:
    return "it" if len(names) == 1 else "they"


def _comes(names: Collection[str]) -> str:
    return "comes" if len(names) == 1 else "come"


def _waits(names: Collection[str]) -> str:
    return "waits" if len(names) == 1 else "wait"


def _take_none(names: Collection[str]) -> str:
    return "takes none" if len(names) == 1 else "take none"


def _take(amounts: Mapping[str, int]) -> str:
    """`take 5 points`."""
    return f"take{'s' if len(amounts) == 1 else ''} {in_points(sum(amounts.values()))}"


def _and_there_are(pool: int) -> str:
    """`and there are 3`."""
    return f"and there {'is' if pool == 1 else 'are'} {pool or 'none'}"


def in_points(number: int) -> str:
    """`1 point`, `2 points`."""
    return "1 point" if number == 1 else f"{number} points"


def _are_left_out(names: Sequence[str]) -> str:
    return f"{enumerate_words(list(names))} {'is' if len(names) == 1 else 'are'} left out"


def _share(case: _Case, name: str) -> str:
    """`3 of 5 on A`: what a unit is given that does not make it lethal."""
    least, given = case.needs[name], case.demand.give[name]
    return (
        f"{given} on {name} (never lethal)" if least == NEVER else f"{given} of {least} on {name}"
    )


def _while_short(case: _Case, name: str, called: str, what: str) -> str:
    """What holds as long as a unit is short of lethal."""
    if said := case.never(name, called):
        return f"{said}, so {what}"
    return f"while {_kept_short(case, name, called)} is short of lethal, {what}"


def _kept_short(case: _Case, name: str, called: str = "") -> str:
    """A unit that the demand keeps short of lethal, with what it gives it: `A (Tank), given 0,`."""
    given = f", given {case.demand.give[name]}," if name in case.demand.give else ""
    return f"{name}{called}{given}"
