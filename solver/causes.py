"""Why a goal is not reached: what forbids it, or what can be assigned against it."""

from __future__ import annotations

from itertools import islice, product
from typing import Final

from msgspec.structs import replace

from rules.board import SIDES, Assignment, Board
from rules.editions import CANONICAL, edition
from rules.lethal import EXEMPT, NEVER, deaths, excess_of, need
from rules.position import Position, enumerate_words
from rules.resolution import OTHER, ROLES, question, units_of
from solver import exact
from solver.amounts import InCombat, OnBoard, Wish, fate_of, first, kinds_of
from solver.because import number
from solver.demands import Demand, meeting
from solver.facts import facts_of
from solver.optimize import best
from solver.reasons import Cited, Reason, forbidden

_TRIED: Final = 1000
"""Among so many assignments it is looked for one with less excess than wished."""


def cause(asked: OnBoard | InCombat, *, ever: bool) -> Reason | None:
    """Why a goal is not reached at the present amount or, unless it `ever` is, with any pool.

    Its rules and facts are irreducible; it has none where the demand contradicts itself, and where
    what can be assigned against the goal says it all. None where no cause is known. Raises
    `LimitReached` when the deadline comes first.
    """
    wish = asked.wish
    for name in wish.kill:
        if name in wish.spare:
            return _told(f"the demand contradicts itself: {name} cannot both die and live")
    if isinstance(asked, InCombat):
        return _in_combat(asked, ever=ever)
    if asked.how == "certain":
        return _against(asked.question, wish)
    return _forbidden(asked.question, wish, whatever=not ever and asked.unit is None)


def _forbidden(board: Board, wish: Wish, *, whatever: bool) -> Reason | None:
    """What forbids a wish on a board; `whatever` the pool, if it is so with any."""
    demand = Demand(wish.kill, wish.spare)
    if wish.excess and (capped := _capped(board, wish)):
        return capped
    if whatever or meeting(board, demand) is None:
        return forbidden(board, demand, whatever_the_pool=whatever)
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
            because = f"while {name} is short of lethal {cap}"
            return _told(because, key, "no_over_assignment")
    return None


def _left_over(board: Board, demand: Demand) -> Reason | None:
    """How much there is beyond the needs, all of which come first."""
    key = board.edition
    needs = {n: least for n, least in zip(board.names, need(board), strict=True) if least != EXEMPT}
    due = sum(least for least in needs.values() if isinstance(least, int))
    told = enumerate_words([f"{name} {least}" for name, least in needs.items()])
    because = (
        f"nobody gets more than their need until all are lethal "
        f"({number('no_over_assignment', key)}), and {told} {'is' if len(needs) == 1 else 'make'} "
        f"{due} of {board.pool} points ({number('assign_total', key)})"
    )
    if due < board.pool:
        most = best(board, ("excess",), kill=demand.kill, spare=demand.spare)
        if not most.optimal:
            return None
        because += f"; what is left over makes an excess of {most.score[0]} at most"
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


def _in_combat(asked: InCombat, *, ever: bool) -> Reason | None:
    """What a side cannot do, or cannot keep the other from doing."""
    boards = {side: question(asked.question, side) for side in SIDES}
    kinds = {
        side: kinds_of(fate_of(board, asked.demand(side, board))) for side, board in boards.items()
    }
    mine, theirs = asked.side, OTHER[asked.side]
    good = [pair for pair in product((True, False), repeat=2) if asked.is_good(*pair)]
    if not good:
        return _no_end_is(asked)
    # Without units of its own a side assigns nothing, whatever is added [465.1].
    has_pool = bool(units_of(asked.question, mine))
    whatever = not ever and asked.unit is None and has_pool
    for place, side in sorted(enumerate((mine, theirs)), reverse=whatever):
        wanted = {pair[place] for pair in good}
        if not wanted.intersection(kinds[side]):
            part = whatever and side == mine
            reason = _cannot(asked, boards[side], die=wanted == {True}, whatever=part)
            if reason is not None or not part:
                return reason
    if asked.how == "possible":
        (own,), (other,) = kinds[mine], kinds[theirs]
        return _both(
            _cannot(asked, boards[mine], die=not own, whatever=whatever),
            _cannot(asked, boards[theirs], die=not other, whatever=False),
        )
    # Where no pool is enough, what the other side can do is no matter of the present one.
    owns = {own for own, _ in good} if whatever and asked.how == "forced" else kinds[mine]
    for own in sorted(owns, key=lambda own: (own, True) not in good):
        bad = [other for other in kinds[theirs] if (own, other) not in good]
        if len(bad) == len(kinds[theirs]) and asked.how == "certain":
            return _can(asked, boards[mine], own)
        if bad and (mine == "attacker" or asked.how == "certain"):
            return _can(asked, boards[theirs], bad[0])
    # The Attacker assigns first, and with one of the ways the Defender has no answer to it.
    for other in kinds[theirs]:
        if not any((own, other) in good for own in kinds[mine]):
            return _can(asked, boards[theirs], other)
    return None


def _no_end_is(asked: InCombat) -> Reason | None:
    """Why no end of the combat is what a side wants, whatever is assigned."""
    fight, who = asked.question, asked.side.capitalize()
    for side in (asked.side, OTHER[asked.side]):
        if not units_of(fight, side):
            return _told(f"the {side.capitalize()} has no units there")
    if asked.wish.goal != "conquer":
        return None
    if asked.side in fight.scored_this_turn:
        rule, because = "score_once_per_turn", f"the {who} has scored there this turn"
    elif fight.control == asked.side:
        rule, because = "conquer_on_control", f"the {who} controls the battlefield already"
    else:
        return None
    return _told(f"{because} ({number(rule, fight.edition)})", fight.edition, rule)


def _cannot(asked: InCombat, board: Board, *, die: bool, whatever: bool) -> Reason | None:
    """Why the units on a side's board cannot die as is wished, or cannot but die."""
    wish = _part(asked, board)
    if asked.wish.goal is None:
        return _forbidden(board, wish, whatever=whatever)
    if not board.units:
        return _told(f"there are no {board.units_are}")
    if not die:
        wish, said = Wish(spare=board.names[:1]), "die in any case"
    elif len(board.units) > 1:
        said = "cannot all die"
    else:
        return _forbidden(board, wish, whatever=whatever)
    reason = _forbidden(board, wish, whatever=whatever)
    return reason and replace(reason, because=f"the {board.units_are} {said}: {reason.because}")


def _both(one: Reason | None, other: Reason | None) -> Reason | None:
    """Two reasons, each of which is needed, as one."""
    if one is None or other is None:
        return None
    return Reason(
        rules=tuple(dict.fromkeys((*one.rules, *other.rules))),
        facts=tuple(dict.fromkeys((*one.facts, *other.facts))),
        because=f"{one.because}; and {other.because}",
    )


def _can(asked: InCombat, board: Board, met: bool) -> Reason | None:
    """What can be assigned on a board against the goal: that everybody dies, or not."""
    side = next(side for side in SIDES if ROLES[OTHER[side]] == board.units_are)
    who = f"the {side.capitalize()}"
    wish = _part(asked, board)
    if asked.wish.goal is None:
        return _against(board, wish, who)
    found = first(board, wish.on(board), met=met)
    return found and _told(f"{who} can assign {tallies(*found)}")


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


def tallies(board: Board, assignment: Assignment) -> str:
    """The points of an assignment beside the needs: `A 3 of 3 and B 2 of 4`."""
    position = Position(board, assignment)
    return position.tallies(u for u in position.units if position.hit[u]) or "nothing to anybody"
