"""In words and tables: needs, sets of units that can die, and the best assignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules.board import Board
from rules.editions import TABLE, edition
from rules.lethal import need
from solver import makeup
from solver.optimize import Best
from solver.orders import chooser
from solver.reasons import Reason
from solver.tell.show import GAP, NO_UNIT, listing


def needs(out: Console, board: Board) -> None:
    """Every unit's need with what it is made of."""
    if not board.units:
        out.print(NO_UNIT)
        return
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    table.add_column("unit", overflow="fold")
    table.add_column("needs", justify="right", overflow="fold")
    table.add_column("because", overflow="fold", ratio=1)
    for unit, least in zip(board.units, need(board), strict=True):
        because = makeup.in_words(list(makeup.terms(unit, board)), board)
        table.add_row(Text(unit.name), str(least), Text(because))
    out.print(table)
    rule = edition(board.edition).cite("replacement_order_chooser")
    for name, (fewest, most) in makeup.spans(board).items():
        out.print(
            f"{name} needs {fewest} to {most}, depending on the order of its replacements, its "
            f"{chooser(board)}'s choice [{rule}]."
        )


def kill_sets(out: Console, sets: Mapping[tuple[str, ...], int]) -> None:
    """The sets of units that can die, with the number of assignments for each."""
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    table.add_column("assignments", justify="right", overflow="fold")
    table.add_column("dies", overflow="fold", ratio=1)
    for names, number in sets.items():
        table.add_row(str(number), Text(", ".join(names) or "nobody"))
    out.print(table)


def impossible(out: Console, board: Board, reason: Reason | None, head: str = "Impossible") -> None:
    """Why a demand cannot be met, with the rules and facts that forbid it, each needed."""
    if reason is None:
        out.print(f"{head}. What forbids it was not found within the limits.")
        return
    cite = edition(board.edition).cite
    out.print(f"{head}: {reason.because}.")
    for cited in reason.rules:
        out.print(Text(f"  {cite(cited.rule)}  ", style="bold") + Text(TABLE[cited.rule].title))
    for fact in reason.facts:
        out.print(Text(f"  {cite(fact.rule)}  ", style="bold") + Text(f"{fact}."))


def optimum(out: Console, board: Board, found: Best, maximize: Sequence[str]) -> None:
    """The best assignment with its score, or the rules that forbid what was demanded."""
    if not found.feasible:
        impossible(out, board, found.reason)
        return
    listing(out, board, [found.assignment or ()])
    scored = ", ".join(
        f"{goal} {_number(value)}" for goal, value in zip(maximize, found.score, strict=True)
    )
    if not found.optimal:
        out.print(f"The best found before the time limit, not proven: {scored}.")
        return
    if found.ties is None:
        ties = f"at least {found.ties_at_least} assignments reach it"
    elif found.ties == 1:
        ties = "no other assignment reaches it"
    else:
        ties = f"{found.ties} assignments reach it"
    out.print(f"Best, proven: {scored}; {ties}.")


def _number(value: int | Fraction) -> str:
    return str(value) if isinstance(value, int) else f"{float(value):g}"
