"""The command line: `lethal COMMAND BOARD…`. OR-Tools is imported only by commands that search."""

from __future__ import annotations

import errno
import functools
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

import click

from rules import notation, wire
from rules.board import Board, Combat
from rules.editions import EDITIONS
from rules.errors import BadRequest, did_you_mean
from rules.readings import SWITCHES
from rules.rulebook import RULEBOOK, look_up
from solver.limits import LimitReached

NO, BAD, CUT, INTERRUPTED = 1, 2, 3, 130
"""Exit statuses besides 0: no or illegal, a bad request, stopped by a limit, interrupted."""

_BOARD_HELP = """
BOARD is a pool, "into" and the enemy units: 3 into Sentinel:3T Volunteer:2

\b
  [NAME:]MIGHT  T Tank  B Backline  /2 marked  P2 prevents 2  Pall prevents all
  x2 doubled  ! cannot be dealt damage  A2 Assault  S2 Shield  Z stunned

It may also be one quoted argument, a JSON or TOML file, or - for standard input.
"""


@click.group(context_settings={"help_option_names": ["--help"], "max_content_width": 80})
@click.version_option(package_name="lethal", message="lethal %(version)s")
def cli() -> None:
    """Combat damage under the numbered rules: what is legal, how many ways, what is best.

    \b
    lethal list 3 into Sentinel:3T Volunteer:2
    lethal check 5 into 3 3 3 3 --assign 2,1,1,1
    lethal rule 465.2.c.4

    Exit status: 0 yes, legal, found; 1 no, illegal, nothing found; 2 a bad request; 3 a limit
    stopped it before an answer; 130 interrupted.
    """


def board_command(name: str, *, searches: bool = False) -> Callable[[Any], click.Command]:
    """A command on a board: reads the question and all options that belong to it."""

    def decorate(function: Callable[..., int | None]) -> click.Command:
        @functools.wraps(function)
        @click.pass_context
        def run(context: click.Context, /, tokens: tuple[str, ...], **options: Any) -> None:
            asked = {key: options.pop(key) for key in (*notation.BOARD_OPTIONS, "edition")}
            asked["reading"] = options.pop("reading")
            board = _board(context, tokens, asked)
            context.exit(function(board, **options) or 0)

        command: Any = run
        if searches:
            command = click.option(
                "--time-limit",
                type=click.FloatRange(min=0, min_open=True),
                metavar="SECONDS",
                help="Stop the search after that long and say so.",
            )(command)
        for option in reversed(_QUESTION_OPTIONS):
            command = option(command)
        command = click.argument("tokens", nargs=-1, type=click.UNPROCESSED, metavar="BOARD...")(
            command
        )
        register = cli.command(
            name, epilog=_BOARD_HELP, context_settings={"ignore_unknown_options": True}
        )
        return register(command)

    return decorate


