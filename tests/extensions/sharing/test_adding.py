"""Packs are added, upgraded and removed: the project file, the lock and the store follow."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main
from scoring.errors import InputError
from scoring.extensions.sharing.sources.versions_file import ListedRelease, versions_text
from tests.extensions.sharing.project.world import pack
from tests.support.file_server import FileServer, file_server
from tests.support.git_repository import Repository
from tests.support.locking import lock_project
from tests.support.wheels import take_for_index, write_wheel


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is no project yet, and where we work."""
    found = tmp_path / "team-b"
    found.mkdir()
    monkeypatch.chdir(found)
    return found


@pytest.fixture
def metrics(tmp_path: Path) -> Repository:
    """A repository with three releases."""
    made = Repository(tmp_path / "metrics")
    made.commit({"packs/close/pack.yaml": pack("1.0.0")}, tag="v1.0.0")
    made.commit({"packs/close/pack.yaml": pack("1.1.0", doc="Said better.")}, tag="v1.1.0", annotated=True)
    made.commit({"packs/close/pack.yaml": pack("2.0.0", threshold=0.5)}, tag="v2.0.0")
    return made


def refusal(address: str, **more: str) -> str:
    with pytest.raises((InputError, scoring.SpecError)) as raised:
        scoring.packs.add(address, **more)
    return str(raised.value)


def locked(found: scoring.api.ProjectChange) -> dict[str, str]:
    return {one.name: one.version for one in found.lock.packs}


def task(folder: Path, imports: str) -> Path:
    path = folder / "task.yaml"
    path.write_text(f"kind: task\nname: t\nversion: 1.0.0\nimports: {{c: {imports}}}\nscore: c.close_text\n")
    return path


def test_a_pack_from_git_is_added_used_upgraded_and_removed(home: Path, metrics: Repository) -> None:
    found = scoring.packs.add(f"git+{metrics.address}@v1.0.0#packs/close")
    assert found.lines == ("`close` 1.0.0 is added; specs import it as `close@1`",)
    wanted = f'[packs]\nclose = {{ git = "{metrics.address}", tag = "v1.0.0", path = "packs/close" }}\n'
    assert (home / "scoring.toml").read_text() == wanted
    assert scoring.check([task(home, "close@1")]).passed

    metrics.path.rename(metrics.path.with_name("away"))  # what is locked needs nobody
    assert scoring.load(home / "task.yaml").score({"response": "cat", "reference": "cat"}).score == 1.0
    metrics.path.with_name("away").rename(metrics.path)

    found = scoring.packs.upgrade("close")
    assert locked(found) == {"close": "1.1.0"}
    assert (home / "scoring.toml").read_text() == wanted.replace("v1.0.0", "v1.1.0")
    assert "`close` 2.0.0 is there, outside of `1`: `scoring upgrade close --version 2` moves there" in found.notes

    with pytest.raises(scoring.SpecError, match="fits `1`") as raised:
        scoring.packs.upgrade("close", version="2")
    assert raised.value.diagnostics[0].help[1] == "to follow it, import `close@2` here; scores may move"
    assert (home / "scoring.toml").read_text() == wanted.replace("v1.0.0", "v1.1.0")
    task(home, "close@2")
    with pytest.raises(scoring.SpecError, match="fits `2`") as raised:
        lock_project()
    assert raised.value.diagnostics[0].help[1] == "`scoring upgrade close --version 2` moves the project file there"
    found = scoring.packs.upgrade("close", version="2")
    assert locked(found) == {"close": "2.0.0"}
    assert any("0.8 → 0.5" in line for move in found.lock.moves for line in move.moved)

    with pytest.raises(InputError, match=r"`close` is imported at task.yaml:4:14; remove the import first"):
        scoring.packs.remove("close")
    (home / "task.yaml").unlink()
    assert locked(scoring.packs.remove("close")) == {}
    assert (home / "scoring.toml").read_text() == "[packs]\n"


