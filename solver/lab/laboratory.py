"""What each rule decides, and where two ways to play disagree: proved on boards that are variables.

Every claim is about all boards within bounds. Of several boards the smallest is told: the fewest
units, then the fewest keywords, replacements and marks (with the effects that hold for the
assigner; damage marked on a unit is one mark), then the least Might without signs, then the
smallest pool, then the smallest notation; and then the lexicographically smallest assignment.
A rule is broken alone where every other rule that decides holds; rules that follow from those that
decide may be broken along with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from msgspec.structs import replace
from ortools.sat.python import cp_model

from rules.board import Assignment, Board
from rules.editions import EDITIONS, edition
from rules.errors import BadRequest
from rules.position import Position
from rules.readings import SWITCHES, read_readings
from rules.rule import Rule
from rules.rulebook import DECIDING, IN_FORCE, RULEBOOK
from solver import limits
from solver.cpsat import run
from solver.encoding import Literal as Lit
from solver.explain import check
from solver.lab.bounds import Bounds, features, kinds, pipelines
from solver.lab.symbolic import SymbolicBoard, SymbolicTerms

EMPTY: Final = Board(pool=0, units=())
"""The edition and the readings that are meant where nothing else is said: both at their default."""


class Specimen(NamedTuple):
    """The smallest board of its kind, with its smallest assignment, as `check` judges them.

    `broken` are the rules that the assignment breaks, those included that follow from others.
    """

    board: Board
    assignment: Assignment
    broken: tuple[str, ...]


class _Laboratory:
    """A symbolic board with what each of some boards' settings say of it."""

    def __init__(self, bounds: Bounds, settings: Sequence[Board], demand: Demand) -> None:
        self.cp = cp_model.CpModel()
        self.on = SymbolicBoard(self.cp, bounds, settings[0])
        self.terms = [SymbolicTerms(self.on, one) for one in settings]
        demand(self)

    def require(self, *literals: Lit) -> None:
        """Require at least one of the literals."""
        self.cp.add_bool_or([literal for literal in literals if literal is not False])

    def minimize(self, sizes: Iterable[Any]) -> list[int] | None:
        """Make each of the sizes as small as possible in turn and hold it there.

        Returns what they came to; None where nothing meets the demand. `solver` holds the smallest.
        """
        least = []
        for size in sizes:
            self.cp.minimize(size)
            solver = run(self.cp, presolve=False)
            if solver is None:
                return None
            self.solver = solver
            least.append(int(solver.value(size)))
            self.cp.clear_objective()  # type: ignore[no-untyped-call]
            self.cp.add(size == least[-1])
        return least


Demand = Callable[[_Laboratory], None]
"""Requires of a laboratory what is looked for."""


def _exists(bounds: Bounds, settings: Sequence[Board], demand: Demand) -> bool:
    """Is there any board within the bounds that meets the demand?"""
    laboratory = _Laboratory(bounds, settings, demand)
    laboratory.on.order_by_points()
    return run(laboratory.cp, presolve=False) is not None


def _smallest(
    bounds: Bounds, settings: Sequence[Board], demand: Demand
) -> tuple[Board, Assignment] | None:
    """The smallest board that meets the demand, and its smallest assignment.

    Its size is found first. Only of that size are the few units there then are told apart by their
    notation.
    """
    laboratory = _Laboratory(bounds, settings, demand)
    laboratory.on.order_by_points()
    sizes = laboratory.minimize(laboratory.on.sizes)
    if sizes is None:
        return None
    units, most_features, most_might, _ = sizes
    laboratory = _Laboratory(replace(bounds, units=units), settings, demand)
    for size, value in zip(laboratory.on.sizes, sizes, strict=True):
        laboratory.cp.add(size == value)
    small = [
        unit
        for unit in kinds(bounds)
        if features(unit) <= most_features and abs(unit.might) <= most_might
    ]
    if laboratory.minimize(laboratory.on.order_by_notation(small)) is None:
        raise RuntimeError("the smallest board was lost")
    return laboratory.on.read(laboratory.solver)


def posts(rule: Rule) -> bool:
    """Does the rule forbid anything of its own?"""
    return type(rule).post is not Rule.post


def deciding(settings: Board) -> tuple[str, ...]:
    """The ids of the rules that together decide what is legal in an edition."""
    return tuple(rule.slug for rule in DECIDING[settings.edition] if posts(rule))


def _judged(board: Board, assignment: Assignment) -> tuple[str, ...]:
    """The ids of the rules that `check` finds broken."""
    return tuple(dict.fromkeys(v.rule for v in check(board, assignment).violations))


def _verified(board: Board, assignment: Assignment, broken: Iterable[str]) -> Specimen:
    """The board and the assignment, if these are the deciding rules that `check` finds broken."""
    judged = _judged(board, assignment)
    wanted = {slug for slug in broken if not RULEBOOK[slug].implied_by}
    if {slug for slug in judged if not RULEBOOK[slug].implied_by} != wanted:
        raise RuntimeError(f"{board} with {assignment} breaks {judged}, not {sorted(wanted)}")
    return Specimen(board, assignment, judged)


