"""Ours against the rivals, in one run on one core: `python benchmarks/compare.py`.

Every answer of every contender is compared with the expected one; the results are a table on the
terminal and, in the output directory, `comparison.md`, `comparison.svg` and `growth.svg`.
"""

from __future__ import annotations

import argparse
import gc
import json
import operator
import random
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import comb
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import IO, Any

import works
from measure import (
    Contender,
    Figure,
    clear_caches,
    figure,
    machine,
    on_another_core,
    race,
    together,
    use_one_core,
)
from report import Against, Curve, Findings, Row, draw_comparison, draw_growth, markdown, show
from rich.console import Console
from rivals import BRUTE, ENGINE, RIVALS, Question, Rival
from works import Assignment, Json, fresh

import solver
from rules import Board
from rules.wire import read_board

HERE = Path(__file__).parent
POOL = 30
"""The points of the boards on which only the units grow more: fewer than the least board needs."""
MOST_SPLITS = 2_000_000
"""Brute force is not even begun on a board with more ways to split the pool."""


@dataclass(frozen=True)
class Effort:
    """How much of everything is done."""

    boards: int = 200
    rounds: int = 7
    calls: int = 200
    seconds: float = 25.0
    budget: float = 8.0
    short: float = 0.5
    requests: int = 100_000
    listed: int = len(works.LISTED)
    pools: tuple[int, ...] = tuple(2**k for k in range(7, 16))
    units: tuple[int, ...] = (8, 16, 32, 64, 125, 250, 500, 1000)


QUICK = Effort(
    boards=30,
    rounds=3,
    calls=50,
    seconds=4.0,
    budget=0.1,
    short=0.2,
    requests=10_000,
    listed=2,
    pools=tuple(2**k for k in range(5, 13)),
    units=(8, 12, 16, 32, 64, 100, 150, 200),
)


# --- contenders -----------------------------------------------------------------------------------


def new(data: Json, run: Callable[[Board], object], calls: int = 1, **options: Any) -> Contender:
    """Ours on boards never seen before, in a process that is warm."""
    return Contender(run, lambda: fresh(data), calls=calls, **options)


def again(data: Json, run: Callable[[Board], object], calls: int = 1, **options: Any) -> Contender:
    """Ours on a board that was asked about before."""
    board = fresh(data)
    run(board)
    return Contender(run, lambda: board, calls=calls, **options)


def listing(rival: Rival, data: Json, limit: float) -> Contender:
    """A rival that lists a board."""
    return Contender(lambda asked: rival.listing(asked, limit), lambda: question(data))


def counting(rival: Rival, data: Json, limit: float) -> Contender:
    """A rival that counts a board."""
    return Contender(lambda asked: rival.counting(asked, limit), lambda: question(data))


def question(data: Json) -> Question:
    return Question(fresh(data), data)


def able(data: Json) -> Iterator[Rival]:
    """The rivals for which a board is not hopeless from the start."""
    parts = len(data["units"])
    splits = comb(data["pool"] + parts - 1, parts - 1)
    yield from (rival for rival in RIVALS if rival is not BRUTE or splits <= MOST_SPLITS)


# --- rows -----------------------------------------------------------------------------------------


def row(work: str, figures: dict[str, Figure], ours: str, **options: Any) -> Row:
    """One board: ours and the rivals, all by their figures."""
    own = figures[ours]
    against = {
        rival.name: Against(figures[rival.name], figures[rival.name].median / own.median)
        for rival in RIVALS
        if rival.name in figures
    }
    return Row(work, own, against, **options)


def row_of_many(work: str, boards: Sequence[dict[str, Figure]], ours: str) -> Row:
    """Many boards: medians, for each rival of the boards on which it finished."""
    against = {}
    for rival in RIVALS:
        finished = [figures for figures in boards if rival.name in figures]
        if finished:
            theirs = together(figures[rival.name] for figures in finished)
            own = together(figures[ours] for figures in finished)
            ratio = theirs.median / own.median
            against[rival.name] = Against(theirs, ratio, len(finished))
    return Row(work, together(each[ours] for each in boards), against, boards=len(boards))


# --- works ----------------------------------------------------------------------------------------


