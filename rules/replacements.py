"""Replacement effects on damage: Prevent and Double, folded into one formula.

437 and 465.2.c.5.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from rules.checks import number
from rules.errors import BadRequest, did_you_mean


class Pipeline(NamedTuple):
    """Replacement effects in their order, as one formula: dealt = max(0, factor * raw - less).

    Whatever the order of Double and Prevent effects, points that go through them come out in this
    form, since each step keeps it: doubling doubles both numbers, preventing n adds n to `less`.
    `factor` 0 stands for a pipeline in which everything is prevented.
    """

    factor: int
    less: int

    def applied(self, raw: int) -> int:
        """Points that come out where `raw` points go in [465.2.c.5]."""
        return max(0, self.factor * raw - self.less)

    def least(self, wanted: int) -> int | None:
        """The least raw of which at least `wanted` points come out, None if no number does."""
        if wanted <= 0:
            return 0
        return -(-(wanted + self.less) // self.factor) if self.factor else None


def parse_replacement(text: str) -> int | Literal["double"] | None:
    """The n of "prevent n", None for "prevent all", or "double". Raises `BadRequest`."""
    words = text.split(" ")
    if words == ["double"]:
        return "double"
    if words == ["prevent", "all"]:
        return None
    if len(words) == 2 and words[0] == "prevent" and words[1].isdecimal() and words[1].isascii():
        return number(int(words[1].lstrip("0")[:20] or "0"), "$")
    hint = did_you_mean(text, ("prevent 1", "prevent all", "double"))
    raise BadRequest(f'a replacement is "prevent N", "prevent all" or "double"{hint}', "$")


@lru_cache(maxsize=4096)
def pipeline(replacements: tuple[str, ...]) -> Pipeline:
    """The replacements in their order, folded into one formula [465.2.c.5, 437.5.a, 437.5.b]."""
    factor, less = 1, 0
    for text in replacements:
        match parse_replacement(text):
            case "double":
                factor, less = 2 * factor, 2 * less
            case None:
                factor, less = 0, 0
            case value:
                less += value
    return Pipeline(factor, less)
