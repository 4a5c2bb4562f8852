"""How many random boards the comparisons of engines look at: `pytest --boards 20000`."""

from __future__ import annotations

import pytest

BOARDS = 1500


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--boards",
        type=int,
        default=BOARDS,
        help=f"random boards on which the engines are compared (default {BOARDS})",
    )


@pytest.fixture
def many(request: pytest.FixtureRequest) -> int:
    """The number of random boards to look at."""
    return int(request.config.getoption("--boards"))
