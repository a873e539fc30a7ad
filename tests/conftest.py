"""Settings of the whole suite.

Properties are tried on random examples where people work, so that every run looks at new ones, and what fails is kept
and shrunk. In CI (the variable `CI` is set; `.ci/run` sets it) they are the same ones in each run: there a red run has
to be the fault of the change that it tests.
"""

from __future__ import annotations

import compileall
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
# Time limits of single examples would make tests depend on how busy the machine is.
settings.register_profile("scoring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("scoring-ci", settings.get_profile("scoring"), derandomize=True, database=None)
settings.load_profile("scoring-ci" if os.environ.get("CI") else "scoring")

# Sixteen thousand tests and what they have imported live as long as the suite: to look for garbage among them again and
# again took an eighth of its time.
gc.set_threshold(10_000, 20, 100)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that runs what a short run leaves out."""
    parser.addoption("--slow", action="store_true", help="run the functions of tests/slow.txt, too, as CI does")


def pytest_configure(config: pytest.Config) -> None:
    """Settle whether the slow tests run, and compile the package once.

    The slow ones run with `--slow`, in CI, and where files or tests are named. Where Python is told to write no
    bytecode, each of the many processes that tests start would compile the package anew, which took longer than what is
    tested.
    """
    is_short = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not os.environ.get("CI")
    config.option.slow = config.option.slow or not is_short
    if sys.dont_write_bytecode and not hasattr(config, "workerinput"):
        compileall.compile_dir(TESTS.parent / "scoring", quiet=2)


def pytest_report_header(config: pytest.Config) -> str:
    """Say whether slow tests are left out."""
    return "" if config.option.slow else f"without the {len(SLOW)} slow tests of tests/slow.txt: `--slow` runs them"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep the bytecode of test modules, whose asserts pytest rewrites; what a test imports leaves nothing behind."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        return (yield)
    finally:
        sys.dont_write_bytecode = before


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `-n` a file stays in one process, which makes what its tests share once; files come in their own order.

    Shared out test by test, most files were in both processes, and what they share was made twice. Whoever names
    another `--dist` gets it.
    """
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # by the number of tests, the longest files came last
    return LoadFileScheduling(config, log)


IS_CORE_ALONE = not (TESTS.parent / "scoring" / "extensions").is_dir()
"""Whether this is a copy without extensions and packs, see `.ci/core.py`."""


def _listed(name: str) -> frozenset[str]:
    lines = (TESTS / name).read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


BEYOND_CORE = _listed("beyond_core.txt")
"""Files, folders and functions of tests that need extensions or packs."""
SLOW = _listed("slow.txt")
"""Functions of tests, and files of stories, that a short run leaves out."""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the files and folders of a core that stands alone which need what it lacks."""
    place = collection_path.relative_to(TESTS.parent).as_posix()
    return True if IS_CORE_ALONE and place in BEYOND_CORE else None


def _is_slow(test: str) -> bool:
    return test.partition("[")[0] in SLOW or test.partition("::")[0] in SLOW


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests in a short run; expect the listed functions to fail in a core that stands alone."""
    slow = [] if config.option.slow else [item for item in items if _is_slow(item.nodeid)]
    if slow:
        config.hook.pytest_deselected(items=slow)
        left_out = set(slow)
        items[:] = [item for item in items if item not in left_out]
    for item in items if IS_CORE_ALONE else ():
        if item.nodeid.partition("[")[0] in BEYOND_CORE:
            item.add_marker(pytest.mark.xfail(reason="it needs an extension or a pack", strict=False))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """End a run of the core with an error where a listed function passes, whatever its parameters are."""
    if not IS_CORE_ALONE:
        return
    of = {
        name: {report.nodeid.partition("[")[0] for report in terminalreporter.stats.get(name, ())}
        for name in ("xpassed", "xfailed")
    }
    idle = sorted(of["xpassed"] - of["xfailed"])
    if idle:
        terminalreporter.section("strike off tests/beyond_core.txt what passes in the core")
        terminalreporter.write("\n".join([*idle, ""]))
        config.stash[_IDLE] = True


_IDLE = pytest.StashKey[bool]()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Turn idle lines of the list into a failed run."""
    if config.stash.get(_IDLE, False):
        pytest.exit("tests/beyond_core.txt lists tests that pass in the core", returncode=1)


@pytest.fixture(autouse=True, scope="module")
def no_process_is_left() -> Iterator[None]:
    """A process that is left behind fails the module that left it, and not whatever test runs when it is noticed."""
    before = _children()
    yield
    left = {one for one in _children() - before - _idle_workers() if not _is_of_python(one)}
    assert not left, f"processes are left: {[_told(Path('/proc', one, 'cmdline')) for one in left]}"


def _children() -> set[str]:
    """The numbers of the child processes; none where the system does not tell."""
    return {number for path in Path("/proc/self/task").glob("*/children") for number in _told(path).split()}


def _told(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # the thread or the process has just ended
        return ""


def _is_of_python(number: str) -> bool:
    """Whether it is the helper that Python starts with the first spawned process, and ends with this one."""
    return "multiprocessing.resource_tracker" in _told(Path("/proc", number, "cmdline"))


def _idle_workers() -> set[str]:
    """Workers that wait for the next question; they end with this process."""
    idle = sys.modules.get("scoring.extensions.processes.workers")
    everywhere = list(idle._everywhere) if idle is not None else []
    return {str(worker.process.pid) for workers in everywhere for worker in workers._idle}
