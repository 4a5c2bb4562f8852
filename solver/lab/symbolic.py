"""Boards whose every part is a variable, and the rules on them: two editions can share one board.

What is on the board, and how much of it, is `SymbolicBoard`; what one edition with its readings
says of it is `SymbolicTerms`, to which the rules post themselves by the same `post` as to a board
that is given. Need is read from a table that `rules.lethal.need` itself has filled, on boards of
one unit: there is no second arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any, NamedTuple

from msgspec.structs import replace
from ortools.sat.python import cp_model

from rules.board import Assigner, Assignment, Board, Unit
from rules.editions import edition
from rules.rulebook import DECIDING, IN_FORCE
from solver.encoding import CpTerms, Literal
from solver.lab.bounds import Bounds, assigners, known, pipelines

Row = tuple[int, ...]


class Slot(NamedTuple):
    """A place on the board with the variables of the unit there, if there is one.

    `steps` is the number of its pipeline among `bounds.pipelines`; `features` counts its keywords,
    replacements and marks; `size` is its Might without the sign. An empty place has none of them.
    """

    present: Literal
    might: Any
    marked: Any
    tank: Literal
    backline: Literal
    undamageable: Literal
    steps: Any
    features: Any
    size: Any


class Standing(NamedTuple):
    """The variables for what an edition knows of a unit before any points are assigned."""

    need: Any
    exempt: Literal
    doubled: Literal


class SymbolicBoard:
    """A board within bounds and an assignment on it, all of them variables of a CP-SAT model.

    `settings` is a board that has its edition and readings.
    """

    def __init__(self, cp: cp_model.CpModel, bounds: Bounds, settings: Board) -> None:
        self.cp = cp
        self.bounds = bounds
        self.settings = settings
        self.assigners = assigners(settings)
        self.slots = [self._slot(u) for u in range(bounds.units)]
        self.raw = [cp.new_int_var(0, bounds.points, f"raw {u}") for u in range(bounds.units)]
        self.pool = cp.new_int_var(0, bounds.pool, "pool")
        self._assigner()
        for slot, raw in zip(self.slots, self.raw, strict=True):
            cp.add(raw == 0).only_enforce_if(~slot.present)
        for before, after in pairwise(self.slots):
            cp.add_implication(after.present, before.present)

    def _slot(self, u: int) -> Slot:
        new, flag, bounds = self.cp.new_int_var, self.cp.new_bool_var, self.bounds
        pipes = pipelines(bounds)
        slot = Slot(
            present=flag(f"present {u}"),
            might=new(bounds.least_might, bounds.might, f"might {u}"),
            marked=new(0, bounds.marked, f"marked {u}"),
            tank=flag(f"tank {u}"),
            backline=flag(f"backline {u}"),
            undamageable=flag(f"undamageable {u}"),
            steps=new(0, len(pipes) - 1, f"steps {u}"),
            features=new(0, 4 + bounds.replacements, f"features {u}"),
            size=new(0, max(abs(bounds.might), abs(bounds.least_might)), f"size {u}"),
        )
        length = new(0, bounds.replacements, f"length {u}")
        self.cp.add_element(slot.steps, [len(pipe) for pipe in pipes], length)
        is_marked = flag(f"is marked {u}")
        self.cp.add(slot.marked >= 1).only_enforce_if(is_marked)
        self.cp.add(slot.marked == 0).only_enforce_if(~is_marked)
        flags = slot.tank + slot.backline + slot.undamageable + is_marked
        self.cp.add(slot.features == flags + length)
        self.cp.add(slot.features == 0).only_enforce_if(~slot.present)
        self.cp.add(slot.might == bounds.least_might).only_enforce_if(~slot.present)
        self.cp.add(slot.size == 0).only_enforce_if(~slot.present)
        size = new(0, max(abs(bounds.might), abs(bounds.least_might)), f"|might {u}|")
        self.cp.add_abs_equality(size, slot.might)
        self.cp.add(slot.size == size).only_enforce_if(slot.present)
        return slot

    def _assigner(self) -> None:
        """The variables of the assigner: which of `assigners`, and what that means."""
        flag = self.cp.new_bool_var
        self.assigner = self.cp.new_int_var(0, len(self.assigners) - 1, "assigner")
        self.no_tank, self.no_backline = flag("tank ignored"), flag("backline ignored")
        self.any_damage = flag("any damage is lethal")
        self.cp.add_allowed_assignments(
            [self.assigner, self.no_tank, self.no_backline, self.any_damage],
            [
                (
                    i,
                    int("tank" in one.ignores),
                    int("backline" in one.ignores),
                    int(one.any_damage_is_lethal),
                )
                for i, one in enumerate(self.assigners)
            ],
        )

    @property
    def sizes(self) -> list[Any]:
        """How large the board is, what matters most first.

        Its units; their keywords, replacements and marks, with the effects that hold for the
        assigner; their Might without signs; the pool.
        """
        effects = self.no_tank + self.no_backline + self.any_damage
        return [
            sum(slot.present for slot in self.slots),
            sum(slot.features for slot in self.slots) + effects,
            sum(slot.size for slot in self.slots),
            self.pool,
        ]

    def order_by_points(self) -> None:
        """Let the units stand in the order of their points, most first: no rule speaks of order."""
        for before, after in pairwise(self.raw):
            self.cp.add(before >= after)

    def order_by_notation(self, kinds: Sequence[Unit]) -> list[Any]:
        """Let every place have a unit of these kinds, which are in the order of their notation.

        Returns the variables that tell the order of such boards by their notation and then by the
        assignment, what matters most first.
        """
        numbered = {steps: i for i, steps in enumerate(pipelines(self.bounds))}
        rows = [
            (
                kind,
                unit.might,
                unit.marked,
                int(unit.tank),
                int(unit.backline),
                int(unit.undamageable),
                numbered[unit.replacements],
            )
            for kind, unit in enumerate(kinds)
        ]
        which = [
            self.cp.new_int_var(0, len(kinds) - 1, f"kind {u}") for u, _ in enumerate(self.raw)
        ]
        for kind, slot in zip(which, self.slots, strict=True):
            self.cp.add_bool_or([slot.present])
            fields = [slot.might, slot.marked, slot.tank, slot.backline, slot.undamageable]
            self.cp.add_allowed_assignments([kind, *fields, slot.steps], rows)
        for before, after in pairwise(which):
            self.cp.add(before <= after)
        return [*which, self.assigner, *self.raw]

    def read(self, solver: cp_model.CpSolver) -> tuple[Board, Assignment]:
        """The board and the assignment of a solution."""
        there = [u for u, slot in enumerate(self.slots) if solver.boolean_value(slot.present)]
        board = replace(
            self.settings,
            pool=solver.value(self.pool),
            units=tuple(self._unit(solver, self.slots[u]) for u in there),
            assigner=self.assigners[solver.value(self.assigner)],
        )
        return board, tuple(solver.value(self.raw[u]) for u in there)

    def _unit(self, solver: cp_model.CpSolver, slot: Slot) -> Unit:
        return Unit(
            might=solver.value(slot.might),
            marked=solver.value(slot.marked),
            tank=solver.boolean_value(slot.tank),
            backline=solver.boolean_value(slot.backline),
            replacements=pipelines(self.bounds)[solver.value(slot.steps)],
            undamageable=solver.boolean_value(slot.undamageable),
        )

    def fix(self, board: Board, assignment: Assignment) -> None:
        """Require one board and one assignment, both within the bounds."""
        pipes = pipelines(self.bounds)
        self.cp.add(self.pool == board.pool)
        self.cp.add(self.assigner == self.assigners.index(board.assigner))
        for u, slot in enumerate(self.slots):
            self.cp.add(slot.present == (u < len(board.units)))
        for unit, slot, raw, points in zip(
            board.units, self.slots, self.raw, assignment, strict=False
        ):
            self.cp.add(raw == points)
            self.cp.add(slot.steps == pipes.index(unit.replacements))
            for field in ("might", "marked", "tank", "backline", "undamageable"):
                self.cp.add(getattr(slot, field) == getattr(unit, field))


class SymbolicTerms(CpTerms):
    """What one edition with its readings says of a symbolic board.

    `holds` maps the ids of its rules to literals equivalent to them, `legal` is equivalent to all
    of those that decide; nothing is required.
    """

    def __init__(self, on: SymbolicBoard, settings: Board) -> None:
        super().__init__(on.cp, edition(settings.edition), settings.readings)
        self._on = on
        self.units = range(on.bounds.units)
        self.raw = on.raw
        self.absent = [~slot.present for slot in on.slots]
        tables = self._tables(settings)
        standings = [self._standing(slot, *tables) for slot in on.slots]
        self._needs = [standing.need for standing in standings]
        self.doubled = [standing.doubled for standing in standings]
        self.exempt = [
            self.any((absent, standing.exempt))
            for absent, standing in zip(self.absent, standings, strict=True)
        ]
        for slot, exempt in zip(on.slots, self.exempt, strict=True):
            bare = self.no(exempt)
            self.tank = [*self.tank, self.all((slot.tank, ~on.no_tank, bare))]
            self.backline = [*self.backline, self.all((slot.backline, ~on.no_backline, bare))]
        for u in self.units:
            hit, lethal = self.at_least(self.raw[u], 1), self.reaches(u, u)
            self.hit.append(hit)
            self.lethal.append(lethal)
            self.over.append(self._exceeds(u, u, 1))
            self.partial.append(self.all((hit, self.no(lethal), self.no(self.exempt[u]))))
        self.settle_tiers()
        self.holds = {rule.slug: self.guard(rule) for rule in IN_FORCE[settings.edition]}
        deciding = (rule.slug for rule in DECIDING[settings.edition])
        self.legal = self.all(self.holds[slug] for slug in deciding)

    def _tables(self, settings: Board) -> tuple[list[Row], list[Row]]:
        """Two tables that say what is known of a unit before any points are assigned.

        The first puts Might, marked damage and whether any damage is lethal into classes that no
        pipeline tells apart, the second has what is known of a class with a pipeline, as `Standing`
        names it. A need beyond all points within the bounds is as good as never lethal.
        """
        bounds, beyond = self._on.bounds, self._on.bounds.points + 1
        dressings = list(product(enumerate(pipelines(bounds)), (False, True)))
        classes: dict[tuple[Row, ...], int] = {}
        bodies: list[Row] = []
        for might, marked, anyhow in product(
            range(bounds.least_might, bounds.might + 1), range(bounds.marked + 1), (False, True)
        ):
            units = [
                Unit(might=might, marked=marked, replacements=steps, undamageable=undamageable)
                for (_, steps), undamageable in dressings
            ]
            effects = replace(settings, assigner=Assigner(any_damage_is_lethal=anyhow))
            rows = tuple(
                (
                    steps,
                    int(undamageable),
                    min(still.need, beyond) if isinstance(still.need, int) else beyond,
                    int(still.exempt),
                    int(still.doubled),
                )
                for ((steps, _), undamageable), still in zip(
                    dressings, known(units, effects), strict=True
                )
            )
            number = classes.setdefault(rows, len(classes))
            bodies.append((might, marked, int(anyhow), number))
        return bodies, [(number, *row) for rows, number in classes.items() for row in rows]

    def _standing(self, slot: Slot, bodies: list[Row], dressed: list[Row]) -> Standing:
        """The variables for what is known of the unit in a place."""
        new, flag = self.cp.new_int_var, self.cp.new_bool_var
        found = Standing(new(0, self._on.bounds.points + 1, ""), flag(""), flag(""))
        number = new(0, len(bodies), "")
        body = [slot.might, slot.marked, self._on.any_damage, number]
        self.cp.add_allowed_assignments(body, bodies)
        self.cp.add_allowed_assignments([number, slot.steps, slot.undamageable, *found], dressed)
        return found

    def reaches(self, giver: int, taker: int) -> Literal:
        return self._exceeds(giver, taker, 0)

    def _exceeds(self, giver: int, taker: int, by: int) -> Literal:
        """A literal equivalent to: the giver has at least so many points more than taker's need."""
        key = ("exceeds", giver, taker, by)
        if key not in self._made:
            literal = self.cp.new_bool_var("")
            spare = self.raw[giver] - self._needs[taker]
            self.cp.add(spare >= by).only_enforce_if(literal)
            self.cp.add(spare < by).only_enforce_if(~literal)
            self._made[key] = literal
        return self._made[key]

    def spend(self, *, nothing: Literal) -> None:
        most = self._on.bounds.points * max(1, len(self.units))
        missing = self.cp.new_int_var(-most, most, "")
        given = sum(self.raw)
        for spared, due in ((nothing, 0), (self.no(nothing), self._on.pool)):
            if spared is not False:
                posted = self.cp.add(missing == due - given)
                if spared is not True:
                    posted.only_enforce_if(spared)
        self.clause(self.at_least(missing, 0))
        self.clause(self.no(self.at_least(missing, 1)))
