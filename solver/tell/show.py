"""Answers for people: tables that fit the terminal, amounts beside names, numbers beside rules."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from typing import Any, Final, Literal

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rules.board import SIDES, Assignment, Board, Combat, letters
from rules.editions import (
    CANONICAL,
    EDITIONS,
    PUBLISHED,
    TABLE,
    Edition,
    edition,
    is_inferred,
)
from rules.flow import Flow
from rules.lethal import EXEMPT, NEVER, dead, need, oddities
from rules.notation import is_writable, write_unit
from rules.position import enumerate_words
from rules.readings import ABOUT, DEFAULTS, SWITCHES, Readings
from rules.resolution import OTHER, Ending, Outcome, question, units_of
from rules.rule import Rule
from rules.rulebook import Found, moved
from solver import explain, makeup
from solver.depends import Again
from solver.explain import Verdict
from solver.limits import LimitReached
from solver.optimize import Best
from solver.orders import Asked, Robust, chooser, in_words
from solver.outcomes import FACTS, CombatAnswer, Way
from solver.reasons import Reason

_CHUNK: Final = 200
"""Rows of a listing that are laid out at a time."""
_GAP: Final = 2
NO_UNIT: Final = "There is no unit."
_NARROW: Final = 60
"""Columns below which a text goes below its label, not beside it."""


class PlainConsole(Console):
    """A console for plain text: names are never taken for markup, a closed pipe is no answer."""

    def __init__(self) -> None:
        colors: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
        super().__init__(highlight=False, markup=False, emoji=False, color_system=colors)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print; away from a terminal without the blanks that fill up lines."""
        if self.is_terminal:
            super().print(*objects, **options)
            return
        with self.capture() as captured:
            super().print(*objects, **options)
        lines = captured.get().splitlines()
        self.file.write("".join(f"{line.rstrip()}\n" for line in lines))

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, "nobody reads on")


def console() -> Console:
    """A console on standard output, of 80 columns where its width is not known."""
    return PlainConsole()


def written(board: Board) -> str:
    """The board in one line; names that notation cannot express are left out."""
    units = [
        write_unit(unit, letters(i) if is_writable(unit.name) else unit.name)
        for i, unit in enumerate(board.units)
    ]
    return " ".join([str(board.pool), "into", *units])


def settings(out: Console, *boards: Board) -> None:
    """What an answer rests on besides the units: edition, readings, effects, oddities.

    It is the answer to one board, or to the two of a combat, the Attacker's first.
    """
    board = boards[0]
    _basis(out, board.edition, board.readings.changed())
    if len(boards) == 1 and board.units_are != "defenders":
        out.print(f"The units are {board.units_are}.")
    who_assigns = ["assigner"] if len(boards) == 1 else [side.capitalize() for side in SIDES]
    for one, who in zip(boards, who_assigns, strict=True):
        for sentence in _effects(one, who):
            out.print(f"{sentence}.")
    for one in boards:
        for sentence in oddities(one):
            out.print(f"Note: {sentence}.")


def _basis(out: Console, edition_key: str, changed: Mapping[str, str]) -> None:
    if edition_key != CANONICAL:
        out.print(f"Edition {edition_key}.")
    if changed:
        readings = ", ".join(f"{name}={value}" for name, value in changed.items())
        out.print(f"Readings not at their default: {readings}.")


def _effects(board: Board, who: str) -> Iterator[str]:
    """What holds for the player who assigns, each with its rule."""
    cite = edition(board.edition).cite
    if board.assigner.ignores:
        keywords = " and ".join(keyword.capitalize() for keyword in board.assigner.ignores)
        yield f"The {who} ignores {keywords} ({cite('ignore_effects')})"
    if board.assigner.any_damage_is_lethal:
        whose = "" if who == "assigner" else f" by the {who}"
        yield f"Any damage{whose} is lethal ({cite('lethal_value_alterable')})"


def rules_in_play(out: Console, board: Board) -> None:
    """The numbers of the rules that concern the board."""
    _cited(out, explain.in_play(board), edition(board.edition))


def _cited(out: Console, slugs: Iterable[str], within: Edition) -> None:
    numbers = ", ".join(within.cite(slug) for slug in slugs)
    out.print(Text(f"Rules in play: {numbers}", style="dim"))


