"""What was measured as a table on the terminal, as Markdown, and as two figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from measure import Figure
from rich import box
from rich.console import Console
from rich.table import Table

RERUN: Final = "python benchmarks/compare.py"
COLORS: Final = ("#3366aa", "#77aadd", "#cc6677", "#ddaa33", "#888888")


class Against(NamedTuple):
    """A rival at the same work: its figure, how often ours fits in, and on how many boards."""

    figure: Figure
    ratio: float
    boards: int | None = None


@dataclass(frozen=True)
class Row:
    """One work: how long ours takes and what the rivals make of it.

    Where one call makes many `items`, solutions or answers, they are shown per second; otherwise
    the time of the call. `boards` is on how many boards the work was done, if on several.
    """

    work: str
    ours: Figure
    against: dict[str, Against] = field(default_factory=dict)
    items: int = 1
    boards: int | None = None


@dataclass(frozen=True)
class Curve:
    """Times of one kind of question against its size."""

    title: str
    axis: str
    sizes: Sequence[int]
    figures: Sequence[Figure]

    def exponent(self, begin: int = 0) -> float:
        """The slope of the straight line through the logarithms, from a point on."""
        slope, _ = self.line(begin)
        return slope

    def line(self, begin: int = 0) -> tuple[float, float]:
        """Slope and offset of that line."""
        import numpy as np

        times = [each.median for each in self.figures[begin:]]
        slope, offset = np.polyfit(np.log(self.sizes[begin:]), np.log(times), 1)
        return float(slope), float(offset)

    def fits(self) -> str:
        """The exponents in words."""
        half = len(self.sizes) // 2
        return (
            f"time grows with exponent {self.exponent():.2f}; "
            f"{self.exponent(half):.2f} from {self.sizes[half]:,} on"
        )


@dataclass(frozen=True)
class Findings:
    """All that one run measured."""

    rivals: Sequence[str]
    rows: list[Row] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


# --- numbers in words -----------------------------------------------------------------------------


def seconds(value: float) -> str:
    """A time with three digits and its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{digits(value / size)} {unit}"
    return f"{digits(value / 1e-9)} ns"


def digits(value: float) -> str:
    """A number with three digits."""
    if value >= 100:
        shift = 10 ** max(0, len(str(int(value))) - 3)
        return f"{round(value / shift) * shift:,}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def amount(row: Row, value: float) -> str:
    """A time of a row, as a time or as a rate."""
    if row.items == 1:
        return seconds(value)
    rate = row.items / value
    return f"{digits(rate / 1e6)} M/s" if rate >= 1e6 else f"{digits(rate / 1e3)} k/s"


def times(row: Row, name: str) -> str:
    """How many times as long as ours a rival takes."""
    found = row.against.get(name)
    return f"{digits(found.ratio)}\N{MULTIPLICATION SIGN}" if found else "-"


def coverage(row: Row, name: str) -> str:
    """On how many boards a rival finished, where that is not all of them."""
    found = row.against.get(name)
    if not found or found.boards in (None, row.boards):
        return ""
    return f" ({found.boards} boards)"


def taken(row: Row, name: str) -> str:
    """What a rival takes."""
    found = row.against.get(name)
    return amount(row, found.figure.median) + coverage(row, name) if found else "-"


# --- the terminal ---------------------------------------------------------------------------------


def show(findings: Findings, console: Console) -> None:
    """Print the table, the notes and the growth."""
    caption = "second lines: ours at best; how many times as long the rivals take"
    table = Table(
        box=box.SIMPLE,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title="Ours and the rivals",
        caption=caption,
    )
    table.add_column("work")
    for name in ("ours", *findings.rivals):
        table.add_column(name, justify="right", overflow="fold")
    for row in findings.rows:
        ours = f"[green]{amount(row, row.ours.median)}[/]\n{amount(row, row.ours.least)}"
        cells = [
            f"{taken(row, name)}\n[bold]{times(row, name)}[/]" if name in row.against else "-"
            for name in findings.rivals
        ]
        table.add_row(row.work, ours, *cells)
    console.print(table)
    for line in lines(findings):
        console.print(f"- {line}", highlight=False, markup=False)


def lines(findings: Findings) -> list[str]:
    """The notes and the exponents, a sentence each."""
    return [*findings.notes, *(f"{curve.title}: {curve.fits()}." for curve in findings.curves)]


# --- Markdown -------------------------------------------------------------------------------------


