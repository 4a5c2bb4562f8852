"""The command line in this process: what it printed where, and how it ended."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from solver.cli import main


class Ended(NamedTuple):
    """How a command ended: its exit status and what it printed."""

    status: int
    out: str
    err: str

    @property
    def flat(self) -> str:
        """What it printed, as one line."""
        return " ".join(self.out.split())

    @property
    def data(self) -> Any:
        """The JSON that it printed."""
        return json.loads(self.out)


class Lethal:
    """The command line in this process, as fast as it can be run."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Ended:
        with pytest.raises(SystemExit) as exited:
            main(arguments)
        captured = self._capsys.readouterr()
        return Ended(int(exited.value.code or 0), captured.out, captured.err)

    def json(self, *arguments: str) -> Any:
        """Return what a command prints with `--json`, which must be one line."""
        ended = self(*arguments, "--json")
        assert ended.out.count("\n") == 1
        return json.loads(ended.out)
