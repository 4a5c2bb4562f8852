"""The best of the legal set for scores that add up unit by unit, by dynamic programming.

For any score, where the question is small enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from rules.board import Assignment
from solver.exact import Legal

_STEPS: Final = 200_000
"""Choices looked at before a question is given up as too large."""

_ROOM: Final = 2_000_000
"""Units times points up to which it is looked how many choices there are."""

Score = Callable[[int, int], int | Fraction]
"""What giving a unit, by its number, so many points is worth."""
Worth = tuple[int | Fraction, ...]
State = tuple[int, bool, bool, int]
"""The number of an automaton, its two flags, and the points left."""
Choices = dict[State, list[tuple[int, State]]]
"""For each state in which a unit can be reached: the points it may be given, and the state then."""


class Best(NamedTuple):
    """The best score of the ways to go on from a state, and how many ways have it."""

    score: Worth
    ties: int


class Optimum(NamedTuple):
    """The lexicographically smallest of the best assignments, their score and their number."""

    assignment: Assignment
    score: Worth
    ties: int


def optimum(legal: Legal, scores: Sequence[Score]) -> Optimum | None:
    """The assignment with the largest score; None where the question is too large.

    Each of `scores` is summed over the units; the first matters most. Raises `ValueError` where no
    assignment is legal.
    """
    levels = _reachable(legal)
    if levels is None:
        return None
    end = Best((0,) * len(scores), 1)
    bests: list[dict[State, Best]] = [{}]
    for unit in reversed(range(len(levels))):
        gains: dict[int, Worth] = {}
        after = bests[-1]
        bests.append({})
        for state, choices in levels[unit].items():
            for amount, then in choices:
                if amount not in gains:
                    gains[amount] = tuple(score(unit, amount) for score in scores)
                rest = after.get(then, end)
                total = _plus(gains[amount], rest.score)
                top = bests[-1].get(state)
                if top is None or total > top.score:
                    bests[-1][state] = Best(total, rest.ties)
                elif total == top.score:
                    bests[-1][state] = Best(total, top.ties + rest.ties)
    bests.reverse()
    starts = {(*flags, legal.total): end for flags in legal.start}
    starts = {state: bests[0].get(state, end) for state in starts}
    score = max(best.score for best in starts.values())
    ties = sum(best.ties for best in starts.values() if best.score == score)
    states = {state for state, best in starts.items() if best.score == score}
    assignment = []
    for unit, level in enumerate(levels):
        optimal = [
            (amount, then)
            for state in states
            for amount, then in level[state]
            if _plus(
                tuple(each(unit, amount) for each in scores), bests[unit + 1].get(then, end).score
            )
            == bests[unit][state].score
        ]
        least = min(amount for amount, _ in optimal)
        states = {then for amount, then in optimal if amount == least}
        assignment.append(least)
    return Optimum(tuple(assignment), score, ties)


def _plus(left: Worth, right: Worth) -> Worth:
    return tuple(a + b for a, b in zip(left, right, strict=True))


def _reachable(legal: Legal) -> list[Choices] | None:
    """By unit: every state in which it can be reached, with its choices; None if too many."""
    if len(legal.board.units) * legal.total > _ROOM and legal.count() > _STEPS:
        return None
    levels: list[Choices] = []
    states = {(*flags, legal.total) for flags in legal.start}
    steps = 0
    for unit in range(len(legal.board.units)):
        level: Choices = {}
        for state in states:
            number, is_open, lacking, points = state
            choices = level[state] = []
            for amount, *flags in legal.automata[number].unordered(unit, is_open, lacking, points):
                choices.append((amount, (number, flags[0], flags[1], points - amount)))
                steps += 1
                if steps > _STEPS:
                    return None
        states = {then for choices in level.values() for _, then in choices}
        levels.append(level)
    return levels