def listing(out: Console, board: Board, found: Iterable[Assignment]) -> int:
    """Print assignments as they are found, in columns where these fit; returns how many."""
    rows = iter(found)
    if not board.units:
        out.print(NO_UNIT)
        return sum(1 for _ in rows)
    widths = _widths(board)
    shown = 0
    if sum(widths) + _GAP * len(widths) + 8 > out.width:
        for assignment in rows:
            out.print(given(board, assignment))
            shown += 1
        return shown
    while chunk := list(islice(rows, _CHUNK)):
        table = _columns(board, widths, header=shown == 0)
        for assignment in chunk:
            table.add_row(*map(str, assignment), ", ".join(dead(board, assignment)))
        out.print(table)
        shown += len(chunk)
    return shown


def _columns(board: Board, widths: Sequence[int], *, header: bool) -> Table:
    table = Table(box=None, pad_edge=False, show_header=header, padding=(0, _GAP, 0, 0))
    for name, least, width in zip(board.names, need(board), widths, strict=True):
        label = least if isinstance(least, str) else f"needs {least}"
        table.add_column(Text(f"{name}\n{label}"), justify="right", width=width, no_wrap=True)
    table.add_column("\ndies", overflow="fold")
    return table


def _widths(board: Board) -> list[int]:
    most = len(str(board.pool))
    return [
        max(most, Text(name).cell_len, len(str(least)) + (0 if isinstance(least, str) else 6))
        for name, least in zip(board.names, need(board), strict=True)
    ]


def given(board: Board, assignment: Assignment) -> str:
    """Who is given how much, the others left out: `A 3, C 2`."""
    points = [f"{n} {x}" for n, x in zip(board.names, assignment, strict=True) if x]
    return ", ".join(points) or "nothing to anybody"


