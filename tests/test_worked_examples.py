"""The worked examples of the specification, by every route to an answer."""

from __future__ import annotations

from typing import Any

import pytest
from boards import board

import solver
from rules import need

ORDERS_OF_3200 = [
    tuple(3 if i == a else 2 if i == b else 0 for i in range(4))
    for a in range(4)
    for b in range(4)
    if a != b
]
ORDERS_OF_2210 = [
    tuple(0 if i == a else 1 if i == b else 2 for i in range(4))
    for a in range(4)
    for b in range(4)
    if a != b
]

LISTS: list[tuple[str, str, list[tuple[int, ...]]]] = [
    ("X1-465.2.c.3", "5 into 3 3 3 3", ORDERS_OF_3200),
    ("X2-465.2.c.4", "5 into 3/1 3/1 3/1 3/1", ORDERS_OF_2210),
    ("X3-465.2.c.4.a", "4 into 3x2 3", [(1, 3), (2, 2)]),
    ("X3-460", "4 into 3x2 3 --edition 460", [(1, 3), (3, 1)]),
    ("X5-465.2.c.5", "3 into 2x2 2", [(1, 2)]),
    *((f"X5-{e}", f"3 into 2x2 2 --edition {e}", [(1, 2), (2, 1)]) for e in (439, 443, 460)),
    ("X7-465.2.c.6", "5 into 2T 2 2B", [(2, 2, 1)]),
    ("X8-465.2.c.7", "4 into 2T 3T 2", [(1, 3, 0), (2, 2, 0)]),
    ("X9-465.2.c.8", "4 into 3TB 2 2", [(0, 2, 2), (3, 0, 1), (3, 1, 0)]),
    (
        "X10-465.2.c.9",
        "3 into 2TB 2TB 2",
        [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)],
    ),
    ("X11-465.2.c.10", "3 into 6! 3", [(0, 3)]),
    ("X12-465.2.c.10", "12 into 4TPall 4", [(12, 0)]),
    ("X14-142.4.b", "1 into 0", [(1,)]),
    ("X24-815.1.b", "3 into Sentinel:3T Volunteer:2", [(3, 0)]),
    ("X24-plain", "3 into Sentinel:3 Volunteer:2", [(1, 2), (3, 0)]),
    ("X25-815.1.b", "6 into 5T 2", [(5, 1)]),
    ("X25-766", "6 into 5T 2 --ignore tank", [(4, 2), (5, 1)]),
    ("X26-465.2.c.4", "5 into 1 1", [(1, 4), (2, 3), (3, 2), (4, 1)]),
    ("X27-766", "3 into 3TB 2 2 --ignore tank", [(0, 1, 2), (0, 2, 1)]),
]

NEEDS: list[tuple[str, str, list[Any]]] = [
    ("X4-465", "0 into 2P3", [5]),
    ("X4-460", "0 into 2P3 --edition 460", [5]),
    ("X4-443", "0 into 2P3 --edition 443", [2]),
    ("X4-439", "0 into 2P3 --edition 439", [2]),
    ("X6-465", "3 into 2P2x2 2x2P2", [3, 2]),
    ("X6-460", "3 into 2P2x2 2x2P2 --edition 460", [4, 4]),
    ("X6-443", "3 into 2P2x2 2x2P2 --edition 443", [2, 2]),
    ("X6-439", "3 into 2P2x2 2x2P2 --edition 439", [2, 2]),
    ("X12", "12 into 4TPall 4", ["never", 4]),
    ("X14-142.4.b", "1 into 0 -2 -2A9", [1, 1, 1]),
    ("142.4-marked", "0 into 3/1 3/3 3/5 0/1 -1/1", [2, 0, 0, 0, 0]),
    ("142.4.c-any-damage", "0 into 5 5/1 5P2 5/5 --any-damage-is-lethal", [1, 1, 3, 0]),
    ("807-814", "0 into 3A2 3S2A9 3S", [3, 5, 4]),
    ("807-attackers", "0 into 3A2 3S2A9 3S --units-are attackers", [5, 12, 3]),
    ("437-several", "0 into 2P1P2 3x2x2 5x2P1 5P1x2", [5, 1, 3, 4]),
]


@pytest.mark.parametrize("edition", ["465", "467"])
@pytest.mark.parametrize(("example", "text", "legal"), LISTS, ids=[x[0] for x in LISTS])
def test_the_legal_assignments_are_these(
    example: str, text: str, legal: list[tuple[int, ...]], edition: str
) -> None:
    on = board(text if "--edition" in text else f"{text} --edition {edition}")
    assert list(solver.legal(on)) == sorted(legal)
    assert list(solver.legal(on, engine="cp-sat")) == sorted(legal)
    for assignment in legal:
        assert solver.check(on, assignment)


@pytest.mark.parametrize(("example", "text", "needs"), NEEDS, ids=[x[0] for x in NEEDS])
def test_the_needs_are_these(example: str, text: str, needs: list[Any]) -> None:
    assert need(board(text)) == needs


ILLEGAL = [
    ("X1", "5 into 3 3 3 3", [(2, 1, 1, 1), (5, 0, 0, 0), (4, 1, 0, 0)]),
    ("X2", "5 into 3/1 3/1 3/1 3/1", [(3, 2, 0, 0)]),
    ("X3", "4 into 3x2 3", [(3, 1)]),
    ("X9", "4 into 3TB 2 2", [(1, 2, 1), (2, 2, 0), (2, 0, 2)]),
]


@pytest.mark.parametrize(("example", "text", "illegal"), ILLEGAL, ids=[x[0] for x in ILLEGAL])
def test_what_the_examples_exclude_is_illegal(
    example: str, text: str, illegal: list[tuple[int, ...]]
) -> None:
    for assignment in illegal:
        assert not solver.check(board(text), assignment)


def test_the_tank_alone_keeps_the_volunteer_alive() -> None:
    with_tank = board("3 into Sentinel:3T Volunteer:2")
    assert solver.kills(with_tank) == {("Sentinel",): 1}
    assert solver.best(with_tank, kill=["Volunteer"]).because == ("assign_total", "tank_first")


def test_points_equal_to_the_need_of_all_leave_one_assignment() -> None:
    assert list(solver.legal(board("7 into 3 2T 2B"))) == [(3, 2, 2)]
