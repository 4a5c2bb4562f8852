"""Commands for programs: a stream of requests, the questions of the kit, other engines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from rules import notation
from rules.checks import MAX_NUMBER
from rules.errors import BadRequest, shown
from solver.cli.command import (
    CUT,
    EDITION,
    JSON,
    NO,
    READING,
    TIME_LIMIT,
    Seconds,
    cli,
    print_json,
    put,
    say,
)


@cli.command("batch")
@TIME_LIMIT
@EDITION
@READING
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
@EDITION
@READING
@JSON
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
            put(vectors.as_line(row))


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
    type=Seconds(min=0, min_open=True),
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
@EDITION
@READING
@JSON
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
        say(str(fault))
        return CUT
    if junit is not None:
        _write_file(junit, engines.as_junit(examination))
    if as_json:
        print_json(engines.as_data(examination))
    elif engine.answered:
        engines.report(show.console(), examination)
    if not engine.answered or examination.number("unsupported") == len(examination.results):
        say(conform.why_nothing(examination))
        return CUT
    return NO if examination.number("failed") else None


def _write_file(name: str, content: bytes) -> None:

    try:
        Path(name).write_bytes(content)
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or "no such name"
        raise BadRequest(f"{shown(name)} cannot be written: {reason}") from None
