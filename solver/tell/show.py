"""What all answers for people share: the console, boards and listings, what an answer rests on."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules.board import SIDES, Assignment, Board, letters
from rules.editions import CANONICAL, Edition, edition
from rules.lethal import EXEMPT, NEVER, dead, need, oddities
from rules.notation import is_writable, write_unit
from rules.position import enumerate_words, given
from solver import explain

_CHUNK: Final = 200
"""Rows of a listing that are laid out at a time."""
GAP: Final = 2
NO_UNIT: Final = "There is no unit."
NARROW: Final = 60
"""Columns below which a text goes below its label, not beside it."""


class PlainConsole(Console):
    """A console for plain text: names are never taken for markup, a closed pipe is no answer."""

    def __init__(self) -> None:
        colors: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
        super().__init__(highlight=False, markup=False, emoji=False, color_system=colors)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print; away from a terminal without the blanks that fill up lines."""
        if self.is_terminal:
            super().print(*objects, **options)
            return
        with self.capture() as captured:
            super().print(*objects, **options)
        lines = captured.get().splitlines()
        self.file.write("".join(f"{line.rstrip()}\n" for line in lines))

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, "nobody reads on")


def console() -> Console:
    """A console on standard output, of 80 columns where its width is not known."""
    return PlainConsole()


def written(board: Board) -> str:
    """The board in one line; names that notation cannot express are left out."""
    units = [
        write_unit(unit, letters(i) if is_writable(unit.name) else unit.name)
        for i, unit in enumerate(board.units)
    ]
    return " ".join([str(board.pool), "into", *units])


def settings(out: Console, *boards: Board) -> None:
    """What an answer rests on besides the units: edition, readings, effects, oddities.

    It is the answer to one board, or to the two of a combat, the Attacker's first.
    """
    board = boards[0]
    basis(out, board.edition, board.readings.changed())
    if len(boards) == 1 and board.units_are != "defenders":
        out.print(f"The units are {board.units_are}.")
    who_assigns = ["assigner"] if len(boards) == 1 else [side.capitalize() for side in SIDES]
    for one, who in zip(boards, who_assigns, strict=True):
        for sentence in effects(one, who):
            out.print(f"{sentence}.")
    for one in boards:
        for sentence in oddities(one):
            out.print(f"Note: {sentence}.")


def basis(out: Console, edition_key: str, changed: Mapping[str, str]) -> None:
    if edition_key != CANONICAL:
        out.print(f"Edition {edition_key}.")
    if changed:
        readings = ", ".join(f"{name}={value}" for name, value in changed.items())
        out.print(f"Readings not at their default: {readings}.")


def effects(board: Board, who: str) -> Iterator[str]:
    """What holds for the player who assigns, each with its rule."""
    cite = edition(board.edition).cite
    if board.assigner.ignores:
        keywords = " and ".join(keyword.capitalize() for keyword in board.assigner.ignores)
        yield f"The {who} ignores {keywords} ({cite('ignore_effects')})"
    if board.assigner.any_damage_is_lethal:
        whose = "" if who == "assigner" else f" by the {who}"
        yield f"Any damage{whose} is lethal ({cite('lethal_value_alterable')})"


def rules_in_play(out: Console, board: Board) -> None:
    """The numbers of the rules that concern the board."""
    cited(out, explain.in_play(board), edition(board.edition))


def cited(out: Console, slugs: Iterable[str], within: Edition) -> None:
    numbers = ", ".join(within.cite(slug) for slug in slugs)
    out.print(Text(f"Rules in play: {numbers}", style="dim"))


def listing(out: Console, board: Board, found: Iterable[Assignment]) -> int:
    """Print assignments as they are found, in columns where these fit; returns how many."""
    rows = iter(found)
    if not board.units:
        out.print(NO_UNIT)
        return sum(1 for _ in rows)
    widths = _widths(board)
    shown = 0
    if sum(widths) + GAP * len(widths) + 8 > out.width:
        for assignment in rows:
            out.print(given(board, assignment))
            shown += 1
        return shown
    while chunk := list(islice(rows, _CHUNK)):
        table = _columns(board, widths, header=shown == 0)
        for assignment in chunk:
            table.add_row(*map(str, assignment), ", ".join(dead(board, assignment)))
        out.print(table)
        shown += len(chunk)
    return shown


def _columns(board: Board, widths: Sequence[int], *, header: bool) -> Table:
    table = Table(box=None, pad_edge=False, show_header=header, padding=(0, GAP, 0, 0))
    for name, least, width in zip(board.names, need(board), widths, strict=True):
        label = least if isinstance(least, str) else f"needs {least}"
        table.add_column(Text(f"{name}\n{label}"), justify="right", width=width, no_wrap=True)
    table.add_column("\ndies", overflow="fold")
    return table


def _widths(board: Board) -> list[int]:
    most = len(str(board.pool))
    return [
        max(most, Text(name).cell_len, len(str(least)) + (0 if isinstance(least, str) else 6))
        for name, least in zip(board.names, need(board), strict=True)
    ]


def counted(number: int, noun: str = "legal assignment") -> str:
    """`1 legal assignment`, `12 legal assignments`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tally(board: Board, assignment: Assignment) -> str:
    parts = []
    for name, least, points in zip(board.names, need(board), assignment, strict=True):
        of = {NEVER: " (never lethal)", EXEMPT: " (exempt)"}.get(str(least), f" of {least}")
        parts.append(f"{name} {points}{of}")
    return enumerate_words(parts, most=12) if parts else "nothing to anybody"


def pairs(out: Console, rows: Iterable[tuple[str, str]]) -> None:
    """Rows of a label and a text, which is wrapped beside its label."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, GAP, 0, 0))
    table.add_column("label", no_wrap=True)
    table.add_column("text", overflow="fold", ratio=1)
    for label, text in rows:
        table.add_row(label, Text(text))
    out.print(table)