def counted(number: int, noun: str = "legal assignment") -> str:
    """`1 legal assignment`, `12 legal assignments`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def verdict(out: Console, board: Board, found: Verdict) -> None:
    """Legal or not; if not, every broken rule with who breaks it and how, and what is instead."""
    cite = edition(board.edition).cite
    out.print(f"{'Legal' if found.legal else 'Illegal'}: {_tally(board, found.assignment)}.")
    for violation in found.violations:
        out.print(Text(f"  {cite(violation.rule)}  ", style="bold") + Text(violation.because + "."))
    if found.legal:
        _order(out, found.order)
        _tiers(out, found, cite("exclusionary_choose_one"))
    else:
        _tried(out, board, found)
        _nearest(out, board, found)
    if found.orders is not None:
        others = found.orders.otherwise
        there = explain.check(others.asked, found.assignment) if others else None
        ordered(out, board, found.orders, "" if there is None else _judged(there, cite))


def _order(out: Console, order: Sequence[tuple[str, int]]) -> None:
    """In which order a legal assignment can be made; a unit that comes again is given more."""
    once = dict(reversed(order))
    more = order[len(once) :]
    told = ", ".join(f"{name} {points}" for name, points in order[: len(once)])
    if more:
        told += f", then {', '.join(f'{name} {points} more' for name, points in more)}"
    if told:
        out.print(f"  One order: {told}.")


def _tiers(out: Console, found: Verdict, rule: str) -> None:
    for name, tier in found.tiers.items():
        taken = "Tank or as Backline" if tier == "either" else tier.capitalize()
        out.print(f"  {name} counts as {taken} [{rule}].")


def _tried(out: Console, board: Board, found: Verdict) -> None:
    """Why an assignment stays illegal whatever its dual units are taken as."""
    trials, complete = found.tried
    if not trials:
        return
    cite = edition(board.edition).cite
    if not complete:
        _tiers(out, found, cite("exclusionary_choose_one"))
        out.print(f"  Of the {len(found.tiers)} dual units only this choice was tried.")
        return
    always = [v for v in trials[0].violations if all(v in trial.violations for trial in trials)]
    if all(len(trial.violations) == len(always) for trial in trials):
        names = enumerate_words(list(trials[0].tiers))
        out.print(f"  So it is whatever {names} {'is' if len(trials) == 2 else 'are'} taken as.")
        return
    for tiers, violations in trials:
        taken = " and ".join(
            f"{enumerate_words(those)} as {tier.capitalize()}"
            for tier in ("tank", "backline")
            if (those := [name for name, chosen in tiers.items() if chosen == tier])
        )
        broken = [f"{v.because} [{cite(v.rule)}]" for v in violations if v not in always]
        out.print(f"  With {taken}: {'; '.join(broken) or 'only what is said above'}.")


def _nearest(out: Console, board: Board, found: Verdict) -> None:
    """The legal assignments nearest to an illegal one, and how far they are from it."""
    nearest, complete = found.all_nearest
    if not nearest:
        out.print("  Nearest that is legal: not found in time.")
        return
    moved = _moved(found.assignment, nearest[0])
    if complete and len(nearest) == 1:
        out.print(f"  Nearest that is legal, {moved}: {_tally(board, nearest[0])}.")
        return
    told = "; or ".join(given(board, assignment) for assignment in nearest)
    out.print(
        f"  {'Nearest' if complete else 'Among the nearest'} that are legal, {moved}: {told}."
    )


def _moved(tried: Assignment, instead: Assignment) -> str:
    """By how many points two assignments differ: `2 points moved, 1 point more`."""
    differences = [there - here for here, there in zip(tried, instead, strict=True)]
    more = sum(x for x in differences if x > 0)
    fewer = sum(-x for x in differences if x < 0)
    parts = [f"{counted(min(more, fewer), 'point')} moved"] if more and fewer else []
    if more != fewer:
        word = "more" if more > fewer else "fewer"
        parts.append(f"{counted(abs(more - fewer), 'point')} {word}")
    return ", ".join(parts)


def _judged(found: Verdict, cite: Callable[[str], str]) -> str:
    """`illegal by 465.2.c.4`."""
    rules = dict.fromkeys(violation.rule for violation in found.violations)
    broken = enumerate_words(list(map(cite, rules)))
    return f"illegal by {broken}" if broken else "legal"


def ordered(
    out: Console,
    asked: Asked,
    found: Robust[Asked],
    answer: str,
    same: str = "The same",
) -> None:
    """Whether the order of replacements matters for what was said; what is true in another one."""
    names = enumerate_words([*found.units])
    rule = edition(asked.edition).cite("replacement_order_chooser")
    concerned = found.units if found.otherwise is None else [*found.otherwise.steps]
    each = "each its " if _on_both_sides(asked, concerned) else ""
    chosen = f"{each}{chooser(asked)}'s choice, {rule}"
    if found.otherwise is not None:
        out.print(f"  If {in_words(found.otherwise)} ({chosen}): {answer}.")
    elif found.in_every_order:
        out.print(f"  {same} in every order of the replacements of {names} ({chosen}).")
    elif found.looked:
        out.print(
            f"  {same} in the first {found.looked} orders of the replacements of {names} looked "
            f"at ({chosen}); there are more."
        )
    else:
        out.print("  Whether it is the same in every order of replacements is not known in time.")


def _on_both_sides(asked: Board | Combat, names: Collection[str]) -> bool:
    """Are these names of units of both sides of a combat?"""
    return isinstance(asked, Combat) and all(
        any(unit.name in names for unit in units_of(asked, side)) for side in SIDES
    )


def otherwise(out: Console, again: Again[Asked, Any], same: str = "The same") -> None:
    """Whether an answer is the same in every order of replacements, and what is true if not."""
    if again.orders is not None:
        _otherwise(out, again, again.orders, same)


def _otherwise(
    out: Console, again: Again[Asked, Any], found: Robust[Asked], same: str = "The same"
) -> None:
    other = found.otherwise
    answer = "" if other is None else f"that {again.told(other)}"
    ordered(out, again.asked, found, answer, same)


def reordered(out: Console, again: Again[Combat, Any]) -> None:
    """What the orders of the replacements on the units of both sides change about how it ends.

    Where those of one side are enough for a change, the other's are also told if they are.
    """
    otherwise(out, again, same="It ends in the same ways")
    if again.orders is None or (other := again.orders.otherwise) is None:
        return
    for side in SIDES:
        names = [unit.name for unit in units_of(again.asked, side)]
        if other.steps.keys().isdisjoint(names):
            also = again.orders_on(names)
            if also is not None and also.in_every_order is not True:
                _otherwise(out, again, also)


def _tally(board: Board, assignment: Assignment) -> str:
    parts = []
    for name, least, points in zip(board.names, need(board), assignment, strict=True):
        of = {NEVER: " (never lethal)", EXEMPT: " (exempt)"}.get(str(least), f" of {least}")
        parts.append(f"{name} {points}{of}")
    return enumerate_words(parts, most=12) if parts else "nothing to anybody"


def needs(out: Console, board: Board) -> None:
    """Every unit's need with what it is made of."""
    if not board.units:
        out.print(NO_UNIT)
        return
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    table.add_column("unit", overflow="fold")
    table.add_column("needs", justify="right", overflow="fold")
    table.add_column("because", overflow="fold", ratio=1)
    for unit, least in zip(board.units, need(board), strict=True):
        because = makeup.in_words(list(makeup.terms(unit, board)), board)
        table.add_row(Text(unit.name), str(least), Text(because))
    out.print(table)
    rule = edition(board.edition).cite("replacement_order_chooser")
    for name, (fewest, most) in makeup.spans(board).items():
        out.print(
            f"{name} needs {fewest} to {most}, depending on the order of its replacements, its "
            f"{chooser(board)}'s choice [{rule}]."
        )


