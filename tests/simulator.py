"""A combat played out event by event: an oracle that shares no code with the product.

A combat is a plain dictionary in the JSON shape of the interface, fields may be absent. What a side
may assign comes from the brute force of `oracle`; everything after that is played here, one step
after another as the rules tell it, on small objects that change as things happen to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import oracle

Json: TypeAlias = dict[str, Any]
Combat: TypeAlias = Mapping[str, Any]
Assigned: TypeAlias = Sequence[int] | Mapping[str, int]
Outcome: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], str, str, bool, bool]

SIDES = ("attacker", "defender")
OTHER = {"attacker": "defender", "defender": "attacker"}
UNITS = {"attacker": "attackers", "defender": "defenders"}
LETTER = {"attacker": "A", "defender": "D"}
OUTCOME = ("dead", "recalled", "result", "control", "conquer", "restaged")
FACTS = ("result", "control", "conquer")


# --- what the combat says -----------------------------------------------------------------------


def units_of(combat: Combat, side: str) -> list[Json]:
    """Return the units a side has from the start, every one with its name."""
    units = enumerate(combat[UNITS[side]], start=1)
    return [{"name": f"{LETTER[side]}{i}", **unit} for i, unit in units]


def arrivals_of(combat: Combat, side: str) -> list[Json]:
    """Return the units of a side that arrive after the cleanup, counted on from those before."""
    first = len(combat[UNITS[side]]) + 1
    units = enumerate(combat.get("arrivals", {}).get(UNITS[side], []), start=first)
    return [{"name": f"{LETTER[side]}{i}", **unit} for i, unit in units]


def pools(combat: Combat) -> dict[str, int]:
    """Return the points each side must assign."""
    return {
        side: sum(
            oracle.contribution(unit, attacking=side == "attacker")
            for unit in units_of(combat, side)
        )
        for side in SIDES
    }


def board(combat: Combat, side: str) -> Json:
    """Return the question what a side may assign among the units of the other side."""
    return {
        "pool": pools(combat)[side],
        "units": units_of(combat, OTHER[side]),
        "units_are": UNITS[OTHER[side]],
        "assigner": dict(combat.get(side, {})),
        "edition": combat.get("edition", "465"),
        "readings": dict(combat.get("readings", {})),
    }


def boards(combat: Combat) -> dict[str, Json]:
    """Return the questions of both sides."""
    return {side: board(combat, side) for side in SIDES}


def points(combat: Combat, side: str, assigned: Assigned) -> tuple[int, ...]:
    """Return what a side assigns in unit order; units it does not name get nothing."""
    if isinstance(assigned, Mapping):
        return tuple(assigned.get(unit["name"], 0) for unit in units_of(combat, OTHER[side]))
    return tuple(assigned)


# --- units and the things on them ---------------------------------------------------------------


@dataclass
class Replacement:
    """One replacement effect on one unit; `value` is what a numbered Prevent has left."""

    kind: str
    value: int = 0

    @classmethod
    def read(cls, text: str) -> Replacement:
        """Read `double`, `prevent all` or `prevent 3`."""
        kind, _, value = text.partition(" ")
        return cls(kind, int(value)) if value.isdigit() else cls(text)

    def prevents(self, damage: int) -> int:
        """Tell how much of this damage the effect would prevent."""
        return {"prevent all": damage, "prevent": min(self.value, damage)}.get(self.kind, 0)

    def used_up(self) -> bool:
        """Tell whether nothing is left of the effect."""
        return self.kind == "prevent" and self.value == 0

    def __str__(self) -> str:
        return f"prevent {self.value}" if self.kind == "prevent" else self.kind


@dataclass
class Fighter:
    """A unit at the battlefield."""

    name: str
    might: int
    marked: int
    untouchable: bool
    replacements: list[Replacement]
    dealt: int = 0
    doubled: int = 0
    prevented: int = 0

    def take(self, raw: int) -> None:
        """Be dealt damage, replaced step by step; it is marked later, with everybody's."""
        if self.untouchable or raw == 0:
            return
        damage = raw
        for effect in self.replacements:
            damage = self._replaced(effect, damage)
        self.replacements = [effect for effect in self.replacements if not effect.used_up()]
        self.dealt = damage

    def _replaced(self, effect: Replacement, damage: int) -> int:
        if effect.kind == "double":
            self.doubled += damage
            return damage + damage
        prevented = effect.prevents(damage)
        self.prevented += prevented
        if effect.kind == "prevent":
            effect.value -= prevented
        return damage - prevented

    def has_lethal_damage(self, any_is_lethal: bool) -> bool:
        """Tell whether the cleanup kills the unit."""
        if any_is_lethal and self.dealt > 0:
            return True
        return self.marked > 0 and self.marked >= self.might


