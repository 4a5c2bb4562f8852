"""The report on an engine: for people, as JSON, and as JUnit XML for machines that build."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeVar
from xml.etree import ElementTree

import msgspec
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from rules.editions import CANONICAL, edition
from rules.rulebook import RULEBOOK
from solver.kit.conform import Examination, Failure, Result, Tally, smallest, tallies, told
from solver.kit.diagnosis import MOST_BOARDS, MOST_COMBATS, Diagnosis, Suspect, diagnose

Json = dict[str, Any]
T = TypeVar("T")
_PATIENCE: Final = 0.5
_LONGEST: Final = 300
"""Answers longer than so many characters are cut in what people read."""


def with_progress(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """The same items; on a terminal, after half a second, standard error says how many are done."""
    out = Console(stderr=True)
    begun = time.monotonic()
    with Progress(console=out, transient=True, disable=not out.is_terminal) as bar:
        bar.stop()
        task = bar.add_task(what, total=total)
        for done, item in enumerate(items):
            if time.monotonic() - begun > _PATIENCE:
                bar.start()
                bar.update(task, completed=done)
            yield item


# --- for people -----------------------------------------------------------------------------------


def report(out: Console, examination: Examination) -> None:
    """The tally of every rule, then what is wrong: by rule, with the smallest board that fails."""
    by_rule = tallies(examination.results)
    out.print(_table(by_rule))
    out.print()
    out.print(_summary(examination))
    diagnosis = diagnose(examination.results)
    for suspect in diagnosis.suspects:
        out.print()
        _tell(out, suspect, by_rule, diagnosis.failed)
    for sentence in _limits(diagnosis):
        out.print(sentence)
    if diagnosis.misnamed:
        out.print()
        out.print(_misnamed(diagnosis), style="bold")
        _show(out, smallest(diagnosis.misnamed))
    if unanswered := [result for result in examination.results if result.is_unanswered]:
        out.print()
        out.print(f"Without an answer: {len(unanswered)} of those that failed.", style="bold")
        _show(out, smallest(unanswered))
    for sentence in _remarks(examination):
        out.print(sentence)


def _table(by_rule: dict[str, Tally]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("rule")
    for word in ("passed", "failed", "unsupported"):
        table.add_column(word, justify="right")
    for slug, tally in by_rule.items():
        table.add_row(
            Text(f"{edition(CANONICAL).cite(slug)} {slug}", style="red" if tally.failed else ""),
            *(str(n) for n in (tally.passed, tally.failed, tally.unsupported)),
        )
    return table


def _summary(examination: Examination) -> str:
    number = examination.number
    return (
        f"{len(examination.results)} questions: {number('passed')} passed, "
        f"{number('failed')} failed, {number('unsupported')} unsupported."
    )


def _limits(diagnosis: Diagnosis) -> Iterator[str]:
    """What the suspects leave open."""
    if any(suspect.mistake for suspect in diagnosis.suspects) and diagnosis.unexplained:
        yield f"This does not explain {diagnosis.unexplained} of {diagnosis.failed} failures."
    if diagnosis.skipped:
        yield (
            f"Known mistakes were looked for in the smallest failures only, at most {MOST_BOARDS} "
            f"boards and {MOST_COMBATS} combats; {diagnosis.skipped} were left out."
        )


def _misnamed(diagnosis: Diagnosis) -> str:
    """What is wrong with the rules that an engine names for what it rightly refuses."""
    if not diagnosis.foreign:
        return f"Rules named that are not broken: {len(diagnosis.misnamed)} questions."
    few = ", ".join(diagnosis.foreign[:3])
    return f"No ids of rules: {few}. An id is a word, like lethal_in_full_before_next."


def _tell(out: Console, suspect: Suspect, by_rule: dict[str, Tally], failed: int) -> None:
    cited = f"{edition(CANONICAL).cite(suspect.rule)} {suspect.rule}"
    out.print(f"{'Wrong' if suspect.mistake else 'Perhaps wrong'}: {cited}", style="bold")
    out.print(f"  {RULEBOOK[suspect.rule].title}")
    if suspect.mistake:
        out.print(f"  It answers as if {suspect.mistake}.")
    else:
        out.print("  Known mistakes do not explain it; what fails has this rule in common.")
    out.print(f"  This accounts for {suspect.rows} of {failed} failures.")
    failing = by_rule[suspect.rule].smallest
    if failing is not None:
        _show(out, failing)


def _show(out: Console, failing: Result) -> None:
    """A question that failed, what was asked about it, and the right answer beside the given."""
    failure = failing.failures[0]
    asked = failure.request.data.get("assignment")
    out.print(f"  {failing.row.id}: {told(failing.row)}", soft_wrap=True)
    out.print(f"    asked  {failure.request.op}{'' if asked is None else f' {asked}'}")
    out.print(f"    right  {_short(_right(failure))}", soft_wrap=True)
    out.print(f"    given  {_short(failure.given)}", soft_wrap=True)


def _right(failure: Failure) -> Json:
    """Of the right answer what the given one has otherwise."""
    right = failure.request.right
    answer = failure.answer
    if answer is None:
        return right
    return {k: v for k, v in right.items() if k == "rules" or answer.get(k) != v}


def _short(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _remarks(examination: Examination) -> Iterator[str]:
    """What else there is to say about how the engine behaved."""
    engine = examination.engine
    if examination.unknown:
        yield f"Not supported: {', '.join(sorted(examination.unknown))}."
    if examination.refused:
        codes = ", ".join(f"{code} {n}" for code, n in sorted(examination.refused.items()))
        yield f"Requests refused as not supported: {codes}."
    if engine.starts > 1:
        yield f"It had to be started {engine.starts} times."
    if engine.noise:
        yield f"{engine.noise} lines of its output were no answer to what was asked."
    if examination.given_up:
        yield "It was given up, after too many requests in a row without an answer."
    elif examination.ops_given_up:
        ops = ", ".join(examination.ops_given_up)
        yield f"Given up after too many requests in a row without an answer: {ops}."
    if examination.unshrunk:
        yield f"{examination.unshrunk} more that failed were not made smaller."


# --- for programs ---------------------------------------------------------------------------------


def as_data(examination: Examination) -> Json:
    """The report in the JSON shape; `smallest` is the smallest question that failed, or null."""
    engine = examination.engine
    diagnosis = diagnose(examination.results)
    return {
        "command": engine.command,
        **{status: examination.number(status) for status in ("passed", "failed", "unsupported")},
        "unanswered": sum(result.is_unanswered for result in examination.results),
        "unsupported_ops": sorted(examination.unknown),
        "refused": dict(sorted(examination.refused.items())),
        "starts": engine.starts,
        "noise": engine.noise,
        "given_up": examination.given_up,
        "ops_given_up": examination.ops_given_up,
        "unshrunk": examination.unshrunk,
        "suspects": [suspect._asdict() for suspect in diagnosis.suspects],
        "unexplained": diagnosis.unexplained,
        "no_rule_ids": diagnosis.foreign,
        "rules": [
            {
                "rule": slug,
                "number": edition(CANONICAL).number(slug),
                "passed": tally.passed,
                "failed": tally.failed,
                "unsupported": tally.unsupported,
                "smallest": tally.smallest and _failure(tally.smallest),
            }
            for slug, tally in tallies(examination.results).items()
        ],
    }


def _failure(result: Result) -> Json:
    failure = result.failures[0]
    return {
        "id": result.row.id,
        "question": told(result.row),
        "request": failure.request.data,
        "right": failure.request.right,
        "given": failure.given,
    }


def as_junit(examination: Examination) -> bytes:
    """The report as JUnit XML: a test case for every row, in the class of the first rule."""
    suite = ElementTree.Element(
        "testsuite",
        name="lethal conform",
        tests=str(len(examination.results)),
        failures=str(examination.number("failed")),
        skipped=str(examination.number("unsupported")),
    )
    for result in examination.results:
        of = result.row.rules[0] if result.row.rules else "any"
        case = ElementTree.SubElement(suite, "testcase", classname=of, name=result.row.id)
        if result.status == "unsupported":
            ElementTree.SubElement(case, "skipped")
        for failure in result.failures:
            told_as = ElementTree.SubElement(
                case, "failure", message=f"{failure.request.op}: {told(result.row)}"
            )
            told_as.text = _printable(
                f"right {_short(_right(failure))}\ngiven {_short(failure.given)}"
            )
    ElementTree.indent(suite)
    text: str = ElementTree.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _printable(text: str) -> str:
    """The text without the characters that XML cannot have."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
