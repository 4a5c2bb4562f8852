"""A margin in a few sentences: is it reached, how much it takes, how much can be lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import Console

from rules.board import Assignment, Board, Combat
from rules.checks import MAX_NUMBER
from rules.editions import edition
from rules.lethal import need
from rules.position import Position, enumerate_words
from rules.resolution import question
from solver.amounts import Goal, How, Span, fate_of
from solver.causes import live, together
from solver.margins import Margin
from solver.tell import show

_AIMS: Final[dict[Goal, tuple[str, str]]] = {
    "stay": ("stay there", "cleanup_recall_3d"),
    "win": ("win", "result_win"),
    "control": ("control the battlefield", "establish_control"),
    "conquer": ("conquer", "conquer_on_control"),
    "no_recall": ("see nobody recalled", "cleanup_recall_3d"),
    "no_result": ("see no result", "result_none"),
}
"""What each goal is called, and the rule that decides about it."""


def margin(out: Console, found: Margin) -> None:
    """A margin with an assignment that is enough, what forbids it now, and what it rests on."""
    for sentence in _sentences(found):
        out.print(sentence)
    asked = found.question
    if isinstance(asked, Board):
        show.settings(out, asked)
        show.rules_in_play(out, asked)
    else:
        show.settings(out, question(asked, "attacker"), question(asked, "defender"))


def _whatever(found: Margin) -> str:
    if found.unit is not None:
        return f"whatever the Might of {found.unit}"
    asked = found.question
    if isinstance(asked, Board):
        needs = (least for least in need(asked) if isinstance(least, int))
        if sum(needs) > MAX_NUMBER:
            return "whatever the pool up to 10^18, the largest there is"
    return "whatever the pool"


def _sentences(found: Margin) -> Iterator[str]:
    if set(found.wish.kill) & set(found.wish.spare) and found.reason is not None:
        yield f"{found.reason.because[:1].upper()}{found.reason.because[1:]}."
        return
    whatever = _whatever(found)
    if found.here is not None:
        if found.here == (None, None):
            yield f"{_claim(found)}, {whatever}."
        else:
            yield f"{_claim(found)} with {_amount(found, found.here)}, and it is {found.now}."
            yield f"{_room(found)}."
    elif not found.spans:
        denial = _denial(found) if found.is_ever_possible else _denial(found, "possible")
        yield f"{denial}, {whatever}."
    else:
        ways = [
            f"{least} {word}, {_amount(found, span)}"
            for least, word, span in (
                (found.more, "more", found.above),
                (found.less, "less", found.below),
            )
            if span is not None
        ]
        now = _amount(found, (found.now, found.now))
        yield f"{_denial(found)} with {now}; it takes {', or '.join(ways)}."
    told = (found.here,) if found.reached else (found.above, found.below)
    others = [span for span in found.spans if span not in told]
    if others:
        yield f"So too with {enumerate_words([_amount(found, span) for span in others])}."
    if found.reached and found.wish.goal == "no_recall" and _all_attackers_die(found):
        yield "As it is, all attackers die."
    if found.example is not None:
        yield f"{_example(found, *found.example)}."
    if found.reason is not None:
        there = f", with {_amount(found, (found.now, found.now))}" if found.cause.only_now else ""
        yield f"Why not{there}: {found.reason.because}."
    elif not found.reached:
        cut = "" if found.cause.cut is None else f": {found.cause.cut}"
        yield f"What forbids it was not found{cut}."


def changed(now: Margin, then: Margin) -> str:
    """What makes one margin into another, as a verb: `makes it a pool of 0, or 3 or more`."""
    if not then.spans:
        return f"rules it out, {_whatever(then)}"
    if then.spans == ((None, None),):
        return f"makes it so, {_whatever(then)}"
    return f"makes it {_amount(then, *then.spans)}"


def _amount(found: Margin, *spans: Span) -> str:
    """Some amounts in words: `a pool of 8 or more`, `Might 3 to 5 on B`."""
    words = ", or ".join(_span(span, found.unit) for span in spans)
    return f"a pool of {words}" if found.unit is None else f"Might {words} on {found.unit}"


def _span(span: Span, unit: str | None) -> str:
    low, high = span
    if low is None:
        return "0" if unit is None and high == 0 else f"{high} or less"
    if high is None:
        return f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"


def _room(found: Margin) -> str:
    """What can be lost and gained before the answer changes."""
    parts = []
    for most, verb in ((found.may_lose, "lost"), (found.may_gain, "gained")):
        if most is not None:
            parts.append(f"{most or 'nothing'} can be {verb}")
    sentence = " and ".join(parts)
    return f"{sentence[:1].upper()}{sentence[1:]} before that changes"


def _claim(found: Margin) -> str:
    if found.side is not None:
        verb = {"possible": "may", "forced": "can make sure to", "certain": "is certain to"}
        return f"The {found.side.capitalize()} {verb[found.how]} {_aim(found)}"
    if found.how == "certain":
        return f"It is certain that {_facts(found)}"
    return _possible(found, "can")


def _denial(found: Margin, how: How | None = None) -> str:
    how = how or found.how
    if found.side is not None:
        verb = {
            "possible": "cannot",
            "forced": "cannot make sure to",
            "certain": "is not certain to",
        }
        return f"The {found.side.capitalize()} {verb[how]} {_aim(found)}"
    if how == "certain":
        return f"It is not certain that {_facts(found)}"
    return _possible(found, "cannot")


def _possible(found: Margin, can: str) -> str:
    """What can, or cannot, be assigned on a board: `B and C cannot both die while A lives`."""
    wish = found.wish
    if not wish.kill and not wish.spare:
        return f"The excess {can} be {wish.excess} or more"
    said = together(wish.kill, wish.spare, can)
    if not wish.excess:
        return said
    joint = "and" if wish.kill and wish.spare else "while"
    return f"{said} {joint} the excess is {wish.excess} or more"


def _facts(found: Margin) -> str:
    wish = found.wish
    facts = (
        [f"{enumerate_words(list(wish.kill))} {'dies' if len(wish.kill) == 1 else 'die'}"]
        if wish.kill
        else []
    )
    facts += [live(wish.spare)] if wish.spare else []
    facts += [f"the excess is {wish.excess} or more"] if wish.excess else []
    return enumerate_words(facts)


def _aim(found: Margin) -> str:
    """What a side of a combat wants, as a verb, with the rule that decides about a goal."""
    wish = found.wish
    if wish.goal is not None:
        aim, rule = _AIMS[wish.goal]
        return f"{aim} [{edition(found.question.edition).cite(rule)}]"
    facts = [f"{enumerate_words(list(wish.kill))} die"] if wish.kill else []
    facts += [f"{enumerate_words(list(wish.spare))} live"] if wish.spare else []
    seen = [f"see {enumerate_words(facts)}"] if facts else []
    seen += [f"have an excess of {wish.excess} or more"] if wish.excess else []
    return enumerate_words(seen)


def _all_attackers_die(found: Margin) -> bool:
    """Do all attackers die whatever the Defender assigns, so that nobody is left to recall?"""
    assert isinstance(found.question, Combat)
    board = question(found.question, "defender")
    return bool(board.units) and not fate_of(board, found.wish.on(board)).missed


def _example(found: Margin, board: Board, assignment: Assignment) -> str:
    """The assignment that is enough, whole, each unit's points beside its need."""
    who = "" if found.side is None else f"the {found.side.capitalize()} assigns "
    position = Position(board, assignment)
    told = [position.tally(u) for u in position.units if position.hit[u]]
    return f"For example: {who}{enumerate_words(told, len(told)) or 'nothing to anybody'}"
