"""Talking to an engine that is another process: one line of JSON there, one back.

Whatever the engine does, the talk goes on: what it writes beside its answers is skipped, what it
writes on standard error is read and mostly forgotten, and one that ends or does not answer in time
is started anew.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any, Final

import msgspec

from rules.errors import shown
from solver.answers import encode

Json = dict[str, Any]
TIMEOUT: Final = 10.0
"""Seconds that an answer may take unless told otherwise."""
_LONGEST_LINE: Final = 1 << 26
_LAST_WORDS: Final = 1.0
"""Seconds to wait for what an engine that has ended wrote on standard error."""
_MOST_WAITING: Final = 64
"""So many lines that nobody has read yet are taken from the engine."""


class NoAnswer(Exception):
    """The engine gave no answer to a request; `why` says what happened instead."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class CannotRun(Exception):
    """The engine cannot be started at all."""


class Engine:
    """A command that answers requests on its standard streams, to be used as a context manager.

    `answered`, `starts` and `noise` count the answers, how often it was started, and the lines that
    were no answer.
    """

    def __init__(self, command: Sequence[str], timeout: float = TIMEOUT) -> None:
        self.command = tuple(command)
        self.answered = self.starts = self.noise = 0
        self._timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._complaints: deque[bytes] = deque(maxlen=5)
        self._overhearing = threading.Thread()

    def __enter__(self) -> Engine:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    @property
    def complaint(self) -> str:
        """The last line that the engine wrote on standard error, shortened; empty without one."""
        return next(filter(None, map(_shortened, reversed(self._complaints))), "")

    def ask(self, request: Json) -> Json:
        """The engine's answer to a request, which must have an `id`.

        Raises `NoAnswer` where it ends, writes no answer in time or cannot be written to.
        """
        if self._process is None:
            self._start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        end = time.monotonic() + self._timeout
        beside = ""
        try:
            process.stdin.write(encode(request) + b"\n")
            process.stdin.flush()
        except OSError:
            raise self._lost(self._ended(process)) from None
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise self._lost(f"no answer within {self._timeout:g} s{beside}") from None
            if line is None:
                raise self._lost(self._ended(process))
            answer = _as_answer(line, request["id"])
            if answer is not None:
                self.answered += 1
                return answer
            self.noise += 1
            beside = f"; this is none to id {request['id']}: {_shortened(line)}"

    def _start(self) -> None:
        try:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as fault:
            reason = getattr(fault, "strerror", None) or str(fault)
            raise CannotRun(f"{shown(self.command[0])} cannot be run: {reason}") from None
        self.starts += 1
        self._process = process
        self._lines = queue.Queue(_MOST_WAITING)
        self._complaints = deque(maxlen=5)
        for read, stream in ((self._listen, process.stdout), (self._overhear, process.stderr)):
            assert stream is not None
            into = self._lines if stream is process.stdout else self._complaints
            reader = threading.Thread(target=read, args=(stream, into), daemon=True)
            reader.start()
        self._overhearing = reader

    @staticmethod
    def _listen(stream: IO[bytes], lines: queue.Queue[bytes | None]) -> None:
        with suppress(OSError, ValueError):
            while line := stream.readline(_LONGEST_LINE):
                lines.put(line)
        lines.put(None)

    @staticmethod
    def _overhear(stream: IO[bytes], complaints: deque[bytes]) -> None:
        with suppress(OSError, ValueError):
            while line := stream.readline(1 << 16):
                complaints.append(line)

    def _lost(self, why: str) -> NoAnswer:
        self._stop()
        return NoAnswer(why)

    def _ended(self, process: subprocess.Popen[bytes]) -> str:
        """How a process came to its end, with what it said last."""
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
        status = process.poll()
        how = "it closed its output" if status is None else f"it ended with status {status}"
        self._overhearing.join(_LAST_WORDS)
        return f"{how}: {self.complaint}" if self.complaint else how

    def _stop(self) -> None:
        """End the process with all that it has started."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        if process.poll() is None:
            with suppress(OSError):
                if hasattr(os, "killpg"):
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()
        with suppress(queue.Empty):
            while True:
                self._lines.get_nowait()
        process.wait()


def _shortened(line: bytes) -> str:
    return line.decode(errors="replace").strip()[:200]


def _whole(text: str) -> float:
    """A number written as 3.0, as some languages write whole numbers, is 3."""
    value = float(text)
    return int(value) if value.is_integer() else value


_DECODER: Final = msgspec.json.Decoder(float_hook=_whole)


def _as_answer(line: bytes, asked: object) -> Json | None:
    """A line as the answer to the request of that id; None if it is none."""
    try:
        answer = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if not isinstance(answer, dict) or answer.get("id", asked) != asked:
        return None
    return answer
