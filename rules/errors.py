"""The one exception for bad input, raised at the door with the path of the fault."""

from __future__ import annotations

from collections.abc import Iterable

_LONG = 256
_LISTED = 60
"""Names of units are listed up to so many characters."""


class BadRequest(ValueError):
    """Input that cannot be served: one sentence, the path of the fault and a code for programs.

    `path` is where in the JSON shape of the request the fault lies (`$.units[2].might`), or empty
    where the input has no such shape. `code` is one of `bad_json`, `bad_request`, `unknown_op`,
    `unknown_edition`, `unknown_reading` and `limit`.
    """

    def __init__(self, message: str, path: str = "", code: str = "bad_request") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.code = code

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def under(self, parent: str) -> BadRequest:
        """The same fault seen from outside: its path `$.x` becomes `parent.x`."""
        return BadRequest(self.message, parent + self.path.removeprefix("$"), self.code)


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """`; did you mean "tank"?`, or nothing where it is no word or no known word comes near."""
    import difflib

    if not isinstance(word, str):
        return ""
    spelled = {one.lower(): one for one in known}
    near = difflib.get_close_matches(word.lower(), spelled)
    return f'; did you mean "{spelled[near[0]]}"?' if near else ""


def no_unit(name: object, known: Iterable[str]) -> str:
    """`there is no unit Z, only A and B`; of many only the one that comes near is named."""
    names = [shown(one) for one in known]
    hint = did_you_mean(name, names)
    listed = " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
    if not hint and 0 < len(listed) <= _LISTED:
        hint = f", only {listed}"
    return f"there is no unit {shown(name)}{hint}"


def shown(value: object, width: int = 40) -> str:
    """The value as a message may quote it: as JSON writes it, printable, on one line and short."""
    if isinstance(value, int) and value.bit_length() > _LONG:
        return f"a number of {value.bit_length()} bits"
    text = value if isinstance(value, str) else _as_json(value)
    if not text.isprintable():
        text = ascii(value)
    elif isinstance(value, str) and (not text or text != text.strip()):
        text = f'"{text}"'
    return text if len(text) <= width else text[: width - 1] + "…"


def described(value: object) -> str:
    """As `shown`, for a value of the wrong type: a text is said to be one."""
    return f"the text {shown(value)}" if isinstance(value, str) else shown(value)


def _as_json(value: object) -> str:
    """The value in JSON; what JSON has no word for as Python writes it."""
    import json

    if not isinstance(value, (bool, dict, float, int, list, tuple, type(None))):
        return repr(value)
    try:
        return json.dumps(value, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):
        return "a list" if isinstance(value, (list, tuple)) else "an object"