def count_many(effort: Effort) -> Iterator[Row]:
    """One board with 33,649 legal assignments."""
    data = works.written(works.MANY)
    expected = solver.count(read_board(data))
    contenders = {
        "new": new(data, solver.count, effort.calls),
        **{each.name: counting(each, data, effort.seconds) for each in able(data)},
    }
    figures = race(contenders, expected, effort.rounds, effort.budget)
    yield row(f"count {expected:,}, new board", figures, "new")


def called(ours: str) -> str:
    return "new board" if ours == "new" else ours


def count_typical(effort: Effort, boards: Sequence[Json]) -> Iterator[Row]:
    """Boards as games have them."""
    found = []
    for data in boards:
        expected = sum(1 for _ in solver.legal(read_board(data)))
        figures = race({"new": new(data, solver.count, 20)}, expected, effort.rounds)
        rivals = {each.name: counting(each, data, effort.short) for each in able(data)}
        found.append(figures | race(rivals, expected, 1))
    yield row_of_many("count typical boards, new board", found, "new")


def check_typical(effort: Effort, boards: Sequence[Json], rng: random.Random) -> Iterator[Row]:
    """On the same boards a legal assignment or one that is nearly legal."""
    found, legal = [], []
    for data in boards:
        given = works.near(rng, data)
        expected = given in solver.legal(read_board(data))
        legal.append(expected)
        found.append(race(_checkers(data, given), expected, effort.rounds, budget=0.02))
    for ours in ("new", "again"):
        yield row_of_many(f"check on typical boards, {called(ours)}", found, ours)
    illegal = [figures for figures, is_legal in zip(found, legal, strict=True) if not is_legal]
    for ours in ("new", "again"):
        title = f"every rule that an illegal one breaks, {called(ours)}"
        yield row_of_many(title, illegal, f"{ours}, in full")


def _checkers(data: Json, given: Assignment) -> dict[str, Contender]:
    def check(board: Board) -> object:
        return solver.check(board, given)

    def violations(board: Board) -> object:
        return solver.check(board, given).violations

    def checking(rival: Rival) -> Contender:
        assert rival.checking is not None
        checks = rival.checking
        return Contender(lambda asked: checks(asked, given), lambda: question(data))

    return {
        "new": new(data, check, 20, read=bool),
        "again": again(data, check, 20, read=bool),
        "new, in full": new(data, violations, 20, read=operator.not_),
        "again, in full": again(data, violations, 20, read=operator.not_),
        **{rival.name: checking(rival) for rival in RIVALS if rival.checking},
    }


def list_boards(effort: Effort, findings: Findings) -> Iterator[Row]:
    """All legal assignments as tuples and as an array, and the first of them."""
    for text in works.LISTED[: effort.listed]:
        data = works.written(text)
        expected = list(solver.legal(read_board(data)))
        size = len(expected)
        findings.notes.append(f"{size:,} are the legal assignments of `{text}`.")
        figures = race(_listers(data, effort), expected, effort.rounds, effort.budget)
        yield row(f"list {size:,} as tuples, new board", figures, "new", items=size)
        yield row(f"list {size:,} as tuples, again", figures, "again", items=size)
        yield row(f"list {size:,} as an array, new board", figures, "array", items=size)
        for most, ours in ((1, "new"), (1, "again"), (100, "new")):
            firsts = race(_firsts(data, most), expected[:most], effort.rounds, effort.budget)
            many = "first" if most == 1 else f"first {most}"
            yield row(f"{many} of {size:,} as tuples, {called(ours)}", firsts, ours)


def _listers(data: Json, effort: Effort) -> dict[str, Contender]:
    def array(board: Board) -> Any:
        return solver.legal(board).to_numpy()  # type: ignore[union-attr]

    def tuples(array: Any) -> list[Assignment]:
        return list(map(tuple, array.tolist()))

    return {
        "new": new(data, lambda board: list(solver.legal(board))),
        "again": again(data, lambda board: list(solver.legal(board))),
        "array": new(data, array, read=tuples),
        **{each.name: listing(each, data, effort.seconds) for each in able(data)},
    }


