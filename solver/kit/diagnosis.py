"""What is wrong with an engine, from the rows that it fails and those that it passes.

A row tests several rules at once, so that one mistake makes it fail under many names. The engine
makes a mistake of the catalogue (`solver.kit.mistakes`) if it gives the very answers that the
mistake leads to, on nearly all rows where that changes anything. Where it makes none, suspected is
the rule whose rows are most nearly those that fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from rules.board import Board, Combat
from rules.rulebook import RULEBOOK
from solver.kit.conform import Request, Result, is_right, question_of, size, tallies
from solver.kit.mistakes import COMBAT_MISTAKES, MISTAKES, CombatMistake, Mistake
from solver.outcomes import CombatAnswer

Json = dict[str, Any]
MOST_BOARDS: Final = 20
MOST_COMBATS: Final = 10
"""In so many failing rows at most, the smallest, mistakes of the catalogue are looked for."""
_NEARLY: Final = 0.9


class Suspect(NamedTuple):
    """A rule that the engine gets wrong, and the mistake of the catalogue that it makes.

    `rows` counts the failing rows for which this accounts.
    """

    rule: str
    mistake: str | None
    rows: int


class Diagnosis(NamedTuple):
    """What is wrong with an engine, as far as can be told; the suspect with most rows first.

    Of the rows that failed, `failed` counts those that speak against a rule: a question without an
    answer does not, nor does one with only the names of rules wrong. Of these `unexplained` counts
    those for which no mistake accounts, and `skipped` those in which none was looked for.
    """

    suspects: tuple[Suspect, ...]
    failed: int
    unexplained: int
    skipped: int
    misnamed: tuple[Result, ...]
    """The rows in which nothing but the names of rules is wrong."""

    @property
    def foreign(self) -> list[str]:
        """Names of rules that are no ids of rules."""
        named = {rule for r in self.misnamed for failure in r.failures for rule in failure.named}
        return sorted(named - RULEBOOK.keys())


def diagnose(results: Sequence[Result]) -> Diagnosis:
    """What the engine that gave these results gets wrong."""
    misnamed = tuple(result for result in results if result.is_misnamed)
    failed = [
        place
        for place, r in enumerate(results)
        if r.status == "failed" and not (r.is_unanswered or r.is_misnamed)
    ]
    looked_into = _smallest(results, failed)
    found = _made(results, looked_into)
    explained = set[int]().union(*found.values())
    suspects = [
        Suspect(name[0], name[1], len(rows & set(failed))) for name, rows in found.items()
    ] or _in_common([results[place] for place in failed], results)
    return Diagnosis(
        tuple(suspects),
        len(failed),
        len(set(failed) - explained),
        len(failed) - len(looked_into),
        misnamed,
    )


def _smallest(results: Sequence[Result], failed: Sequence[int]) -> list[int]:
    """The places of the failing rows in which mistakes are looked for."""
    ordered = sorted(failed, key=lambda place: size(results[place].row))
    boards = [place for place in ordered if "assignments" in results[place].row.expect]
    combats = [place for place in ordered if results[place].row.request["op"] == "combat"]
    return [*boards[:MOST_BOARDS], *combats[:MOST_COMBATS]]


def _made(results: Sequence[Result], looked_into: Sequence[int]) -> dict[tuple[str, str], set[int]]:
    """By rule and name the mistakes that the engine makes, each with the rows it accounts for."""
    by_rule = tallies(results)
    agreeing: dict[tuple[str, str], set[int]] = {}
    for rule, name in dict.fromkeys((m.rule, m.name) for m in _CATALOGUE):
        if not any(_agrees(name, results[place]) for place in looked_into):
            continue
        agrees = [_agrees(name, result) for result in results]
        rows = {place for place, agreed in enumerate(agrees) if agreed}
        if len(rows) >= _NEARLY * (len(rows) + agrees.count(False)):
            agreeing[rule, name] = rows
    made: dict[tuple[str, str], set[int]] = {}
    while agreeing:
        best = max(agreeing, key=lambda m: (len(agreeing[m]), -by_rule[m[0]].passed, m[1]))
        rows = agreeing.pop(best)
        if not any(rule == best[0] for rule, _ in made):
            made[best] = rows
        agreeing = {m: others - rows for m, others in agreeing.items() if others - rows}
    return made


def _agrees(name: str, result: Result) -> bool | None:
    """Does the engine answer as the mistake of that name would have it?

    None where that changes nothing of what was answered.
    """
    said = [
        _says(told, result)
        for mistake in _NAMED[name]
        if mistake.rule in result.row.rules
        if (told := _made_of(mistake, question_of(result.row))) is not None
    ]
    return True if True in said else False if False in said else None


_CATALOGUE: Final[tuple[Mistake | CombatMistake, ...]] = (*MISTAKES, *COMBAT_MISTAKES)
_NAMED: Final = {
    name: [mistake for mistake in _CATALOGUE if mistake.name == name]
    for name in dict.fromkeys(mistake.name for mistake in _CATALOGUE)
}


def _says(told: Json, result: Result) -> bool | None:
    """Is what the engine answered what it is told? None where that is right."""
    wrong = [(f.request, f.answer) for f in result.failures if f.answer is not None and not f.named]
    right = [f.request for f in result.failures if f.named]
    given = [*wrong, *((request, request.right) for request in (*result.right, *right))]
    if all(_is_told(told, request, request.right) for request, _ in given):
        return None
    return all(_is_told(told, request, answer) for request, answer in given)


def _is_told(told: Json, request: Request, answer: Json) -> bool:
    """Is this what is told of what was asked?"""
    if request.op == "check":
        legal = request.data["assignment"] in told["assignments"]
        return answer.get("legal") is legal
    expected = {part: told[part] for part in request.right if part in told}
    return is_right(request._replace(right=expected), answer)


@lru_cache(maxsize=1 << 14)
def _made_of(mistake: Mistake | CombatMistake, question: Board | Combat) -> Json | None:
    """What a mistake makes of a question; one about boards says of a combat only how it begins."""
    if isinstance(mistake, CombatMistake):
        return mistake.answer(question) if isinstance(question, Combat) else None
    if isinstance(question, Combat):
        boards = CombatAnswer(question).boards
        sides = {side: mistake.answer(board) for side, board in boards.items()}
        return {
            "need": {
                "attackers": sides["defender"].need,
                "defenders": sides["attacker"].need,
            },
            "counts": {side: len(answer.legal) for side, answer in sides.items()},
        }
    needs, legal = mistake.answer(question)
    return {"need": needs, "count": len(legal), "assignments": list(map(list, legal))}


def _in_common(failed: Sequence[Result], results: Sequence[Result]) -> list[Suspect]:
    """The rule that most nearly just the failing rows have in common."""
    blamed = Counter(rule for result in failed for rule in result.row.rules)
    if not blamed:
        return []
    concerned = Counter(rule for result in results for rule in result.row.rules)
    rule = max(blamed, key=lambda r: blamed[r] / (len(failed) + concerned[r]))
    return [Suspect(rule, None, blamed[rule])]