@dataclass
class Battlefield:
    """Where the combat happens: who is there, who died, who was recalled."""

    here: dict[str, list[Fighter]]
    dead: list[Fighter] = field(default_factory=list)
    recalled: list[Fighter] = field(default_factory=list)

    def has(self, side: str) -> bool:
        """Tell whether a side has units here."""
        return bool(self.here[side])

    def contested(self) -> bool:
        """Tell whether both sides have units here."""
        return all(self.has(side) for side in SIDES)

    def everybody(self) -> list[Fighter]:
        """Return the units here, attackers first."""
        return [fighter for side in SIDES for fighter in self.here[side]]

    def deal(self, raw: Mapping[str, int]) -> None:
        """Deal all damage at the same time, then mark it."""
        for fighter in self.everybody():
            fighter.take(raw[fighter.name])
        for fighter in self.everybody():
            fighter.marked += fighter.dealt

    def clean_up(self, any_is_lethal: Mapping[str, bool]) -> None:
        """Kill together, heal everybody left, recall attackers if defenders are still here."""
        doomed = [
            fighter
            for side in SIDES
            for fighter in self.here[side]
            if fighter.has_lethal_damage(any_is_lethal[OTHER[side]])
        ]
        for fighter in doomed:
            self.kill(fighter)
        for fighter in self.everybody():
            fighter.marked = 0
        if self.has("defender"):
            self.recalled, self.here["attacker"] = self.here["attacker"], []

    def kill(self, fighter: Fighter) -> None:
        """Take a unit away."""
        for side in SIDES:
            self.here[side] = [other for other in self.here[side] if other is not fighter]
        self.dead.append(fighter)

    def result(self) -> str:
        """Return who won; having no result is tested first."""
        if self.recalled or self.has("attacker") == self.has("defender"):
            return "no_result"
        return "attacker_won" if self.has("attacker") else "defender_won"

    def holder(self) -> str:
        """Return who controls the battlefield where nothing is staged again."""
        return next((side for side in SIDES if self.has(side)), "uncontrolled")


# --- playing it out -----------------------------------------------------------------------------


def _fighter(question: Json, unit: Json) -> Fighter:
    attacking = question["units_are"] == "attackers"
    return Fighter(
        name=unit["name"],
        might=oracle.current_might(unit, attacking=attacking),
        marked=unit.get("marked", 0),
        untouchable=oracle.is_exempt(question, unit),
        replacements=[Replacement.read(text) for text in unit.get("replacements", [])],
    )


def _fighters(question: Json, units: Iterable[Json]) -> list[Fighter]:
    return [_fighter(question, unit) for unit in units]


def _applied(question: Json, raw: Mapping[str, int]) -> dict[str, int]:
    """Return what the edition makes of the points while they are only assigned."""
    return {
        unit["name"]: 0
        if oracle.is_exempt(question, unit)
        else oracle.through(oracle.folded(question, unit), raw[unit["name"]])
        for unit in question["units"]
    }


def _names(fighters: Iterable[Fighter]) -> tuple[str, ...]:
    return tuple(fighter.name for fighter in fighters)


def _control_before(combat: Combat) -> str:
    before = combat.get("control", "defender")
    return before if before in SIDES else "uncontrolled"


