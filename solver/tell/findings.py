"""What the laboratory found, as text for people and as data in the JSON shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import to_builtins
from rich.console import Console
from rich.table import Table

from rules.board import Board
from rules.editions import edition
from rules.position import enumerate_words
from rules.rulebook import IN_FORCE, RULEBOOK
from rules.wire import plain
from solver.explain import check
from solver.lab.bounds import Bounds
from solver.lab.laboratory import Difference, Disagreement, Finding, posts, verdict
from solver.lab.possible import Possible
from solver.tell import show, verdicts

Json = dict[str, Any]
NOT_KNOWN: Final = "Not known: a limit came first"

_FORBIDS_NOTHING: Final = {
    "permission": "a permission",
    "scope": "says whom it concerns",
    "arithmetic": "says what need is",
    "procedure": "says what happens",
    "background": "says what words mean",
    "implied": "asks nothing new",
}
"""By kind, why no assignment breaks a rule."""


def finding(out: Console, found: Finding, settings: Board) -> None:
    """What became of the question which board breaks exactly these rules."""
    names = _cited(found.rules, settings)
    alone = "alone" if len(found.rules) == 1 else "and no other rule"
    if found.specimen is not None:
        board = found.specimen.board
        out.print(show.written(board))
        verdicts.verdict(out, board, check(board, found.specimen.assignment))
        show.settings(out, board)
        out.print(f"Proved: the smallest board on which an assignment breaks {names} {alone}.")
    elif found.others is None:
        out.print(f"{NOT_KNOWN} ({names}).")
    elif found.others:
        also = _cited(found.others, settings, "or")
        both = "it" if len(found.rules) == 1 else "them"
        out.print(f"Proved: nothing breaks {names} {alone}; whoever breaks {both} breaks {also}.")
    elif silent := [slug for slug in found.rules if not posts(RULEBOOK[slug])]:
        for slug in silent:
            out.print(f"{_cited([slug], settings)} forbids no assignment: {_why_not(slug)}.")
        return
    else:
        why = f" ({_why_not(found.rules[0])})" if len(found.rules) == 1 else " together"
        out.print(f"Proved: nothing breaks {names}{why}.")
    _within(out, found.bounds)


def _why_not(slug: str) -> str:
    """Why nothing breaks the rule, in a few words."""
    rule = RULEBOOK[slug]
    return "silent within bounds" if posts(rule) else _FORBIDS_NOTHING[rule.kind]


def _cited(rules: Iterable[str], settings: Board, word: str = "and") -> str:
    cite = edition(settings.edition).cite
    return enumerate_words([cite(slug) for slug in rules]).replace(" and ", f" {word} ")


def independence(out: Console, findings: Sequence[Finding], settings: Board) -> None:
    """A table of the rules about assignments: what each of them decides. The others are counted."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("rule", "", "decides", "because"):
        table.add_column(column, overflow="fold", no_wrap=column != "because")
    about = {rule.slug for rule in IN_FORCE[settings.edition]}
    listed = [found for found in findings if found.rules[0] in about]
    for found in listed:
        (slug,) = found.rules
        number = edition(settings.edition).number(slug) or ""
        table.add_row(number, slug, verdict(found), because(found, settings))
    out.print(table)
    others = len(findings) - len(listed)
    out.print(f"The {others} other rules forbid no assignment of their own: never decisive.")
    _within(out, findings[0].bounds)


def because(found: Finding, settings: Board) -> str:
    """On what the verdict on one rule, or on two of them together, rests, in a few words."""
    if found.specimen is not None:
        points = ", ".join(map(str, found.specimen.assignment))
        return f"{show.written(found.specimen.board)}: {points}"
    if found.others is None:
        return "a limit came first"
    if found.others:
        follows = "follows from" if len(found.rules) == 1 else "whoever breaks both breaks"
        return f"{follows} {_cited(found.others, settings)}"
    if len(found.rules) > 1:
        return "nothing breaks both"
    return _why_not(found.rules[0])


def difference(out: Console, found: Difference) -> None:
    """On which boards two ways to play disagree."""
    for one in found.found:
        out.print(f"{disagreement(one, found)}.")
    names = " and ".join(side(one, found) for one in found.settings)
    if not found.found and found.complete:
        out.print(f"Proved: {names} never disagree.")
    elif found.complete:
        out.print(f"Proved: all structurally different disagreements of {names}.")
    elif found.complete is None:
        out.print(f"{NOT_KNOWN}; {names} may disagree in more ways.")
    else:
        out.print("Proved: the smallest; --most N looks for more of another structure.")
    _within(out, found.bounds)


def disagreement(one: Disagreement, found: Difference) -> str:
    """Which assignment of which board is legal under which of the two, and what else forbids it."""
    points = ", ".join(map(str, one.assignment))
    return (
        f"{show.written(one.board)}{_effects(one.board)}: {points} is legal under "
        f"{side(one.board, found)}, and under {side(one.forbidden_on, found)} it breaks "
        f"{_cited(one.broken, one.forbidden_on)}"
    )


