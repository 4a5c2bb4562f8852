"""The fast engine against the CP-SAT model on every small board: `python benchmarks/exhaustive.py`.

All boards of up to four units with Might 0 to 3, damage marked 0 or 1, Tank, Backline, both or
neither, and 0 to 9 points. Boards that differ only in the order of their units count as one: no
rule speaks of that order, so that relabelling the units permutes the legal assignments and nothing
else. Which order a board is put in is drawn from its number, so that both engines see all kinds.
Compared are the whole listings in their order and the number by either way of counting.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations_with_replacement, islice
from math import comb
from pathlib import Path
from time import perf_counter
from typing import Final

from measure import machine
from report import grid
from rivals import Question, bare_listing

import solver
from rules import BadRequest, Board, Unit
from solver.exact import Legal
from solver.sweep import State, sweep

HERE: Final = Path(__file__).parent
MIGHTS: Final = range(4)
MARKED: Final = range(2)
POOLS: Final = range(10)
TIERS: Final = ((False, False), (True, False), (False, True), (True, True))
KINDS: Final = tuple(
    Unit(might=might, marked=marked, tank=tank, backline=backline)
    for might in MIGHTS
    for marked in MARKED
    for tank, backline in TIERS
)
CHUNK: Final = 100
SHOWN: Final = 20
"""So many mismatches are told in full."""

Place = tuple[int, int]
"""How many units a board has, and its number among the boards of so many."""


@dataclass
class Total:
    """What came of some boards: by number of units, boards, assignments and seconds."""

    boards: Counter[int] = field(default_factory=Counter)
    assignments: Counter[int] = field(default_factory=Counter)
    seconds: Counter[int] = field(default_factory=Counter)
    mismatches: list[str] = field(default_factory=list)

    def add(self, part: Part) -> None:
        """Add what came of more of them."""
        rows, mismatches = part
        for units, boards, assignments, seconds in rows:
            self.boards[units] += boards
            self.assignments[units] += assignments
            self.seconds[units] += seconds
        self.mismatches += mismatches


Part = tuple[list[tuple[int, int, int, float]], list[str]]
"""As `Total`, to be written down: a row for each number of units, and the mismatches."""


# --- the boards -----------------------------------------------------------------------------------


def boards_of(units: int) -> int:
    """How many boards of so many units there are, up to order."""
    return comb(len(KINDS) + units - 1, units) * len(POOLS)


@cache
def groups(units: int) -> list[tuple[int, ...]]:
    """All groups of so many units, up to order, as numbers of kinds."""
    return list(combinations_with_replacement(range(len(KINDS)), units))


def board_at(place: Place) -> Board:
    """The board at a place, its units in an order drawn from that place."""
    units, number = place
    group, pool = divmod(number, len(POOLS))
    kinds = list(groups(units)[group])
    random.Random(f"{units} {number}").shuffle(kinds)
    return Board(pool=POOLS[pool], units=tuple(KINDS[kind] for kind in kinds))


def chosen(most: int, whole: int, sample: int | None, seed: int) -> list[Place]:
    """All places up to so many units; with a sample, beyond `whole` units so many at random."""
    places = [(units, number) for units in range(most + 1) for number in range(boards_of(units))]
    if sample is None:
        return places
    sure = [place for place in places if place[0] <= whole]
    others = places[len(sure) :]
    drawn = random.Random(seed).sample(others, min(sample, len(others)))
    return sure + drawn


# --- the comparison -------------------------------------------------------------------------------


def difference(board: Board) -> tuple[int, str | None]:
    """How many assignments CP-SAT lists, and in what the fast engine differs, if it does."""
    expected = bare_listing(Question(board, {}), 600.0)
    legal = Legal(board)
    listed = list(legal)
    if listed != expected:
        return len(expected), f"{board}: exact lists {listed}, CP-SAT {expected}"
    counts = {solver.count(board), legal.count(), sum(each.count() for each in legal.automata)}
    if counts != {len(expected)}:
        return len(expected), f"{board}: exact counts {sorted(counts)}, CP-SAT {len(expected)}"
    return len(expected), None


def compare(places: Sequence[Place]) -> Part:
    """Compare the engines on some boards."""
    total = Total()
    for place in places:
        begin = perf_counter()
        number, wrong = difference(board_at(place))
        units = place[0]
        mismatches = [wrong] if wrong else []
        total.add(([(units, 1, number, perf_counter() - begin)], mismatches))
    rows = [(n, total.boards[n], total.assignments[n], total.seconds[n]) for n in total.boards]
    return rows, total.mismatches


# --- the run --------------------------------------------------------------------------------------


def run(places: Sequence[Place], state: State, workers: int) -> tuple[Total, bool]:
    """Compare all boards that are left. Returns the total; was it all, or was it interrupted?"""
    chunks = [places[start : start + CHUNK] for start in range(0, len(places), CHUNK)]
    finished = True
    try:
        sweep(compare, chunks, state, workers=workers, begin=_ready)
    except KeyboardInterrupt:
        finished = False
    total = Total()
    for part in state.parts.values():
        total.add(part)
    return total, finished


def _ready() -> None:
    """Import what is needed before anything is timed."""
    difference(board_at((2, 0)))


def estimate(total: Total, workers: int, most: int) -> float | None:
    """Seconds that all boards up to so many units take; None where some are not known at all."""
    if any(not total.boards[units] for units in range(most + 1)):
        return None
    each = (total.seconds[n] / total.boards[n] * boards_of(n) for n in range(most + 1))
    return sum(each) / workers


def told(total: Total, workers: int, most: int, options: str) -> str:
    """The report in Markdown."""
    rows = [
        [
            str(units),
            f"{boards_of(units):,}",
            f"{total.boards[units]:,}",
            f"{total.assignments[units]:,}",
            f"{1000 * total.seconds[units] / max(1, total.boards[units]):.2f} ms",
        ]
        for units in range(most + 1)
    ]
    compared, wrong = total.boards.total(), len(total.mismatches)
    whole = estimate(total, workers, most)
    parts = [
        "# The fast engine and the CP-SAT model on every small board",
        f"**{compared:,} boards compared, {wrong:,} mismatches.**",
        f"Units with Might {_span(MIGHTS)}, {_span(MARKED)} damage marked, plain, Tank, Backline "
        f"or both; {_span(POOLS)} points. Boards that differ only in the order of their units "
        "count as one, since no rule speaks of that order; each is put in an order drawn from its "
        "number. Compared are the whole listings, in order, and the counts.",
        grid(["units", "boards there are", "compared", "legal assignments", "a board"], rows),
        f"It took {minutes(sum(total.seconds.values()) / workers)} on {workers} processes."
        + (f" All boards up to {most} units take about {minutes(whole)}." if whole else ""),
        *([_list(total.mismatches)] if wrong else []),
        grid(["", ""], [[key, value] for key, value in machine().items()]),
        f"    python benchmarks/exhaustive.py{options}",
    ]
    return "\n\n".join(parts) + "\n"


def _span(numbers: range) -> str:
    return f"{numbers[0]} to {numbers[-1]}"


def _list(mismatches: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in islice(mismatches, SHOWN))


def minutes(seconds: float) -> str:
    """A duration in words."""
    return f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"


def main() -> None:
    """Compare, print, write; exit status 1 where the engines differ, 130 where interrupted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--units", type=int, default=4, metavar="N", help="at most (default 4)")
    parser.add_argument("--sample", type=int, metavar="K", help="of the larger boards, K at random")
    parser.add_argument(
        "--whole",
        type=int,
        default=2,
        metavar="N",
        help="with a sample, all up to N units all the same",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="of the sample (default 1)"
    )
    parser.add_argument("--state", type=Path, metavar="FILE", help="go on from, and keep up, FILE")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--output", type=Path, default=HERE / "results", metavar="DIR")
    options = parser.parse_args()
    asked = {name: getattr(options, name) for name in ("units", "sample", "whole", "seed")}
    try:
        state = State(options.state, asked)
    except BadRequest as fault:
        print(fault, file=sys.stderr)
        sys.exit(2)
    places = chosen(**{"most": asked.pop("units"), **asked})
    total, finished = run(places, state, options.workers)
    given = "".join(f" --{k} {v}" for k, v in _given(options).items())
    report = told(total, options.workers, options.units, given)
    print(f"{total.boards.total():,} boards compared, {len(total.mismatches):,} mismatches")
    print(*total.mismatches[:SHOWN], sep="\n", end="\n" if total.mismatches else "")
    if not finished:
        sys.exit(130)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "exhaustive.md").write_text(report, encoding="utf-8")
    sys.exit(1 if total.mismatches else 0)


def _given(options: argparse.Namespace) -> dict[str, int]:
    """What the result depends on and is not at its default."""
    given = {"units": options.units} if options.units != 4 else {}
    if options.sample is not None:
        given |= {"sample": options.sample, "whole": options.whole, "seed": options.seed}
    return given


if __name__ == "__main__":
    main()
