"""Commands about the rulebook itself: rules, readings and editions."""

from __future__ import annotations

from typing import Any

import click

from rules import notation
from rules.board import Board
from rules.editions import CANONICAL, EDITIONS, bare
from rules.errors import BadRequest, did_you_mean, shown
from rules.rule import Rule
from rules.rulebook import RULEBOOK, look_up
from solver.cli.command import (
    ASKED,
    BOARD_HELP,
    BOARD_OPTIONS,
    EDITION,
    JSON,
    NO,
    READING,
    SHARED_OPTIONS,
    cli,
    print_json,
    read,
    say,
    with_options,
)


@cli.command("rule", epilog=BOARD_HELP, context_settings={"ignore_unknown_options": True})
@click.argument("number")
@click.argument("tokens", nargs=-1, type=click.UNPROCESSED, metavar="[BOARD]...")
@with_options(*BOARD_OPTIONS, *SHARED_OPTIONS)
@click.pass_context
def rule(
    context: click.Context, /, number: str, tokens: tuple[str, ...], as_json: bool, **asked: Any
) -> None:
    """Explain a rule, by its number in any edition or by its id.

    With a BOARD, also the constraint that it posts there.
    """
    from solver import answers
    from solver.tell import book, show

    board = _board_of(context, tokens, asked)
    key = board.edition if board else asked["edition"] or CANONICAL
    chosen = board.readings if board else notation.read_readings(asked["reading"])
    found = look_up(number, key)
    sentences = None if board is None else answers.posted(found.rule, board)
    if as_json:
        print_json(answers.found_as_data(found, key, chosen, sentences))
        return
    out = show.console()
    book.rule(out, found, key, chosen)
    book.example(out, found.rule)
    if board is not None and sentences is not None:
        book.posted(out, board, sentences)


def _board_of(
    context: click.Context, tokens: tuple[str, ...], asked: dict[str, Any]
) -> Board | None:
    """The board of a command that need not have one."""
    if not tokens:
        for option in notation.BOARD_OPTIONS:
            if asked[option]:
                raise BadRequest(f"--{option.replace('_', '-')} is for a board, and there is none")
        return None
    question = read(context, tokens)
    if not isinstance(question, Board):
        raise BadRequest(f"rule asks about {ASKED[Board]}")
    board = notation.apply_options(question, asked)
    assert isinstance(board, Board)
    return board


@cli.command("rules")
@click.argument("number", nargs=-1)
@click.option("--kind", multiple=True, help="Only rules of that kind; may be repeated.")
@EDITION
@READING
@JSON
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
    from solver.tell import book, show

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
        say(f"edition {key} has no such rule")
        return NO
    if as_json:
        for one in chosen:
            print_json(answers.rule_as_data(one, key))
    else:
        book.rules(show.console(), chosen, key)
    return None


def _is_below(one: Rule, head: Rule, key: str) -> bool:
    """Is the number of a rule in an edition one of those under the number of another?"""
    number, above = one.number(EDITIONS[key]), head.number(EDITIONS[key])
    return number is not None and above is not None and number.startswith(f"{bare(above)}.")


@cli.command("readings")
@EDITION
@READING
@JSON
def readings(edition: str | None, reading: tuple[str, ...], as_json: bool) -> None:
    """List the readings: question, values and rules of each."""
    from solver import answers
    from solver.tell import book, show

    key, chosen = edition or CANONICAL, notation.read_readings(reading)
    if as_json:
        for one in answers.readings_as_data(chosen, key):
            print_json(one)
    else:
        book.readings(show.console(), chosen, key)


@cli.command("editions")
@EDITION
@READING
@JSON
def editions(edition: str | None, reading: tuple[str, ...], as_json: bool) -> None:
    """List the editions: version, date and what differs."""
    from solver import answers
    from solver.tell import book, show

    notation.read_readings(reading)
    keys = [edition] if edition else list(EDITIONS)
    if as_json:
        for key in keys:
            print_json(answers.edition_as_data(key))
    else:
        book.editions(show.console(), keys)
