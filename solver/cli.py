"""The command line: `lethal COMMAND BOARD…`. OR-Tools is imported only by commands that search."""

from __future__ import annotations

import functools
import io
import os
import sys
from collections.abc import Callable, Iterable
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Any, NoReturn

import click

from rules import notation
from rules.board import Board, Combat
from rules.checks import MAX_NUMBER
from rules.editions import CANONICAL, EDITIONS, bare
from rules.errors import BadRequest, did_you_mean, shown
from rules.flow import Flow
from rules.notation import Question
from rules.readings import SWITCHES
from rules.rule import Rule
from rules.rulebook import RULEBOOK, look_up
from rules.situation import Situation
from solver.arguments import read_points, read_question, read_situation, read_way, read_worth
from solver.lab.bounds import SWEPT, Bounds
from solver.limits import TOO_LARGE, LimitReached, allow_long_numbers

NO, BAD, CUT, INTERRUPTED = 1, 2, 3, 130
"""Exit statuses besides 0: no or illegal, a bad request, stopped by a limit, interrupted."""

_BOARD_HELP = """
BOARD is a pool, "into" and the enemy units: 3 into Sentinel:3T Volunteer:2

\b
  [NAME:]MIGHT  T Tank  B Backline  /2 marked  P2 prevents 2  Pall all
  x2 doubled  ! cannot be dealt damage  A2 Assault  S2 Shield  Z stunned

It may also be one quoted argument, a JSON or TOML file, or - for standard input.
"""
_COMBAT_HELP = """
COMBAT is the attackers, "vs" and the defenders: 5A2 3Z vs Caitlyn:3B 4TS1

\b
  [NAME:]MIGHT  T Tank  B Backline  /2 marked  P2 prevents 2  Pall all
  x2 doubled  ! cannot be dealt damage  A2 Assault  S2 Shield  Z stunned
  N deals no combat damage

Units without a name are A1, A2, ... and D1, D2, .... It may also be one quoted argument, a JSON or
TOML file, or - for standard input.
"""
_FLOW_HELP = """
The shortest file that is of use, here in TOML:

\b
  players = ["Ann", "Bo"]
  [[battlefields]]
  name = "Grove"
  contested_by = "Ann"
  units = {Ann = [{might = 5}], Bo = [{might = 3}]}

The README lists all fields. Exit status 1: no Combat is staged, or what is assigned is illegal.
"""

_EITHER_HELP = f"""{_BOARD_HELP}
COMBAT is the attackers, "vs" and the defenders: 5A2 3Z vs Caitlyn:3B 4TS1
"""
_HELP = {Board: _BOARD_HELP, Combat: _COMBAT_HELP}


class PipeClosed(Exception):
    """Whoever read the output has stopped reading."""


class _Commands(click.Group):
    """The commands; a closed pipe ends them without being taken for an answer that is no."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            raise PipeClosed from None
        return result


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["--help"], "max_content_width": 80}
)
@click.version_option(package_name="lethal", message="lethal %(version)s")
def cli() -> None:
    """Combat damage under the numbered rules: what is legal, how many ways, what is best.

    \b
    lethal list 3 into Sentinel:3T Volunteer:2
    lethal check 5 into 3 3 3 3 --assign 2,1,1,1
    lethal rule 465.2.c.4

    Exit status: 0 yes, legal, found (also a list cut by --limit); 1 no, illegal, nothing found;
    2 a bad request; 3 a limit stopped it before an answer; 130 interrupted.
    """


def question_command(
    name: str, *nouns: type[Question], engines: bool = False, searches: bool = False
) -> Callable[[Any], click.Command]:
    """A command on a board, a combat or either: reads the question and the options it has."""
    options = [*(option for noun in nouns for option in _OPTIONS[noun]), *_SHARED_OPTIONS]
    usage = _HELP[nouns[0]] if len(nouns) == 1 else _EITHER_HELP
    if engines:
        options.append(_ENGINE)
    if engines or searches:
        options.append(_TIME_LIMIT)
    metavar = "|".join(noun.__name__.upper() for noun in nouns)

    def decorate(function: Callable[..., int | None]) -> click.Command:
        @functools.wraps(function)
        @click.pass_context
        def run(context: click.Context, /, tokens: tuple[str, ...], **given: Any) -> None:
            asked: dict[str, Any] = {k: given.pop(k) for k in notation.OPTIONS if k in given}
            question = _read(context, tokens)
            if not isinstance(question, nouns):
                raise BadRequest(f"{name} asks about {_ASKED[nouns[0]]}")
            question = notation.apply_options(question, asked)
            context.exit(function(question, **given) or 0)

        command = _with(*options)(run)
        command = click.argument(
            "tokens", nargs=-1, type=click.UNPROCESSED, metavar=f"{metavar}..."
        )(command)
        register = cli.command(
            name, epilog=usage, context_settings={"ignore_unknown_options": True}
        )
        return register(command)

    return decorate


def _with(*options: Any) -> Callable[[Any], Any]:
    """Options put on a command, in their order."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _read(context: click.Context, tokens: tuple[str, ...]) -> Question:
    """The question of a command's arguments."""
    spelled = [o for p in context.command.params for o in p.opts if o.startswith("--")]
    return read_question(tokens, spelled)


