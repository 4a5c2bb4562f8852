"""In words and tables: how a combat can end, and its course step by step."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rules.board import SIDES, Combat
from rules.editions import Edition, edition
from rules.flow import Flow
from rules.resolution import OTHER, Ending, Outcome, question
from solver.depends import Again
from solver.limits import LimitReached
from solver.outcomes import FACTS, CombatAnswer, Way
from solver.tell.orders import reordered
from solver.tell.show import GAP, NARROW, basis, cited, counted, effects, pairs, settings


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
        cited(out, found.in_play, edition(found.combat.edition))
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
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
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
    if out.width < NARROW:
        for number, text in told:
            out.print(number)
            out.print(Padding(Text(text), (0, 0, 0, 2)))
    else:
        pairs(out, told)
    if found.chain is not None and found.chain.orders > 1:
        shown = len(found.chain.first)
        all_of_them = "" if shown == found.chain.orders else f", the first {shown}"
        out.print(f"Orders of the chain{all_of_them}:")
        pairs(out, [(f"{i}.", ", ".join(order)) for i, order in enumerate(found.chain.first, 1)])
    out.print(_verdicts(found) if found.violations else _STATUS[found.status])
    basis(out, found.edition, found.readings)
    if found.combat is not None:
        for side in SIDES:
            for sentence in effects(question(found.combat, side), side.capitalize()):
                out.print(f"{sentence}.")
    for sentence in found.warnings:
        out.print(f"Note: {sentence}.")


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