def test_an_alias_and_a_pack_among_several_are_named(home: Path, tmp_path: Path) -> None:
    made = Repository(tmp_path / "several")
    made.commit({"a.yaml": pack(), "b.yaml": pack().replace("name: close", "name: far")}, tag="v1")
    address = f"git+{made.address}@v1"
    assert "has `close` and `far`; `--pack NAME` says which" in refusal(address)
    assert "has no pack `clos`; did you mean `close`?" in refusal(address, pack="clos")
    assert "there is no `a`; is it `a.yaml`?" in refusal(f"{address}#a")
    scoring.packs.add(address, pack="far", alias="other")
    listed = {one["name"]: one["own_name"] for one in scoring.specs.listing("packs").data}
    assert listed["other"] == "far"
    assert "far" not in listed
    assert 'pack = "far"' in (home / "scoring.toml").read_text()
    assert scoring.check([task(home, "other@1")]).findings == ()


def test_a_folder_is_named_from_the_project_file(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes" / "pack.yaml").write_text(pack())
    (home / "scoring.toml").write_text("")
    (home / "inner").mkdir()
    monkeypatch.chdir(home / "inner")
    scoring.packs.add("../../shapes")
    assert (home / "scoring.toml").read_text() == '[packs]\nclose = { folder = "../shapes" }\n'


def test_an_address_and_an_option_that_name_two_packs_are_refused(home: Path) -> None:
    assert "the address names the pack `anls`, but `--pack` `coco`" in refusal("anls@1", pack="coco")
    assert not (home / "scoring.toml").exists()


def test_one_that_is_shipped_is_named_by_its_range(home: Path) -> None:
    name = next(iter(sorted(scoring.specs.listing("packs").to_json(), key=lambda one: one["name"])))["name"]
    found = scoring.packs.add(name)
    assert f"`{name}` " in found.lines[0]
    assert (home / "scoring.toml").read_text() == f'[packs]\n{name} = "{locked(found)[name].split(".")[0]}"\n'
    assert "is already there; `scoring upgrade" in refusal(name)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as found:
        yield found


def publish(server: FileServer, *versions: str) -> None:
    listed = {}
    for version in versions:
        path, text = f"{version}.yaml", pack(version)
        server.files[f"/packs/{path}"] = text.encode()
        listed[version] = ListedRelease(path, {path: hashlib.sha256(text.encode()).hexdigest()})
    server.files["/packs/versions.json"] = versions_text({"close": listed}).encode()


def test_an_address_is_added_with_the_range_of_its_newest_release(home: Path, server: FileServer) -> None:
    publish(server, "0.3.0", "1.0.0", "1.2.0", "2.0.0-rc.1")
    found = scoring.packs.add(f"{server.url}/packs")
    assert locked(found) == {"close": "1.2.0"}
    wanted = f'[packs]\nclose = {{ address = "{server.url}/packs", version = "1" }}\n'
    assert (home / "scoring.toml").read_text() == wanted
    publish(server, "1.2.0", "1.3.0", "2.0.0")
    assert locked(scoring.packs.upgrade()) == {"close": "1.3.0"}
    assert (home / "scoring.toml").read_text() == wanted
    assert locked(scoring.packs.upgrade("close", version="2")) == {"close": "2.0.0"}
    assert (home / "scoring.toml").read_text() == wanted.replace('"1"', '"2"')


def test_a_distribution_is_added(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"acme_more/close.yaml": pack(), "acme_more/new.yaml": pack("2.0.0")}
    write_wheel(tmp_path / "index", "acme-more", "1.5", files, packs={"x": "acme_more"})
    take_for_index(tmp_path / "index", monkeypatch)
    assert locked(scoring.packs.add("dist:acme-more>=1,<2", version=None)) == {"close": "2.0.0"}
    assert 'close = { distribution = "acme-more", version = ">=1,<2" }' in (home / "scoring.toml").read_text()


@pytest.mark.parametrize("beside", ["more.txt", "more", "More.YAML"])
def test_a_pack_is_the_same_wherever_it_comes_from_and_whatever_its_imports_are_called(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: str
) -> None:
    more = "kind: pack\nname: more\nversion: 1.0.0\nscorers:\n  same: equal\n"
    text = f"kind: pack\nname: close\nversion: 1.0.0\nimports: {{x: ./{beside}}}\nscorers:\n  close_text: x.same\n"
    files = {"acme/pack.yaml": text, f"acme/{beside}": more}
    Repository(tmp_path / "metrics").commit(files, tag="v1")
    write_wheel(tmp_path / "index", "acme", "1.0", files, packs={"x": "acme"})
    take_for_index(tmp_path / "index", monkeypatch)
    digests = set()
    for address in ("../metrics/acme", f"git+{(tmp_path / 'metrics').as_uri()}@v1#acme", "dist:acme"):
        digests |= {one.digest for one in scoring.packs.add(address, pack="close").lock.packs}
        assert scoring.check([task(home, "close@1")]).passed
        (home / "task.yaml").unlink()
        scoring.packs.remove("close")
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("../nowhere.yaml", "there is no `../nowhere.yaml`; an address is a path,"),
        ("nothing-like-it", "no pack `nothing-like-it` is shipped or installed"),
        ("git+https://me:hunter2@example.org/x@v1", "holds a name or a password"),
        ("https://example.org/x?key=hunter2", "holds a query"),
        ("", "is not an address"),
        ("--help", "is not an address"),
    ],
)
def test_an_address_that_is_none_leaves_nothing_behind(home: Path, address: str, why: str) -> None:
    said = refusal(address)
    assert why in said
    assert "hunter2" not in said
    assert list(home.iterdir()) == []


