"""Clocks: contenders timed in turns on one core, every answer compared with the expected one."""

from __future__ import annotations

import gc
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from rivals import TooSlow

PACKAGES = ("ortools", "clingo", "python-constraint2", "numpy", "msgspec")


class Figure(NamedTuple):
    """Seconds for one call: the median and the least of so many timings."""

    median: float
    least: float
    timings: int


@dataclass(frozen=True)
class Contender:
    """Something to be timed.

    `prepare` makes the argument of one call and is not timed; neither is `read`, which turns what
    `run` returns into what it is compared as.
    """

    run: Callable[[Any], object]
    prepare: Callable[[], Any] = lambda: None
    read: Callable[[Any], object] = lambda answer: answer
    calls: int = 1


class WrongAnswer(Exception):
    """A contender answered something else than expected."""


def race(
    contenders: Mapping[str, Contender], expected: object, rounds: int, budget: float = 8.0
) -> dict[str, Figure]:
    """Figures of the contenders, timed in turns; those that are too slow are left out.

    Nobody starts another round after spending `budget` seconds.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    out: set[str] = set()
    for _ in range(rounds):
        for name, contender in contenders.items():
            if name in out or sum(times[name]) > budget:
                continue
            try:
                times[name] += _timings(name, contender, expected)
            except TooSlow:
                out.add(name)
    return {name: figure(each) for name, each in times.items() if each and name not in out}


def _timings(name: str, contender: Contender, expected: object) -> Iterator[float]:
    arguments = [contender.prepare() for _ in range(contender.calls)]
    gc.collect()
    run = contender.run
    for argument in arguments:
        begin = perf_counter()
        answer = run(argument)
        yield perf_counter() - begin
        if contender.read(answer) != expected:
            raise WrongAnswer(f"{name} does not answer as expected on {argument}")


def figure(times: Sequence[float]) -> Figure:
    """The figure of some timings."""
    return Figure(median(times), min(times), len(times))


def together(figures: Iterable[Figure]) -> Figure:
    """The figure of many boards: the median of their medians, and of their least."""
    each = list(figures)
    return Figure(median(f.median for f in each), median(f.least for f in each), len(each))


def clear_caches() -> None:
    """Empty every `lru_cache` of the product."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("rules", "solver"):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def use_one_core() -> None:
    """Keep this process and those it starts on one core, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


@contextmanager
def on_another_core() -> Iterator[None]:
    """Within it this process leaves its core to those it has started, where there is another."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(range(os.cpu_count() or 1)) - own or own)
    try:
        yield
    finally:
        os.sched_setaffinity(0, own)


def peak_memory() -> int:
    """The most bytes that this process has had in memory at a time."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def machine() -> dict[str, str]:
    """What the figures depend on."""
    return {
        "Python": platform.python_version(),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        **{package: _version(package) for package in PACKAGES},
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "-"