# --- what a rule decides ------------------------------------------------------------------------


class Finding(NamedTuple):
    """What was found on a claim about rules.

    `specimen` is the smallest board on which exactly these rules are broken. Where there is none
    within the bounds, `others` is a minimal set of rules one of which is always broken as well:
    empty where the rules cannot be broken at all. Both are None where a limit came first.
    """

    rules: tuple[str, ...]
    bounds: Bounds
    specimen: Specimen | None
    others: tuple[str, ...] | None

    @property
    def known(self) -> bool:
        """Was the claim settled, one way or the other?"""
        return self.specimen is not None or self.others is not None


def breaking(
    rules: Sequence[str],
    bounds: Bounds,
    settings: Board = EMPTY,
    *,
    time_limit: float | None = None,
) -> Finding:
    """The smallest board with an assignment that breaks exactly these rules, or why there is none.

    Other rules that follow from those that decide may be broken along with them. Raises
    `BadRequest` for rules that the edition does not have.
    """
    for slug in rules:
        if slug not in edition(settings.edition):
            raise BadRequest(f"edition {settings.edition} has no rule {slug}")
    others = [slug for slug in deciding(settings) if slug not in rules]
    try:
        with limits.deadline(time_limit):
            found = None
            if _can_be_broken(rules, settings):
                found = _smallest(bounds, [settings], _breaks(rules, others))
            if found is not None:
                specimen = _verified(*found, rules)
                return Finding(tuple(rules), bounds, specimen, None)
            return Finding(tuple(rules), bounds, None, _needed(rules, others, bounds, settings))
    except limits.LimitReached:
        return Finding(tuple(rules), bounds, None, None)


def _can_be_broken(rules: Iterable[str], settings: Board) -> bool:
    """Does every one of the rules forbid anything in the edition?"""
    in_force = {rule.slug for rule in IN_FORCE[settings.edition] if posts(rule)}
    return all(slug in in_force for slug in rules)


def _breaks(rules: Iterable[str], holding: Iterable[str]) -> Demand:
    def demand(laboratory: _Laboratory) -> None:
        (terms,) = laboratory.terms
        for slug in rules:
            laboratory.require(terms.no(terms.holds[slug]))
        for slug in holding:
            laboratory.require(terms.holds[slug])

    return demand


def _needed(
    rules: Sequence[str], others: Sequence[str], bounds: Bounds, settings: Board
) -> tuple[str, ...]:
    """A minimal set of the others that cannot all hold where the rules are broken."""
    if not _can_be_broken(rules, settings):
        return ()
    kept = list(others)
    for slug in others:
        rest = [other for other in kept if other != slug]
        if not _exists(bounds, [settings], _breaks(rules, rest)):
            kept = rest
    return tuple(kept)


Verdict = Literal["independent", "implied", "never decisive", "not known"]


def verdict(found: Finding) -> Verdict:
    """What became of one rule: whether it decides anything that the others do not."""
    if found.specimen is not None:
        return "independent"
    if found.others is None:
        return "not known"
    return "implied" if found.others else "never decisive"


def independence(
    bounds: Bounds, settings: Board = EMPTY, *, time_limit: float | None = None
) -> Iterator[Finding]:
    """For every rule of the edition what it decides; the limit is for each."""
    for slug in RULEBOOK:
        if slug in edition(settings.edition):
            yield breaking([slug], bounds, settings, time_limit=time_limit)


def dead(
    bounds: Bounds, settings: Board = EMPTY, *, time_limit: float | None = None
) -> tuple[str, ...] | None:
    """The rules of the edition that forbid something and yet nothing within the bounds breaks.

    None where a limit came first.
    """
    try:
        with limits.deadline(time_limit):
            return tuple(
                rule.slug
                for rule in IN_FORCE[settings.edition]
                if posts(rule) and not _exists(bounds, [settings], _breaks([rule.slug], []))
            )
    except limits.LimitReached:
        return None


# --- where two ways to play disagree ------------------------------------------------------------


def alternatives() -> Iterator[tuple[Board, Board]]:
    """Every edition beside the one before it, and every reading beside its default."""
    for earlier, later in pairwise(EDITIONS):
        yield replace(EMPTY, edition=earlier), replace(EMPTY, edition=later)
    for switch, (_, *others) in SWITCHES.items():
        for value in others:
            yield EMPTY, replace(EMPTY, readings=read_readings({switch: value}))


class Disagreement(NamedTuple):
    """A board with an assignment that is legal in one of two ways to play only.

    The board is the one of the side that allows it; `broken` are the rules that it breaks on the
    other side, which is `forbidden_on`.
    """

    board: Board
    assignment: Assignment
    forbidden_on: Board
    broken: tuple[str, ...]