def kill_sets(out: Console, sets: Mapping[tuple[str, ...], int]) -> None:
    """The sets of units that can die, with the number of assignments for each."""
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    table.add_column("assignments", justify="right", overflow="fold")
    table.add_column("dies", overflow="fold", ratio=1)
    for names, number in sets.items():
        table.add_row(str(number), Text(", ".join(names) or "nobody"))
    out.print(table)


def impossible(out: Console, board: Board, reason: Reason | None, head: str = "Impossible") -> None:
    """Why a demand cannot be met, with the rules and facts that forbid it, each needed."""
    if reason is None:
        out.print(f"{head}. What forbids it was not found within the limits.")
        return
    cite = edition(board.edition).cite
    out.print(f"{head}: {reason.because}.")
    for cited in reason.rules:
        out.print(Text(f"  {cite(cited.rule)}  ", style="bold") + Text(TABLE[cited.rule].title))
    for fact in reason.facts:
        out.print(Text(f"  {cite(fact.rule)}  ", style="bold") + Text(f"{fact}."))


def optimum(out: Console, board: Board, found: Best, maximize: Sequence[str]) -> None:
    """The best assignment with its score, or the rules that forbid what was demanded."""
    if not found.feasible:
        impossible(out, board, found.reason)
        return
    listing(out, board, [found.assignment or ()])
    scored = ", ".join(
        f"{goal} {_number(value)}" for goal, value in zip(maximize, found.score, strict=True)
    )
    if not found.optimal:
        out.print(f"The best found before the time limit, not proven: {scored}.")
        return
    if found.ties is None:
        ties = f"at least {found.ties_at_least} assignments reach it"
    elif found.ties == 1:
        ties = "no other assignment reaches it"
    else:
        ties = f"{found.ties} assignments reach it"
    out.print(f"Best, proven: {scored}; {ties}.")


def _number(value: int | Fraction) -> str:
    return str(value) if isinstance(value, int) else f"{float(value):g}"


def rule(out: Console, found: Found, edition_key: str, readings: Readings = DEFAULTS) -> None:
    """One rule: what it says, how it is read, its number in every edition, its class and tests."""
    within = edition(edition_key)
    if sentence := moved(found, within):
        out.print(f"{sentence}.")
    for key, other in found.elsewhere.items():
        out.print(f"In edition {key}, {number_in(other, key)} is {other.slug}: {other.title}")
    the_rule = found.rule
    out.print(Text(f"{within.cite(the_rule.slug)}  {the_rule.slug}", style="bold"))
    out.print(the_rule.title)
    for paragraph in the_rule.paragraphs:
        out.print(paragraph)
    if givers := the_rule.follows_from(within):
        out.print(f"Follows from {', '.join(f'{within.cite(r)} {r}' for r in givers)}.")
    for switch, about in ABOUT.items():
        if the_rule.slug in about.rules:
            others = [value for value in SWITCHES[switch] if value != getattr(readings, switch)]
            out.print(f"Read with {switch}={getattr(readings, switch)}; or {', '.join(others)}.")
    out.print(f"Kind: {the_rule.kind}")
    numbers = ", ".join(f"{key}: {number_in(the_rule, key)}" for key in EDITIONS)
    out.print(f"Numbers: {numbers}")
    if the_rule.home:
        out.print(f"Class: {', '.join(the_rule.home)}")
        out.print(f"Tests: {the_rule.tests}")


