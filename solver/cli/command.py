"""What the commands have in common: arguments, options, output and exit statuses."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from math import isfinite
from typing import Any

import click

from rules import notation
from rules.board import Board, Combat
from rules.checks import MAX_NUMBER
from rules.editions import EDITIONS
from rules.errors import BadRequest
from rules.notation import Question
from rules.readings import SWITCHES
from solver.arguments import read_question
from solver.limits import LimitReached

NO, BAD, CUT, INTERRUPTED = 1, 2, 3, 130
"""Exit statuses besides 0: no or illegal, a bad request, stopped by a limit, interrupted."""


BOARD_HELP = """
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


_EITHER_HELP = f"""{BOARD_HELP}
COMBAT is the attackers, "vs" and the defenders: 5A2 3Z vs Caitlyn:3B 4TS1
"""


_HELP = {Board: BOARD_HELP, Combat: _COMBAT_HELP}


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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as fault:
            if "more" not in args[0]:
                raise
            told = f"{fault.format_message()} How much more it takes is told by 'margin'."
            raise click.UsageError(told, ctx) from None


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
    options = [*(option for noun in nouns for option in _OPTIONS[noun]), *SHARED_OPTIONS]
    usage = _HELP[nouns[0]] if len(nouns) == 1 else _EITHER_HELP
    if engines:
        options.append(_ENGINE)
    if engines or searches:
        options.append(TIME_LIMIT)
    metavar = "|".join(noun.__name__.upper() for noun in nouns)

    def decorate(function: Callable[..., int | None]) -> click.Command:
        @functools.wraps(function)
        @click.pass_context
        def run(context: click.Context, /, tokens: tuple[str, ...], **given: Any) -> None:
            asked: dict[str, Any] = {k: given.pop(k) for k in notation.OPTIONS if k in given}
            question = read(context, tokens)
            if not isinstance(question, nouns):
                raise BadRequest(f"{name} asks about {ASKED[nouns[0]]}")
            question = notation.apply_options(question, asked)
            context.exit(function(question, **given) or 0)

        command = with_options(*options)(run)
        command = click.argument(
            "tokens", nargs=-1, type=click.UNPROCESSED, metavar=f"{metavar}..."
        )(command)
        register = cli.command(
            name, epilog=usage, context_settings={"ignore_unknown_options": True}
        )
        return register(command)

    return decorate


def with_options(*options: Any) -> Callable[[Any], Any]:
    """Options put on a command, in their order."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def read(context: click.Context, tokens: tuple[str, ...]) -> Question:
    """The question of a command's arguments."""
    spelled = [o for p in context.command.params for o in p.opts if o.startswith("--")]
    return read_question(tokens, spelled)


ASKED = {
    Board: 'one side\'s question: write the pool, "into" and the units',
    Combat: 'two sides: write the attackers, "vs" and the defenders',
}


def _complete_reading(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    spelled = [f"{switch}={value}" for switch, values in SWITCHES.items() for value in values]
    return [text for text in spelled if text.startswith(incomplete)]


EDITION = click.option(
    "--edition", type=click.Choice(list(EDITIONS)), help="The rulebook to play by; default 465."
)


JSON = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")


READING = click.option(
    "--reading",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=_complete_reading,
    help="A reading where the text is open; may be repeated.",
)


SHARED_OPTIONS = (EDITION, READING, JSON)


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


BOARD_OPTIONS = (
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


_OPTIONS = {Board: BOARD_OPTIONS, Combat: _COMBAT_OPTIONS}


_ENGINE = click.option(
    "--engine",
    type=click.Choice(["exact", "cp-sat"]),
    default="exact",
    show_default=True,
    help="Count and list directly, or by solving the CP-SAT model: same answers.",
)


class Seconds(click.FloatRange):
    """A time limit: a number of seconds above 0, and a number indeed."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        seconds = super().convert(value, param, ctx)
        if not isfinite(seconds):
            self.fail(f"{value!r} is no number of seconds.", param, ctx)
        return float(seconds)


TIME_LIMIT = click.option(
    "--time-limit",
    type=Seconds(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop after that long and say so.",
)


def demands(command: Any) -> Any:
    """The options that name units that must and must not die, put on a command."""
    for word, meaning in (("spare", "must not die"), ("kill", "must die")):
        command = click.option(
            f"--{word}", multiple=True, metavar="NAME", help=f"A unit that {meaning}; repeatable."
        )(command)
    return command


LIMIT = click.option(
    "--limit",
    type=click.IntRange(0, MAX_NUMBER),
    default=1000,
    show_default=True,
    help="How many to list at most; 0 lists all.",
)


def print_json(data: object) -> None:
    """Print plain data as one line of JSON."""
    from solver.answers import encode

    put(encode(data))


def put(line: bytes) -> bool:
    """Print a line; true, so that it can stand in a condition."""
    click.echo(line)
    return True


def stopped(reached: LimitReached) -> int:
    """Say that a limit was reached, and with how much found; the exit status for it."""
    found = f": at least {reached.at_least} found, there may be more" if reached.at_least else ""
    say(f"{reached.why}{found}")
    return CUT


def say(sentence: str) -> None:
    """Print a sentence, on one line, beside the answer: on stderr."""
    click.echo(f"lethal: {' '.join(sentence.split())}", err=True)
