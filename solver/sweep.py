"""A long piece of work in numbered parts: on all cores, resumable, with a bar on a terminal."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from rules.errors import BadRequest, shown
from solver import limits

Task = TypeVar("Task")
PATIENCE: Final = 0.5
"""Seconds before a bar is shown."""


class State:
    """What is known of a run, kept in a file: a header that says which run, then a line a part.

    Without a path nothing is kept. `is_part` tells whether something can have come of the part of
    that number. Raises `BadRequest` for a file of another run, for one with anything else in it,
    and for one that cannot be read or written. An empty file is a new one.
    """

    def __init__(
        self,
        path: Path | None,
        header: Mapping[str, Any],
        is_part: Callable[[int, Any], bool] = lambda number, part: True,
    ) -> None:
        self.path = path
        self._is_part = is_part
        self.parts: dict[int, Any] = {}
        if path is None:
            return
        try:
            if path.exists() and path.stat().st_size:
                self._read(path, header)
            else:
                path.write_text(json.dumps(header) + "\n", encoding="utf-8")
        except BadRequest:
            raise
        except OSError as fault:
            sentence = f"{shown(str(path))} cannot be used: {fault.strerror}"
            raise BadRequest(sentence) from None
        except (ValueError, TypeError):
            raise BadRequest(f"{shown(str(path))} is no state of a run") from None

    def _read(self, path: Path, header: Mapping[str, Any]) -> None:
        complete, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
        first, *lines = complete.splitlines() or [""]
        if json.loads(first) != json.loads(json.dumps(header)):
            raise BadRequest(f"{shown(str(path))} is the state of another run")
        self.parts = dict(map(self._part, lines))
        path.write_text(complete + "\n", encoding="utf-8")  # without a line cut short

    def _part(self, line: str) -> tuple[int, Any]:
        number, part = json.loads(line)
        if type(number) is not int or number < 0 or not self._is_part(number, part):
            raise ValueError(line)
        return number, part

    def add(self, number: int, part: Any) -> None:
        """Keep what came of a part."""
        self.parts[number] = part
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([number, part]) + "\n")


def sweep(
    work: Callable[[Task], Any],
    tasks: Sequence[Task],
    state: State,
    *,
    workers: int | None = None,
    begin: Callable[[], None] | None = None,
) -> None:
    """Do the work on every task that the state does not know yet, and add what comes of it.

    `work` and `begin`, which every process calls once at its start, are functions of a module; what
    the work returns is written as JSON. Raises `LimitReached` when the deadline comes first; what
    is done by then is in the state.
    """
    left = [(work, n, task) for n, task in enumerate(tasks) if n not in state.parts]
    processes = min(workers or os.cpu_count() or 1, len(left))
    with _Bar(len(tasks)) as bar:
        if processes < 2:
            _take(map(_done, left), state, bar)
            return
        with multiprocessing.Pool(processes, _ready, (begin,)) as pool:
            _take(pool.imap_unordered(_done, left), state, bar)


def _take(results: Iterable[tuple[int, Any]], state: State, bar: _Bar) -> None:
    bar.show(len(state.parts))
    for number, part in results:
        state.add(number, part)
        bar.show(len(state.parts))
        limits.check()


def _done(job: tuple[Callable[[Any], Any], int, Any]) -> tuple[int, Any]:
    work, number, task = job
    return number, work(task)


def _ready(begin: Callable[[], None] | None) -> None:
    """Leave interruptions to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if begin is not None:
        begin()


class _Bar:
    """A progress bar on a terminal, once some time has passed; elsewhere nothing."""

    def __init__(self, total: int) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("parts", total=total)
        self._begin = monotonic()
        self._shown = False

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *fault: object) -> None:
        if self._shown:
            self._bar.stop()

    def show(self, done: int) -> None:
        """Let the bar show that so many parts are done."""
        self._bar.update(self._task, completed=done)
        late = monotonic() - self._begin > PATIENCE
        if late and not self._shown and sys.stderr is not None and sys.stderr.isatty():
            self._bar.start()
            self._shown = True
