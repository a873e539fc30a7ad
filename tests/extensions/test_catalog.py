"""Every finding has a page, every page is of a finding, and the specs on the pages do what the pages say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from msgspec.structs import replace

import scoring
from scoring.api import check_file
from scoring.compiler.identity.lock import read_lock
from scoring.diagnostics import catalog
from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.examples.running import run_examples
from scoring.extensions.sharing.contents import PackContent, keep_content
from scoring.extensions.sharing.lock_text import write_lock
from scoring.extensions.sharing.signing.check import check_release
from scoring.extensions.sharing.signing.statement import Statement
from scoring.extensions.sharing.signing.trust import Trust
from scoring.format.load import Loader
from scoring.format.packs import packs_of
from scoring.format.read import read_file
from scoring.format.read_json import read_data
from scoring.format.read_yaml import read_yaml
from scoring.format.validate import validate
from scoring.project.file import PackSource, parse_project_file
from scoring.project.lock import LockedPack, ProjectLock, parse_project_lock
from scoring.project.store import PackStore
from scoring.registry import registry
from scoring.registry.model import Distribution
from scoring.registry.plugins import PlugIn
from tests.diagnostics.raised import raised_ids

ALL = catalog.ids()
_FENCE = re.compile(r"^```(?P<format>\w+) (?P<use>bad|good)(?: (?P<name>[\w.-]+))?\n(?P<text>.*?)^```$", re.M | re.S)
HEAD = "kind: task\nname: demo/answers\nversion: 1.0.0\n"
CLOSE = """
kind: pack
name: close
version: 1.0.0
scorers:
  close_text: {{params: {{threshold: {}}}, score: levenshtein | zero_below(threshold)}}
"""
LOOSE = b"kind: pack\nname: demo\nversion: 1.0.0\nscorers: {near: {score: lower|equal, examples: [[A, a, 1.0]]}}\n"
NEAR = """\
kind: pack
name: near
version: 1.0.0
doc: D
scorers:
  near:
    score: lower | levenshtein | zero_below(least)
    params: {least: 0.8}
    doc: D
    source: S
    examples: [[Cafe, cafe, 1.0], [cafe, tea, 0.0]]
"""
BOMB = "".join(f"  a{i}: any_of(a{i - 1}, a{i - 1})\n" for i in range(1, 25))

# Causes that a page can't spell out: what is too large, what is no text, what is no file.
CAUSES: dict[str, Callable[[Path], Any]] = {
    "no-such-file": lambda folder: read_file(folder / "spces.yaml"),
    "no-such-path": lambda folder: scoring.evaluate(
        {"kind": "task", "name": "demo", "record": {"id": "nope"}, "score": "equal"}, [{"response": "a"}]
    ),
    "lock-mismatch": lambda folder: read_lock(folder / "spec.yaml"),
    "project-file": lambda folder: parse_project_file("[packs]\nclose = { foldr = '../close' }"),
    "project-lock": lambda folder: parse_project_lock(b"<<<<<<< HEAD"),
    "project-store": lambda folder: PackStore(folder).read("0" * 64),
    "not-locked": lambda folder: imported_in(folder, is_locked=False),
    "pack-changed": lambda folder: imported_in(folder, is_locked=True),
    "not-trusted": lambda folder: check_release(
        None, Statement("pack", "close", "1.0.0", "0" * 64), Trust(require=("close",))
    ),
    "not-formatted": lambda folder: unformatted(written(folder, LOOSE)),
    "audit-law": lambda folder: audited(written(folder, LOOSE)),
    "version-too-low": lambda folder: released(folder, "0.9.0", NEAR.replace("0.8", "0.5")),
    "release-incomplete": lambda folder: released(folder, "0.9.0", NEAR.replace("    doc: D\n", "")),
    "release-idle-exception": lambda folder: released(folder, "0.9.0", NEAR + "    audit: {except: {case: none}}\n"),
    "release-not-committed": lambda folder: released(folder, "", NEAR, tag=True),
    "not-utf-8": lambda folder: read_file(written(folder, "doc: café".encode("latin-1"))),
    "too-large": lambda folder: read_file(written(folder, b"x" * 9_000_000)),
    "too-deep": lambda folder: read_yaml("[" * 65 + "]" * 65),
    "too-many-values": lambda folder: read_yaml("[" + "1," * 100_001 + "]"),
    "unprintable-character": lambda folder: read_yaml("score: lower\0 | equal"),
    "number-too-long": lambda folder: read_yaml("weight: " + "9" * 500),
    "not-json-data": lambda folder: read_data({"by": {"doc_type"}}),
    "yaml-too-many-aliases": lambda folder: read_yaml("a: &a 1\nby: [" + "*a, " * 101 + "]"),
    "broken-plug-in": lambda folder: PlugIn("house", "house_metrics.gone", "house-metrics").load(),
    "wrong-kind": lambda folder: scoring.load({"kind": "pack", "name": "demo", "version": "1.0.0"}),
    "bad-value": lambda folder: refused("{a: 1, b: 2}", {"not": {"required": ["a", "b"]}}),
    "repeated-item": lambda folder: refused("[a, a]", {"uniqueItems": True}),
    "undeclared-distribution": lambda folder: undeclared_in(folder),
    "spec-too-large": lambda folder: found_in(
        written(folder, f"kind: pack\nname: demo\nversion: 1.0.0\nscorers:\n  a0: equal\n{BOMB}".encode())
    ),
}


def imported_in(folder: Path, *, is_locked: bool) -> None:
    """Import `close` in a project, whose lock has another content of it."""
    (folder / "scoring.toml").write_text("[packs]\nclose = { folder = 'close' }")
    (folder / "close").mkdir()
    (folder / "close" / "pack.yaml").write_text(CLOSE.format(0.5))
    if is_locked:
        content = PackContent({"pack.yaml": CLOSE.format(0.8).encode()}, "pack.yaml")
        keep_content(PackStore(folder / ".scoring" / "store"), content)
        pack = LockedPack("close", "1.0.0", content.digest, "pack.yaml", PackSource("folder", "close"), "pack.yaml")
        write_lock(ProjectLock((pack,)), folder / "scoring.lock")
    packs_of(Loader()).by_name("close", "1", folder=folder)


def undeclared_in(folder: Path) -> None:
    """Use a primitive of another distribution."""
    casefold = registry.get("casefold")
    assert casefold is not None
    acme = replace(casefold, name="acme/fold", distribution=Distribution("acme-metrics", "1.2"))
    with mock.patch.dict(registry._steps, {"acme/fold": acme}):
        found_in(written(folder, b"kind: pack\nname: demo\nversion: 1.0.0\ntransforms: {a: acme/fold}\n"))


def written(folder: Path, content: bytes) -> Path:
    path = folder / "spec.yaml"
    path.write_bytes(content)
    return path


def refused(text: str, schema: dict[str, Any]) -> None:
    validate(read_yaml(text), schema).raise_errors()


def released(folder: Path, old: str, text: str, *, tag: bool = False) -> None:
    """Release a pack, held against an older one that was released as 1.0.0 where ``old`` says any."""
    (folder / "old.yaml").write_text(NEAR)
    path = written(folder, text.encode())
    is_raised = "0.5" not in text
    found = scoring.packs.release(
        path, dry_run=True, tag=tag, against=folder / "old.yaml" if old else None, raise_version=is_raised and not tag
    )
    raise SpecError(found.findings)


def unformatted(path: Path) -> None:
    raise SpecError(change.finding() for change in scoring.specs.fmt(path, write=False).changes)


def audited(path: Path) -> None:
    raise SpecError(scoring.audit(path).diagnostics(path))


def found_in(path: Path) -> None:
    found = check_file(path)
    if found:
        raise SpecError(found)


@dataclass(frozen=True)
class Example:
    """An example on a page of the catalog: the text of its spec and the format, and its other files by name."""

    format: str
    text: str
    files: dict[str, str]


def example_on_page(id: str, use: str) -> Example | None:
    """Return the example of a finding's page that causes it (`use` is "bad") or does not ("good"); None without one."""
    found = [match for match in _FENCE.finditer(catalog.page(id) or "") if match["use"] == use]
    if not found:
        return None
    spec, *others = found
    return Example(spec["format"], spec["text"], {other["name"]: other["text"] for other in others})


