"""`--benchmark-enable` runs the benchmarks although the project's own options skip them."""

from __future__ import annotations

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let what is asked for on the command line win over `--benchmark-skip`."""
    if getattr(config.option, "benchmark_enable", False):
        config.option.benchmark_skip = False
