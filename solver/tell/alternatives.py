"""In words: on which readings an answer depends, and what editions and readings change."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules.board import Board
from rules.lethal import Need
from rules.position import given
from solver.comparison import EDITION, Alternative, Comparison
from solver.depends import Depends
from solver.tell.show import counted, settings, written


def depends(out: Console, found: Depends) -> None:
    """One line on the readings on which an answer depends, if there are any."""
    told = [
        f"{switch}={' or '.join(value for value in values if values[value] == does)} {does}"
        for switch, values in found.found.items()
        for does in dict.fromkeys(values.values())
    ]
    if told:
        out.print(f"Depends on a reading: {'; '.join(told)}.")
    open_ones = [f"{switch}={value}" for switch, all_ in found.unknown.items() for value in all_]
    if open_ones:
        out.print(f"Not known in time whether it depends on {', '.join(open_ones)}.")


def comparison(out: Console, found: Comparison) -> None:
    """What each edition and each reading changes, one row for each that changes anything."""
    board = found.board
    out.print(written(board))
    settings(out, board)
    number = "not counted" if found.count is None else counted(found.count)
    out.print(f"As asked, edition {board.edition}: {number}.")
    changing = [a for a in found.alternatives if a.differs]
    if changing:
        out.print()
        out.print(_table(board, changing))
        out.print()
    for differs, sentence in ((False, "Without any effect"), (None, "Not known within the limit")):
        names = [_name(a) for a in found.alternatives if a.differs is differs]
        if names:
            out.print(f"{sentence}: {', '.join(names)}.")


def _table(board: Board, alternatives: list[Alternative]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("instead", no_wrap=True)
    for heading in ("legal", "gone", "new"):
        table.add_column(heading, justify="right", overflow="fold")
    table.add_column("for example", overflow="fold", ratio=1)
    for a in alternatives:
        numbers = [a.count, *(part and part.count for part in (a.gone, a.new))]
        told = ["?" if number is None else str(number) for number in numbers]
        table.add_row(_name(a), *told, Text("; ".join(_effects(board, a))))
    return table


def _name(a: Alternative) -> str:
    return f"edition {a.value}" if a.setting == EDITION else f"{a.setting}={a.value}"


def _effects(board: Board, a: Alternative) -> Iterator[str]:
    """What an alternative changes: the first assignment that is legal in one only, and amounts."""
    if a.first is not None:
        instead = a.new is not None and a.first == a.new.first
        yield f"{given(board, a.first)} is {'new' if instead else 'gone'}"
    for name, (now, least) in a.needs.items():
        yield f"{name} {_need(least)}, not {now}"
    if a.excess:
        assignment = given(board, a.excess.assignment)
        yield f"excess of {assignment} is {a.excess.then}, not {a.excess.now}"


def _need(least: Need) -> str:
    return f"needs {least}" if isinstance(least, int) else f"is {least}"
