"""A pack says which distributions its primitives come from, and is refused with the line that installs them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from msgspec.structs import replace

import scoring
from scoring.api import check_file
from scoring.registry import registry
from scoring.registry.model import Distribution


def pack(requires: str = "", score: str = "equal") -> str:
    head = "kind: pack\nname: close\nversion: 1.0.0\n"
    return f"{head}{f'requires: {requires}' if requires else ''}\nscorers: {{same: '{score}'}}\n"


def found(path: Path, text: str) -> list[str]:
    path.write_text(text)
    return [f"{one.id}: {one.message} | {' '.join(one.help)}" for one in check_file(path)]


@pytest.fixture
def acme() -> Iterator[None]:
    casefold = registry.get("casefold")
    assert casefold is not None
    fold = replace(casefold, name="acme/fold", distribution=Distribution("acme-metrics", "1.2"))
    with mock.patch.dict(registry._steps, {"acme/fold": fold}):
        yield


def test_what_is_not_installed_is_told_with_the_line_that_installs_it(tmp_path: Path) -> None:
    (said,) = found(tmp_path / "pack.yaml", pack("[acme-none>=1.2]"))
    assert said == (
        "missing-distribution: `close` needs the distribution `acme-none>=1.2`, which is not installed"
        " | install it if you trust its code: pip install 'acme-none>=1.2'"
    )


def test_an_older_release_is_told_with_the_installed_one(tmp_path: Path) -> None:
    (said,) = found(tmp_path / "pack.yaml", pack("[pytest >= 1000]"))
    assert "needs the distribution `pytest>=1000`, but " in said
    assert found(tmp_path / "pack.yaml", pack("[pytest>=1, 'PyTest_x<1']"))[0].startswith("missing-distribution")
    assert found(tmp_path / "pack.yaml", pack("[pytest>=1]")) == []


def test_who_imports_such_a_pack_is_told_once_and_of_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "pack.yaml").write_text(pack("[acme-none]", score="acme/shout | equal"))
    task = tmp_path / "task.yaml"
    said = found(task, "kind: task\nname: t\nversion: 1.0.0\nimports: {c: ./pack.yaml}\nscore: c.same\n")
    assert [one.partition(":")[0] for one in said] == ["missing-distribution"]
    with pytest.raises(scoring.SpecError, match="needs the distribution `acme-none`"):
        scoring.load(task)


@pytest.mark.usefixtures("acme")
def test_what_is_used_and_not_required_is_a_warning(tmp_path: Path) -> None:
    (said,) = found(tmp_path / "pack.yaml", pack(score="acme/fold | acme/fold | equal"))
    assert said == (
        "undeclared-distribution: `acme/fold` is a primitive of `acme-metrics`, which the pack does not require"
        " | write it at the top of the pack: requires: [acme-metrics>=1.2]"
    )
    with mock.patch("importlib.metadata.version", return_value="1.3"):
        assert found(tmp_path / "pack.yaml", pack("[Acme_Metrics>=1.2]", score="acme/fold | equal")) == []


@pytest.mark.parametrize(
    "requires",
    [
        "[acme@1]",
        "['acme; python_version>\"3\"']",
        "['acme[x]']",
        "['-r x']",
        "['acme>=']",
        "[3]",
        "[acme>=1+]",
        "acme",
    ],
)
def test_what_is_no_requirement_is_refused_where_it_stands(tmp_path: Path, requires: str) -> None:
    said = found(tmp_path / "pack.yaml", pack(requires))
    assert said
    assert all(not one.startswith("missing") for one in said)


def test_one_distribution_is_required_once(tmp_path: Path) -> None:
    assert (
        "repeated-item: `Scoring_DSL` is listed twice"
        in found(tmp_path / "pack.yaml", pack("[scoring-dsl>=0, Scoring_DSL<9]"))[0]
    )
