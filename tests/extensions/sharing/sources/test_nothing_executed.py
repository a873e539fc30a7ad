"""Nothing that is fetched is executed, imported, checked out or built: a canary would tell."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from scoring.errors import InputError
from scoring.extensions.sharing.sources.distribution import DistributionSource
from scoring.extensions.sharing.sources.folder import FolderSource
from scoring.extensions.sharing.sources.git import GitSource
from scoring.extensions.sharing.sources.written import SourceOfPacks
from tests.extensions.sharing.sources.packs import pack
from tests.support.git_repository import Repository
from tests.support.wheels import take_for_index, write_wheel

TAGGED = "kind: pack\nname: tagged\nversion: 1.0.0\ndoc: !!python/object/apply:os.system ['touch {canary}']\n"


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "canary"


def armed(canary: Path) -> dict[str, str]:
    """Files each of which would make the canary, were it run."""
    shell, python = f"touch {canary}\n", f"open({str(canary)!r}, 'w')\n"
    return {
        "pack.yaml": pack("armed"),
        "tagged.yaml": TAGGED.format(canary=canary),
        "__init__.py": python,
        "conftest.py": python,
        "setup.py": python,
        "sitecustomize.py": python,
        "pip.py": python,
        "pip/__main__.py": python,
        "git": f"#!/bin/sh\n{shell}",
        ".gitattributes": "* filter=evil diff=evil merge=evil text eol=crlf\n",
        ".gitmodules": f'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% {canary}\n',
        ".lfsconfig": f"[lfs]\n\turl = ext::{shell}",
        "hooks/post-checkout": f"#!/bin/sh\n{shell}",
        "x.pth": f"import os; {python}",
    }


def offered(source: SourceOfPacks) -> set[str]:
    return {one.name for one in source.releases() if one.content.files}


def test_a_repository_is_read_and_nothing_of_it_runs(canary: Path, tmp_path: Path) -> None:
    made = Repository(tmp_path / "armed")
    made.commit(armed(canary), tag="v1")
    for hook in ("post-checkout", "post-upload-pack", "pre-receive", "reference-transaction", "post-index-change"):
        place = made.path / ".git" / "hooks" / hook
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"#!/bin/sh\ntouch {canary}\n")
        place.chmod(0o755)
    made.git("config", "filter.evil.smudge", f"touch {canary}")
    made.git("config", "core.fsmonitor", f"touch {canary}")
    assert offered(GitSource(made.address, tag="v1")) == {"armed"}
    assert not canary.exists()


def test_the_filters_of_ones_own_git_are_not_asked(
    canary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    made = Repository(tmp_path / "armed")
    made.commit(armed(canary), tag="v1")
    (tmp_path / ".gitconfig").write_text(
        f'[filter "evil"]\n\tsmudge = touch {canary}\n\tprocess = touch {canary}\n'
        f"[core]\n\thooksPath = {tmp_path}/hooks\n"
    )
    (tmp_path / "hooks").mkdir()
    for hook in ("reference-transaction", "post-checkout"):
        (tmp_path / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {canary}\n")
        (tmp_path / "hooks" / hook).chmod(0o755)
    assert offered(GitSource(made.address, tag="v1")) == {"armed"}
    assert not canary.exists()


def test_what_a_repository_on_this_machine_is_configured_with_is_not_started(canary: Path, tmp_path: Path) -> None:
    made = Repository(tmp_path / "armed")
    made.commit({"pack.yaml": pack("armed"), "other.yaml": pack("other")}, tag="v1")
    touch = f"touch {canary}"
    for name in ("uploadpack.packObjectsHook", "core.alternateRefsCommand", "core.sshCommand", "core.gitProxy"):
        made.git("config", name, touch)
    made.git("config", "credential.helper", f"!{touch}")
    assert offered(GitSource(made.address, tag="v1")) == {"armed", "other"}
    # An object that it would fetch from a helper of its own choice.
    made.git("config", "remote.origin.url", f"ext::sh -c touch% {canary}")
    made.git("config", "remote.origin.promisor", "true")
    made.git("config", "extensions.partialClone", "origin")
    made.git("config", "protocol.ext.allow", "always")
    blob = made.git("rev-parse", "HEAD:other.yaml")
    (made.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(InputError, match="can't be fetched"):
        GitSource(made.address, tag="v1").releases()
    assert not canary.exists()


def test_a_wheel_is_read_and_not_imported(canary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"armed_wheel/{name}": text for name, text in armed(canary).items()}
    files |= {"armed_wheel.pth": f"import os; open({str(canary)!r}, 'w')\n", "sitecustomize.py": "1/0\n"}
    write_wheel(tmp_path / "index", "armed-wheel", "1.0", files, packs={"x": "armed_wheel"})
    take_for_index(tmp_path / "index", monkeypatch)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "work" / "pip.py").write_text(f"open({str(canary)!r}, 'w')\n")
    assert offered(DistributionSource("armed-wheel")) == {"armed"}
    assert not canary.exists()
    assert "armed_wheel" not in sys.modules


def test_a_source_distribution_is_never_built(canary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "armed_source-1.0"
    root.mkdir()
    (root / "setup.py").write_text(f"open({str(canary)!r}, 'w')\n")
    (root / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: armed-source\nVersion: 1.0\n")
    (tmp_path / "index").mkdir()
    with tarfile.open(tmp_path / "index" / "armed_source-1.0.tar.gz", "w:gz") as archive:
        archive.add(root, root.name)
    take_for_index(tmp_path / "index", monkeypatch)
    with pytest.raises(InputError, match="no wheel of it"):
        DistributionSource("armed-source").releases()
    assert not canary.exists()


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system ['touch {}']", "!!python/name:os.system", "!x [{}]"])
def test_tags_of_yaml_make_nothing(canary: Path, tmp_path: Path, tag: str) -> None:
    (tmp_path / "pack.yaml").write_text(pack(more=f"doc: {tag.format(canary)}\n"))
    with pytest.raises(InputError):
        FolderSource(tmp_path / "pack.yaml", "here").releases()
    assert not canary.exists()


WATCHED = """
import json, sys
seen = []
EVENTS = ("import", "exec", "compile", "subprocess.Popen", "os.system", "os.exec", "marshal.loads", "pickle.find_class")
sys.addaudithook(lambda event, given: seen.append([event, repr(given)[:2000]]) if event in EVENTS else None)
from pathlib import Path
from scoring.extensions.sharing.sources.distribution import DistributionSource
from scoring.extensions.sharing.sources.folder import FolderSource
from scoring.extensions.sharing.sources.git import GitSource
seen.clear()  # what is ours was imported by now, but for what is imported late
sources = [GitSource(sys.argv[1], tag="v1"), DistributionSource("armed-wheel"), FolderSource(Path(sys.argv[2]), "x")]
found = [one.name for source in sources for one in source.releases() if one.content.files]
print(json.dumps([found, seen, [getattr(one, "__file__", None) or "" for one in list(sys.modules.values())]]))
"""


def test_the_interpreter_itself_sees_no_import_of_what_was_fetched(
    canary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Repository(tmp_path / "armed")
    made.commit(armed(canary), tag="v1")
    files = {f"armed_wheel/{name}": text for name, text in armed(canary).items()}
    write_wheel(tmp_path / "index", "armed-wheel", "1.0", files, packs={"x": "armed_wheel"})
    take_for_index(tmp_path / "index", monkeypatch)
    run = subprocess.run(
        [sys.executable, "-P", "-c", WATCHED, made.address, str(made.path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=made.path,
    )
    found, seen, places = json.loads(run.stdout)
    assert found == ["armed"] * 3
    assert not [place for place in places if str(tmp_path) in place]
    names = ("armed", "sitecustomize", "conftest", str(made.path), "hooks")
    assert not [line for line in seen if line[0] != "subprocess.Popen" and any(name in line[1] for name in names)]
    matched = [re.match(r"\('([^']*)'", line[1]) for line in seen if line[0] == "subprocess.Popen"]
    assert all(matched)
    started = {one[1] for one in matched if one is not None}
    assert {Path(one).name if one != sys.executable else one for one in started} == {"git", sys.executable}
    assert not canary.exists()
