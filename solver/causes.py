"""Why a goal is not reached: what forbids it, or what can be assigned against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, count, islice, product
from typing import Final, NamedTuple

from msgspec.structs import replace

from rules.board import SIDES, Assignment, Board, Combat, Role, Side, Unit, letters
from rules.editions import CANONICAL, edition
from rules.lethal import EXEMPT, NEVER, dead, deaths, excess_of, need
from rules.position import Position, enumerate_words
from rules.resolution import OTHER, ROLES, question, units_of
from solver import exact
from solver.amounts import InCombat, Kinds, Names, OnBoard, Wish, fate_of, first, kinds_of
from solver.because import in_points, number
from solver.demands import Demand, meeting
from solver.facts import facts_of
from solver.optimize import best
from solver.pools import Fate, Pools
from solver.reasons import Cited, Reason, forbidden

_TRIED: Final = 1000
"""Among so many assignments it is looked for one with less excess than wished."""


class Cause(NamedTuple):
    """Why a goal is not reached, where that is known.

    `only_now` says that it is about the present amount, though no other amount is enough either;
    `cut` which limit ended the search for it, if one did.
    """

    reason: Reason | None = None
    only_now: bool = False
    cut: str | None = None


def cause(asked: OnBoard | InCombat, *, ever: bool) -> Cause:
    """Why a goal is not reached at the present amount or, unless it `ever` is, with any pool.

    Where it is not even possible, why that is. The rules and facts are irreducible; there are none
    where the demand contradicts itself, and where what can be assigned against the goal says it
    all. Raises `LimitReached` when a limit stops the search.
    """
    wish = asked.wish
    for name in wish.kill:
        if name in wish.spare:
            return Cause(_told(f"the demand contradicts itself: {name} cannot both die and live"))
    if isinstance(asked, InCombat):
        return _in_combat(asked, ever=ever)
    return _on_board(asked, ever=ever)


def _on_board(asked: OnBoard, *, ever: bool) -> Cause:
    """What forbids a wish on a board or, where it is possible, what is legal besides."""
    board, wish = asked.question, asked.wish
    pools = Pools(board, wish.on(board))
    if pools.at(board.pool).met:
        return Cause(_against(board, wish), only_now=not ever)
    never = asked.unit is None and not any(fate.met for _, fate in pools.runs())
    if never and (reason := _forbidden(board, wish, whatever=True)):
        return Cause(reason)
    return Cause(_forbidden(board, wish, whatever=False), only_now=not ever)


def _forbidden(board: Board, wish: Wish, *, whatever: bool, said: str = "") -> Reason | None:
    """What forbids a wish on a board; `whatever` the pool, if it is so with any.

    `said` is what cannot be, where nothing else will say it.
    """
    demand = Demand(wish.kill, wish.spare)
    if wish.excess and (capped := _capped(board, wish)):
        return capped
    if whatever or meeting(board, demand) is None:
        return _led(said, forbidden(board, demand, whatever_the_pool=whatever))
    return _left_over(board, demand) if wish.excess else None


def _capped(board: Board, wish: Wish) -> Reason | None:
    """What keeps the cap of no_over_assignment from being lifted whatever the pool, if anything."""
    key = board.edition
    needs = dict(zip(board.names, need(board), strict=True))
    if all(least == EXEMPT for least in needs.values()):
        rules = ("undamageable_exempt",) if needs else ()
        because = f"nobody there can be dealt damage ({number('undamageable_exempt', key)})"
        return _told(because if needs else "there is nobody to deal damage to", key, *rules)
    cap = f"nobody gets more than their need ({number('no_over_assignment', key)})"
    for name, dies_of in zip(board.names, deaths(board), strict=True):
        least = needs[name]
        if least == NEVER:
            fact = next(f for f in facts_of(board) if f.unit == name and f.text == "prevent all")
            because = f"{name} is never lethal ({number(fact.rule, key)}), so {cap}"
            return replace(_told(because, key, "no_over_assignment"), facts=(fact,))
        if name in wish.spare and least != EXEMPT and dies_of != NEVER and 0 < dies_of <= least:
            because = f"while {name} is short of lethal, {cap}"
            return _told(because, key, "no_over_assignment")
    return None


def _left_over(board: Board, demand: Demand) -> Reason | None:
    """How much there is beyond the needs, all of which come first."""
    key = board.edition
    needs = {
        name: least
        for name, least in zip(board.names, need(board), strict=True)
        if isinstance(least, int) and least
    }
    due = sum(needs.values())
    total, cap = (number(slug, key) for slug in ("assign_total", "no_over_assignment"))
    if len(needs) == 1:
        told = f"{next(iter(needs))} needs {in_points(due)}"
    else:
        each = enumerate_words([f"{name} {least}" for name, least in needs.items()])
        told = f"{each} take {in_points(due)}"
    because = (
        f"nobody gets more than their need until all are lethal ({cap}), and {told}, of a pool of "
        f"{board.pool} ({total})"
    )
    most = 0
    if due == board.pool:
        because += "; nothing is left over"
    elif due < board.pool:
        found = best(board, ("excess",), kill=demand.kill, spare=demand.spare)
        if not found.optimal:
            return None
        most = int(found.score[0])
        because += f"; what is left over makes an excess of {most} at most"
    if not needs:
        because = f"a pool of {board.pool} makes an excess of {most} at most ({total})"
        return _told(because, key, "assign_total")
    return _told(because, key, "assign_total", "no_over_assignment")


def _against(board: Board, wish: Wish, who: str = "") -> Reason | None:
    """An assignment that is legal and is not what is wished for; `who` can make it."""
    missed = [(name, "lives", Demand(spare=(name,))) for name in wish.kill]
    missed += [(name, "dies", Demand(kill=(name,))) for name in wish.spare]
    for name, does, demand in missed:
        if assignment := meeting(board, demand):
            told = tallies(board, assignment)
            said = f"{who} can assign {told}" if who else f"{told} is legal, too"
            return _told(f"{said}, and {name} {does}")
    for assignment in islice(exact.legal(board), _TRIED if wish.excess else 0):
        excess = sum(excess_of(u, x, board) for u, x in zip(board.units, assignment, strict=True))
        if excess < wish.excess:
            told = tallies(board, assignment)
            said = f"{who} can assign {told}" if who else f"{told} is legal, too"
            return _told(f"{said}, with an excess of {excess}")
    return None


class _Part(NamedTuple):
    """That what a side assigns can, or cannot, be of a kind: meeting its demand, or missing it."""

    side: Side
    met: bool
    can: bool


def _in_combat(asked: InCombat, *, ever: bool) -> Cause:
    """What a side cannot do, or cannot keep the other from doing.

    The least of it that is enough: without any part of it the goal would be within reach.
    """
    fight, mine, theirs = asked.question, asked.side, OTHER[asked.side]
    if not _has_good_end(asked):
        return Cause(_no_end_is(asked))
    boards = {side: question(fight, side) for side in SIDES}
    demands = {side: asked.demand(side, board) for side, board in boards.items()}
    own = Pools(boards[mine], demands[mine])
    fixed = _parts(theirs, [fate_of(boards[theirs], demands[theirs])])
    # Without units of its own a side assigns nothing, whatever is added [465.1].
    has_pool = bool(units_of(fight, mine))
    whatever = not ever and asked.unit is None and has_pool
    for any_pool in (True, False) if whatever else (False,):
        fates = [fate for _, fate in own.runs()] if any_pool else [own.at(boards[mine].pool)]
        known = sorted((*_parts(mine, fates), *fixed), key=lambda part: part.can)
        for how in dict.fromkeys(("possible", asked.how)):
            parts = _fewest(asked._replace(how=how), known)
            reasons = [
                _can(asked, boards[side], met)
                if can
                else _cannot(asked, boards[side], met, whatever=any_pool and side == mine)
                for side, met, can in parts
            ]
            if parts and None not in reasons:
                # What can be assigned is told of the present pool, also where it always can be.
                of_pool = has_pool and any(
                    s == mine and (can or not any_pool) for s, _, can in parts
                )
                only_now = not ever and (asked.unit is not None or of_pool)
                return Cause(_joined([one for one in reasons if one]), only_now)
    return Cause()


def _parts(side: Side, fates: Iterable[Fate]) -> list[_Part]:
    """What a side can assign, and cannot, whichever of these is the fate of its demand."""
    kinds = list(map(kinds_of, fates))
    told = [(met, {met in some for some in kinds}) for met in (True, False)]
    return [_Part(side, met, can) for met, (can, *other) in told if not other]


def _fewest(asked: InCombat, known: Sequence[_Part]) -> tuple[_Part, ...]:
    """The fewest of these by which the goal is out of reach, whatever is so besides."""
    sides = (asked.side, OTHER[asked.side])
    for size in range(1, len(known) + 1):
        for parts in combinations(known, size):
            worlds = product(*(_open_to(side, parts) for side in sides))
            if not any(asked.comes_true(*kinds) for kinds in worlds):
                return parts
    return ()


def _open_to(side: Side, parts: Iterable[_Part]) -> list[Kinds]:
    """The kinds of assignments that a side may have, if these parts are so."""
    return [
        kinds
        for kinds in ([True], [False], [True, False])
        if all((part.met in kinds) == part.can for part in parts if part.side == side)
    ]


def _has_good_end(asked: InCombat) -> bool:
    return any(asked.is_good(*kinds) for kinds in product((True, False), repeat=2))


def _no_end_is(asked: InCombat) -> Reason | None:
    """Why no end of the combat is what a side wants, whatever is assigned.

    What is in the way is taken away bit by bit, and what still is in the way is told.
    """
    told, rules = [], []
    obstacles = list(_obstacles(asked))
    for because, rule, without in obstacles:
        changed = asked._replace(question=without(asked.question))
        if _has_good_end(changed):
            told.append(because)
            rules += [rule] if rule else []
        else:
            asked = changed
    if not told:
        return None
    return _told("; and ".join(told), asked.question.edition, *rules)


def _obstacles(
    asked: InCombat,
) -> Iterator[tuple[str, str | None, Callable[[Combat], Combat]]]:
    """What may be in the way of every end: words, the rule, and the combat without it."""
    fight = asked.question
    key = fight.edition
    for side in (OTHER[asked.side], asked.side):
        who, role = side.capitalize(), ROLES[side]
        late = [unit.name for unit in getattr(fight.arrivals, role)]
        if late:
            arrives = "arrives" if len(late) == 1 else "arrive"
            because = f"{enumerate_words(late)} of the {who} {arrives} after the cleanup"
            yield because, None, partial(_without_arrivals, role=role)
        if not units_of(fight, side):
            because = f"the {who} has no units there"
            yield because, None, partial(_with_a_unit, role=role)
    who = asked.side.capitalize()
    if asked.side in fight.scored_this_turn:
        rule = "score_once_per_turn"
        because = f"the {who} has scored there this turn ({number(rule, key)})"
        yield because, rule, partial(replace, scored_this_turn=())
    if fight.control == asked.side:
        rule = "conquer_on_control"
        because = f"the {who} controls the battlefield already ({number(rule, key)})"
        yield because, rule, partial(replace, control=None)


def _without_arrivals(fight: Combat, role: Role) -> Combat:
    return replace(fight, arrivals=replace(fight.arrivals, **{role: ()}))


def _with_a_unit(fight: Combat, role: Role) -> Combat:
    late = (*fight.arrivals.attackers, *fight.arrivals.defenders)
    taken = {unit.name for unit in (*fight.attackers, *fight.defenders, *late)}
    name = next(name for name in map(letters, count()) if name not in taken)
    return replace(fight, **{role: (Unit(might=1, name=name),)})


def _cannot(asked: InCombat, board: Board, met: bool, *, whatever: bool) -> Reason | None:
    """Why a side cannot meet its demand or, for a goal, cannot kill all, or let anybody live."""
    if asked.wish.goal is None:
        wish = _part(asked, board)
        said = together(wish.kill, wish.spare, "cannot") if wish.spare else ""
        return _forbidden(board, wish, whatever=whatever, said=said)
    names = list(board.names)
    if not names:
        return _told(f"there are no {board.units_are}")
    if met:
        demand = Demand(kill=board.names)
        said = f"the {board.units_are} cannot all die" if len(names) > 1 else ""
    elif len(names) == 1:
        demand = Demand(spare=board.names)
        said = f"{names[0]} cannot live"
    else:
        demand = Demand(leave=board.names)
        said = ""
    return _led(said, forbidden(board, demand, whatever_the_pool=whatever))


def _led(said: str, reason: Reason | None) -> Reason | None:
    """The reason behind what cannot be; facts that are enough alone say that themselves."""
    if reason is None or not said or not reason.rules:
        return reason
    joint = ", since " if ": " in reason.because else ": "
    return replace(reason, because=f"{said}{joint}{reason.because}")


def _joined(reasons: Sequence[Reason]) -> Reason:
    """Reasons, each of which is needed, as one."""
    return Reason(
        rules=tuple(dict.fromkeys(rule for one in reasons for rule in one.rules)),
        facts=tuple(dict.fromkeys(fact for one in reasons for fact in one.facts)),
        given=tuple(dict.fromkeys(fact for one in reasons for fact in one.given)),
        because="; and ".join(one.because for one in reasons),
    )


def _can(asked: InCombat, board: Board, met: bool) -> Reason | None:
    """What can be assigned on a board against the goal: that everybody dies, or not."""
    side = next(side for side in SIDES if ROLES[OTHER[side]] == board.units_are)
    who = f"the {side.capitalize()}"
    wish = _part(asked, board)
    if asked.wish.goal is None:
        return _against(board, wish, who)
    found = first(board, wish.on(board), met=met)
    if found is None:
        return None
    died = dead(*found)
    left = tuple(name for name in board.names if name not in died)
    if left:
        end = live(left)
    else:
        end = f"{died[0]} dies" if len(died) == 1 else f"all {board.units_are} die"
    return _told(f"{who} can assign {tallies(*found)}, and {end}")


def _part(asked: InCombat, board: Board) -> Wish:
    """The part of a wish that is decided on a board; for a goal that all die."""
    wish = asked.wish
    if wish.goal is not None:
        return Wish(kill=board.names)
    kill, spare = (
        tuple(name for name in names if name in board.names) for names in (wish.kill, wish.spare)
    )
    is_own = board.units_are == ROLES[OTHER[asked.side]]
    return Wish(kill, spare, wish.excess if is_own else 0)


def _told(because: str, key: str = CANONICAL, *rules: str) -> Reason:
    cited = tuple(Cited(slug, edition(key).number(slug)) for slug in rules)
    return Reason(rules=cited, facts=(), because=because)


def together(kill: Names, spare: Names, can: str) -> str:
    """What can, or cannot, be assigned: `B and C cannot both die while A lives`."""
    if not kill:
        return f"{_all_of(spare, can)} live"
    said = f"{_all_of(kill, can)} die"
    return f"{said} while {live(spare)}" if spare else said


def _all_of(names: Names, can: str) -> str:
    every = {1: "", 2: " both"}.get(len(names), " all")
    return f"{enumerate_words(list(names))} {can}{every}"


def live(names: Names) -> str:
    """`A lives`, `A and B live`."""
    return f"{enumerate_words(list(names))} {'lives' if len(names) == 1 else 'live'}"


def tallies(board: Board, assignment: Assignment) -> str:
    """The points of an assignment beside the needs: `A 3 of 3 and B 2 of 4`."""
    position = Position(board, assignment)
    return position.tallies(u for u in position.units if position.hit[u]) or "nothing to anybody"
