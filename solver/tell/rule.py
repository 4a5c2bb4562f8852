"""In words: an example that a rule decides, and what the rule posts on a board."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from rules.board import Board
from rules.examples import EXAMPLES, because
from rules.rule import Rule
from solver.tell.show import given, written


def example(out: Console, rule: Rule) -> None:
    """The example of a rule, if it has one: what it alone forbids, or what it leaves open."""
    found = EXAMPLES.get(rule.slug)
    if found is None:
        return
    told = [given(found.question, assignment) for assignment in found.assignments]
    if found.legal:
        out.print(f"Example: {found.board}; legal are {' as well as '.join(told)}.")
    else:
        out.print(f"Example: {found.board}; not {told[0]}: {because(rule, found)}.")


def posted(out: Console, board: Board, sentences: Sequence[str]) -> None:
    """What a rule posts on a board, a line for each sentence."""
    if not sentences:
        out.print(f"On {written(board)} it forbids nothing.")
        return
    out.print(f"On {written(board)} it says:")
    for sentence in sentences:
        out.print(Text(f"  {sentence}"))
