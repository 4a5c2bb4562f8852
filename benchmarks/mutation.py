"""Mutation testing of the rulebook with mutmut: `python benchmarks/mutation.py`.

The functions of `rules/` are changed in one place at a time, and the tests that reach the place
have to notice. mutmut makes the mutants, learns which tests reach which, and keeps the verdicts in
`mutants/` for the next run, which tries only survivors and what is new; delete it to begin anew.
Its settings are in `pyproject.toml`. Only how tests are run is our own: they are collected once and
each mutant gets a fork of that, where mutmut would start pytest anew. Printed are the mutants that
survive and the figures of `benchmarks/results/mutation.md`; `mutmut show NAME` shows one of them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from time import perf_counter

import libcst as cst
import mutmut.__main__ as mutmut
import pytest
from _pytest.config import _prepareconfig
from mutmut.mutation import trampoline
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.runners.harness import ListAllTestsResult, PytestRunner
from mutmut.state import state
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import change_cwd, walk_mutatable_files
from mutmut.workers.isolation import ForkRunner

KILLED = ("killed", "timeout")


class CollectedOnce(PytestRunner):
    """The tests that mutants have to pass, collected when they are first asked for."""

    def prepare_main_test_run(self) -> None:
        options = [*self._pytest_add_cli_args, *self._pytest_add_cli_args_test_selection]
        with change_cwd("mutants"):
            config = _prepareconfig(["--quiet", "--rootdir=.", *options])
            config._do_configure()
            session = pytest.Session.from_config(config)
            config.hook.pytest_sessionstart(session=session)
            collected = session.perform_collect()
        # What goes through the command line takes long and says little about the rules.
        self.items = {
            item.nodeid: item
            for item in collected
            if not {"lethal", "capsys", "tmp_path"} & {*getattr(item, "fixturenames", ())}
        }

    def run_tests(self, *, mutant_name: str | None = None, tests: Iterable[str] = ()) -> int:
        # What has killed a mutant of a function comes first for the others.
        killers = Path(f"mutants/{str(mutant_name).rpartition('__mutmut_')[0]}.killers")
        known = killers.read_text(encoding="utf-8").splitlines() if killers.is_file() else []
        names = list(tests) or list(self.items)
        for name in dict.fromkeys((*(name for name in known if name in self.items), *names)):
            if not self._passes(name):
                with killers.open("a", encoding="utf-8") as file:
                    print(name, file=file)
                return 1
        return 0

    def run_stats(self, *, tests: Iterable[str]) -> int:
        for name in list(tests) or self.items:
            state()._stats.clear()
            if not self._passes(name):
                print(f"{name} fails without any mutant")
                return 1
            for function in state()._stats:
                state().tests_by_mangled_function_name[function].add(name)
        return 0

    def list_all_tests(self) -> ListAllTestsResult:
        return ListAllTestsResult(ids=set(self.items))

    def _passes(self, name: str) -> bool:
        item = self.items[name]
        began = perf_counter()
        _forget()
        item._initrequest()
        try:
            with change_cwd("mutants"):
                item.session._setupstate.setup(item)
                item.runtest()
        except pytest.skip.Exception:
            return True
        except BaseException:
            return False
        finally:
            item.session._setupstate.teardown_exact(None)
            state().duration_by_test[name] = perf_counter() - began
        return True


def _skips(self: MutationVisitor, node: cst.CSTNode) -> bool:
    """As mutmut has it, but for functions whose results are remembered: they are mutated, too."""
    if isinstance(node, cst.FunctionDef) and node.decorators:
        decorator = node.decorators[0].decorator
        if isinstance(decorator, cst.Call) and decorator.func.value == "lru_cache":
            return False
    return _mutmut_skips(self, node)


_mutmut_skips = MutationVisitor._skip_node_and_children


def _forget() -> None:
    """Empty what is remembered, so that a test reaches the same code alone and among others."""
    for name, module in sys.modules.items():
        if name.partition(".")[0] in ("rules", "solver"):
            for one in vars(module).values():
                if hasattr(one, "cache_clear"):
                    one.cache_clear()


def _runner(workers: int = 1) -> ForkRunner:
    tests = CollectedOnce()
    tests.prepare_main_test_run()
    return ForkRunner(workers, tests)


def verdicts() -> Iterator[SourceFileMutationData]:
    """The mutants of each module with what became of them, as mutmut keeps it."""
    for path in sorted(walk_mutatable_files()):
        data = SourceFileMutationData(path=path)
        data.load()
        if data.exit_code_by_key:
            yield data


def survivors(data: SourceFileMutationData) -> list[str]:
    """The names of the mutants of a module that no test has killed."""
    codes = data.exit_code_by_key
    return [name for name, code in codes.items() if status_by_exit_code[code] not in KILLED]


def figures() -> str:
    """How many mutants live and die, by module, as a table in Markdown."""
    rows = [("module", "mutants", "killed", "survive", "killed %"), (":--", *["--:"] * 4)]
    total: Counter[str] = Counter()
    for data in verdicts():
        counted = Counter(mutants=len(data.exit_code_by_key), survive=len(survivors(data)))
        rows.append(_row(f"`{data.path}`", counted))
        total += counted
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (*rows, _row("all", total)))


def _row(name: str, counted: Counter[str]) -> tuple[str, ...]:
    mutants, survive = counted["mutants"], counted["survive"]
    share = f"{100 * (mutants - survive) / mutants:.1f}"
    return name, str(mutants), str(mutants - survive), str(survive), share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mutants", nargs="*", help="names or patterns; by default all")
    parser.add_argument("--workers", type=int, default=2, help="how many at a time (default 2)")
    arguments = parser.parse_args()
    for data in verdicts():
        # They may be killed by tests that are new.
        data.exit_code_by_key.update(dict.fromkeys(survivors(data)))
        data.save()
    MutationVisitor._skip_node_and_children = _skips
    mutmut.get_mutant_runner = _runner
    trampoline.get_mutant_under_test = lambda: trampoline._mutant_under_test
    mutmut._run(arguments.mutants, arguments.workers)
    print(*chain.from_iterable(map(survivors, verdicts())), figures(), sep="\n")


if __name__ == "__main__":
    main()