def _effects(board: Board) -> str:
    """What holds for the assigner, as the notation has it."""
    words = [f" --ignore {keyword}" for keyword in board.assigner.ignores]
    return "".join(words) + " --any-damage-is-lethal" * board.assigner.any_damage_is_lethal


def side(one: Board, found: Difference) -> str:
    """What sets a side apart from the other: its edition, its readings, or both."""
    first, second = found.settings
    words = [one.edition] if first.edition != second.edition else []
    words += [
        f"{switch}={value}"
        for switch, value in to_builtins(one.readings).items()
        if getattr(first.readings, switch) != getattr(second.readings, switch)
    ]
    return ", ".join(words) or f"{one.edition}, itself"


def possible(out: Console, found: Possible, dead: Sequence[str] | None) -> None:
    """Whether every board has a legal assignment, and which rules nothing breaks."""
    for text in found.impossible:
        out.print(f"No legal assignment: {text}")
    readings = f" under {len(found.settings)} combinations of readings"
    boards = f"{found.boards:,} boards{readings if len(found.settings) > 1 else ''}"
    if not found.complete:
        out.print(f"{NOT_KNOWN}; {boards} were looked at, {len(found.impossible):,} without any.")
    elif found.impossible:
        out.print(f"Found: {len(found.impossible):,} of {boards} have no legal assignment.")
    else:
        out.print(f"Proved: all {boards} have a legal assignment.")
    if dead is None:
        out.print(f"{NOT_KNOWN}, which rules nothing breaks.")
    elif dead:
        out.print(f"Proved: nothing breaks {_cited(dead, found.settings[0])}.")
    else:
        out.print("Proved: every rule that forbids something is broken by something.")
    _within(out, found.bounds)


def _within(out: Console, bounds: Bounds) -> None:
    out.print(f"Bounds: {bounds}.", style="dim")


# --- as data ------------------------------------------------------------------------------------


def finding_as_data(found: Finding, settings: Board) -> Json:
    """A `Finding` in the JSON shape; what does not apply is null."""
    data: Json = {
        "rules": _rules_as_data(found.rules, settings),
        "status": status(found),
        "board": None,
        "assignment": None,
        "broken": None,
        "others": None if found.others is None else _rules_as_data(found.others, settings),
        "bounds": to_builtins(found.bounds),
    }
    if found.specimen is not None:
        data["board"] = plain(found.specimen.board)
        data["assignment"] = found.specimen.assignment
        data["broken"] = _rules_as_data(found.specimen.broken, settings)
    return data


def verdict_as_data(found: Finding, settings: Board) -> Json:
    """What one rule decides in the JSON shape."""
    (slug,) = found.rules
    number = edition(settings.edition).number(slug)
    head = {"rule": slug, "number": number, "kind": RULEBOOK[slug].kind, "verdict": verdict(found)}
    return head | {k: v for k, v in finding_as_data(found, settings).items() if k != "rules"}


def status(found: Finding) -> str:
    """How the solver ended: optimal, infeasible or unknown."""
    if found.specimen is not None:
        return "optimal"
    return "unknown" if found.others is None else "infeasible"


def difference_as_data(found: Difference) -> Json:
    """A `Difference` in the JSON shape."""
    first, second = (
        {"edition": one.edition, "readings": to_builtins(one.readings)} for one in found.settings
    )
    return {
        "first": first,
        "second": second,
        "status": difference_status(found),
        "complete": found.complete,
        "disagreements": [_disagreement_as_data(one, found) for one in found.found],
        "bounds": to_builtins(found.bounds),
    }


def difference_status(found: Difference) -> str:
    """How the solver ended: infeasible where nothing more is to be found."""
    if found.complete is None:
        return "unknown"
    return "infeasible" if found.complete else "optimal"


def _disagreement_as_data(one: Disagreement, found: Difference) -> Json:
    first = found.settings[0]
    is_first = (one.board.edition, one.board.readings) == (first.edition, first.readings)
    return {
        "board": plain(one.board),
        "assignment": one.assignment,
        "legal_under": "first" if is_first else "second",
        "broken": _rules_as_data(one.broken, one.forbidden_on),
    }


def possible_as_data(found: Possible, dead: Sequence[str] | None) -> Json:
    """A `Possible` and the rules that nothing breaks in the JSON shape."""
    settings = found.settings[0]
    return {
        "edition": settings.edition,
        "readings": [to_builtins(one.readings) for one in found.settings],
        "boards": found.boards,
        "impossible": found.impossible,
        "complete": found.complete,
        "dead": None if dead is None else _rules_as_data(dead, settings),
        "bounds": to_builtins(found.bounds),
    }


def _rules_as_data(slugs: Iterable[str], settings: Board) -> list[Json]:
    within = edition(settings.edition)
    return [{"rule": slug, "number": within.number(slug)} for slug in slugs]
