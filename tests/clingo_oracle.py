"""Damage assignment as an answer set program: a second oracle, sharing no code with the first.

The rules are in `assignment.lp`; this module only turns a board into facts and models into vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import clingo

PROGRAM = (Path(__file__).parent / "assignment.lp").read_text(encoding="utf-8")


def board_facts(board: Mapping[str, Any]) -> Iterator[str]:
    """Yield the facts of a board."""
    assigner = board.get("assigner", {})
    yield f"pool({board['pool']})"
    yield f"edition({board.get('edition', '465')})"
    yield f"units_are({board.get('units_are', 'defenders')})"
    yield from (f"set({switch},{value})" for switch, value in board.get("readings", {}).items())
    yield from (f"ignores({keyword})" for keyword in assigner.get("ignores", []))
    if assigner.get("any_damage_is_lethal", False):
        yield "any_damage"
    for u, unit in enumerate(board["units"]):
        yield from unit_facts(u, unit)


def unit_facts(u: int, unit: Mapping[str, Any]) -> Iterator[str]:
    """Yield the facts of one unit."""
    yield f"unit({u})"
    yield f"might({u},{unit['might']})"
    yield f"marked({u},{unit.get('marked', 0)})"
    yield from (f"boost({u},{keyword},{unit.get(keyword, 0)})" for keyword in ("assault", "shield"))
    yield from (f"keyword({u},{name})" for name in ("tank", "backline") if unit.get(name, False))
    if unit.get("undamageable", False):
        yield f"undamageable({u})"
    replacements = unit.get("replacements", [])
    yield f"steps({u},{len(replacements)})"
    yield from (step_fact(u, k, step) for k, step in enumerate(replacements, start=1))


def step_fact(u: int, k: int, step: str) -> str:
    """Return the fact of one replacement effect."""
    match step.split():
        case ["prevent", "all"]:
            return f"prevent_all({u},{k})"
        case ["prevent", value]:
            return f"prevent({u},{k},{value})"
        case _:
            return f"double({u},{k})"


def grounded(board: Mapping[str, Any], *arguments: str) -> clingo.Control:
    """Return the program of a board, ready to be solved."""
    control = clingo.Control(list(arguments))
    control.add("base", [], PROGRAM + "".join(f"{fact}.\n" for fact in board_facts(board)))
    control.ground([("base", [])])
    return control


def vector_of(model: clingo.Model) -> tuple[int, ...]:
    """Return the assignment of a model in unit order."""
    pairs = [symbol.arguments for symbol in model.symbols(shown=True)]
    return tuple(points.number for _, points in sorted(pairs, key=lambda pair: pair[0].number))


def legal(board: Mapping[str, Any]) -> list[tuple[int, ...]]:
    """Return every legal assignment, ascending, each found once."""
    found: list[tuple[int, ...]] = []
    control = grounded(board, "--models=0", "--project=show")
    with control.solve(yield_=True) as handle:
        found.extend(vector_of(model) for model in handle)
    if len(set(found)) != len(found):
        raise AssertionError(f"an assignment was found twice: {sorted(found)}")
    return sorted(found)


def need(board: Mapping[str, Any]) -> list[int | str]:
    """Return the need of every enemy unit."""
    control = grounded(board)  # the atoms do not keep it alive
    atoms = control.symbolic_atoms
    exempt = {atom.symbol.arguments[0].number for atom in atoms.by_signature("exempt", 1)}
    needs: dict[int, int] = {}
    for atom in atoms.by_signature("need", 2):
        unit, least = atom.symbol.arguments
        needs[unit.number] = least.number
    units = range(len(board["units"]))
    return ["exempt" if u in exempt else needs.get(u, "never") for u in units]
