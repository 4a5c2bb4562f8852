"""Commands that settle disputes: why, why not, how much more, and what would change it."""

from __future__ import annotations

from typing import Any

import click

from rules.board import Board, Combat
from rules.checks import MAX_NUMBER
from rules.notation import Question
from rules.resolution import boards_of
from solver.arguments import read_points
from solver.cli.command import CUT, NO, demands, print_json, question_command, stopped
from solver.limits import LimitReached


@question_command("why", Board, searches=True)
@click.option(
    "--give",
    multiple=True,
    metavar="A=2,B=1 or 2,1,1,1",
    help="Points that units are given, by name (may be repeated), or all in unit order.",
)
@demands
@click.option("--all", "all_reasons", is_flag=True, help="Every minimal reason, not only one.")
def why(
    board: Board,
    give: tuple[str, ...],
    kill: tuple[str, ...],
    spare: tuple[str, ...],
    all_reasons: bool,
    as_json: bool,
    time_limit: float | None,
) -> int | None:
    """Say whether a demand can be met, with an example, or what forbids it.

    What forbids it are rules and what is printed on units, each needed: without any one of them it
    would be possible.
    """
    import solver
    from solver import answers, depends
    from solver.tell import alternatives, show, why

    points = read_points(give, "--give", board.units) if give else None
    try:
        found = solver.why(
            board,
            kill=kill,
            spare=spare,
            give=points,
            all_reasons=all_reasons,
            time_limit=time_limit,
        )
    except LimitReached as reached:
        if as_json:
            print_json({"possible": None, **answers.remarks(board)})
        return stopped(reached)
    readings = depends.of_why(board, kill, spare, points).readings
    if as_json:
        data = answers.why_as_data(found, all_reasons=all_reasons)
        told = {**data, **answers.depends_as_data(readings)}
        print_json({**told, **answers.remarks(board)})
    else:
        out = show.console()
        why.why(out, found, all_reasons=all_reasons)
        show.settings(out, board)
        alternatives.depends(out, readings)
    return None if found.possible else NO


@question_command("what", Board)
@click.option("--unit", metavar="NAME", help="Only this unit.")
def what(board: Board, unit: str | None, as_json: bool) -> None:
    """Show what the needs of units are made of, term by term.

    Replacements are gone through backwards, from the last to act to the first. Where their order
    matters, so does whose choice it is.
    """
    from solver import depends
    from solver.makeup import what as made_of
    from solver.tell import show

    found = made_of(board, unit)
    readings = depends.of_what(board, unit).readings
    if as_json:
        from solver import answers

        told = {**answers.what_as_data(found), **answers.depends_as_data(readings)}
        print_json({**told, **answers.remarks(board)})
    else:
        from solver.tell import alternatives, why

        out = show.console()
        why.what(out, board, found)
        show.settings(out, board)
        alternatives.depends(out, readings)


@question_command("compare", Board, searches=True)
def compare(board: Board, as_json: bool, time_limit: float | None) -> int | None:
    """Show what other editions and other readings change on a board."""
    from solver import answers
    from solver.comparison import compare
    from solver.tell import alternatives, show

    found = compare(board, time_limit=time_limit)
    if as_json:
        print_json({**answers.comparison_as_data(found), **answers.remarks(board)})
    else:
        alternatives.comparison(show.console(), found)
    return None if found.is_complete else CUT


@question_command("margin", Board, Combat, searches=True)
@demands
@click.option("--all", "kill_all", is_flag=True, help="All that are not spared must die.")
@click.option(
    "--excess", type=click.IntRange(0, MAX_NUMBER), default=0, help="The least excess, in points."
)
@click.option(
    "--goal",
    type=click.Choice(["stay", "win", "control", "conquer", "no_recall", "no_result"]),
    help="What the side wants of the end of a combat, instead of units to kill.",
)
@click.option(
    "--side",
    type=click.Choice(["attacker", "defender"]),
    help="Whose goal it is; default attacker.",
)
@click.option(
    "--how",
    type=click.Choice(["possible", "forced", "certain"]),
    help="Some assignments do it (default on a board), the side can make sure of it whatever the "
    "other assigns (default in a combat), or all assignments do it.",
)
@click.option("--unit", metavar="NAME", help="Count the Might of that unit, not the pool.")
def margin(asked: Question, as_json: bool, time_limit: float | None, **wish: Any) -> int | None:
    """Show how much more it takes to reach a goal, and how much can be lost.

    More of the pool, or with --unit more Might on one unit, nothing else changed. GOAL is stay
    (have a unit left, not recalled), win, control, conquer, no_recall or no_result. Status 0:
    reached already.
    """
    from solver import answers, depends, margins
    from solver.tell import alternatives, margin, orders, show

    try:
        found = margins.margin(asked, **wish, time_limit=time_limit)
    except LimitReached as reached:
        if as_json:
            print_json({"reached": None, **answers.remarks(*boards_of(asked))})
        return stopped(reached)
    again = depends.of_margin(found, margin.changed)
    if as_json:
        told = {**answers.margin_as_data(again), **answers.depends_as_data(again.readings)}
        print_json(told)
    else:
        out = show.console()
        margin.margin(out, found)
        but = "" if found.example is None else "; the example is for the order on the board"
        orders.otherwise(out, again, but=but)
        alternatives.depends(out, again.readings)
    return None if found.reached else NO
