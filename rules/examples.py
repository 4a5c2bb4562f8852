"""Examples for the rules: what each forbids by itself, and what a permission leaves open."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, NamedTuple

from rules.board import Assignment, Board
from rules.notation import parse
from rules.rule import Rule


class Example(NamedTuple):
    """A board in notation and assignments that a rule decides there.

    The one assignment that a rule forbids is legal but for that rule and those that it implies or
    that imply it; of a permission the assignments are legal, all of them.
    """

    board: str
    assignments: tuple[Assignment, ...]
    legal: bool = False

    @property
    def question(self) -> Board:
        """The board."""
        board = parse(self.board)
        assert isinstance(board, Board)
        return board


_FORBIDDEN: Final = {
    "assign_total": ("5 into 3 3", (3, 1)),
    "lethal_in_full_before_next": ("5 into 3 3 3 3", (2, 1, 1, 1)),
    "no_over_assignment": ("5 into 3 3", (4, 1)),
    "min_applied_when_increased": ("4 into 3x2 3", (3, 1)),
    "obey_requirements": ("3 into 2B 2 --edition 443", (2, 1)),
    "exclusionary_choose_one": ("3 into 3TB 2 2", (1, 2, 0)),
    "undamageable_exempt": ("5 into 6! 3", (2, 3)),
    "tank_first": ("3 into 3T 2", (1, 2)),
    "tank_multiple": ("5 into 2T 3T 2", (2, 1, 2)),
    "backline_last": ("3 into 2B 2", (2, 1)),
    "backline_multiple": ("5 into 2B 2B 3", (2, 2, 1)),
}
_PERMITTED: Final = {
    "deal_many_at_once": ("5 into 3 2 2", ((3, 2, 0), (1, 2, 2))),
    "prevent_still_assignable": ("3 into 4Pall 3", ((0, 3), (3, 0))),
    "same_priority_any_order": ("3 into 2 2", ((1, 2), (2, 1))),
    "exclusionary_each_unit": ("3 into 2TB 2TB 2", ((0, 2, 1), (2, 0, 1))),
}
EXAMPLES: Final = MappingProxyType(
    {slug: Example(board, (points,)) for slug, (board, points) in _FORBIDDEN.items()}
    | {slug: Example(board, points, legal=True) for slug, (board, points) in _PERMITTED.items()}
)
"""By rule id. Rules that neither forbid nor permit an assignment have none."""


def because(rule: Rule, example: Example) -> str:
    """Why a rule forbids the assignment of its example, in words; empty for a permission."""
    from rules.position import Position

    for assignment in example.assignments:
        for violation in rule.violations(Position(example.question, assignment)):
            return violation.because
    return ""
