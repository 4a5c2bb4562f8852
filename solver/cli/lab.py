"""Commands of the laboratory: what each rule decides on all boards within bounds."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from rules import notation
from rules.board import Board
from rules.editions import CANONICAL
from rules.errors import BadRequest
from rules.rulebook import look_up
from solver.arguments import read_way
from solver.cli.command import CUT, EDITION, JSON, NO, READING, TIME_LIMIT, cli, print_json, say
from solver.lab.bounds import SWEPT, Bounds

_USUAL = Bounds()


@cli.group("lab", context_settings={"help_option_names": ["--help"]})
def lab() -> None:
    """Prove what each rule decides, on all boards within bounds at once.

    What is told is the smallest board of its kind: fewest units, then fewest keywords,
    replacements, marks (one a unit, whatever its amount) and effects that hold for the assigner,
    then least Might, then least pool, then the smallest notation.
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
            say(f"it took {perf_counter() - begin:.1f} seconds")
            context.exit(status or 0)

        command: Any = run
        for option in (TIME_LIMIT, JSON, READING, EDITION):
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
        print_json(findings.finding_as_data(found, settings))
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
            print_json(findings.verdict_as_data(one, settings))
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
        print_json(findings.difference_as_data(found))
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
        print_json(findings.possible_as_data(found, dead))
    else:
        findings.possible(show.console(), found, dead)
    if found.impossible:
        return NO
    return None if found.complete and dead is not None else CUT


@lab.command("report")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@TIME_LIMIT
@click.pass_context
def lab_report(context: click.Context, directory: Path, time_limit: float | None) -> None:
    """Write all that the laboratory finds into DIRECTORY, as Markdown and as JSON.

    The time limit is for each claim.
    """
    from solver.lab import report as lab_report

    sections = lab_report.work_out(time_limit)
    for path in lab_report.write_report(directory, sections):
        click.echo(path)
    context.exit(0 if lab_report.is_known(sections) else CUT)
