"""The named switches for places where the rules text is open, each with its default first.

A reading is part of the question: a board carries its readings, and every answer says which of them
were not at their default.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args, get_type_hints

import msgspec

from rules.errors import BadRequest, did_you_mean, shown


class Readings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One value for every switch, whose questions `ABOUT` has; the first value is the default."""

    undamageable: Literal["skip", "optional"] = "skip"
    only_undamageable: Literal["assign", "nothing"] = "assign"
    prevent_all: Literal["sink", "exempt"] = "sink"
    leftover: Literal["any", "one_unit", "last_unit"] = "any"
    must_kill: Literal["no", "yes"] = "no"
    already_lethal: Literal["zero", "one"] = "zero"
    excess: Literal["applied", "raw"] = "applied"

    def __post_init__(self) -> None:
        for switch, values in SWITCHES.items():
            value = getattr(self, switch)
            if value not in values:
                raise BadRequest(*_unknown_value(switch, value), code="unknown_reading")

    def changed(self) -> dict[str, str]:
        """The switches that are not at their default, with their values."""
        if self == DEFAULTS:
            return {}
        return {
            switch: getattr(self, switch)
            for switch, values in SWITCHES.items()
            if getattr(self, switch) != values[0]
        }


SWITCHES: dict[str, tuple[str, ...]] = {
    name: get_args(hint) for name, hint in get_type_hints(Readings).items()
}
"""Every switch with its values, the default first."""

DEFAULTS = Readings()


class About(NamedTuple):
    """What a switch decides, as a question, and the rules by id whose text leaves it open."""

    question: str
    rules: tuple[str, ...]


ABOUT: dict[str, About] = {
    "undamageable": About(
        "May a unit that cannot be dealt damage be given points while others stand?",
        ("undamageable_exempt",),
    ),
    "only_undamageable": About(
        "Is the pool assigned where no unit can be dealt damage?",
        ("assign_total", "undamageable_exempt"),
    ),
    "prevent_all": About(
        'Is a unit with "prevent all" never lethal, or exempt altogether?',
        ("prevent_all_never_lethal", "undamageable_exempt"),
    ),
    "leftover": About(
        "Once all are lethal, may the rest be split at will, or is it one unit's?",
        ("no_over_assignment",),
    ),
    "must_kill": About(
        "Must points that would finish a unit go there, not be left short on another?",
        ("lethal_in_full_before_next",),
    ),
    "already_lethal": About(
        "Does a unit whose marked damage is lethal already need no point, or one?",
        ("lethal_nonzero_ge_might",),
    ),
    "excess": About(
        "Is excess counted after the replacement effects, or in points of the pool?",
        ("no_over_assignment",),
    ),
}
"""Every switch with its question."""


def _unknown_value(switch: str, value: object) -> tuple[str, str]:
    known = SWITCHES[switch]
    hint = did_you_mean(value, known)
    return f"{switch} is one of {', '.join(known)}, not {shown(value)}{hint}", f"$.{switch}"


def read_readings(given: object) -> Readings:
    """Readings from a decoded object of switch to value.

    Raises `BadRequest` with the code `unknown_reading` for a switch or a value that does not exist.
    """
    if not isinstance(given, dict):
        raise BadRequest("readings are an object of switch to value", "$")
    for switch, value in given.items():
        if switch not in SWITCHES:
            raise BadRequest(
                f"there is no reading {shown(switch)}; known are {', '.join(SWITCHES)}"
                f"{did_you_mean(switch, SWITCHES)}",
                f"$.{shown(switch)}",
                "unknown_reading",
            )
        if not isinstance(value, str):
            raise BadRequest(f"a reading is a text, not {shown(value)}", f"$.{switch}")
    return Readings(**given)
