"""Commands about both sides: how a combat ends, and its course step by step."""

from __future__ import annotations

import click

from rules import notation
from rules.board import Combat
from rules.flow import Flow
from rules.situation import Situation
from solver.arguments import read_points, read_situation
from solver.cli.command import (
    CUT,
    EDITION,
    JSON,
    LIMIT,
    NO,
    READING,
    TIME_LIMIT,
    cli,
    print_json,
    question_command,
    say,
)

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
@LIMIT
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
    from solver.tell import alternatives, combats, show

    if attacker_assigns:
        points = read_points(attacker_assigns, "--attacker-assigns", fight.defenders)
        fight = replace(fight, attacker_assigns=points)
    if defender_assigns:
        points = read_points(defender_assigns, "--defender-assigns", fight.attackers)
        fight = replace(fight, defender_assigns=points)
    found = CombatAnswer(fight, time_limit)
    again = depends.of_combat(fight)
    if as_json:
        answer = answers.combat_as_data(found, limit)
        missing = [part for part, told in answer.items() if told is None and part != "outcome"]
        answer.update(answers.again_as_data("combat", again))
        print_json({**answer, **answers.depends_as_data(again.readings)})
    else:
        out = show.console()
        missing = combats.combat(out, found, again, limit)
        alternatives.depends(out, again.readings)
    if missing:
        say(f"stopped by a limit; not told: {', '.join(missing)}")
    if found.illegal:
        return NO
    return CUT if missing else None


@cli.command("flow", epilog=_FLOW_HELP)
@click.argument("file")
@EDITION
@READING
@JSON
@TIME_LIMIT
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
    from solver.tell import alternatives, combats, orders, show

    situation = read_situation(file)
    situation = replace(
        situation,
        edition=edition or situation.edition,
        readings=notation.read_readings(reading, situation.readings),
    )
    found = course(situation, time_limit)
    fight = _undecided(found, situation)
    again = None if fight is None else depends.of_course(fight)
    comes_to_an_end = bool(found.outcome or found.violations)
    if as_json:
        data = answers.flow_as_data(found)
        if again is not None:
            data.update(answers.again_as_data("combat", again) if comes_to_an_end else {})
            data.update(answers.depends_as_data(again.readings))
        print_json(data)
    else:
        out = show.console()
        combats.flow(out, found)
        if again is not None:
            if comes_to_an_end:
                orders.reordered(out, again)
            alternatives.depends(out, again.readings)
    if found.status == "unknown":
        say("a limit stopped it before it was known whether there is a choice")
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
