"""What tests ask for: the command line, and how many random boards to look at.

`pytest --boards 20000` looks at so many where engines are compared.
"""

from __future__ import annotations

import pytest
from command_line import Lethal

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


@pytest.fixture
def lethal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lethal:
    """Return the command line, on 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return Lethal(capsys)
