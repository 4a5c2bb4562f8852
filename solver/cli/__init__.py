"""The command line: `lethal COMMAND BOARD…`. OR-Tools is imported only by commands that search."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from typing import Final, NoReturn

import click

from rules.errors import BadRequest
from solver.cli import boards, book, combats, disputes, engines, lab
from solver.cli.command import BAD, CUT, INTERRUPTED, PipeClosed, cli, say, stopped
from solver.limits import LimitReached, allow_long_numbers

COMMANDS: Final = (boards, disputes, combats, book, engines, lab)
"""Where the commands are; each joins the group `cli` as it is imported."""


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
        status = stopped(reached)
    except click.exceptions.NoArgsIsHelpError as fault:
        click.echo(fault.format_message(), err=True)
        status = BAD
    except click.ClickException as fault:
        status = _refuse(fault.format_message())
    except (click.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except OSError as fault:
        say(f"the answer cannot be written: {fault.strerror}")
        _forget_output()
        status = CUT
    sys.exit(status or 0)


def _refuse(sentence: str) -> int:
    say(sentence)
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