def readings(out: Console, chosen: Readings, edition_key: str) -> None:
    """The named switches: what each decides, its values and the rules whose text leaves it open."""
    within = edition(edition_key)
    for switch, about in ABOUT.items():
        default, *others = SWITCHES[switch]
        out.print(Text(f"{switch}={default}", style="bold") + Text(f"; or {', '.join(others)}"))
        out.print(Text(f"  {about.question}"))
        if switch in chosen.changed():
            out.print(f"  Chosen: {getattr(chosen, switch)}.")
        cited = ", ".join(f"{within.cite(slug)} {slug}" for slug in about.rules)
        out.print(Text(f"  {cited}", style="dim"))


def editions(out: Console, keys: Iterable[str]) -> None:
    """The editions: version of the Core Rules, since when, and in which rules they differ."""
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for heading in ("edition", "Core Rules", "effective"):
        table.add_column(heading, no_wrap=True)
    table.add_column("differs", overflow="fold", ratio=1)
    for key in keys:
        core_rules, effective = PUBLISHED[key]
        table.add_row(key, core_rules or "-", effective, Text(_differs(EDITIONS[key])))
    out.print(table)


def _differs(within: Edition) -> str:
    """In what an edition differs from the others: rules it lacks, numbers not known for sure."""
    canonical = EDITIONS[CANONICAL]
    parts = ["the default"] if within is canonical else []
    if within.lacks:
        lacked = [" ".join(filter(None, (canonical.number(s), s))) for s in within.lacks]
        parts.append(f"without {', '.join(lacked)}")
    numbers = [within.number(slug) for slug in TABLE if slug in within]
    for count, what in (
        (sum(map(is_inferred, numbers)), "inferred"),
        (numbers.count(None), "not recorded"),
    ):
        if count:
            parts.append(f"{count} of its {len(numbers)} numbers are {what}")
    return "; ".join(parts)


def number_in(the_rule: Rule, key: str) -> str:
    """The rule's number in an edition, or in words why there is none."""
    if the_rule.slug not in EDITIONS[key]:
        return "no such rule"
    return the_rule.number(EDITIONS[key]) or "not recorded"