class Difference(NamedTuple):
    """All structurally different disagreements that were found, the smallest first.

    `complete`: there are no others within the bounds; False where more were not asked for, None
    where a limit came first. A disagreement has another structure than an earlier one where the
    other side forbids it, or other rules are broken, or several units break one where only one
    did, or something that was on the board is not.
    """

    settings: tuple[Board, Board]
    bounds: Bounds
    found: tuple[Disagreement, ...]
    complete: bool | None


def difference(
    first: Board,
    second: Board,
    bounds: Bounds,
    *,
    most: int = 1,
    time_limit: float | None = None,
) -> Difference:
    """The smallest boards on which two editions or readings disagree, at most so many."""
    found: list[Disagreement] = []
    settings = (first, second)
    try:
        with limits.deadline(time_limit):
            while len(found) < most:
                smallest = _smallest(bounds, settings, _disagree(found))
                if smallest is None:
                    return Difference(settings, bounds, tuple(found), True)
                found.append(_told(*smallest, settings))
            return Difference(settings, bounds, tuple(found), False)
    except limits.LimitReached:
        return Difference(settings, bounds, tuple(found), None)


def _told(board: Board, assignment: Assignment, settings: Sequence[Board]) -> Disagreement:
    """The disagreement that a board and an assignment show, as `check` judges them."""
    boards = [replace(board, edition=one.edition, readings=one.readings) for one in settings]
    broken = [_judged(one, assignment) for one in boards]
    if bool(broken[0]) == bool(broken[1]):
        raise RuntimeError(f"{boards[0]} and {boards[1]} judge {assignment} alike")
    if broken[0]:
        boards.reverse()
    return Disagreement(boards[0], assignment, boards[1], broken[0] or broken[1])


def _disagree(found: Sequence[Disagreement]) -> Demand:
    def demand(laboratory: _Laboratory) -> None:
        first, second = laboratory.terms
        legal = [first.legal, second.legal]
        laboratory.require(*legal)
        laboratory.require(*map(first.no, legal))
        if not found:
            return
        parts = _parts(laboratory)
        for one in found:
            settings = laboratory.on.settings
            same = (one.forbidden_on.edition, one.forbidden_on.readings)
            terms = first if same == (settings.edition, settings.readings) else second
            differs = [terms.legal]
            for slug in deciding(one.forbidden_on):
                holds = terms.holds[slug]
                differs.append(holds if slug in one.broken else terms.no(holds))
            position = Position(one.forbidden_on, one.assignment)
            for slug, fact in _COUNTED.items():
                if slug in one.broken:
                    many = terms.several(getattr(terms, fact))
                    was_many = position.several(getattr(position, fact))
                    differs.append(terms.no(many) if was_many else many)
            differs += [first.no(parts[part]) for part in sorted(structure(one.board))]
            laboratory.require(*differs)

    return demand


_COUNTED: Final = {"no_over_assignment": "over", "lethal_in_full_before_next": "partial"}
"""By rule, the units that break it: one of them, or several, are two ways to do so."""


def structure(board: Board) -> set[str]:
    """What kinds of things are on a board, however many of each and on whom."""
    parts = {f"{keyword} ignored" for keyword in board.assigner.ignores}
    if board.assigner.any_damage_is_lethal:
        parts.add("any damage is lethal")
    for unit in board.units:
        flags = (unit.tank, unit.backline, unit.undamageable, unit.marked > 0)
        parts |= {word for word, has in zip(_FLAGS, flags, strict=True) if has}
        parts |= {_step(step) for step in unit.replacements}
    return parts


_FLAGS: Final = ("tank", "backline", "undamageable", "marked")


def _step(step: str) -> str:
    """What kind of replacement it is, a Prevent of any value being of one kind."""
    return step if step in ("double", "prevent all") else "prevent"


def _parts(laboratory: _Laboratory) -> dict[str, Lit]:
    """For each kind of thing that `structure` knows, a literal that it is on the board."""
    on, terms = laboratory.on, laboratory.terms[0]
    parts = {
        "tank ignored": on.no_tank,
        "backline ignored": on.no_backline,
        "any damage is lethal": on.any_damage,
        "marked": terms.any(terms.at_least(slot.marked, 1) for slot in on.slots),
    }
    for flag in _FLAGS[:3]:
        parts[flag] = terms.any(getattr(slot, flag) for slot in on.slots)
    for kind in ("double", "prevent", "prevent all"):
        having = [int(kind in map(_step, steps)) for steps in pipelines(on.bounds)]
        parts[kind] = terms.any(_element(laboratory.cp, slot.steps, having) for slot in on.slots)
    return parts


def _element(cp: cp_model.CpModel, index: Any, values: Sequence[int]) -> Lit:
    """A literal equivalent to: the value at the index is 1."""
    literal = cp.new_bool_var("")
    cp.add_element(index, list(values), literal)
    return literal