def test_a_name_that_is_taken_is_refused_with_the_ways_on(home: Path, metrics: Repository) -> None:
    scoring.packs.add(f"git+{metrics.address}@v1.0.0")
    said = refusal(f"git+{metrics.address}@v1.1.0")
    assert "`scoring upgrade close` moves it, `--replace` replaces it with this one" in said
    with pytest.raises(InputError, match=r"names no pack `clsoe`; did you mean `close`\?"):
        scoring.packs.upgrade("clsoe")


def test_a_tag_that_moved_is_refused_with_both_commits(home: Path, tmp_path: Path) -> None:
    made = Repository(tmp_path / "moved")
    before = made.commit({"pack.yaml": pack()}, tag="v1.0.0")
    scoring.packs.add(f"git+{made.address}@v1.0.0")
    after = made.commit({"other.txt": "x"}, tag="v1.0.0")
    for verb in (lock_project, scoring.packs.upgrade):
        with pytest.raises(InputError) as raised:
            verb()
        assert f"the tag `v1.0.0` of {made.address} was moved from {before[:12]} to {after[:12]}" in str(raised.value)


def test_only_what_is_added_is_asked(home: Path, metrics: Repository, server: FileServer) -> None:
    publish(server, "1.0.0")
    scoring.packs.add(f"{server.url}/packs", alias="web")
    server.asked.clear()
    scoring.packs.add(f"git+{metrics.address}@v1.0.0")
    assert server.asked == []


def test_where_there_is_no_project_only_add_begins_one(home: Path) -> None:
    for verb in (lambda: scoring.packs.remove("x"), scoring.packs.upgrade):
        with pytest.raises(InputError, match=r"there is no scoring.toml here or above"):
            verb()


def test_a_pack_whose_primitives_are_not_installed_is_refused_with_the_line_that_installs_them(home: Path) -> None:
    (home / "far.yaml").write_text(pack().replace("scorers:", "requires: [acme-none>=1.2]\nscorers:"))
    with pytest.raises(scoring.SpecError, match=r"needs the distribution `acme-none>=1\.2`, which is not installed"):
        scoring.packs.add("far.yaml")
    assert not (home / "scoring.toml").exists()
    assert not (home / "scoring.lock").exists()