def rules(out: Console, chosen: Iterable[Rule], edition_key: str) -> None:
    """A table of rules: number, id, kind and title."""
    within = edition(edition_key)
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    table.add_column("number", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("rule", overflow="fold", ratio=1)
    for one in chosen:
        number = within.number(one.slug) or "not recorded"
        table.add_row(number, one.kind, Text(f"{one.slug}: {one.title}"))
    out.print(table)


def combat(out: Console, found: CombatAnswer, again: Again[Combat, Any], limit: int) -> list[str]:
    """A combat: pools, then the one ending of the assignments chosen, or all that are possible.

    At most `limit` outcomes are listed, all of them for 0. Returns what a limit of time or size
    kept from being told.
    """
    missing = []
    try:
        counts = {side: f", {counted(number)}" for side, number in found.counts.items()}
    except LimitReached:
        counts = dict.fromkeys(found.pools, "")
        missing.append("counts")
    pools = [
        f"{side.capitalize()} {counted(points, 'point')}{counts[side]}"
        for side, points in found.pools.items()
    ]
    out.print(f"{'; '.join(pools)}.")
    _illegal(out, found)
    if found.outcome is not None:
        _played(out, found, found.outcome)
    elif not found.illegal:
        missing += _possible(out, found, limit)
    reordered(out, again)
    settings(out, *(found.boards[side] for side in SIDES))
    with suppress(LimitReached):
        _cited(out, found.in_play, edition(found.combat.edition))
    return missing


def _illegal(out: Console, found: CombatAnswer) -> None:
    cite = edition(found.combat.edition).cite
    for side, broken in found.illegal.items():
        out.print(f"The {side.capitalize()}'s assignment is illegal:")
        for violation in broken:
            number = Text(f"  {cite(violation.rule)}  ", style="bold")
            out.print(number + Text(violation.because + "."))


def _played(out: Console, found: CombatAnswer, played: Outcome) -> None:
    within = edition(found.combat.edition)
    dealt = [f"{name} {points}" for name, points in played.dealt.items() if points]
    out.print(f"Dealt: {', '.join(dealt) or 'nothing'} [{within.cite('deal_assigned')}].")
    stopped = [
        f"{unit.name} {', '.join(played.left[unit.name]) or 'nothing'}"
        for unit in (*found.combat.defenders, *found.combat.attackers)
        if any(step.startswith("prevent") for step in unit.replacements)
    ]
    if stopped:
        out.print(
            f"Left of what prevents: {'; '.join(stopped)} [{within.cite('prevent_decrement')}]."
        )
    for side, points in played.excess.items():
        if points:
            rule = within.cite("no_over_assignment")
            out.print(f"Excess of the {side.capitalize()}: {points} [{rule}].")
    out.print(f"Dead: {', '.join(played.dead) or 'nobody'} [{within.cite('cleanup_kill_3b')}].")
    if played.recalled:
        out.print(f"Recalled: {', '.join(played.recalled)} [{within.cite('cleanup_recall_3d')}].")
    out.print(f"Result: {_result(played.result, within)}.")
    out.print(f"Control: {_control(played, within)}.")


_RESULTS: Final = {
    "attacker_won": "the Attacker wins",
    "defender_won": "the Defender wins",
    "no_result": "no result",
}


def _result(result: str, within: Edition) -> str:
    rule = "result_none" if result == "no_result" else "result_win"
    return f"{_RESULTS[result]} [{within.cite(rule)}]"


def _control(end: Ending, within: Edition) -> str:
    if end.restaged:
        return f"as before, staged again [{within.cite('result_restage')}]"
    if end.control == "uncontrolled":
        return f"nobody [{within.cite('uncontrolled_if_empty')}]"
    control = f"{end.control} [{within.cite('establish_control')}]"
    return f"{control}, a Conquer [{within.cite('conquer_on_control')}]" if end.conquer else control


def _possible(out: Console, found: CombatAnswer, limit: int) -> list[str]:
    """What both sides can be sure of, and the ways that are left; returns what is not told."""
    missing = []
    try:
        _sure(out, found)
    except LimitReached:
        missing.append("guarantees")
    try:
        ways = found.remaining
        _ways(out, ways[:limit] if limit else ways)
        if 0 < limit < len(ways):
            out.print(f"The first {limit} of {len(ways)} outcomes; --limit 0 shows all.")
    except LimitReached as cut:
        out.print(f"Outcomes: at least {cut.at_least}.")
        missing.append("outcomes")
    return missing


def _ways(out: Console, ways: Iterable[Way]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    table.add_column("dies", overflow="fold", ratio=2)
    table.add_column("recalled", overflow="fold", ratio=1)
    table.add_column("result", no_wrap=True)
    table.add_column("control", no_wrap=True)
    table.add_column("ways", justify="right", overflow="fold")
    table.add_column("if assigned", overflow="fold", ratio=1)
    for way in ways:
        control = f"{way.control}{' (Conquer)' if way.conquer else ''}"
        table.add_row(
            Text(", ".join(way.dead) or "nobody"),
            Text(", ".join(way.recalled) or "-"),
            way.result.replace("_", " "),
            "staged again" if way.restaged else control,
            str(way.ways),
            " / ".join(", ".join(map(str, assignment)) or "-" for assignment in way.example),
        )
    out.print(table)


def _sure(out: Console, found: CombatAnswer) -> None:
    """What is certain of the end, and what either side can make sure of."""
    within = edition(found.combat.edition)
    ends = found.endings_left
    told = {
        fact: dict.fromkeys(getattr(end, fact) for end in ends)
        for fact in ("result", "control", "conquer", "restaged")
    }
    open_facts = [fact for fact in FACTS if len(told[fact]) > 1]
    if all(len(values) == 1 for values in told.values()):
        certain = [_result(ends[0].result, within), f"control: {_control(ends[0], within)}"]
    else:
        certain = [
            _fact(fact, value, within)
            for fact in FACTS
            if fact not in open_facts
            for value in told[fact]
        ]
    deciding = [side for side in SIDES if side not in found.chosen]
    with suppress(LimitReached):
        deciding = [side for side in deciding if OTHER[side] not in found.decides]
    if not deciding:
        left = "After that there is no choice" if found.chosen else "There is no choice"
        out.print(f"{left} about how it ends: {'; '.join(certain)}.")
        return
    if certain:
        out.print(f"In any case: {'; '.join(certain)}.")
    if len(deciding) == 1:
        out.print(f"How it ends, the {deciding[0].capitalize()} alone decides.")
        return
    for side in deciding:
        sure = [
            " or ".join(_fact(fact, value, within) for value in values)
            for fact, values in found.guarantees[side].items()
            if values and fact in open_facts
        ]
        if sure:
            out.print(f"The {side.capitalize()} can make sure of: {'; '.join(sure)}.")


def _fact(fact: str, value: object, within: Edition) -> str:
    if fact == "result":
        return _result(str(value), within)
    if fact == "conquer":
        return f"{'a' if value else 'no'} Conquer [{within.cite('conquer_on_control')}]"
    if value == "uncontrolled":
        return f"control: nobody [{within.cite('uncontrolled_if_empty')}]"
    return f"control: {value} [{within.cite('establish_control')}]"


def flow(out: Console, found: Flow) -> None:
    """The steps of a combat, each after the number of its rule, and what is still open."""
    cite = edition(found.edition).cite
    told = [(cite(step.rule), step.text) for step in found.steps]
    if out.width < _NARROW:
        for number, text in told:
            out.print(number)
            out.print(Padding(Text(text), (0, 0, 0, 2)))
    else:
        _pairs(out, told)
    if found.chain is not None and found.chain.orders > 1:
        shown = len(found.chain.first)
        all_of_them = "" if shown == found.chain.orders else f", the first {shown}"
        out.print(f"Orders of the chain{all_of_them}:")
        _pairs(out, [(f"{i}.", ", ".join(order)) for i, order in enumerate(found.chain.first, 1)])
    out.print(_verdicts(found) if found.violations else _STATUS[found.status])
    _basis(out, found.edition, found.readings)
    if found.combat is not None:
        for side in SIDES:
            for sentence in _effects(question(found.combat, side), side.capitalize()):
                out.print(f"{sentence}.")
    for sentence in found.warnings:
        out.print(f"Note: {sentence}.")


def _pairs(out: Console, rows: Iterable[tuple[str, str]]) -> None:
    """Rows of a label and a text, which is wrapped beside its label."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, _GAP, 0, 0))
    table.add_column("label", no_wrap=True)
    table.add_column("text", overflow="fold", ratio=1)
    for label, text in rows:
        table.add_row(label, Text(text))
    out.print(table)


def _verdicts(found: Flow) -> str:
    """Whose assignment is illegal by which rules, so that the combat does not go on."""
    cite = edition(found.edition).cite
    who = {"attacker": found.attacker, "defender": found.defender}
    sentences = []
    for side, player in who.items():
        if broken := dict.fromkeys(cite(v.rule) for v in found.violations if v.by == side):
            sentences.append(f"What {player} assigns is illegal: {', '.join(broken)}.")
    return " ".join(sentences)


_STATUS: Final = {
    "none": "No Combat is staged.",
    "waiting": "The Combat waits.",
    "pick": "The Turn Player has to pick.",
    "open": "How it goes on depends on what is assigned; lethal combat shows the ways.",
    "unknown": "Whether there is a choice of what to assign was not found out within the limits.",
    "over": "The Combat is over.",
    "restaged": "The Combat is over, and staged again.",
}