def markdown(findings: Findings, machine: dict[str, str], options: str) -> str:
    """The whole report."""
    names = findings.rivals
    ratios = [[row.work, *(times(row, name) for name in names)] for row in findings.rows]
    figures = [
        [
            row.work,
            f"**{amount(row, row.ours.median)}**",
            amount(row, row.ours.least),
            *(taken(row, name) for name in names),
        ]
        for row in findings.rows
    ]
    parts = [
        "# Ours and the rivals",
        EXPLAINED,
        "## How many times as long the rivals take",
        grid(["work", *names], [row for row in ratios if set(row[1:]) != {"-"}]),
        "![The same as a figure](comparison.svg)",
        "## What they take",
        grid(["work", "ours", "ours at best", *names], figures),
        "\n".join(f"- {note}" for note in findings.notes),
        "## How the time of a count grows",
        *map(_growth, findings.curves),
        "![The same as a figure](growth.svg)",
        "## On what machine, and how to do it again",
        grid(["", ""], [[key, value] for key, value in machine.items()]),
        f"    {RERUN}{options}",
    ]
    return "\n\n".join(parts) + "\n"


def _growth(curve: Curve) -> str:
    rows = [
        [f"{size:,}", seconds(each.median), seconds(each.least)]
        for size, each in zip(curve.sizes, curve.figures, strict=True)
    ]
    return f"{curve.title}: {curve.fits()}.\n\n" + grid([curve.axis, "median", "best"], rows)


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, numbers to the right."""
    rule = [":--", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


EXPLAINED: Final = """\
One run on one core; ours and the rivals take turns, and every answer of everybody is compared with
every other. Times are medians, and "at best" is the least. "New board" is the first call on a board
never seen before, in a process that has answered others; "again" is the same board once more. A `-`
means that the rival does not do this or did not finish in the time it had. On several boards the
median of the boards is shown, for a rival of those on which it finished, and the ratio is taken on
the same boards. Listings are in solutions a second, batches in answers a second: there the process
that answers has the core, and what asks it another one.

- **CP-SAT**: `engine="cp-sat"`, the model of the rules, listed lazily and in order.
- **CP-SAT bare**: the same model, listed by nothing but a solution callback; for a count the
  callback does not even read the values. The quickest way we found with CP-SAT.
- **clingo**: the answer set program `tests/assignment.lp`.
- **constraint2**: the library python-constraint2, with a variable for each unit and a Python
  function for each pair of units.
- **brute force**: every way to split the pool, tried with a Python predicate; to check, that
  predicate alone, which says yes or no and no reasons.

None of the rivals can count but by listing."""


# --- figures --------------------------------------------------------------------------------------


def _pyplot() -> Any:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "lethal",
            "font.family": "sans-serif",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
        }
    )
    import matplotlib.pyplot as plt

    return plt


def _save(plt: Any, figure: Any, path: Path) -> None:
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")


def draw_comparison(findings: Findings, path: Path) -> None:
    """Bars for how many times as long the rivals take, on a logarithmic axis."""
    plt = _pyplot()
    rows = [row for row in findings.rows if row.against and "again" not in row.work]
    figure, axes = plt.subplots(figsize=(9, 0.9 + 0.62 * len(rows)))
    for k, (name, color) in enumerate(zip(findings.rivals, COLORS, strict=False)):
        places = [i - 0.32 + 0.16 * k for i, row in enumerate(rows) if name in row.against]
        ratios = [row.against[name].ratio for row in rows if name in row.against]
        axes.barh(places, ratios, height=0.15, color=color, label=name)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(range(len(rows)), [row.work for row in rows])
    axes.margins(y=0.01)
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("times as long as ours (more is slower)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=5, frameon=False)
    _save(plt, figure, path)


def draw_growth(findings: Findings, path: Path) -> None:
    """Count times against sizes, both logarithmic, with the fitted lines."""
    import numpy as np

    plt = _pyplot()
    figure, panels = plt.subplots(1, len(findings.curves), figsize=(10, 4), squeeze=False)
    for axes, curve in zip(panels[0], findings.curves, strict=True):
        points = [1e3 * each.median for each in curve.figures]
        axes.loglog(curve.sizes, points, "o", color=COLORS[0], label="measured")
        for begin, style in ((0, "-"), (len(curve.sizes) // 2, "--")):
            slope, offset = curve.line(begin)
            sizes = np.array(curve.sizes[begin:], dtype=float)
            fitted = 1e3 * np.exp(offset) * sizes**slope
            axes.loglog(sizes, fitted, style, color=COLORS[2], label=f"exponent {slope:.2f}")
        axes.set_title(curve.title, fontsize=10)
        axes.set_xlabel(curve.axis)
        axes.set_ylabel("milliseconds for a count")
        axes.grid(alpha=0.3, which="major")
        axes.legend(frameon=False)
    _save(plt, figure, path)