def test_what_becomes_of_packs_is_json_where_that_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "close.yaml").write_text("kind: pack\nname: close\nversion: 1.0.0\n")
    for command in (["add", "./close.yaml"], ["lock"], ["upgrade"], ["remove", "close"]):
        assert main([*command, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        (found,) = found.get("projects", [found])
        assert [pack["name"] for pack in found["packs"]] == ([] if command[0] == "remove" else ["close"])


def test_several_addresses_begin_a_project_whose_spec_imports_all_of_them(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in "pq":
        (tmp_path / f"{name}.yaml").write_text(f"kind: pack\nname: {name}\nversion: 1.0.0\nscorers: {{same: equal}}\n")
    spec = home / "t.yaml"
    spec.write_text("kind: task\nname: t\nimports: {p: p@1, q: q@1}\nscore: any_of(p.same, q.same)\n")
    assert main(["add", "../p.yaml", "../q.yaml"]) == 0
    shown = capsys.readouterr()
    assert shown.out.count("is added") == 2
    assert shown.err == ""
    assert main(["check", "t.yaml"]) == 0
    assert main(["add", "../p.yaml", "../q.yaml", "--as", "x"]) == 2
    assert "are for one address" in capsys.readouterr().err


def user(made: Repository, name: str, tag: str, major: int) -> str:
    """A pack from git that takes the third one from a tag; its address."""
    toml = f'[packs]\nclose = {{ git = "{made.address}", tag = "{tag}", path = "packs/close" }}\n'
    text = f"kind: pack\nname: {name}\nversion: 1.0.0\nimports: {{c: close@{major}}}\nscorers: {{own: c.close_text}}\n"
    one = Repository(made.path.parent / name)
    one.commit({"pack.yaml": text, "scoring.toml": toml}, tag="v1")
    return f"git+{one.address}@v1"


def test_two_packs_take_two_majors_of_a_third_from_tags(home: Path, metrics: Repository) -> None:
    addresses = [user(metrics, "p", "v1.0.0", 1), user(metrics, "q", "v2.0.0", 2)]
    for address in addresses:
        scoring.packs.add(address)
    held = [(one.name, one.version, one.where.tag) for one in lock_project().packs]
    assert held == [
        ("close", "1.0.0", "v1.0.0"),
        ("close", "2.0.0", "v2.0.0"),
        ("p", "1.0.0", "v1"),
        ("q", "1.0.0", "v1"),
    ]
    assert not lock_project(frozen=True).written
    assert not lock_project().written
    assert scoring.scorer("p@1:own").score("abcd", "ab").value == 0
    assert scoring.scorer("q@1:own").score("abcd", "ab").value == 0.5


def test_a_further_tag_stands_beside_and_upgrade_moves_each_within_its_major(home: Path, metrics: Repository) -> None:
    scoring.packs.add(f"git+{metrics.address}@v1.0.0#packs/close")
    found = scoring.packs.add(f"git+{metrics.address}@v2.0.0#packs/close")
    assert found.lines == ("`close` 2.0.0 is added next to what was there; specs import it as `close@2`",)
    assert 'tag = ["v1.0.0", "v2.0.0"]' in Path("scoring.toml").read_text()
    scoring.packs.upgrade()
    assert 'tag = ["v1.1.0", "v2.0.0"]' in Path("scoring.toml").read_text()
    assert [one.version for one in lock_project(frozen=True).packs] == ["1.1.0", "2.0.0"]
    assert scoring.scorer("close@1:close_text").score("abcd", "ab").value == 0
    assert scoring.scorer("close@2:close_text").score("abcd", "ab").value == 0.5
    with pytest.raises(InputError, match="has several tags"):
        scoring.packs.upgrade("close", version="2")


@pytest.mark.parametrize("gone", [False, True])
def test_a_moved_tag_is_told_whatever_the_commit_has(home: Path, metrics: Repository, gone: bool) -> None:
    address = f"git+{metrics.address}@v1.1.0#packs/close"
    scoring.packs.add(address)
    before = metrics.git("rev-parse", "v1.1.0^{commit}")[:12]
    if gone:
        metrics.git("rm", "-r", "-q", "packs")
        metrics.commit({"else.txt": ""})
    metrics.git("tag", "--force", "v1.1.0", "HEAD")
    after = metrics.git("rev-parse", "HEAD")[:12]
    for has_store in (True, False):
        if not has_store:
            Path(".scoring").rename("away")
        for verb in (lock_project, scoring.packs.upgrade):
            with pytest.raises(InputError, match=f"was moved from {before} to {after}.*--replace"):
                verb()
    if not gone:
        task(home, "close@2")
        found = scoring.packs.add(address, replace=True)
        assert locked(found) == {"close": "2.0.0"}
        assert not lock_project().written


def test_another_source_of_a_pack_in_use_is_one_command(
    home: Path, metrics: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    task(home, "close@1")
    assert main(["add", f"git+{metrics.address}@v1.0.0#packs/close"]) == 0
    (home / "own.yaml").write_text(pack("1.2.0"))
    assert main(["add", "own.yaml"]) == 2
    assert "`--replace` replaces it with this one" in capsys.readouterr().err
    assert main(["add", "own.yaml", "--replace"]) == 0
    assert Path("scoring.toml").read_text() == '[packs]\nclose = { folder = "own.yaml" }\n'
    assert [one.version for one in lock_project(frozen=True).packs] == ["1.2.0"]
    assert main(["check", "task.yaml"]) == 0