def check(example: Example, folder: Path) -> list[str]:
    for name, text in example.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    path = folder / f"spec.{example.format}"
    path.write_text(example.text, encoding="utf-8")
    found = check_file(path)
    return [one.id for one in found] if found else failed_examples(path)


def failed_examples(path: Path) -> list[str]:
    """What `scoring test` finds in a spec that is in order."""
    loader = Loader()
    return [tried.finding().id for tried in run_examples(loader.file(path), loader) if tried.problem]


def is_spec(id_: str) -> bool:
    example = example_on_page(id_, "good")
    return example is not None and example.format != "text"


def test_every_id_that_is_raised_has_a_page() -> None:
    assert {id_: place for id_, place in raised_ids().items() if id_ not in ALL} == {}


def test_every_page_is_of_an_id_that_is_raised() -> None:
    assert sorted(set(ALL) - set(raised_ids())) == []


@pytest.mark.parametrize("id_", ALL)
def test_a_page_has_its_parts_in_order(id_: str) -> None:
    page = catalog.page(id_) or ""
    title, meaning, why = page.split("\n\n")[:3]
    assert title == f"# {id_}"
    assert not meaning.startswith("```")
    assert not why.startswith("```")
    assert 0 < page.index(" bad\n") < page.index(" good\n")


@pytest.mark.parametrize("id_", [id_ for id_ in ALL if id_ not in CAUSES])
def test_the_failing_example_gives_the_finding(id_: str, tmp_path: Path) -> None:
    example = example_on_page(id_, "bad")
    assert example is not None
    assert set(check(example, tmp_path)) == {id_}


@pytest.mark.parametrize("id_", [id_ for id_ in ALL if is_spec(id_)])
def test_the_mended_example_is_clean(id_: str, tmp_path: Path) -> None:
    example = example_on_page(id_, "good")
    assert example is not None
    assert check(example, tmp_path) == []


@pytest.mark.parametrize("id_", CAUSES)
def test_causes_that_are_not_in_a_text(id_: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        CAUSES[id_](tmp_path)
    assert {found.id for found in caught.value.diagnostics} == {id_}


def test_no_page_stands_behind_a_path_or_an_unknown_id() -> None:
    for name in ("../diagnostics", "unknown", "", "UNKNOWN-KEY", "a/b", "duplicate-key\n"):
        assert catalog.page(name) is None
        assert catalog.title(name) == ""
