"""In words: is an assignment legal, by which rules not, and what is instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.text import Text

from rules.board import Assignment, Board
from rules.editions import edition
from rules.position import enumerate_words, given
from solver import explain
from solver.explain import Verdict
from solver.tell.orders import ordered
from solver.tell.show import counted, tally


def verdict(out: Console, board: Board, found: Verdict) -> None:
    """Legal or not; if not, every broken rule with who breaks it and how, and what is instead."""
    cite = edition(board.edition).cite
    out.print(f"{'Legal' if found.legal else 'Illegal'}: {tally(board, found.assignment)}.")
    for violation in found.violations:
        out.print(Text(f"  {cite(violation.rule)}  ", style="bold") + Text(violation.because + "."))
    if found.legal:
        _order(out, found.order)
        _tiers(out, found, cite("exclusionary_choose_one"))
    else:
        _tried(out, board, found)
        _nearest(out, board, found)
    if found.orders is not None:
        others = found.orders.otherwise
        there = explain.check(others.asked, found.assignment) if others else None
        judged = "" if there is None else _judged(there, cite)
        same = "Legal" if found.legal else "Illegal"
        but = "" if found.legal else "; rules and nearest are those of the order on the board"
        ordered(out, board, found.orders, judged, same, but)


def _order(out: Console, order: Sequence[tuple[str, int]]) -> None:
    """In which order a legal assignment can be made; a unit that comes again is given more."""
    once = dict(reversed(order))
    more = order[len(once) :]
    told = ", ".join(f"{name} {points}" for name, points in order[: len(once)])
    if more:
        told += f", then {', '.join(f'{name} {points} more' for name, points in more)}"
    if told:
        out.print(f"  One order: {told}.")


def _tiers(out: Console, found: Verdict, rule: str) -> None:
    for name, tier in found.tiers.items():
        taken = "Tank or as Backline" if tier == "either" else tier.capitalize()
        out.print(f"  {name} counts as {taken} [{rule}].")


def _tried(out: Console, board: Board, found: Verdict) -> None:
    """Why an assignment stays illegal whatever its dual units are taken as."""
    trials, complete = found.tried
    if not trials:
        return
    cite = edition(board.edition).cite
    if not complete:
        _tiers(out, found, cite("exclusionary_choose_one"))
        choices = f"the {2 ** len(found.tiers)} choices for the {len(found.tiers)} dual units"
        out.print(f"  Of {choices} only this one is told; none makes it legal.")
        return
    always = [v for v in trials[0].violations if all(v in trial.violations for trial in trials)]
    if all(len(trial.violations) == len(always) for trial in trials):
        names = enumerate_words(list(trials[0].tiers))
        out.print(f"  So it is whatever {names} {'is' if len(trials) == 2 else 'are'} taken as.")
        return
    for tiers, violations in trials:
        taken = " and ".join(
            f"{enumerate_words(those)} as {tier.capitalize()}"
            for tier in ("tank", "backline")
            if (those := [name for name, chosen in tiers.items() if chosen == tier])
        )
        broken = [f"{v.because} [{cite(v.rule)}]" for v in violations if v not in always]
        out.print(f"  With {taken}: {'; '.join(broken) or 'only what is said above'}.")


def _nearest(out: Console, board: Board, found: Verdict) -> None:
    """The legal assignments nearest to an illegal one, and how far they are from it."""
    nearest, complete = found.all_nearest
    if not nearest:
        out.print("  Nearest that is legal: not found in time.")
        return
    moved = _moved(found.assignment, nearest[0])
    if complete and len(nearest) == 1:
        out.print(f"  Nearest that is legal, {moved}: {tally(board, nearest[0])}.")
        return
    told = "; or ".join(given(board, assignment) for assignment in nearest)
    out.print(
        f"  {'Nearest' if complete else 'Among the nearest'} that are legal, {moved}: {told}."
    )


def _moved(tried: Assignment, instead: Assignment) -> str:
    """By how many points two assignments differ: `2 points moved, 1 point more`."""
    differences = [there - here for here, there in zip(tried, instead, strict=True)]
    more = sum(x for x in differences if x > 0)
    fewer = sum(-x for x in differences if x < 0)
    parts = [f"{counted(min(more, fewer), 'point')} moved"] if more and fewer else []
    if more != fewer:
        word = "more" if more > fewer else "fewer"
        parts.append(f"{counted(abs(more - fewer), 'point')} {word}")
    return ", ".join(parts)


def _judged(found: Verdict, cite: Callable[[str], str]) -> str:
    """`illegal by 465.2.c.4`."""
    rules = dict.fromkeys(violation.rule for violation in found.violations)
    broken = enumerate_words(list(map(cite, rules)))
    return f"illegal by {broken}" if broken else "legal"