def _firsts(data: Json, most: int) -> dict[str, Contender]:
    """Those who list lazily; the listing begun is kept, so that its end is not timed."""

    def first(board: Board, engine: str = "exact") -> tuple[list[Assignment], object]:
        begun = iter(solver.legal(board, engine=engine))
        return list(islice(begun, most)), begun

    def alone(answer: Any) -> list[Assignment]:
        chosen: list[Assignment] = answer[0]
        return chosen

    return {
        "new": new(data, first, 20, read=alone),
        "again": again(data, first, 20, read=alone),
        ENGINE.name: Contender(
            lambda board: first(board, "cp-sat"), lambda: fresh(data), read=alone
        ),
    }


def count_large(effort: Effort, rng: random.Random, findings: Findings) -> Iterator[Row]:
    """200 units of all tiers with points for half of them: time, and memory."""
    data = works.mixed(rng, 200)
    expected = solver.count(read_board(data))
    figures = race({"new": new(data, solver.count)}, expected, effort.rounds)
    yield row(f"count {data['pool']:,} into 200 units, new board", figures, "new")
    traced, whole = _memory(data)
    findings.notes.append(
        f"That count of 200 units, a number of {len(str(expected))} digits, allocates at most "
        f"{traced / 1e6:.1f} MB; the whole process, Python included, has {whole / 1e6:.0f} MB."
    )


def _memory(data: Json) -> tuple[int, int]:
    """The most bytes a count allocates, and the most that a process has that does nothing else."""
    board = fresh(data)
    clear_caches()
    tracemalloc.start()
    solver.count(board)
    _, traced = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    code = (
        "import json, sys, solver; from rules.wire import read_board; from measure import *;"
        "solver.count(read_board(json.load(sys.stdin))); print(peak_memory())"
    )
    command = [sys.executable, "-c", code]
    ended = subprocess.run(
        command, input=json.dumps(data), capture_output=True, text=True, check=True, cwd=HERE
    )
    return traced, int(ended.stdout)


def count_huge(effort: Effort) -> Iterator[Row]:
    """A pool of 10^18 over ten units: with points left over, and with too few."""
    for text, kind in zip(works.HUGE, ("some left over", "too few"), strict=True):
        data = works.written(text)
        title = f"10^18 into 10 units, {kind}"
        expected = solver.count(read_board(data))
        figures = race({"new": new(data, solver.count, 5)}, expected, effort.rounds)
        yield row(f"count {title}, new board", figures, "new")
        samples = race({"new": new(data, _sampled, 2, read=_all_legal)}, True, effort.rounds)
        yield row(f"draw 10 of {title}, new board", samples, "new")


def _sampled(board: Board) -> tuple[Board, list[Assignment]]:
    return board, solver.legal(board).sample(10, seed=1)  # type: ignore[union-attr]


def _all_legal(answer: Any) -> bool:
    board, drawn = answer
    return all(solver.check(board, each) for each in drawn)


def batches(effort: Effort, rng: random.Random) -> Iterator[Row]:
    """Many small requests through a pipe to `lethal batch`, plain ones and such as say it all."""
    for most, in_full in ((4, False), (8, False), (8, True)):
        boards = [works.typical(rng, 2, most) for _ in range(effort.requests)]
        if in_full:
            boards = [works.in_full(rng, data) for data in boards]
        expected = [solver.count(read_board(data)) for data in boards]
        lines = [
            json.dumps({"op": "count", "id": i, **data}).encode() + b"\n"
            for i, data in enumerate(boards)
        ]
        times = [_piped(lines, expected) for _ in range(3)]
        told = ", names and every field spelled out" if in_full else ""
        title = f"batch of {effort.requests:,} counts, 2 to {most} units{told}"
        yield Row(title, figure(times), items=effort.requests)


