"""Commands that ask what is legal on a board, and what is best."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import click

from rules.board import Assignment, Board
from rules.lethal import dead
from solver.arguments import read_points, read_worth
from solver.cli.command import (
    CUT,
    LIMIT,
    NO,
    demands,
    print_json,
    put,
    question_command,
    say,
    stopped,
)
from solver.limits import TOO_LARGE, LimitReached


@question_command("list", Board, engines=True)
@LIMIT
@demands
def list_(
    board: Board,
    limit: int,
    kill: tuple[str, ...],
    spare: tuple[str, ...],
    as_json: bool,
    engine: str,
    time_limit: float | None,
) -> int | None:
    """List every legal assignment, in order, as they are found."""
    from itertools import islice

    import solver
    from solver import depends
    from solver.answers import encode
    from solver.tell import alternatives, orders, show

    legal = solver.legal(board, kill=kill, spare=spare, engine=engine, time_limit=time_limit)
    found = iter(legal)
    wanted = islice(found, min(limit, sys.maxsize) or None)
    out = show.console()
    if not as_json:
        out.print(show.written(board))
        show.settings(out, board)
        out.print()
    try:
        killed: set[tuple[str, ...]] = set()
        if as_json:
            listed = sum(1 for one in wanted if put(encode(one)))
        else:
            listed = show.listing(out, board, _noting(board, wanted, killed))
        cut = limit > 0 and next(found, None) is not None
    except LimitReached as reached:
        if engine == "exact" and reached.why == TOO_LARGE:
            say("--engine cp-sat may list more")
        return stopped(reached)
    if cut:
        say(f"cut after {show.counted(listed)} by --limit; there are more")
    elif not as_json:
        if listed:
            out.print()
        ending = _demanded(listed, kill, spare)
        if not ending and len(killed) == 1:
            ending = ": there is no choice" + (" about who dies" if listed > 1 else "")
        pointer = "" if listed else "; `lethal why` with the same demand tells why"
        out.print(f"{show.counted(listed)}{ending}{pointer}.")
        show.rules_in_play(out, board)
    if not as_json:
        again = depends.of_list(board, kill, spare)
        orders.otherwise(out, again)
        alternatives.depends(out, again.readings)
    return None if listed else NO


def _noting(
    board: Board, found: Iterable[Assignment], killed: set[tuple[str, ...]]
) -> Iterator[Assignment]:
    """The same assignments; of the sets of units of which they kill, two at most are noted."""
    for one in found:
        if len(killed) < 2:
            killed.add(dead(board, one))
        yield one


def _demanded(count: int, kill: tuple[str, ...], spare: tuple[str, ...]) -> str:
    """What is said behind a count of assignments where some units must or must not die."""
    if not kill and not spare:
        return ""
    return f" that {'meets' if count == 1 else 'meet'} the demand"


@question_command("count", Board, engines=True)
@demands
def count(
    board: Board,
    kill: tuple[str, ...],
    spare: tuple[str, ...],
    as_json: bool,
    engine: str,
    time_limit: float | None,
) -> int | None:
    """Count the legal assignments."""
    import solver
    from solver import answers, depends
    from solver.tell import alternatives, orders, show

    try:
        number = solver.count(board, kill=kill, spare=spare, engine=engine, time_limit=time_limit)
    except LimitReached as cut:
        if as_json:
            print_json({"count": None, "at_least": cut.at_least, **answers.remarks(board)})
        else:
            click.echo(f"{cut.at_least}+")
        return stopped(cut)
    again = depends.of_count(board, kill, spare)
    if as_json:
        told = {"count": number, **answers.again_as_data("count", again)}
        told.update(answers.depends_as_data(again.readings))
        print_json({**told, **answers.remarks(board)})
    else:
        out = show.console()
        demanded = _demanded(number, kill, spare)
        out.print(f"{show.counted(number)}{demanded}", soft_wrap=True)
        orders.otherwise(out, again)
        show.settings(out, board)
        show.rules_in_play(out, board)
        alternatives.depends(out, again.readings)
    return None if number else NO


@question_command("check", Board, searches=True)
@click.option(
    "--assign",
    multiple=True,
    metavar="2,1,1,1 or A=2,B=1",
    help="The points, in unit order or by name (may be repeated; units left out get 0).",
)
def check(
    board: Board, assign: tuple[str, ...], as_json: bool, time_limit: float | None
) -> int | None:
    """Say whether an assignment is legal, and which rules it breaks.

    The time limit is for finding the nearest legal assignment.
    """
    from solver import depends, explain
    from solver.tell import alternatives, show, verdicts

    points = read_points(assign, "--assign", board.units)
    verdict = explain.check(board, points, time_limit=time_limit or explain.NEAREST_SECONDS)
    readings = depends.of_check(board, points).readings
    if as_json:
        from solver import answers

        told = answers.depends_as_data(readings)
        print_json({**answers.verdict_as_data(verdict), **told, **answers.remarks(board)})
    else:
        out = show.console()
        verdicts.verdict(out, board, verdict)
        show.settings(out, board)
        show.rules_in_play(out, board)
        alternatives.depends(out, readings)
    return None if verdict.legal else NO


@question_command("best", Board, searches=True)
@click.option(
    "--maximize",
    multiple=True,
    metavar="OBJECTIVE",
    help="kills, might, value or excess; the first matters most. "
    "Default: kills, or value where --value is given.",
)
@click.option("--value", multiple=True, metavar="NAME=NUMBER", help="What a unit is worth.")
@demands
def best(
    board: Board,
    maximize: tuple[str, ...],
    value: tuple[str, ...],
    kill: tuple[str, ...],
    spare: tuple[str, ...],
    as_json: bool,
    time_limit: float | None,
) -> int | None:
    """Find the best legal assignment, proven, with the number of ties."""
    import solver
    from solver import answers, depends
    from solver.tell import alternatives, boards, orders, show

    goals = [word for text in maximize for word in text.split(",")]
    goals = goals or (["value"] if value else ["kills"])
    worth = read_worth(value, board.units)
    try:
        found = solver.best(
            board, goals, value=worth, kill=kill, spare=spare, time_limit=time_limit
        )
    except LimitReached as reached:
        if as_json:
            print_json({"feasible": None, **answers.remarks(board)})
        return stopped(reached)
    again = depends.of_best(board, goals, value=worth, kill=kill, spare=spare)
    if as_json:
        told = {**answers.best_as_data(found, board), **answers.again_as_data("best", again)}
        told.update(answers.depends_as_data(again.readings))
        print_json({**told, **answers.remarks(board)})
    else:
        out = show.console()
        boards.optimum(out, board, found, goals)
        orders.best(out, again)
        show.settings(out, board)
        show.rules_in_play(out, board)
        alternatives.depends(out, again.readings)
    if not found.feasible:
        return NO
    return None if found.optimal else CUT


@question_command("kills", Board, engines=True)
def kills(board: Board, as_json: bool, engine: str, time_limit: float | None) -> int | None:
    """Show which sets of units can die, and in how many ways."""
    import solver
    from solver import answers, depends
    from solver.tell import alternatives, boards, orders, show

    try:
        sets = solver.kills(board, engine=engine, time_limit=time_limit)
    except LimitReached as cut:
        if as_json:
            print_json({"kill_sets": None, "at_least": cut.at_least, **answers.remarks(board)})
        return stopped(cut)
    again = depends.of_kills(board)
    if as_json:
        told = {"kill_sets": answers.kill_sets_as_data(sets)}
        told.update(answers.again_as_data("kills", again))
        told.update(answers.depends_as_data(again.readings))
        print_json({**told, **answers.remarks(board)})
    else:
        out = show.console()
        boards.kill_sets(out, sets)
        if len(sets) == 1:
            out.print("There is no choice about who dies.")
        orders.otherwise(out, again)
        show.settings(out, board)
        show.rules_in_play(out, board)
        alternatives.depends(out, again.readings)
    return None


@question_command("need", Board)
def need(board: Board, as_json: bool) -> None:
    """Show how many points are lethal to each unit, and why."""
    from solver import depends
    from solver.tell import alternatives, boards, orders, show

    again = depends.of_need(board)
    if as_json:
        from solver import answers

        told = {"need": again.now, **answers.again_as_data("need", again)}
        told.update(answers.depends_as_data(again.readings))
        print_json({**told, **answers.remarks(board)})
    else:
        out = show.console()
        boards.needs(out, board)
        if again.orders is not None and again.orders.otherwise is None:
            orders.otherwise(out, again)
        show.settings(out, board)
        alternatives.depends(out, again.readings)
