"""A board as a CP-SAT model: one integer variable per enemy unit, one posting per rule.

The rules post themselves through `Terms`. On a concrete board they post directly, and every helper
literal is equivalent to what it stands for, so that each assignment is one solution. A guarded
model has, instead, for every rule a literal `holds[slug]` equivalent to the rule, so that a rule
can be required, dropped, broken or assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from ortools.sat.python import cp_model

from rules.board import Assignment, Board, read_names
from rules.editions import Edition, edition
from rules.lethal import EXEMPT, NEVER, deaths, need
from rules.position import Position
from rules.readings import Readings
from rules.rule import Rule
from rules.rulebook import DECIDING, IN_FORCE
from solver import limits
from solver.cpsat import TOO_LARGE_FOR_CPSAT, run
from solver.limits import LimitReached

Literal = Any
"""A Python bool, or a Boolean variable of the model or its negation."""

_SAFE: Final = 2**63 - 2**32
"""Sums beyond this do not fit the solver's arithmetic."""


class CpTerms:
    """Facts and verbs for the rules, on a CP-SAT model; bools are folded away.

    Who makes one fills in the facts that come from the board; the rest follows from them here.
    """

    def __init__(self, cp: cp_model.CpModel, within: Edition, readings: Readings) -> None:
        self.cp = cp
        self.edition = within
        self.readings = readings
        self.units = range(0)
        self.raw: list[Any] = []
        self.hit: list[Literal] = []
        self.lethal: list[Literal] = []
        self.partial: list[Literal] = []
        self.over: list[Literal] = []
        self.exempt: Sequence[Literal] = ()
        self.absent: Sequence[Literal] = ()
        self.doubled: Sequence[Literal] = ()
        self.tank: Sequence[Literal] = ()
        self.backline: Sequence[Literal] = ()
        self.dual: list[Literal] = []
        self.first: list[Literal] = []
        self.last: list[Literal] = []
        self.bound: list[Literal] = []
        self._conjunction: list[Literal] | None = None
        self._made: dict[Any, Literal] = {}

    def settle_tiers(self, *, free: bool = False) -> None:
        """Derive which tier every unit counts in, as `rules.position.Position` does.

        Where it is `free`, either tier of a dual unit will do.
        """
        optional = self.readings.undamageable == "optional"
        self.dual = [self.all(both) for both in zip(self.tank, self.backline, strict=True)]
        self.bound = [True if optional else self.no(exempt) for exempt in self.exempt]
        outsider_hit = self.any(
            self.all((self.hit[u], self.bound[u], self.no(self.tank[u]))) for u in self.units
        )
        everyone = self.all(self.any((self.lethal[u], self.exempt[u])) for u in self.units)
        for u in self.units:
            lead = self.any((self.lethal[u], self.no(outsider_hit)))
            as_tank = self.all((self.hit[u], lead))
            if self.readings.leftover == "last_unit":
                as_tank = self.any(
                    (
                        self.all((everyone, self.no(self.over[u]))),
                        self.all((self.no(everyone), as_tank)),
                    )
                )
            if free and self.dual[u]:
                as_tank = self.cp.new_bool_var(f"{u} is taken as Tank")
            self.first.append(self.all((self.tank[u], self.any((self.no(self.dual[u]), as_tank)))))
            self.last.append(self.all((self.backline[u], self.no(self.first[u]))))

    def at_least(self, variable: Any, value: int) -> Literal:
        """A literal equivalent to `variable >= value`."""
        key = (variable.index, value)
        if key not in self._made:
            low, *_, high = variable.domain.flattened_intervals()
            if value <= low or value > high:
                self._made[key] = value <= low
            else:
                literal = self.cp.new_bool_var(f"{variable.name}>={value}")
                self.cp.add(variable >= value).only_enforce_if(literal)
                self.cp.add(variable < value).only_enforce_if(~literal)
                self._made[key] = literal
        return self._made[key]

    def no(self, literal: Literal) -> Literal:
        return not literal if isinstance(literal, bool) else ~literal

    def all(self, literals: Iterable[Literal]) -> Literal:
        wanted: dict[int, Literal] = {}
        for literal in literals:
            if literal is False:
                return False
            if literal is not True:
                wanted[literal.index] = literal
        if any(~index in wanted for index in wanted):
            return False
        if len(wanted) < 2:
            return next(iter(wanted.values()), True)
        key = frozenset(wanted)
        if key not in self._made:
            both = self.cp.new_bool_var("")
            self.cp.add_bool_and(*wanted.values()).only_enforce_if(both)
            self.cp.add_bool_or(both, *(self.no(literal) for literal in wanted.values()))
            self._made[key] = both
        return self._made[key]

    def any(self, literals: Iterable[Literal]) -> Literal:
        return self.no(self.all(self.no(literal) for literal in literals))

    def several(self, literals: Iterable[Literal]) -> Literal:
        lits = list(literals)
        sure = sum(1 for literal in lits if literal is True)
        open_ones = [literal for literal in lits if not isinstance(literal, bool)]
        if sure > 1 or sure + len(open_ones) < 2:
            return sure > 1
        if sure == 1:
            return self.any(open_ones)
        many = self.cp.new_bool_var("")
        self.cp.add(sum(open_ones) >= 2).only_enforce_if(many)
        self.cp.add(sum(open_ones) <= 1).only_enforce_if(~many)
        return many

    def clause(self, *literals: Literal) -> None:
        if self._conjunction is not None:
            self._conjunction.append(self.any(literals))
        elif not any(literal is True for literal in literals):
            self.cp.add_bool_or([literal for literal in literals if literal is not False])

    def at_most_one(self, literals: Iterable[Literal]) -> None:
        lits = [literal for literal in literals if literal is not False]
        if self._conjunction is not None:
            self._conjunction.append(self.no(self.several(lits)))
        else:
            self.cp.add_at_most_one(lits)

    def spend(self, *, nothing: Literal) -> None:
        raise NotImplementedError

    def reaches(self, giver: int, taker: int) -> Literal:
        raise NotImplementedError

    def guard(self, rule: Rule) -> Literal:
        """Post the rule as a literal equivalent to it, and return that."""
        self._conjunction = []
        rule.post(self)
        holds = self.all(self._conjunction)
        self._conjunction = None
        if isinstance(holds, bool):
            holds = self.cp.new_constant(int(holds))
        return holds