def _piped(lines: Sequence[bytes], expected: Sequence[int]) -> float:
    """Seconds from the first byte to the last answer, once the process has answered one line."""
    command = [sys.executable, "-m", "solver", "batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines[0])
        process.stdin.flush()
        process.stdout.readline()
        feeder = threading.Thread(target=_feed, args=(process.stdin, b"".join(lines)))
        with on_another_core():
            begin = perf_counter()
            feeder.start()
            answers = process.stdout.read()
            elapsed = perf_counter() - begin
            feeder.join()
    if [json.loads(line)["count"] for line in answers.splitlines()] != expected:
        raise AssertionError("batch does not answer what Python does")
    return elapsed


def _feed(pipe: IO[bytes], requests: bytes) -> None:
    pipe.write(requests)
    pipe.close()


def growth(effort: Effort, seed: int) -> Iterator[Curve]:
    """Counts: a pool and needs that grow over 16 units; more units at the same pool; both more."""
    by_pool = [
        works.mixed(random.Random(seed), 16, most=max(1, pool // 4), pool=pool)
        for pool in effort.pools
    ]
    title = "16 units, pool and needs growing together"
    yield _curve(title, "points in the pool", effort.pools, by_pool, effort)
    by_units = [works.mixed(random.Random(seed), n, pool=POOL) for n in effort.units]
    title = f"{POOL} points, needs 1 to 20"
    yield _curve(title, "units", effort.units, by_units, effort)
    by_both = [works.mixed(random.Random(seed), n, pool=5 * n) for n in effort.units]
    title = "5 points for each unit, needs 1 to 20"
    yield _curve(title, "units", effort.units, by_both, effort)


def _curve(
    title: str, axis: str, sizes: Sequence[int], boards: Sequence[Json], effort: Effort
) -> Curve:
    """The sizes are timed in turns too."""
    times: list[list[float]] = [[] for _ in boards]
    for _ in range(effort.rounds):
        for data, each in zip(boards, times, strict=True):
            expected = solver.count(read_board(data))
            each.append(race({"new": new(data, solver.count, 3)}, expected, 1)["new"].median)
    return Curve(title, axis, sizes, [figure(each) for each in times])


# --- the run --------------------------------------------------------------------------------------


def warm_up() -> None:
    """Import what everybody needs, and take it out of the way of the garbage collector."""
    asked = question(works.written("3 into 3T 2"))
    for rival in RIVALS:
        rival.listing(asked, 60.0)
    solver.legal(asked.board).to_numpy()  # type: ignore[union-attr]
    gc.collect()
    gc.freeze()


def measured(effort: Effort, seed: int, console: Console) -> Findings:
    """Everything, one work after the other."""
    rng = random.Random(seed)
    boards = [works.typical(rng) for _ in range(effort.boards)]
    findings = Findings([rival.name for rival in RIVALS])
    parts: list[tuple[str, Callable[[], Iterator[Row]]]] = [
        ("counting", lambda: count_many(effort)),
        ("counting typical boards", lambda: count_typical(effort, boards)),
        ("checking", lambda: check_typical(effort, boards, rng)),
        ("listing", lambda: list_boards(effort, findings)),
        ("200 units", lambda: count_large(effort, rng, findings)),
        ("10^18 points", lambda: count_huge(effort)),
        ("batch", lambda: batches(effort, rng)),
    ]
    sizes = [solver.count(read_board(data)) for data in boards]
    findings.notes.append(
        f"The typical boards are {effort.boards} of 2 to 8 units from seed {seed}, with a pool of "
        f"0.5 to 1.3 times the total need; they have {min(sizes):,} to {max(sizes):,} legal "
        f"assignments, {median(sizes):,.0f} in the middle."
    )
    for title, part in parts:
        begin = perf_counter()
        findings.rows.extend(part())
        console.print(f"{title}: {perf_counter() - begin:.0f} s", style="dim")
    findings.curves.extend(growth(effort, seed))
    return findings


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="less of everything, in a minute")
    parser.add_argument("--seed", type=int, default=1, help="of the boards (default 1)")
    parser.add_argument("--output", type=Path, default=HERE / "results", metavar="DIR")
    options = parser.parse_args()
    use_one_core()
    warm_up()
    findings = measured(QUICK if options.quick else Effort(), options.seed, Console(stderr=True))
    show(findings, Console())
    given = (" --quick" if options.quick else "") + f" --seed {options.seed}"
    options.output.mkdir(parents=True, exist_ok=True)
    report = markdown(findings, machine(), given)
    (options.output / "comparison.md").write_text(report, encoding="utf-8")
    draw_comparison(findings, options.output / "comparison.svg")
    draw_growth(findings, options.output / "growth.svg")


if __name__ == "__main__":
    main()