_ASKED = {
    Board: 'one side\'s question: write the pool, "into" and the units',
    Combat: 'two sides: write the attackers, "vs" and the defenders',
}


def _complete_reading(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    spelled = [f"{switch}={value}" for switch, values in SWITCHES.items() for value in values]
    return [text for text in spelled if text.startswith(incomplete)]


_EDITION = click.option(
    "--edition", type=click.Choice(list(EDITIONS)), help="The rulebook to play by; default 465."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
_READING = click.option(
    "--reading",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=_complete_reading,
    help="A reading where the text is open; may be repeated.",
)
_SHARED_OPTIONS = (_EDITION, _READING, _JSON)


def _assigner_options(prefix: str, who: str) -> tuple[Any, ...]:
    return (
        click.option(
            f"--{prefix}ignore",
            multiple=True,
            type=click.Choice(["tank", "backline"]),
            help=f"A keyword that {who} ignores; may be repeated.",
        ),
        click.option(
            f"--{prefix}any-damage-is-lethal",
            is_flag=True,
            help=f"Any damage by {who} is lethal.",
        ),
    )


_BOARD_OPTIONS = (
    *_assigner_options("", "the assigner"),
    click.option(
        "--units-are",
        type=click.Choice(["attackers", "defenders"]),
        help="Whether Assault or Shield counts for the units; default defenders.",
    ),
)
_COMBAT_OPTIONS = (
    *_assigner_options("attacker-", "the Attacker"),
    *_assigner_options("defender-", "the Defender"),
    click.option(
        "--control",
        type=click.Choice(["attacker", "defender", "none"]),
        help="Who controls the battlefield before; default defender.",
    ),
    click.option(
        "--scored",
        multiple=True,
        type=click.Choice(["attacker", "defender"]),
        help="A side that has scored the battlefield this turn; may be repeated.",
    ),
)
_OPTIONS = {Board: _BOARD_OPTIONS, Combat: _COMBAT_OPTIONS}
_ENGINE = click.option(
    "--engine",
    type=click.Choice(["exact", "cp-sat"]),
    default="exact",
    show_default=True,
    help="Count and list directly, or by solving the CP-SAT model: same answers.",
)


class _Seconds(click.FloatRange):
    """A time limit: a number of seconds above 0, and a number indeed."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        seconds = super().convert(value, param, ctx)
        if not isfinite(seconds):
            self.fail(f"{value!r} is no number of seconds.", param, ctx)
        return float(seconds)


_TIME_LIMIT = click.option(
    "--time-limit",
    type=_Seconds(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop after that long and say so.",
)


def _demands(command: Any) -> Any:
    for word, meaning in (("spare", "must not die"), ("kill", "must die")):
        command = click.option(
            f"--{word}", multiple=True, metavar="NAME", help=f"A unit that {meaning}; repeatable."
        )(command)
    return command


_LIMIT = click.option(
    "--limit",
    type=click.IntRange(0, MAX_NUMBER),
    default=1000,
    show_default=True,
    help="How many to list at most; 0 lists all.",
)


@question_command("list", Board, engines=True)
@_LIMIT
@_demands
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
    from solver import depends, exact
    from solver.answers import encode
    from solver.difference import Difference
    from solver.tell import alternatives, show

    legal = solver.legal(board, kill=kill, spare=spare, engine=engine, time_limit=time_limit)
    found = iter(legal)
    wanted = islice(found, min(limit, sys.maxsize) or None)
    out = show.console()
    if not as_json:
        out.print(show.written(board))
        show.settings(out, board)
        out.print()
    try:
        if as_json:
            listed = sum(1 for one in wanted if _put(encode(one)))
        else:
            listed = show.listing(out, board, wanted)
        cut = limit > 0 and next(found, None) is not None
    except LimitReached as reached:
        if engine == "exact" and reached.why == TOO_LARGE:
            _say("--engine cp-sat may list more")
        return _stopped(reached)
    if cut:
        _say(f"cut after {show.counted(listed)} by --limit; there are more")
    elif not as_json:
        out.print()
        ending = _demanded(listed, kill, spare) or (": there is no choice" if listed == 1 else "")
        out.print(f"{show.counted(listed)}{ending}.")
        show.rules_in_play(out, board)
    if not as_json:
        asked = exact.legal(board, legal.kill, legal.spare)

        def is_same(other: Board) -> bool:
            return not Difference(asked, exact.legal(other, legal.kill, legal.spare))

        show.otherwise(out, board, is_same, "other assignments")
        alternatives.depends(out, depends.of_list(board, kill, spare))
    return None if listed else NO


def _demanded(count: int, kill: tuple[str, ...], spare: tuple[str, ...]) -> str:
    """What is said behind a count of assignments where some units must or must not die."""
    if not kill and not spare:
        return ""
    return f" that {'meets' if count == 1 else 'meet'} the demand"


@question_command("count", Board, engines=True)
@_demands
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
    from solver.tell import alternatives, show

    try:
        number = solver.count(board, kill=kill, spare=spare, engine=engine, time_limit=time_limit)
    except LimitReached as cut:
        if as_json:
            _print_json({"count": None, "at_least": cut.at_least, **answers.remarks(board)})
        else:
            click.echo(f"{cut.at_least}+")
        return _stopped(cut)
    readings = depends.of_count(board, kill, spare)
    if as_json:
        told = answers.depends_as_data(readings)
        _print_json({"count": number, **told, **answers.remarks(board)})
    else:
        out = show.console()
        demanded = _demanded(number, kill, spare)
        out.print(f"{show.counted(number)}{demanded}", soft_wrap=True)

        def is_same(other: Board) -> bool:
            return solver.count(other, kill=kill, spare=spare) == number

        show.otherwise(out, board, is_same, "another number")
        show.settings(out, board)
        show.rules_in_play(out, board)
        alternatives.depends(out, readings)
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
    from solver.tell import alternatives, show

    points = read_points(assign, "--assign", board.units)
    verdict = explain.check(board, points, time_limit=time_limit or explain.NEAREST_SECONDS)
    readings = depends.of_check(board, points)
    if as_json:
        from solver import answers

        told = answers.depends_as_data(readings)
        _print_json({**answers.verdict_as_data(verdict), **told, **answers.remarks(board)})
    else:
        out = show.console()
        show.verdict(out, board, verdict)
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
@_demands
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
    from solver.tell import alternatives, show

    goals = [word for text in maximize for word in text.split(",")]
    goals = goals or (["value"] if value else ["kills"])
    worth = read_worth(value, board.units)
    try:
        found = solver.best(
            board, goals, value=worth, kill=kill, spare=spare, time_limit=time_limit
        )
    except LimitReached as reached:
        if as_json:
            _print_json({"feasible": None, **answers.remarks(board)})
        return _stopped(reached)
    readings = depends.of_best(board, goals, value=worth, kill=kill, spare=spare)
    if as_json:
        told = answers.depends_as_data(readings)
        _print_json({**answers.best_as_data(found, board), **told, **answers.remarks(board)})
    else:
        out = show.console()
        show.optimum(out, board, found, goals)

        def is_same(other: Board) -> bool:
            again = solver.best(other, goals, value=worth, kill=kill, spare=spare)
            return (again.feasible, again.score) == (found.feasible, found.score)

        show.otherwise(out, board, is_same, "not so good, or better")
        show.settings(out, board)
        show.rules_in_play(out, board)
        alternatives.depends(out, readings)
    if not found.feasible:
        return NO
    return None if found.optimal else CUT


@question_command("kills", Board, engines=True)
def kills(board: Board, as_json: bool, engine: str, time_limit: float | None) -> int | None:
    """Show which sets of units can die, and in how many ways."""
    import solver
    from solver import answers, depends
    from solver.tell import alternatives, show

    try:
        sets = solver.kills(board, engine=engine, time_limit=time_limit)
    except LimitReached as cut:
        if as_json:
            _print_json({"kill_sets": None, "at_least": cut.at_least, **answers.remarks(board)})
        return _stopped(cut)
    readings = depends.of_kills(board)
    if as_json:
        told = {"kill_sets": answers.kill_sets_as_data(sets), **answers.depends_as_data(readings)}
        _print_json({**told, **answers.remarks(board)})
    else:
        out = show.console()
        show.kill_sets(out, sets)
        if len(sets) == 1:
            out.print("There is no choice about who dies.")

        def is_same(other: Board) -> bool:
            return solver.kills(other).keys() == sets.keys()

        show.otherwise(out, board, is_same, "who can die is not the same")
        show.settings(out, board)
        show.rules_in_play(out, board)
        alternatives.depends(out, readings)
    return None


@question_command("why", Board, searches=True)
@click.option(
    "--give",
    multiple=True,
    metavar="A=2,B=1 or 2,1,1,1",
    help="Points that units are given, by name (may be repeated), or all in unit order.",
)
@_demands
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
            _print_json({"possible": None, **answers.remarks(board)})
        return _stopped(reached)
    readings = depends.of_why(board, kill, spare, points)
    if as_json:
        data = answers.why_as_data(found, all_reasons=all_reasons)
        told = {**data, **answers.depends_as_data(readings)}
        _print_json({**told, **answers.remarks(board)})
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
    readings = depends.of_what(board, unit)
    if as_json:
        from solver import answers

        told = {**answers.what_as_data(found), **answers.depends_as_data(readings)}
        _print_json({**told, **answers.remarks(board)})
    else:
        from solver.tell import alternatives, why

        out = show.console()
        why.what(out, board, found)
        show.settings(out, board)
        alternatives.depends(out, readings)


@question_command("need", Board)
def need(board: Board, as_json: bool) -> None:
    """Show how many points are lethal to each unit, and why."""
    from solver import depends
    from solver.tell import alternatives, show

    readings = depends.of_need(board)
    if as_json:
        from solver import answers

        told = {**answers.need_answer(board, {}), **answers.depends_as_data(readings)}
        _print_json({**told, **answers.remarks(board)})
    else:
        out = show.console()
        show.needs(out, board)
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
        _print_json({**answers.comparison_as_data(found), **answers.remarks(board)})
    else:
        alternatives.comparison(show.console(), found)
    return None if found.is_complete else CUT


@question_command("combat", Combat, searches=True)
@click.option(
    "--attacker-assigns",
    multiple=True,
    metavar="3,1 or D1=3,D2=1",
    help="What the Attacker assigns, in the order of the defenders or by name.",
)
@click.option(
    "--defender-assigns",
    multiple=True,
    metavar="3,1 or A1=3,A2=1",
    help="What the Defender assigns, in the order of the attackers or by name.",
)
@_LIMIT
def combat(
    fight: Combat,
    attacker_assigns: tuple[str, ...],
    defender_assigns: tuple[str, ...],
    limit: int,
    as_json: bool,
    time_limit: float | None,
) -> int | None:
    """Show how a combat can end, or play it for the assignments given."""
    from msgspec.structs import replace

    from solver import answers, depends
    from solver.outcomes import CombatAnswer
    from solver.tell import alternatives, show

    if attacker_assigns:
        points = read_points(attacker_assigns, "--attacker-assigns", fight.defenders)
        fight = replace(fight, attacker_assigns=points)
    if defender_assigns:
        points = read_points(defender_assigns, "--defender-assigns", fight.attackers)
        fight = replace(fight, defender_assigns=points)
    found = CombatAnswer(fight, time_limit)
    readings = depends.of_combat(fight)
    if as_json:
        answer = {**answers.combat_as_data(found, limit), **answers.depends_as_data(readings)}
        _print_json(answer)
        missing = [part for part, told in answer.items() if told is None and part != "outcome"]
    else:
        out = show.console()
        missing = show.combat(out, found, limit)
        alternatives.depends(out, readings)
    if missing:
        _say(f"stopped by a limit; not told: {', '.join(missing)}")
    if found.illegal:
        return NO
    return CUT if missing else None


@question_command("margin", Board, Combat, searches=True)
@_demands
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
    from solver.tell import alternatives, margin, show

    def spans(question: Question) -> Any:
        return margins.margin(question, **wish).spans

    try:
        found = margins.margin(asked, **wish, time_limit=time_limit)
    except LimitReached as reached:
        if as_json:
            _print_json({"reached": None, **answers.remarks(*answers.boards_of(asked))})
        return _stopped(reached)
    readings = depends.of_margin(asked, spans)
    if as_json:
        _print_json({**answers.margin_as_data(found), **answers.depends_as_data(readings)})
    else:
        out = show.console()
        margin.margin(out, found)
        if isinstance(asked, Board):
            show.otherwise(out, asked, lambda other: spans(other) == found.spans, "other amounts")
        alternatives.depends(out, readings)
    return None if found.reached else NO


@cli.command("flow", epilog=_FLOW_HELP)
@click.argument("file")
@_EDITION
@_READING
@_JSON
@_TIME_LIMIT
def flow(
    file: str,
    edition: str | None,
    reading: tuple[str, ...],
    as_json: bool,
    time_limit: float | None,
) -> int | None:
    """Show the steps of a combat, from staged to over, each with its rule.

    FILE is JSON or TOML: players in turn order, battlefields with their units by player, who
    applied Contested, and what is pending; - is standard input.
    """
    from msgspec.structs import replace

    from solver import answers, depends
    from solver.course import course
    from solver.tell import alternatives, show

    situation = read_situation(file)
    situation = replace(
        situation,
        edition=edition or situation.edition,
        readings=notation.read_readings(reading, situation.readings),
    )
    found = course(situation, time_limit)
    fight = _undecided(found, situation)
    readings = depends.NOTHING if fight is None else depends.of_course(fight)
    if as_json:
        _print_json({**answers.flow_as_data(found), **answers.depends_as_data(readings)})
    else:
        out = show.console()
        show.flow(out, found)
        if fight is not None and (found.outcome or found.violations):
            show.reordered(out, fight, depends.course_of)
        alternatives.depends(out, readings)
    if found.status == "unknown":
        _say("a limit stopped it before it was known whether there is a choice")
        return CUT
    return NO if found.status in ("none", "illegal") else None


def _undecided(found: Flow, situation: Situation) -> Combat | None:
    """The combat of a flow with no more assigned than the situation says, if it comes that far."""
    from msgspec.structs import replace

    if found.combat is None:
        return None
    sides = ("attacker_assigns", "defender_assigns")
    unsaid = [field for field in sides if getattr(situation, field) is None]
    return replace(found.combat, **dict.fromkeys(unsaid))


@cli.command("rule", epilog=_BOARD_HELP, context_settings={"ignore_unknown_options": True})
@click.argument("number")
@click.argument("tokens", nargs=-1, type=click.UNPROCESSED, metavar="[BOARD]...")
@_with(*_BOARD_OPTIONS, *_SHARED_OPTIONS)
@click.pass_context
def rule(
    context: click.Context, /, number: str, tokens: tuple[str, ...], as_json: bool, **asked: Any
) -> None:
    """Explain a rule, by its number in any edition or by its id.

    With a BOARD, also the constraint that it posts there.
    """
    from solver import answers
    from solver.tell import rule, show

    board = _board_of(context, tokens, asked)
    key = board.edition if board else asked["edition"] or CANONICAL
    chosen = board.readings if board else notation.read_readings(asked["reading"])
    found = look_up(number, key)
    sentences = None if board is None else answers.posted(found.rule, board)
    if as_json:
        _print_json(answers.found_as_data(found, key, chosen, sentences))
        return
    out = show.console()
    show.rule(out, found, key, chosen)
    rule.example(out, found.rule)
    if board is not None and sentences is not None:
        rule.posted(out, board, sentences)


def _board_of(
    context: click.Context, tokens: tuple[str, ...], asked: dict[str, Any]
) -> Board | None:
    """The board of a command that need not have one."""
    if not tokens:
        for option in notation.BOARD_OPTIONS:
            if asked[option]:
                raise BadRequest(f"--{option.replace('_', '-')} is for a board, and there is none")
        return None
    question = _read(context, tokens)
    if not isinstance(question, Board):
        raise BadRequest(f"rule asks about {_ASKED[Board]}")
    board = notation.apply_options(question, asked)
    assert isinstance(board, Board)
    return board


@cli.command("rules")
@click.argument("number", nargs=-1)
@click.option("--kind", multiple=True, help="Only rules of that kind; may be repeated.")
@_EDITION
@_READING
@_JSON
def rules(
    number: tuple[str, ...],
    kind: tuple[str, ...],
    edition: str | None,
    reading: tuple[str, ...],
    as_json: bool,
) -> int | None:
    """List the rules with their numbers, which no reading changes.

    NUMBER is a number of any edition or an id: only that rule and those below it.
    """
    from solver import answers
    from solver.tell import show

    key = edition or CANONICAL
    notation.read_readings(reading)
    kinds = dict.fromkeys(one.kind for one in RULEBOOK.values())
    for word in kind:
        if word not in kinds:
            known = ", ".join(kinds)
            raise BadRequest(
                f"a kind is one of {known}, not {shown(word)}{did_you_mean(word, kinds)}"
            )
    within_force = EDITIONS[key]
    heads = [look_up(text, key).rule for text in number]
    chosen = [
        one
        for one in RULEBOOK.values()
        if one.slug in within_force
        and (not kind or one.kind in kind)
        and (not heads or any(one is head or _is_below(one, head, key) for head in heads))
    ]
    if not chosen:
        _say(f"edition {key} has no such rule")
        return NO
    if as_json:
        for one in chosen:
            _print_json(answers.rule_as_data(one, key))
    else:
        show.rules(show.console(), chosen, key)
    return None


def _is_below(one: Rule, head: Rule, key: str) -> bool:
    """Is the number of a rule in an edition one of those under the number of another?"""
    number, above = one.number(EDITIONS[key]), head.number(EDITIONS[key])
    return number is not None and above is not None and number.startswith(f"{bare(above)}.")


@cli.command("readings")
@_EDITION
@_READING
@_JSON
def readings(edition: str | None, reading: tuple[str, ...], as_json: bool) -> None:
    """List the readings: question, values and rules of each."""
    from solver import answers
    from solver.tell import show

    key, chosen = edition or CANONICAL, notation.read_readings(reading)
    if as_json:
        for one in answers.readings_as_data(chosen, key):
            _print_json(one)
    else:
        show.readings(show.console(), chosen, key)


@cli.command("editions")
@_EDITION
@_READING
@_JSON
def editions(edition: str | None, reading: tuple[str, ...], as_json: bool) -> None:
    """List the editions: version, date and what differs."""
    from solver import answers
    from solver.tell import show

    notation.read_readings(reading)
    keys = [edition] if edition else list(EDITIONS)
    if as_json:
        for key in keys:
            _print_json(answers.edition_as_data(key))
    else:
        show.editions(show.console(), keys)


@cli.command("batch")
@_TIME_LIMIT
@_EDITION
@_READING
@click.option("--json", is_flag=True, expose_value=False, help="As always: batch speaks JSON.")
def batch(time_limit: float | None, edition: str | None, reading: tuple[str, ...]) -> None:
    """Answer newline-delimited JSON from standard input, one line for one line.

    The time limit is for every request; edition and readings for those that name none.
    """
    from solver.batch import serve

    defaults: dict[str, Any] = {"edition": edition} if edition else {}
    if changed := notation.read_readings(reading).changed():
        defaults["readings"] = changed
    if sys.stdin is None:
        raise BadRequest("standard input is closed")
    serve(sys.stdin.buffer, sys.stdout.buffer, time_limit=time_limit, defaults=defaults)


@cli.command("vectors")
@click.option(
    "--seed",
    type=click.IntRange(0, MAX_NUMBER),
    help="Work them out anew, the random ones by this seed; default those of this version.",
)
@_EDITION
@_READING
@_JSON
def vectors(seed: int | None, edition: str | None, reading: tuple[str, ...], as_json: bool) -> None:
    """Print questions with right answers, one JSON object a line.

    The README says what is in a line. With an edition or readings only the questions that are asked
    by them.
    """
    from solver.kit import vectors
    from solver.kit.conform import is_asked
    from solver.tell.engines import with_progress

    chosen = notation.read_readings(reading)
    kept = vectors.shipped()
    if seed is not None:
        kept = list(with_progress(vectors.rows(seed), len(kept), "questions"))
    for row in kept:
        if is_asked(row, edition, chosen):
            _put(vectors.as_line(row))


@cli.command("conform", context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option(
    "--large", is_flag=True, help="Also ask what a brute-force engine may be too slow for."
)
@click.option(
    "--fuzz",
    type=click.IntRange(1, MAX_NUMBER),
    metavar="N",
    help="Ask N random questions instead, and look for smaller ones that fail.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, MAX_NUMBER),
    help="Choose the random questions by it; default 0.",
)
@click.option(
    "--timeout",
    type=_Seconds(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long an answer may take.",
)
@click.option(
    "--op",
    "ops",
    multiple=True,
    type=click.Choice(["need", "count", "list", "check", "combat"]),
    help="Ask only this; may be repeated.",
)
@click.option("--junit", metavar="FILE", help="Also write the report to a file, as JUnit XML.")
@_EDITION
@_READING
@_JSON
def conform(
    command: tuple[str, ...],
    large: bool,
    fuzz: int | None,
    seed: int | None,
    timeout: float,
    ops: tuple[str, ...],
    junit: str | None,
    edition: str | None,
    reading: tuple[str, ...],
    as_json: bool,
) -> int | None:
    """Ask another engine questions with known answers, and say by rule where it is wrong.

    COMMAND is started and spoken to in newline-delimited JSON, as batch speaks it; it may know only
    some of need, count, list, check and combat. With an edition or readings only the questions that
    are asked by them.

    Exit status: 0 all passed; 1 something failed; 2 a bad request; 3 the engine cannot be run or
    supports nothing.
    """
    from solver.kit import conform, vectors
    from solver.kit.dialogue import CannotRun, Engine
    from solver.tell import engines, show

    if not command:
        raise BadRequest('the engine is missing: write its command after "--"')
    chosen = notation.read_readings(reading)
    if fuzz is not None:
        rows, number = vectors.random_rows(seed or 0, fuzz), fuzz
    else:
        kept = vectors.reseeded(seed) if seed else vectors.shipped()
        rows, number = iter(kept), len(vectors.shipped())
    try:
        with Engine(command, timeout) as engine:
            examination = conform.Examination(engine, ops or conform.OPS)
            for row in engines.with_progress(rows, number, "questions"):
                if conform.is_asked(row, edition, chosen) and (large or conform.is_small(row)):
                    examination.examine(row)
            if fuzz is not None:
                conform.shrink_failures(examination)
    except CannotRun as fault:
        _say(str(fault))
        return CUT
    if not engine.answered:
        _say(conform.why_nothing(examination))
        return CUT
    if junit is not None:
        _write_file(junit, engines.as_junit(examination))
    if as_json:
        _print_json(engines.as_data(examination))
    else:
        engines.report(show.console(), examination)
    if examination.number("unsupported") == len(examination.results):
        _say(conform.why_nothing(examination))
        return CUT
    return NO if examination.number("failed") else None


def _write_file(name: str, content: bytes) -> None:
    from pathlib import Path

    try:
        Path(name).write_bytes(content)
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or "no such name"
        raise BadRequest(f"{shown(name)} cannot be written: {reason}") from None


_USUAL = Bounds()


@cli.group("lab", context_settings={"help_option_names": ["--help"]})
def lab() -> None:
    """Prove what each rule decides, on all boards within bounds at once.

    What is told is the smallest board of its kind: fewest units, then fewest keywords,
    replacements and marks, then least Might, then least pool, then the smallest notation.
    """


def _lab_command(name: str, usual: Bounds = _USUAL) -> Callable[[Any], click.Command]:
    """A command of the laboratory: what it is given are the bounds and the settings."""

    def decorate(function: Callable[..., int | None]) -> click.Command:
        @functools.wraps(function)
        @click.pass_context
        def run(context: click.Context, /, **given: Any) -> None:
            bounds = Bounds(**{field: given.pop(field) for field in Bounds.__struct_fields__})
            settings = Board(
                pool=0,
                units=(),
                edition=given.pop("edition") or CANONICAL,
                readings=notation.read_readings(given.pop("reading")),
            )
            begin = perf_counter()
            status = function(bounds, settings, **given)
            _say(f"it took {perf_counter() - begin:.1f} seconds")
            context.exit(status or 0)

        command: Any = run
        for option in (_TIME_LIMIT, _JSON, _READING, _EDITION):
            command = option(command)
        for field, meaning in reversed(_BOUNDED.items()):
            command = click.option(
                f"--{field.replace('_', '-')}",
                type=int,
                default=getattr(usual, field),
                show_default=True,
                metavar="N",
                help=meaning,
            )(command)
        return lab.command(name)(command)

    return decorate


_BOUNDED = {
    "units": "At most so many units.",
    "might": "Might of a unit at most so much.",
    "least_might": "Might of a unit at least so much.",
    "marked": "At most so much damage marked on a unit.",
    "replacements": "At most so many replacements on a unit.",
    "prevent": "At most so much prevented by one of them.",
    "pool": "At most so many points.",
}


@_lab_command("witness")
@click.argument("rule")
def lab_witness(
    bounds: Bounds, settings: Board, rule: str, as_json: bool, time_limit: float | None
) -> int | None:
    """Find the smallest board with an assignment that breaks RULE alone."""
    return _broken_together([rule], bounds, settings, as_json, time_limit)


@_lab_command("interact")
@click.argument("rule")
@click.argument("other")
def lab_interact(
    bounds: Bounds,
    settings: Board,
    rule: str,
    other: str,
    as_json: bool,
    time_limit: float | None,
) -> int | None:
    """Find the smallest board with an assignment that breaks just these two rules."""
    return _broken_together([rule, other], bounds, settings, as_json, time_limit)


def _broken_together(
    numbers: list[str], bounds: Bounds, settings: Board, as_json: bool, time_limit: float | None
) -> int | None:
    """Tell of the smallest board on which exactly these rules are broken."""
    from solver.lab import laboratory
    from solver.tell import findings, show

    slugs = [look_up(number, settings.edition).rule.slug for number in numbers]
    if len({*slugs}) < len(slugs):
        raise BadRequest(f"{numbers[0]} and {numbers[1]} are one rule, {slugs[0]}")
    found = laboratory.breaking(slugs, bounds, settings, time_limit=time_limit)
    if as_json:
        _print_json(findings.finding_as_data(found, settings))
    else:
        findings.finding(show.console(), found, settings)
    if not found.known:
        return CUT
    return None if found.specimen else NO


@_lab_command("independence")
def lab_independence(
    bounds: Bounds, settings: Board, as_json: bool, time_limit: float | None
) -> int | None:
    """Tell of every rule whether it decides anything that the others do not.

    The time limit is for each of them.
    """
    from solver.lab import laboratory
    from solver.tell import findings, show

    found = list(laboratory.independence(bounds, settings, time_limit=time_limit))
    if as_json:
        for one in found:
            _print_json(findings.verdict_as_data(one, settings))
    else:
        findings.independence(show.console(), found, settings)
    return None if all(one.known for one in found) else CUT


@_lab_command("diff")
@click.argument("first")
@click.argument("second")
@click.option(
    "--most",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="So many of different structure at most.",
)
def lab_diff(
    bounds: Bounds,
    settings: Board,
    first: str,
    second: str,
    most: int,
    as_json: bool,
    time_limit: float | None,
) -> int | None:
    """Find the smallest board on which two editions or readings disagree.

    FIRST and SECOND are an edition, a reading NAME=VALUE, or several with commas. Exit status 1:
    they do not disagree within the bounds.
    """
    from solver.lab import laboratory
    from solver.tell import findings, show

    one, other = read_way(first, settings), read_way(second, settings)
    if one == other:
        raise BadRequest(f"{first} and {second} are the same")
    found = laboratory.difference(one, other, bounds, most=most, time_limit=time_limit)
    if as_json:
        _print_json(findings.difference_as_data(found))
    else:
        findings.difference(show.console(), found)
    if found.complete is None:
        return CUT
    return None if found.found else NO


@_lab_command("always-possible", SWEPT)
@click.option("--every-reading", is_flag=True, help="In every combination of readings.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep what is done in FILE, and go on from there.",
)
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes; all cores.")
def lab_always_possible(
    bounds: Bounds,
    settings: Board,
    every_reading: bool,
    state: Path | None,
    workers: int | None,
    as_json: bool,
    time_limit: float | None,
) -> int | None:
    """Sweep over all boards within bounds: has each a legal assignment?

    Told as well: rules that nothing breaks. Exit status 1: a board has no legal assignment.
    """
    from solver.lab import laboratory, possible
    from solver.tell import findings, show

    ways = possible.every_reading(settings) if every_reading else (settings,)
    found = possible.always_possible(
        ways, bounds, state=state, workers=workers, time_limit=time_limit
    )
    dead = laboratory.dead(bounds, settings, time_limit=time_limit)
    if as_json:
        _print_json(findings.possible_as_data(found, dead))
    else:
        findings.possible(show.console(), found, dead)
    if found.impossible:
        return NO
    return None if found.complete and dead is not None else CUT


@lab.command("report")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@_TIME_LIMIT
def lab_report(directory: Path, time_limit: float | None) -> None:
    """Write all that the laboratory finds into DIRECTORY, as Markdown and as JSON.

    The time limit is for each claim.
    """
    from solver.lab import report as lab_report

    for path in lab_report.write_report(directory, time_limit):
        click.echo(path)


def _print_json(data: object) -> None:
    from solver.answers import encode

    _put(encode(data))


def _put(line: bytes) -> bool:
    click.echo(line)
    return True


def _stopped(reached: LimitReached) -> int:
    found = f": at least {reached.at_least} found, there may be more" if reached.at_least else ""
    _say(f"{reached.why}{found}")
    return CUT


def _say(sentence: str) -> None:
    click.echo(f"lethal: {' '.join(sentence.split())}", err=True)


def main(args: Iterable[str] | None = None, prog_name: str = "lethal") -> NoReturn:
    """Run the command line and exit with its status; faults are one sentence on stderr."""
    _prepare_output()
    allow_long_numbers()
    try:
        status = cli.main(
            args=None if args is None else list(args), prog_name=prog_name, standalone_mode=False
        )
    except PipeClosed:
        _forget_output()
        status = 0
    except BadRequest as fault:
        status = _refuse(str(fault))
    except LimitReached as reached:
        status = _stopped(reached)
    except click.exceptions.NoArgsIsHelpError as fault:
        click.echo(fault.format_message(), err=True)
        status = BAD
    except click.ClickException as fault:
        status = _refuse(fault.format_message())
    except (click.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except OSError as fault:
        _say(f"the answer cannot be written: {fault.strerror}")
        _forget_output()
        status = CUT
    sys.exit(status or 0)


def _refuse(sentence: str) -> int:
    _say(sentence)
    return BAD


def _prepare_output() -> None:
    """See to it that any name can be written, and that a closed output is only silent."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _forget_output() -> None:
    """Whoever read the output has gone; what is still to be written goes nowhere, silently."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