def _aftermath(combat: Combat, battlefield: Battlefield) -> Json:
    """Return the result, and who controls the battlefield now and whether that is a Conquer."""
    before, restaged = _control_before(combat), battlefield.contested()
    control = before if restaged else battlefield.holder()
    gained = control in SIDES and control != before
    return {
        "result": battlefield.result(),
        "control": control,
        "conquer": gained and control not in combat.get("scored_this_turn", []),
        "restaged": restaged,
    }


def play(combat: Combat, attacker_assigns: Assigned, defender_assigns: Assigned) -> Json:
    """Play a combat out with these two assignments, legal or not, and return what happened."""
    chosen = {
        "attacker": points(combat, "attacker", attacker_assigns),
        "defender": points(combat, "defender", defender_assigns),
    }
    return _play(combat, boards(combat), chosen)


def _play(
    combat: Combat, questions: Mapping[str, Json], chosen: Mapping[str, Sequence[int]]
) -> Json:
    battlefield = Battlefield(
        {side: _fighters(questions[OTHER[side]], units_of(combat, side)) for side in SIDES}
    )
    fought = battlefield.everybody()
    raw = {fighter.name: 0 for fighter in fought}
    if battlefield.contested():
        raw = _assigned(questions, chosen)
        battlefield.deal(raw)
    battlefield.clean_up({side: oracle.any_damage_is_lethal(questions[side]) for side in SIDES})
    for side in SIDES:
        battlefield.here[side] += _fighters(questions[OTHER[side]], arrivals_of(combat, side))
    return {
        "raw": raw,
        "applied": _applied(questions["defender"], raw) | _applied(questions["attacker"], raw),
        "dealt": {fighter.name: fighter.dealt for fighter in fought},
        "doubled": {fighter.name: fighter.doubled for fighter in fought},
        "prevented": {fighter.name: fighter.prevented for fighter in fought},
        "left": {fighter.name: tuple(map(str, fighter.replacements)) for fighter in fought},
        "dead": _names(battlefield.dead),
        "recalled": _names(battlefield.recalled),
        "excess": {side: _excess(questions[side], raw) for side in SIDES},
        **_aftermath(combat, battlefield),
    }


def _assigned(questions: Mapping[str, Json], chosen: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """Return the points on every unit, attackers first."""
    return {
        unit["name"]: amount
        for side in ("defender", "attacker")
        for unit, amount in zip(questions[side]["units"], chosen[side], strict=True)
    }


def _excess(question: Json, raw: Mapping[str, int]) -> int:
    return oracle.excess(question, [raw[unit["name"]] for unit in question["units"]])


# --- everything that can happen -----------------------------------------------------------------


def assignments(combat: Combat) -> dict[str, list[tuple[int, ...]]]:
    """Return what each side may assign, ascending."""
    return {side: oracle.legal(question) for side, question in boards(combat).items()}


def plays(combat: Combat) -> Iterator[list[Json]]:
    """Yield for each assignment of the attacker the plays of all answers of the defender."""
    questions, legal = boards(combat), assignments(combat)
    for attack in legal["attacker"]:
        answers = legal["defender"]
        pairs = [{"attacker": attack, "defender": answer} for answer in answers]
        yield [_play(combat, questions, pair) for pair in pairs]


def outcome(played: Json) -> Outcome:
    """Return what counts as the outcome of a play."""
    dead, recalled, result, control, conquer, restaged = (played[fact] for fact in OUTCOME)
    return dead, recalled, result, control, conquer, restaged


def outcomes(combat: Combat) -> dict[Outcome, int]:
    """Return every outcome with the number of pairs of assignments that lead to it."""
    return dict(Counter(outcome(played) for row in plays(combat) for played in row))


def guaranteed(combat: Combat, fact: str) -> dict[str, set[Any]]:
    """Return the values of a fact that each side can guarantee.

    The attacker chooses first, whatever the defender answers; the defender answers what it sees.
    """
    rows = [{played[fact] for played in row} for row in plays(combat)]
    return {
        "attacker": {value for row in rows if len(row) == 1 for value in row},
        "defender": set.intersection(*rows),
    }
