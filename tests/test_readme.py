"""Every example of the README is run, and prints what the README says."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rules.board import Assigner, Board, Unit
from solver.answers import answer

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")


def console_examples() -> list[tuple[str, str]]:
    examples = []
    for block in re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            examples.append((command, output))
    return examples


@pytest.mark.parametrize(("command", "output"), console_examples(), ids=lambda text: text[:60])
def test_a_command_prints_what_the_readme_shows(command: str, output: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=environment, check=False
    )
    assert "Traceback" not in done.stderr
    assert done.stdout == output


def test_the_python_examples_hold() -> None:
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted > 5
    assert results.failed == 0


def test_the_request_with_every_field_is_one() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    request = json.loads(block)
    assert answer(request) == {"count": 1, "readings": {"must_kill": "yes"}}
    assert request.keys() == {"op", "id", *Board.__struct_fields__}
    assert request["units"][0].keys() == set(Unit.__struct_fields__)
    assert request["assigner"].keys() == set(Assigner.__struct_fields__)


def test_exactly_two_commands_set_it_up() -> None:
    assert len(re.findall(r"^    .*pip install.*$", TEXT, re.MULTILINE)) == 2
