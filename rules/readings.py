"""The named switches for places where the rules text is open, each with its default first.

A reading is part of the question: a board carries its readings, and every answer says which of them
were not at their default.
"""

from __future__ import annotations

from typing import Literal, get_args, get_type_hints

import msgspec

from rules.errors import BadRequest, did_you_mean, shown


class Readings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One value for every switch; a switch left out has its default, the first value."""

    undamageable: Literal["skip", "optional"] = "skip"
    """[465.2.c.10] May a unit that cannot be dealt damage be given points while others stand?"""

    only_undamageable: Literal["assign", "nothing"] = "assign"
    """[465.2.c, 465.2.c.10] Is the pool assigned where no unit can be dealt damage?"""

    prevent_all: Literal["sink", "exempt"] = "sink"
    """[437.5.b] Is a unit with "prevent all" never lethal, or exempt altogether?"""

    leftover: Literal["any", "one_unit", "last_unit"] = "any"
    """[465.2.c.4] Once all are lethal: may the rest be split at will, or is it one unit's?"""

    must_kill: Literal["no", "yes"] = "no"
    """[465.2.c.3] May points that could finish one unit be left short of lethal on another?"""

    already_lethal: Literal["zero", "one"] = "zero"
    """[142.4] Does a unit whose marked damage is lethal already need no point, or one?"""

    excess: Literal["applied", "raw"] = "applied"
    """[465.2.c.4] Is excess counted after the replacement effects, or in points of the pool?"""

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

ABOUT: dict[str, str] = {
    "undamageable": "undamageable_exempt",
    "only_undamageable": "assign_total",
    "prevent_all": "prevent_all_never_lethal",
    "leftover": "no_over_assignment",
    "must_kill": "lethal_in_full_before_next",
    "already_lethal": "lethal_nonzero_ge_might",
    "excess": "no_over_assignment",
}
"""The rule, by its id, whose text leaves open what each switch decides."""


def _unknown_value(switch: str, value: object) -> tuple[str, str]:
    known = SWITCHES[switch]
    hint = did_you_mean(str(value), known)
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
                f"{did_you_mean(str(switch), SWITCHES)}",
                f"$.{shown(switch)}",
                "unknown_reading",
            )
        if not isinstance(value, str):
            raise BadRequest(f"a reading is a text, not {shown(value)}", f"$.{switch}")
    return Readings(**given)
