"""What is wrong with an engine, from the rows that it fails.

A row tests several rules at once, so that one mistake makes it fail under many names. A mistake of
the catalogue (`solver.kit.mistakes`) accounts for a row if it gives the very answers that the
engine gave; the rule of the mistake that accounts for most is named. Where none does, it is the
rule that the failing rows have most in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from rules.board import Board, Combat
from solver.kit.conform import Request, Result, is_right, question_of, size, tallies
from solver.kit.mistakes import COMBAT_MISTAKES, MISTAKES, Answer, CombatMistake, Mistake

Json = dict[str, Any]
_MOST_BOARDS: Final = 20
_MOST_COMBATS: Final = 10
"""So many failing rows at most, the smallest, are held against the catalogue."""
_NEARLY: Final = 0.9


class Suspect(NamedTuple):
    """A rule that the engine gets wrong, and the mistake of the catalogue that it seems to make.

    `rows` counts the failing rows for which this accounts.
    """

    rule: str
    mistake: str | None
    rows: int


def suspects(results: Sequence[Result]) -> list[Suspect]:
    """The rules that the engine gets wrong, as far as can be told; that with most rows first.

    A question without an answer says nothing about a rule.
    """
    failed = [r for r in results if r.status == "failed" and not r.is_unanswered]
    by_rule = tallies(results)
    accounted = _accounted_for(failed)
    found: list[Suspect] = []
    while accounted:
        best = max(accounted, key=lambda m: (len(accounted[m]), -by_rule[m.rule].passed, m.name))
        rows = accounted.pop(best)
        known = any(suspect.rule == best.rule for suspect in found)
        if not known and (len(rows) > 1 or not found):
            found.append(Suspect(best.rule, best.name, len(rows)))
        accounted = {m: others - rows for m, others in accounted.items() if others - rows}
    return found or _in_common(failed, by_rule)


def _accounted_for(failed: Sequence[Result]) -> dict[Mistake | CombatMistake, set[int]]:
    """For each mistake the failing rows, by place, for which it accounts."""
    boards = [r for r in failed if "assignments" in r.row.expect]
    combats = [r for r in failed if r.row.request["op"] == "combat"]
    accounted: dict[Mistake | CombatMistake, set[int]] = {}
    looked_at = (
        *sorted(boards, key=lambda r: size(r.row))[:_MOST_BOARDS],
        *sorted(combats, key=lambda r: size(r.row))[:_MOST_COMBATS],
    )
    for place, result in enumerate(looked_at):
        question = question_of(result.row)
        mistakes = MISTAKES if isinstance(question, Board) else COMBAT_MISTAKES
        for mistake in mistakes:
            if mistake.rule in result.row.rules and all(
                _says(mistake, question, failure.request, failure.answer)
                for failure in result.failures
                if failure.answer is not None
            ):
                accounted.setdefault(mistake, set()).add(place)
    return accounted


def _says(
    mistake: Mistake | CombatMistake, question: Board | Combat, request: Request, answer: Json
) -> bool:
    """Is what the engine answered what the mistake makes of the question?"""
    told = _made_of(mistake, question)
    if isinstance(told, Answer):
        told = {
            "need": list(told.need),
            "count": len(told.legal),
            "assignments": [list(vector) for vector in told.legal],
            "legal": tuple(request.data.get("assignment", ())) in told.legal,
        }
    expected = {part: told[part] for part in request.right if part in told}
    return is_right(request._replace(right=expected), answer)


@lru_cache(maxsize=1 << 14)
def _made_of(mistake: Mistake | CombatMistake, question: Any) -> Answer | Json:
    return mistake.answer(question)


def _in_common(failed: Sequence[Result], by_rule: Any) -> list[Suspect]:
    """The rule that the failing rows have in common, of those in nearly all the rarest."""
    blamed = Counter(rule for result in failed for rule in result.row.rules)
    if not blamed:
        return []
    enough = _NEARLY * max(blamed.values())
    rule = min((r for r in by_rule if blamed[r] >= enough), key=lambda r: by_rule[r].passed)
    return [Suspect(rule, None, blamed[rule])]
