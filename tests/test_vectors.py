"""The published vectors: complete legal sets, needs, and illegal assignments with their rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import solver
from rules import Board, need
from rules.wire import read_board

Json = dict[str, Any]
ASSIGNMENTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "vectors" / "assignment.jsonl").read_text().splitlines()
]


def named(vector: Json) -> str:
    return f"{vector['id']}-{vector['note'].split(':')[0]}"


def asked(vector: Json) -> Board:
    fields = {k: v for k, v in vector["request"].items() if k not in ("op", "limit")}
    return read_board(fields)


@pytest.mark.parametrize("vector", ASSIGNMENTS, ids=named)
@pytest.mark.parametrize("engine", ["exact", "cp-sat"])
def test_the_legal_set_is_the_published_one(vector: Json, engine: str) -> None:
    expected = vector["expect"]
    legal = solver.legal(asked(vector), engine=engine)
    assert legal.count() == expected["count"]
    if "assignments" in expected:
        assert [list(assignment) for assignment in legal] == expected["assignments"]


@pytest.mark.parametrize("vector", ASSIGNMENTS, ids=named)
def test_needs_and_verdicts_are_the_published_ones(vector: Json) -> None:
    board, expected = asked(vector), vector["expect"]
    assert need(board) == expected["need"]
    for assignment in expected.get("assignments", []):
        assert solver.check(board, assignment).legal
    for assignment in expected.get("illegal", []):
        verdict = solver.check(board, assignment)
        assert not verdict.legal
        assert all(violation.number for violation in verdict.violations)
        assert tuple(assignment) not in solver.legal(board)
