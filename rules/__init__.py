"""What the rulebook says about combat damage: the nouns, the rules, the editions.

`parse` reads the one-line notation, `find` a rule number of any edition.
"""

from rules.board import Arrivals, Assigner, Assignment, Board, Combat, Unit
from rules.editions import EDITIONS, Edition, edition
from rules.errors import BadRequest
from rules.lethal import need
from rules.notation import parse
from rules.readings import Readings
from rules.rule import Rule, Violation
from rules.rulebook import RULES, find

__all__ = [
    "EDITIONS",
    "RULES",
    "Arrivals",
    "Assigner",
    "Assignment",
    "BadRequest",
    "Board",
    "Combat",
    "Edition",
    "Readings",
    "Rule",
    "Unit",
    "Violation",
    "edition",
    "find",
    "need",
    "parse",
]
