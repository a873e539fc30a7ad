"""Control groups of version 2, in a hierarchy of plain files: which are divided, and what is written into them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scoring.extensions.sandbox import groups
from scoring.extensions.sandbox.groups import ControlGroup, find_parent_groups

SLICE, SCOPE = "user.slice/app.slice", "user.slice/app.slice/run.scope"


class Hierarchy:
    """A folder that looks like a mounted hierarchy, and the files of a process in a group of it."""

    def __init__(self, folder: Path, own: str, root: str = "/") -> None:
        self.mount, self.process = folder / "cgroup", folder / "process"
        self.process.mkdir()
        (self.process / "cgroup").write_text(f"1:name=systemd:/elsewhere\n0::{root.rstrip('/')}/{own}\n")
        (self.process / "mountinfo").write_text(
            "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
            f"30 23 0:26 {root} {self.mount} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
        )
        for place in [*reversed(Path(own).parents), Path(own)]:
            self.make(place)

    def make(self, place: Path | str) -> None:
        """One group, with what the kernel puts into it; the uppermost has no limits."""
        (self.mount / place).mkdir(parents=True)
        files = {"cgroup.controllers": "cpu memory pids\n", "cgroup.subtree_control": "", "cgroup.procs": ""}
        if self.mount / place != self.mount:
            files |= {"memory.max": "max\n", "memory.high": "max\n", "cpu.max": "max 100000\n", "pids.max": "4915\n"}
        for name, text in files.items():
            (self.mount / place / name).write_text(text)

    def holds_processes(self, place: str) -> None:
        """The kernel refuses to divide what the group has."""
        control = self.mount / place / "cgroup.subtree_control"
        control.unlink()
        control.mkdir()

    def read(self, place: str, name: str) -> str:
        return (self.mount / place / name).read_text()


@pytest.fixture
def hierarchy(tmp_path: Path) -> Hierarchy:
    made = Hierarchy(tmp_path, SCOPE)
    made.holds_processes(SCOPE)
    return made


@pytest.fixture
def group(hierarchy: Hierarchy, monkeypatch: pytest.MonkeyPatch) -> tuple[ControlGroup, Path]:
    found = find_parent_groups(hierarchy.process)
    monkeypatch.setattr(groups, "find_parent_groups", lambda: found)
    made = ControlGroup()
    (folder,) = (hierarchy.mount / SLICE).glob("scoring-*")
    for name in ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cgroup.procs"):
        (folder / name).write_text("")
    return made, folder


def test_a_group_is_made_beside_the_one_that_holds_this_process(hierarchy: Hierarchy) -> None:
    assert find_parent_groups(hierarchy.process) == {"memory2": hierarchy.mount / SLICE}
    assert hierarchy.read(SLICE, "cgroup.subtree_control") == "+memory +pids"


def test_controllers_that_are_passed_on_already_are_left_alone(hierarchy: Hierarchy) -> None:
    (hierarchy.mount / SLICE / "cgroup.subtree_control").write_text("cpu memory pids\n")
    assert find_parent_groups(hierarchy.process) == {"memory2": hierarchy.mount / SLICE}
    assert hierarchy.read(SLICE, "cgroup.subtree_control") == "cpu memory pids\n"


def test_what_is_not_there_is_not_asked_for(hierarchy: Hierarchy) -> None:
    (hierarchy.mount / SLICE / "cgroup.controllers").write_text("memory\n")
    assert find_parent_groups(hierarchy.process) == {"memory2": hierarchy.mount / SLICE}
    assert hierarchy.read(SLICE, "cgroup.subtree_control") == "+memory"


def test_a_hierarchy_without_memory_is_of_no_use(hierarchy: Hierarchy) -> None:
    for place in (SCOPE, SLICE, "user.slice", "."):
        (hierarchy.mount / place / "cgroup.controllers").write_text("hugetlb\n")
    assert find_parent_groups(hierarchy.process) == {}
    assert hierarchy.read(SLICE, "cgroup.subtree_control") == ""


@pytest.mark.parametrize(
    ("name", "limit"), [("memory.max", "1073741824\n"), ("memory.high", "1000000\n"), ("cpu.max", "50000 100000\n")]
)
def test_nobody_gets_out_of_a_limit_by_a_group(name: str, limit: str, hierarchy: Hierarchy) -> None:
    (hierarchy.mount / SCOPE / name).write_text(limit)
    assert find_parent_groups(hierarchy.process) == {}


def test_a_limit_on_the_group_that_is_divided_holds_for_ours_too(hierarchy: Hierarchy) -> None:
    (hierarchy.mount / SLICE / "memory.max").write_text("1073741824\n")
    assert find_parent_groups(hierarchy.process) == {"memory2": hierarchy.mount / SLICE}


def test_the_search_ends_where_the_hierarchy_is_mounted(tmp_path: Path) -> None:
    # A container sees a part of the hierarchy, and is in the uppermost group of that.
    inside = Hierarchy(tmp_path, "", root="/docker/0123")
    inside.holds_processes(".")
    assert find_parent_groups(inside.process) == {}


def test_a_container_of_which_the_uppermost_group_is_free_is_divided(tmp_path: Path) -> None:
    inside = Hierarchy(tmp_path, "init", root="/docker/0123")
    inside.holds_processes("init")
    assert find_parent_groups(inside.process) == {"memory2": inside.mount}


def test_the_limits_of_a_case_are_written_once(group: tuple[ControlGroup, Path]) -> None:
    made, folder = group
    made.limit(300 << 20, 16)
    names = ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max")
    assert [(folder / name).read_text() for name in names] == [str(300 << 20), "0", "1", "16"]
    (folder / "memory.max").write_text("as it was")
    made.limit(300 << 20, 16)
    assert (folder / "memory.max").read_text() == "as it was"
    made.limit(300 << 20, 17)
    assert (folder / "memory.max").read_text() == str(300 << 20)


def test_a_process_joins_by_what_it_inherits(group: tuple[ControlGroup, Path]) -> None:
    made, folder = group
    with made.joining() as opened:
        (descriptor,) = opened
        os.write(descriptor, b"0")
    assert (folder / "cgroup.procs").read_text() == "0"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_only_a_limit_of_its_own_that_was_met_is_the_programs_fault(group: tuple[ControlGroup, Path]) -> None:
    made, folder = group

    def happened(killed: int, own: int, reclaimed: int = 0) -> bool:
        (folder / "memory.events").write_text(f"low 0\nhigh 0\nmax 9\noom 9\noom_kill {killed}\noom_group_kill 0\n")
        (folder / "memory.events.local").write_text(f"low 0\nhigh 0\nmax {reclaimed}\noom {own}\noom_kill {killed}\n")
        return made.overran()

    assert not made.overran()
    assert happened(killed=3, own=1)
    assert not happened(killed=3, own=1), "it was told already"
    assert not happened(killed=4, own=1), "a group above it had no more"
    assert not happened(killed=5, own=1, reclaimed=7), (
        "its limit was met, and room was found by dropping what is cached"
    )
    assert not happened(killed=5, own=2), "nothing was killed"
    assert happened(killed=6, own=3)


def test_a_group_with_processes_that_are_ending_is_removed_later(group: tuple[ControlGroup, Path]) -> None:
    made, folder = group
    made.remove()
    assert folder.exists()
    for file in folder.iterdir():
        file.unlink()
    groups.remove_ended(0)
    assert not folder.exists()


def test_what_a_killed_process_has_left_is_removed_and_what_is_in_use_stays(
    hierarchy: Hierarchy, group: tuple[ControlGroup, Path]
) -> None:
    forget: Callable[[Path], None] = groups._forget_killed.__wrapped__
    left, living, other = (
        hierarchy.mount / SLICE / f"scoring-{of}" for of in ("99999999-a", f"{os.getpid()}-b", "x-y")
    )
    for folder in (left, living, other):
        folder.mkdir()
    forget(hierarchy.mount / SLICE)
    assert [folder.exists() for folder in (left, living, other, group[1])] == [False, True, True, True]


def test_without_a_group_to_divide_none_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "find_parent_groups", dict)
    with pytest.raises(OSError, match="no control group with memory"):
        ControlGroup()