class BoardTerms(CpTerms):
    """The terms of a board whose units are given."""

    def __init__(
        self, cp: cp_model.CpModel, board: Board, most: int, *, free: bool = False
    ) -> None:
        super().__init__(cp, edition(board.edition), board.readings)
        self.pool = board.pool
        self.units = range(len(board.units))
        self.needs = need(board)
        still = Position(board, (0,) * len(board.units))
        self.raw = [cp.new_int_var(0, most, name) for name in board.names]
        self.exempt, self.absent, self.doubled = still.exempt, still.absent, still.doubled
        self.tank, self.backline = still.tank, still.backline
        for raw, least in zip(self.raw, self.needs, strict=True):
            hit = self.at_least(raw, 1)
            lethal = self.at_least(raw, least) if isinstance(least, int) else False
            self.hit.append(hit)
            self.lethal.append(lethal)
            self.over.append(self.at_least(raw, least + 1) if isinstance(least, int) else False)
            self.partial.append(least != EXEMPT and self.all((hit, self.no(lethal))))
        self.settle_tiers(free=free)

    def spend(self, *, nothing: Literal) -> None:
        due = 0 if nothing else self.pool
        if self._conjunction is not None:
            total = self.cp.new_int_var(0, sum(_highest(raw) for raw in self.raw), "total")
            self.cp.add(sum(self.raw) == total)
            self.clause(self.at_least(total, due))
            self.clause(self.no(self.at_least(total, due + 1)))
        else:
            self.cp.add(sum(self.raw) == due)

    def reaches(self, giver: int, taker: int) -> Literal:
        least = self.needs[taker]
        return self.at_least(self.raw[giver], least) if isinstance(least, int) else False


class Model:
    """The CP-SAT model of a board, open to be extended.

    `cp` is the `CpModel`; `points` maps a unit's name to its variable, the raw points it is given;
    `dead` to a literal: the unit dies when all damage is dealt (a Python bool where that is
    certain). Add constraints or an objective of your own to `cp` and call `solve()`. In a guarded
    model `holds` maps rule ids to literals equivalent to the rule, and nothing is required yet.
    With `rules` only these are posted; then, as in a guarded model, a unit may have more points
    than the pool, up to `room` at least, and a dual unit may be taken as what suits these rules.
    """

    def __init__(
        self,
        board: Board,
        *,
        guarded: bool = False,
        rules: Iterable[Rule] | None = None,
        room: int = 0,
    ) -> None:
        self.board = board
        self.cp = cp_model.CpModel()
        self._deaths = deaths(board)
        finite = [n for n in (*need(board), *self._deaths) if isinstance(n, int)]
        unbound = guarded or rules is not None
        most = max([board.pool, room, *finite]) + 1 if unbound else board.pool
        if most * len(board.units) >= _SAFE:
            raise LimitReached(TOO_LARGE_FOR_CPSAT)
        self.terms = BoardTerms(self.cp, board, most, free=rules is not None)
        self.raw = self.terms.raw
        self.points = dict(zip(board.names, self.raw, strict=True))
        self.dead: dict[str, Literal] = {
            name: least != NEVER and self.terms.at_least(raw, int(least))
            for (name, raw), least in zip(self.points.items(), self._deaths, strict=True)
        }
        self.holds: dict[str, Literal] = {}
        if guarded:
            self.holds = {r.slug: self.terms.guard(r) for r in IN_FORCE[board.edition]}
        else:
            for rule in DECIDING[board.edition] if rules is None else rules:
                limits.check()
                rule.post(self.terms)

    def demand(self, kill: Iterable[str] = (), spare: Iterable[str] = ()) -> None:
        """Require that these units die and those do not. Raises `BadRequest` for unknown names."""
        for name in read_names(self.board.units, kill, "$.kill"):
            self.require(self.dead[name])
        for name in read_names(self.board.units, spare, "$.spare"):
            self.require(self.terms.no(self.dead[name]))

    def require(self, literal: Literal) -> None:
        """Add one literal, which may be a Python bool, as a constraint."""
        self.cp.add_bool_or([] if literal is False else [literal])

    def solve(self, time_limit: float | None = None) -> Assignment | None:
        """One assignment that satisfies the model, in unit order; None where there is none.

        Raises `LimitReached` when the time limit, in seconds, ends the search first.
        """
        with limits.deadline(time_limit):
            solver = run(self.cp)
        return None if solver is None else self.read(solver)

    def read(self, solver: Any) -> Assignment:
        """The assignment in a solution."""
        return tuple(int(solver.value(raw)) for raw in self.raw)


def _highest(variable: Any) -> int:
    return int(variable.domain.flattened_intervals()[-1])