def _complete_reading(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    spelled = [f"{switch}={value}" for switch, values in SWITCHES.items() for value in values]
    return [text for text in spelled if text.startswith(incomplete)]


_EDITION = click.option(
    "--edition", type=click.Choice(list(EDITIONS)), help="The rulebook to play by; default 465."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
_QUESTION_OPTIONS = (
    click.option(
        "--ignore",
        multiple=True,
        type=click.Choice(["tank", "backline"]),
        help="A keyword the assigner ignores; may be repeated.",
    ),
    click.option(
        "--any-damage-is-lethal", is_flag=True, help="Any damage by the assigner is lethal."
    ),
    click.option(
        "--units-are",
        type=click.Choice(["attackers", "defenders"]),
        help="Whether Assault or Shield counts for the units; default defenders.",
    ),
    _EDITION,
    click.option(
        "--reading",
        multiple=True,
        metavar="NAME=VALUE",
        shell_complete=_complete_reading,
        help="A reading where the text is open; may be repeated.",
    ),
    _JSON,
)


def _demands(command: Any) -> Any:
    for word, meaning in (("spare", "must not die"), ("kill", "must die")):
        command = click.option(
            f"--{word}", multiple=True, metavar="NAME", help=f"A unit that {meaning}; repeatable."
        )(command)
    return command


@board_command("list", searches=True)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="How many to list at most; 0 lists all.",
)
def list_(board: Board, limit: int, as_json: bool, time_limit: float | None) -> int | None:
    """List every legal assignment, in order, as they are found."""
    from itertools import islice

    import solver
    from solver import show
    from solver.answers import encode

    found = iter(solver.legal(board, time_limit=time_limit))
    out = show.console()
    if not as_json:
        out.print(show.written(board))
        show.settings(out, board)
        out.print()
    try:
        if as_json:
            listed = sum(1 for one in islice(found, limit or None) if _put(encode(one)))
        else:
            listed = show.listing(out, board, islice(found, limit or None))
        cut = limit > 0 and next(found, None) is not None
    except LimitReached as reached:
        return _stopped(reached)
    if cut:
        _say(f"cut after {show.counted(listed)} by --limit; there are more")
    elif not as_json:
        out.print()
        out.print(show.counted(listed) + (": there is no choice." if listed == 1 else "."))
        show.rules_in_play(out, board)
    return None


@board_command("count", searches=True)
@_demands
def count(
    board: Board,
    kill: tuple[str, ...],
    spare: tuple[str, ...],
    as_json: bool,
    time_limit: float | None,
) -> int | None:
    """Count the legal assignments."""
    from solver import answers, show

    answer = answers.count_answer(board, {"kill": kill, "spare": spare}, time_limit)
    if as_json:
        _print_json({**answer, **answers.remarks(board)})
    elif answer["count"] is None:
        click.echo(f"{answer['at_least']}+")
    else:
        out = show.console()
        demanded = " that meet the demand" if kill or spare else ""
        out.print(f"{show.counted(answer['count'])}{demanded}")
        show.settings(out, board)
        show.rules_in_play(out, board)
    if answer["count"] is None:
        return _stopped(LimitReached(answer["at_least"]))
    return None if answer["count"] else NO


@board_command("check")
@click.option(
    "--assign",
    multiple=True,
    metavar="2,1,1,1 or NAME=POINTS",
    help="The points, in unit order or by name (repeated; units left out get 0).",
)
def check(board: Board, assign: tuple[str, ...], as_json: bool) -> int | None:
    """Say whether an assignment is legal, and which rules it breaks."""
    from solver import explain, show

    verdict = explain.check(board, _assignment(assign))
    if as_json:
        from solver import answers

        _print_json({**answers.verdict_as_data(verdict), **answers.remarks(board)})
    else:
        out = show.console()
        show.verdict(out, board, verdict)
        show.settings(out, board)
        show.rules_in_play(out, board)
    return None if verdict.legal else NO


@board_command("best", searches=True)
@click.option(
    "--maximize",
    multiple=True,
    metavar="OBJECTIVE",
    help="kills, might, value or excess; the first matters most. Default: kills.",
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
    from solver import answers, show

    goals = [word for text in maximize for word in text.split(",")]
    goals = goals or (["value"] if value else ["kills"])
    try:
        found = solver.best(
            board, goals, value=_values(value), kill=kill, spare=spare, time_limit=time_limit
        )
    except LimitReached as reached:
        if as_json:
            _print_json({"feasible": None, **answers.remarks(board)})
        return _stopped(reached)
    if as_json:
        _print_json({**answers.best_as_data(found, board), **answers.remarks(board)})
    else:
        out = show.console()
        show.optimum(out, board, found, goals)
        show.settings(out, board)
        show.rules_in_play(out, board)
    if not found.feasible:
        return NO
    return None if found.optimal else CUT


@board_command("kills", searches=True)
def kills(board: Board, as_json: bool, time_limit: float | None) -> int | None:
    """Show which sets of units can die, and in how many ways."""
    from solver import answers, show

    answer = answers.kills_answer(board, {}, time_limit)
    if as_json:
        _print_json({**answer, **answers.remarks(board)})
    if answer["kill_sets"] is None:
        return _stopped(LimitReached(answer["at_least"]))
    if not as_json:
        out = show.console()
        sets = {tuple(s["killed"]): s["assignments"] for s in answer["kill_sets"]}
        show.kill_sets(out, sets)
        if len(sets) == 1:
            out.print("There is no choice about who dies.")
        show.settings(out, board)
        show.rules_in_play(out, board)
    return None


@board_command("need")
def need(board: Board, as_json: bool) -> None:
    """Show how many points are lethal to each unit, and why."""
    from rules.lethal import need as needs
    from solver import show

    if as_json:
        from solver import answers

        _print_json({"need": needs(board), **answers.remarks(board)})
    else:
        out = show.console()
        show.needs(out, board)
        show.settings(out, board)


@cli.command("rule")
@click.argument("number", nargs=-1, required=True)
@_EDITION
@_JSON
def rule(number: tuple[str, ...], edition: str | None, as_json: bool) -> None:
    """Explain a rule, by its number in any edition or by its id."""
    from solver import show

    asked, key = " ".join(number), edition or "465"
    found = look_up(asked, key)
    if as_json:
        _print_json(_rule_data(found.rule.slug))
    else:
        show.rule(show.console(), found, asked, key)


@cli.command("rules")
@click.option("--kind", multiple=True, help="Only rules of that kind; may be repeated.")
@_EDITION
@_JSON
def rules(kind: tuple[str, ...], edition: str | None, as_json: bool) -> None:
    """List the rules with their numbers."""
    from solver import show

    key = edition or "465"
    kinds = dict.fromkeys(one.kind for one in RULEBOOK.values())
    for word in kind:
        if word not in kinds:
            known = ", ".join(kinds)
            raise BadRequest(f"a kind is one of {known}, not {word}{did_you_mean(word, kinds)}")
    chosen = [
        one
        for one in RULEBOOK.values()
        if one.slug in EDITIONS[key] and (not kind or one.kind in kind)
    ]
    if as_json:
        for one in chosen:
            _print_json(_rule_data(one.slug))
    else:
        show.rules(show.console(), chosen, key)


@cli.command("batch")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="For every request: stop after that long and say so.",
)
def batch(time_limit: float | None) -> None:
    """Answer newline-delimited JSON from standard input, one line for one line."""
    from solver.batch import serve

    serve(sys.stdin.buffer, sys.stdout.buffer, time_limit=time_limit)


def _rule_data(slug: str) -> dict[str, Any]:
    one = RULEBOOK[slug]
    return {
        "rule": slug,
        "kind": one.kind,
        "title": one.title,
        "implied_by": one.implied_by,
        "numbers": {key: within.number(slug) for key, within in EDITIONS.items() if slug in within},
    }


def _board(context: click.Context, tokens: tuple[str, ...], options: dict[str, Any]) -> Board:
    question = _question(context, tokens)
    if isinstance(question, Combat):
        raise BadRequest(
            f'"{context.info_name}" asks about one side: write the pool, "into" and the units'
        )
    board = notation.apply_options(question, options)
    assert isinstance(board, Board)
    return board


def _question(context: click.Context, tokens: tuple[str, ...]) -> Board | Combat:
    """The board or combat of the arguments: one line, tokens, a file, or standard input."""
    for token in tokens:
        if token.startswith("--"):
            known = [o for p in context.command.params for o in p.opts if o.startswith("--")]
            raise notation.unknown_option(token.partition("=")[0], known)
    if not tokens:
        raise BadRequest('a board is missing; write one like "5 into 3 3 3 3"')
    if len(tokens) > 1:
        return notation.parse(tokens)
    if any(character.isspace() for character in tokens[0]):
        return notation.parse(tokens[0])
    return _read(tokens[0])


def _read(name: str) -> Board | Combat:
    """A question from a file of JSON, TOML or notation, or from standard input."""
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or "no such name"
        raise BadRequest(f"{name} is no board, and no file that can be read: {reason}") from None
    if name.endswith(".json") or raw.lstrip()[:1] in (b"{", b"["):
        return wire.read(wire.decode_json(raw))
    text = wire.decode_text(raw)
    if not name.endswith(".toml") and {"into", "vs"} & set(text.split()) and "=" not in text:
        return notation.parse(text)
    return wire.read(wire.decode_toml(text))


def _assignment(given: tuple[str, ...]) -> list[int] | dict[str, int]:
    """The assignment that `--assign` means: one list of points, or points by name."""
    if not given:
        raise BadRequest("--assign is missing: give the points, like --assign 2,1,1,1")
    if len(given) == 1 and "=" not in given[0]:
        return [_points(text) for text in given[0].split(",")] if given[0].strip() else []
    points: dict[str, int] = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not equals:
            raise BadRequest(f"--assign {text} is mixed with others: write NAME=POINTS in each")
        if name in points:
            raise BadRequest(f"--assign gives {name} points twice")
        points[name] = _points(value)
    return points


def _points(text: str) -> int:
    tidy = text.strip()
    if not (tidy.removeprefix("-").isdecimal() and tidy.isascii()) or len(tidy) > 20:
        raise BadRequest(f"points are whole numbers, unlike {tidy or 'nothing'}", "$.assignment")
    return int(tidy)


def _values(given: tuple[str, ...]) -> dict[str, Any] | None:
    from fractions import Fraction

    values: dict[str, Any] = {}
    for text in given:
        name, equals, number = text.rpartition("=")
        if not equals or name in values:
            raise BadRequest(f"--value is NAME=NUMBER, once for each unit, not {text}")
        try:
            values[name] = Fraction(number)
        except (ValueError, ZeroDivisionError):
            raise BadRequest(f"a value is a number, not {number or 'nothing'}", "$.value") from None
    return values or None


def _print_json(data: object) -> None:
    from solver.answers import encode

    _put(encode(data))


def _put(line: bytes) -> bool:
    click.echo(line)
    return True


def _stopped(reached: LimitReached) -> int:
    _say(f"the time limit stopped it: at least {reached.at_least} found, there may be more")
    return CUT


def _say(sentence: str) -> None:
    click.echo(f"lethal: {sentence}", err=True)


def main(args: Iterable[str] | None = None, prog_name: str = "lethal") -> NoReturn:
    """Run the command line and exit with its status; faults are one sentence on stderr."""
    try:
        status = cli.main(
            args=None if args is None else list(args), prog_name=prog_name, standalone_mode=False
        )
        sys.stdout.flush()
    except BadRequest as fault:
        _say(str(fault))
        status = BAD
    except click.exceptions.NoArgsIsHelpError as fault:
        click.echo(fault.format_message(), err=True)
        status = BAD
    except click.ClickException as fault:
        _say(" ".join(fault.format_message().split()))
        status = BAD
    except (click.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except OSError as fault:
        if fault.errno != errno.EPIPE:
            raise
        _forget_output()
        status = 0
    sys.exit(status or 0)


def _forget_output() -> None:
    """Whoever read the output has gone; what is still to be written goes nowhere, silently."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
