"""Every refusal, word for word: what is asked, and below it the code, the path and the sentence.

In `tests/refusals/` there are lines of notation, boards and combats in JSON, calls of Python, and
situations as in `test_flow.py`, of which those fields are written that differ from its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_flow import flow_of

import rules
from rules import BadRequest, parse
from rules.board import check_board, check_combat, read_assignment, read_names
from rules.logic import written
from rules.notation import apply_options, parse_unit, write, write_unit
from rules.precedence import precedence_graph
from rules.readings import read_readings
from rules.replacements import parse_replacement
from rules.situation import Battlefield, Situation
from rules.wire import decode_json, decode_text, decode_toml, read, read_board, read_situation

NAMES = {
    **vars(rules),
    "Battlefield": Battlefield,
    "Situation": Situation,
    "apply_options": apply_options,
    "check_board": check_board,
    "check_combat": check_combat,
    "decode_json": decode_json,
    "decode_text": decode_text,
    "decode_toml": decode_toml,
    "parse_replacement": parse_replacement,
    "parse_unit": parse_unit,
    "precedence_graph": precedence_graph,
    "read": read,
    "read_assignment": read_assignment,
    "read_board": read_board,
    "read_names": read_names,
    "read_readings": read_readings,
    "read_situation": read_situation,
    "write": write,
    "write_unit": write_unit,
    "written": written,
}

ASK: dict[str, Callable[[str], object]] = {
    "notation": parse,
    "json": lambda line: read(decode_json(line)),
    "python": lambda line: eval(line, dict(NAMES)),
    "situation": flow_of,
}


def refusals() -> list[Any]:
    """What is asked and what is answered."""
    cases = []
    for kind in ASK:
        told = (Path(__file__).parent / "refusals" / f"{kind}.txt").read_text(encoding="utf-8")
        lines = told.splitlines()
        for asked, answer in zip(lines[::2], lines[1::2], strict=True):
            cases.append(pytest.param(kind, asked, answer.strip(), id=f"{kind}-{asked[:60]}"))
    return cases


@pytest.mark.parametrize(("kind", "asked", "answer"), refusals())
def test_it_is_refused_in_these_words(kind: str, asked: str, answer: str) -> None:
    with pytest.raises(BadRequest) as refused:
        ASK[kind](asked)
    fault = refused.value
    assert f"{fault.code} {fault.path or '-'} {fault.message}" == answer
